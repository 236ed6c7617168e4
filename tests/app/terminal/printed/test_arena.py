"""What the arena prints is what was found."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from tests.command_line import LONG
from zhaifei.app.terminal.printed.arena import (
    ExactValues,
    arena_csv,
    arena_json,
    print_arena,
    print_cross_table,
)
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure import arena as module
from zhaifei.policies.measure.arena import Standings, exact_values, play_arena
from zhaifei.policies.players.player import BatchPlayer

TWO = Rules.of(dice=2, faces=3)
THREE = Rules.of(players=3, dice=2, faces=3, jump_challenge=True)
NAMES = ("random", "honest", "aggressive")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine is too slow for an exact value."""
    monkeypatch.setattr(module, "_EXACT_SECONDS", LONG)


def arena(rules: Rules, rounds: int = 600) -> tuple[list[BatchPlayer], Standings, ExactValues]:
    players = [load_player(name, rules) for name in NAMES]
    *_, standings = play_arena(players, rules, rounds, 0)
    *_, exact = exact_values(players)
    return players, standings, exact


def shown(players: list[BatchPlayer], standings: Standings, exact: ExactValues) -> str:
    console = Console(file=io.StringIO(), width=120)
    print_arena(console, players, standings, exact)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_the_cross_table_shows_what_is_sampled_its_margin_and_what_is_exact() -> None:
    players, standings, exact = arena(TWO)
    lines = shown(players, standings, exact).splitlines()
    place = next(row for row, line in enumerate(lines) if line.startswith("2 honest"))
    first, second = standings.cells[1][0], standings.cells[1][2]
    assert lines[place].split()[2:] == [f"{first.mean:+.4f}", f"{second.mean:+.4f}"]
    assert lines[place + 1].split() == [f"±{first.margin:.4f}", f"±{second.margin:.4f}"]
    assert lines[place + 2].split() == [f"={exact[1, 2].lower:+.4f}"]


def test_columns_that_do_not_fit_are_printed_below_whole() -> None:
    names = [f"{place} player" for place in range(1, 8)]
    wide, narrow = (Console(file=io.StringIO(), width=width) for width in (200, 40))
    for console in (wide, narrow):
        print_cross_table(console, names, lambda row, column: f"{row}.000{column}\n±{column:06}")
    whole, parts = (console.file.getvalue() for console in (wide, narrow))  # type: ignore[attr-defined]
    assert "…" not in whole + parts
    assert all(len(line) <= 40 for line in parts.splitlines())
    assert sorted(re.findall(r"\d\.000\d|±\d+", parts)) == sorted(
        re.findall(r"\d\.000\d|±\d+", whole)
    )
    heads = [
        line.split() for line in parts.splitlines() if "player" not in line and "±" not in line
    ]
    # 8 characters of names; 7 of each column, and 2 before it.
    assert heads == [["1", "2", "3"], [], ["4", "5", "6"], [], ["7"]]
    assert len(re.findall("^1 player", parts, re.MULTILINE)) == 3


def test_habits_are_shown_as_rates() -> None:
    players, standings, exact = arena(THREE)
    lines = shown(players, standings, exact).splitlines()
    assert standings.ratings is not None
    found = [line.split() for line in lines if line.startswith("1 random")][-1]
    habits, rating = standings.counts[0], standings.ratings[0]
    assert habits.jumps > 0
    assert found == [
        "1",
        "random",
        f"{rating.value:.0f}",
        f"±{1.96 * rating.deviation:.0f}",
        f"{habits.lost / habits.rounds:.4f}",
        f"{habits.bids / habits.rounds:.3f}",
        f"{habits.challenges / habits.rounds:.3f}",
        f"{habits.right / habits.challenges:.1%}",
        f"{habits.true / habits.challenged:.1%}",
        f"{habits.length / habits.rounds:.2f}",
        f"{habits.jumps / habits.rounds:.4f}",
    ]


def test_without_jumps_and_exact_values_there_is_no_word_of_them() -> None:
    players, standings, exact = arena(TWO)
    assert "跳开" not in shown(players, standings, exact)
    assert "exact" in shown(players, standings, exact)
    assert "exact" not in shown(players, standings, {})


def test_what_there_is_not_is_left_open() -> None:
    """Four rounds in which nobody but the random player loses."""
    players, standings, _ = arena(Rules(), 4)
    assert standings.ratings is None
    text = shown(players, standings, {})
    assert "no ratings: some players never lost a round to some others" in text
    assert " – " in text
    found = arena_json(players, standings, {}, 0)
    assert {one["rating"] for one in found["players"]} == {None}
    assert {one["exact"] for one in found["pairs"]} == {None}
    lines = list(csv.DictReader(io.StringIO(arena_csv(players, standings, {}))))
    assert {line["rating"] for line in lines} == {""}


def test_files_are_shown_without_their_directories_and_told_in_full(tmp_path: Path) -> None:
    players, standings, exact = arena(TWO)
    named = [Named(one, str(tmp_path / f"{one}.safetensors")) for one in players]
    assert str(tmp_path) not in shown([*named], standings, exact)
    found = arena_json(named, standings, exact, 0)
    assert found["players"][1]["player"] == str(tmp_path / "honest.safetensors")


class Named:
    """A player by another name."""

    def __init__(self, one: BatchPlayer, name: str) -> None:
        self.rules, self.act, self._name = one.rules, one.act, name

    def __str__(self) -> str:
        return self._name


@pytest.mark.parametrize("rules", [TWO, THREE], ids=str)
def test_json_and_csv_tell_the_same(rules: Rules) -> None:
    players, standings, exact = arena(rules)
    found = json.loads(json.dumps(arena_json(players, standings, exact, 5)))
    assert Rules.from_dict(found["rules"]) == rules
    assert (found["seed"], found["deals"], found["rounds"]) == (
        5,
        standings.deals,
        standings.played,
    )
    lines = list(csv.DictReader(io.StringIO(arena_csv(players, standings, exact))))
    assert [line["player"] for line in lines] == list(NAMES)
    for line, one in zip(lines, found["players"], strict=True):
        assert {key: line[key] for key in one} == {key: str(value) for key, value in one.items()}
    assert len(found["pairs"]) == 6
    by_name = {line["player"]: line for line in lines}
    for pair in found["pairs"]:
        line, column = by_name[pair["row"]], pair["column"]
        assert float(line[f"saved:{column}"]) == pair["saved"]
        assert pair["upper"] - pair["saved"] == pytest.approx(float(line[f"margin:{column}"]))
        if pair["exact"] is None:
            assert line[f"exact:{column}"] == ""
        else:
            assert pair["exact"]["lower"] <= float(line[f"exact:{column}"]) + 1e-12
            assert float(line[f"exact:{column}"]) <= pair["exact"]["upper"] + 1e-12
    assert [line[f"saved:{line['player']}"] for line in lines] == [""] * 3
    assert sum(pair["exact"] is not None for pair in found["pairs"]) == len(exact)
