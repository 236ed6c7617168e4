"""The budget: its account, and the worst that can happen to who keeps to it."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.policies.learning.tiny_rounds import (
    BIDS,
    HANDS,
    PRIOR,
    RULES,
    History,
    legal,
    payoff,
    solved,
    table,
)
from zhaifei.game.bids import action_count
from zhaifei.policies.learning.budget import Budget
from zhaifei.policies.learning.gifts import Gifts


def stake(account: float, value: float) -> tuple[float, float]:
    """The probability of departing, and the account after the stake."""
    budget = Budget(1, account)
    departs = budget.stake(np.array([True]), np.array([value]), np.zeros(1))
    left = float(budget.account[0])
    chance = (account - left) / (1.0 + value)
    assert departs[0] == (chance > 0.0)
    return chance, left


def test_an_account_that_covers_the_loss_stakes_it_whole() -> None:
    assert stake(1.5, -0.1) == pytest.approx((1.0, 0.6))


def test_a_smaller_one_stakes_all_it_has() -> None:
    assert stake(0.8, 0.1) == pytest.approx((0.8 / 1.1, 0.0))
    assert stake(0.0, 0.1) == (0.0, 0.0)


def test_who_does_not_want_to_stakes_nothing() -> None:
    budget = Budget(2)
    departs = budget.stake(np.array([False, True]), np.zeros(2), np.full(2, 0.99))
    assert departs.tolist() == [False, True]
    assert budget.account.tolist() == [1.0, 0.0]


@given(st.lists(st.tuples(st.floats(-0.2, 0.2), st.floats(-1.0, 1.0), st.floats(0.0, 0.999))))
def test_the_account_is_never_negative(rounds: list[tuple[float, float, float]]) -> None:
    budget, every = Budget(1), np.array([True])
    for value, expected, uniform in rounds:
        departs = budget.stake(every, np.array([value]), np.array([uniform]))
        budget.receive(np.flatnonzero(departs), np.full(departs.sum(), expected))
        assert budget.account[0] >= 0.0


# The worst case: the exact loss to an opponent who knows everything and adapts

Strategy = Callable[[History], np.ndarray]
"""[hand, action]"""


def pure(choose: Callable[[tuple[int, ...], int], int]) -> Strategy:
    """The strategy of a player who chooses among legal actions by their hand."""

    def strategy(history: History) -> np.ndarray:
        found = np.zeros((HANDS, action_count(RULES)))
        for hand in range(HANDS):
            found[hand, choose(legal(history), hand)] = 1.0
        return found

    return strategy


After = Callable[[int, float, History, int], float]
"""Called with the number of a strategy, the expected payoff given the bids and the other's hand,
the actions of the round, and the other's hand."""


def nothing(number: int, expected: float, line: History, other: int) -> float:
    return 0.0


def worst(
    place: int,
    strategies: list[tuple[float, Strategy]],
    after: After,
) -> float:
    """What the player at `place` earns at least, who plays one of the strategies with these
    probabilities. At the end of a round, `after` is added."""

    def at(history: History, other: int, reach: list[np.ndarray]) -> float:
        """Times the probability of getting here; reach is [strategy][hand]."""
        if len(history) % 2 == place:
            return sum(play(history, other, reach, action) for action in legal(history))
        return min(ends(history, other, reach, action) for action in legal(history))

    def play(history: History, other: int, reach: list[np.ndarray], action: int) -> float:
        after_it = [
            range_ * strategy(history)[:, action]
            for range_, (_, strategy) in zip(reach, strategies, strict=True)
        ]
        return ends(history, other, after_it, action)

    def ends(history: History, other: int, reach: list[np.ndarray], action: int) -> float:
        if sum(range_.sum() for range_ in reach) == 0.0:
            return 0.0
        if action < BIDS:
            return at((*history, action), other, reach)
        found = 0.0
        won = np.array([payoff(history, action, mine, other, place) for mine in range(HANDS)])
        for number, range_ in enumerate(reach):
            mass = float(range_.sum())
            if mass > 0.0:
                expected = float(range_ @ won) / mass
                found += mass * (expected + after(number, expected, (*history, action), other))
        return found

    return sum(
        prior * at((), other, [chance * PRIOR for chance, _ in strategies])
        for other, prior in enumerate(PRIOR.tolist())
    )


def self_play(strategy: Strategy) -> float:
    """What the opener earns if both play the strategy."""

    def at(history: History, ranges: list[np.ndarray]) -> float:
        mover, found = len(history) % 2, 0.0
        for action in legal(history):
            its = [*ranges]
            its[mover] = its[mover] * strategy(history)[:, action]
            if action < BIDS:
                found += at((*history, action), its)
                continue
            for mine in range(HANDS):
                for other in range(HANDS):
                    mass = its[0][mine] * its[1][other]
                    found += mass * payoff(history, action, mine, other, 0)
        return found

    return float(at((), [PRIOR, PRIOR]))


def departures() -> Iterator[Strategy]:
    """Ways to depart, each of which loses a lot to somebody."""
    yield pure(lambda legal, hand: legal[-1])
    yield pure(lambda legal, hand: legal[0])
    yield pure(lambda legal, hand: legal[min(hand, len(legal) - 1)])


@pytest.mark.parametrize("departs", [*departures()])
@pytest.mark.parametrize(
    ("rounds", "gifts"), [(1, False), (3, False), (6, False), (1, True), (3, True)]
)
def test_nobody_takes_more_than_the_budget(departs: Strategy, rounds: int, gifts: bool) -> None:
    """With what the other gives away credited to the account, and without. With gifts the account
    has many more values, so the matches are shorter."""
    given = Gifts(solved())
    plays: Strategy = table
    opener = self_play(plays)
    values = opener, -opener
    secured = [worst(place, [(1.0, plays)], nothing) for place in (0, 1)]
    assert all(one <= value + 1e-12 for one, value in zip(secured, values, strict=True))

    @cache
    def earns(number: int, account: float) -> float:
        """At least, from round `number` on."""
        if number == rounds:
            return 0.0
        place = number % 2
        chance, left = stake(account, values[place])

        def after(strategy: int, expected: float, line: History, other: int) -> float:
            received = 1.0 + expected if strategy else 0.0
            if gifts and not strategy:
                received = given.given(1 - place, other, line[:-1], line[-1])
            return earns(number + 1, round(left + received, 9))

        return worst(place, [(1.0 - chance, plays), (chance, departs)], after)

    lost = sum(secured[number % 2] for number in range(rounds)) - earns(0, 1.0)
    assert lost <= 1.0 + 1e-6
    unlimited = [worst(place, [(1.0, departs)], nothing) for place in (0, 1)]
    if rounds == 6:  # the budget limits the loss, and is used
        assert 3.0 * (sum(secured) - sum(unlimited)) > 2.0
        assert lost > 0.3
