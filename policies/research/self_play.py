"""Self-play of two players, thousands of rounds in lockstep.

All rounds that have not ended have the same number of bids. So the same seat decides in all of
them, and a learner is queried for one batch of actions at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import State, action_count, ends_fei
from zhaifei.game.hands import roll_hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.policies.players.encoding import (
    Bits,
    Floats,
    Ints,
    information_state_tensors,
    legal_actions,
)


class Situations(NamedTuple):
    """The rounds that have not ended, in all of which the same seat decides."""

    seat: int
    round: Ints
    """[decision] the number of the round."""
    hand: Ints
    """[decision] the hand of the seat, as in `game.hands.hands`."""
    made: Bits
    """[decision, action] whether the bid was made."""
    last: Ints
    """[decision] the last bid, or NO_BID."""

    def seen(self, rules: Rules) -> Floats:
        """Return [decision, bit] the information state tensors."""
        return information_state_tensors(
            rules, np.full(self.hand.size, self.seat), self.hand, self.made
        )

    def legal(self, rules: Rules) -> Bits:
        """Return [decision, action] whether the action is legal."""
        return legal_after(rules, self.last, self.made)


def legal_after(rules: Rules, last: Ints, made: Bits) -> Bits:
    """Return [decision, action] whether an action is legal after the bid `last` [decision] if the
    bids `made` [decision, action] were made."""
    automaton, state = bidding(rules), last + 1
    number = {one: place for place, one in enumerate(automaton.states)}
    ones = np.array([ends_fei(rules, bid) for bid in automaton.bids])
    ended = made[:, : ones.size][:, ones].any(axis=1)
    after_ones = [number.get(State(bid, True), -1) for bid in (None, *automaton.bids)]
    state = np.where(ended, np.array(after_ones)[state], state)
    legal: Bits = legal_actions(rules)[state]
    return legal


class Decisions(NamedTuple):
    """All decisions of some rounds. The decisions of one seat in one round are consecutive, in the
    order in which they were taken; the last of them is `final`."""

    seat: Ints
    hand: Ints
    made: Bits
    """[decision, action] whether the bid had been made."""
    last: Ints
    action: Ints
    reward: Floats
    """[decision] the utility of the round, 1 or -1, for final decisions; 0 for the others."""
    final: Bits
    taken: Ints
    """[decision] its place in the order in which decisions were taken, over all rounds."""


Decide = Callable[[Situations], Ints]
"""Returns the actions [decision], which must be legal."""


def play(rules: Rules, rounds: int, decide: Decide, random: np.random.Generator) -> Decisions:
    """Play `rounds` rounds of two players, with `decide` in both seats and dice from `random`.
    Return all decisions."""
    tables, challenge = bid_tables(rules), action_count(rules) - 1
    dealt = roll_hands(rules, rounds, random)
    going = np.arange(rounds)
    made = np.zeros((rounds, challenge + 1), dtype=np.bool_)
    last = np.full(rounds, NO_BID)
    steps: list[tuple[Situations, Ints]] = []
    bids = np.zeros(rounds, dtype=np.int64)
    challenged = np.zeros(rounds, dtype=np.int64)
    while going.size:
        seat = len(steps) % 2
        situations = Situations(seat, going, dealt[going, seat], made, last)
        action = decide(situations)
        steps.append((situations, action))
        ends = action == challenge
        bids[going[ends]] = len(steps) - 1
        challenged[going[ends]] = last[ends]
        going, last = going[~ends], action[~ends]
        made = made[~ends]
        made[np.arange(going.size), last] = True
    counted = tables.matches[challenged[:, np.newaxis], dealt].sum(axis=1)
    true = counted >= tables.claimed[challenged]
    return _in_rows(steps, winner=(bids + true) % 2)


def _in_rows(steps: list[tuple[Situations, Ints]], winner: Ints) -> Decisions:
    """Return the decisions of `steps`, sorted by round and seat; `winner` [round] is a seat."""
    of_step = [situations for situations, _ in steps]
    round_ = np.concatenate([one.round for one in of_step])
    seat = np.concatenate([np.full(one.round.size, one.seat) for one in of_step])
    taken = np.argsort(2 * round_ + seat, kind="stable")
    round_, seat = round_[taken], seat[taken]
    final = np.append(np.diff(2 * round_ + seat) != 0, True)
    reward = np.where(seat == winner[round_], 1.0, -1.0) * final
    return Decisions(
        seat,
        np.concatenate([one.hand for one in of_step])[taken],
        np.concatenate([one.made for one in of_step])[taken],
        np.concatenate([one.last for one in of_step])[taken],
        np.concatenate([action for _, action in steps])[taken],
        reward.astype(np.float32),
        final,
        taken,
    )
