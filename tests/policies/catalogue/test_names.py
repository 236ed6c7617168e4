"""The players that can be named."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.policies.small_policies import poor_match_policy, random_policy
from zhaifei.game.bids import action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules, preset, preset_name
from zhaifei.policies.catalogue import increment
from zhaifei.policies.catalogue.names import (
    described_players,
    load_decider,
    load_player,
    player_names,
)
from zhaifei.policies.catalogue.shipped import SHIPPED, shipped_names
from zhaifei.policies.players.match_policy import save_match
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.rule_based import NAMES, rule_based
from zhaifei.policies.players.table_policy import save_policy
from zhaifei.solver.files.storage import StorageError

RULES = Rules.of(dice=1, faces=2)


@pytest.mark.parametrize("name", NAMES)
def test_rule_based_players_are_named(name: str) -> None:
    rules = preset("zhaifei", players=3, dice=2, jump_challenge=True)
    named, number = load_player(name, rules), len(hands(rules))
    assert (named.rules, str(named)) == (rules, name)
    hand, uniform = np.arange(number), np.random.default_rng(0).random(number)
    for history in (np.zeros((number, 0), dtype=np.int64), np.full((number, 1), 40)):
        expected = PolicyPlayer(rule_based(name, rules)).act(hand, history, uniform)
        np.testing.assert_array_equal(named.act(hand, history, uniform), expected)


@pytest.mark.parametrize("players", [2, 3, 8])
def test_the_reader_plays_for_points_with_any_number_of_players(players: int) -> None:
    rules = preset("zhaifei", players=players, dice=2, jump_challenge=True)
    assert READER in player_names(rules)
    named, number = load_player(READER, rules), len(hands(rules))
    assert (named.rules, str(named)) == (rules, READER)
    opening = np.zeros((number, 0), dtype=np.int64)
    expected = Reader(rules).strategy(()).argmax(axis=1)
    np.testing.assert_array_equal(named.act(np.arange(number), opening, np.zeros(number)), expected)


def test_the_reader_does_not_play_where_dice_are_lost() -> None:
    rules = preset("knockout")
    assert READER not in player_names(rules)
    with pytest.raises(ZhaifeiError, match="reader does not play by these rules: there are random"):
        load_decider(READER, rules, np.random.default_rng(0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", [preset("knockout", players=3), preset("increment")], ids=str)
def test_they_are_named_where_dice_are_lost_too(name: str, rules: Rules) -> None:
    assert str(load_decider(name, rules, np.random.default_rng(0))) == name
    assert name in player_names(rules)


@pytest.mark.parametrize("name", increment.NAMES)
def test_players_of_increment_are_named_there_and_nowhere_else(name: str) -> None:
    random, rules = np.random.default_rng(0), preset("increment")
    assert str(load_decider(name, rules, random)) == name
    assert name in player_names(rules)
    names = re.escape(", ".join(NAMES))
    with pytest.raises(
        ZhaifeiError, match=f"{name} does not play by these rules: there are {names}"
    ):
        load_decider(name, preset("knockout"), random)
    with pytest.raises(
        ZhaifeiError, match=f"{name} does not play by these rules: there are {names}"
    ):
        load_player(name, RULES)
    assert not {name} & {*player_names(RULES), *player_names(preset("knockout"))}


def test_all_who_are_listed_for_increment_play_it_whatever_its_size() -> None:
    rules = preset("increment", players=2, dice=2)
    names = player_names(rules)
    assert "caller-breaker" in names
    assert "q-learner" not in names
    for name in names:
        assert str(load_decider(name, rules, np.random.default_rng(0))) == name


def test_all_who_are_listed_for_published_play_it_and_the_caller_breaker_does_not() -> None:
    rules, random = preset("published"), np.random.default_rng(0)
    names = player_names(rules)
    assert [*NAMES, "random-caller", "true-probability", "q-learner"] == names
    for name in names:
        assert str(load_decider(name, rules, random)) == name
    with pytest.raises(ZhaifeiError, match="caller-breaker does not play by these rules"):
        load_decider("caller-breaker", rules, random)
    assert "q-learner" not in player_names(preset("published", dice=2))


def test_who_is_unknown_where_dice_are_lost_is_told_who_there_is() -> None:
    expected = f"no player is called 'nobody': there are {', '.join(NAMES)}"
    with pytest.raises(ZhaifeiError, match=re.escape(expected)):
        load_decider("nobody", preset("knockout"), np.random.default_rng(0))


def test_the_policy_for_knockout_plays_matches_of_two_and_no_others() -> None:
    rules, random = preset("knockout", players=2), np.random.default_rng(0)
    assert player_names(rules) == [*NAMES, "knockout-2p"]
    assert str(load_decider("knockout-2p", rules, random)) == "knockout-2p"
    for other in (preset("knockout", players=3), preset("classic", players=2)):
        assert "knockout-2p" not in player_names(other)
        with pytest.raises(ZhaifeiError, match="knockout-2p"):
            load_decider("knockout-2p", other, random)


@pytest.mark.parametrize("dice", [3, (5, 3), (1, 2)])
def test_the_policy_for_knockout_plays_from_every_number_of_dice(
    dice: int | tuple[int, int],
) -> None:
    rules, random = preset("knockout", players=2, dice=dice), np.random.default_rng(0)
    assert "knockout-2p" in player_names(rules)
    assert str(load_decider("knockout-2p", rules, random)) == "knockout-2p"


def test_a_policy_file_of_whole_matches_plays_where_its_matches_come_to(tmp_path: Path) -> None:
    path, random = tmp_path / "match.safetensors", np.random.default_rng(0)
    save_match(path, poor_match_policy(preset("knockout", dice=(2, 1), faces=3), 2))
    for dice in ((2, 1), (1, 2), (1, 1)):
        load_decider(str(path), preset("knockout", dice=dice, faces=3), random)
    for other in (
        preset("knockout", dice=(2, 2), faces=3),
        preset("knockout", dice=(2, 1), faces=4),
        preset("classic", dice=(2, 1), faces=3),
        preset("knockout", dice=1, faces=3),
    ):
        expected = f"{path} is for knockout: 2 players, 2 against 1 dice of 3 faces, but you asked"
        with pytest.raises(ZhaifeiError, match=re.escape(expected)):
            load_decider(str(path), other, random)


def test_where_dice_are_lost_nobody_plays_for_points() -> None:
    with pytest.raises(RulesError, match="knockout is not played for penalty points"):
        load_player("honest", preset("knockout"))


def test_everybody_who_has_a_name_is_described_in_one_line_by_the_rules_they_are_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    everywhere, for_points, of_two, of_bars, of_several, of_matches, of_increment, own = (
        described_players().values()
    )
    assert tuple(everywhere) == NAMES
    assert tuple(for_points) == (READER,)
    assert {*of_two, *of_bars, *of_several, *of_matches} == {*SHIPPED}
    assert [preset_name(SHIPPED[name]) for name in of_bars] == ["ktv", "southern"]
    assert all(SHIPPED[name].players == 2 for name in (*of_two, *of_bars, *of_matches))
    assert all(SHIPPED[name].players > 2 for name in of_several)
    for group, loses_dice in (
        (of_two, False),
        (of_bars, False),
        (of_several, False),
        (of_matches, True),
    ):
        assert all(SHIPPED[name].loses_dice == loses_dice for name in group)
    assert tuple(of_increment) == increment.NAMES
    assert own == {}
    for described in described_players().values():
        assert all(str(text) and "\n" not in str(text) for text in described.values())


@pytest.mark.parametrize("name", shipped_names(preset("zhaifei")))
def test_players_that_are_shipped_play_the_full_game_and_no_other(name: str) -> None:
    rules = preset("zhaifei")
    assert name in player_names(rules)
    named, number = load_player(name, rules), len(hands(rules))
    assert (named.rules, str(named)) == (rules, name)
    # After 飞3×6 斋2×6, which comes up only by switching.
    history = [action_of(rules, parse_bid(bid)) for bid in ("飞3×6", "斋2×6")]
    for length in range(3):
        bids = np.tile(np.array(history[:length], dtype=np.int64), (number, 1))
        acted = named.act(np.arange(number), bids, np.full(number, 0.5))
        assert len(set(acted.tolist())) > 1
    expected = (
        f"{name} plays only zhaifei: 2 players, 5 dice of 6 faces each, but you asked for zhai"
    )
    with pytest.raises(ZhaifeiError, match=re.escape(expected)):
        load_player(name, RULES)


def test_a_policy_file_is_a_player(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    save_policy(path, random_policy(RULES))
    named, of_policy = load_player(str(path), RULES), PolicyPlayer(random_policy(RULES))
    assert str(named) == str(path)
    hand, uniform = np.array([0, 1] * 50), np.random.default_rng(0).random(100)
    history = np.zeros((100, 0), dtype=np.int64)
    np.testing.assert_array_equal(
        named.act(hand, history, uniform), of_policy.act(hand, history, uniform)
    )


def test_the_error_for_an_unknown_name_lists_the_names() -> None:
    with pytest.raises(
        ZhaifeiError, match=f"'nobody': there are {', '.join([*NAMES, READER])}, and any"
    ):
        load_player("nobody", RULES)


def test_a_file_for_other_rules_is_refused_with_both_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    save_policy(path, random_policy(RULES))
    expected = f"mine.safetensors plays by other rules: {RULES}, not {preset('zhaifei')}"
    with pytest.raises(ZhaifeiError, match=re.escape(expected)):
        load_player(str(path), preset("zhaifei"))


def test_a_file_that_is_no_policy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("honest")
    with pytest.raises(StorageError, match=re.escape("notes.txt")):
        load_player(str(path), RULES)
