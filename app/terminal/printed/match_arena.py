"""Results of `arena` for matches in which dice are lost: on screen, as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from zhaifei.app.arena_figures import (
    format_conduct,
    format_rating,
    format_share,
    numbered_names,
)
from zhaifei.app.locale import say
from zhaifei.app.terminal.as_csv import format_csv
from zhaifei.app.terminal.printed.arena import (
    conduct_figures,
    print_cross_table,
    rating_figures,
)
from zhaifei.app.terminal.printed.plug_ins import faults_json
from zhaifei.game.rules import Rules
from zhaifei.policies.measure.comparison import Estimate
from zhaifei.policies.measure.match_arena import MatchCounts, MatchStandings
from zhaifei.policies.players.decider import Decider


def print_match_arena(
    console: Console, players: Sequence[Decider], rules: Rules, standings: MatchStandings
) -> None:
    """Print the shares of matches won, the cross tables and a table of each player's statistics."""
    names = numbered_names(players)
    if standings.matches < standings.planned:
        console.print(
            say(
                "stopped early, after {done:,} of {planned:,} matches",
                done=standings.matches,
                planned=standings.planned,
            ),
            style="yellow",
        )
    console.print()
    console.print(_results_table(names, standings))
    console.print(
        say(
            "won: share of matches per seat, {fair:.1%} is fair; ± is half the 95% confidence "
            "interval; dice lost and rounds are per match",
            fair=1 / rules.players,
        ),
        style="dim",
    )
    if standings.ratings is None:
        console.print(
            say("no ratings: some players never won a match against some others"), style="dim"
        )
    elif None in standings.ratings:
        console.print(say("players who never won a match have no rating"), style="dim")
    console.print()
    console.print(say("share of matches that the row wins minus that of the column, per seat"))
    cells = standings.cells
    print_cross_table(console, names, lambda row, column: _cell(cells[row][column], sign="+"))
    alone = standings.alone
    if alone is not None:
        console.print()
        console.print(say("share of matches that the row wins when the column has all other seats"))
        print_cross_table(console, names, lambda row, column: _cell(alone[row][column]))
    console.print()
    console.print(_habits_table(names, rules, standings))
    console.print(
        say(
            "bids and challenges are per round in which the player had dice; right: share of "
            "challenges that met a false bid; true: share of a player's challenged bids that "
            "were true; length: bids of all players in a round"
        ),
        style="dim",
    )


def _results_table(names: Sequence[str], standings: MatchStandings) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(say("player"))
    for heading in (say("rating"), say("won"), say("dice lost"), say("rounds")):
        table.add_column(heading, justify="right")
    for place, (name, habits) in enumerate(zip(names, standings.counts, strict=True)):
        won = standings.wins[place]
        table.add_row(
            name,
            format_rating(standings.ratings, place),
            f"{won.mean:.1%} ±{won.margin:.1%}",
            f"{habits.dice_lost / habits.matches:.2f}",
            f"{habits.match_length / habits.matches:.1f}",
        )
    return table


def _cell(cell: Estimate | None, sign: str = "") -> str:
    assert cell is not None
    return f"{cell.mean:{sign}.1%}\n±{cell.margin:.1%}"


def _habits_table(names: Sequence[str], rules: Rules, standings: MatchStandings) -> Table:
    forfeited = any(habits.forfeits for habits in standings.counts)
    headings = [say("bids"), say("challenges"), say("right"), say("true"), say("length")]
    if rules.stakes.out_of_turn:
        headings += [say("out of turn"), say("right")]
    if forfeited:
        headings.append(say("invalid bids"))
    table = Table(box=None, pad_edge=False)
    table.add_column(say("player"))
    for heading in headings:
        table.add_column(heading, justify="right")
    for name, habits in zip(names, standings.counts, strict=True):
        row = format_conduct(habits)
        if rules.stakes.out_of_turn:
            row.append(f"{habits.out_of_turn / habits.rounds:.3f}")
            row.append(format_share(habits.out_of_turn_right, habits.out_of_turn))
        if forfeited:
            row.append(f"{habits.forfeits:,}")
        table.add_row(name, *row)
    return table


def match_arena_json(
    players: Sequence[Decider], rules: Rules, standings: MatchStandings, seed: int
) -> dict[str, Any]:
    """Return the results as plain values, untranslated; missing values are None."""
    alone = standings.alone
    return {
        "rules": rules.to_dict(),
        "seed": seed,
        "deals": standings.deals,
        "matches": standings.matches,
        "planned": standings.planned,
        "players": [
            {"player": str(one), **_figures(standings, place, standings.counts[place])}
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
    """Return a line for each player, with its statistics and two figures for each other player.
    These are the difference of their shares of matches won, and its share alone among copies of the
    other, each with half the 95% confidence interval. Missing values are empty."""
    lines = [
        {"player": str(one), **_figures(standings, place, standings.counts[place])}
        for place, one in enumerate(players)
    ]
    for row, line in enumerate(lines):
        for column, other in enumerate(players):
            more = standings.cells[row][column] if row != column else None
            alone = standings.alone[row][column] if standings.alone else None
            for name, one in (("more", more), ("alone", alone)):
                line[f"{name}:{other}"] = one and one.mean
                line[f"{name}_margin:{other}"] = one and one.margin
    return format_csv(lines)


def _figures(standings: MatchStandings, place: int, habits: MatchCounts) -> dict[str, Any]:
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
