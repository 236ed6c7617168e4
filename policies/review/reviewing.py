"""Review rounds and matches: the costs of decisions, and luck."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from typing import NamedTuple

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import player_named, player_names
from zhaifei.policies.play.lineup import verify_seat
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, for_points
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.match_policy import MatchPlayer, Stakes
from zhaifei.policies.players.player import PLAIN, short_name
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import RandomPolicy
from zhaifei.policies.review.decisions import Kind, ReviewedDecision, Reviewer
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.luck import START, Known, RoundLuck, Shares, round_luck

COSTLIEST = 5


class Verdict(StrEnum):
    """Why a round was lost."""

    NOT_LOST = "not lost"
    DECISION = "lost by a decision"
    LUCK = "lost by luck"


@dataclass(frozen=True)
class ReviewedRound:
    """The decisions of one seat in a round."""

    number: int
    """The number of the round in its match, from 1."""
    seat: int
    """The reviewed seat, from 0."""
    starter: int
    decisions: tuple[ReviewedDecision, ...]
    """The decisions of the seat, in order; empty if its dice are unknown."""
    points: tuple[int, ...] | None
    """[seat] the penalty points of the round; None if it did not end or the loser is unknown."""
    luck: RoundLuck | None
    """The luck in the round; None if the round did not end or luck was not requested."""
    to_blame: float
    """The probability that better decisions would have averted the loss, counting only costs that
    are beyond doubt; 0 if the round was not lost."""
    stakes: Stakes | None = None
    """What the round decides for the seat; None in rounds that decide only their points."""

    @property
    def cost(self) -> float:
        """The total cost of the decisions in penalty points, counting only what is beyond doubt."""
        return sum(one.charged for one in self.decisions)

    @property
    def verdict(self) -> Verdict | None:
        """Why the round was lost; None if it did not end."""
        if self.points is None:
            return None
        if self.points[self.seat] == 0:
            return Verdict.NOT_LOST
        return Verdict.DECISION if self.to_blame > 0.5 else Verdict.LUCK


class Estimate(NamedTuple):
    """A sum over rounds, in penalty points."""

    total: float
    margin: float | None
    """Half the width of the 95% confidence interval; None with fewer than two rounds."""


class Part(NamedTuple):
    """The decisions of one kind."""

    decisions: int
    errors: int
    """The number of inaccuracies and worse decisions."""
    cost: float
    """The cost of the decisions in penalty points, counting only what is beyond doubt."""


@dataclass(frozen=True)
class Summary:
    """The results of all rounds of some matches, for the player reviewed in each match."""

    rounds: int
    """The number of rounds that have ended."""
    lost: int
    """The penalty points that the player took, and the dice that the player lost."""
    dice: int | None
    """The dice among them; None if no round was for dice."""
    earned: float
    """The player's utility: an equal share of the points of others, less their own points."""
    seats: float
    """The value of the seats before the rolls."""
    luck: Estimate
    """The points that dice and draws added, by the estimate of `policies.review.luck`."""
    skill: Estimate
    """The points that the player's decisions added, by the same estimate."""
    plain: Estimate
    """`earned` minus `seats`: the estimate of skill from the points alone, without corrections."""
    cost: float
    """The cost of the decisions, counting only what is beyond doubt."""
    cost_margin: float
    """A bound of the error of `cost`."""
    grades: Mapping[Grade, int]
    kinds: Mapping[Kind, Part]
    modes: Mapping[Mode, Part]
    verdicts: Mapping[Verdict, int]
    costliest: tuple[tuple[ReviewedRound, ReviewedDecision], ...]
    """Up to five errors, the costliest first."""


@dataclass(frozen=True)
class ReviewedMatch:
    """The review of a match."""

    source: str
    """The name of the record."""
    rules: Rules
    seat: int
    """The seat that was reviewed, from 0."""
    seats: tuple[str, ...]
    rounds: tuple[ReviewedRound, ...]
    seat_error: float
    """A bound of the error of the seat values in a round."""


def review_round(
    reviewer: Reviewer,
    played: PlayedRound,
    seat: int,
    *,
    number: int = 1,
    known: Mapping[int, Known] | None = None,
    share: float = START,
) -> ReviewedRound:
    """Return the review of `seat` in a round, which need not have ended.

    `known` has the players of the seats whose draws are corrected. Unless it is None, luck and
    skill are separated, and this `share` of the effect of dice and draws counts as luck."""
    rules, hand = reviewer.rules, played.hands[seat]
    decisions: list[ReviewedDecision] = []
    if hand is not None:
        for history, action in played.decisions(rules, seat):
            decisions.append(reviewer.decision(seat, hand, history, action))
    ended = played.losses is not None
    luck = None
    if ended and known is not None:
        luck = round_luck(reviewer.policy, reviewer.seat_values, played, seat, known, share)
    return reviewed_round(rules, played, seat, decisions, number=number, luck=luck)


def reviewed_round(
    rules: Rules,
    played: PlayedRound,
    seat: int,
    decisions: Sequence[ReviewedDecision],
    *,
    number: int,
    luck: RoundLuck | None,
) -> ReviewedRound:
    """Return the review of a round, given its reviewed `decisions`."""
    return ReviewedRound(
        number=number,
        seat=seat,
        starter=played.starter,
        decisions=tuple(decisions),
        points=played.losses,
        luck=luck,
        to_blame=_to_blame(rules, decisions, played.losses, seat),
    )


def _to_blame(
    rules: Rules,
    decisions: Iterable[ReviewedDecision],
    points: Sequence[int] | None,
    seat: int,
) -> float:
    """Return the probability that better decisions would have averted the loss.

    If one point is at stake, a player who earns `v` on average loses with the probability
    `(w - v) / (w + 1)`, with `w = 1 / (N - 1)`. So of the losses after a decision of value `v`, one
    in `(w - v) / cost` is due to the decision: the attributable fraction. The fractions of several
    decisions are combined as if they were independent.
    """
    if points is None or points[seat] == 0:
        return 0.0
    win, averted = 1.0 / (rules.players - 1), 1.0
    for one in decisions:
        losing = max(win - one.value, one.charged)
        if one.charged > 0.0:
            averted *= 1.0 - one.charged / losing
    return 1.0 - averted


def review_match(
    reviewer: Reviewer,
    match: PlayedMatch,
    seat: int | None = None,
    *,
    luck: bool = True,
) -> ReviewedMatch:
    """Return the review of a whole match, as `reviews_of_match` yields it last."""
    *_, last = reviews_of_match(reviewer, match, seat, luck=luck)
    return last


def reviews_of_match(
    reviewer: Reviewer,
    match: PlayedMatch,
    seat: int | None = None,
    *,
    source: str = "",
    luck: bool = True,
    shares: Shares | None = None,
) -> Iterator[ReviewedMatch]:
    """Yield the review so far of `seat`, from 0, or of the person's seat if it is None: first
    without rounds, then after each round. With `luck`, luck and skill are separated; `shares` has
    learnt from earlier matches, and learns from this one.

    Raise ZhaifeiError if the policy is for other rules, if there is no such seat, or if no seat is
    named and nobody is the person.
    """
    reviewer.verify(match)
    seat = reviewed_seat(match, seat)
    known = known_players(match) if luck else None
    shares = shares or Shares()
    found = ReviewedMatch(source, match.rules, seat, match.seats, (), 0.0)
    yield found
    for number, played in enumerate(match.rounds, 1):
        rules, round_ = for_points(match.rules, played)
        own = reviewer.at(rules.dice_by_player)
        one = review_round(own, round_, seat, number=number, known=known, share=shares.next)
        if one.luck is not None:
            shares.learn(one.luck)
        one = replace(one, stakes=own.stakes((seat - played.starter) % match.rules.players))
        error = max(found.seat_error, own.seat_values.error if luck else 0.0)
        found = replace(found, rounds=(*found.rounds, one), seat_error=error)
        yield found


def reviewed_seat(match: PlayedMatch, seat: int | None) -> int:
    """Return the seat to review: `seat` or, if it is None, the person's seat. Raise ZhaifeiError if
    there is no such seat."""
    if seat is not None:
        verify_seat(match.rules, seat + 1)
        return seat
    if match.you is None:
        raise ZhaifeiError("this record does not say which seat is yours: give --seat")
    return match.you


def known_players(match: PlayedMatch) -> dict[int, Known]:
    """Return {seat: player} of the players in a match whose name always means the same player.

    The dict is empty for a match of another version of zhaifei, and has no name that may be the
    name of a file."""
    if match.version != version("zhaifei"):
        return {}
    names = player_names(match.rules)
    found: dict[int, Known] = {}
    for seat, name in enumerate(match.seats):
        if name.removeprefix(PLAIN) not in names or seat == match.you:
            continue
        if match.policy is not None and match.policy != name and short_name(match.policy) == name:
            continue
        player = player_named(name, match.rules)
        if isinstance(player, PolicyPlayer | MatchPlayer | RandomPolicy):
            found[seat] = player
    return found


# Summaries


def _lost(round_: ReviewedRound) -> int:
    """Return the penalty points or dice that a round cost the player."""
    return 0 if round_.points is None else round_.points[round_.seat]


def summarise(matches: Iterable[ReviewedMatch]) -> Summary:
    """Return the summary of all rounds of these matches."""
    matches = list(matches)
    rounds = [one for match in matches for one in match.rounds]
    ended = [one for one in rounds if one.points is not None]
    for_dice = [one for one in ended if one.stakes is not None]
    decisions = [one for round_ in rounds for one in round_.decisions]
    charged = [one for one in decisions if one.charged > 0.0]
    told = [one.luck for one in ended if one.luck is not None]
    worth = sum(match.seat_error * len(match.rounds) for match in matches)
    errors = [(round_, one) for round_ in rounds for one in round_.decisions if one.grade.is_error]
    errors.sort(key=lambda found: -found[1].cost)
    return Summary(
        rounds=len(ended),
        lost=sum(_lost(one) for one in ended),
        dice=sum(map(_lost, for_dice)) if for_dice else None,
        earned=sum(one.earned for one in told),
        seats=sum(one.value for one in told),
        luck=estimate([one.luck for one in told], worth),
        skill=estimate([one.skill for one in told], worth),
        plain=estimate([one.earned - one.value for one in told], worth),
        cost=sum(one.charged for one in charged),
        cost_margin=sum(one.margin for one in charged),
        grades={grade: sum(one.grade is grade for one in decisions) for grade in Grade},
        kinds={kind: _part(one for one in decisions if one.kind is kind) for kind in Kind},
        modes={mode: _part(one for one in decisions if one.mode is mode) for mode in Mode},
        verdicts={one: sum(round_.verdict is one for round_ in ended) for one in Verdict},
        costliest=tuple(errors[:COSTLIEST]),
    )


def estimate(rounds: Sequence[float], error: float = 0.0) -> Estimate:
    """Return the sum of independent `rounds`, with a margin that includes a total `error`."""
    total = float(sum(rounds))
    if len(rounds) < 2:
        return Estimate(total, None)
    spread = DEVIATIONS * float(np.std(rounds, ddof=1)) * math.sqrt(len(rounds))
    return Estimate(total, spread + error)


def _part(decisions: Iterable[ReviewedDecision]) -> Part:
    of_kind = list(decisions)
    return Part(
        len(of_kind),
        sum(one.grade.is_error for one in of_kind),
        sum(one.charged for one in of_kind),
    )
