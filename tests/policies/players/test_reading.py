"""Reading: likelihoods, ranges and risks by hand and against a slow twin."""

import numpy as np
import pytest

from tests.policies.players import reading_twin as twin
from tests.policies.players.reading_cases import COIN, each_small, few_histories, indices
from zhaifei.game.bids import domain
from zhaifei.game.hands import hand_index, hands, probabilities
from zhaifei.game.notation import parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.reading import PlausibleBidding, Reading


def test_a_plausible_player_bids_what_its_own_die_supports() -> None:
    # 1x1 and 2x1 are true whatever is rolled. With a one, 1x2 is true with 1/2 and 2x2 never; with
    # a two, 1x2 is true and 2x2 with 1/2. So of power 2 and without a floor the weights are
    #     one: 1, 1/4, 1, 0        two: 1, 1, 1, 1/4
    bidding = PlausibleBidding(COIN, power=2.0, floor=0.0)
    nothing = np.zeros((4, 0), dtype=np.int64)
    opening = bidding(nothing, np.arange(4))
    assert opening[:, 0] == pytest.approx([4 / 9, 1 / 9, 4 / 9, 0])
    assert opening[:, 1] == pytest.approx([4 / 13, 4 / 13, 4 / 13, 1 / 13])
    after_1x2 = bidding(np.array([[1], [1]]), np.array([2, 3]))
    assert after_1x2 == pytest.approx(np.array([[1, 4 / 5], [0, 1 / 5]]))


def test_a_bid_tells_what_its_bidder_holds() -> None:
    # Both are as likely before. 1x2 comes with 1/9 from a one and with 4/13 from a two.
    reading = Reading(COIN, PlausibleBidding(COIN, power=2.0, floor=0.0))
    (range_,) = reading.ranges(np.array([[1]]))
    assert range_[0] == pytest.approx([13 / 49, 36 / 49])


def test_own_bids_tell_nothing_about_the_others() -> None:
    # Of three players, the second has bid 飞1×3 only; the first moves again after 飞2×3 of the
    # third, and the bids of the second and the third are all that counts.
    rules = Rules.of(players=3, dice=1, faces=3, modes=(Mode.FEI,), first_count=1)
    reading = Reading(rules, PlausibleBidding(rules))
    history = indices(rules, parse_history(rules, "f1x2 f1x3 f2x3"))
    second, third = reading.ranges(history)
    bidding = PlausibleBidding(rules)
    prior = probabilities(rules)
    for range_, place in ((second, 1), (third, 2)):
        expected = prior * bidding(history[:, :place], history[:, place])[0]
        assert range_[0] == pytest.approx(expected / expected.sum())


@pytest.mark.parametrize(
    ("own", "history", "expected"),
    [
        ("1", "", "f1x1"),  # certain, as 2x1 is, but weaker
        ("2", "f1x1", "f1x2"),  # certain, and weaker than 2x1
        ("1", "f1x1", "f2x1"),  # certain; 1x2 is not
        ("1", "f1x2", "f2x1"),  # certain
        ("2", "f2x1", "f2x2"),  # true with 4/13 : 4/9, a challenge would be wrong for certain
        ("1", "f2x1", "f2x2"),  # false for certain, as the challenge is wrong: the raise
        ("1", "f2x2", "challenge"),  # no raise is left
    ],
)
def test_the_action_of_least_risk(own: str, history: str, expected: str) -> None:
    reading = Reading(COIN, PlausibleBidding(COIN, power=2.0, floor=0.0))
    bids = parse_history(COIN, history)
    hand = np.array([hand_index(COIN, map(int, own))])
    (action,) = reading.decide(hand, indices(COIN, bids))
    names = [f"f{bid.count}x{bid.face}" for bid in domain(COIN)]
    assert [*names, "challenge"][action] == expected


@each_small
def test_likelihoods_and_ranges_are_those_of_the_twin(rules: Rules) -> None:
    power, floor = 2.5, 0.1
    reading = Reading(rules, PlausibleBidding(rules, power, floor))
    likelihood = twin.plausible(rules, power, floor)
    for history in few_histories(rules):
        found = reading.ranges(indices(rules, history))
        for range_, expected in zip(found, twin.ranges(rules, history, likelihood), strict=True):
            assert range_[0] == pytest.approx([expected[hand] for hand in hands(rules)])


@each_small
def test_decisions_are_those_of_the_twin(rules: Rules) -> None:
    power, floor = 3.0, 0.05
    reading = Reading(rules, PlausibleBidding(rules, power, floor))
    likelihood = twin.plausible(rules, power, floor)
    for history in few_histories(rules):
        expected = [twin.decision(rules, hand, history, likelihood) for hand in hands(rules)]
        assert reading.decide_all(indices(rules, history))[0].tolist() == expected


def test_a_likelihood_of_ones_leaves_what_was_known_before_the_round() -> None:
    rules = preset("zhaifei", players=3)
    blind = Reading(rules, PlausibleBidding(rules, power=0.0))
    history = indices(rules, parse_history(rules, "f4x2 f4x6 f5x6"))
    for range_ in blind.ranges(history):
        assert range_[0] == pytest.approx(probabilities(rules))
