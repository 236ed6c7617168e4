"""Styles of bidding, against their definition."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.players import reading_twin as twin
from tests.policies.players.reading_cases import each_small, few_histories, indices
from zhaifei.game.bids import Bid, domain, legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.policies.players.manners import SHARES, Manners
from zhaifei.policies.players.reading import PlausibleBidding


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
    for history in few_histories(rules):
        for bid in [*legal_bids(rules, history[-1] if history else None)][:3]:
            found = _styles(manners, rules, history, bid)
            for place, hand in enumerate(hands(rules)):
                assert found[:, place] == pytest.approx(twin.manners(rules, history, bid, hand))


def _styles(
    manners: Manners, rules: Rules, history: Sequence[Bid], bid: Bid
) -> NDArray[np.float64]:
    """[style, hand]"""
    return manners.styles(indices(rules, history), np.array([domain(rules).index(bid)]))[0]
