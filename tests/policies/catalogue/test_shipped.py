"""The players that come with the package."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from game.errors import ZhaifeiError
from game.rules import preset
from game.tables import bid_tables
from policies.catalogue.names import load_player, player_names
from policies.catalogue.shipped import (
    LEARNED,
    certified,
    data_files,
    shipped_descriptions,
    shipped_player_path,
)
from policies.play.simulation import play_rounds
from policies.players.network import LearnedPolicy
from policies.players.player import PolicyPlayer
from solver.tables.queries import verified
from tests.policies.players.test_network import some_histories

RULES = preset("zhaifei")


@pytest.mark.parametrize("name", LEARNED)
def test_learned_players_come_with_the_package(name: str) -> None:
    assert name in player_names(RULES)
    one = load_player(name, RULES)
    assert str(one) == name
    assert isinstance(one, PolicyPlayer)
    assert isinstance(one.policy, LearnedPolicy)
    assert one.policy.training["algorithm"] == name
    assert one.policy.training["command"].startswith(f"zhaifei train {name} --steps ")
    assert shipped_player_path(name, RULES).stat().st_size < 1_000_000
    histories = some_histories(RULES, 20)
    for history, strategy in zip(histories, one.policy.strategies(histories), strict=True):
        verified(bid_tables(RULES), history, strategy)


@pytest.mark.parametrize("name", LEARNED)
def test_learned_players_have_learnt(name: str) -> None:
    """They take most rounds from who plays at random."""
    lost = play_rounds(
        (load_player(name, RULES), load_player("random", RULES)), RULES, 2000, seed=1
    )
    assert lost[:, 0].mean() < 0.2


def test_learned_players_tell_how_long_they_learnt() -> None:
    described = shipped_descriptions()
    for name in LEARNED:
        assert re.search(rf"{name.upper()} .*in [\d.]+ million steps", str(described[name]))


def test_learned_players_play_no_other_rules() -> None:
    for rules in (preset("basic"), preset("zhaifei", dice=4), preset("zhaifei", players=3)):
        assert not {*LEARNED} & {*player_names(rules)}
        with pytest.raises(ZhaifeiError, match=r"ppo plays only zhaifei: 2 players, 5 dice"):
            load_player("ppo", rules)


def test_greedy_players_play_one_action_and_others_mix() -> None:
    likeliest = {
        name: load_player(name, RULES).policy.strategy([]).max(axis=1)  # type: ignore[attr-defined]
        for name in LEARNED
    }
    np.testing.assert_array_equal(likeliest["dqn"], 1.0)
    assert likeliest["ppo"].min() < 0.9


@pytest.mark.parametrize(
    ("name", "sha256", "figure"),
    [
        (
            "zhaifei-2p",
            "97e04616d1fc151f0062c44526e4ab1e7f58007e3bb44fea2c2539f7f5f484d7",
            0.028265,
        ),
        (
            "single-bid",
            "60805ada16a77bbf6f060750d6f2ebea754f514511759c2ca67322c52076710f",
            0.483028,
        ),
    ],
)
def test_certified_figures_are_of_these_very_files(name: str, sha256: str, figure: float) -> None:
    """The intervals that `zhaifei evaluate` printed for them are in README.md and RESULTS.md."""
    (path,) = [path for path in data_files() if path.stem == name]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    assert certified(path) == figure


def test_only_shipped_files_are_certified(tmp_path: Path) -> None:
    assert certified(tmp_path / "zhaifei-2p.safetensors") is None
    assert [path.stem for path in data_files() if certified(path) is not None] == [
        "single-bid", "zhaifei-2p",
    ]  # fmt: skip
