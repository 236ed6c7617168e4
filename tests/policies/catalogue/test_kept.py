"""The policies that the user has solved."""

from pathlib import Path

import pytest

from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.kept import kept_descriptions, kept_or_path
from zhaifei.policies.catalogue.known import default_path
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.players.rule_based import RandomPolicy
from zhaifei.policies.players.table_policy import TablePolicy, save_policy

RULES = preset("zhaifei", dice=1, faces=3, house=["ones-highest"])
NAME = "zhaifei-2p-1x3-ones-highest"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a policy in the user's data."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = default_path(RULES, make=True)
    policy = RandomPolicy(RULES).tabulated()
    assert isinstance(policy, TablePolicy)
    save_policy(path, policy)
    return path


def test_a_policy_is_a_player_by_the_name_of_its_file(kept: Path) -> None:
    assert kept_or_path(NAME) == kept
    player = load_player(NAME, RULES)
    assert (str(player), player.rules) == (NAME, RULES)


def test_a_file_of_that_name_comes_first_and_other_names_are_paths(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert kept_or_path("other") == Path("other")
    (tmp_path / NAME).touch()
    assert kept_or_path(NAME) == Path(NAME)


def test_policies_are_described_by_their_rules_and_other_files_are_not(kept: Path) -> None:
    (kept.parent / "broken.safetensors").write_bytes(b"nothing")
    assert {name: str(does) for name, does in kept_descriptions().items()} == {
        NAME: "solved for zhaifei with ones highest: 2 players, 1 die of 3 faces each"
    }


def test_players_that_come_with_the_package_keep_their_names(kept: Path) -> None:
    (kept.parent / "zhaifei-2p.safetensors").write_bytes(kept.read_bytes())
    assert [*kept_descriptions()] == [NAME]
