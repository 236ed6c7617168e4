"""Results of `arena` for games of penalty points: on screen, as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from zhaifei.app.arena_figures import format_conduct, format_rating, numbered_names
from zhaifei.app.locale import say
from zhaifei.app.terminal.as_csv import format_csv
from zhaifei.app.terminal.as_json import bounds_json
from zhaifei.app.terminal.printed.plug_ins import faults_json
from zhaifei.game.rules import Rules
from zhaifei.policies.measure.arena import ArenaCounts, ExactValues, Standings
from zhaifei.policies.measure.comparison import PlayCounts
from zhaifei.policies.measure.ratings import Rating
from zhaifei.policies.players.player import BatchPlayer


def print_arena(
    console: Console, players: Sequence[BatchPlayer], standings: Standings, exact: ExactValues
) -> None:
    """Print the cross table and a table of each player's statistics."""
    names = numbered_names(players)
    if standings.rounds < standings.planned:
        console.print(
            say(
                "stopped early, after {done:,} of {planned:,} rounds",
                done=standings.rounds,
                planned=standings.planned,
            ),
            style="yellow",
        )
    console.print()
    console.print(
        say(
            "extra penalty points per round that the column takes against the row: sampled, ± "
            "is half the 95% confidence interval, = is exact"
        )
        if exact
        else say(
            "extra penalty points per round that the column takes against the row: sampled, ± "
            "is half the 95% confidence interval"
        )
    )
    print_cross_table(console, names, lambda row, column: _cell(standings, exact, row, column))
    console.print()
    console.print(_habits_table(names, players[0].rules, standings))
    console.print(
        say(
            "points, bids and challenges are per round; right: share of challenges that met a "
            "false bid; true: share of a player's challenged bids that were true; length: bids "
            "of all players in a round"
        ),
        style="dim",
    )
    if standings.ratings is None:
        console.print(
            say("no ratings: some players never lost a round to some others"), style="dim"
        )
    elif None in standings.ratings:
        console.print(say("players who never lost a round have no rating"), style="dim")


def print_cross_table(
    console: Console, names: Sequence[str], cell: Callable[[int, int], str]
) -> None:
    """Print a table with a row and a column for each player and the text `cell(row, column)`.
    Columns that do not fit on one line are printed below, with the rows repeated."""
    everyone = range(len(names))
    texts = [
        [cell(row, column) if row != column else "" for column in everyone] for row in everyone
    ]
    widths = [
        max(cell_len(line) for row in texts for line in row[column].split("\n")) + 2
        for column in everyone
    ]
    for columns in _blocks(widths, console.width - max(map(cell_len, names))):
        if columns.start > 0:
            console.print()
        table = Table(box=None, pad_edge=False)
        table.add_column(no_wrap=True)
        for column in columns:
            table.add_column(str(column + 1), justify="right", no_wrap=True)
        for name, row in zip(names, texts, strict=True):
            table.add_row(name, *row[columns.start : columns.stop])
        console.print(table)


def _blocks(widths: Sequence[int], room: int) -> Iterator[range]:
    """Yield consecutive ranges of columns that fit into `room`, each of at least one column."""
    first = used = 0
    for place, width in enumerate(widths):
        if place > first and used + width > room:
            yield range(first, place)
            first = place
            used = 0
        used += width
    yield range(first, len(widths))


def _cell(standings: Standings, exact: ExactValues, row: int, column: int) -> str:
    cell = standings.cells[row][column]
    lines = [f"{cell.mean:+.4f}", f"±{cell.margin:.4f}"]
    if (row, column) in exact:
        bounds = exact[row, column]
        lines.append(f"={(bounds.lower + bounds.upper) / 2.0:+.4f}")
    return "\n".join(lines)


def _habits_table(names: Sequence[str], rules: Rules, standings: Standings) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(say("player"))
    headings = [
        say("rating"),
        say("points"),
        say("bids"),
        say("challenges"),
        say("right"),
        say("true"),
        say("length"),
    ]
    for heading in headings:
        table.add_column(heading, justify="right")
    if rules.stakes.jump_challenge:
        table.add_column("跳开", justify="right")
    for place, (name, habits) in enumerate(zip(names, standings.counts, strict=True)):
        row = [
            format_rating(standings.ratings, place),
            f"{habits.penalty_rate:.4f}",
            *format_conduct(habits),
        ]
        if rules.stakes.jump_challenge:
            row.append(f"{habits.jumps / habits.rounds:.4f}")
        table.add_row(name, *row)
    return table


def arena_json(
    players: Sequence[BatchPlayer], standings: Standings, exact: ExactValues, seed: int
) -> dict[str, Any]:
    """Return the results as plain values, untranslated; missing values are None."""
    return {
        "rules": players[0].rules.to_dict(),
        "seed": seed,
        "deals": standings.deals,
        "rounds": standings.rounds,
        "planned": standings.planned,
        "players": [
            {"player": str(one), **_figures(standings, place, standings.counts[place])}
            for place, one in enumerate(players)
        ],
        "pairs": [
            {
                "row": str(players[row]),
                "column": str(players[column]),
                "saved": cell.mean,
                "lower": cell.lower,
                "upper": cell.upper,
                "exact": bounds_json(exact[row, column]) if (row, column) in exact else None,
            }
            for row, cells in enumerate(standings.cells)
            for column, cell in enumerate(cells)
            if row != column
        ],
        "faults": faults_json(players),
    }


def arena_csv(players: Sequence[BatchPlayer], standings: Standings, exact: ExactValues) -> str:
    """Return a line for each player: its statistics and, for each other player, the points that it
    saves against them, half the 95% confidence interval and the exact value. Missing values are
    empty."""
    lines = [
        {"player": str(one), **_figures(standings, place, standings.counts[place])}
        for place, one in enumerate(players)
    ]
    for row, line in enumerate(lines):
        for column, other in enumerate(players):
            bounds, cell = exact.get((row, column)), standings.cells[row][column]
            line[f"saved:{other}"] = cell.mean if row != column else None
            line[f"margin:{other}"] = cell.margin if row != column else None
            line[f"exact:{other}"] = (bounds.lower + bounds.upper) / 2.0 if bounds else None
    return format_csv(lines)


def _figures(standings: Standings, place: int, habits: ArenaCounts) -> dict[str, Any]:
    return {
        **rating_figures(standings.ratings, place),
        "points": habits.points,
        "penalty_rate": habits.penalty_rate,
        **conduct_figures(habits),
        "jump_challenges": habits.jumps,
    }


def rating_figures(ratings: Sequence[Rating | None] | None, place: int) -> dict[str, float | None]:
    """Return the rating and its standard deviation; None without a rating."""
    rating = ratings[place] if ratings else None
    return {
        "rating": rating.value if rating else None,
        "rating_deviation": rating.deviation if rating else None,
    }


def conduct_figures(conduct: PlayCounts) -> dict[str, float]:
    """Return counts, and the mean length of rounds in bids."""
    return {
        "rounds": conduct.rounds,
        "bids": conduct.bids,
        "challenges": conduct.challenges,
        "challenges_right": conduct.right,
        "bids_challenged": conduct.challenged,
        "bids_challenged_true": conduct.true,
        "mean_length": conduct.length / conduct.rounds,
    }
