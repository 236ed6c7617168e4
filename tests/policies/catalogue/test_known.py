"""Policies that are found without being named."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from game.bids import domain
from game.errors import ZhaifeiError
from game.rules import Rules, preset
from policies.catalogue.known import default_path, known_path, load_any, load_known
from policies.catalogue.shipped import shipped_path
from policies.players.features import sizes
from policies.players.network import LearnedPolicy, save_weights
from policies.players.rule_based import RandomPolicy, rule_based
from policies.players.table_policy import TablePolicy, save_policy

SMALL = preset("zhaifei", dice=1, faces=3)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for the user's data."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def saved(path: Path, rules: Rules) -> Path:
    """A policy file, made here."""
    policy = rule_based("honest", rules)
    assert isinstance(policy, TablePolicy)
    save_policy(path, policy)
    return path


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        (preset("zhaifei"), "zhaifei-2p"),
        (preset("zhaifei", players=4), "zhaifei-4p"),
        (preset("zhaifei", players=4, jump_challenge=True), "zhaifei-4p-jump"),
        (preset("zhaifei", dice=2), "zhaifei-2p-2x6"),
        (preset("basic"), "basic-2p-5x6"),
    ],
)
def test_each_variant_has_a_file_of_its_own(rules: Rules, name: str) -> None:
    assert default_path(rules).name == f"{name}.safetensors"


def test_the_directory_is_made_only_to_write_there(data: Path) -> None:
    assert not default_path(SMALL).parent.exists()
    assert default_path(SMALL, make=True).parent.is_dir()
    assert default_path(SMALL).is_relative_to(data)


def test_what_was_solved_here_goes_before_what_is_shipped() -> None:
    assert known_path(SMALL) is None
    assert known_path(preset("zhaifei")) == shipped_path(preset("zhaifei"))
    solved = saved(default_path(preset("zhaifei"), make=True), preset("zhaifei"))
    assert known_path(preset("zhaifei")) == solved


def test_without_a_name_the_known_policy_is_read() -> None:
    with pytest.raises(ZhaifeiError, match=r"which goes to .*zhaifei-2p-1x3"):
        load_known(None, SMALL)
    saved(default_path(SMALL, make=True), SMALL)
    assert load_known(None, SMALL).rules == SMALL


def test_a_file_brings_its_rules_unless_others_are_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "small.safetensors", SMALL)
    assert load_known(path, None).rules == SMALL
    with pytest.raises(ZhaifeiError, match="is for other rules: zhaifei: 2 players, 1 die of 3"):
        load_known(path, preset("liars_dice"))


@pytest.mark.parametrize("name", ["honest", "aggressive"])
def test_players_that_are_tables_are_known_by_name(name: str) -> None:
    loaded = load_known(Path(name), SMALL)
    assert loaded.rules == SMALL
    bids = [*domain(SMALL)[:1]]
    np.testing.assert_array_equal(loaded.strategy(bids), rule_based(name, SMALL).strategy(bids))
    assert load_known(Path(name), None).rules == preset("zhaifei")


def test_any_player_can_be_measured(tmp_path: Path) -> None:
    assert isinstance(load_any(Path("random"), SMALL), RandomPolicy)
    with pytest.raises(ZhaifeiError, match="random is no table of strategies"):
        load_known(Path("random"), SMALL)
    path = saved(tmp_path / "small.safetensors", SMALL)
    assert load_any(path, None).rules == SMALL
    with pytest.raises(ZhaifeiError, match="is for other rules"):
        load_any(path, preset("liars_dice"))


def test_weights_bring_their_rules_unless_others_are_named(tmp_path: Path) -> None:
    rng, widths = np.random.default_rng(0), (sum(sizes(SMALL)), 4, len(domain(SMALL)) + 1)
    layers = tuple(
        (rng.normal(size=size).astype(np.float32), np.zeros(size[1], np.float32))
        for size in pairwise(widths)
    )
    path = tmp_path / "net.safetensors"
    save_weights(path, LearnedPolicy(SMALL, "sampled", layers))
    loaded = load_any(path, None)
    assert isinstance(loaded, LearnedPolicy)
    assert loaded.rules == SMALL
    with pytest.raises(ZhaifeiError, match="plays by other rules"):
        load_any(path, preset("liars_dice"))
