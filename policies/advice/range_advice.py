"""Advice of a policy on one decision for every hand at once: the actions of the whole range of the
player to move, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, verify_can_arise
from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.advice.advice import (
    MOST_ERROR,
    ActionAdvice,
    Advice,
    Adviser,
    Believed,
    OwnRange,
    Solved,
    faced_bids,
)
from zhaifei.policies.advice.resolved_advice import ResolvingAdviser, adviser_within
from zhaifei.policies.players.mixed_bidding import MixedBidding
from zhaifei.policies.players.reading import PlausibleBidding, Reading
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.resolving import POWER, TREMBLE, Caution
from zhaifei.policies.players.table_policy import TablePolicy

Floats = NDArray[np.float64]


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
    """The penalty points that the action would earn on average if the whole range took it."""
    error_of_all: float
    """A bound of the error of `value_of_all`."""

    @property
    def is_clear(self) -> bool:
        """Whether the error is small enough for `value_of_all` to be informative."""
        return self.error_of_all <= MOST_ERROR


@dataclass(frozen=True, eq=False)
class RangeAdvice:
    """What a policy advises a player to move of whose hand only the bids tell. Arrays are float64;
    axis `hand` is in the order of `game.hands.hands`, axis `action` that of `actions`."""

    own: OwnRange
    """What the player may hold."""
    hands: tuple[Advice, ...]
    """[hand] the advice for each hand: the same as if it were asked about alone."""

    @property
    def history(self) -> tuple[Bid, ...]:
        """The bids of the round."""
        return self.hands[0].history

    @property
    def weights(self) -> Floats:
        """[hand] the probability of each hand; it sums to 1."""
        return self.own.weights

    @property
    def believed(self) -> Believed:
        """What `weights` come from."""
        return self.own.believed

    @property
    def _likeliest(self) -> Advice:
        return self.hands[int(self.weights.argmax())]

    @property
    def solved(self) -> Solved | None:
        """How the position was solved again for the hands that the player may hold."""
        return self._likeliest.solved

    @property
    def taken_for(self) -> tuple[Bid, ...] | None:
        """See Advice."""
        return self.hands[0].taken_for

    @property
    def read(self) -> bool:
        """Whether the likeliest hand plays by what is read from the others' bids."""
        return self._likeliest.read

    @property
    def on_path(self) -> bool:
        """Whether the policy would make the bids of every other player with some hand."""
        return self._likeliest.on_path

    @property
    def opening_follows(self) -> float | None:
        """See Advice."""
        return self._likeliest.opening_follows

    @property
    def overruled(self) -> bool:
        """Whether what the policy does most often was left out with some hand of the range."""
        return any(
            one.overruled for one, weight in zip(self.hands, self.weights, strict=True) if weight
        )

    @cached_property
    def strategy(self) -> Floats:
        """[hand, action] the probability with which each hand takes each legal action."""
        return self._figures(lambda one: one.probability)

    @cached_property
    def values(self) -> Floats:
        """[hand, action] the value of each action with each hand, in penalty points."""
        return self._figures(lambda one: one.value)

    @cached_property
    def errors(self) -> Floats:
        """[hand, action] a bound of the error of each value."""
        return self._figures(lambda one: one.value_error)

    def _figures(self, figure: Callable[[ActionAdvice], float]) -> Floats:
        return np.array([[figure(one) for one in advice.actions] for advice in self.hands])

    @cached_property
    def actions(self) -> tuple[RangeAction, ...]:
        """The legal actions in the order of `game.bids`, challenges last."""
        names = [one.action for one in self.hands[0].actions]
        figures = self.strategy, self.values, self.errors
        return range_actions(names, self.weights, *figures)

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
        return float(self.weights @ (self.strategy * self.values).sum(axis=1))

    @property
    def true(self) -> list[tuple[Bid, float]]:
        """The bids that may be challenged, the last one first, each with the probability that it is
        true, on the average over the range."""
        chances = np.array([[chance for _, chance in advice.true] for advice in self.hands])
        bids = [bid for bid, _ in self.hands[0].true]
        return list(zip(bids, map(_at_most_1, (self.weights @ chances).tolist()), strict=True))


def range_actions(
    names: Sequence[str], weights: Floats, strategy: Floats, values: Floats, errors: Floats
) -> tuple[RangeAction, ...]:
    """Return what a range with these `weights` [hand] does with the actions of these `names`, of
    which the others are [hand, action]."""
    taken = weights[:, np.newaxis] * strategy
    of_all, errors_of_all = weights @ values, weights @ errors
    return tuple(
        RangeAction(
            action=name,
            share=_at_most_1(float(taken[:, place].sum())),
            value=_mean(values[:, place], taken[:, place]),
            value_error=_mean(errors[:, place], taken[:, place]),
            value_of_all=float(of_all[place]),
            error_of_all=float(errors_of_all[place]),
        )
        for place, name in enumerate(names)
    )


def others_ranges(policy: TablePolicy, advice: RangeAdvice) -> Floats:
    """Return [player, hand] what the other players may hold where `policy` gave this `advice`, in
    the order of turns; each sums to 1. Where a position was solved again, or the hands were read
    from the bids, so are these."""
    played = as_played(policy)
    if advice.solved is not None:
        plausible = PlausibleBidding(policy.rules, POWER, legal=policy.tables.legal)
        reading = Reading(policy.rules, MixedBidding(policy, TREMBLE, plausible))
    elif advice.read and isinstance(played, ReadingPolicy):
        reading = played.reading
    else:
        return Adviser(policy).ranges(advice.history)[0]
    return np.concatenate(reading.ranges(policy.actions(advice.history)[np.newaxis]))


def refined_range(
    policy: TablePolicy,
    bid: Bid | None,
    history: Sequence[Bid],
    *,
    caution: str = Caution.NORMAL.value,
    seconds: float,
) -> Iterator[RangeAdvice]:
    """Yield what `policy` advises with every hand facing `bid` after `history`, better and better:
    for each hand as `policies.advice.resolved_advice.refined_advice` does.

    Raises IllegalBid, and ZhaifeiError if the bids before `bid` are unknown: then each hand has
    ranges of its own.
    """
    bids = faced_bids(policy.rules, bid, history)
    if bids is None:
        assert bid is not None
        verify_can_arise(policy.rules, bid)
        raise ZhaifeiError("{bid} cannot open a round: give the bids before it, or a hand", bid=bid)
    adviser = adviser_within(policy, caution, seconds)
    if isinstance(adviser, ResolvingAdviser):
        answers = adviser.refine_range(bids)
    else:
        answers = iter([adviser.advise_range(bids)])
    for own, advices in answers:
        yield RangeAdvice(own, tuple(advices))


def _mean(figures: Floats, weights: Floats) -> float | None:
    """Return the mean of `figures` [hand] by `weights` [hand], or None if these are all 0."""
    total = float(weights.sum())
    return float(weights @ figures) / total if total > 0.0 else None


def _at_most_1(sum_: float) -> float:
    """Return a sum of probabilities without its rounding."""
    return min(sum_, 1.0)
