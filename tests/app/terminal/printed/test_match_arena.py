"""What the arena prints of matches is what was found."""

import csv
import io
import json

import pytest
from rich.console import Console

from zhaifei.app.terminal.printed.arena import arena_csv, arena_json, print_arena
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.measure.arena import Entrants, Standings, entrants, play_arena
from zhaifei.policies.players.decider import Decider, TwoStepDecider

KNOCKOUT = preset("knockout", players=3, dice=2)
INCREMENT = preset("increment", players=3, dice=2)
NAMES = ("honest", "probabilistic", "best-supported")


class Forfeiting(TwoStepDecider):
    """Never makes a valid bid."""

    def __str__(self) -> str:
        return "forfeiting"

    def challenge_bid(self, seen: View) -> bool:
        return False

    def make_bid(self, seen: View) -> None:
        return None


def arena(rules: Rules, *more: Decider) -> tuple[list[Decider], Standings]:
    players = [*entrants(NAMES[: 3 - len(more)], rules, 0), *more]
    *_, standings = play_arena(players, rules, 120, 0)
    return players, standings


def shown(players: Entrants, standings: Standings) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_arena(console, players, standings, {})
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def lines_of(text: str, name: str) -> list[list[str]]:
    """What stands after the name, table by table."""
    return [line.split()[2:] for line in text.splitlines() if line[2:].startswith(f"{name} ")]


def test_who_wins_how_often_comes_first() -> None:
    players, standings = arena(KNOCKOUT)
    result, *_ = lines_of(shown(players, standings), "honest")
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
    players, standings = arena(KNOCKOUT)
    text = shown(players, standings).splitlines()
    place = [row for row, line in enumerate(text) if line.startswith("2 probabilistic")][1]
    first, _, third = standings.cells[1]
    assert text[place].split()[2:] == [f"{first.mean:+.1%}", f"{third.mean:+.1%}"]
    assert text[place + 1].split() == [f"±{first.margin:.1%}", f"±{third.margin:.1%}"]
    assert "all other seats" not in "".join(text)


def test_who_sits_alone_is_told_where_entrants_are_too_few_for_a_table() -> None:
    players = entrants(NAMES[:2], KNOCKOUT, 0)
    *_, standings = play_arena(players, KNOCKOUT, 60, 0)
    assert standings.alone is not None
    alone = standings.alone[0][1]
    assert alone is not None
    text = shown(players, standings)
    assert "the row wins when the column has all other seats" in text
    assert lines_of(text, "honest")[2] == [f"{alone.mean:.1%}"]
    found = arena_json(players, standings, {}, 0)["pairs"][0]["won_alone"]
    assert found == {"mean": alone.mean, "lower": alone.lower, "upper": alone.upper}


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=str)
def test_habits_are_shown_as_rates_and_out_of_turn_only_where_there_is_any(rules: Rules) -> None:
    players, standings = arena(rules)
    text = shown(players, standings)
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
    players, standings = arena(rules, Forfeiting())
    text = shown(players, standings)
    habits = standings.counts[2]
    assert habits.forfeits > 0
    assert "invalid bids" in text
    assert lines_of(text, "forfeiting")[-1][-1] == str(habits.forfeits)
    if not habits.decided:
        assert lines_of(text, "forfeiting")[0][0] == "–"
        assert "players who never won a match have no rating" in text


def test_results_that_are_not_complete_say_so() -> None:
    players = entrants(NAMES, KNOCKOUT, 0)
    first, *_ = play_arena(players, KNOCKOUT, 120, 0)
    text = shown(players, first)
    assert text.startswith("stopped early, after 12 of 120 matches")
    assert "stopped" not in shown(*arena(KNOCKOUT))


@pytest.mark.parametrize("number", [2, 3])
def test_json_and_csv_tell_the_same(number: int) -> None:
    players = entrants(NAMES[:number], KNOCKOUT, 0)
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
    assert [line["player"] for line in lines] == list(NAMES[:number])
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
