"""Evaluation under a time limit, in stages that report progress and accept Ctrl-C: what the command
`zhaifei evaluate` runs.

Each stage runs an engine of this package until it is exact, close enough, out of time or stopped:
`evaluation` (best responses, duels), `known_gain` and `penalty_shares`. From Python, use those
directly for results that refine without a limit.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from game.messages import Message
from policies.measure.anytime import last_of
from policies.measure.evaluation import Evaluation, refine_duel
from policies.measure.known_gain import KnownGain, known_gains, known_gains_on_reading
from policies.measure.penalty_shares import Shares, penalty_shares
from policies.players.player import PolicyPlayer
from policies.players.policy import Policy
from policies.players.reading_policy import ReadingPolicy, as_played
from policies.players.table_policy import TablePolicy
from solver.bounds import BestResponse, Bounds
from solver.response.gains import Decision
from solver.value.expected_value import rounds_needed

_SEARCHED, _VALUED = 0.3, 0.15
"""With three players or more, the shares of the time limit for certified bounds of what a best
response earns and of what the policy itself earns; the rest is for learning responses. A policy
that `Evaluation.walks` through needs nothing but the first."""
_PLAYED = 0.1
"""With two players, the share of the time limit that is kept for penalty shares. They get it also
if the stages before took longer."""
_LEAST = 1.0
"""Seconds that the search gets, however long loading the policy took."""
_SHARE_ROUNDS = 100_000
"""Rounds against each rule-based player: penalty shares to a third of a percent, in seconds."""
_READING_ROUNDS = 20_000
"""The same for policies that read the others' hands, a thousand rounds a second: to two thirds of a
percent, in minutes."""

Result = TypeVar("Result")
OnProgress = Callable[[Message], None]
"""Called with a message that says how far the current stage is."""


def interval(bounds: Bounds) -> str:
    """Format an interval of penalty points with four decimals, for a progress line."""
    return f"[{bounds.lower:.4f}, {bounds.upper:.4f}]"


@dataclass(frozen=True)
class BestResponses:
    """What best responses earn and gain against a policy, in penalty points per round."""

    earned: BestResponse
    """Certified bounds of what a best response earns in each seat."""
    gains: tuple[Bounds, ...]
    """[seat] certified bounds of what a best response earns more than the policy itself; empty for
    two players, where the gains add up to `earned.nash_conv`."""
    known: tuple[KnownGain, ...]
    """[seat] sampled lower bounds of the same gains; empty for two players, and where `earned` is
    exact or only a matter of time, or the policy is not a table."""
    seconds: float
    """Wall-clock time of the search."""


class TimedEvaluation:
    """Evaluates one policy in stages. Ctrl-C ends the current stage as if its time were up."""

    def __init__(
        self,
        policy: Policy,
        *,
        threads: int | None = None,
        gap: float = 0.0,
        seconds: float = 60.0,
        began: float | None = None,
        on_progress: OnProgress = lambda message: None,
    ) -> None:
        """Prepare the evaluation of `policy`.

        The search for best responses uses `threads` (default: all cores) and stops when the bounds
        of exploitability are at most `gap` penalty points apart. All stages together take about
        `seconds` from `began` on (by the monotonic clock; default: now), however busy the machine
        is, but the search gets a second. With three players or more, sampling comes on top of that.
        Raises BestResponseError if the policy breaks its rules.
        """
        self.policy = policy
        self._deadline = (time.monotonic() if began is None else began) + seconds
        self._evaluation = Evaluation(policy, threads or os.cpu_count() or 1)
        self._gap, self._seconds, self._on_progress = gap, seconds, on_progress

    @cached_property
    def _played(self) -> Policy:
        policy = self.policy
        return as_played(policy) if isinstance(policy, TablePolicy) else policy

    @property
    def _left(self) -> float:
        """Seconds for searching that are left."""
        played = 0.0 if self.policy.rules.players > 2 else _PLAYED
        left = self._deadline - played * self._seconds - time.monotonic()
        return max(left, min(_LEAST, self._seconds))

    def verify_shows_decisions(self) -> None:
        """Raise ZhaifeiError if `decisions` does not work for this kind of policy."""
        self._evaluation.verify_shows_decisions()

    def best_responses(self) -> BestResponses:
        """Search for best responses and return what they earn and gain.

        Raises KeyboardInterrupt on Ctrl-C before the first interval, and BestResponseError or
        IllegalStrategy if the policy breaks its rules.
        """
        began = time.monotonic()
        earned, gains, known = self._best_responses()
        return BestResponses(earned, gains, known, time.monotonic() - began)

    def _best_responses(self) -> tuple[BestResponse, tuple[Bounds, ...], tuple[KnownGain, ...]]:
        policy, tell, several = self.policy, self._on_progress, self.policy.rules.players > 2
        walks = self._evaluation.walks
        seconds = _SEARCHED * self._seconds if several and not walks else math.inf
        earned = last_of(
            self._evaluation.refine(gap=self._gap, seconds=min(seconds, self._left)),
            lambda so_far: tell(
                Message("exploitability in {interval}", interval=interval(so_far.exploitability))
            ),
        )
        if not several:
            return earned, (), ()
        tell(Message("computing what the policy itself earns in each seat"))
        gains = self._evaluation.gains(earned, _VALUED * self._seconds)
        if earned.exact or walks or not isinstance(policy, TablePolicy):
            return earned, gains, ()
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
        return earned, gains, known

    def decisions(self, count: int) -> list[Decision]:
        """Return the `count` decisions by which the best response found so far gains most, largest
        gain first. Raises ZhaifeiError as `verify_shows_decisions` does."""
        self._on_progress(Message("extracting the decisions of the best response"))
        return self._evaluation.decisions(count, self._left)

    def reading_gains(self) -> tuple[KnownGain, ...]:
        """Return [seat] what known players gain on the policy as it plays at a table, if it then
        reads the others' hands, and is no table; none otherwise. After Ctrl-C, the seats that are
        done."""
        played = self._played
        if not isinstance(played, ReadingPolicy):
            return ()
        return last_of(
            known_gains_on_reading(played),
            lambda so_far: self._on_progress(
                Message(
                    "sampling what known players gain: {seats} of {players} seats done",
                    seats=len(so_far), players=played.rules.players,
                )
            ),
        )  # fmt: skip

    def shares(self) -> Mapping[str, Shares]:
        """Return {name: penalty shares} with each rule-based player, of the policy as it plays at a
        table; after Ctrl-C, and with two players when time is up, with those that are done."""
        played = self._played
        in_time = max(self._deadline, time.monotonic() + _PLAYED * self._seconds)
        if played.rules.players > 2:
            in_time = math.inf
        rounds = _READING_ROUNDS if isinstance(played, ReadingPolicy) else _SHARE_ROUNDS
        return last_of(
            _until(in_time, penalty_shares(PolicyPlayer(played), rounds=rounds, seed=0)),
            lambda so_far: self._on_progress(
                Message("playing against rule-based players: {count} done", count=len(so_far))
            ),
        )


def _until(deadline: float, results: Iterator[Result]) -> Iterator[Result]:
    """Yield `results`, at least one, until it is `deadline` by the monotonic clock."""
    for result in results:
        yield result
        if time.monotonic() >= deadline:
            return


@dataclass(frozen=True)
class Duel:
    """Certified bounds of what one two-player policy earns against another, in penalty points per
    round."""

    as_opener: Bounds
    """Where the policy opens every round."""
    as_responder: Bounds
    """Where the other policy opens every round."""
    seconds: float
    """Wall-clock time of the computation."""

    @property
    def mean(self) -> Bounds:
        """The mean over both seats."""
        return _mean((self.as_opener, self.as_responder))

    @property
    def sampled_rounds(self) -> int:
        """How many sampled rounds, half of them in each seat, would give a 95% confidence interval
        as narrow as that of the mean."""
        return 2 * max(rounds_needed(self.as_opener), rounds_needed(self.as_responder))


def duel(
    policy: Policy,
    other: Policy,
    *,
    gap: float = 0.0,
    seconds: float = 60.0,
    on_progress: OnProgress = lambda message: None,
) -> Duel:
    """Return what `policy` earns against `other`.

    Stops when both intervals are at most `gap` penalty points wide, after about `seconds`, or on
    Ctrl-C. Raises ZhaifeiError if the policies have different rules or the rules are not for two
    players, and IllegalStrategy if a policy breaks its rules.
    """
    began = time.monotonic()
    seats = last_of(
        refine_duel(policy, other, gap=gap, seconds=seconds),
        lambda found: on_progress(Message("value in {interval}", interval=interval(_mean(found)))),
    )
    return Duel(*seats, time.monotonic() - began)


def _mean(seats: tuple[Bounds, Bounds]) -> Bounds:
    """Return the mean over both seats."""
    return sum(seats, start=Bounds(0.0, 0.0)) / 2.0
