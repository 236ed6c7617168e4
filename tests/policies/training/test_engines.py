"""Engines: which one solves what, and what determines a run."""

import math

import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.research.single_bid_engine import single_bid_setup
from zhaifei.policies.training.engines import (
    ENGINES,
    ExactEngine,
    Setup,
    _measured_after,
    choose_engine,
)
from zhaifei.solver.cfr.exact import ExactSolver
from zhaifei.solver.files.header import Header

RULES = Rules.of(dice=1, faces=2)
SETUPS = {
    "exact": Setup(RULES, "exact", "full", 0, 1),
    "tree": Setup(RULES, "tree", "full", 0, 2),
    "sampled": Setup(RULES, "mccfr", "bid,bid", 3, 1),
    "single-bid": single_bid_setup(RULES),
}
any_setup = pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)


@any_setup
def test_setups_survive_their_dictionary(setup: Setup) -> None:
    assert Setup.from_header(Header(setup.to_dict())) == setup
    assert setup.build().recall == setup.recall


def test_an_engine_that_is_not_loaded_says_which_module_adds_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(ENGINES, "single-bid")
    with pytest.raises(
        ZhaifeiError, match=r"import zhaifei\.policies\.research\.single_bid_engine"
    ):
        SETUPS["single-bid"].build()


def test_games_are_solved_without_sampling_unless_a_recall_is_named() -> None:
    assert choose_engine(RULES, None) == "exact"
    assert choose_engine(preset("zhaifei"), None) == "tree"
    assert choose_engine(RULES, "bid,bid") == "mccfr"
    assert choose_engine(preset("zhaifei"), "bid,bid") == "mccfr"
    for players in range(3, 9):
        for jump in (False, True):
            several = preset("zhaifei", players=players, jump_challenge=jump)
            assert choose_engine(several, None) == "tree"
            assert choose_engine(several, "bid,bid,bid") == "mccfr"
    assert choose_engine(Rules.of(players=3, dice=1, faces=2), None) == "tree"


def test_the_exact_engine_measures_after_the_same_iterations_however_they_are_split() -> None:
    """From any number of iterations, it goes on to the same next ones."""
    after = [_measured_after(iterations) for iterations in range(5000)]
    measures = sorted(set(after))
    assert measures[:4] == [16, 32, 48, 64]
    for iterations, then in enumerate(after):
        assert then == min(one for one in measures if one > iterations)
        assert then - iterations <= max(16, iterations // 32)


def test_the_exact_engine_measures_itself() -> None:
    engine = ExactEngine(preset("liars_dice", faces=3))
    found = []
    while engine.iterations < 9 * 40:
        engine.advance_towards(9 * 40)
        found.append((engine.iterations // 9, engine.nash_conv))
    assert all(math.isnan(nash_conv) == (done < 16) for done, nash_conv in found)
    at_32 = ExactSolver(preset("liars_dice", faces=3))
    at_32.run(32)
    assert found[-1] == (40, 2 * at_32.exploitability().exploitability)


def test_the_exact_engine_stops_at_the_goal() -> None:
    engine = ExactEngine(preset("liars_dice", faces=3))
    while engine.iterations < 1000:
        engine.advance_towards(1000)
    assert engine.iterations == 1008  # 9 pairs of hands in each of its own iterations
