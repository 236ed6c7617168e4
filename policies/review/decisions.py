"""The cost of one decision, by the advice of a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from zhaifei.game.bids import Bid, challenge_action, domain, gives_up
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import format_action, parse_action
from zhaifei.game.parts import Mode
from zhaifei.game.positions import Position
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import ActionAdvice, Advice, PlayedOut
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.hints import Advisers
from zhaifei.policies.catalogue.shipped import plays
from zhaifei.policies.play.played import PlayedMatch
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.players.match_policy import SolvedPolicy, Stakes
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.resolving import MEMORY, PLAYING
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.grades import Grade, grade_of
from zhaifei.policies.review.luck import seat_values
from zhaifei.policies.review.seat_values import SeatValues

SECONDS = 2.0
"""The default time for solving a position again, in seconds."""
WORK_A_SECOND = 200_000
"""The work (`solver.resolving.subgame.Effort`) that counts as a second, so that a record gets the
same review on every machine."""


class Kind(StrEnum):
    """The kind of a decision."""

    OPENING = "opening"
    RAISE = "raise"
    CHALLENGE = "challenge"
    """A challenge of the last bid."""
    MISSED_CHALLENGE = "missed challenge"
    """A raise where a challenge was better by more than the error of the values."""
    JUMP = "jump"
    """A challenge of an earlier bid (跳开)."""
    DOUBLE = "double"
    """A double of the stakes (劈, 反劈)."""
    SHOW = "show"
    """A challenge after a double, which shows the dice at the doubled stakes."""
    GIVING_UP = "give up"
    """Giving up after a double (认输)."""


@dataclass(frozen=True)
class ReviewedDecision:
    """A decision and what it cost, in penalty points."""

    seat: int
    """The seat of the player, from 0."""
    hand: Hand
    history: tuple[Bid, ...]
    """The bids before the decision."""
    done: str
    """The action that the player took, in the notation of `game.notation`."""
    played: float
    """The probability with which the policy takes `done` with this hand."""
    value: float
    """The penalty points that `done` earns if all then follow the policy."""
    best: str
    """The action that earns most."""
    best_played: float
    best_value: float
    cost: float
    """The value of `best` minus the value of `done`; 0 or more."""
    margin: float
    """A bound of the error of `cost`. Where both actions were played out, half the width of the 95%
    confidence interval of the difference, which the same hands and random numbers narrow."""
    grade: Grade
    kind: Kind
    mode: Mode
    """The mode of the bid that was made or challenged."""
    p_true: float | None
    """The probability for this player that the last bid was true; None if there was no bid."""
    advice: Advice
    """The advice of the policy."""
    stakes: Stakes | None = None
    """What the round decides for the player; None in rounds that decide only their points."""

    @property
    def charged(self) -> float:
        """The cost that counts in sums: 0 if the grade is unclear or `cost` is within `margin`."""
        known = self.grade is not Grade.UNCLEAR and self.cost > self.margin
        return self.cost if known else 0.0


@dataclass(frozen=True, eq=False)
class Reviewer:
    """Computes the costs of decisions by one policy in rounds at one position, and keeps solutions
    between decisions; `reviewer_of` makes it."""

    advisers: Advisers
    position: Position
    _at: dict[Position, Reviewer] = field(default_factory=dict)
    """The reviewers for other positions."""

    def at(self, position: Position) -> Reviewer:
        """Return the reviewer for rounds at `position`. It raises ZhaifeiError where the policy has
        no such rounds."""
        return self._at.setdefault(position, Reviewer(self.advisers, position, self._at))

    def verify(self, match: PlayedMatch) -> None:
        """Raise ZhaifeiError unless the policy plays by the rules of the match."""
        rules = self.advisers.policy.rules
        if not plays(rules, match.rules):
            raise ZhaifeiError(
                "the match was played by other rules: {its}; the policy is for {rules}",
                its=match.rules,
                rules=rules,
            )

    @cached_property
    def policy(self) -> TablePolicy:
        """The policy of the rounds."""
        return self.advisers.policy.at(self.position)

    @property
    def rules(self) -> Rules:
        """The rules of the rounds, which are for penalty points."""
        return self.policy.rules

    @property
    def adviser(self) -> Adviser:
        """The adviser for the rounds."""
        return self.advisers.at(self.position)

    @property
    def playing(self) -> TablePolicy | ReadingPolicy:
        """The policy as it plays where nothing is solved again."""
        return self.adviser.policy

    @cached_property
    def seat_values(self) -> SeatValues:
        """The value of each seat if all play the policy."""
        return seat_values(self.policy)

    def stakes(self, bids_made: int) -> Stakes | None:
        """Return what a round decides for the player who moves after `bids_made` bids; None in
        rounds that decide only their points."""
        return self.advisers.policy.stakes(self.position, bids_made)

    def decision(
        self, seat: int, hand: Hand, history: Sequence[Bid], action: int
    ) -> ReviewedDecision:
        """Return the decision of the player in `seat` for `action`, with its cost, given `hand` and
        the bids in `history`. Raise IllegalBid, IllegalHand or IllegalChallenge."""
        return self.judged(seat, self.adviser.advise(hand, history), action)

    def judged(self, seat: int, advice: Advice, action: int) -> ReviewedDecision:
        """Return the decision of the player in `seat` for `action`, given the advice."""
        name = format_action(self.rules, action)
        # The policy does not consider every bid (`solver.abstraction`): it may be worth anything.
        unknown = ActionAdvice(name, 0.0, 0.0, 1.0)
        done = next((one for one in advice.actions if one.action == name), unknown)
        rival, done, margin = self._compared(advice, done)
        lost = rival.value - done.value
        best, cost = (rival, lost) if lost > 0.0 else (done, 0.0)
        margin = max(margin + min(lost, 0.0), 0.0)  # what it may cost, if it seems to cost nothing
        grade = grade_of(cost, margin)
        return ReviewedDecision(
            seat=seat,
            hand=advice.hand,
            history=advice.history,
            done=done.action,
            played=done.probability,
            value=done.value,
            best=best.action,
            best_played=best.probability,
            best_value=best.value,
            cost=cost,
            margin=margin,
            grade=grade,
            kind=_kind(self.rules, advice, action, best.action, grade),
            mode=_mode(self.rules, advice.history, action),
            p_true=advice.p_true,
            advice=advice,
            stakes=self.stakes(len(advice.history)),
        )

    def _compared(
        self, advice: Advice, done: ActionAdvice
    ) -> tuple[ActionAdvice, ActionAdvice, float]:
        """Return the rival of `done` and `done`, with comparable values, and a bound of the error
        of their difference. The rival is the action with the highest certain value."""
        rival = max(advice.actions, key=_sure)
        if rival.action == done.action:
            return rival, rival, 0.0
        if isinstance(advice.ground, PlayedOut):
            return self._played_out(advice, rival, done)
        return rival, done, rival.value_error + done.value_error

    def _played_out(
        self, advice: Advice, rival: ActionAdvice, done: ActionAdvice
    ) -> tuple[ActionAdvice, ActionAdvice, float]:
        """Return `_compared` from the rounds that the advice was played out in, so that actions
        keep their values there."""
        earned = self.adviser.earned(advice, [rival.action, done.action])
        better, value = earned.mean(axis=1).tolist()
        return (
            replace(rival, value=better),
            replace(done, value=value),
            float(margin_of(earned[0] - earned[1])),
        )


def reviewer_of(policy: SolvedPolicy, seconds: float = SECONDS, memory: int = MEMORY) -> Reviewer:
    """Return the reviewer of rounds by the policy, at first of those that begin its matches.

    With two players, positions that the policy's own bids do not reach are solved again for about
    `seconds`, counted in work, and `memory` bytes of solutions are kept; with 0 seconds the table
    answers alone. With more players, actions are played out.
    """
    effort = PLAYING._replace(work=seconds * WORK_A_SECOND) if seconds > 0.0 else None
    return Reviewer(Advisers(policy, effort, memory), policy.rules.dice_by_player)


def _sure(one: ActionAdvice) -> tuple[float, float]:
    return one.value - one.value_error, one.probability


def _kind(rules: Rules, advice: Advice, action: int, best: str, grade: Grade) -> Kind:
    """Return the kind of a decision for `action` where `best` would have been best."""
    distance = action - challenge_action(rules) + 1
    if not advice.history:
        return Kind.OPENING
    last = advice.history[-1]
    if gives_up(rules, action):
        return Kind.GIVING_UP
    if distance >= 1 and last.doubled:
        return Kind.SHOW
    if distance >= 1:
        return Kind.CHALLENGE if distance == 1 else Kind.JUMP
    if domain(rules)[action].doubled:
        return Kind.DOUBLE
    challenged = parse_action(rules, best, last) >= challenge_action(rules)
    return Kind.MISSED_CHALLENGE if challenged and grade.is_error else Kind.RAISE


def _mode(rules: Rules, history: Sequence[Bid], action: int) -> Mode:
    """Return the mode of the bid that `action` makes or challenges."""
    if gives_up(rules, action):
        return history[-1].mode
    distance = action - challenge_action(rules) + 1
    return (history[-distance] if distance >= 1 else domain(rules)[action]).mode
