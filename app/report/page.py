"""The report as a Markdown page in English with charts.

It shows the results of each variant's arena, the exploitability of each player of the two-player
game, and measurements of the policies for more players. The costs of solving and learning follow.
Each figure comes with its command.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numba
import numpy as np

from zhaifei.app.arena_figures import (
    format_conduct,
    format_rating,
    format_share,
    middle,
    numbered_names,
)
from zhaifei.app.report.charts import ChartRow, interval_chart
from zhaifei.app.report.markdown import markdown_cross_table, markdown_table, shell_command
from zhaifei.app.report.several import coalition_section, several_section
from zhaifei.app.report.verdicts import Verdict, earned_against, verdicts, verdicts_of_matches
from zhaifei.policies.catalogue.provenance import provenances
from zhaifei.policies.measure.comparison import Estimate
from zhaifei.policies.research.report_measurements import (
    CALLER,
    CLOSELY,
    LEARNER,
    PAIR_MATCHES,
    TABLE_MATCHES,
    MatchResults,
    Measurements,
    TwoPlayerResults,
)
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.files.atomic_files import StorageError, verify_writable, write_text

CHARTS = "results"
"""The directory of the charts, beside the page."""
PUBLISHED = 0.65
"""The share of matches that the published learner wins against three random callers, in
`published`."""
_OURS = "zhaifei-2p"


def verify_can_write(path: Path) -> None:
    """Raise StorageError unless a report can be written to `path`, and its charts beside it."""
    verify_writable(path)
    charts = path.parent / CHARTS
    if charts.is_dir():
        for name in _CHARTS:
            verify_writable(_chart_file(path, name))
    elif charts.exists() or charts.is_symlink():
        raise StorageError("cannot write {path}: it is not a directory", path=charts)


def write_report(path: Path, found: Measurements) -> None:
    """Write the page to `path` and the charts into the directory CHARTS beside it. Raise
    StorageError or NoCharts."""
    (path.parent / CHARTS).mkdir(exist_ok=True)
    for name, draw in _CHARTS.items():
        write_text(_chart_file(path, name), draw(found))
    write_text(path, format_page(found))


def _chart_file(path: Path, name: str) -> Path:
    """Return the file of a chart of the report `path`."""
    return path.parent / CHARTS / f"{name}.svg"


# The page


def format_page(found: Measurements) -> str:
    """Return the whole page as Markdown."""
    parts = [
        "# Results",
        "Written by `zhaifei report"
        f" --rounds {found.settings.rounds} --matches {found.settings.matches}"
        f" --time-limit {found.settings.seconds:g}s --seed {found.settings.seed}`"
        f" (Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__})."
        " Sampled figures come with half their 95% confidence interval, ±; those with = are exact."
        " `zhaifei players` describes each player.",
        *_duels_section(found.duels, found.settings.rounds, found.settings.seed),
        *_exploitability_section(found.duels, found.settings.seconds),
        *(
            part
            for one in found.several
            for part in several_section(one, found.settings.rounds_of_several, found.settings.seed)
        ),
        *coalition_section(found.conspired),
        *_pairs_section(found.knockout_of_two, found.settings.seed),
        *_matches_section(found.knockout, found.settings.seed),
        *_matches_section(found.increment, found.settings.seed),
        *_callers_section(found),
        *_costs_section(),
    ]
    return "\n\n".join(parts) + "\n"


def _duels_section(duels: TwoPlayerResults, rounds: int, seed: int) -> Iterator[str]:
    names = duels.names
    yield "## 斋飞, two players with five dice each"
    yield _list(verdicts(duels))
    yield shell_command(f"zhaifei arena --rounds {rounds} --seed {seed}")
    yield (
        f"Every pair in both seats with the same dice, {duels.standings.deals:,} deals, "
        f"{duels.standings.played:,} rounds. What the row earns against the column, in penalty "
        "points a round:"
    )
    yield markdown_cross_table(
        numbered_names(duels.players), lambda row, column: _earned(duels, row, column)
    )
    yield _chart("earned", f"what {names[duels.ours]} earns against each")
    yield f"With more rounds, {CLOSELY * rounds:,} of our policy and each learned player:"
    yield shell_command(f"zhaifei arena {_OURS} NAME --rounds {CLOSELY * rounds} --seed {seed}")
    yield markdown_table(
        ["against", f"{names[duels.ours]} earns"],
        [
            [names[place], f"{cell.mean:+.4f} ±{cell.margin:.4f}"]
            for place, cell in duels.closely.items()
        ],
    )
    yield "Bids and challenges are per round, points are penalty points taken:"
    headings = ["player", "rating", "points", *_CONDUCT]
    yield markdown_table(
        headings,
        [
            [
                name,
                format_rating(duels.standings.ratings, place),
                f"{habits.loss_rate:.4f}",
                *format_conduct(habits),
            ]
            for place, (name, habits) in enumerate(zip(names, duels.standings.counts, strict=True))
        ],
    )


def _earned(duels: TwoPlayerResults, row: int, column: int) -> str:
    cell = duels.standings.cells[row][column]
    sampled = f"{cell.mean:+.4f} ±{cell.margin:.4f}"
    if (row, column) not in duels.exact:
        return sampled
    bounds = duels.exact[row, column]
    return f"{sampled}<br>={middle(bounds):+.4f}"


def _exploitability_section(duels: TwoPlayerResults, seconds: float) -> Iterator[str]:
    yield "### How exploitable each is"
    yield (
        "Penalty points a round that a best response with perfect recall takes, averaged over both "
        "seats: a certified interval, in the full game. An equilibrium would lose 0."
    )
    yield shell_command(f"zhaifei evaluate --policy NAME --time-limit {seconds:g}s")
    order = np.argsort([bounds.lower for bounds in duels.exploitability], kind="stable")
    yield markdown_table(
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


def _pairs_section(matches: MatchResults, seed: int) -> Iterator[str]:
    standings, rules = matches.standings, matches.rules
    yield f"## {matches.name}, two players with {rules.dice} dice each"
    yield _list(verdicts_of_matches(matches))
    yield shell_command(
        f"zhaifei arena --rules {matches.name} --players 2 --rounds {PAIR_MATCHES} --seed {seed}"
    )
    yield (
        f"Every pair in both seats with the same dice, {standings.deals:,} deals, "
        f"{standings.played:,} matches; half of the matches would be fair. {_PER_ROUND}"
    )
    ours = matches.players[matches.ours]
    yield _matches_table(matches)
    yield _chart(f"{matches.name}-2p", f"how many more matches {ours} wins than each")
    yield "How much more of the matches the row wins than the column, in their meetings:"
    yield _matches_cross_table(matches)


def _matches_section(matches: MatchResults, seed: int) -> Iterator[str]:
    standings = matches.standings
    yield f"## {matches.name}"
    yield shell_command(
        f"zhaifei arena --rules {matches.name} --rounds {TABLE_MATCHES} --seed {seed}"
    )
    yield (
        f"Tables of four, each choice of four players in {standings.played // standings.deals:,} "
        f"seatings with the same dice, {standings.deals} deals, {standings.played:,} matches; a "
        f"quarter of the matches would be fair. {_PER_ROUND}"
    )
    yield _matches_table(matches)
    yield _chart(matches.name, f"matches won in {matches.name}")
    yield "How much more of the matches the row wins than the column, at tables where both sit:"
    yield _matches_cross_table(matches)


def _matches_table(matches: MatchResults) -> str:
    standings = matches.standings
    return markdown_table(
        ["player", "matches won", "rating", *_CONDUCT, "out of turn", "right", "dice lost"],
        [
            [
                str(one),
                f"{won.mean:.1%} ±{won.margin:.1%}",
                format_rating(standings.ratings, place),
                *format_conduct(habits),
                f"{habits.out_of_turn / habits.rounds:.3f}",
                format_share(habits.out_of_turn_right, habits.out_of_turn),
                f"{habits.loss_rate:.2f}",
            ]
            for place, (one, won, habits) in enumerate(
                zip(matches.players, standings.rates, standings.counts, strict=True)
            )
        ],
    )


def _matches_cross_table(matches: MatchResults) -> str:
    cells = matches.standings.cells
    return markdown_cross_table(
        numbered_names(matches.players),
        lambda row, column: f"{cells[row][column].mean:+.1%} ±{cells[row][column].margin:.1%}",
    )


def _callers_section(found: Measurements) -> Iterator[str]:
    learner = found.alone[LEARNER]
    yield f"### Alone against three {CALLER}s"
    yield (
        f"`{LEARNER}`, trained on 5,000 matches, wins {learner.mean:.1%} ±{learner.margin:.1%}. "
        f"The published learner, which won about {PUBLISHED:.0%}, was taught in other rules, "
        "`published`: see `benchmarks/increment_learner.py`. `caller-breaker` is the exact best "
        "response: nobody wins more."
    )
    yield shell_command(
        f"zhaifei arena NAME {CALLER} --rules increment --rounds {found.settings.matches} "
        f"--seed {found.settings.seed}"
    )
    best_first = sorted(found.alone.items(), key=lambda item: -item[1].mean)
    yield markdown_table(
        ["player", "matches won"],
        [[name, f"{won.mean:.2%} ±{won.margin:.2%}"] for name, won in best_first],
    )
    yield _chart("callers", f"matches won alone against three {CALLER}s")


def _costs_section() -> Iterator[str]:
    yield "## Cost of computing the players"
    yield "Wall-clock seconds on two cores shared with other work. Rule-based players cost nothing."
    yield markdown_table(
        ["player", "work", "seconds", "command"],
        [
            [one.name, f"{one.work:,} {one.unit}", f"{one.seconds:,.0f}", f"`{one.command}`"]
            for one in provenances()
        ],
    )


# Pieces


_PER_ROUND = "Bids and challenges are per round that the player had dice in:"
_CONDUCT = ("bids", "challenges", "right", "own bids true, of those challenged", "bids of all")


def _list(claims: Sequence[Verdict]) -> str:
    return "\n".join(
        f"- {one.claim} **{'Yes' if one.holds else 'No'}.** {one.figures}" for one in claims
    )


def _chart(name: str, says: str) -> str:
    return f"![{says}]({CHARTS}/{name}.svg)"


# Charts


def _earned_chart(found: Measurements) -> str:
    duels = found.duels
    others = [place for place in range(len(duels.names)) if place != duels.ours]
    earned = [(duels.names[place], earned_against(duels, place)) for place in others]
    label = f"points a round that {duels.names[duels.ours]} earns against each"
    return _intervals(earned, label, mark=0.0)


def _exploitability_chart(found: Measurements) -> str:
    bounds = zip(found.duels.names, found.duels.exploitability, strict=True)
    return _intervals(bounds, "points a round that a best response takes", logarithmic=True)


def _pairs_chart(matches: MatchResults) -> str:
    ours, cells = matches.players[matches.ours], matches.standings.cells[matches.ours]
    more = [(str(one), cell) for one, cell in zip(matches.players, cells, strict=True)]
    del more[matches.ours]
    return _intervals(more, f"share of matches that {ours} wins more than each", mark=0.0)


def _matches_chart(matches: MatchResults) -> str:
    won = zip(map(str, matches.players), matches.standings.rates, strict=True)
    return _intervals(won, "share of matches won; fair is a quarter", mark=0.25)


def _callers_chart(found: Measurements) -> str:
    label = f"share of matches won; the line is the published learner's {PUBLISHED:.0%}"
    return _intervals(found.alone.items(), label, mark=PUBLISHED)


def _intervals(
    found: Iterable[tuple[str, Bounds | Estimate]],
    label: str,
    *,
    logarithmic: bool = False,
    mark: float | None = None,
) -> str:
    """Return a chart of named intervals, the highest at the top."""
    rows = [ChartRow(name, one.lower, one.upper) for name, one in found]
    rows.sort(key=lambda row: -(row.lower + row.upper))
    return interval_chart(rows, label, logarithmic=logarithmic, mark=mark)


_CHARTS: dict[str, Callable[[Measurements], str]] = {
    "earned": _earned_chart,
    "exploitability": _exploitability_chart,
    "knockout-2p": lambda found: _pairs_chart(found.knockout_of_two),
    "knockout": lambda found: _matches_chart(found.knockout),
    "increment": lambda found: _matches_chart(found.increment),
    "callers": _callers_chart,
}
