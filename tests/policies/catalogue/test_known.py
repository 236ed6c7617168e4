"""Policies that are found without being named."""

import os
import shlex
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.policies.small_policies import poor_match_policy
from zhaifei.game.bids import domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules, preset, with_dice
from zhaifei.policies.catalogue.known import (
    default_path,
    known_record,
    load_any,
    load_for,
    load_known,
)
from zhaifei.policies.catalogue.shipped import shipped_path
from zhaifei.policies.catalogue.solving import effort, how_to_solve, solve_command
from zhaifei.policies.players.features import feature_sizes
from zhaifei.policies.players.match_policy import MatchPolicy, save_match
from zhaifei.policies.players.network import LearnedPolicy, save_weights
from zhaifei.policies.players.rule_based import RandomPolicy, rule_based
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.files.storage import StorageError, save

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
        (preset("basic"), "basic-2p"),
        (
            preset("zhaifei", house=["fei-to-zhai=half", "zhai-to-fei=double-plus-one"]),
            "zhaifei-2p-5x6-fei-to-zhai-half-zhai-to-fei-double-plus-one",
        ),
        (preset("zhaifei", house=["five-alike"]), "zhaifei-2p-5x6-five-alike"),
    ],
)
def test_each_variant_has_a_file_of_its_own(rules: Rules, name: str) -> None:
    assert default_path(rules).name == f"{name}.safetensors"


def test_the_directory_is_made_only_to_write_there(data: Path) -> None:
    assert not default_path(SMALL).parent.exists()
    assert default_path(SMALL, make=True).parent.is_dir()
    assert default_path(SMALL).is_relative_to(data)


@pytest.mark.usefixtures("homeless")
def test_without_a_home_there_are_the_shipped_policies() -> None:
    assert known_path(preset("zhaifei")) == shipped_path(preset("zhaifei"))
    assert known_path(SMALL) is None
    with pytest.raises(ZhaifeiError, match="you have no home directory"):
        load_known(None, SMALL)


def recorded(path: Path, rules: Rules, *, seconds: int = 0, **training: object) -> Path:
    """Write a policy file that says `training` of itself and was last written `seconds` after the
    epoch."""
    policy = rule_based("honest", rules)
    assert isinstance(policy, TablePolicy)
    save_policy(path, replace(policy, training=training))
    os.utime(path, (seconds, seconds))
    return path


def known_path(rules: Rules) -> Path | None:
    record = known_record(rules)
    return None if record is None else Path(record.name)


@pytest.mark.parametrize(
    ("training", "answers"),
    [
        ({}, "shipped"),  # a file written before figures were recorded
        ({"exploitability": 0.0635}, "shipped"),  # a hasty run
        ({"exploitability": float("nan")}, "shipped"),
        ({"exploitability": -1.0}, "shipped"),
        ({"exploitability": "little"}, "shipped"),
        ({"nash_conv": 0.001}, "shipped"),  # the measure of more than two players
        ({"exploitability": 0.001}, "solved"),
    ],
)
def test_the_least_exploitable_policy_answers(training: dict[str, object], answers: str) -> None:
    """Of the shipped one, which is certified, and the one that was solved here."""
    full = preset("zhaifei")
    assert known_path(full) == shipped_path(full)
    solved = recorded(default_path(full, make=True), full, seconds=2**32, **training)
    assert known_path(full) == (solved if answers == "solved" else shipped_path(full))
    assert load_known(None, full).record.name == str(known_path(full))


def test_all_policies_for_the_rules_among_the_users_data_are_compared(data: Path) -> None:
    assert known_path(SMALL) is None
    default = recorded(default_path(SMALL, make=True), SMALL, seconds=4, exploitability=0.5)
    place = default.parent
    recorded(place / "unknown.safetensors", SMALL, seconds=5)
    best = recorded(place / "best.safetensors", SMALL, seconds=1, exploitability=0.25)
    recorded(place / "other.safetensors", preset("zhaifei", dice=1, faces=2), exploitability=0.0)
    recorded(data / "elsewhere.safetensors", SMALL, exploitability=0.0)
    (place / "damaged.safetensors").write_bytes(b"no tensors")
    assert known_path(SMALL) == best
    later = recorded(place / "later.safetensors", SMALL, seconds=3, exploitability=0.25)
    assert known_path(SMALL) == later


def test_of_policies_without_a_figure_the_latest_answers() -> None:
    default = recorded(default_path(SMALL, make=True), SMALL, seconds=2)
    recorded(default.with_name("a.safetensors"), SMALL, seconds=1)
    assert known_path(SMALL) == default
    late = recorded(default.with_name("b.safetensors"), SMALL, seconds=3)
    assert known_path(SMALL) == late


def test_policies_for_more_players_are_compared_by_nash_conv() -> None:
    three = preset("zhaifei", players=3, dice=1, faces=3)
    default = recorded(default_path(three, make=True), three, seconds=2, nash_conv=0.1)
    recorded(default.with_name("a.safetensors"), three, seconds=3, nash_conv=0.2)
    recorded(default.with_name("b.safetensors"), three, seconds=3, exploitability=0.01)
    assert known_record(three) == (str(default), "nash_conv", 0.1, "training")


def test_a_damaged_file_where_solve_writes_is_told_of() -> None:
    default_path(SMALL, make=True).write_bytes(b"no tensors")
    with pytest.raises(StorageError, match="is not a whole safetensors file"):
        load_known(None, SMALL)
    saved(default_path(SMALL), SMALL)
    save(default_path(SMALL), "policy", {"rules": {}}, {})
    with pytest.raises(StorageError, match="does not describe a policy"):
        load_known(None, SMALL)


def test_a_named_policy_is_recorded_as_it_would_be_unnamed(tmp_path: Path) -> None:
    path = recorded(tmp_path / "one.safetensors", SMALL, exploitability=0.25)
    expected = (str(path), "exploitability", 0.25, "training")
    assert load_known(path, None).record == load_any(path, None).record == expected
    full, shipped = preset("zhaifei"), shipped_path(preset("zhaifei"))
    assert shipped is not None
    assert load_known(shipped, None).record == known_record(full)
    assert load_known(Path("honest"), SMALL).record == (
        "honest",
        "exploitability",
        None,
        "unknown",
    )
    assert load_any(Path("single-bid"), None).record.source == "certified"
    assert load_any(Path("ppo"), None).record == ("ppo", "exploitability", None, "unknown")


def test_without_a_name_the_known_policy_is_read() -> None:
    with pytest.raises(ZhaifeiError, match=r"which goes to .*zhaifei-2p-1x3"):
        load_known(None, SMALL)
    saved(default_path(SMALL, make=True), SMALL)
    assert load_known(None, SMALL).policy.rules == SMALL


def test_a_file_brings_its_rules_unless_others_are_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "small.safetensors", SMALL)
    assert load_known(path, None).policy.rules == SMALL
    with pytest.raises(ZhaifeiError, match="is for zhaifei: 2 players, 1 die of 3"):
        load_known(path, preset("liars_dice"))


MATCH = preset("knockout", dice=(2, 1), faces=3)


def match_file(path: Path, passes: int, gain: float) -> Path:
    """Write a policy of whole matches, which says that a best response gains `gain` of them."""
    path.parent.mkdir(exist_ok=True)
    policy = poor_match_policy(MATCH, passes)
    save_match(path, replace(policy, training={"match_gain": gain}))
    return path


def test_a_policy_of_matches_is_found_for_its_rules_and_for_fewer_dice() -> None:
    assert known_record(MATCH) is None
    place = default_path(MATCH).parent
    match_file(place / "poor.safetensors", 1, 0.25)
    best = match_file(place / "best.safetensors", 2, 0.125)
    recorded(place / "round.safetensors", SMALL, exploitability=0.0)
    for rules in (MATCH, with_dice(MATCH, (1, 1))):
        found = load_for(None, rules)
        assert found.record == known_record(rules) == (str(best), "match_gain", 0.125, "training")
        assert isinstance(found.policy, MatchPolicy)
        assert found.policy.rules == MATCH
    assert load_for(best, None).record == load_any(best, MATCH).record == found.record
    assert known_record(preset("knockout", players=2, dice=3, faces=3)) is None


def test_rounds_are_not_played_by_a_policy_of_matches(tmp_path: Path) -> None:
    path = match_file(tmp_path / "match.safetensors", 1, 0.25)
    with pytest.raises(ZhaifeiError, match="is a policy of whole matches"):
        load_known(path, None)
    with pytest.raises(ZhaifeiError, match="but you asked for"):
        load_for(path, SMALL)
    with pytest.raises(ZhaifeiError, match="is not played for penalty points"):
        load_any(Path("honest"), MATCH)


def test_matches_that_are_not_solved_have_no_policy() -> None:
    with pytest.raises(RulesError):
        load_for(None, preset("increment"))


@pytest.mark.parametrize("name", ["honest", "aggressive"])
def test_players_that_are_tables_are_known_by_name(name: str) -> None:
    loaded = load_known(Path(name), SMALL).policy
    assert loaded.rules == SMALL
    bids = [*domain(SMALL)[:1]]
    np.testing.assert_array_equal(loaded.strategy(bids), rule_based(name, SMALL).strategy(bids))
    assert load_known(Path(name), None).policy.rules == preset("zhaifei")


def test_any_player_can_be_measured(tmp_path: Path) -> None:
    assert isinstance(load_any(Path("random"), SMALL).policy, RandomPolicy)
    with pytest.raises(ZhaifeiError, match="random is not a table of strategies"):
        load_known(Path("random"), SMALL)
    path = saved(tmp_path / "small.safetensors", SMALL)
    assert load_any(path, None).policy.rules == SMALL
    with pytest.raises(ZhaifeiError, match="but you asked for"):
        load_any(path, preset("liars_dice"))


def test_weights_bring_their_rules_unless_others_are_named(tmp_path: Path) -> None:
    rng, widths = np.random.default_rng(0), (sum(feature_sizes(SMALL)), 4, len(domain(SMALL)) + 1)
    layers = tuple(
        (rng.normal(size=size).astype(np.float32), np.zeros(size[1], np.float32))
        for size in pairwise(widths)
    )
    path = tmp_path / "net.safetensors"
    save_weights(path, LearnedPolicy(SMALL, "sampled", layers))
    loaded = load_any(path, None).policy
    assert isinstance(loaded, LearnedPolicy)
    assert loaded.rules == SMALL
    with pytest.raises(ZhaifeiError, match="but you asked for"):
        load_any(path, preset("liars_dice"))


@pytest.mark.parametrize(
    ("rules", "command"),
    [
        (preset("zhaifei"), "zhaifei solve"),
        (preset("zhaifei", players=7), "zhaifei solve --players 7"),
        (
            preset("zhaifei", players=3, dice=2, faces=4, jump_challenge=True),
            "zhaifei solve --players 3 --dice 2 --faces 4 --jump-challenge",
        ),
        (preset("liars_dice"), "zhaifei solve --rules liars_dice"),
        (preset("basic", players=4, dice=1), "zhaifei solve --rules basic --players 4 --dice 1"),
    ],
)
def test_the_command_that_makes_a_policy_is_told(rules: Rules, command: str) -> None:
    assert solve_command(rules) == command
    if known_record(rules) is None:
        with pytest.raises(ZhaifeiError, match=rf"'{command}'.* makes one, which goes to "):
            load_known(None, rules)
    words = shlex.split(command)[2:]
    options = dict(zip(words[::2], words[1::2], strict=False))
    assert (
        preset(
            options.get("--rules", "zhaifei"),
            **{
                size: int(options[f"--{size}"])
                for size in ("players", "dice", "faces")
                if f"--{size}" in options
            },
            jump_challenge="--jump-challenge" in words,
        )
        == rules
    )


def test_what_a_policy_takes_is_told_where_it_was_measured() -> None:
    three = preset("zhaifei", players=3)
    takes = effort(three)
    assert takes is not None
    assert str(how_to_solve(three)) == (
        f"'zhaifei solve --players 3' (about {takes.minutes:g} min and {takes.gigabytes:.1f} GB of "
        "memory on two cores)"
    )
    for other in (preset("zhaifei", players=3, dice=2), preset("basic", players=3)):
        assert effort(other) is None
        assert str(how_to_solve(other)) == f"'{solve_command(other)}'"
