"""The bidding of a round as an automaton: which bids may follow, and what challenges settle.

The automaton is compiled from the rules in `game.bids`. Kernels, tables and players read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import (
    START,
    Bid,
    Ending,
    State,
    action_of,
    back_of,
    domain,
    ending_of,
    ends_fei,
    following,
    follows_ones,
    legal_bids,
    plain_bids,
    turn_of,
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
    back: Ints
    """[ending] how many bids ago the bid was made, or doubled, that the ending settles."""
    claimed: Ints
    """[bid, ending] the count from which on the challenger loses, if the ending settles the bid."""
    cost: Ints
    """[bid, ending] what the loser loses; 0 if the ending cannot settle the bid."""
    turned: NDArray[np.bool_]
    """[bid, ending] whether the challenger is the player who doubled, instead of the player who
    ends the bidding."""


@lru_cache
def bidding(rules: Rules) -> Bidding:
    """Return the automaton of `rules`."""
    bids = domain(rules)
    plain = [State(bid, ends_fei(rules, bid)) for bid in bids]
    ended = [State(last, True) for last, fei_ended in plain if last and not fei_ended]
    zhai = [state for state in ended if state.last and state.last.mode is Mode.ZHAI]
    states = (START, *plain, *(zhai if rules.bidding.ones_end_fei else ()))
    number = {state: place for place, state in enumerate(states)}
    openings = {*legal_bids(rules, None)}
    # Raises of bids that no round can reach are left out if they have lower numbers.
    raises = np.triu(following(rules), 1)
    after_ones = np.array([follows_ones(bid) for bid in bids])
    legal = np.array(
        [
            [bid in openings for bid in bids],
            *(
                raises[action_of(rules, last)] & (after_ones | (not fei_ended))
                for last, fei_ended in states[1:]
                if last is not None
            ),
        ]
    )
    reached = np.array([number[state] for state in plain], dtype=np.int64)
    reached_ended = np.array([number.get(State(bid, True), -1) for bid in bids], dtype=np.int64)
    fei_ended = np.array([state.fei_ended for state in states])[:, np.newaxis]
    after = np.where(legal, np.where(fei_ended, reached_ended, reached), -1)
    endings = _endings(rules, bids)
    for array in (legal, after, *endings):
        array.setflags(write=False)
    return Bidding(bids, states, legal, after, *endings)


def _endings(rules: Rules, bids: Sequence[Bid]) -> tuple[Ints, Ints, Ints, NDArray[np.bool_]]:
    """Return the arrays of endings of the automaton."""
    numbers = range(rules.endings)
    found = [[ending_of(rules, ending, bid) or _NO_ENDING for ending in numbers] for bid in bids]
    back = np.array([back_of(rules, ending) for ending in numbers])
    claimed, cost = (
        np.array([[getattr(one, name) for one in of_bid] for of_bid in found])
        for name in ("claimed", "cost")
    )
    turned = np.array([[one.turned for one in of_bid] for of_bid in found])
    return back, claimed, cost, turned


_NO_ENDING = Ending(back=0, claimed=0, cost=0, turned=False)


def legal_endings(rules: Rules, histories: Ints) -> NDArray[np.bool_]:
    """Return [history, ending] whether each ending may follow each of the `histories`
    [history, bid], which are legal."""
    automaton, made = bidding(rules), histories.shape[1]
    legal = np.zeros((len(histories), automaton.back.size), dtype=np.bool_)
    for ending, back in enumerate(automaton.back.tolist()):
        if back <= made:
            legal[:, ending] = automaton.cost[histories[:, made - back], ending] > 0
    return legal


def movers_after(rules: Rules, histories: Ints) -> Ints:
    """Return [history] the player who moves after each of the `histories` [history, bid], as
    `game.bids.mover_of` does."""
    made = histories.shape[1]
    if made == 0:
        return np.zeros(len(histories), dtype=np.int64)
    return turn_of(made, histories[:, -1] // len(plain_bids(rules))) % rules.players


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
