"""What self-play earns, against the sum over all deals of hands."""

import pytest

from tests.solver import measured
from tests.solver.black_boxes import DOUBLED, DOUBLED_BY_SEVERAL, VARIANTS, rules_of
from tests.solver.kernels import in_both_ways
from tests.solver.random_tables import KEPT, AskedTable, grown, with_holes
from tests.solver.twins.self_play_twin import SelfPlayTwin
from zhaifei.game.tables import bid_tables
from zhaifei.solver import showdown
from zhaifei.solver.tables import rows, strategy_table
from zhaifei.solver.tables.strategy_table import StrategyTableError
from zhaifei.solver.value import self_play as module
from zhaifei.solver.value import table_walk

both_ways = in_both_ways(module, table_walk, showdown, rows, strategy_table)

any_variant = pytest.mark.parametrize("variant", VARIANTS | DOUBLED | DOUBLED_BY_SEVERAL)


@pytest.mark.parametrize("kept", KEPT)
@any_variant
def test_earnings_are_those_of_all_deals(both_ways, variant, kept):
    rules = rules_of(variant)
    bids, table = bid_tables(rules), with_holes(rules, kept)
    found, twin = module.self_play(bids, table), SelfPlayTwin(AskedTable(rules, table))
    for bounds, value in zip(found, twin.earned, strict=True):
        assert bounds.lower <= value <= bounds.upper
        assert bounds.gap < 1e-9


def test_stopping_now_and_then_changes_nothing(monkeypatch):
    bids, table = bid_tables(rules_of("3 players, jump")), with_holes(rules_of("3 players"), 1.0)
    whole = module.self_play(bids, table)
    monkeypatch.setattr(module, "_NODES_PER_CALL", 1)
    stopped = module.self_play(bids, table)
    assert stopped == whole


def test_many_bids_whose_codes_are_scrambled():
    """No more than 62 bids have a bit of the context each."""
    rules = measured.Rules.of(players=3, dice=2)
    bids, table = bid_tables(rules), grown(rules, 40)
    assert bids.kind.size > 62
    found = module.self_play(bids, table)
    assert any(bounds.lower > 0.0 for bounds in found)
    assert sum(bounds.lower for bounds in found) == pytest.approx(0.0, abs=1e-9)


def test_a_table_that_forgets_is_refused():
    case = measured.case("2 faces", "random")
    with pytest.raises(StrategyTableError, match="does not remember all bids"):
        module.self_play(case.tables, case.table)
