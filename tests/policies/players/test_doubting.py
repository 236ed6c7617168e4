"""Reading among players of several kinds: by hand, and against a slow twin."""

import numpy as np
import pytest

from tests.policies.players import reading_twin as twin
from tests.policies.players.reading_cases import SMALL, each_small, few_histories, indices
from zhaifei.game.chances import chance
from zhaifei.game.hands import hand_index, hands
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.shipped import shipped_path
from zhaifei.policies.players.doubting import DoubtingReading
from zhaifei.policies.players.kinds import LIMIT_SHARES, LIMITS, SHARES, Kinds
from zhaifei.policies.players.reading import PlausibleBidding, Reading
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.styles import SLIP, STOP
from zhaifei.policies.players.table_policy import load_policy


def test_shares_are_probabilities() -> None:
    assert sum(SHARES) == pytest.approx(1.0)
    assert sum(LIMIT_SHARES) == pytest.approx(1.0)
    assert len(LIMIT_SHARES) == len(LIMITS)


@each_small
def test_ranges_are_those_of_the_twin(rules: Rules) -> None:
    reading = DoubtingReading(rules)
    for history in few_histories(rules):
        found = reading.ranges(indices(rules, history))
        for range_, known in zip(found, twin.doubting_ranges(rules, history), strict=True):
            assert range_[0] == pytest.approx([sum(known[hand]) for hand in hands(rules)])


@each_small
def test_decisions_are_those_of_the_twin(rules: Rules) -> None:
    reading = DoubtingReading(rules)
    for history in few_histories(rules):
        expected = [twin.doubting_decision(rules, hand, history) for hand in hands(rules)]
        assert reading.decide_all(indices(rules, history))[0].tolist() == expected


@each_small
def test_what_was_seen_has_the_probability_of_the_twin(rules: Rules) -> None:
    kinds = Kinds(rules, PlausibleBidding(rules))
    for history in few_histories(rules):
        bids, places = indices(rules, history), twin.places_of(rules, history, 1)
        known = kinds.before(kinds.prior(1))
        for place in places:
            known = kinds.after(known, bids[:, :place], bids[:, place])
        limits, seen = kinds.ranges(known)
        weights = twin.kinds(rules, history, places)
        assert np.exp(seen[0]) == pytest.approx(sum(map(sum, weights.values())))
        expected = twin.normalised(weights)
        assert pytest.approx(np.array([expected[hand] for hand in hands(rules)])) == limits[0].T


def test_the_weakest_raise_after_another_tells_next_to_nothing() -> None:
    # Five players; 斋4×1 to 斋4×4 came one by one. With 12346 chance calls 斋4×4 true with
    # P(three of 20 dice or more show a four) = .671. Plausible bidding believed it with .774. The
    # raises tell little, and so does that 斋4×1 to 斋4×3 were not challenged: each is likelier than
    # not by itself. So the reader's belief is chance but for .03, a third of what plausible bidding
    # adds. A policy knows more styles, some of which bid what their dice support: it adds .033.
    rules = preset("zhaifei", players=5)
    history = parse_history(rules, "f6x2 f6x3 f6x4 f6x5 f6x6 z4x1 z4x2 z4x3 z4x4")
    bids, hand = indices(rules, history), np.array([hand_index(rules, (1, 2, 3, 4, 6))])
    by_chance = chance(rules, history[-1], (1, 2, 3, 4, 6), 20)
    assert by_chance == pytest.approx(0.671, abs=0.001)

    def believed(reading: Reading) -> float:
        return float(reading.likely(hand, bids)[0, bids[0, -1]])

    assert believed(Reading(rules, PlausibleBidding(rules))) == pytest.approx(0.774, abs=0.001)
    assert believed(DoubtingReading(rules)) == pytest.approx(by_chance, abs=0.03)
    path = shipped_path(rules)
    assert path is not None
    policy = ReadingPolicy(load_policy(path))
    assert believed(policy.reading) == pytest.approx(by_chance + 0.033, abs=0.001)


def test_who_climbs_does_so_by_the_formula() -> None:
    # After 飞1×2 of liars_dice with two faces: 飞2×1 and 飞2×2 are legal. The weaker one has the
    # weight 1 and the other one 1 - STOP; of these the face of the last bid is only that of 飞2×2.
    rules = SMALL[0]
    legal, last = 2, parse_history(rules, "f1x2")
    climbs = [weight / (2.0 - STOP) for weight in (1.0, 1.0 - STOP)]
    raises = parse_history(rules, "f2x1 f2x2")
    for bid, first, stays in zip(raises, climbs, (0.0, 1.0), strict=True):
        found = twin.styles(rules, last, bid, (1,))[1:]
        expected = [(1.0 - SLIP) * one + SLIP / legal for one in (first, stays)]
        assert found == pytest.approx(expected)


def test_a_raise_that_was_not_challenged_seemed_likely_to_the_raiser() -> None:
    # Three players. The second one raised 飞7×2 by the weakest raise, which says nothing of the
    # hand; but whoever holds no twos and no ones would have challenged, unless they do so late.
    rules = preset("zhaifei", players=3)
    (_, second) = DoubtingReading(rules).ranges(indices(rules, parse_history(rules, "f7x2 f7x3")))
    twos = np.array([hand.count(2) + hand.count(1) for hand in hands(rules)])
    (_, before) = DoubtingReading(rules).ranges(indices(rules, parse_history(rules, "f4x2 f4x3")))
    assert (second[0] * twos).sum() > (before[0] * twos).sum() + 0.5


def test_long_rounds_are_no_trouble() -> None:
    # The weights of 71 bids would leave the floating numbers.
    rules = preset("zhaifei", players=2)
    weakest = np.arange(94)[np.newaxis, ::2]
    for range_ in DoubtingReading(rules).ranges(weakest):
        assert np.isfinite(range_).all()
        assert range_.sum() == pytest.approx(1.0)
