import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.tables import queries as module
from zhaifei.solver.tables.queries import IllegalStrategy, query, verified

TABLES = bid_tables(Rules.of(dice=2, faces=2))
HANDS, BIDS = TABLES.matches.shape[1], TABLES.matches.shape[0]
OPENING, LATER, LAST = (), (3,), (BIDS - 1,)


def legal(history: tuple[int, ...]) -> np.ndarray:
    """[action] written differently from the module."""
    if not history:
        return np.array([*TABLES.legal[0], False])
    return np.array([a >= TABLES.first_raise[history[-1] + 1] for a in range(BIDS + 1)])


def uniform(history: tuple[int, ...]) -> np.ndarray:
    return np.tile(legal(history) / legal(history).sum(), (HANDS, 1))


any_history = pytest.mark.parametrize("history", [OPENING, LATER, LAST], ids=str)


@any_history
def test_a_strategy_passes_with_each_row_divided_by_its_sum(history):
    given = uniform(history) * (1 + 5e-7 * np.linspace(-1, 1, HANDS))[:, np.newaxis]
    before = given.copy()
    result = verified(TABLES, history, given)
    np.testing.assert_allclose(result.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(result, uniform(history), rtol=1e-14)
    np.testing.assert_array_equal(given, before)


def test_float32_and_lists_are_strategies_too():
    for given in (uniform(LATER).astype(np.float32), uniform(LATER).tolist()):
        result = verified(TABLES, LATER, given)
        assert result.dtype == np.float64
        np.testing.assert_allclose(result, uniform(LATER), rtol=1e-6)


@any_history
def test_every_illegal_action_is_refused(history):
    for action in np.flatnonzero(~legal(history)):
        given = uniform(history)
        given[1] = 0.0
        given[1, action] = 1.0
        with pytest.raises(IllegalStrategy, match=rf"actions \[{action}\] are not legal"):
            verified(TABLES, history, given)


def spoilt(value: float, others: float) -> np.ndarray:
    """One probability of hand 2 is `value`, and that of a challenge `others`."""
    given = uniform(LATER)
    given[2] = 0.0
    given[2, -2:] = value, others
    return given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (uniform(LATER)[:-1], "shape"),
        (uniform(LATER)[0], "shape"),
        (uniform(LATER)[:, :-1], "shape"),
        (spoilt(np.nan, 1.0), "hand 2 add up to nan"),
        (spoilt(np.inf, 0.0), "hand 2 add up to inf"),
        (spoilt(-0.5, 1.5), "hand 2 has a negative probability, -0.5"),
        (spoilt(-1e-9, 1.0), "hand 2 has a negative probability, -1e-09"),
        (spoilt(0.5, 0.5 + 2e-6), "hand 2 add up to 1"),
        (spoilt(0.5, 0.5 - 2e-6), "hand 2 add up to 0.99"),
        (spoilt(0.0, 0.0), "hand 2 add up to 0, not 1"),
        ("no strategy", "the answer is not an array of numbers"),
        (None, "shape"),
    ],
)
def test_what_is_no_strategy_is_refused_and_named(given, message):
    with pytest.raises(IllegalStrategy, match=r"after the bids \[3\].*" + message) as caught:
        verified(TABLES, LATER, given)
    assert isinstance(caught.value, ZhaifeiError)
    assert "\n" not in str(caught.value)


def test_policies_are_asked_in_batches_and_in_order(monkeypatch):
    monkeypatch.setattr(module, "BATCH", 2)
    batches = []

    def policy(histories):
        batches.append(list(histories))
        return [uniform(history) for history in histories]

    histories = [OPENING, LATER, (4,), LAST, (3, 4)]
    answers = list(query(TABLES, policy, histories))
    assert batches == [[OPENING, LATER], [(4,), LAST], [(3, 4)]]
    for history, answer in zip(histories, answers, strict=True):
        np.testing.assert_allclose(answer, uniform(history), rtol=1e-14)


def test_nobody_is_asked_for_nothing():
    assert list(query(TABLES, lambda histories: 1 / 0, [])) == []


@pytest.mark.parametrize("number", [0, 1, 3])
def test_one_answer_for_each_history(number):
    with pytest.raises(IllegalStrategy, match=f"{number} strategies for 2 histories"):
        list(query(TABLES, lambda _: [uniform(LATER)] * number, [LATER, LATER]))


def test_the_wild_face_may_open_where_the_rules_say_so():
    tables = bid_tables(preset("liars_dice", faces=3))
    given = np.full((3, tables.claimed.size + 1), 1 / tables.claimed.size)
    given[:, -1] = 0.0
    assert verified(tables, (), given).sum() == pytest.approx(3.0)
