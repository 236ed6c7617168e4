"""The features of an information state tensor that the learners' networks take as input.

Four pieces, of which only the last depends on both the hand and the bids:

| piece | size | 1 for |
|---|---|---|
| `hand` | kinds * dice | at least 1, 2, ... own dice count towards bids of a kind |
| `public` | players + actions | the player and the bids made, as in the tensor |
| 〃 | 2 * bids | the last bid; the bid before it |
| `need` | others' dice + 1 | at least 1, 2, ... of the others' dice must count for the last bid |

A kind is a mode and a face. The features omit only the order of the dice, which has no meaning.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import counts_for, domain
from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables


class FeatureTables(NamedTuple):
    """The tables from which features are computed. Arrays are float32 and read-only."""

    counts: NDArray[np.float32]
    """[die and face, kind] whether a die with that face counts."""
    steps: NDArray[np.float32]
    """[count] 1, 2, ... up to the number of dice of a player."""
    stronger: NDArray[np.float32]
    """[bid, other] whether `bid` is stronger than `other`."""
    kind: NDArray[np.float32]
    """[bid, kind] one-hot."""
    claimed: NDArray[np.float32]
    """[bid] the count that the bid claims."""
    needs: NDArray[np.float32]
    """[count] 1, 2, ... up to one more than the others' dice."""


@lru_cache(maxsize=4)
def feature_tables(rules: Rules) -> FeatureTables:
    """Return the feature tables of `rules`. Raise RulesError if a die's count depends on the hand
    that holds it, because the features add up single dice."""
    if rules.counting.by_hand:
        raise RulesError(
            "networks are not made for {rules}: they add up single dice, and these rules count "
            "whole hands",
            rules=rules,
        )
    tables, bids = bid_tables(rules), domain(rules)
    kinds = int(tables.kind.max()) + 1
    first = [bids[int(np.argmax(tables.kind == kind))] for kind in range(kinds)]
    of_face = [[counts_for(rules, bid, face + 1) for bid in first] for face in range(rules.faces)]
    arrays = (
        np.tile(np.array(of_face), (rules.dice, 1)),
        np.arange(1, rules.dice + 1),
        np.tri(len(bids), k=-1),
        np.eye(kinds)[tables.kind],
        tables.claimed,
        np.arange(1, rules.total_dice - rules.dice + 2),
    )
    result = FeatureTables(*(array.astype(np.float32) for array in arrays))
    for array in result:
        array.setflags(write=False)
    return result


def feature_sizes(rules: Rules) -> tuple[int, int, int]:
    """Return the number of features in the pieces `hand`, `public` and `need`."""
    tables = feature_tables(rules)
    bids, kinds = tables.kind.shape
    actions = bids + rules.endings
    return kinds * rules.dice, rules.players + actions + 2 * bids, tables.needs.size
