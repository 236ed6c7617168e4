"""A card of rules of thumb: what a policy does, in a dozen rules that a person can remember.

A person at a table knows how many of their dice count towards a face, the last bid, and the
probability that it is true given the own dice. The card says at which probability to challenge, and
which bid to make otherwise. Each rule for a bid is the one of its kind that the policy follows most
often in its own rounds. It *follows* a rule where it takes the rule's action at least `OFTEN` times
as often as its most frequent one. The probabilities are those with which the whole card costs least
against the policy. Rules follow the last bid only, so there are cards where it alone
decides what is legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding
from zhaifei.game.bids import domain, plain_bids
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.comparison import Estimate
from zhaifei.policies.play.simulation import deal, endings, play_rounds, utilities_of
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import Batched, BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import chances
from zhaifei.policies.players.table_policy import TablePolicy

Ints = NDArray[np.int64]

OFTEN = 0.1
"""The page grades decisions by the same number: see `web/policy/advice.js`."""
BELOW = tuple(number / 20 for number in range(1, 13))
"""The probabilities below which a card may challenge."""
USUAL = 0.2
"""The probability with which the search for the two of a card begins."""
EXTRA = range(10)
"""How many more than needed a rule may bid."""
OPENING = -1
"""Stands for the last bid where nobody has bid."""
OWN_OPENING = ((0, 2), (3, 3), (4, None))
"""The classes of hands that open, by the most dice of a face, ones included: from and to."""
OWN_RAISE = ((0, 1), (2, 2), (3, None))
"""The classes of hands that raise, by the most dice of a face without ones."""


class Bidding(NamedTuple):
    """A bid in words: on which face, and how high."""

    mode: Mode | None
    """The mode of the bid, on a face of which the hand has most in it; None keeps the mode and the
    face of the last bid."""
    extra: int
    """The number of dice claimed beyond the least that is legal there."""
    high: bool
    """Whether the highest or the lowest of several such faces is named."""


class Thumb(NamedTuple):
    """A rule of thumb."""

    after: Mode | None
    """The mode of the last bid; None to open."""
    own: tuple[int, int | None] | None
    """How many dice of a face the hand has at least and at most; None for a challenge."""
    does: Bidding | None
    """The bid; None for a challenge."""
    below: float | None
    """The probability of the last bid below which the rule challenges, None for a bid."""
    arises: float
    """The share of the policy's decisions in which the rule speaks."""
    right: float
    """The share of those in which the policy follows it."""


@dataclass(frozen=True)
class Decisions:
    """Decisions of a policy in its own rounds, by spot: a spot is a last bid and a hand."""

    hand: Ints
    """[spot] the hand."""
    last: Ints
    """[spot] the last bid, or OPENING."""
    made: Ints
    """[spot] the number of decisions there."""
    often: Ints
    """[spot, action] the number of decisions there in which the policy takes the action often."""


@dataclass(frozen=True)
class Card(Batched):
    """The rules of thumb for a variant, and a player who knows nothing else."""

    rules: Rules
    thumbs: tuple[Thumb, ...]
    action: Ints
    """[last + 1, hand] what the card says."""

    def __str__(self) -> str:
        return "card"

    @property
    def right(self) -> float:
        """The share of all decisions in which the policy follows the card."""
        return sum(one.arises * one.right for one in self.thumbs)

    def act(self, hand: Ints, history: Ints, uniform: NDArray[np.float64]) -> Ints:
        """See BatchPlayer."""
        last = history[:, -1] if history.shape[1] else np.full(hand.size, OPENING)
        found: Ints = self.action[last + 1, hand]
        return found


def card_of(policy: TablePolicy, rounds: int, seed: int) -> Card:
    """Return the card of a policy, from its decisions in `rounds` rounds of its own."""
    fitting = _Fitting(policy.rules, decisions_of(policy, rounds, seed))
    below = dict.fromkeys(Mode, USUAL)
    for mode in (Mode.ZHAI, Mode.FEI):
        tried = {one: fitting.card({**below, mode: one}) for one in BELOW}
        costs = {one: cost_of(card, policy, rounds, seed).mean for one, card in tried.items()}
        below[mode] = min(costs, key=lambda one: costs[one])
    return fitting.card(below)


def cost_of(card: Card, policy: TablePolicy, deals: int, seed: int) -> Estimate:
    """Return the points a round that a player loses by following the card among copies of the
    policy. Each deal is played once in each seat, where a copy of the policy would lose nothing."""
    rules = policy.rules
    field: list[BatchPlayer] = [PolicyPlayer(policy)] * rules.players
    earned = np.zeros(deals)
    for seat in range(rules.players):
        players = [*field[:seat], card, *field[seat + 1 :]]
        earned += utilities_of(play_rounds(players, rules, deals, seed))[:, seat]
    lost = -earned / rules.players
    return Estimate(float(lost.mean()), float(DEVIATIONS * lost.std(ddof=1) / np.sqrt(deals)))


def decisions_of(policy: TablePolicy, rounds: int, seed: int) -> Decisions:
    """Return all decisions of the policy in `rounds` rounds of its own."""
    rules, player = policy.rules, PolicyPlayer(policy)
    parts: list[tuple[Ints, Ints, NDArray[np.bool_]]] = []

    def act(_: int, __: Ints, hand: Ints, history: Ints, uniform: NDArray[np.float64]) -> Ints:
        parts.extend(_often(policy, hand, history))
        return player.act(hand, history, uniform)

    for dealt, random in deal(rules, rounds, seed):
        for _ in endings(act, [player] * rules.players, rules, dealt, random):
            pass
    hand, last, often = zip(*parts, strict=True)
    return _by_spot(np.concatenate(hand), np.concatenate(last), np.concatenate(often))


def _by_spot(hand: Ints, last: Ints, often: NDArray[np.bool_]) -> Decisions:
    """Count decisions: the hand, the last bid, and the actions taken often, [decision] each."""
    spots, spot = np.unique(np.column_stack([last, hand]), axis=0, return_inverse=True)
    order = np.argsort(spot.ravel(), kind="stable")
    made = np.bincount(spot.ravel())
    first = np.cumsum(made) - made
    counted = np.add.reduceat(often[order], first, axis=0, dtype=np.int64)
    return Decisions(spots[:, 1], spots[:, 0], made, counted)


def _often(
    policy: TablePolicy, hand: Ints, history: Ints
) -> Iterator[tuple[Ints, Ints, NDArray[np.bool_]]]:
    """Yield the decisions after each of the histories: hands, last bids and frequent actions."""
    bids = domain(policy.rules)
    found, place = np.unique(history, axis=0, return_inverse=True)
    for number, one in enumerate(found.tolist()):
        hands = hand[place.ravel() == number]
        shares = policy.strategy([bids[bid] for bid in one])[hands]
        last = np.full(hands.size, one[-1] if one else OPENING)
        yield hands, last, shares >= OFTEN * shares.max(axis=1, keepdims=True)


class _Fitting:
    """Finds the rule of each kind that the policy follows most often."""

    def __init__(self, rules: Rules, decisions: Decisions) -> None:
        self._rules, self._made = rules, decisions
        self._likely, self._saying = chances(rules), _Saying(rules)
        self._says = {
            does: self._saying.says(does)
            for does in (Bidding(*one) for one in product((*Mode, None), EXTRA, (False, True)))
        }

    def card(self, below: Mapping[Mode, float]) -> Card:
        """Return the card that challenges after each mode `below` these probabilities."""
        challenge = self._saying.challenge
        action = np.full_like(next(iter(self._says.values())), challenge)
        thumbs = self._bids(None, self._after(None), action)
        for after in Mode:
            here = self._after(after)
            likely = np.append(np.ones((1, action.shape[1])), self._likely, axis=0) >= below[after]
            unlikely = Thumb(after, None, None, below[after], *self._rates(here & ~likely, action))
            thumbs += [unlikely, *self._bids(after, here & likely, action)]
        return Card(self._rules, tuple(thumbs), action)

    def _after(self, mode: Mode | None) -> NDArray[np.bool_]:
        """Return [last + 1, hand] where the last bid is in this mode, None for no bid."""
        modes = np.append(mode is None, self._saying.is_in(mode))
        return np.repeat(modes[:, np.newaxis], self._likely.shape[1], axis=1)

    def _rates(self, speaks: NDArray[np.bool_], action: Ints) -> tuple[float, float]:
        """Return the share of decisions in which a rule `speaks` [last + 1, hand], and the share of
        those in which the policy takes its `action` [last + 1, hand] often."""
        made = self._made
        here = np.flatnonzero(speaks[made.last + 1, made.hand])
        arises = int(made.made[here].sum())
        says = action[made.last[here] + 1, made.hand[here]]
        often = int(made.often[here, says].sum())
        return arises / int(made.made.sum()), often / arises if arises else 0.0

    def _bids(self, after: Mode | None, speaks: NDArray[np.bool_], action: Ints) -> list[Thumb]:
        """Return the rules what to bid where a bid is to be made, and enter them in `action`."""
        most = self._saying.most[Mode.FEI if after is None else Mode.ZHAI]
        thumbs = []
        for first, upto in OWN_OPENING if after is None else OWN_RAISE:
            own = speaks & (most >= first) & (most <= (most.max() if upto is None else upto))
            does = self._best(after, own)
            action[own] = self._says[does][own]
            rates = self._rates(own, action)
            thumbs.append(Thumb(after, (first, upto), does, None, *rates))
        return thumbs

    def _best(self, after: Mode | None, speaks: NDArray[np.bool_]) -> Bidding:
        """Return the bid that the policy makes most often where the rule speaks."""
        kinds = [one for one in self._says if after is not None or one.mode is not None]
        return max(kinds, key=lambda one: self._rates(speaks, self._says[one])[1])


class _Saying:
    """Which bids rules mean."""

    def __init__(self, rules: Rules) -> None:
        bids, tables = plain_bids(rules), bid_tables(rules)
        assert len(bidding(rules).states) == len(bids) + 1, "the last bid decides what is legal"
        self.challenge = len(bids)
        self._legal, self._matches = tables.legal[:, : len(bids)], tables.matches[: len(bids)]
        self._zhai = np.array([bid.mode is Mode.ZHAI for bid in bids])
        self._count, self._face = np.array([(bid.count, bid.face) for bid in bids]).T
        self.most = {mode: self._matches[self.is_in(mode)].max(axis=0) for mode in Mode}
        """[hand] the most dice that count towards a face, by mode."""

    def is_in(self, mode: Mode | None) -> NDArray[np.bool_]:
        """Return [bid] whether each bid is in the mode; no bid is in None."""
        found: NDArray[np.bool_] = (self._zhai == (mode is Mode.ZHAI)) & (mode is not None)
        return found

    def says(self, does: Bidding) -> Ints:
        """Return [last + 1, hand] the action of a rule: a challenge where no such bid is legal."""
        return np.array([self._row(does, last) for last in range(OPENING, self.challenge)])

    def _row(self, does: Bidding, last: int) -> Ints:
        legal = np.flatnonzero(self._legal[last + 1])
        if not legal.size or (does.mode is None and last == OPENING):
            return np.full(self._matches.shape[1], self.challenge)
        mode, fits = self._named(does, last, legal)
        count, face = self._count[legal][:, np.newaxis], self._face[legal][:, np.newaxis]
        least = np.where(fits, count, self.challenge).min(axis=0)  # no count is as high
        named = fits & (count == least)
        its = self._face[legal[_last(named) if does.high else named.argmax(axis=0)]]
        higher = mode & (face == its) & (count <= least + does.extra)
        found: Ints = np.where(fits.any(axis=0), legal[_last(higher)], self.challenge)
        return found

    def _named(
        self, does: Bidding, last: int, legal: Ints
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return [legal, 1] which bids are in the mode that the rule names, and [legal, hand] which
        of them are on such a face too."""
        if does.mode is None:
            mode = (self._zhai[legal] == self._zhai[last])[:, np.newaxis]
            face = (self._face[legal] == self._face[last])[:, np.newaxis]
            return mode, np.repeat(mode & face, self._matches.shape[1], axis=1)
        mode = self.is_in(does.mode)[legal][:, np.newaxis]
        return mode, mode & (self._matches[legal] == self.most[does.mode])


def _last(true: NDArray[np.bool_]) -> Ints:
    """Return [column] the last row that is true."""
    found: Ints = len(true) - 1 - true[::-1].argmax(axis=0)
    return found
