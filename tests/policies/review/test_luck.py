"""Luck and skill, against every deal and every line of play of games small enough for that."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np
import pytest

from tests.policies.small_policies import Naive, legal_actions, random_policy
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.policies.play.played import PlayedRound, played_round
from zhaifei.policies.play.simulation import utilities_of
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.luck import (
    START,
    LinesDeal,
    RoundLuck,
    Shares,
    TableDeal,
    deal_values,
    round_luck,
    sampled_seat_values,
    seat_values,
)
from zhaifei.policies.review.seat_values import SeatValues

TWO = Rules.of(dice=1, faces=3, modes=(Mode.FEI,))
THREE = Rules.of(players=3, dice=1, faces=2, modes=(Mode.FEI,), jump_challenge=True)
SEAT = 1


def deals(rules: Rules) -> Iterator[tuple[float, tuple[tuple[int, ...], ...]]]:
    """Every deal by seat, with its probability."""
    dice = list(zip(probabilities(rules).tolist(), hands(rules), strict=True))
    for dealt in product(dice, repeat=rules.players):
        yield prod(share for share, _ in dealt), tuple(hand for _, hand in dealt)


def rounds(
    rules: Rules, players: Sequence[Naive], starter: int
) -> Iterator[tuple[float, PlayedRound]]:
    """Every round that `players` [seat] may play, with its probability."""
    for share, dealt in deals(rules):
        waiting = [(share, ())]
        while waiting:
            likely, actions = waiting.pop()
            seat = (starter + len(actions)) % rules.players
            bids = tuple(domain(rules)[bid] for bid in actions)
            for action in legal_actions(rules, bids):
                chance = likely * players[seat].plays(dealt[seat], bids, action)
                taken = (*actions, action)
                if chance > 0.0 and action < challenge_action(rules):
                    waiting.append((chance, taken))
                elif chance > 0.0:
                    yield chance, played_round(rules, starter, dealt, taken)


def exact_worth(policy: TablePolicy) -> SeatValues:
    """What the seats are worth, over all deals."""
    worth = sum(share * deal_values(policy, dealt).start() for share, dealt in deals(policy.rules))
    return SeatValues(tuple(np.asarray(worth).tolist()), 0.0)


def told(rules: Rules, known: Sequence[int], starter: int) -> list[tuple[float, float, RoundLuck]]:
    """The probability, what SEAT earned and its luck for every round between strangers to the
    policy, of whom those in the seats `known` are known."""
    policy = random_policy(rules, seed=0)
    players = [random_policy(rules, seed=1 + seat) for seat in range(rules.players)]
    worth = exact_worth(policy)
    strategies = {seat: players[seat] for seat in known}
    found = []
    for share, played in rounds(rules, [Naive(one) for one in players], starter):
        assert played.losses is not None
        luck = round_luck(policy, worth, played, SEAT, strategies)
        earned = utilities_of(np.array(played.losses))[SEAT]
        found.append((share, float(earned), luck))
    return found


@pytest.mark.parametrize(
    ("rules", "known", "starter"),
    [(TWO, (), 0), (TWO, (0,), 0), (TWO, (0, 1), 1), (THREE, (0, 2), 0), (THREE, (2,), 2)],
)
def test_luck_is_nothing_on_the_average_whoever_plays(
    rules: Rules, known: tuple[int, ...], starter: int
) -> None:
    rounds_told = told(rules, known, starter)
    assert sum(share for share, *_ in rounds_told) == pytest.approx(1.0)
    assert sum(share * luck.dice for share, _, luck in rounds_told) == pytest.approx(0.0, abs=1e-6)
    assert sum(share * luck.draws for share, _, luck in rounds_told) == pytest.approx(0.0, abs=1e-9)
    for _, earned, luck in rounds_told:
        assert luck.value + luck.luck + luck.skill == pytest.approx(earned)
    assert any(luck.draws != 0.0 for *_, luck in rounds_told) == bool(known)


def test_it_takes_variance_away_among_players_of_the_policy() -> None:
    policy = random_policy(TWO, seed=0)
    worth, own, seen = exact_worth(policy), [], []
    for known in ({}, {0: policy}):
        told_so = [
            (share, round_luck(policy, worth, played, SEAT, known))
            for share, played in rounds(TWO, [Naive(policy)] * 2, starter=0)
        ]
        own.append(variance([(share, luck.skill) for share, luck in told_so]))
        seen = [(share, luck.earned) for share, luck in told_so]
    only_dice, with_draws = own
    assert (variance(seen), only_dice, with_draws) == pytest.approx(VARIANCES, abs=1e-3)
    assert with_draws < only_dice < variance(seen)


def variance(values: list[tuple[float, float]]) -> float:
    """Of values with their probabilities."""
    mean = sum(share * value for share, value in values)
    return sum(share * (value - mean) ** 2 for share, value in values)


VARIANCES = (0.9717, 0.8206, 0.4358)
"""Of what is earned, without the luck of the dice, and without that of the opponent's draws."""


def test_a_round_between_players_of_the_policy_is_all_luck() -> None:
    policy = random_policy(TWO, seed=0)
    worth = exact_worth(policy)
    for _, played in rounds(TWO, [Naive(policy)] * 2, starter=0):
        luck = round_luck(policy, worth, played, SEAT, {0: policy, 1: policy})
        assert luck.skill == pytest.approx(0.0, abs=1e-6)


def test_the_share_of_luck_is_the_regression_on_earlier_rounds() -> None:
    shares = Shares()
    assert shares.next == START == 0.5
    # As if 20 rounds with a variance of .25 had come before: 5 in total, of which half fits.
    shares.learn(RoundLuck(value=0.1, dice=1.5, draws=0.5, share=0.5, earned=1.1))
    assert shares.next == pytest.approx((2.5 + 1.0 * 2.0) / (5.0 + 4.0))
    for _ in range(1000):
        shares.learn(RoundLuck(value=0.0, dice=1.0, draws=0.0, share=0.5, earned=-1.0))
    assert shares.next == 0.0


def test_a_share_of_luck_is_nothing_on_the_average_too() -> None:
    told = RoundLuck(value=0.1, dice=0.4, draws=-0.2, share=0.5, earned=1.0)
    assert told.luck == pytest.approx(0.1)
    assert told.skill == pytest.approx(0.8)


def test_rounds_with_unknown_dice_are_not_corrected() -> None:
    policy = random_policy(TWO, seed=0)
    worth = exact_worth(policy)
    _, played = next(rounds(TWO, [Naive(policy)] * 2, starter=0))
    hidden = PlayedRound(0, played.dice, (None, played.hands[1]), played.actions, played.losses)
    luck = round_luck(policy, worth, hidden, SEAT, {0: policy})
    assert (luck.dice, luck.draws) == (0.0, 0.0)
    assert luck.skill == pytest.approx(
        utilities_of(np.array(played.losses))[SEAT] - worth.values[1]
    )


def test_both_ways_to_value_a_deal_agree_with_enumeration() -> None:
    policy = random_policy(TWO, seed=3)
    naive = Naive(policy)
    for _, dealt in deals(TWO):
        table, lines = TableDeal(policy, dealt), LinesDeal(policy, dealt, nodes=1000)
        start = sum(
            naive.plays(dealt[0], (), action) * naive.earns((), dealt, action)
            for action in legal_actions(TWO, ())
        )
        for values in (table, lines):
            np.testing.assert_allclose(values.start(), start, atol=1e-6)
        bids = (0, 2)
        history = tuple(domain(TWO)[bid] for bid in bids)
        for action in legal_actions(TWO, history):
            right = naive.earns(history, dealt, action)
            for values in (table, lines):
                np.testing.assert_allclose(values.after(bids, action), right, atol=1e-6)


def test_lines_beyond_the_likeliest_are_guessed_as_challenged() -> None:
    policy = random_policy(TWO, seed=3)
    dealt = hands(TWO)[0], hands(TWO)[0]
    values = LinesDeal(policy, dealt, nodes=1)
    played = policy.strategy(())[0]
    challenge = challenge_action(TWO)
    right = sum(
        played[action] * values.after((action,), challenge) for action in np.flatnonzero(played)
    )
    np.testing.assert_allclose(values.start(), right)


def test_the_worth_of_seats_is_that_over_all_deals() -> None:
    policy = random_policy(TWO, seed=0)
    assert seat_values(policy).values == pytest.approx(exact_worth(policy).values, abs=1e-6)


def test_the_worth_of_more_seats_is_sampled() -> None:
    policy = random_policy(THREE, seed=0)
    exact = exact_worth(policy)
    assert policy.rules.players == 3
    assert as_played(policy) is not policy
    sampled = sampled_seat_values(policy, 2000)
    assert sum(sampled.values) == pytest.approx(0.0, abs=1e-9)
    # The error is half a 95% confidence interval: twice that is four standard errors.
    assert sampled.values == pytest.approx(exact.values, abs=2 * sampled.error)
