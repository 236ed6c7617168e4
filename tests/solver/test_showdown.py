"""Challenges: every form against every combination of hands, counted one by one."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.measured import VARIANTS, any_variant, payoff
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver import showdown

both_ways = in_both_ways(showdown)
TWO = [Rules.of(dice=2, faces=3), Rules.of(dice=1, faces=6), Rules.of(dice=3, faces=2)]
THREE = Rules.of(players=3, dice=2, faces=2)
two_players = pytest.mark.parametrize("rules", TWO, ids=["2x3", "1x6", "3x2"])


def some_range(rules: Rules, seed: int = 0) -> np.ndarray:
    """A range that does not sum to 1, with a hand that is impossible."""
    range_ = np.random.default_rng(seed).random(len(hands(rules)))
    range_[1] = 0.0
    return range_


def deals(rules: Rules, ranges) -> list[tuple[tuple, float]]:
    """Every combination of hands, and its mass."""
    numbered = list(enumerate(hands(rules)))
    return [
        (
            tuple(hand for _, hand in deal),
            prod(r[i] for r, (i, _) in zip(ranges, deal, strict=True)),
        )
        for deal in product(numbered, repeat=len(ranges))
    ]


def is_true(rules: Rules, bid: int, deal) -> bool:
    made = domain(rules)[bid]
    return count_dice(rules, made, deal) >= made.count


def by_dice(rules: Rules, bid: int, range_: np.ndarray) -> list[float]:
    """The mass of the hands with exactly 0, 1, ... dice that count."""
    made = domain(rules)[bid]
    counted = [count_dice(rules, made, [hand]) for hand in hands(rules)]
    return [
        sum(mass for mass, count in zip(range_, counted, strict=True) if count == number)
        for number in range(rules.dice + 1)
    ]


# Distributions


@two_players
def test_every_form_counts_the_same_dice(rules, both_ways):
    bids, range_ = bid_tables(rules), some_range(rules)
    single = range_.astype(np.float32)
    (listed,) = range_.nonzero()
    for bid in range(len(domain(rules))):
        wanted = by_dice(rules, bid, range_)
        counts = np.full((2, rules.dice + 1), 7, dtype=np.float32)
        showdown.count_having(single, single.sum(), bids.matches[bid].astype(np.uint32), counts[0])
        showdown.count_matching(single, bids.matches[bid], rules.dice, counts[1])
        np.testing.assert_allclose(counts, [wanted, wanted], atol=1e-5)
        double = np.full(rules.dice + 1, 7.0)
        showdown.count_listed(listed, range_[listed], listed.size, bids.matches[bid], double)
        np.testing.assert_allclose(double, wanted, atol=1e-14)
        showdown.accumulate(double)
        np.testing.assert_allclose(double, np.cumsum(wanted[::-1])[::-1], atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dice_of_several_players_are_added_up(dtype, both_ways):
    parts = np.random.default_rng(3).random((3, 3)).astype(dtype)
    total = np.zeros(7, dtype=dtype)
    total[0] = 1.0
    for place, counts in enumerate(parts):
        showdown.convolve(total, 2 * (place + 1), counts, 2)
    wanted = np.convolve(np.convolve(*parts[:2]), parts[2])
    np.testing.assert_allclose(total, wanted, rtol=1e-5)
    assert total.dtype == dtype


# Payments


@two_players
def test_every_form_for_two_players_pays_what_all_pairs_of_hands_do(rules, both_ways):
    bids, range_ = bid_tables(rules), some_range(rules)
    for bid, challenges in product(range(len(domain(rules))), (False, True)):
        pays = payoff(rules, bid)  # [bidder's hand, challenger's hand]
        wanted = -(pays.T @ range_) if challenges else pays @ range_
        sign = -1.0 if challenges else 1.0
        claimed, matches = bids.claimed[bid], bids.matches[bid]

        exact = np.array(by_dice(rules, bid, range_))
        earned = np.zeros(rules.dice + 1, dtype=np.float32)
        one = np.float32(1.0)
        showdown.pay_walker(exact.astype(np.float32), claimed, one, one, challenges, earned)
        np.testing.assert_allclose(earned[matches], wanted, atol=1e-5)

        tails, paid = exact.copy(), np.zeros(rules.dice + 1)
        showdown.accumulate(tails)
        showdown.pay(claimed, tails, sign, paid)
        np.testing.assert_allclose(paid[matches], wanted, atol=1e-13)

        result, scratch = np.zeros(range_.size), np.zeros(rules.dice + 2)
        showdown.settle_range(claimed, matches, range_, sign, scratch, result)
        np.testing.assert_allclose(result, wanted, atol=1e-13)


@two_players
def test_the_mass_of_true_bids_is_that_of_the_pairs_for_which_they_are(rules, both_ways):
    bids, one, other = bid_tables(rules), some_range(rules), some_range(rules, 1)
    for bid in range(len(domain(rules))):
        tails = np.array(by_dice(rules, bid, other))
        showdown.accumulate(tails)
        counts = np.array(by_dice(rules, bid, one))
        true = one @ (payoff(rules, bid) > 0.0) @ other
        assert showdown.true_mass(bids.claimed[bid], counts, tails) == pytest.approx(true)


def test_the_mass_of_false_bids_is_given_for_every_number_of_own_dice(both_ways):
    rules, bids = THREE, bid_tables(THREE)
    ranges = [some_range(rules, seed) for seed in range(2)]
    for bid, made in enumerate(domain(rules)):
        total = np.zeros(rules.players * rules.dice + 1, dtype=np.float32)
        counts = showdown.matching_dice(bids.matches[bid], ranges, rules.dice)
        total[: counts.size] = counts
        false_mass = np.full(rules.dice + 1, 7, dtype=np.float32)
        mass = showdown.sum_false(total, counts.size - 1, made.count, false_mass)
        assert mass == pytest.approx(ranges[0].sum() * ranges[1].sum(), rel=1e-5)
        for hand in hands(rules):
            false = sum(
                part
                for deal, part in deals(rules, ranges)
                if not is_true(rules, bid, (hand, *deal))
            )
            own = count_dice(rules, made, [hand])
            assert false_mass[own] == pytest.approx(false, abs=1e-5)


def test_who_loses_pays_and_all_others_share(both_ways):
    assert showdown.payoffs(2.0, 5, 1, 1, 3) == (-2.0, 0.5)  # the challenger
    assert showdown.payoffs(2.0, 5, 3, 1, 3) == (0.5, -2.0)  # the bidder
    assert showdown.payoffs(2.0, 5, 0, 1, 3) == (0.5, 0.5)
    for true, false in ((0.3, 0.0), (0.0, 0.4), (0.3, 0.4)):
        paid = showdown.paid_by_seat(5, 1, -2, true, false)
        for seat in range(5):
            if_true, if_false = showdown.payoffs(1.0, 5, seat, 1, 3)
            assert paid[seat] == pytest.approx(if_true * true + if_false * false)
        assert paid.sum() == pytest.approx(0.0)


def test_a_bid_holds_from_the_number_of_dice_on_that_it_is_short_of(both_ways):
    assert [bool(showdown.holds(2, matching)) for matching in range(4)] == [
        False,
        False,
        True,
        True,
    ]
    assert showdown.holds(-1, 0)


# Several players


def test_the_probability_that_a_bid_is_true_is_that_of_all_deals():
    rules, bids = THREE, bid_tables(THREE)
    ranges = [some_range(rules, seed) for seed in range(2)]
    for bid, (own, hand) in product(range(len(domain(rules))), enumerate(hands(rules))):
        counts = showdown.matching_dice(bids.matches[bid], ranges, rules.dice)
        claimed, matching = int(bids.claimed[bid]), int(bids.matches[bid, own])
        found = showdown.true_and_false(claimed, matching, counts)
        every = deals(rules, ranges)
        true = sum(mass for deal, mass in every if is_true(rules, bid, (hand, *deal)))
        total = sum(mass for _, mass in every)
        assert found == pytest.approx((true, total - true))
        assert showdown.probability_true(claimed, matching, counts) == pytest.approx(true / total)


def test_many_turns_at_once_are_settled_as_each_by_itself():
    rules, bids = THREE, bid_tables(THREE)
    batch = showdown.BatchShowdowns(bids)
    movers = np.array([some_range(rules, seed) for seed in range(4)])
    bystander = some_range(rules, 9)
    tails = batch.tails([bystander[np.newaxis]])
    for bid in range(len(domain(rules))):
        column = np.array([[bid]])
        counts = batch.count(movers)[:, np.newaxis, :, batch.kind[bid]]
        true = batch.true_mass(counts, column, np.repeat(tails, 4, axis=0))
        for turn, mover in enumerate(movers):
            alone = showdown.matching_dice(bids.matches[bid], (mover, bystander), rules.dice)
            for own in range(rules.dice + 1):
                wanted, _ = showdown.true_and_false(int(bids.claimed[bid]), own, alone)
                assert true[turn, 0, own] == pytest.approx(wanted)
        spread = batch.spread(true, np.array([bid]))
        np.testing.assert_allclose(spread, true[:, 0, bids.matches[bid]])


# Rules


@any_variant
def test_the_prior_is_restored_to_full_precision(variant):
    rules = VARIANTS[variant][0]
    restored = showdown.showdown_tables(bid_tables(rules)).prior
    expected = [probabilities(rules, player) for player in range(rules.players)]
    np.testing.assert_allclose(restored, expected, rtol=1e-15)


@pytest.mark.parametrize("rules", [Rules(), Rules.of(dice=9, faces=3), Rules.of(dice=4, faces=9)])
def test_the_prior_of_large_variants_is_restored_to_full_precision(rules):
    restored = showdown.showdown_tables(bid_tables(rules)).prior
    np.testing.assert_allclose(restored, [probabilities(rules)] * rules.players, rtol=1e-14)
