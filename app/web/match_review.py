"""Review a whole match, decision by decision, without a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from zhaifei.app.web import thinking
from zhaifei.app.web.library import Kept
from zhaifei.app.web.reviewed import Decision, decisions_of, judged
from zhaifei.app.web.workers import Workers
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import RulesError
from zhaifei.policies.play.played import PlayedMatch, score_of
from zhaifei.policies.review.decisions import ReviewedDecision
from zhaifei.policies.review.luck import RoundLuck, Shares
from zhaifei.policies.review.reviewing import (
    ReviewedMatch,
    Summary,
    reviewed_round,
    reviewed_seat,
    summarise,
)

MOST_ROUNDS = 200
"""Most rounds of a match that a page reviews: each takes a second or more, and room on the page."""


@dataclass
class MatchReview:
    """A review in progress."""

    kept: Kept
    policy: Path | None
    """The policy that was named for these rules."""
    workers: Workers
    match: PlayedMatch = field(init=False)
    """The match, up to MOST_ROUNDS rounds."""
    seat: int = field(init=False)
    rounds: list[list[Decision]] = field(init=False)
    """[round] the decisions of the seat."""
    luck: list[RoundLuck | None] = field(init=False)
    """[round] the luck; None until it is known."""
    done: bool = field(init=False, default=False)
    trouble: ZhaifeiError | None = field(init=False, default=None)
    """The error that keeps the review from being complete."""
    listeners: list[Callable[[], object]] = field(init=False, default_factory=list)
    """Called after each change."""
    _seat_error: float = field(init=False, default=0.0)
    _running: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        match = self.kept.match
        self.match = match = replace(match, rounds=match.rounds[:MOST_ROUNDS])
        self.seat = reviewed_seat(match, None)
        self.luck = [None] * len(match.rounds)
        try:
            self.rounds = [
                decisions_of(match.rules, played, self.seat, number)
                for number, played in enumerate(match.rounds, 1)
            ]
        except RulesError as error:  # no policy reviews such matches
            self.rounds, self.trouble = [[] for _ in match.rounds], error
            self._running = True

    @property
    def progress(self) -> tuple[int, int]:
        """The number of decisions reviewed, and the number of all decisions."""
        every = [one for round_ in self.rounds for one in round_]
        return sum(one.found is not None for one in every), len(every)

    async def judge(self, decision: Decision, action: int) -> ReviewedDecision:
        """Return the review of an action, with its cost."""
        return await judged(self.workers, self.policy, self.match.rules, decision, action)

    async def run(self) -> None:
        """Review the decisions that have not been reviewed, unless a review is running."""
        if self._running or self.done:
            return
        self._running, self.trouble = True, None
        try:
            for round_ in self.rounds:
                for one in round_:
                    if one.found is None:
                        await one.review(self.judge)
                        self.changed()
            await self._tell_luck()
            self.done = True
        except ZhaifeiError as error:
            self.trouble = error
        finally:
            self._running = False
        self.changed()

    def changed(self) -> None:
        """Notify all pages."""
        for listen in [*self.listeners]:
            listen()

    @property
    def reviewed(self) -> ReviewedMatch:
        """The review so far."""
        match = self.match
        rounds = tuple(
            reviewed_round(
                match.rules,
                played,
                self.seat,
                [one.found for one in decisions if one.found is not None],
                number=number,
                luck=luck,
            )
            for number, (played, decisions, luck) in enumerate(
                zip(match.rounds, self.rounds, self.luck, strict=True), 1
            )
        )
        return ReviewedMatch(
            self.kept.name, match.rules, self.seat, match.seats, rounds, self._seat_error
        )

    @property
    def summary(self) -> Summary:
        """The summary of the review so far."""
        return summarise([self.reviewed])

    @property
    def curve(self) -> list[list[int]]:
        """[seat][round] the score before the first round and after each."""
        rules, rounds = self.match.rules, self.match.rounds
        scores = [score_of(rules, rounds[:place]) for place in range(len(rounds) + 1)]
        return [[*of_seat] for of_seat in zip(*scores, strict=True)]

    async def _tell_luck(self) -> None:
        header, shares = replace(self.match, rounds=()), Shares()
        for place, played in enumerate(self.match.rounds):
            if played.losses is None:
                continue
            told = await self.workers.run_behind(
                thinking.tell_luck, self.policy, header, played, self.seat, shares.next
            )
            self.luck[place], self._seat_error = told.luck, told.seat_error
            shares.learn(told.luck)
            self.changed()
