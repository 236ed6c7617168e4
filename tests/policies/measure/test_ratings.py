"""Ratings agree with closed forms, with a derivative-free optimiser, and with the strengths from
which rounds were sampled."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from zhaifei.policies.measure.ratings import MEAN, ratings, ratings_of_winners

PER_STRENGTH = 400.0 / math.log(10.0)
Floats = NDArray[np.float64]


def nothing_varies(players: int) -> Floats:
    return np.zeros((players, players))


def values(held: Floats, lost: Floats) -> list[float]:
    found = ratings(held, lost, nothing_varies(held.shape[1]))
    assert found is not None
    return [rating.value for rating in found]


def pairs(players: int) -> Floats:
    return np.array(
        [
            [float(place in (one, other)) for place in range(players)]
            for one in range(players)
            for other in range(one + 1, players)
        ]
    )


def test_a_player_that_loses_one_round_in_eleven_is_400_above() -> None:
    assert values(np.ones((1, 2)), np.array([[1.0, 10.0]])) == pytest.approx([1700, 1300])


def test_players_that_lose_equally_often_are_rated_equal() -> None:
    assert values(np.ones((1, 3)), np.full((1, 3), 7.0)) == pytest.approx([MEAN] * 3)


def test_players_who_never_meet_are_compared_through_others() -> None:
    """The first loses 1 to 2 against the second, who loses 1 to 4 against the third: 1 to 8 between
    the first and the third."""
    held = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    first, second, third = values(held, np.array([[10.0, 20.0, 0.0], [0.0, 10.0, 40.0]]))
    assert first - second == pytest.approx(400 * math.log10(2))
    assert second - third == pytest.approx(400 * math.log10(4))


def test_more_seats_allow_more_lost_rounds() -> None:
    """With one seat against three, losing a quarter of the rounds is fair."""
    assert values(np.array([[1.0, 3.0]]), np.array([[5.0, 15.0]])) == pytest.approx([MEAN, MEAN])


def test_the_estimate_maximises_the_likelihood() -> None:
    random = np.random.default_rng(0)
    held = np.array([[1, 1, 1, 0], [1, 1, 0, 1], [0, 1, 1, 1], [2, 0, 0, 1], [0, 0, 1, 2]], float)
    lost = random.integers(1, 60, size=held.shape) * (held > 0)

    def unlikely(free: Floats) -> float:
        strength = np.append(free, -free.sum())
        total = 0.0
        for seats, losses in zip(held, lost, strict=True):
            weight = seats * np.exp(-strength)
            for share, count in zip(weight / weight.sum(), losses, strict=True):
                total -= count * math.log(share) if count else 0.0
        return total

    best = minimize(unlikely, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-9}).x
    expected = MEAN + PER_STRENGTH * np.append(best, -best.sum())
    np.testing.assert_allclose(values(held, lost), expected, atol=1e-3)


def test_two_players_have_the_standard_error_of_a_proportion() -> None:
    """With n independent rounds, log odds have the standard error 1 / sqrt(n p q), half of it for
    each player."""
    lost, rounds = np.array([[30.0, 70.0]]), 100
    variance = rounds * 0.3 * 0.7
    covariance = variance * np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = ratings(np.ones((1, 2)), lost, covariance)
    assert found is not None
    expected = PER_STRENGTH / math.sqrt(rounds * 0.3 * 0.7) / 2
    assert [rating.deviation for rating in found] == pytest.approx([expected, expected])


def test_ratings_scatter_around_the_strengths_as_they_say() -> None:
    random = np.random.default_rng(1)
    strength, rounds, number = np.array([-0.5, 0.0, 0.1, 0.4]), 200, 400
    held = pairs(4)
    share = held * np.exp(-strength)
    share /= share.sum(axis=1, keepdims=True)
    found, claimed = [], []
    for _ in range(number):
        lost = np.array([random.multinomial(rounds, row) for row in share], dtype=np.float64)
        covariance = sum(rounds * (np.diag(row) - np.outer(row, row)) for row in lost / rounds)
        one = ratings(held, lost, covariance)
        assert one is not None
        found.append([rating.value for rating in one])
        claimed.append([rating.deviation for rating in one])
    deviation, mean = np.std(found, axis=0, ddof=1), np.mean(found, axis=0)
    expected = MEAN + PER_STRENGTH * (strength - strength.mean())
    assert (np.abs(mean - expected) <= 4.0 * deviation / math.sqrt(number)).all()
    # A standard deviation from n samples has a relative error of about 1 / sqrt(2 n).
    np.testing.assert_allclose(np.mean(claimed, axis=0), deviation, rtol=4 / math.sqrt(2 * number))


def test_a_player_that_wins_ten_matches_of_eleven_is_400_above() -> None:
    found = ratings_of_winners(np.ones((1, 2)), np.array([[10.0, 1.0]]), nothing_varies(2))
    assert found is not None
    assert [rating.value for rating in found] == pytest.approx([1700, 1300])


def test_ratings_of_winners_recover_strengths_from_matches_of_four() -> None:
    """Players hold one or several seats and win in proportion to exp(strength)."""
    random, rounds, number = np.random.default_rng(2), 400, 300
    strength = np.array([-0.4, 0.0, 0.3, 0.6])
    held = np.array([[1, 1, 1, 1], [1, 3, 0, 0], [0, 2, 1, 1], [1, 0, 2, 1]], float)
    share = held * np.exp(strength)
    share /= share.sum(axis=1, keepdims=True)
    found, claimed = [], []
    for _ in range(number):
        won = np.array([random.multinomial(rounds, row) for row in share], dtype=np.float64)
        covariance = sum(rounds * (np.diag(row) - np.outer(row, row)) for row in won / rounds)
        one = ratings_of_winners(held, won, covariance)
        assert one is not None
        found.append([rating.value for rating in one])
        claimed.append([rating.deviation for rating in one])
    deviation, mean = np.std(found, axis=0, ddof=1), np.mean(found, axis=0)
    expected = MEAN + PER_STRENGTH * (strength - strength.mean())
    # The estimate is biased by some hundredths of its deviation, the mean scatters by a 17th.
    assert (np.abs(mean - expected) <= 4.5 * deviation / math.sqrt(number)).all()
    np.testing.assert_allclose(np.mean(claimed, axis=0), deviation, rtol=4 / math.sqrt(2 * number))


def test_a_player_that_never_wins_is_not_rated_and_does_not_affect_the_others() -> None:
    held = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    won = np.array([[10.0, 1.0, 0.0], [0.0, 9.0, 0.0]])
    covariance = np.array([[2.0, -2.0, 0.0], [-2.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    found = ratings_of_winners(held, won, covariance)
    alone = ratings_of_winners(held[:1, :2], won[:1, :2], covariance[:2, :2])
    assert found is not None
    assert alone is not None
    assert found[2] is None
    for one, expected, value in zip(found[:2], alone, [1700, 1300], strict=True):
        assert one is not None
        assert expected is not None
        assert one.value == pytest.approx(value)
        assert one.deviation == pytest.approx(expected.deviation) != 0.0


def test_a_single_winner_has_no_rating() -> None:
    assert ratings_of_winners(np.ones((1, 2)), np.array([[9.0, 0.0]]), nothing_varies(2)) is None


@pytest.mark.parametrize("losses", [(1.0, 99_999.0), (1.0, 1e9), (1e9, 1e9 + 1.0)])
def test_lopsided_and_many_rounds_are_rated_too(losses: tuple[float, float]) -> None:
    first, second = values(np.ones((1, 2)), np.array([losses]))
    expected = 400 * math.log10(losses[1] / losses[0])
    assert first - second == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    ("lost", "rated"),
    [
        ([[0, 9, 0], [0, 0, 9], [9, 0, 5]], True),
        ([[0, 9, 0], [0, 4, 9], [0, 0, 9]], True),
        ([[5, 0, 0], [0, 5, 5], [5, 0, 0]], False),
    ],
    ids=["a circle", "the first never loses", "the first only loses"],
)
def test_there_are_no_ratings_if_one_group_never_loses_to_another(
    lost: list[list[int]], rated: bool
) -> None:
    held = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], float)
    found = ratings(held, np.array(lost, float), nothing_varies(3))
    assert (found is not None) == rated
    if found is not None:
        assert [one is not None for one in found] == np.array(lost).any(axis=0).tolist()
