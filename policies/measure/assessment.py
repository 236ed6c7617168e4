"""All that `zhaifei evaluate` finds out about a policy, one stage after the other."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from game.messages import Message
from policies.measure.anytime import last_of
from policies.measure.evaluation import Evaluation, refine_duel
from policies.measure.known_gain import KnownGain, known_gains
from policies.measure.penalty_shares import Shares, penalty_shares
from policies.players.player import PolicyPlayer
from policies.players.policy import Policy
from policies.players.table_policy import TablePolicy
from solver.bounds import BestResponse, Bounds
from solver.response.gains import Decision
from solver.value.expected_value import rounds_needed

_SEARCHED, _VALUED = 0.3, 0.15
"""Parts of the time limit, with three players and more, for certified bounds of what a best
response earns and of what the policy does; the rest goes into responses that are learnt."""
_SHARE_ROUNDS = 100_000
"""Played against each rule-based player to tell penalty shares to a third of a percent: seconds."""

OnProgress = Callable[[Message], None]
"""Is told how far a stage has come."""


def interval(bounds: Bounds) -> str:
    """Return the ends of an interval, short enough for a line that changes."""
    return f"[{bounds.lower:.4f}, {bounds.upper:.4f}]"


@dataclass(frozen=True)
class BestResponses:
    """What best responses earn against a policy, in penalty points per round."""

    earned: BestResponse
    """Certified."""
    gains: tuple[Bounds, ...]
    """[seat] by how much a best response earns more than the policy itself does there, certified;
    empty for two players, where both together earn 0."""
    known: tuple[KnownGain, ...]
    """[seat] lower bounds of the same, sampled; empty for two players and where `gains` are exact.
    """
    seconds: float
    """What it took."""


class Assessment:
    """Measures one policy in stages; each takes Ctrl-C as the end of its time."""

    def __init__(
        self,
        policy: Policy,
        *,
        threads: int | None = None,
        gap: float = 0.0,
        seconds: float = 60.0,
        on_progress: OnProgress = lambda message: None,
    ) -> None:
        """Best responses are searched with `threads` (default: all cores) until exploitability is
        known to `gap` points or for about `seconds`. Raises BestResponseError if the policy breaks
        its rules."""
        self.policy = policy
        self._evaluation = Evaluation(policy, threads or os.cpu_count() or 1)
        self._gap, self._seconds, self._on_progress = gap, seconds, on_progress

    def verify_shows_decisions(self) -> None:
        """Raises ZhaifeiError if `decisions` are not known of this kind of policy."""
        self._evaluation.verify_shows_decisions()

    def best_responses(self) -> BestResponses:
        """Return what best responses earn and gain. Raises KeyboardInterrupt if Ctrl-C comes before
        the first interval."""
        began = time.monotonic()
        earned, gains, known = self._best_responses()
        return BestResponses(earned, gains, known, time.monotonic() - began)

    def _best_responses(self) -> tuple[BestResponse, tuple[Bounds, ...], tuple[KnownGain, ...]]:
        policy, tell, several = self.policy, self._on_progress, self.policy.rules.players > 2
        seconds = self._seconds * (_SEARCHED if several else 1.0)
        earned = last_of(
            self._evaluation.refine(gap=self._gap, seconds=seconds),
            lambda so_far: tell(
                Message("exploitability in {interval}", interval=interval(so_far.exploitability))
            ),
        )
        if not several:
            return earned, (), ()
        tell(Message("what the policy itself earns in each seat"))
        gains = self._evaluation.gains(earned, _VALUED * self._seconds)
        if earned.exact or not isinstance(policy, TablePolicy):
            return earned, gains, ()
        known = last_of(
            known_gains(policy, seconds=(1.0 - _SEARCHED - _VALUED) * self._seconds),
            lambda so_far: tell(Message("responses learnt in {seats} seats", seats=len(so_far))),
        )
        return earned, gains, known

    def decisions(self, count: int) -> list[Decision]:
        """Return the `count` decisions by which the best response found so far gains most, best
        first. Raises ZhaifeiError as `verify_shows_decisions` does."""
        self._on_progress(Message("what the best response does"))
        return self._evaluation.decisions(count)

    def shares(self) -> Mapping[str, Shares]:
        """Return penalty shares with each rule-based player, by its name; of those that were met
        before Ctrl-C."""
        return last_of(
            penalty_shares(PolicyPlayer(self.policy), rounds=_SHARE_ROUNDS, seed=0),
            lambda so_far: self._on_progress(
                Message("playing against rule-based players, {count} done", count=len(so_far))
            ),
        )


@dataclass(frozen=True)
class Duel:
    """What one two-player policy earns against another, in penalty points per round, certified."""

    as_opener: Bounds
    as_responder: Bounds
    seconds: float
    """What it took."""

    @property
    def mean(self) -> Bounds:
        """Over both seats."""
        return _mean((self.as_opener, self.as_responder))

    @property
    def sampled_rounds(self) -> int:
        """How many sampled rounds, half of them in each seat, would tell the mean as closely with
        95 % confidence."""
        return 2 * max(rounds_needed(self.as_opener), rounds_needed(self.as_responder))


def duel(
    policy: Policy,
    other: Policy,
    *,
    gap: float = 0.0,
    seconds: float = 60.0,
    on_progress: OnProgress = lambda message: None,
) -> Duel:
    """Return what `policy` earns against `other`, to `gap` points or as close as `seconds` or
    Ctrl-C allow. Raises ZhaifeiError if they do not play the same rules of two players."""
    began = time.monotonic()
    seats = last_of(
        refine_duel(policy, other, gap=gap, seconds=seconds),
        lambda found: on_progress(Message("value in {interval}", interval=interval(_mean(found)))),
    )
    return Duel(*seats, time.monotonic() - began)


def _mean(seats: tuple[Bounds, Bounds]) -> Bounds:
    return sum(seats, start=Bounds(0.0, 0.0)) / 2.0
