"""Styles of bidding, against their definition."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.players.reading_cases import each_small, few_histories, indices
from zhaifei.game.bids import Bid, domain, legal_bids
from zhaifei.game.chances import chance
from zhaifei.game.hands import Hand, hands, probabilities
from zhaifei.game.rules import Rules
from zhaifei.policies.learning.manners import BOLD, FLAT, LIKELY, SHARES, SHARP, Manners
from zhaifei.policies.players.reading import FLOOR, POWER, PlausibleBidding
from zhaifei.policies.players.styles import SLIP, STOP

FIRST = 3
"""The number of styles that `Kinds` has too."""


def test_shares_are_probabilities() -> None:
    assert sum(SHARES) == pytest.approx(1.0)


@each_small
def test_each_style_makes_one_of_the_legal_raises(rules: Rules) -> None:
    manners = Manners(rules, PlausibleBidding(rules))
    for history in few_histories(rules):
        bids = legal_bids(rules, history[-1] if history else None)
        if bids:
            total = sum(_styles(manners, rules, history, bid) for bid in bids)
            assert total == pytest.approx(np.ones_like(total))


@each_small
def test_styles_are_those_of_the_definition(rules: Rules) -> None:
    manners = Manners(rules, PlausibleBidding(rules))
    assert len(manners.shares) == FIRST + 5
    for history in few_histories(rules):
        legal = [*legal_bids(rules, history[-1] if history else None)]
        for bid in legal[:3]:
            found = _styles(manners, rules, history, bid)[FIRST:]
            for place, hand in enumerate(hands(rules)):
                assert found[:, place] == pytest.approx(_expected(rules, legal, bid, hand))


def _styles(
    manners: Manners, rules: Rules, history: Sequence[Bid], bid: Bid
) -> NDArray[np.float64]:
    """[style, hand]"""
    return manners.styles(indices(rules, history), np.array([domain(rules).index(bid)]))[0]


def _expected(rules: Rules, legal: Sequence[Bid], bid: Bid, hand: Hand) -> list[float]:
    def likely(one: Bid, hand: Hand) -> float:
        return chance(rules, one, hand, rules.total_dice - len(hand))

    def plausible(power: float, hand: Hand) -> float:
        weights = [(FLOOR + likely(one, hand)) ** power for one in legal]
        return weights[legal.index(bid)] / sum(weights)

    def first(least: float, order: Sequence[Bid]) -> float:
        enough = [one for one in order if likely(one, hand) >= least]
        if not enough:
            return plausible(POWER, hand)
        shares = [(1.0 - STOP) ** number for number in range(len(enough))]
        share = shares[enough.index(bid)] / sum(shares) if bid in enough else 0.0
        return (1.0 - SLIP) * share + SLIP * plausible(POWER, hand)

    every = zip(probabilities(rules).tolist(), hands(rules), strict=True)
    return [
        plausible(SHARP, hand),
        plausible(FLAT, hand),
        sum(prior * plausible(POWER, other) for prior, other in every),
        first(LIKELY, legal),
        first(BOLD, legal[::-1]),
    ]
