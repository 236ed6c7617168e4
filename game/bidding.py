"""The bidding of a round as an automaton: which bids may follow, and what challenges settle.

The automaton is compiled from the rules in `game.bids`. Kernels, tables and players read it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import (
    START,
    Bid,
    State,
    action_of,
    can_bid,
    challenge_cost,
    domain,
    ends_fei,
    follows,
)
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules

Ints = NDArray[np.int64]


class Bidding(NamedTuple):
    """The automaton of the bidding. Arrays are read-only."""

    bids: tuple[Bid, ...]
    """The bids. The place of a bid is its action."""
    states: tuple[State, ...]
    """The states: `START`, then the state after each bid if no ones were named before it, then the
    states after bids that follow ones. So a state is the last bid + 1 unless ones end 飞."""
    legal: NDArray[np.bool_]
    """[state, bid] whether the bid may follow."""
    after: Ints
    """[state, bid] the state after the bid, or -1 if the bid may not follow."""
    settles: Ints
    """[challenge] how many bids ago the challenged bid was made. A challenge needs at
    least this number of bids."""
    costs: Ints
    """[challenge] the penalty points of the loser."""


@lru_cache
def bidding(rules: Rules) -> Bidding:
    """Return the automaton of `rules`."""
    bids = domain(rules)
    plain = [State(bid, ends_fei(rules, bid)) for bid in bids]
    ended = [State(last, True) for last, fei_ended in plain if last and not fei_ended]
    zhai = [state for state in ended if state.last and state.last.mode is Mode.ZHAI]
    states = (START, *plain, *(zhai if rules.bidding.ones_end_fei else ()))
    number = {state: place for place, state in enumerate(states)}
    opening = [can_bid(rules, bid, None) for bid in bids]
    # Raises of bids that no round can reach are left out if they have lower numbers.
    raises = np.triu(follows(rules, bids), 1)
    is_zhai = np.array([bid.mode is Mode.ZHAI for bid in bids])
    legal = np.array(
        [
            opening,
            *(
                raises[action_of(rules, last)] & (is_zhai | (not fei_ended))
                for last, fei_ended in states[1:]
                if last is not None
            ),
        ]
    )
    after = np.full(legal.shape, -1, dtype=np.int64)
    for state, bid in np.argwhere(legal).tolist():
        reached = State(bids[bid], states[state].fei_ended or ends_fei(rules, bids[bid]))
        after[state, bid] = number[reached]
    distances = np.arange(1, rules.furthest_challenge + 1)
    costs = np.array([challenge_cost(rules, distance) for distance in distances.tolist()])
    for array in (legal, after, distances, costs):
        array.setflags(write=False)
    return Bidding(bids, states, legal, after, settles=distances, costs=costs)


def states_after(rules: Rules, histories: Ints) -> Ints:
    """Return [history] the number of the state after each of the `histories` [history, bid], which
    are legal."""
    automaton = bidding(rules)
    state = np.zeros(len(histories), dtype=np.int64)
    if len(automaton.states) == len(automaton.bids) + 1:
        return state if not histories.shape[1] else histories[:, -1] + 1
    for bid in histories.T:
        state = automaton.after[state, bid]
    return state
