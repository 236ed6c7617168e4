"""Who sits down: policies, named players, and how few become many."""

from pathlib import Path

import pytest
from small_policies import random_policy

from game.errors import ZhaifeiError
from game.rules import Rules, preset
from policies.advice import Adviser
from policies.company import FALLBACK, gather, short_name
from policies.table import save_policy

SMALL = Rules(players=3, dice=1, faces=2)


def names(players: list[object]) -> list[str]:
    return list(map(str, players))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.safetensors"
    save_policy(path, random_policy(Rules(dice=1, faces=2)))
    return path


def test_a_policy_file_says_what_the_rules_are(file: Path) -> None:
    company = gather(None, file, [])
    assert company.rules == Rules(dice=1, faces=2)
    assert names(company.opponents(1)) == [str(file)]
    assert company.adviser().advise((1,), ()).actions


def test_without_a_policy_a_rule_based_player_stands_in() -> None:
    company = gather(SMALL, None, [])
    assert names(company.opponents(2)) == [FALLBACK, FALLBACK]
    assert company.rules == SMALL
    assert isinstance(company.adviser(), Adviser)


def test_opponents_take_the_seats_in_turn() -> None:
    company = gather(SMALL, None, ["honest", "random"])
    assert names(company.opponents(2)) == ["honest", "random"]
    assert names(company.opponents(5)) == ["honest", "random", "honest", "random", "honest"]


def test_opponents_may_be_policy_files(file: Path) -> None:
    company = gather(Rules(dice=1, faces=2), None, [str(file)])
    assert names(company.opponents(1)) == [str(file)]


def test_more_opponents_than_seats_are_refused() -> None:
    company = gather(SMALL, None, ["honest", "random"])
    with pytest.raises(ZhaifeiError, match="2 opponents are named, but there are seats for 1"):
        company.opponents(1)


def test_everybody_plays_by_the_same_rules(file: Path) -> None:
    with pytest.raises(ZhaifeiError, match="plays by other rules"):
        gather(preset("zhaifei"), file, [])
    with pytest.raises(ZhaifeiError, match="plays by other rules"):
        gather(SMALL, None, [str(file)])


def test_unknown_players_are_refused() -> None:
    with pytest.raises(ZhaifeiError, match="no player is called 'nobody'"):
        gather(SMALL, None, ["nobody"])


def test_files_are_called_by_their_last_name(file: Path) -> None:
    assert short_name(gather(None, file, []).player) == "mine"
    assert short_name(gather(SMALL, None, []).player) == FALLBACK
