"""What `arena` prints of matches in which dice are lost: on screen, as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from app.locale import say
from app.terminal.printed.arena import (
    conduct_figures,
    conduct_texts,
    csv_text,
    numbered,
    print_cross_table,
    rating_figures,
    rating_text,
    share_text,
)
from app.terminal.printed.plug_ins import faults_json
from game.rules import Rules
from policies.measure.comparison import Estimate
from policies.measure.match_arena import MatchHabits, MatchStandings
from policies.players.decider import Decider


def print_match_arena(
    console: Console, players: Sequence[Decider], rules: Rules, standings: MatchStandings
) -> None:
    """Who wins how many matches, the cross table, and below it how each plays."""
    names = numbered(players)
    if standings.matches < standings.planned:
        console.print(
            say(
                "stopped early, after {done:,} of {planned:,} matches",
                done=standings.matches, planned=standings.planned,
            ),
            style="yellow",
        )  # fmt: skip
    console.print()
    console.print(_results_table(names, standings))
    console.print(
        say(
            "won is the share of matches per seat, {fair:.1%} is fair; ± is half the 95% "
            "confidence interval; dice lost and rounds are per match",
            fair=1 / rules.players,
        ),
        style="dim",
    )  # fmt: skip
    if standings.ratings is None:
        console.print(
            say("there are no ratings: some never won a match against some others"), style="dim"
        )
    elif None in standings.ratings:
        console.print(say("who never won a match has no rating"), style="dim")
    console.print()
    console.print(say("how much more of the matches the row wins than the column, per seat"))
    cells = standings.cells
    print_cross_table(console, names, lambda row, column: _cell(cells[row][column], sign="+"))
    alone = standings.alone
    if alone is not None:
        console.print()
        console.print(
            say("the share of matches that the row wins alone, all other seats the column's")
        )
        print_cross_table(console, names, lambda row, column: _cell(alone[row][column]))
    console.print()
    console.print(_habits_table(names, rules, standings))
    console.print(
        say(
            "bids and challenges are per round that the player had dice in; right are challenges "
            "of bids that were false; true are own bids, of those challenged; length is the bids "
            "of all in a round"
        ),
        style="dim",
    )


def _results_table(names: Sequence[str], standings: MatchStandings) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(say("player"))
    for heading in (say("rating"), say("won"), say("dice lost"), say("rounds")):
        table.add_column(heading, justify="right")
    for place, (name, habits) in enumerate(zip(names, standings.habits, strict=True)):
        won = standings.wins[place]
        table.add_row(
            name,
            rating_text(standings.ratings, place),
            f"{won.mean:.1%} ±{won.margin:.1%}",
            f"{habits.dice_lost / habits.matches:.2f}",
            f"{habits.match_length / habits.matches:.1f}",
        )
    return table


def _cell(cell: Estimate | None, sign: str = "") -> str:
    assert cell is not None
    return f"{cell.mean:{sign}.1%}\n±{cell.margin:.1%}"


def _habits_table(names: Sequence[str], rules: Rules, standings: MatchStandings) -> Table:
    forfeited = any(habits.forfeits for habits in standings.habits)
    headings = [say("bids"), say("challenges"), say("right"), say("true"), say("length")]
    if rules.out_of_turn:
        headings += [say("out of turn"), say("right")]
    if forfeited:
        headings.append(say("invalid bids"))
    table = Table(box=None, pad_edge=False)
    table.add_column(say("player"))
    for heading in headings:
        table.add_column(heading, justify="right")
    for name, habits in zip(names, standings.habits, strict=True):
        row = conduct_texts(habits)
        if rules.out_of_turn:
            row.append(f"{habits.out_of_turn / habits.rounds:.3f}")
            row.append(share_text(habits.out_of_turn_right, habits.out_of_turn))
        if forfeited:
            row.append(f"{habits.forfeits:,}")
        table.add_row(name, *row)
    return table


def match_arena_json(
    players: Sequence[Decider], rules: Rules, standings: MatchStandings, seed: int
) -> dict[str, Any]:
    """Plain values, in no language; ratings, and who is alone, are None where there are none."""
    alone = standings.alone
    return {
        "rules": rules.to_dict(),
        "seed": seed,
        "deals": standings.deals,
        "matches": standings.matches,
        "planned": standings.planned,
        "players": [
            {"player": str(one), **_figures(standings, place, standings.habits[place])}
            for place, one in enumerate(players)
        ],
        "pairs": [
            {
                "row": str(players[row]),
                "column": str(players[column]),
                "won_more": _estimate(cell),
                "won_alone": None if alone is None else _estimate(alone[row][column]),
            }
            for row, cells in enumerate(standings.cells)
            for column, cell in enumerate(cells)
            if row != column
        ],
        "faults": faults_json(players),
    }


def _estimate(one: Estimate | None) -> dict[str, float] | None:
    return None if one is None else {"mean": one.mean, "lower": one.lower, "upper": one.upper}


def match_arena_csv(players: Sequence[Decider], standings: MatchStandings) -> str:
    """A line for each player: how it plays, and for each other one how much more of the matches it
    wins than that one, what it wins alone among copies of it, and of both half the width of the 95%
    confidence interval. What there is not is empty."""
    lines = [
        {"player": str(one), **_figures(standings, place, standings.habits[place])}
        for place, one in enumerate(players)
    ]
    for row, line in enumerate(lines):
        for column, other in enumerate(players):
            more = standings.cells[row][column] if row != column else None
            alone = standings.alone[row][column] if standings.alone else None
            for name, one in (("more", more), ("alone", alone)):
                line[f"{name}:{other}"] = one and one.mean
                line[f"{name}_margin:{other}"] = one and one.margin
    return csv_text(lines)


def _figures(standings: MatchStandings, place: int, habits: MatchHabits) -> dict[str, Any]:
    won = standings.wins[place]
    return {
        **rating_figures(standings.ratings, place),
        "win_rate": won.mean,
        "win_rate_lower": won.lower,
        "win_rate_upper": won.upper,
        "matches": habits.matches,
        "won": habits.won,
        "dice_lost": habits.dice_lost,
        "mean_rounds": habits.match_length / habits.matches,
        **conduct_figures(habits),
        "out_of_turn": habits.out_of_turn,
        "out_of_turn_right": habits.out_of_turn_right,
        "forfeits": habits.forfeits,
    }
