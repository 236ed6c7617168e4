"""Engines: which one solves what, and what determines a run."""

import pytest

from game.rules import Rules, preset
from policies.training.engines import ExactEngine, Setup, choose_engine
from solver.header import Header

RULES = Rules(dice=1, faces=2)
SETUPS = {
    "exact": Setup(RULES, "exact", "full", 0, 1),
    "tree": Setup(RULES, "tree", "full", 0, 2),
    "sampled": Setup(RULES, "mccfr", "bid,bid", 3, 1),
    "single-bid": Setup(RULES, "single-bid", "bid", 0, 1),
}
any_setup = pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)


@any_setup
def test_setups_survive_their_dictionary(setup: Setup) -> None:
    assert Setup.from_header(Header(setup.to_dict())) == setup
    assert setup.build().recall == setup.recall


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
    assert choose_engine(Rules(players=3, dice=1, faces=2), None) == "tree"


def test_the_exact_engine_stops_at_the_goal() -> None:
    engine = ExactEngine(preset("liars_dice", faces=3))
    while engine.iterations < 1000:
        engine.advance_towards(1000)
    assert engine.iterations == 1008  # 9 pairs of hands in each of its own iterations
