"""The report as a Markdown page in English, with charts beside it: who wins against whom in each
variant, how exploitable each player of the two-player game is, what it took to make those that were
solved or learnt, and the command for each figure."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

from app.report.charts import Row, interval_chart
from app.terminal.printed.arena import conduct_texts, numbered, rating_text, share_text
from policies.catalogue.provenance import provenances
from policies.catalogue.shipped import LEARNED
from policies.measure.measurements import (
    CALLER,
    CLOSELY,
    LEARNER,
    TABLE_MATCHES,
    Duels,
    Matches,
    Measurements,
)
from solver.bounds import Bounds
from solver.storage import write_text

CHARTS = "results"
"""The directory of the charts, beside the page."""
PUBLISHED = 0.65
"""Of the matches of `increment`, what the published learner wins against three random callers."""
_OURS = "policies/data/zhaifei-2p.safetensors"
_A_FIFTH = 0.2
"""At most this part of what the least exploitable learned player loses is what ours may lose."""


def write_report(path: Path, found: Measurements) -> None:
    """Writes the page to `path`, and the charts into the directory CHARTS beside it. Raises
    StorageError and NoCharts."""
    charts = path.parent / CHARTS
    charts.mkdir(exist_ok=True)
    for name, draw in _CHARTS.items():
        write_text(charts / f"{name}.svg", draw(found))
    write_text(path, page(found))


# Verdicts


@dataclass(frozen=True)
class Verdict:
    """Whether something holds that the report should show."""

    claim: str
    holds: bool
    figures: str
    """In a sentence."""


def verdicts(duels: Duels) -> list[Verdict]:
    """What is claimed of the shipped policy, each as the measurements have it."""
    return [_loses_to_no_one(duels), _beats_the_learned(duels), _a_fifth_as_exploitable(duels)]


def _against(duels: Duels, other: int) -> Bounds:
    """What ours earns against another: exactly if that is known, else with 95% confidence."""
    if (duels.ours, other) in duels.exact:
        return duels.exact[duels.ours, other]
    cell = duels.closely.get(other, duels.standings.cells[duels.ours][other])
    return Bounds(cell.lower, cell.upper)


def _loses_to_no_one(duels: Duels) -> Verdict:
    others = [place for place in range(len(duels.players)) if place != duels.ours]
    return _wins(duels, "The shipped policy loses to no one.", others)


def _beats_the_learned(duels: Duels) -> Verdict:
    claim = "It beats every learned player by a margin whose interval excludes zero."
    return _wins(duels, claim, _learned(duels))


def _wins(duels: Duels, claim: str, others: Sequence[int]) -> Verdict:
    closest = min(others, key=lambda place: _against(duels, place).lower)
    least = _against(duels, closest)
    figures = f"Against {duels.names[closest]} it earns least: {_interval(least)} points a round."
    return Verdict(claim, least.lower > 0.0, figures)


def _a_fifth_as_exploitable(duels: Duels) -> Verdict:
    best = min(_learned(duels), key=lambda place: duels.exploitability[place].lower)
    ours, theirs = duels.exploitability[duels.ours], duels.exploitability[best]
    return Verdict(
        "It is at most a fifth as exploitable as the best learned player.",
        ours.upper <= _A_FIFTH * theirs.lower,
        f"A best response takes {_interval(ours)} points a round from it, and {_interval(theirs)} "
        f"from {duels.names[best]}, at least {theirs.lower / ours.upper:.1f} times as much.",
    )


def _learned(duels: Duels) -> list[int]:
    return [place for place, one in enumerate(duels.players) if str(one) in LEARNED]


# The page


def page(found: Measurements) -> str:
    """The whole page."""
    parts = [
        "# Results",
        "Written by `zhaifei report"
        f" --rounds {found.settings.rounds} --matches {found.settings.matches}"
        f" --time-limit {found.settings.seconds:g}s --seed {found.settings.seed}`"
        f" (Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__})."
        " Sampled figures come with half their 95% confidence interval, ±; those with = are exact."
        " `zhaifei players` says what each player does.",
        *_of_duels(found.duels, found.settings.rounds, found.settings.seed),
        *_of_exploitability(found.duels, found.settings.seconds),
        *_of_matches(found.knockout, found.settings.seed),
        *_of_matches(found.increment, found.settings.seed),
        *_of_callers(found),
        *_of_costs(),
    ]
    return "\n\n".join(parts) + "\n"


def _of_duels(duels: Duels, rounds: int, seed: int) -> Iterator[str]:
    names = duels.names
    yield "## 斋飞, two players with five dice each"
    yield "\n".join(
        f"- {one.claim} **{'Yes' if one.holds else 'No'}.** {one.figures}"
        for one in verdicts(duels)
    )
    yield _command(f"zhaifei arena --rounds {rounds} --seed {seed}")
    yield (
        f"Every pair in both seats with the same dice, {duels.standings.deals:,} deals, "
        f"{duels.standings.rounds:,} rounds. What the row earns against the column, in penalty "
        "points a round:"
    )
    yield cross_table(numbered(duels.players), lambda row, column: _earned(duels, row, column))
    yield _chart("earned", f"what {names[duels.ours]} earns against each")
    yield f"More closely, {CLOSELY * rounds:,} rounds of our policy and each learned player:"
    yield _command(f"zhaifei arena {_OURS} NAME --rounds {CLOSELY * rounds} --seed {seed}")
    yield table(
        ["against", f"{names[duels.ours]} earns"],
        [
            [names[place], f"{cell.mean:+.4f} ±{cell.margin:.4f}"]
            for place, cell in duels.closely.items()
        ],
    )
    yield "Bids and challenges are per round, points are penalty points taken:"
    headings = ["player", "rating", "points", *_CONDUCT]
    yield table(
        headings,
        [
            [
                name,
                rating_text(duels.standings.ratings, place),
                f"{habits.penalty_rate:.4f}",
                *conduct_texts(habits),
            ]
            for place, (name, habits) in enumerate(zip(names, duels.standings.habits, strict=True))
        ],
    )


def _earned(duels: Duels, row: int, column: int) -> str:
    cell = duels.standings.cells[row][column]
    sampled = f"{cell.mean:+.4f} ±{cell.margin:.4f}"
    if (row, column) not in duels.exact:
        return sampled
    bounds = duels.exact[row, column]
    return f"{sampled}<br>={(bounds.lower + bounds.upper) / 2.0:+.4f}"


def _of_exploitability(duels: Duels, seconds: float) -> Iterator[str]:
    yield "### How exploitable each is"
    yield (
        "Penalty points a round that a best response with perfect recall takes, averaged over both "
        "seats: a certified interval, in the full game. An equilibrium would lose 0."
    )
    yield _command(f"zhaifei evaluate --policy NAME --time-limit {seconds:g}s")
    order = np.argsort([bounds.lower for bounds in duels.exploitability], kind="stable")
    yield table(
        ["player", "at least", "at most"],
        [
            [
                duels.names[place],
                f"{duels.exploitability[place].lower:.4f}",
                f"{duels.exploitability[place].upper:.4f}",
            ]
            for place in order
        ],
    )
    yield _chart("exploitability", "certified exploitability")


def _of_matches(matches: Matches, seed: int) -> Iterator[str]:
    standings, players = matches.standings, matches.players
    names = [str(one) for one in players]
    yield f"## {matches.rules_name}"
    yield _command(
        f"zhaifei arena --rules {matches.rules_name} --rounds {TABLE_MATCHES} --seed {seed}"
    )
    yield (
        f"Tables of four, each choice of four players in {standings.matches // standings.deals:,} "
        f"seatings with the same dice, {standings.deals} deals, {standings.matches:,} matches; a "
        "quarter of the matches would be fair. Bids and challenges are per round that the player "
        "had dice in:"
    )
    yield table(
        ["player", "matches won", "rating", *_CONDUCT, "out of turn", "right", "dice lost"],
        [
            [
                name,
                f"{won.mean:.1%} ±{won.margin:.1%}",
                rating_text(standings.ratings, place),
                *conduct_texts(habits),
                f"{habits.out_of_turn / habits.rounds:.3f}",
                share_text(habits.out_of_turn_right, habits.out_of_turn),
                f"{habits.dice_lost / habits.matches:.2f}",
            ]
            for place, (name, won, habits) in enumerate(
                zip(names, standings.wins, standings.habits, strict=True)
            )
        ],
    )
    yield _chart(matches.rules_name, f"matches won in {matches.rules_name}")
    yield "How much more of the matches the row wins than the column, at tables where both sit:"
    cells = standings.cells
    yield cross_table(
        numbered(players),
        lambda row, column: f"{cells[row][column].mean:+.1%} ±{cells[row][column].margin:.1%}",
    )


def _of_callers(found: Measurements) -> Iterator[str]:
    learner = found.alone[LEARNER]
    yield f"### Alone against three {CALLER}s"
    yield (
        f"The published learner goes from 25% of the matches to about {PUBLISHED:.0%}; ours "
        f"(`{LEARNER}`, taught by 5,000 matches, see `benchmarks/increment_learner.py`) wins "
        f"{learner.mean:.1%} ±{learner.margin:.1%}. `caller-breaker` is the exact best response: "
        "nobody wins more."
    )
    yield _command(
        f"zhaifei arena NAME {CALLER} --rules increment --rounds {found.settings.matches} "
        f"--seed {found.settings.seed}"
    )
    best_first = sorted(found.alone.items(), key=lambda item: -item[1].mean)
    yield table(
        ["player", "matches won"],
        [[name, f"{won.mean:.2%} ±{won.margin:.2%}"] for name, won in best_first],
    )
    yield _chart("callers", f"matches won alone against three {CALLER}s")


def _of_costs() -> Iterator[str]:
    yield "## What it took to make them"
    yield ("Seconds are by the clock, on two cores shared with other work. Rules took none.")
    yield table(
        ["player", "work", "seconds", "command"],
        [
            [one.name, f"{one.work:,} {one.unit}", f"{one.seconds:,.0f}", f"`{one.command}`"]
            for one in provenances()
        ],
    )


# Pieces


_CONDUCT = ("bids", "challenges", "right", "own bids true, of those challenged", "bids of all")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """In Markdown; all columns but the first are numbers."""
    rule = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (headings, rule, *rows))


def cross_table(names: Sequence[str], cell: Callable[[int, int], str]) -> str:
    """What the row does against the column; columns are numbered as rows are."""
    places = range(len(names))
    return table(
        ["", *(str(place + 1) for place in places)],
        [
            [names[row], *("" if row == column else cell(row, column) for column in places)]
            for row in places
        ],
    )


def _interval(bounds: Bounds) -> str:
    return f"[{bounds.lower:.4f}, {bounds.upper:.4f}]"


def _command(command: str) -> str:
    return f"```sh\n{command}\n```"


def _chart(name: str, says: str) -> str:
    return f"![{says}]({CHARTS}/{name}.svg)"


# Charts


def _earned_chart(found: Measurements) -> str:
    duels = found.duels
    rows = [
        Row(name, bounds.lower, bounds.upper)
        for place, name in enumerate(duels.names)
        if place != duels.ours
        for bounds in [_against(duels, place)]
    ]
    label = f"points a round that {duels.names[duels.ours]} earns against each"
    return interval_chart(_most_first(rows), label, mark=0.0)


def _exploitability_chart(found: Measurements) -> str:
    rows = [
        Row(name, bounds.lower, bounds.upper)
        for name, bounds in zip(found.duels.names, found.duels.exploitability, strict=True)
    ]
    label = "points a round that a best response takes"
    return interval_chart(_most_first(rows), label, logarithmic=True)


def _knockout_chart(found: Measurements) -> str:
    return _matches_chart(found.knockout)


def _increment_chart(found: Measurements) -> str:
    return _matches_chart(found.increment)


def _matches_chart(matches: Matches) -> str:
    rows = [
        Row(str(one), won.lower, won.upper)
        for one, won in zip(matches.players, matches.standings.wins, strict=True)
    ]
    return interval_chart(_most_first(rows), "share of matches won; fair is a quarter", mark=0.25)


def _callers_chart(found: Measurements) -> str:
    rows = [Row(name, won.lower, won.upper) for name, won in found.alone.items()]
    label = f"share of matches won; the line is the published learner's {PUBLISHED:.0%}"
    return interval_chart(_most_first(rows), label, mark=PUBLISHED)


def _most_first(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -(row.lower + row.upper))


_CHARTS: dict[str, Callable[[Measurements], str]] = {
    "earned": _earned_chart,
    "exploitability": _exploitability_chart,
    "knockout": _knockout_chart,
    "increment": _increment_chart,
    "callers": _callers_chart,
}
