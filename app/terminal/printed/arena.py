"""Results of `arena`: on screen, as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from zhaifei.app.arena_figures import (
    format_conduct,
    format_rating,
    format_share,
    middle,
    numbered_names,
)
from zhaifei.app.locale import say
from zhaifei.app.terminal.as_csv import format_csv
from zhaifei.app.terminal.as_json import bounds_json
from zhaifei.app.terminal.printed.plug_ins import faults_json
from zhaifei.game.stakes import Unit
from zhaifei.policies.measure.arena import Entrants, ExactValues, Standings
from zhaifei.policies.measure.comparison import Estimate
from zhaifei.policies.measure.voting import maximal_lottery, soft_condorcet

_NEVER = 5e-4
"""A player who is sent more seldom is not listed: the share would be shown as 0."""
_Column = tuple[str, Sequence[str]]
"""The heading of a column, and its text for each player."""


def arena_heading(standings: Standings, seed: int, time: str) -> str:
    """Return the rules, the seed, the number of units played, and the formatted duration."""
    return say(
        "{rules} · seed {seed} · {played:,} rounds, {time}"
        if standings.unit is Unit.ROUND
        else "{rules} · seed {seed} · {played:,} matches, {time}",
        rules=standings.rules,
        seed=seed,
        played=standings.played,
        time=time,
    )


def arena_progress(unit: Unit, done: int, planned: int) -> str:
    """Return how much of the arena has been played."""
    return say(
        "{done:,} of {planned:,} rounds"
        if unit is Unit.ROUND
        else "{done:,} of {planned:,} matches",
        done=done,
        planned=planned,
    )


def print_arena(
    console: Console, players: Entrants, standings: Standings, exact: ExactValues
) -> None:
    """Print the cross tables, the statistics of each player and the rankings; of matches first who
    wins."""
    names, of_rounds = numbered_names(players), standings.unit is Unit.ROUND
    results, conduct = _results(standings), _conduct(standings)
    if standings.played < standings.planned:
        progress = arena_progress(standings.unit, standings.played, standings.planned)
        console.print(say("stopped early, after {progress}", progress=progress), style="yellow")
    console.print()
    if not of_rounds:
        text = say(
            "won: share of matches per seat, {fair:.1%} is fair; ± is half the 95% confidence "
            "interval; dice lost and rounds are per match",
            fair=1 / standings.rules.players,
        )
        _print_table(console, names, results, text)
        _print_unrated(console, standings)
        console.print()
    _print_cells(console, names, standings, exact)
    console.print()
    text = say(
        "points, bids and challenges are per round; right: share of challenges that met a "
        "false bid; true: share of a player's challenged bids that were true; length: bids "
        "of all players in a round"
        if of_rounds
        else "bids and challenges are per round in which the player had dice; right: share of "
        "challenges that met a false bid; true: share of a player's challenged bids that "
        "were true; length: bids of all players in a round"
    )
    _print_table(console, names, [*results, *conduct] if of_rounds else conduct, text)
    if of_rounds:
        _print_unrated(console, standings)
    console.print()
    _print_rankings(console, names, _margins(standings, exact))


def _margins(standings: Standings, exact: ExactValues) -> NDArray[np.float64]:
    """Return [row, column] float64, the margins of the cross table: exact ones where there are."""
    found = np.array([[cell.mean for cell in row] for row in standings.cells])
    for place, bounds in exact.items():
        found[place] = middle(bounds)
    return found


def _print_rankings(console: Console, names: Sequence[str], margin: NDArray[np.float64]) -> None:
    """Print the rankings beside the ratings, of each the best players first."""
    lottery, scores = maximal_lottery(margin), soft_condorcet(margin)
    if lottery is not None:
        sent = " · ".join(
            f"{names[one]} {lottery[one]:.1%}" for one in _best(lottery) if lottery[one] > _NEVER
        )
        console.print(say("maximal lottery: {players}", players=sent))
    ordered = " · ".join(f"{names[one]} {scores[one]:.0f}" for one in _best(scores))
    console.print(say("soft Condorcet: {players}", players=ordered))


def _best(values: NDArray[np.float64]) -> list[int]:
    """Return the places of all values, the largest first."""
    return [int(place) for place in np.argsort(-values, kind="stable")]


def _print_cells(
    console: Console, names: Sequence[str], standings: Standings, exact: ExactValues
) -> None:
    """Print the cross tables."""
    cells, alone = standings.cells, standings.alone
    if standings.unit is Unit.ROUND:

        def saved(row: int, column: int) -> str:
            bounds = exact.get((row, column))
            value = "" if bounds is None else f"\n={middle(bounds):+.4f}"
            return _cell(cells[row][column], "+.4f") + value

        console.print(
            say(
                "extra penalty points per round that the column takes against the row: sampled, ± "
                "is half the 95% confidence interval, = is exact"
                if exact
                else "extra penalty points per round that the column takes against the row: "
                "sampled, ± is half the 95% confidence interval"
            )
        )
        print_cross_table(console, names, saved)
        return
    console.print(say("share of matches that the row wins minus that of the column, per seat"))
    print_cross_table(console, names, lambda row, column: _cell(cells[row][column], "+.1%"))
    if alone is not None:
        console.print()
        console.print(say("share of matches that the row wins when the column has all other seats"))
        print_cross_table(console, names, lambda row, column: _cell(alone[row][column], ".1%"))


def _cell(cell: Estimate | None, form: str) -> str:
    """Return the mean in this `form`, and the margin, without a sign, on the next line."""
    assert cell is not None, "cells on the diagonal are not shown"
    return f"{cell.mean:{form}}\n±{cell.margin:{form.removeprefix('+')}}"


def _print_unrated(console: Console, standings: Standings) -> None:
    """Print why players have no rating, if some have none."""
    of_rounds = standings.unit is Unit.ROUND
    if standings.ratings is None:
        text = say(
            "no ratings: some players never lost a round to some others"
            if of_rounds
            else "no ratings: some players never won a match against some others"
        )
    elif None in standings.ratings:
        text = say(
            "players who never lost a round have no rating"
            if of_rounds
            else "players who never won a match have no rating"
        )
    else:
        return
    console.print(text, style="dim")


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


def _print_table(
    console: Console, names: Sequence[str], columns: Sequence[_Column], text: str
) -> None:
    """Print a table with a row for each player, and the `text` that explains it."""
    table = Table(box=None, pad_edge=False)
    table.add_column(say("player"))
    for heading, _ in columns:
        table.add_column(heading, justify="right")
    for row in zip(names, *(texts for _, texts in columns), strict=True):
        table.add_row(*row)
    console.print(table)
    console.print(text, style="dim")


def _results(standings: Standings) -> list[_Column]:
    """Return the columns that tell how well each player did."""
    counts, each = standings.counts, range(len(standings.counts))
    rating = (say("rating"), [format_rating(standings.ratings, place) for place in each])
    if standings.unit is Unit.ROUND:
        return [rating, (say("points"), [f"{one.loss_rate:.4f}" for one in counts])]
    return [
        rating,
        (say("won"), [f"{won.mean:.1%} ±{won.margin:.1%}" for won in standings.rates]),
        (say("dice lost"), [f"{one.loss_rate:.2f}" for one in counts]),
        (say("rounds"), [f"{one.all_rounds / one.units:.1f}" for one in counts]),
    ]


def _conduct(standings: Standings) -> list[_Column]:
    """Return the columns that tell how each player played, as far as the rules allow it."""
    counts, stakes = standings.counts, standings.rules.stakes
    headings = (say("bids"), say("challenges"), say("right"), say("true"), say("length"))
    texts = zip(*map(format_conduct, counts), strict=True)
    columns: list[_Column] = [*zip(headings, texts, strict=True)]
    if stakes.jump_challenge:
        columns.append(("跳开", [f"{one.jumps / one.rounds:.4f}" for one in counts]))
    if stakes.out_of_turn:
        rates = [f"{one.out_of_turn / one.rounds:.3f}" for one in counts]
        right = [format_share(one.out_of_turn_right, one.out_of_turn) for one in counts]
        columns += [(say("out of turn"), rates), (say("right"), right)]
    if any(one.forfeits for one in counts):
        columns.append((say("invalid bids"), [f"{one.forfeits:,}" for one in counts]))
    return columns


def arena_json(
    players: Entrants, standings: Standings, exact: ExactValues, seed: int
) -> dict[str, Any]:
    """Return the results as plain values, untranslated; missing values are None."""
    return {
        "rules": standings.rules.to_dict(),
        "seed": seed,
        "deals": standings.deals,
        "rounds" if standings.unit is Unit.ROUND else "matches": standings.played,
        "planned": standings.planned,
        "players": [_player_json(players, standings, place) for place in range(len(players))],
        "pairs": [
            {
                "row": str(players[row]),
                "column": str(players[column]),
                **_pair_json(standings, exact, row, column),
            }
            for row in range(len(players))
            for column in range(len(players))
            if row != column
        ],
        **_rankings_json(_margins(standings, exact)),
        "faults": faults_json(players),
    }


def _rankings_json(margin: NDArray[np.float64]) -> dict[str, list[float] | None]:
    """Return rankings by the cross table, [player] each; None if there are too many players."""
    lottery = maximal_lottery(margin)
    return {
        "maximal_lottery": None if lottery is None else lottery.tolist(),
        "soft_condorcet": soft_condorcet(margin).tolist(),
    }


def _pair_json(standings: Standings, exact: ExactValues, row: int, column: int) -> dict[str, Any]:
    cell = standings.cells[row][column]
    if standings.unit is Unit.MATCH:
        alone = None if standings.alone is None else standings.alone[row][column]
        return {"won_more": _estimate(cell), "won_alone": alone and _estimate(alone)}
    bounds = exact.get((row, column))
    return {
        "saved": cell.mean,
        "lower": cell.lower,
        "upper": cell.upper,
        "exact": bounds and bounds_json(bounds),
    }


def _estimate(one: Estimate) -> dict[str, float]:
    return {"mean": one.mean, "lower": one.lower, "upper": one.upper}


def arena_csv(players: Entrants, standings: Standings, exact: ExactValues) -> str:
    """Return a line for each player: its statistics and, for each other player, figures of the two.

    In rounds these are the points that it saves against the other, half the 95% confidence interval
    and the exact value. In matches they are the difference of their shares of matches won, and its
    share alone among copies of the other, each with half the interval. Missing values are empty.
    """
    everyone = range(len(players))
    lines = [_player_json(players, standings, place) for place in everyone]
    for row, line in enumerate(lines):
        for column, other in enumerate(map(str, players)):
            cell = standings.cells[row][column] if row != column else None
            if standings.unit is Unit.ROUND:
                bounds = exact.get((row, column))
                line[f"saved:{other}"], line[f"margin:{other}"] = _mean_and_margin(cell)
                line[f"exact:{other}"] = bounds and middle(bounds)
                continue
            alone = standings.alone[row][column] if standings.alone else None
            line[f"more:{other}"], line[f"more_margin:{other}"] = _mean_and_margin(cell)
            line[f"alone:{other}"], line[f"alone_margin:{other}"] = _mean_and_margin(alone)
    return format_csv(lines)


def _mean_and_margin(one: Estimate | None) -> tuple[float | None, float | None]:
    return (None, None) if one is None else (one.mean, one.margin)


def _player_json(players: Entrants, standings: Standings, place: int) -> dict[str, Any]:
    """Return the statistics of one player."""
    counts, rating = standings.counts[place], standings.ratings and standings.ratings[place]
    return {
        "player": str(players[place]),
        "rating": rating and rating.value,
        "rating_deviation": rating and rating.deviation,
        **_result_json(standings, place),
        "rounds": counts.rounds,
        "bids": counts.bids,
        "challenges": counts.challenges,
        "challenges_right": counts.right,
        "bids_challenged": counts.challenged,
        "bids_challenged_true": counts.true,
        "mean_length": counts.length / counts.rounds,
        "jump_challenges": counts.jumps,
        "out_of_turn": counts.out_of_turn,
        "out_of_turn_right": counts.out_of_turn_right,
        "forfeits": counts.forfeits,
    }


def _result_json(standings: Standings, place: int) -> dict[str, float]:
    counts, won = standings.counts[place], standings.rates[place]
    if standings.unit is Unit.ROUND:
        return {"points": counts.lost, "penalty_rate": counts.loss_rate}
    return {
        "win_rate": won.mean,
        "win_rate_lower": won.lower,
        "win_rate_upper": won.upper,
        "matches": counts.units,
        "won": counts.decided,
        "dice_lost": counts.lost,
        "mean_rounds": counts.all_rounds / counts.units,
    }
