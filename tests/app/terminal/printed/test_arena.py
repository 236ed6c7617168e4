"""What the arena prints of rounds and of matches is what was found."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from tests.command_line import LONG
from zhaifei.app.terminal.printed.arena import (
    arena_csv,
    arena_json,
    print_arena,
    print_cross_table,
)
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure import arena as module
from zhaifei.policies.measure.arena import (
    Entrants,
    ExactValues,
    Standings,
    entrants,
    exact_values,
    play_arena,
)
from zhaifei.policies.measure.voting import maximal_lottery, soft_condorcet
from zhaifei.policies.players.decider import TwoStepDecider
from zhaifei.policies.players.player import BatchPlayer

TWO = Rules.of(dice=2, faces=3)
THREE = Rules.of(players=3, dice=2, faces=3, jump_challenge=True)
NAMES = ("random", "honest", "aggressive")
KNOCKOUT = preset("knockout", players=3, dice=2)
INCREMENT = preset("increment", players=3, dice=2)
MATCH_NAMES = ("honest", "probabilistic", "best-supported")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine is too slow for an exact value."""
    monkeypatch.setattr(module, "_EXACT_SECONDS", LONG)


def arena(rules: Rules, rounds: int = 600) -> tuple[list[BatchPlayer], Standings, ExactValues]:
    players = [load_player(name, rules) for name in NAMES]
    *_, standings = play_arena(players, rules, rounds, 0)
    *_, exact = exact_values(players)
    return players, standings, exact


def shown(players: Entrants, standings: Standings, exact: ExactValues) -> str:
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


def test_rankings_are_those_of_the_margins_that_are_shown() -> None:
    """Between two strategy tables the margin is exact, and the order is read from it."""
    players, standings, exact = arena(TWO)
    assert exact
    found = arena_json(players, standings, exact, 0)
    margins = np.zeros((3, 3))
    for pair in found["pairs"]:
        known = pair["exact"]
        value = pair["saved"] if known is None else (known["lower"] + known["upper"]) / 2.0
        margins[NAMES.index(pair["row"]), NAMES.index(pair["column"])] = value
    assert found["soft_condorcet"] == soft_condorcet(margins).tolist()
    assert found["maximal_lottery"] == pytest.approx(maximal_lottery(margins))
    *_, lottery, scores = shown(players, standings, exact).splitlines()
    best = max(range(3), key=found["soft_condorcet"].__getitem__)
    assert scores.startswith(f"soft Condorcet: {best + 1} {NAMES[best]} 100 · ")
    assert scores.count("·") == 2
    sent = [one for one in found["maximal_lottery"] if one > 0.0005]
    assert lottery.startswith("maximal lottery: ")
    assert lottery.count("%") == len(sent)


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


# matches


class Forfeiting(TwoStepDecider):
    """Never makes a valid bid."""

    def __str__(self) -> str:
        return "forfeiting"

    def challenge_bid(self, seen: View) -> bool:
        return False

    def make_bid(self, seen: View) -> None:
        return None


def matches(rules: Rules, *more: Forfeiting) -> tuple[Entrants, Standings]:
    players = [*entrants(MATCH_NAMES[: 3 - len(more)], rules, 0), *more]
    *_, standings = play_arena(players, rules, 120, 0)
    return players, standings


def lines_of(text: str, name: str) -> list[list[str]]:
    """What stands after the name, table by table."""
    return [line.split()[2:] for line in text.splitlines() if line[2:].startswith(f"{name} ")]


def test_who_wins_how_often_comes_first() -> None:
    players, standings = matches(KNOCKOUT)
    result, *_ = lines_of(shown(players, standings, {}), "honest")
    won, habits = standings.rates[0], standings.counts[0]
    assert standings.ratings is not None
    rating = standings.ratings[0]
    assert rating is not None
    assert result == [
        f"{rating.value:.0f}",
        f"±{1.96 * rating.deviation:.0f}",
        f"{won.mean:.1%}",
        f"±{won.margin:.1%}",
        f"{habits.lost / 120:.2f}",
        f"{habits.all_rounds / 120:.1f}",
    ]


def test_the_cross_table_tells_how_much_more_the_row_wins() -> None:
    players, standings = matches(KNOCKOUT)
    text = shown(players, standings, {}).splitlines()
    place = [row for row, line in enumerate(text) if line.startswith("2 probabilistic")][1]
    first, _, third = standings.cells[1]
    assert text[place].split()[2:] == [f"{first.mean:+.1%}", f"{third.mean:+.1%}"]
    assert text[place + 1].split() == [f"±{first.margin:.1%}", f"±{third.margin:.1%}"]
    assert "all other seats" not in "".join(text)


def test_who_sits_alone_is_told_where_entrants_are_too_few_for_a_table() -> None:
    players = entrants(MATCH_NAMES[:2], KNOCKOUT, 0)
    *_, standings = play_arena(players, KNOCKOUT, 60, 0)
    assert standings.alone is not None
    alone = standings.alone[0][1]
    assert alone is not None
    text = shown(players, standings, {})
    assert "the row wins when the column has all other seats" in text
    assert lines_of(text, "honest")[2] == [f"{alone.mean:.1%}"]
    found = arena_json(players, standings, {}, 0)["pairs"][0]["won_alone"]
    assert found == {"mean": alone.mean, "lower": alone.lower, "upper": alone.upper}


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=str)
def test_habits_are_shown_as_rates_and_out_of_turn_only_where_there_is_any(rules: Rules) -> None:
    players, standings = matches(rules)
    text = shown(players, standings, {})
    *_, found = lines_of(text, "best-supported")
    habits = standings.counts[2]
    expected = [
        f"{habits.bids / habits.rounds:.3f}",
        f"{habits.challenges / habits.rounds:.3f}",
        f"{habits.right / habits.challenges:.1%}",
        f"{habits.true / habits.challenged:.1%}",
        f"{habits.length / habits.rounds:.2f}",
    ]
    if rules.stakes.out_of_turn:
        assert habits.out_of_turn > 0
        share = habits.out_of_turn_right / habits.out_of_turn
        expected += [f"{habits.out_of_turn / habits.rounds:.3f}", f"{share:.1%}"]
    assert found == expected
    assert ("out of turn" in text) == rules.stakes.out_of_turn
    assert "invalid bids" not in text


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=str)
def test_invalid_bids_are_told_and_who_never_won_has_no_rating(rules: Rules) -> None:
    players, standings = matches(rules, Forfeiting())
    text = shown(players, standings, {})
    habits = standings.counts[2]
    assert habits.forfeits > 0
    assert "invalid bids" in text
    assert lines_of(text, "forfeiting")[-1][-1] == str(habits.forfeits)
    if not habits.decided:
        assert lines_of(text, "forfeiting")[0][0] == "–"
        assert "players who never won a match have no rating" in text


def test_results_that_are_not_complete_say_so() -> None:
    players = entrants(MATCH_NAMES, KNOCKOUT, 0)
    first, *_ = play_arena(players, KNOCKOUT, 120, 0)
    text = shown(players, first, {})
    assert text.startswith("stopped early, after 12 of 120 matches")
    assert "stopped" not in shown(*matches(KNOCKOUT), {})


@pytest.mark.parametrize("number", [2, 3])
def test_json_and_csv_of_matches_tell_the_same(number: int) -> None:
    players = entrants(MATCH_NAMES[:number], KNOCKOUT, 0)
    *_, standings = play_arena(players, KNOCKOUT, 60, 0)
    found = json.loads(json.dumps(arena_json(players, standings, {}, 5)))
    assert Rules.from_dict(found["rules"]) == KNOCKOUT
    assert (found["seed"], found["deals"], found["matches"], found["planned"]) == (
        5,
        standings.deals,
        standings.played,
        standings.planned,
    )
    assert found["faults"] == []
    lines = list(csv.DictReader(io.StringIO(arena_csv(players, standings, {}))))
    assert [line["player"] for line in lines] == list(MATCH_NAMES[:number])
    for line, one in zip(lines, found["players"], strict=True):
        for key, value in one.items():
            assert line[key] == ("" if value is None else str(value))
    assert len(found["pairs"]) == number * (number - 1)
    by_name = {line["player"]: line for line in lines}
    for pair in found["pairs"]:
        line, column = by_name[pair["row"]], pair["column"]
        for key, name in (("won_more", "more"), ("won_alone", "alone")):
            if pair[key] is None:
                assert number == 3
                assert line[f"{name}:{column}"] == line[f"{name}_margin:{column}"] == ""
                continue
            assert float(line[f"{name}:{column}"]) == pair[key]["mean"]
            margin = float(line[f"{name}_margin:{column}"])
            assert pair[key]["upper"] - pair[key]["mean"] == pytest.approx(margin)
    assert lines[0]["more:honest"] == ""
