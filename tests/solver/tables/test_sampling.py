from fractions import Fraction

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import histories
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.solver.tables import rows
from zhaifei.solver.tables import sampling as module
from zhaifei.solver.tables import strategy_table as strategy
from zhaifei.solver.tables.recall import context_of, recall_tables
from zhaifei.solver.tables.strategy_table import strategy_table

RULES = Rules.of(players=3, dice=2, faces=2, first_count=4)
CHALLENGE = challenge_action(RULES)
both_ways = in_both_ways(module, strategy, rows)
any_dtype = pytest.mark.parametrize("dtype", [np.float32, np.uint8])


def random_rows(dtype: type) -> dict:
    """[action] the stored probabilities [hand], by the context of some last bids; many are 0."""
    rng, rows = np.random.default_rng(5), {}
    for context in range(len(domain(RULES)) + 1):
        if context and rng.random() < 1 / 3:
            continue
        played = np.sort(rng.choice(CHALLENGE + 1, rng.integers(1, 5), replace=False))
        stored = rng.integers(0, 256, (len(played), len(hands(RULES))))
        stored[rng.random(stored.shape) < 1 / 3] = 0
        stored[rng.integers(len(played)), stored.sum(axis=0) == 0] = 1
        scale = 1 if dtype is np.uint8 else np.float32(255)
        rows[context] = dict(zip(played.tolist(), (stored / scale).astype(dtype), strict=True))
    return rows


def table_of(rows: dict):
    return strategy_table(
        recall_tables(RULES, "bid"),
        np.array(list(rows)),
        np.cumsum([0, *map(len, rows.values())]),
        np.array([action for node in rows.values() for action in node], dtype=np.int16),
        np.array([stored for node in rows.values() for stored in node.values()]),
    )


def slowly(node: dict | None, hand: int, uniform: float) -> int:
    """The first action up to which the hand's probabilities add up to more than `uniform`."""
    if node is None:
        return CHALLENGE
    shares = {action: Fraction(float(stored[hand])) for action, stored in node.items()}
    upto, place = Fraction(0), Fraction(uniform) * sum(shares.values())
    for action, share in shares.items():
        upto += share
        if upto > place:
            return action
    raise AssertionError


def sample(table, hand: list, history: list, uniform: list) -> list:
    action = np.full(len(hand), 99, dtype=np.int64)
    module.sample(
        table,
        CHALLENGE,
        np.array(hand),
        np.array(history, dtype=np.int64).reshape(len(hand), -1),
        np.array(uniform),
        action,
    )
    return action.tolist()


@any_dtype
def test_actions_are_drawn_as_in_plain_python(dtype, both_ways):
    rows = random_rows(dtype)
    table, rng, unreached = table_of(rows), np.random.default_rng(6), 0
    by_length: dict[int, list] = {}
    for history in histories(RULES):
        by_length.setdefault(len(history), []).append([domain(RULES).index(bid) for bid in history])
    for length, known in by_length.items():
        chosen = [known[place] for place in rng.integers(len(known), size=60)]
        hand, uniform = rng.integers(len(hands(RULES)), size=60), rng.random(60)
        contexts = [context_of(table.recall, np.array([*history, 0]), length) for history in chosen]
        unreached += sum(context not in rows for context in contexts)
        assert sample(table, hand, chosen, uniform) == [
            slowly(rows.get(context), *drawn)
            for context, *drawn in zip(contexts, hand, uniform, strict=True)
        ]
    assert unreached > 20


@any_dtype
def test_the_ends_of_the_unit_interval_are_the_first_and_the_last_action_played(dtype, both_ways):
    shares = np.zeros((4, len(hands(RULES))), dtype=dtype)
    shares[1], shares[2] = 1, 2
    table = table_of({0: dict(zip((3, 5, 7, 9), shares, strict=True))})
    below_one = float(np.nextafter(1.0, 0.0))
    third = float(np.nextafter(1 / 3, 0.0)), float(np.nextafter(1 / 3, 1.0))
    assert sample(table, [0] * 4, [()] * 4, [0.0, *third, below_one]) == [5, 5, 7, 7]


@any_dtype
def test_a_hand_that_has_no_probability_has_no_action(dtype, both_ways):
    shares = np.ones((2, len(hands(RULES))), dtype=dtype)
    shares[:, 1] = 0
    table = table_of({0: dict(zip((3, 5), shares, strict=True))})
    assert sample(table, [0, 1, 2], [()] * 3, [0.5] * 3) == [5, module.NO_ACTION, 5]
