"""Engines: which one solves what, and what determines a run."""

import pytest

from game.rules import Rules, preset
from policies.training.engines import ExactEngine, Setup, choose_engine, default_recall
from solver.header import Header
from solver.tables.recall import recall_tables

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


def test_two_players_are_solved_without_sampling_unless_a_recall_is_named() -> None:
    assert choose_engine(RULES, None) == "exact"
    assert choose_engine(preset("zhaifei"), None) == "tree"
    assert choose_engine(RULES, "bid,bid") == "mccfr"
    assert choose_engine(preset("zhaifei"), "bid,bid") == "mccfr"
    assert choose_engine(preset("zhaifei", players=3), None) == "mccfr"


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("jump_challenge", [False, True])
def test_what_every_other_player_last_bid_is_remembered(players: int, jump_challenge: bool) -> None:
    rules = preset("zhaifei", players=players, jump_challenge=jump_challenge)
    recall = default_recall(rules)
    features = recall.split(",")
    assert len(features) >= players - 1
    assert "-" not in features
    if players > 2:
        assert not any("<" in feature for feature in features)  # whatever the strength is
    assert recall_tables(rules, recall).until.size == len(features)


def test_the_exact_engine_stops_at_the_goal() -> None:
    engine = ExactEngine(preset("liars_dice", faces=3))
    while engine.iterations < 1000:
        engine.advance_towards(1000)
    assert engine.iterations == 1008  # 9 pairs of hands in each of its own iterations
