"""What a response does is checked by playing it: by enumeration, and on the real game."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from tests.solver.measured import (
    Case,
    any_kind,
    any_variant,
    case,
    ended,
    slow_best_response,
    slow_raise,
    slow_value,
    strategy_at,
)
from tests.solver.plain_game import legal_actions
from zhaifei.game.bids import action_count, challenge_action, domain
from zhaifei.game.hands import Hand, hand_index, hands, probabilities
from zhaifei.game.rounds import Round, utilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.solver.response import gaining_decisions as module
from zhaifei.solver.response.gaining_decisions import Decisions, ExtractedResponse, extract
from zhaifei.solver.response.table_search import ResponseSearch

History = tuple[int, ...]


class Found(NamedTuple):
    tested: Case
    search: ResponseSearch
    response: ExtractedResponse


def found(key: tuple, cut: float = 0.0) -> Found:
    tested = case(*key)
    search = ResponseSearch(tested.tables, tested.table)
    search.sweep(cut)
    return Found(tested, search, extract(tested.tables, search, cut))


# What it does, enumerated


def played_value(one: Found, history: History, reach: np.ndarray) -> np.ndarray:
    """[own hand] what the response earns from where it moves, by its choices alone."""
    rules, choice = one.tested.rules, one.response.choice(history)
    values = np.zeros(len(hands(rules)))
    for action in np.unique(choice):
        assert action in legal_actions(rules, history)
        if action >= len(domain(rules)):
            earned = ended(rules, history, int(action), len(history)).T @ reach
        else:
            earned = played_raise(one, (*history, int(action)), reach)
        values = np.where(choice == action, earned, values)
    return values


def played_raise(one: Found, history: History, reach: np.ndarray) -> np.ndarray:
    rules, played = one.tested.rules, strategy_at(one.tested, history)
    value = np.zeros(len(reach))
    for reply in legal_actions(rules, history):
        part = reach * played[:, reply]
        if reply >= len(domain(rules)):
            value = value + ended(rules, history, reply, len(history) - 1) @ part
        elif part.any():
            value = value + played_value(one, (*history, reply), part)
    return value


def played_seats(one: Found) -> tuple[float, float]:
    first, second = (probabilities(one.tested.rules, seat) for seat in range(2))
    played = strategy_at(one.tested, ())
    responder = sum(
        float(second @ played_value(one, (bid,), first * played[:, bid]))
        for bid in legal_actions(one.tested.rules, ())
        if (first * played[:, bid]).any()
    )
    return float(first @ played_value(one, (), second)), responder


@any_kind
@any_variant
def test_the_exact_response_earns_the_exact_value(variant, kind):
    key = (variant, kind)
    one, exact = found(key), slow_best_response((*key, np.float32))
    assert one.response.seats == pytest.approx(exact, abs=1e-9)
    assert played_seats(one) == pytest.approx(exact, abs=1e-9)


@any_kind
@any_variant
def test_a_response_of_a_coarser_search_earns_what_it_says_or_more(variant, kind):
    short = 0
    for cut in (0.1, 0.01, 0.001):
        one = found((variant, kind), cut)
        exact = slow_best_response((variant, kind, np.float32))
        for says, earns, best in zip(one.response.seats, played_seats(one), exact, strict=True):
            assert says <= earns + 1e-12
            assert earns <= best + 1e-12
            short += earns < best - 1e-6
    if kind in ("random", "uniform"):
        assert short > 0  # Otherwise nothing was cut, and nothing tested.


@any_kind
def test_without_room_coarser_looks_are_taken(kind, monkeypatch):
    monkeypatch.setattr(module, "_ROOM", 4)
    one = found(("3 faces", kind))
    for says, earns in zip(one.response.seats, played_seats(one), strict=True):
        assert says <= earns + 1e-12
    exact = slow_best_response(("3 faces", kind, np.float32))
    if kind == "random":
        assert sum(one.response.seats) < sum(exact) - 1e-6


def test_strategies_are_the_choices_one_hot():
    one = found(("3 faces", "random"))
    (played, unknown) = one.response.strategies([(), (0, 1, 2, 3, 4)])
    assert played.argmax(axis=1).tolist() == one.response.choice(()).tolist()
    np.testing.assert_array_equal(played.sum(axis=1), 1.0)
    if (0, 1, 2, 3, 4) not in one.response.choices:
        np.testing.assert_array_equal(unknown[:, -1], 1.0)


# What it does, simulated on the real game


Mover = Callable[[History, Hand], np.ndarray]
"""What a hand does after some bids: [action]."""


def earnings(rules: Rules, opener: Mover, other: Mover, rounds: int) -> tuple[float, float]:
    """What `opener` earns in a round, on average, and four standard errors of it."""
    rng, earned = np.random.default_rng(11), []
    for _ in range(rounds):
        dice = rng.integers(1, rules.faces + 1, (2, rules.dice))
        state = Round(rules, [tuple(sorted(roll)) for roll in dice.tolist()])
        said: History = ()
        while state.settlement is None:
            played = (opener, other)[state.turn](said, tuple(state.hands[state.turn]))
            action = int(rng.choice(played.size, p=played / played.sum()))
            if action == challenge_action(rules):
                state.challenge()
            else:
                said = (*said, action)
                state.bid(domain(rules)[action])
        earned.append(utilities(rules, state.settlement)[0])
    return float(np.mean(earned)), 4.0 * float(np.std(earned)) / rounds**0.5


def simulated(
    rules: Rules, response: ExtractedResponse, policy: Mover, rounds: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """What the response earns in each seat, and four standard errors."""

    def responding(said: History, hand: Hand) -> np.ndarray:
        return np.eye(response.actions)[response.choice(said)[hand_index(rules, hand)]]

    opener, error = earnings(rules, responding, policy, rounds)
    lost, error_too = earnings(rules, policy, responding, rounds)
    return (opener, error), (-lost, error_too)


@pytest.mark.parametrize("kind", ["random", "sparse", "missing"])
@pytest.mark.parametrize("variant", ["2 dice, 3 faces", "liar's dice"])
def test_simulated_rounds_earn_the_exact_value(variant, kind):
    one = found((variant, kind))
    rules = one.tested.rules

    def policy(said: History, hand: Hand) -> np.ndarray:
        return strategy_at(one.tested, said)[hand_index(rules, hand)]

    exact = slow_best_response((variant, kind, np.float32))
    played = simulated(rules, one.response, policy, 3000)
    for value, (mean, error) in zip(exact, played, strict=True):
        assert mean == pytest.approx(value, abs=error)


@pytest.mark.slow
def test_simulated_rounds_of_the_full_game_earn_what_is_certified(full_game):
    policy = load_policy(full_game.policy)
    rules, tables = policy.rules, bid_tables(policy.rules)
    search = ResponseSearch(tables, policy.table)
    search.sweep(0.001)
    response = extract(tables, search, 0.001)

    def mover(said: History, hand: Hand) -> np.ndarray:
        return policy.strategy([domain(rules)[bid] for bid in said])[hand_index(rules, hand)]

    played = simulated(rules, response, mover, 4000)
    result = search.result()
    for bounds, says, (mean, error) in zip(result.seats, response.seats, played, strict=True):
        assert says >= bounds.lower - error / 4
        assert says > 4.0 * error  # Otherwise any strategy would do.
        assert says - error <= mean <= bounds.upper + error


# Where it earns


def slow_gain(one: Found, history: History, reach: np.ndarray, own: np.ndarray) -> float:
    """What hands `own` lose by one decision of the policy's in place of the response's."""
    rules = one.tested.rules
    values = np.full((len(hands(rules)), action_count(rules)), -np.inf)
    for action in legal_actions(rules, history):
        if action >= len(domain(rules)):
            values[:, action] = ended(rules, history, action, len(history)).T @ reach
        else:
            values[:, action] = slow_raise(one.tested, (*history, action), reach)
    np.testing.assert_allclose(values.max(axis=1), slow_value(one.tested, history, reach))
    policy = strategy_at(one.tested, history)
    expected = np.where(policy > 0, policy * values.clip(-99.0), 0.0).sum(axis=1)
    response = values[np.arange(len(own)), one.response.choice(history)]
    prior = probabilities(rules, len(history) % 2)
    return float((prior * own) @ (response - expected))


def comes_to(one: Found, seat: int, history: History) -> tuple[np.ndarray, np.ndarray]:
    """[hand] whether the response comes to `history`, and the reach of the policy."""
    own = np.ones(len(hands(one.tested.rules)), dtype=bool)
    reach = probabilities(one.tested.rules, 1 - seat).copy()
    for place, bid in enumerate(history):
        if place % 2 == seat:
            own &= one.response.choice(history[:place]) == bid
        else:
            reach *= strategy_at(one.tested, history[:place])[:, bid]
    return own, reach


@any_kind
@any_variant
def test_decisions_gain_what_one_step_of_the_policy_would_lose(variant, kind):
    one = found((variant, kind))
    decisions = Decisions(one.tested.tables, one.search, one.response).best(6)
    assert decisions
    for decision in decisions:
        own, reach = comes_to(one, decision.seat, decision.history)
        prior = probabilities(one.tested.rules, decision.seat)
        assert decision.probability == pytest.approx(prior @ own * reach.sum())
        exact = slow_gain(one, decision.history, reach, own)
        assert decision.gain.lower - 1e-12 <= exact <= decision.gain.upper + 1e-12
        assert sum(decision.does.values()) == pytest.approx(1.0)
        assert sum(decision.policy_does.values()) == pytest.approx(1.0)
    gains = [decision.gain.lower for decision in decisions]
    assert gains == sorted(gains, reverse=True)


def test_no_decision_that_gains_more_is_left_out():
    one = found(("3 faces", "random"))
    best = Decisions(one.tested.tables, one.search, one.response).best(4)
    listed = {(decision.seat, decision.history) for decision in best}
    for history in one.response.choices:
        seat = len(history) % 2
        own, reach = comes_to(one, seat, history)
        if own.any() and (seat, history) not in listed:
            assert slow_gain(one, history, reach, own) <= best[-1].gain.upper + 1e-4
