"""Luck and skill in a round, separated in the manner of AIVAT (Burch, Schmid, Moravcik, Morrill &
Bowling 2018, "AIVAT: A new variance reduction technique for agent evaluation in imperfect
information games").

Let `u` be the utility of a seat in a round, and `v(h)` any function of the history `h`, all dice
included. Here `v(h)` is the expected utility of the seat from `h` on if all play the policy.
Wherever an action was drawn with known probabilities `p(a)` in `h`,

    luck  +=  v(h a) - sum over a' of p(a') v(h a')          for the `a` that was drawn

and `skill = u - V - luck`, with `V` the value of the seat before the roll.

**Why it is unbiased.** Given all that came before, `a` is drawn with the probabilities `p`. So each
term has the expectation 0, whatever `v` is. Their sum has the expectation 0 too, even if later
terms depend on earlier draws. So `skill + V` has the expectation of `u`, for any strategies of the
players. The variance is small if `v` is close to the players' true expected utility: then the terms
absorb the effect of dice and draws.

**The share of luck.** The expected utility of a player who does not play the policy differs from
`v`, and then removing all luck may add variance. So only a share of the luck is removed: the share
that best fits, by least squares, the utilities of the *earlier* rounds (`Shares`). Given the
earlier rounds, the share is a constant, which multiplies terms of expectation 0: the estimate stays
unbiased.

**What is corrected.** Two kinds of chance are: the roll of all dice, whose expected value is `V`,
and the decisions of players whose strategy is known by name, the reviewed player included.
Decisions of people are not corrected, because the probabilities of their draws are unknown. If some
dice were never seen, nothing is corrected.

**Where this differs from the paper.** After a round all dice are known, so `v` depends on them; the
paper averages over the hands that a known player could have had instead. `V` is known to
`SeatValues.error` only, which is part of the error of the result.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import challenge_action, domain, mover_of
from zhaifei.game.hands import Hand, hand_index, probabilities
from zhaifei.game.positions import Position
from zhaifei.game.rounds import Round, utilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.play.simulation import play_rounds, utilities_of
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.resolving import ODD
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.seat_values import SHIPPED, SeatValues, key_of
from zhaifei.solver.bounds import History
from zhaifei.solver.value.action_values import action_values, empty_line
from zhaifei.solver.value.expected_value import refine_values

Floats = NDArray[np.float64]

_GAP = 0.002
"""The gap in penalty points to which the seat values of two players are computed."""
_ROUNDS = 2000
"""The number of rounds from which the seat values of more players are estimated."""
_SEED = 18
"""The seed of these rounds."""
_NODES = 64
"""The number of histories that `LinesDeal` follows, the likeliest first."""


@dataclass(frozen=True)
class RoundLuck:
    """The utility of a seat in a round and its parts, in penalty points: `value + luck + skill ==
    earned`."""

    value: float
    """The value of the seat before the roll, if all play the policy."""
    dice: float
    """The change of the seat's value by the dice, if all play the policy."""
    draws: float
    """The change of the seat's value by the draws of known players."""
    share: float
    """The share of `dice` and `draws` that counts as luck."""
    earned: float
    """The utility of the seat in the round."""

    @property
    def luck(self) -> float:
        """The part of the utility due to dice and draws."""
        return self.share * (self.dice + self.draws)

    @property
    def skill(self) -> float:
        """The rest: the players' decisions, and their draws as far as these are not known."""
        return self.earned - self.value - self.luck


START, _EARLIER, _SPREAD = 0.5, 20, 0.25
"""The prior of `Shares`: the share of luck that is removed before any round was seen, its weight in
rounds, and the variance of luck in these rounds."""


class Shares:
    """The share of luck that is removed from the next round, learned from the rounds before it."""

    def __init__(self) -> None:
        self._both, self._square = START * _EARLIER * _SPREAD, _EARLIER * _SPREAD

    @property
    def next(self) -> float:
        """The coefficient of the regression of utilities on luck, clipped to 0 to 1."""
        return min(max(self._both / self._square, 0.0), 1.0)

    def learn(self, told: RoundLuck) -> None:
        """Take a round into account."""
        whole = told.dice + told.draws
        self._both += (told.earned - told.value) * whole
        self._square += whole**2


# The value function


class DealValues(Protocol):
    """The utility of each seat with given dice if all play a policy."""

    def start(self) -> Floats:
        """Return [seat] float64 before the first bid; seat 0 opens."""

    def after(self, history: History, action: int) -> Floats:
        """Return [seat] float64 after `action` in `history`."""


class TableDeal:
    """DealValues of a table of two players, exact."""

    def __init__(self, policy: TablePolicy, dealt: Sequence[Hand]) -> None:
        self._policy, self._bids = policy, bid_tables(policy.rules)
        self._dealt = [hand_index(policy.rules, hand) for hand in dealt]
        self._line = empty_line(self._bids)
        self._found: dict[History, Floats] = {}

    def start(self) -> Floats:
        """See DealValues."""
        played = self._policy.strategy(())[self._dealt[0]]
        mine = float(played @ np.nan_to_num(self._values(())))
        return np.array([mine, -mine])

    def after(self, history: History, action: int) -> Floats:
        """See DealValues."""
        mine = self._values(history)[action]
        return np.array([mine, -mine] if len(history) % 2 == 0 else [-mine, mine])

    def _values(self, history: History) -> Floats:
        """Return [action] the utility of the player to move."""
        if history not in self._found:
            mover = len(history) % 2
            other = np.zeros((1, self._bids.hands))
            other[0, self._dealt[1 - mover]] = 1.0
            found: Floats = action_values(
                self._bids,
                self._policy.below(history),
                self._line,
                np.array(history, dtype=np.int64),
                other,
                np.array([self._dealt[mover]]),
                0.0,
            )[0, 0]
            self._found[history] = found
        return self._found[history]


class LinesDeal:
    """DealValues of any policy. The `nodes` likeliest histories are followed; after others, the
    last bid is assumed to be challenged at once."""

    def __init__(self, policy: Policy, dealt: Sequence[Hand], nodes: int = _NODES) -> None:
        self._policy, self._rules, self._nodes = policy, policy.rules, nodes
        self._dealt = tuple(dealt)
        self._hands = [hand_index(self._rules, hand) for hand in dealt]
        self._played: dict[History, Floats] = {}

    def start(self) -> Floats:
        """See DealValues."""
        return self._follow(())

    def after(self, history: History, action: int) -> Floats:
        """See DealValues."""
        if action >= challenge_action(self._rules):
            return self._settled(history, action)
        return self._follow((*history, action))

    def _follow(self, start: History) -> Floats:
        tie = count()
        waiting: list[tuple[float, int, History]] = [(-1.0, next(tie), start)]
        earned, opened = np.zeros(self._rules.players), 0
        while waiting:
            share, _, history = heapq.heappop(waiting)
            if opened >= self._nodes:
                earned -= share * self._settled(history, challenge_action(self._rules))
                continue
            opened += 1
            played = self._row(history)
            for action in np.flatnonzero(played).tolist():
                likely = -share * float(played[action])
                if action >= challenge_action(self._rules):
                    earned += likely * self._settled(history, action)
                else:
                    heapq.heappush(waiting, (-likely, next(tie), (*history, action)))
        return earned

    def _row(self, history: History) -> Floats:
        """Return [action] the strategy of the mover."""
        if history not in self._played:
            hand = self._hands[mover_of(self._rules, history)]
            bids = [domain(self._rules)[bid] for bid in history]
            self._played[history] = self._policy.strategy(bids)[hand].copy()
        return self._played[history]

    def _settled(self, history: History, action: int) -> Floats:
        bids = tuple(domain(self._rules)[bid] for bid in history)
        round_ = Round(self._rules, self._dealt, history=bids)
        round_.take(action)
        assert round_.settlement is not None, "a challenge ends the round"
        return np.array(utilities(self._rules, round_.settlement))


def deal_values(policy: TablePolicy, dealt: Sequence[Hand]) -> DealValues:
    """Return the utility of each seat with the dice `dealt` [seat] if all play the policy; seat 0
    opens."""
    if policy.rules.players == 2:
        return TableDeal(policy, dealt)
    return LinesDeal(as_played(policy), dealt)


def seat_values(policy: TablePolicy) -> SeatValues:
    """Return the value of each seat if all play the policy as it is played at tables. It takes
    seconds for large policies that did not come with the package."""
    found = SHIPPED.get(key_of(policy))
    if found is not None:
        return found
    rules = policy.rules
    if rules.players > 2:
        return sampled_seat_values(policy, _ROUNDS)
    table = policy.table
    *_, last = refine_values(bid_tables(rules), [table, table], gap=_GAP)
    middles = tuple((seat.lower + seat.upper) / 2.0 for seat in last.seats)
    return SeatValues(middles, max(seat.gap for seat in last.seats) / 2.0)


def sampled_seat_values(policy: TablePolicy, rounds: int) -> SeatValues:
    """Return the value of each seat, estimated from `rounds` rounds."""
    rules = policy.rules
    player = PolicyPlayer(as_played(policy))
    earned = utilities_of(play_rounds([player] * rules.players, rules, rounds, _SEED))
    error = DEVIATIONS * float(earned.std(axis=0, ddof=1).max()) / rounds**0.5
    return SeatValues(tuple(earned.mean(axis=0).tolist()), error)


# Rounds


class Known(Protocol):
    """A player whose strategy is known, or the policy itself."""

    def at(self, position: Position) -> Policy:
        """Return the policy that is played in rounds at `position`."""


def round_luck(
    policy: TablePolicy,
    worth: SeatValues,
    played: PlayedRound,
    seat: int,
    known: Mapping[int, Known],
    share: float = 1.0,
) -> RoundLuck:
    """Return the luck of `seat` in a round that has ended.

    `worth` has the value of each seat under the policy. `known` has the players whose draws are
    corrected, by seat. `share` is the share of dice and draws that counts as luck.
    """
    assert played.losses is not None, "the round has ended"
    rules = policy.rules
    own = (seat - played.starter) % rules.players
    earned = float(utilities_of(np.array(played.losses))[seat])
    value = worth.values[own]
    dealt = [
        played.hands[(played.starter + place) % rules.players] for place in range(rules.players)
    ]
    whole = [hand for hand in dealt if hand is not None]
    if len(whole) < len(dealt):
        return RoundLuck(value, 0.0, 0.0, share, earned)
    values, position = deal_values(policy, whole), rules.dice_by_player
    dice = float(values.start()[own]) - value
    draws = sum(
        _drawn(values, whole, known[mover].at(position), played.actions[:place], action, own)
        for place, action in enumerate(played.actions)
        if (mover := _seat_of(played, rules, place)) in known
    )
    return RoundLuck(value, dice, draws, share, earned)


def _seat_of(played: PlayedRound, rules: Rules, place: int) -> int:
    """Return the seat that took the action at this place of a round."""
    return (played.starter + mover_of(rules, played.actions[:place])) % rules.players


def _drawn(
    values: DealValues,
    dealt: Sequence[Hand],
    player: Policy,
    history: History,
    action: int,
    own: int,
) -> float:
    """Return the change of value by the draw of a known `player` in `history`, for the player who
    sits `own` places after the opener."""
    rules = player.rules
    if not _draws_from_its_table(player, history):
        return 0.0
    bids = [domain(rules)[bid] for bid in history]
    hand = hand_index(rules, dealt[mover_of(rules, history)])
    row = player.strategy(bids)[hand]
    if row[action] in (0.0, 1.0):  # nothing was drawn, or another player played
        return 0.0
    expected = sum(
        float(row[one] * values.after(history, one)[own]) for one in np.flatnonzero(row).tolist()
    )
    return float(values.after(history, action)[own]) - expected


def _draws_from_its_table(player: Policy, history: History) -> bool:
    """Return whether the probabilities of the draws of this policy's player are known. Tables of
    two players are re-solved after odd bids at some tables and not at others."""
    rules = player.rules
    if rules.players > 2 or not isinstance(player, TablePolicy) or not player.remembers_all:
        return True
    other = (len(history) + 1) % 2
    chance = np.array(probabilities(rules, other))
    bids = [domain(rules)[bid] for bid in history]
    for place in range(other, len(history), 2):
        chance *= player.strategy(bids[:place])[:, history[place]]
    return float(chance.sum()) >= ODD
