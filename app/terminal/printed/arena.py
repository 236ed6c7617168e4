"""What `arena` prints: on screen, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from app.locale import say
from app.terminal.as_json import bounds_json
from app.terminal.printed.plug_ins import faults_json
from game.rules import Rules
from policies.measure.arena import ArenaCounts, ExactValues, Standings
from policies.measure.comparison import PlayCounts
from policies.measure.ratings import Rating
from policies.play.simulation import DEVIATIONS
from policies.players.player import Player, short_name


def print_arena(
    console: Console, players: Sequence[Player], standings: Standings, exact: ExactValues
) -> None:
    """The cross table, and below it how each plays."""
    names = numbered(players)
    if standings.rounds < standings.planned:
        console.print(
            say(
                "stopped early, after {done:,} of {planned:,} rounds",
                done=standings.rounds, planned=standings.planned,
            ),
            style="yellow",
        )  # fmt: skip
    console.print()
    console.print(
        say(
            "penalty points per round that the column takes more than the row: sampled, ± is half "
            "the 95% confidence interval, = is exact"
        )
        if exact
        else say(
            "penalty points per round that the column takes more than the row: sampled, ± is half "
            "the 95% confidence interval"
        )
    )
    print_cross_table(console, names, lambda row, column: _cell(standings, exact, row, column))
    console.print()
    console.print(_habits_table(names, players[0].rules, standings))
    console.print(
        say(
            "points, bids and challenges are per round; right are challenges of bids that were "
            "false; true are own bids, of those challenged; length is the bids of all in a round"
        ),
        style="dim",
    )
    if standings.ratings is None:
        console.print(
            say("there are no ratings: some never lost a round to some others"), style="dim"
        )
    elif None in standings.ratings:
        console.print(say("who never lost a round has no rating"), style="dim")


def numbered(players: Sequence[object]) -> list[str]:
    """What players are called in tables, numbered as columns are."""
    return [f"{place} {short_name(one)}" for place, one in enumerate(players, start=1)]


def print_cross_table(
    console: Console, names: Sequence[str], cell: Callable[[int, int], str]
) -> None:
    """A row and a column for each player, with what `cell` says of row and column. Where columns
    are too many for one line, the rows are printed again with the others."""
    everyone = range(len(names))
    texts = [
        [cell(row, column) if row != column else "" for column in everyone] for row in everyone
    ]
    widths = [max(cell_len(line) for row in texts for line in row[column].split("\n")) + 2
              for column in everyone]  # fmt: skip
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
    """Places in a row that fit into the room together, but one at least."""
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
        say("rating"), say("points"), say("bids"), say("challenges"), say("right"), say("true"),
        say("length"),
    ]  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="right")
    if rules.jump_challenge:
        table.add_column("跳开", justify="right")
    for place, (name, habits) in enumerate(zip(names, standings.counts, strict=True)):
        row = [
            rating_text(standings.ratings, place),
            f"{habits.penalty_rate:.4f}",
            *conduct_texts(habits),
        ]
        if rules.jump_challenge:
            row.append(f"{habits.jumps / habits.rounds:.4f}")
        table.add_row(name, *row)
    return table


def rating_text(ratings: Sequence[Rating | None] | None, place: int) -> str:
    """With half the width of the 95% confidence interval; a dash where there is none."""
    rating = ratings[place] if ratings else None
    return f"{rating.value:.0f} ±{DEVIATIONS * rating.deviation:.0f}" if rating else "–"


def share_text(part: int, whole: int) -> str:
    """A dash for a share of nothing."""
    return f"{part / whole:.1%}" if whole else "–"


def conduct_texts(conduct: PlayCounts) -> list[str]:
    """Bids and challenges per round, which part of the challenges was right, which part of the own
    bids that were challenged was true, and the bids of all in a round."""
    return [
        f"{conduct.bids / conduct.rounds:.3f}",
        f"{conduct.challenges / conduct.rounds:.3f}",
        share_text(conduct.right, conduct.challenges),
        share_text(conduct.true, conduct.challenged),
        f"{conduct.length / conduct.rounds:.2f}",
    ]


def arena_json(
    players: Sequence[Player], standings: Standings, exact: ExactValues, seed: int
) -> dict[str, Any]:
    """Plain values, in no language; ratings and exact values that there are not are None."""
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


def arena_csv(players: Sequence[Player], standings: Standings, exact: ExactValues) -> str:
    """A line for each player: how it plays, and for each other one what it saves against it, half
    the width of the 95% confidence interval, and the exact value. What there is not is empty."""
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
    return csv_text(lines)


def csv_text(lines: Sequence[Mapping[str, Any]]) -> str:
    """All have the same keys, in the same order."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def _figures(standings: Standings, place: int, habits: ArenaCounts) -> dict[str, Any]:
    return {
        **rating_figures(standings.ratings, place),
        "points": habits.points,
        "penalty_rate": habits.penalty_rate,
        **conduct_figures(habits),
        "jump_challenges": habits.jumps,
    }


def rating_figures(ratings: Sequence[Rating | None] | None, place: int) -> dict[str, float | None]:
    """None where there are none."""
    rating = ratings[place] if ratings else None
    return {
        "rating": rating.value if rating else None,
        "rating_deviation": rating.deviation if rating else None,
    }


def conduct_figures(conduct: PlayCounts) -> dict[str, float]:
    """Counts, and the mean length of rounds in bids."""
    return {
        "rounds": conduct.rounds,
        "bids": conduct.bids,
        "challenges": conduct.challenges,
        "challenges_right": conduct.right,
        "bids_challenged": conduct.challenged,
        "bids_challenged_true": conduct.true,
        "mean_length": conduct.length / conduct.rounds,
    }
