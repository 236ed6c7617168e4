"""Model a person's decisions, reviewed one by one, without a page.

The answer is shown only after the person has tried again, or asked for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from zhaifei.app.web import thinking
from zhaifei.app.web.workers import Workers
from zhaifei.game.bids import Bid, mover_after
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.rules import Rules
from zhaifei.game.views import verify_action, view_of
from zhaifei.policies.play.played import PlayedRound, for_points
from zhaifei.policies.review.decisions import ReviewedDecision

MOST_TRIES = 20


@dataclass
class Decision:
    """A decision, which may have been reviewed."""

    rules: Rules
    """The rules of its round, as `policies.play.played.for_points` returns them."""
    number: int
    """The number of the round, from 1."""
    seat: int
    hand: Hand
    history: tuple[Bid, ...]
    action: int
    found: ReviewedDecision | None = None
    """The review, once it is known."""
    tried: list[ReviewedDecision] = field(default_factory=list)
    """Reviews of the actions that the person tried instead, in order."""
    shown: bool = False
    """Whether the person has asked for the answer."""

    @property
    def is_open(self) -> bool:
        """Whether the answer may be shown: at once if there was no error, else after one good try
        or if the person asked for it."""
        if self.found is None:
            return False
        if self.shown or not self.found.grade.is_error:
            return True
        return any(not one.grade.is_error for one in self.tried)

    @property
    def is_puzzle(self) -> bool:
        """Whether the person should first look for a better action."""
        return self.found is not None and not self.is_open

    async def review(self, judge: Judge) -> None:
        """Review the decision."""
        if self.found is None:
            self.found = await judge(self, self.action)

    async def retry(self, action: int, judge: Judge) -> ReviewedDecision:
        """Return the review of another action. Raise ZhaifeiError if it is illegal, if there is
        nothing better to find, or after MOST_TRIES tries."""
        if not self.is_puzzle or len(self.tried) >= MOST_TRIES:
            raise ZhaifeiError("there is nothing to try here")
        verify_action(
            view_of(self.rules, self.seat, self.hand, self._starter, self.history), action
        )
        found = await judge(self, action)
        self.tried.append(found)
        return found

    def give_up(self) -> None:
        """Show the answer."""
        self.shown = True

    @property
    def _starter(self) -> int:
        return (self.seat - mover_after(self.rules, self.history)) % self.rules.players


Judge = Callable[[Decision, int], Awaitable[ReviewedDecision]]
"""Review an action in the place of a decision."""


async def judged(
    workers: Workers, policy: Path | None, rules: Rules, decision: Decision, action: int
) -> ReviewedDecision:
    """Return the review of an action in the place of a decision, in a match by `rules`."""
    return await workers.run_behind(
        thinking.review,
        policy,
        rules,
        decision.rules,
        decision.seat,
        decision.hand,
        decision.history,
        action,
    )


def decisions_of(rules: Rules, played: PlayedRound, seat: int, number: int) -> list[Decision]:
    """Return the decisions of a seat in a round; an empty list if its dice are unknown. Raise
    RulesError as `for_points` does."""
    rules, played = for_points(rules, played)
    hand = played.hands[seat]
    if hand is None:
        return []
    return [
        Decision(rules, number, seat, hand, history, action)
        for history, action in played.decisions(rules, seat)
    ]
