"""Where a policy file is named, what plays and advises is its table with reading."""

from pathlib import Path

import numpy as np
import pytest

from tests.policies.small_policies import every_other_node, random_policy
from tests.solver.dense_tables import with_rows
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.play.lineup import choose_lineup
from zhaifei.policies.players.player import PLAIN, short_name
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.tables.strategy_table import dense

THREE, TWO = Rules.of(players=3, dice=1, faces=2), Rules.of(dice=1, faces=2)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The file of a table of three players that does not store all histories."""
    path = tmp_path / "three.safetensors"
    save_policy(path, every_other_node(random_policy(THREE)))
    return path


def test_tables_of_three_players_and_full_recall_read() -> None:
    plain = every_other_node(random_policy(THREE))
    played = as_played(plain)
    assert isinstance(played, ReadingPolicy)
    assert played.plain is plain


def test_tables_of_two_players_and_those_that_forget_play_as_they_are() -> None:
    two = random_policy(TWO)
    assert as_played(two) is two
    forgets = rule_based("honest", THREE)
    assert isinstance(forgets, TablePolicy)
    assert as_played(forgets) is forgets


def test_a_file_plays_with_reading_and_plain_without(saved: Path) -> None:
    reads, plain = (load_player(name, THREE) for name in (str(saved), f"{PLAIN}{saved}"))
    assert isinstance(reads, PolicyPlayer)
    assert isinstance(plain, PolicyPlayer)
    assert isinstance(reads.policy, ReadingPolicy)
    assert isinstance(plain.policy, TablePolicy)
    assert [short_name(one) for one in (reads, plain)] == ["three", f"{PLAIN}three"]


def test_where_nothing_is_at_the_path_plain_is_unknown_too(saved: Path) -> None:
    with pytest.raises(ZhaifeiError, match="no player is called 'plain:nothing'"):
        load_player(f"{PLAIN}nothing", THREE)
    with pytest.raises(ZhaifeiError, match="no player is called 'plain:'"):
        load_player(PLAIN, THREE)


def test_at_a_table_the_policy_plays_and_gives_hints_with_reading(saved: Path) -> None:
    lineup = choose_lineup(saved, THREE, ())
    assert isinstance(lineup.player, PolicyPlayer)
    assert isinstance(lineup.player.policy, ReadingPolicy)
    assert isinstance(lineup.policy, TablePolicy)
    assert isinstance(as_played(lineup.policy), ReadingPolicy), "so hints are"


def test_a_damaged_table_is_refused_also_where_it_reads() -> None:
    policy = random_policy(THREE)
    spoilt = dense(policy.table)
    spoilt[-1, 0] = np.inf
    table = with_rows(policy.table, spoilt)
    damaged = TablePolicy(policy.rules, policy.recall, table)
    player = PolicyPlayer(ReadingPolicy(damaged), "Ann")
    every = np.arange(len(hands(THREE)))
    history, uniform = np.zeros((every.size, 0), dtype=np.int64), np.full(every.size, 0.5)
    with pytest.raises(ZhaifeiError, match="do not add up to 1"):
        player.act(every, history, uniform)
