"""Advice as values: what to do with one hand or with a whole range, and what that rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, mover_after
from zhaifei.game.hands import Hand, hand_index, hands, probabilities
from zhaifei.game.notation import format_action
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.intervals import margin_of

Bits = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_ERROR = 0.5
"""A value that may be off by more penalty points says nothing: the interval is as wide as what is
at stake in a round, and the value is shown as unclear."""


# What advice rests on


class Source(Enum):
    """What the ranges of the others come from, where nothing was solved again or locked."""

    POLICY = "policy"
    """The others bid as the policy does. Values are those if all go on like that."""
    UNREACHED = "unreached"
    """As POLICY, but the policy would never bid as some of the others did. Their ranges are those
    before the round."""
    READ = "read"
    """The others' hands are read from their bids, as bids of anybody. Values are those of
    `policies.players.reading.Reading.values`."""
    DESCRIBED = "described"
    """As READ, but as bids of people of whom something is known (`policies.advice.people`)."""


class Opening(NamedTuple):
    """An opening by a policy that reads hands: `ReadingPolicy.opening_values`."""

    follows: float
    """The probability with which the others are taken to follow the policy."""


class PlayedOut(NamedTuple):
    """The rest of the round was played out (`policies.advice.played_out`). The others follow the
    policy or are of another kind, as their bids make likely, and the player follows the policy."""

    rounds: int
    """The number of rounds for each action."""
    known: bool = False
    """Whether something is known of the others (`policies.advice.people`)."""


class Solved(NamedTuple):
    """A position that was solved again (`policies.players.resolving`). Values are those of best
    play from here against the solution, and errors what playing the solution falls short of
    them."""

    gap: float
    """The gain of best responses in the game that was solved, in penalty points."""
    caution: str
    """The value of a Caution: how little the beliefs about the opponent count."""


class Locked(NamedTuple):
    """An opponent who is supposed to play locks (`policies.advice.locked`). Values are those of
    best play from here."""

    source: str
    """The file of the locks."""
    lines: tuple[int, ...]
    """The lines of the file at which locks on this line of play begin."""
    answer: str
    """The value of a LockAnswer."""
    read: bool
    """Whether the locked opponent would never bid like this, so that their hand is read from their
    bids."""
    gap: float | None
    """The gain of best responses in the game that was solved, in penalty points; None for a best
    response, which is exact."""


Ground = Source | Opening | PlayedOut | Solved | Locked


class Believed(Enum):
    """The source of the range of the player to move."""

    POLICY = "policy"
    """The policy makes the player's earlier bids with the hands of the range."""
    TREMBLING = "trembling"
    """As POLICY, but with a small weight of hands with which the bids are plausible, as in
    `ResolvingPolicy` where it solves a position again."""
    READ = "read"
    """The policy never bids like this; the range is read from the bids, as others would do it."""
    UNKNOWN = "unknown"
    """The policy never bids like this: the range is the one before the round."""


# Advice for one hand


@dataclass(frozen=True)
class ActionAdvice:
    """Advice on one legal action."""

    action: str
    """The action in the notation of `game.notation`."""
    probability: float
    """The probability with which the policy takes the action with this hand."""
    value: float
    """The penalty points that the action earns if all players then follow the policy."""
    value_error: float
    """A bound of the error of `value`, which comes from lines of play that were omitted. Where
    hands are read, the value of a challenge of an earlier bid (跳开) is unknown: its error covers
    every possible result."""

    @property
    def is_clear(self) -> bool:
        """Whether the error is small enough for the value to be informative."""
        return self.value_error <= MOST_ERROR


@dataclass(frozen=True)
class Advice:
    """The advice of a policy to the player to move."""

    hand: Hand
    """The player's own hand."""
    history: tuple[Bid, ...]
    """The bids of the round, or only the last one if the bids before it are unknown."""
    actions: tuple[ActionAdvice, ...]
    """The legal actions in the order of `game.bids`, challenges last."""
    true: tuple[tuple[Bid, float], ...]
    """The known bids that may be challenged, the last one first, each with the probability that it
    is true, given the hand and the others' ranges."""
    ground: Ground
    """What the others' ranges and the values rest on."""
    earlier_unknown: bool = False
    """Whether the bids before the last are unknown."""
    own_on_path: bool = True
    """Whether the policy would make the player's own earlier bids with this hand. If not, training
    may not have reached this decision. Always True on a ground other than POLICY and UNREACHED."""
    overruled: bool = False
    """Whether the action that the policy takes most often was left out, since its value is
    worse."""
    taken_for: tuple[Bid, ...] | None = None
    """The bids for which the policy takes `history`; None if it takes them for themselves. Strategy
    and values of raises are those after `taken_for`."""

    @property
    def p_true(self) -> float | None:
        """The probability that the last bid is true; None if there is no bid."""
        return self.true[0][1] if self.true else None

    @property
    def ranked(self) -> list[ActionAdvice]:
        """The actions by probability, highest first. Equally probable actions are sorted by value,
        highest first, with unclear values last."""
        return sorted(
            self.actions, key=lambda one: (-one.probability, not one.is_clear, -one.value)
        )


# Advice for many hands


@dataclass(frozen=True, eq=False)
class Rows:
    """Advice for some hands after the same bids. Axis `place` is that of `own`, axis `action` that
    of `legal`."""

    rules: Rules
    own: Ints
    """[place] int64, different indices into `game.hands.hands`, ascending."""
    history: tuple[Bid, ...]
    """See Advice."""
    legal: Ints
    """[action] int64, the legal actions in the order of `game.bids`, challenges last."""
    strategy: Floats
    """[place, action] float64, the probability with which each hand takes each action."""
    values: Floats
    """[place, action] float64, the value of each action with each hand, in penalty points."""
    errors: Floats
    """[place, action] float64, a bound of the error of each value."""
    chances: Floats
    """[place, bid] float64, the probability that each known bid that may be challenged is true, the
    last bid first."""
    grounds: tuple[Ground, ...]
    """[place] what the advice for each hand rests on."""
    own_on_path: Bits
    """[place] see Advice."""
    left_out: Bits
    """[place] whether the action that the policy takes most often was left out."""
    earlier_unknown: bool = False
    """See Advice."""
    taken_for: tuple[Bid, ...] | None = None
    """See Advice."""

    @cached_property
    def names(self) -> list[str]:
        """[action] the legal actions in the notation of `game.notation`."""
        return [format_action(self.rules, action) for action in self.legal.tolist()]

    def at(self, places: Ints) -> Self:
        """Return the advice for the hands at these places, ascending."""
        arrays: dict[str, Any] = {name: getattr(self, name)[places] for name in _BY_HAND}
        return replace(self, **arrays, grounds=tuple(self.grounds[place] for place in places))

    def row(self, place: int) -> Advice:
        """Return the advice for the hand at `place`."""
        figures = (each[place].tolist() for each in (self.strategy, self.values, self.errors))
        claims = (bid.claim for bid in reversed(self.history))
        return Advice(
            hand=hands(self.rules)[self.own[place]],
            history=self.history,
            actions=tuple(map(ActionAdvice, self.names, *figures)),
            true=tuple(zip(claims, self.chances[place].tolist(), strict=False)),
            ground=self.grounds[place],
            earlier_unknown=self.earlier_unknown,
            own_on_path=bool(self.own_on_path[place]),
            overruled=bool(self.left_out[place]),
            taken_for=self.taken_for,
        )


_BY_HAND = ("own", "strategy", "values", "errors", "chances", "own_on_path", "left_out")


AnyRows = TypeVar("AnyRows", bound=Rows)


def joined(first: AnyRows, *others: Rows) -> AnyRows:
    """Return `first` with the advice for the hands of `others` too, which are different hands after
    the same bids."""
    if not others:
        return first
    parts: list[Rows] = [first, *others]
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in _BY_HAND
    }
    grounds = tuple(ground for part in parts for ground in part.grounds)
    return replace(first, **arrays, grounds=grounds).at(np.argsort(arrays["own"]))


@dataclass(frozen=True)
class RangeAction:
    """Advice on one legal action for the range."""

    action: str
    """The action in the notation of `game.notation`."""
    share: float
    """The probability with which the range takes the action."""
    value: float | None
    """The penalty points that the action earns if all players then follow the policy, averaged over
    the hands that take it, by weight; None if no hand in the range takes it."""
    value_error: float | None
    """A bound of the error of `value`."""
    value_of_all: float
    """The penalty points that the action would earn on average if the whole range took it. Unclear
    if the range was played out, since hands play out only what they do."""
    error_of_all: float
    """A bound of the error of `value_of_all`."""

    @property
    def is_clear(self) -> bool:
        """Whether the error is small enough for `value_of_all` to be informative."""
        return self.error_of_all <= MOST_ERROR


class PlayedRange(NamedTuple):
    """Rounds in which the hands of a range took the actions that they take, and the rest was played
    out. The hands of an action come up as often as they take it."""

    places: Ints
    """[action] int64, the places in `Rows.legal` of the actions that were played out."""
    own: Ints
    """[action, round] int64, the hand."""
    earned: Floats
    """[action, round] float64, what the player to move earned, in penalty points."""

    def values(self, possible: Bits) -> dict[int, tuple[float, float]]:
        """Return the value of actions among the hands that are `possible` [hand], and half its 95%
        interval, by the action's place. Actions of fewer than two rounds are left out."""
        found, spread = {}, float(np.ptp(self.earned))
        for place, own, earned in zip(self.places.tolist(), self.own, self.earned, strict=True):
            its = earned[possible[own]]
            if its.size > 1:
                found[place] = float(its.mean()), float(margin_of(its, spread))
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class RangeAdvice(Rows):
    """What a policy advises a player to move of whose hand only the bids tell: the advice for every
    hand. Axis `hand`, which is the axis `place` of Rows, is in the order of `game.hands.hands`."""

    weights: Floats
    """[hand] float64, the probability of each hand; it sums to 1."""
    believed: Believed
    """What `weights` come from."""
    others: Floats
    """[player, hand] float64, what the others may hold, in the order of turns; each sums to 1."""
    played: PlayedRange | None = None
    """Rounds of the range; None if nothing was played out. They give the values of `actions`, which
    otherwise are means over the hands. The figures of each hand stay those before."""

    @property
    def ground(self) -> Ground:
        """What the values of `actions` rest on: without rounds, those of the likeliest hand."""
        if self.played is not None and not self.is_alone:
            return PlayedOut(self.played.earned.shape[1])
        return self.grounds[int(self.weights.argmax())]

    @property
    def is_alone(self) -> bool:
        """Whether there is one hand only, and it was played out by itself."""
        return self.weights.max() == 1.0 and isinstance(
            self.grounds[int(self.weights.argmax())], PlayedOut
        )

    @property
    def overruled(self) -> bool:
        """Whether what the policy does most often was left out with some hand of the range."""
        return bool(self.left_out[self.weights > 0.0].any())

    @cached_property
    def hands(self) -> tuple[Advice, ...]:
        """[hand] the advice for each hand: the same as if it were asked about alone, before
        anything is played out."""
        return tuple(map(self.row, range(self.weights.size)))

    @cached_property
    def actions(self) -> tuple[RangeAction, ...]:
        """The legal actions in the order of `game.bids`, challenges last."""
        taken = self.weights[:, np.newaxis] * self.strategy
        of_all, errors_of_all = self.weights @ self.values, self.weights @ self.errors
        if self.played is None or self.is_alone:
            means = [
                (_mean(self.values[:, place], its), _mean(self.errors[:, place], its))
                for place, its in enumerate(taken.T)
            ]
        else:
            known = self.played.values(self.weights > 0.0)
            means = [known.get(place, (None, None)) for place in range(len(self.names))]
            errors_of_all = np.full(len(means), 2.0 * bid_tables(self.rules).most_cost)
        return tuple(
            RangeAction(
                action=name,
                share=_at_most_1(float(taken[:, place].sum())),
                value=means[place][0],
                value_error=means[place][1],
                value_of_all=float(of_all[place]),
                error_of_all=float(errors_of_all[place]),
            )
            for place, name in enumerate(self.names)
        )

    @property
    def ranked(self) -> list[RangeAction]:
        """The actions by share, highest first. Actions of equal share are sorted by `value_of_all`,
        highest first, with unclear ones last."""
        return sorted(
            self.actions, key=lambda one: (-one.share, not one.is_clear, -one.value_of_all)
        )

    @property
    def value(self) -> float:
        """The average value of the range, in penalty points."""
        return math.fsum(share * value for share, value, _ in self._known)

    @property
    def value_error(self) -> float:
        """A bound of the error of `value`. If the range was played out, half its 95% interval,
        without actions that were not: the rounds of different actions are independent."""
        errors = [share * error for share, _, error in self._known]
        return math.fsum(errors) if self.played is None or self.is_alone else math.hypot(*errors)

    @property
    def _known(self) -> list[tuple[float, float, float]]:
        """The share of each action of known value among all these actions, its value, and the bound
        of the value's error."""
        known = [
            (one.share, one.value, one.value_error)
            for one in self.actions
            if one.value is not None and one.value_error is not None
        ]
        total = math.fsum(share for share, _, _ in known)
        return [(share / total, value, error) for share, value, error in known]

    @property
    def true(self) -> list[tuple[Bid, float]]:
        """The bids that may be challenged, the last one first, each with the probability that it is
        true, on the average over the range."""
        chances = map(_at_most_1, (self.weights @ self.chances).tolist())
        claims = (bid.claim for bid in reversed(self.history))
        return list(zip(claims, chances, strict=False))

    def share(self, chosen: Bits) -> float:
        """Return the probability that the player holds one of the `chosen` [hand] hands."""
        return _at_most_1(float(self.weights @ chosen))

    def among(self, chosen: Bits) -> RangeAdvice:
        """Return the advice for a player who holds one of the `chosen` [hand] hands. If these
        hands would never have bid so, they have their probabilities before the round."""
        weights, believed = self.weights * chosen, self.believed
        if not weights.any():
            seat = mover_after(self.rules, self.history)
            weights, believed = probabilities(self.rules, seat) * chosen, Believed.UNKNOWN
        return replace(self, weights=weights / weights.sum(), believed=believed)

    def told(self, alone: Advice) -> RangeAdvice:
        """Return this advice with the figures that one hand gets `alone`, after the same bids."""
        place = hand_index(self.rules, alone.hand)
        figures = np.array([(one.probability, one.value, one.value_error) for one in alone.actions])
        arrays: dict[str, Any] = {}
        for name, its in zip(("strategy", "values", "errors"), figures.T, strict=True):
            arrays[name] = getattr(self, name).copy()
            arrays[name][place] = its
        left_out, grounds = self.left_out.copy(), list(self.grounds)
        left_out[place], grounds[place] = alone.overruled, alone.ground
        return replace(self, **arrays, left_out=left_out, grounds=tuple(grounds))


def of_range(rows: Rows, weights: Floats, believed: Believed, others: Floats) -> RangeAdvice:
    """Return the advice in `rows`, which are for every hand, for the range `weights`."""
    by_field = {one.name: getattr(rows, one.name) for one in fields(rows)}
    return RangeAdvice(**by_field, weights=weights, believed=believed, others=others)


def _mean(figures: Floats, weights: Floats) -> float | None:
    """Return the mean of `figures` [hand] by `weights` [hand], or None if these are all 0."""
    total = float(weights.sum())
    return float(weights @ figures) / total if total > 0.0 else None


def _at_most_1(sum_: float) -> float:
    """Return a sum of probabilities without its rounding."""
    return min(sum_, 1.0)
