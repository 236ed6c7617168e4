"""Cards of rules of thumb, against plain Python that decides and plays one round at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise, product
from statistics import mean, stdev

import numpy as np
import pytest

from tests.policies.small_policies import random_policy
from zhaifei.game.bids import Bid, action_of, challenge_action, counted, domain, legal_bids
from zhaifei.game.chances import chance
from zhaifei.game.hands import hands
from zhaifei.game.parts import Mode
from zhaifei.game.rules import preset
from zhaifei.policies.measure.rules_of_thumb import (
    EXTRA,
    OFTEN,
    OPENING,
    OWN_OPENING,
    OWN_RAISE,
    Bidding,
    Card,
    Thumb,
    card_of,
    cost_of,
)
from zhaifei.policies.play.simulation import deal
from zhaifei.policies.players.table_policy import TablePolicy

SIZES = [(2, 2, 3), (3, 2, 2), (2, 3, 2)]
ROUNDS, SEED = 150, 5
Decide = Callable[[int, list[int], float], int]
"""Maps a hand, the actions so far and a number from 0 to 1 to an action."""


@pytest.fixture(params=SIZES, ids=str, scope="module")
def policy(request: pytest.FixtureRequest) -> TablePolicy:
    players, dice, faces = request.param
    return random_policy(preset("zhaifei", players=players, dice=dice, faces=faces))


@pytest.fixture(scope="module")
def card(policy: TablePolicy) -> Card:
    return card_of(policy, ROUNDS, SEED)


class Naive:
    """What a policy does, and what rules of thumb say, one hand at a time."""

    def __init__(self, policy: TablePolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self.challenge = challenge_action(self.rules)

    @cache  # noqa: B019 — it lives as long as the test
    def most(self, mode: Mode, hand: int) -> int:
        dice = hands(self.rules)[hand]
        bids = (Bid(one.mode, 1, one.face) for one in domain(self.rules) if one.mode is mode)
        return max(counted(self.rules, bid, dice) for bid in bids)

    @cache  # noqa: B019 — it lives as long as the test
    def says(self, does: Bidding, last: int, hand: int) -> int:
        before = None if last == OPENING else domain(self.rules)[last]
        dice = hands(self.rules)[hand]
        bids = legal_bids(self.rules, before)
        legal = [one for one in bids if self.fits(does, before, one, dice)]
        if not legal:
            return self.challenge
        least = min(one.count for one in legal)
        faces = [one.face for one in legal if one.count == least]  # the weakest bid first
        face = faces[-1 if does.high else 0]
        counts = [one.count for one in legal if one.face == face]
        count = max(count for count in counts if count <= least + does.extra)
        return action_of(self.rules, Bid(legal[0].mode, count, face))

    def fits(self, does: Bidding, before: Bid | None, bid: Bid, dice: tuple[int, ...]) -> bool:
        if does.mode is None:
            return before is not None and (bid.mode, bid.face) == (before.mode, before.face)
        most = self.most(does.mode, hands(self.rules).index(dice))
        return bid.mode is does.mode and counted(self.rules, bid, dice) == most

    def speaks(self, thumb: Thumb, below: float, last: int, hand: int) -> bool:
        if last == OPENING or thumb.after is None:
            return last == OPENING and thumb.after is None and self.has(thumb, hand)
        bid, dice = domain(self.rules)[last], hands(self.rules)[hand]
        others = self.rules.total_dice - self.rules.dice
        unlikely = chance(self.rules, bid, dice, others) < below
        if bid.mode is not thumb.after or unlikely != (thumb.below is not None):
            return False
        return unlikely or self.has(thumb, hand)

    def has(self, thumb: Thumb, hand: int) -> bool:
        most = self.most(Mode.FEI if thumb.after is None else Mode.ZHAI, hand)
        assert thumb.own is not None
        first, upto = thumb.own
        return first <= most and (upto is None or most <= upto)

    def often(self, hand: int, actions: list[int]) -> list[bool]:
        shares = self.policy.strategy([domain(self.rules)[one] for one in actions])[hand]
        return [share >= OFTEN * max(shares) for share in shares.tolist()]

    def draws(self, hand: int, actions: list[int], uniform: float) -> int:
        history = np.array([actions], dtype=np.int64)
        return int(self.policy.draw(np.array([hand]), history, np.array([uniform]))[0])

    def rounds(self, number: int, seed: int, decide: list[Decide]) -> Iterator[list[list[int]]]:
        """Yield of each round the hands and the actions."""
        for dealt, random in deal(self.rules, number, seed):
            played: list[list[int]] = [[] for _ in dealt]
            while any(self.goes_on(one) for one in played):
                uniform = random.random(len(dealt))
                for place, actions in enumerate(played):
                    if self.goes_on(actions):
                        seat = len(actions) % self.rules.players
                        hand = int(dealt[place, seat])
                        actions.append(decide[seat](hand, [*actions], uniform[place]))
            for own, actions in zip(dealt.tolist(), played, strict=True):
                yield [own, actions]

    def goes_on(self, actions: list[int]) -> bool:
        return self.challenge not in actions

    def earned(self, own: list[int], actions: list[int], seat: int) -> float:
        """Return the points that a seat gains or pays."""
        bid = domain(self.rules)[actions[-2]]
        bidder, challenger = len(actions) - 2, len(actions) - 1
        number = sum(counted(self.rules, bid, hands(self.rules)[hand]) for hand in own)
        loser = (challenger if number >= bid.count else bidder) % self.rules.players
        return -1.0 if seat == loser else 1 / (self.rules.players - 1)


def last_of(actions: list[int]) -> int:
    return actions[-1] if actions else OPENING


def share_of(true: list[bool]) -> float:
    return sum(true) / len(true) if true else 0.0


def below_of(card: Card) -> dict[Mode | None, float]:
    return {one.after: one.below for one in card.thumbs if one.below is not None}


def test_each_hand_and_bid_has_one_rule_and_the_card_plays_it(
    policy: TablePolicy, card: Card
) -> None:
    naive, below = Naive(policy), {None: 0.0, **below_of(card)}
    for last, hand in product(range(OPENING, naive.challenge), range(len(hands(policy.rules)))):
        (thumb,) = (one for one in card.thumbs if naive.speaks(one, below[one.after], last, hand))
        says = naive.challenge if thumb.does is None else naive.says(thumb.does, last, hand)
        assert card.action[last + 1, hand] == says


def test_shares_are_those_of_the_policys_own_rounds_and_no_other_bid_is_followed_more(
    policy: TablePolicy, card: Card
) -> None:
    naive, below = Naive(policy), {None: 0.0, **below_of(card)}
    made = [
        (hand[place % len(hand)], actions[:place])
        for hand, actions in naive.rounds(ROUNDS, SEED, [naive.draws] * policy.rules.players)
        for place in range(len(actions))
    ]
    decisions = [(hand, last_of(actions), naive.often(hand, actions)) for hand, actions in made]
    for thumb in card.thumbs:
        here = [
            (hand, last, often)
            for hand, last, often in decisions
            if naive.speaks(thumb, below[thumb.after], last, hand)
        ]
        assert thumb.arises == pytest.approx(len(here) / len(decisions))
        if thumb.does is None:
            right = [often[naive.challenge] for _, _, often in here]
            assert thumb.right == pytest.approx(share_of(right))
            continue
        shares = {
            does: share_of([often[naive.says(does, last, hand)] for hand, last, often in here])
            for does in (Bidding(*one) for one in product((*Mode, None), EXTRA, (False, True)))
            if thumb.after is not None or does.mode is not None
        }
        assert thumb.right == pytest.approx(shares[thumb.does])
        assert thumb.right == pytest.approx(max(shares.values()))
    assert card.right == pytest.approx(sum(one.arises * one.right for one in card.thumbs))


def test_the_cost_is_that_of_rounds_in_each_seat(policy: TablePolicy, card: Card) -> None:
    naive, rules, deals = Naive(policy), policy.rules, 100

    def by_card(hand: int, actions: list[int], _: float) -> int:
        return int(card.action[last_of(actions) + 1, hand])

    lost = [0.0] * deals
    for seat in range(rules.players):
        decide: list[Decide] = [naive.draws] * rules.players
        decide[seat] = by_card
        for place, (own, actions) in enumerate(naive.rounds(deals, 3, decide)):
            lost[place] -= naive.earned(own, actions, seat) / rules.players
    found = cost_of(card, policy, deals, 3)
    assert found.mean == pytest.approx(mean(lost))
    assert found.margin == pytest.approx(1.96 * stdev(lost) / math.sqrt(deals), rel=1e-3)


def test_classes_of_hands_leave_no_gap() -> None:
    for classes in (OWN_OPENING, OWN_RAISE):
        for (_, upto), (first, _) in pairwise(classes):
            assert upto is not None
            assert first == upto + 1
        assert (classes[0][0], classes[-1][1]) == (0, None)
