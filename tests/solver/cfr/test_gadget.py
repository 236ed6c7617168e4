"""The choice before a position: exact, and safe."""

from functools import cache

import numpy as np
import pytest

from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr.gadget import Gadget
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response.replies import Replies
from zhaifei.solver.tables.strategy_table import StrategyTable, dense, strategy_after

RULES = Rules.of(dice=2, faces=3)
PRIOR = bid_tables(RULES).prior[0].astype(np.float64)
MADE = (7, 8)
"""An opening, and an odd reply."""
SHARES = [0.0, 0.2, 1.0]

any_share = pytest.mark.parametrize("share", SHARES)


PASSES = {"weak": 7, "good": 200}

any_blueprint = pytest.mark.parametrize("name", PASSES)


@cache
def blueprint(name: str) -> StrategyTable:
    solver = TreeCFR(RULES)
    while solver.passes < PASSES[name]:
        solver.advance()
    return solver.average()


class Position:
    """The position after MADE, where the first player solves again."""

    def __init__(self, table: StrategyTable, share: float) -> None:
        opening = strategy_after(table, bid_tables(RULES), ())[:, MADE[0]]
        own = PRIOR * (opening + 1e-3)
        self.own = own / own.sum()
        believed = PRIOR * np.random.default_rng(5).random(PRIOR.size)
        self.free, self.forced = (1 - share) * PRIOR, share * believed / believed.sum()
        replies = Replies(bid_tables(RULES), table)
        self.alternatives = replies.value(MADE[:1], self.own, moves=True)
        self.before = replies.value(MADE, self.own, moves=False)
        """[hand] what the opponent gets at the position against the table."""

    def training(self, passes: int, threads: int = 1) -> TreeCFR:
        parts = (self.free, self.forced, self.alternatives)
        gadget = Gadget(*(part.astype(np.float32) for part in parts))
        ranges = np.stack([self.own, self.free + self.forced]).astype(np.float32)
        root = root_of(bid_tables(RULES), MADE, ranges)
        solver = TreeCFR(RULES, threads=threads, root=root, gadget=gadget)
        while solver.passes < passes:
            solver.advance()
        return solver


@any_share
@any_blueprint
def test_what_both_players_gain_is_exact(name, share):
    position = Position(blueprint(name), share)
    for passes in (1, 12, 60):
        training = position.training(passes)
        found = training.measure()
        replies = Replies(bid_tables(RULES), training.average())
        theirs = replies.value(MADE, position.own, moves=False)
        entered = training.average_ranges()[1].astype(np.float64)
        left = position.free + position.forced - entered
        mine = replies.value(MADE, entered, moves=True)
        best = position.own @ mine - left @ position.alternatives
        chosen = position.free @ np.maximum(theirs, position.alternatives)
        assert found.earned[0] == pytest.approx(best, abs=1e-5)
        assert found.earned[1] == pytest.approx(chosen + position.forced @ theirs, abs=1e-5)
        assert found.values[0].max(axis=0) == pytest.approx(mine, abs=1e-5)
        assert found.values[1].sum(axis=0) == pytest.approx(theirs, abs=1e-5)


@any_share
@any_blueprint
def test_training_closes_the_gap(name, share):
    training = Position(blueprint(name), share).training(400)
    assert -1e-5 <= training.measure().nash_conv < 1e-3


@any_share
@any_blueprint
def test_the_opponent_gains_no_more_than_the_theorem_says(name, share):
    position = Position(blueprint(name), share)
    assert (position.before <= position.alternatives + 1e-9).all()
    training = position.training(100)
    gap = training.measure().nash_conv
    after = Replies(bid_tables(RULES), training.average()).value(MADE, position.own, moves=False)
    gained = position.free @ np.maximum(0.0, after - position.alternatives)
    assert gained <= gap + position.forced @ (position.before - after) + 1e-5


def test_without_a_gadget_the_opponent_gains_much():
    position = Position(blueprint("good"), 1.0)
    isolated = position.training(400)
    after = Replies(bid_tables(RULES), isolated.average()).value(MADE, position.own, moves=False)
    assert PRIOR @ np.maximum(0.0, after - position.alternatives) > 0.02


def test_a_range_that_is_forced_whole_is_one_without_a_choice():
    position = Position(blueprint("good"), 1.0)
    ranges = np.stack([position.own, position.forced]).astype(np.float32)
    plain = TreeCFR(RULES, root=root_of(bid_tables(RULES), MADE, ranges))
    while plain.passes < 50:
        plain.advance()
    forced = position.training(50)
    assert len(plain.grown) == len(forced.grown)
    assert dense(plain.average()).tobytes() == dense(forced.average()).tobytes()


def test_threads_change_nothing():
    position = Position(blueprint("good"), 0.2)
    one, two = (position.training(40, threads) for threads in (1, 2))
    for name, array in one.state().items():
        assert array.tobytes() == two.state()[name].tobytes(), name


def test_a_position_where_all_challenge_has_a_strategy():
    made, size = (len(bid_tables(RULES).claimed) - 2,), PRIOR.size
    training = TreeCFR(RULES, root=root_of(bid_tables(RULES), made, np.full((2, size), 1 / size)))
    training.advance()
    played = strategy_after(training.average(), bid_tables(RULES), made)
    assert training.average().context.size >= 1
    assert played[:, len(bid_tables(RULES).claimed)].min() == pytest.approx(1.0)
