"""The rules as arrays for compiled kernels, built from `Rules` alone.

Axes: `bid` is an action below the challenge, `hand` an index into `game.hands.hands`.
Kernels identify a position by its last bid, `NO_BID` if none was made.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid, can_bid, counts_for, domain
from game.hands import hands, probabilities
from game.rules import Rules

NO_BID = -1
"""Stands for the last bid at the start of a round."""


class BidTables(NamedTuple):
    """The rules as kernels see them. Arrays are C-contiguous and read-only."""

    prior: NDArray[np.float32]
    """[hand] probability of each hand."""
    matches: NDArray[np.int8]
    """[bid, hand] number of dice of the hand that count towards the bid."""
    kind: NDArray[np.int64]
    """[bid] kind of the bid: bids of one mode and face share a kind, and differ only in count."""
    having: NDArray[np.float32]
    """[kind, count, hand] 1 if exactly `count` dice of the hand count towards the kind, else 0."""
    claimed: NDArray[np.int64]
    """[bid] count that the bid claims."""
    first_raise: NDArray[np.int64]
    """[last + 1] weakest bid that may follow `last`; all stronger ones may too, except after
    NO_BID, where `opens` decides. Equal to the number of bids if no raise is left."""
    opens: NDArray[np.bool_]
    """[bid] whether the bid may open a round."""
    players: int
    dice: int
    """Dice per player."""
    challenges: int
    """Number of challenges: actions are the bids, then the challenges, by distance."""


@lru_cache
def bid_tables(rules: Rules) -> BidTables:
    """Return the tables of `rules`; legal raises are contiguous because bids are ordered by
    strength. Raises RulesError for rules that are not played for penalty points."""
    rules.verify_costs_points()
    bids = domain(rules)
    faces = range(1, rules.faces + 1)
    counting = np.array([[counts_for(rules, bid, face) for face in faces] for bid in bids])
    shown = np.array([[hand.count(face) for hand in hands(rules)] for face in faces])
    matches = (counting @ shown).astype(np.int8)
    modes = [bid.mode for bid in bids]
    _, first, kind = np.unique(
        np.column_stack([matches, modes]), axis=0, return_index=True, return_inverse=True
    )
    having = matches[first][:, np.newaxis] == np.arange(rules.dice + 1)[:, np.newaxis]
    first_raise = [_first_raise(rules, last) for last in bids]
    opens = [can_bid(rules, bid, None) for bid in bids]
    arrays = (
        probabilities(rules).astype(np.float32),
        matches,
        kind.reshape(-1).astype(np.int64),
        having.astype(np.float32),
        np.array([bid.count for bid in bids], dtype=np.int64),
        np.array([opens.index(True), *first_raise], dtype=np.int64),
        np.array(opens, dtype=np.bool_),
    )
    for array in arrays:
        array.setflags(write=False)
    return BidTables(
        *arrays, players=rules.players, dice=rules.dice, challenges=rules.furthest_challenge
    )


def _first_raise(rules: Rules, last: Bid) -> int:
    """Return the weakest bid that may follow `last`; all stronger ones may too."""
    return bisect_left(domain(rules), True, key=lambda bid: can_bid(rules, bid, last))


def legal_raises(tables: BidTables) -> NDArray[np.bool_]:
    """Return [last + 1, bid] which bids are legal after the bid `last`; NO_BID comes first."""
    legal: NDArray[np.bool_] = np.arange(tables.claimed.size) >= tables.first_raise[:, np.newaxis]
    legal[0] = tables.opens
    return legal
