"""Who sits down: policies, named players, and how few become many."""

from pathlib import Path

import pytest

from tests.policies.small_policies import poor_match_policy, random_policy
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.play.lineup import FALLBACK, Lineup, choose_lineup
from zhaifei.policies.players.match_policy import save_match
from zhaifei.policies.players.player import Player, short_name
from zhaifei.policies.players.table_policy import save_policy

SMALL = Rules.of(players=3, dice=1, faces=2)
TWO = Rules.of(dice=1, faces=2)


def standing_in(*opponents: str, rules: Rules = SMALL) -> Lineup:
    return choose_lineup(None, rules, opponents)


def names(players: list[Player]) -> list[str]:
    return list(map(str, players))


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.safetensors"
    save_policy(path, random_policy(TWO))
    return str(path)


def test_without_opponents_the_policy_takes_all_seats(file: str) -> None:
    company = choose_lineup(Path(file), None, [])
    assert company.rules == TWO
    assert names(company.opponents(3)) == [file] * 3


@pytest.mark.parametrize("rules", [preset("knockout", dice=(2, 1), faces=3), TWO])
def test_a_policy_gives_hints_at_every_table_that_it_plays_at(rules: Rules, tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    if rules == TWO:
        save_policy(path, random_policy(TWO))
    else:
        save_match(path, poor_match_policy(rules, 1))
    company = choose_lineup(path, rules, [])
    assert company.policy is not None
    assert (company.rules, company.policy.rules, company.policy_name) == (rules, rules, str(path))


def test_a_rule_based_player_can_stand_in_for_a_policy() -> None:
    company = standing_in()
    assert company.rules == SMALL
    assert names(company.opponents(2)) == [FALLBACK, FALLBACK]
    assert company.player.rules == SMALL


def test_opponents_take_the_seats_in_turn() -> None:
    company = standing_in("honest", "random")
    assert names(company.opponents(2)) == ["honest", "random"]
    assert names(company.opponents(5)) == ["honest", "random", "honest", "random", "honest"]


def test_opponents_may_be_policy_files(file: str) -> None:
    assert names(standing_in(file, rules=TWO).opponents(1)) == [file]


def test_more_opponents_than_seats_are_refused() -> None:
    with pytest.raises(ZhaifeiError, match="2 opponents are named, but there are seats for 1"):
        standing_in("honest", "random").opponents(1)


def test_everybody_plays_by_the_same_rules(file: str) -> None:
    with pytest.raises(ZhaifeiError, match="plays by other rules"):
        standing_in(file)


def test_unknown_players_are_refused() -> None:
    with pytest.raises(ZhaifeiError, match="no player is called 'nobody'"):
        standing_in("nobody")


def test_files_are_called_by_their_last_name(file: str) -> None:
    assert short_name(standing_in(file, rules=TWO).opponents(1)[0]) == "mine"
    assert short_name(standing_in().player) == FALLBACK


def test_where_dice_are_lost_a_rule_based_player_takes_the_seats_of_nobody_named() -> None:
    rules = preset("knockout")
    assert [str(one) for one in choose_lineup(None, rules, []).opponents(3)] == [FALLBACK] * 3
    named = choose_lineup(Path("random"), rules, ["honest", "aggressive"])
    assert (named.rules, str(named.player)) == (rules, "random")
    assert [str(one) for one in named.opponents(3)] == ["honest", "aggressive", "honest"]
