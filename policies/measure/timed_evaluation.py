"""Evaluation under a time limit, in stages that report progress and accept Ctrl-C: the work of the
command `zhaifei evaluate`.

Each stage runs an engine of this package until it is exact, close enough, out of time or stopped:
`evaluation` (best responses, duels), `known_gain` and `penalty_shares`. From Python, use these
modules directly for results that refine without a limit.

A policy is measured at each position that it plays: a round for penalty points has one, a match of
two players has one for each numbers of dice. `solver.value.matches` derives and proves the bound
for the match.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from zhaifei.game.messages import Message
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.evaluation import Evaluation, refine_duel
from zhaifei.policies.measure.known_gain import KnownGain, known_gains, known_gains_on_reading
from zhaifei.policies.measure.penalty_shares import Shares, penalty_shares
from zhaifei.policies.players.match_policy import MatchPolicy
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.plug_in.policy import PlugInPolicy
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import BestResponse, Bounds
from zhaifei.solver.response.gaining_decisions import Decision
from zhaifei.solver.value.expected_value import rounds_needed
from zhaifei.solver.value.matches import Position, Seats, gain_of, match_response

_SEARCHED, _VALUED = 0.3, 0.15
"""With three players or more, the shares of the time limit for certified bounds: of the value of a
best response, and of the value of the policy itself. The rest is for learning responses. A policy
that `Evaluation.walks` through needs only the first share."""
_PLAYED = 0.1
"""With two players, the share of the time limit that is reserved for penalty shares, even if
earlier stages took longer."""
_LEAST = 1.0
"""The least number of seconds for the search, however long loading the policy took."""
_SHARE_ROUNDS = 100_000
"""Rounds against each rule-based player: they give penalty shares to a third of a percent, in
seconds."""
_READING_ROUNDS = 20_000
"""Rounds for policies that read the others' hands, at a thousand rounds a second: they give penalty
shares to two thirds of a percent, in minutes."""
_FILE_ROUNDS = 4_000
"""Rounds for strategy files, which are asked one decision at a time: they give penalty shares to a
percent and a half, in seconds."""

Result = TypeVar("Result")
OnProgress = Callable[[Message], None]
"""Called with a message about the progress of the current stage."""


def interval(bounds: Bounds) -> str:
    """Format an interval of penalty points with four decimals, for a progress line."""
    return f"[{bounds.lower:.4f}, {bounds.upper:.4f}]"


@dataclass(frozen=True)
class BestResponses:
    """The value and the gain of best responses to a policy, in penalty points per round; at each
    position of a match the loser of a round takes one."""

    policy: Policy | MatchPolicy
    positions: Mapping[tuple[int, ...], BestResponse]
    """{dice of each player, from the opener on: certified bounds of the value of a best response}.
    A round for penalty points has one position."""
    gains: tuple[Bounds, ...]
    """[seat] certified bounds of the gain of a best response over the policy itself; empty for two
    players, where the gains add up to `earned.nash_conv`."""
    known: tuple[KnownGain, ...]
    """[seat] sampled lower bounds of the same gains. Empty for two players, if `earned` is exact or
    only a matter of time, and if the policy is not a table."""
    seconds: float
    """Wall-clock time of the search."""

    @property
    def earned(self) -> BestResponse:
        """Certified bounds at the position with the most dice: the start, and of a round all."""
        return [*self.positions.values()][-1]

    @property
    def exact(self) -> bool:
        """Whether all bounds are exact."""
        return all(one.exact for one in self.positions.values())

    @cached_property
    def wins(self) -> dict[Position, Seats]:
        """{position of a match: the probability that a best response wins the match from there on,
        as opener and as responder}."""
        seats = {(own, other): one.seats for (own, other), one in self.positions.items()}
        return match_response(self.policy.rules, seats)

    @property
    def match_gain(self) -> Bounds:
        """A best response's share of matches won from the start, minus one half."""
        return gain_of(self.policy.rules, self.wins)


class TimedEvaluation:
    """Evaluates one policy in stages. Ctrl-C ends the current stage as if its time were up."""

    def __init__(
        self,
        policy: Policy | MatchPolicy,
        *,
        threads: int | None = None,
        gap: float = 0.0,
        seconds: float = 60.0,
        began: float | None = None,
        on_progress: OnProgress = lambda message: None,
    ) -> None:
        """Prepare the evaluation of `policy`.

        The search for best responses uses `threads` (default: all cores) and stops when the bounds
        of exploitability, at each position, are at most `gap` penalty points apart. All stages
        together take about `seconds` from `began` on (by the monotonic clock; default: now), but
        the search gets at least one second. With three players or more, sampling takes additional
        time. Raise BestResponseError if the policy breaks its rules.
        """
        self.policy = policy
        self._deadline = (time.monotonic() if began is None else began) + seconds
        self._threads = threads or os.cpu_count() or 1
        self._positions: Mapping[tuple[int, ...], Policy] = (
            dict(policy.rounds.items())
            if isinstance(policy, MatchPolicy)
            else {policy.rules.dice_by_player: policy}
        )
        self._evaluation = Evaluation(next(iter(self._positions.values())), self._threads)
        self._gap, self._seconds, self._on_progress = gap, seconds, on_progress

    @cached_property
    def _played(self) -> Policy | MatchPolicy:
        policy = self.policy
        return as_played(policy) if isinstance(policy, TablePolicy) else policy

    @property
    def _left(self) -> float:
        """The seconds that are left for the search."""
        of_match = isinstance(self.policy, MatchPolicy)
        played = 0.0 if of_match or self.policy.rules.players > 2 else _PLAYED
        left = self._deadline - played * self._seconds - time.monotonic()
        return max(left, min(_LEAST, self._seconds))

    def verify_shows_decisions(self) -> None:
        """Raise ZhaifeiError if `decisions` does not support this kind of policy, or it is one of
        whole matches."""
        self.policy.rules.verify_costs_points()
        self._evaluation.verify_shows_decisions()

    def best_responses(self) -> BestResponses:
        """Search for best responses and return their values and gains. Each position gets an equal
        share of the time that is left; Ctrl-C ends the search at the current one.

        Raise KeyboardInterrupt on Ctrl-C before the first interval, and BestResponseError or
        IllegalStrategy if the policy breaks its rules.
        """
        began = time.monotonic()
        found = {
            position: self._best_response(place) for place, position in enumerate(self._positions)
        }
        gains, known = self._gains([*found.values()][-1])
        return BestResponses(self.policy, found, gains, known, time.monotonic() - began)

    def _best_response(self, place: int) -> BestResponse:
        """Return what a best response earns at the position with this index."""
        tell, position = self._on_progress, [*self._positions][place]
        left, evaluation = self._left / (len(self._positions) - place), self._evaluation
        if len(self._positions) > 1:
            tell(
                Message(
                    "round {number} of {rounds}: {own} against {other} dice",
                    number=place + 1,
                    rounds=len(self._positions),
                    own=position[0],
                    other=position[1],
                )
            )
            evaluation = Evaluation(self._positions[position], self._threads)
        elif len(position) > 2 and not evaluation.walks:
            left = min(_SEARCHED * self._seconds, left)
        return last_of(
            evaluation.refine(gap=self._gap, seconds=left),
            lambda so_far: tell(
                Message("exploitability in {interval}", interval=interval(so_far.exploitability))
            ),
        )

    def _gains(self, earned: BestResponse) -> tuple[tuple[Bounds, ...], tuple[KnownGain, ...]]:
        """Return `gains` and `known` of BestResponses."""
        policy, tell, walks = self.policy, self._on_progress, self._evaluation.walks
        if policy.rules.players == 2:
            return (), ()
        tell(Message("computing what the policy itself earns in each seat"))
        gains = self._evaluation.gains(earned, _VALUED * self._seconds)
        if earned.exact or walks or not isinstance(policy, TablePolicy):
            return gains, ()
        known = last_of(
            known_gains(policy, seconds=(1.0 - _SEARCHED - _VALUED) * self._seconds),
            lambda so_far: tell(
                Message(
                    "learning best responses: {seats} of {players} seats done",
                    seats=len(so_far),
                    players=policy.rules.players,
                )
            ),
        )
        return gains, known

    def decisions(self, count: int) -> list[Decision]:
        """Return the `count` decisions by which the best response found so far gains most, largest
        gain first. Raise ZhaifeiError as `verify_shows_decisions` does."""
        self._on_progress(Message("extracting the decisions of the best response"))
        return self._evaluation.decisions(count, self._left)

    def reading_gains(self) -> tuple[KnownGain, ...]:
        """Return [seat] the gains of known players over the policy as it plays at a table, if it
        then reads the others' hands; otherwise an empty tuple. After Ctrl-C, return the finished
        seats."""
        played = self._played
        if not isinstance(played, ReadingPolicy):
            return ()
        return last_of(
            known_gains_on_reading(played),
            lambda so_far: self._on_progress(
                Message(
                    "sampling what known players gain: {seats} of {players} seats done",
                    seats=len(so_far),
                    players=played.rules.players,
                )
            ),
        )

    def shares(self) -> Mapping[str, Shares]:
        """Return {name: penalty shares} with each rule-based player, of the policy as it plays at a
        table; none of them for whole matches. After Ctrl-C, and with two players when time is up,
        return the finished ones."""
        played = self._played
        if isinstance(played, MatchPolicy):
            return {}
        in_time = max(self._deadline, time.monotonic() + _PLAYED * self._seconds)
        if played.rules.players > 2:
            in_time = math.inf
        player: BatchPlayer = PolicyPlayer(played)
        rounds = _READING_ROUNDS if isinstance(played, ReadingPolicy) else _SHARE_ROUNDS
        if isinstance(played, PlugInPolicy):
            player, rounds = played.player, _FILE_ROUNDS
        return last_of(
            _until(in_time, penalty_shares(player, rounds=rounds, seed=0)),
            lambda so_far: self._on_progress(
                Message("playing against rule-based players: {count} done", count=len(so_far))
            ),
        )


def _until(deadline: float, results: Iterator[Result]) -> Iterator[Result]:
    """Yield `results` until the monotonic clock reaches `deadline`, but at least one."""
    for result in results:
        yield result
        if time.monotonic() >= deadline:
            return


@dataclass(frozen=True)
class Duel:
    """Certified bounds of the value of one two-player policy against another, in penalty points per
    round."""

    as_opener: Bounds
    """The value if the policy opens every round."""
    as_responder: Bounds
    """The value if the other policy opens every round."""
    seconds: float
    """Wall-clock time of the computation."""

    @property
    def mean(self) -> Bounds:
        """The mean over both seats."""
        return _mean((self.as_opener, self.as_responder))

    @property
    def sampled_rounds(self) -> int:
        """The number of sampled rounds, half of them in each seat, that would give a 95% confidence
        interval as narrow as the interval of the mean."""
        return 2 * max(rounds_needed(self.as_opener), rounds_needed(self.as_responder))


def duel(
    policy: Policy | MatchPolicy,
    other: Policy | MatchPolicy,
    *,
    gap: float = 0.0,
    seconds: float = 60.0,
    on_progress: OnProgress = lambda message: None,
) -> Duel:
    """Return the value of `policy` against `other`.

    Stop when both intervals are at most `gap` penalty points wide, after about `seconds`, or on
    Ctrl-C. Raise ZhaifeiError if the policies have different rules, or the rules are not for two
    players and penalty points. Raise IllegalStrategy if a policy breaks its rules.
    """
    for one in (policy, other):
        one.rules.verify_costs_points()
    assert not isinstance(policy, MatchPolicy)
    assert not isinstance(other, MatchPolicy)
    began = time.monotonic()
    seats = last_of(
        refine_duel(policy, other, gap=gap, seconds=seconds),
        lambda found: on_progress(Message("value in {interval}", interval=interval(_mean(found)))),
    )
    return Duel(*seats, time.monotonic() - began)


def _mean(seats: tuple[Bounds, Bounds]) -> Bounds:
    """Return the mean over both seats."""
    return sum(seats, start=Bounds(0.0, 0.0)) / 2.0
