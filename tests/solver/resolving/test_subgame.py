"""Solving the rest of a round."""

import numpy as np
import pytest

from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.resolving.subgame import Alternatives, Effort, Ranges, solve
from zhaifei.solver.tables.strategy_table import strategy_after

RULES = Rules.of(dice=2, faces=3)
BIDS = bid_tables(RULES)
PRIOR = BIDS.prior[0].astype(np.float64)
MADE = (7, 8)
RANGES = Ranges(PRIOR / PRIOR.sum(), PRIOR / PRIOR.sum())
NOTHING = Alternatives(np.full(PRIOR.size, -1.0), RANGES.other, 0.2)
"""Whoever does not play on loses for certain, so all play on."""


def test_solutions_get_better_until_the_gap_is_small() -> None:
    found = [*solve(RULES, MADE, RANGES, NOTHING, Effort(gap=1e-3, passes=2000))]
    assert [one.passes for one in found] == sorted(one.passes for one in found)
    assert found[-1].gap <= 1e-3 < found[0].gap
    assert all(one.gap > 1e-3 for one in found[:-1])


@pytest.mark.parametrize("passes", [1, 20, 50])
def test_passes_are_limited(passes: int) -> None:
    *_, last = solve(RULES, MADE, RANGES, NOTHING, Effort(gap=0.0, passes=passes))
    assert last.passes == passes


def test_there_is_an_answer_however_little_time_there_is() -> None:
    found = [*solve(RULES, MADE, RANGES, NOTHING, Effort(gap=0.0, seconds=0.0))]
    assert 20 <= found[0].passes <= found[-1].passes
    assert len(found) == 2


def test_a_solution_is_for_the_position_alone() -> None:
    *_, last = solve(RULES, MADE, RANGES, NOTHING, Effort(passes=60))
    assert last.made == MADE
    assert last.table.context[0] == sum(last.table.recall.code[0][bid + 1] for bid in MADE)
    played = strategy_after(last.table, BIDS, MADE)
    assert played.sum(axis=1) == pytest.approx(1.0)
    assert not played[:, : MADE[-1] + 1].any(), "weaker bids are not legal"
    assert last.size > 0


def test_who_gets_nothing_elsewhere_plays_on() -> None:
    *_, last = solve(RULES, MADE, RANGES, NOTHING, Effort(passes=60))
    assert last.other == pytest.approx(RANGES.other, abs=1e-3)


def test_who_gets_more_elsewhere_does_not_play_on() -> None:
    believed = np.arange(1.0, PRIOR.size + 1.0)
    believed /= believed.sum()
    much = Alternatives(np.full(PRIOR.size, 1.0), RANGES.other, 0.2)
    ranges = Ranges(RANGES.own, believed)
    *_, last = solve(RULES, MADE, ranges, much, Effort(gap=0.0, passes=200))
    assert last.other == pytest.approx(believed, abs=1e-3)


def test_without_alternatives_the_range_is_what_is_believed() -> None:
    *_, last = solve(RULES, MADE, RANGES, None, Effort(passes=60))
    assert last.other == pytest.approx(RANGES.other, abs=1e-6)
