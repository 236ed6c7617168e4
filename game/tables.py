"""The rules as arrays, for kernels: built from `Rules` alone.

Axes: `bid` is an action below the challenge, `hand` an index into `game.hands.hands`.
A position is known to kernels by its last bid, with `NO_BID` where none was made.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.bids import can_bid, counts_for, domain, legal_bids
from game.hands import hands, probabilities
from game.rules import Rules

NO_BID = -1
"""The last bid at the start of a round."""


class BidTables(NamedTuple):
    """All that kernels know of the rules. Arrays are C-contiguous and read-only."""

    prior: NDArray[np.float32]
    """[hand] the probability of each hand."""
    matches: NDArray[np.int8]
    """[bid, hand] how many dice of the hand count towards the bid."""
    kind: NDArray[np.int64]
    """[bid] the bids of one kind are of one mode and face: the stronger, the more they claim."""
    having: NDArray[np.float32]
    """[kind, count, hand] 1 for hands with so many dice that count, else 0."""
    claimed: NDArray[np.int64]
    """[bid] the count that the bid claims."""
    first_raise: NDArray[np.int64]
    """[last + 1] the weakest bid that may follow `last`; all above it may too, but for NO_BID,
    where `opens` rules. Equal to the number of bids where no raise is left."""
    opens: NDArray[np.bool_]
    """[bid] whether the bid may open a round."""
    players: int
    dice: int
    """Dice of each player."""
    challenges: int
    """The furthest challenge: actions are the bids and so many challenges, the last bid's first."""


@lru_cache
def bid_tables(rules: Rules) -> BidTables:
    """The tables of `rules`. Legal raises are contiguous because the order is by strength. Raises
    RulesError for rules that are not played for penalty points."""
    rules.verify_costs_points()
    bids = domain(rules)
    matches = np.array(
        [[sum(counts_for(rules, bid, face) for face in hand) for hand in hands(rules)]
         for bid in bids], dtype=np.int8,
    )  # fmt: skip
    modes = [bid.mode for bid in bids]
    _, first, kind = np.unique(
        np.column_stack([matches, modes]), axis=0, return_index=True, return_inverse=True
    )
    having = matches[first][:, np.newaxis] == np.arange(rules.dice + 1)[:, np.newaxis]
    first_raise = [len(bids) - len(legal_bids(rules, last)) for last in bids]
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
