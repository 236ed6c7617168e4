"""Figures on pages are those of the policies that come with the package."""

import tomllib
from typing import Any

import pytest

from docs.policies import NONE, Rows, match_rows, opening_rows, policy_rows, seat_rows, with_rows
from docs.shown import FIGURES
from zhaifei.game.rules import preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.shipped import SOLVED, shipped_path
from zhaifei.policies.catalogue.solving import effort
from zhaifei.policies.players.match_policy import load_match
from zhaifei.solver.value.matches import positions_of

TEXT = """[other]
rows = [
    ["1"],
]

[mine]
columns = ["a", { en = "b", zh = "c" }]
rows = [
    ["old", "2"],
    ["more", "3"],
]

[last]
rows = [
    ["4"],
]
"""


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    return tomllib.loads(FIGURES.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rows"), [("openings", opening_rows), ("seats", seat_rows)])
def test_rows_by_number_of_players_are_those_of_the_files(
    figures: dict[str, Any], name: str, rows: Any
) -> None:
    """That of two players, whose file never changes, takes half a minute: not here."""
    stated = {row[0]: row for row in figures[name]["rows"]}
    shipped = [n for n in range(3, 9) if shipped_path(preset("zhaifei", players=n))]
    found = rows(fewest=3)
    assert [row[0] for row in found] == list(map(str, shipped))
    for row in found:
        assert stated[row[0]] == row


def test_the_list_of_policies_is_that_of_the_files(figures: dict[str, Any]) -> None:
    for row, now in zip(figures["shipped_policies"]["rows"], policy_rows(), strict=True):
        assert row[0] == now[0]
        assert len(row) == len(now) == len(figures["shipped_policies"]["columns"])
        for stated, cell in zip(row, now, strict=True):
            assert cell in (stated, NONE)


def test_what_pages_say_of_matches_is_what_is_shipped(figures: dict[str, Any]) -> None:
    assert figures["knockout_values"]["rows"] == match_rows()
    stated, solved = figures["knockout"], SOLVED["knockout-2p"]
    path = shipped_path(solved.rules)
    assert path is not None
    policy, rounds = load_match(path), positions_of(solved.rules)
    assert stated["gain"] == f"{100 * solved.figure:.4f} %"
    assert float(stated["about"].removesuffix(" %")) >= 100 * solved.figure
    assert stated["opener"] == f"{100 * policy.values[5, 5]:.1f} %"
    assert stated["rounds"] == str(len(rounds))
    assert stated["file"] == f"{path.stat().st_size / 1e6:.1f} MB"
    assert stated["time"] == "{:.0f}:{:02.0f}".format(*divmod(solved.seconds, 60))
    work = int(stated["passes"]) * sum(
        bid_tables(one.rules).hands ** 2 for one in policy.rounds.values()
    )
    assert work == policy.training["iterations"]


def test_what_pages_say_of_classic_is_what_is_shipped(figures: dict[str, Any]) -> None:
    stated, solved = figures["classic"], SOLVED["classic-2p"]
    path = shipped_path(solved.rules)
    assert path is not None
    assert stated["gain"] == f"{100 * solved.figure:.2f} %"
    assert stated["opener"] == f"{100 * load_match(path).values[5, 5]:.1f} %"
    assert stated["file"] == f"{path.stat().st_size / 1e6:.1f} MB"
    assert stated["time"] == "{:.0f}:{:02.0f}".format(*divmod(solved.seconds, 60))


def test_what_solving_takes_is_what_the_pages_say(figures: dict[str, Any]) -> None:
    """Rounded to half minutes."""
    rows = figures["several_players"]["rows"]
    assert rows
    for players, time, memory, _, _ in rows:
        takes = effort(preset("zhaifei", players=int(players)))
        assert takes is not None
        minutes, seconds = map(int, time.split(":"))
        assert takes.minutes == round(2 * (minutes + seconds / 60)) / 2
        assert f"{takes.gigabytes:.1f} GB" == f"{float(memory.removesuffix(' GB')) + 1e-9:.1f} GB"


def test_rows_are_written_into_their_table_alone() -> None:
    rows: Rows = [["new", {"en": "x", "zh": "斋"}], ['"quoted"', "y"]]
    text = with_rows(TEXT, "mine", rows)
    before, after = tomllib.loads(TEXT), tomllib.loads(text)
    assert after == {**before, "mine": {**before["mine"], "rows": rows}}
    assert with_rows(text, "mine", before["mine"]["rows"]) == TEXT
