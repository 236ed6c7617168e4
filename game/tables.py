"""The rules as arrays for compiled kernels, built from `Rules` alone.

Axes: `bid` is an action below the challenges, `hand` an index into `game.hands.hands`.
`state` numbers the states of the bidding (`game.bidding`): 0 at the start of a round, and the last
bid + 1 unless ones were named under rules by which ones end 飞.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import Bid, counted, domain, plain_bids
from zhaifei.game.hands import Hand, hands, probabilities
from zhaifei.game.rules import Rules

NO_BID = -1
"""Stands for the last bid at the start of a round."""


class BidTables(NamedTuple):
    """The rules in the form that kernels read. Arrays are C-contiguous and read-only."""

    prior: NDArray[np.float32]
    """[player, hand] the probability of each hand, from the player who opens the round on; 0 for
    hands with another number of dice than the player has."""
    matches: NDArray[np.int8]
    """[bid, hand] the number of dice of the hand that count towards the bid."""
    kind: NDArray[np.int64]
    """[bid] the kind of the bid: bids of one mode and face share a kind, and differ in count."""
    claimed: NDArray[np.int64]
    """[bid] the count that the bid claims."""
    legal: NDArray[np.bool_]
    """[state, bid] whether the bid may follow; the first row tells what may open."""
    after: NDArray[np.int64]
    """[state, bid] the state after the bid, or -1 if the bid may not follow."""
    first_raise: NDArray[np.int64]
    """[state] the first bid that may follow, or the number of bids if no raise is left. Kernels
    begin there to look for raises."""
    back: NDArray[np.int64]
    """[ending] how many bids ago the bid was made, or doubled, that the ending settles."""
    settled: NDArray[np.int64]
    """[bid, ending] the count from which on the challenger loses, if the ending settles the bid; 0
    if the challenger gives up."""
    cost: NDArray[np.int64]
    """[bid, ending] the penalty points that the loser takes; 0 if the ending cannot settle the
    bid."""
    turned: NDArray[np.bool_]
    """[bid, ending] whether the challenger is the player who doubled, instead of the player who
    ends the bidding."""
    players: int
    dice: int
    """The largest number that one hand can count towards a bid."""
    plain: int
    """The number of bids that are no doubles; the doubles follow them."""
    endings: int
    """The number of endings: actions are the bids, then the endings."""
    most_cost: int
    """The most penalty points that a round can cost."""

    @property
    def hands(self) -> int:
        """The number of hands, over all players; not for kernels."""
        return int(self.prior.shape[1])


def matches_of(rules: Rules, dealt: Sequence[Hand]) -> NDArray[np.int8]:
    """Return [bid, hand] int8, how many dice of each hand count towards each bid."""
    bids = domain(rules)
    of_kind = {
        (mode, face): [counted(rules, Bid(mode, 1, face), hand) for hand in dealt]
        for mode, face in {(bid.mode, bid.face) for bid in bids}
    }
    return np.array([of_kind[bid.mode, bid.face] for bid in bids], dtype=np.int8)


@lru_cache
def bid_tables(rules: Rules) -> BidTables:
    """Return the tables of `rules`. Every raise has a higher number than the bid it
    follows. Raises RulesError unless rounds are for penalty points."""
    rules.verify_costs_points()
    bids, matches = domain(rules), matches_of(rules, hands(rules))
    modes = [bid.mode for bid in bids]
    _, kind = np.unique(np.column_stack([matches, modes]), axis=0, return_inverse=True)
    priors = [probabilities(rules, player) for player in range(rules.players)]
    automaton = bidding(rules)
    legal = automaton.legal
    arrays = (
        np.array(priors, dtype=np.float32),
        matches,
        kind.reshape(-1).astype(np.int64),
        np.array([bid.count for bid in bids], dtype=np.int64),
        legal,
        automaton.after,
        np.where(legal.any(axis=1), legal.argmax(axis=1), len(bids)),
        automaton.back,
        automaton.claimed,
        automaton.cost,
        automaton.turned,
    )
    for array in arrays:
        array.setflags(write=False)
    return BidTables(
        *arrays,
        players=rules.players,
        dice=rules.most_counted,
        plain=len(plain_bids(rules)),
        endings=rules.endings,
        most_cost=int(automaton.cost.max()),
    )


def last_tells(tables: BidTables) -> bool:
    """Return whether the last bid alone tells which bids may follow."""
    return len(tables.legal) == tables.claimed.size + 1


def is_plain(tables: BidTables) -> bool:
    """Return whether every stronger bid is a legal raise, none is doubled, and all players have the
    same hands. Some engines require this to number actions and hands."""
    stronger = np.arange(tables.claimed.size) >= tables.first_raise[1:, np.newaxis]
    same_hands = bool((tables.prior == tables.prior[0]).all())
    return last_tells(tables) and same_hands and np.array_equal(tables.legal[1:], stronger)


def longest_history(after: NDArray[np.int64]) -> int:
    """Return the number of bids in the longest round; `after` [state, bid] is as in BidTables."""
    longest, made = np.zeros(len(after), dtype=np.int64), np.full(len(after), NO_BID)
    before, bids = np.nonzero(after >= 0)
    made[after[before, bids]] = bids
    for state in np.argsort(-made, kind="stable"):  # raises have higher numbers
        longest[state] = (1 + longest[after[state][after[state] >= 0]]).max(initial=0)
    return int(longest[0])
