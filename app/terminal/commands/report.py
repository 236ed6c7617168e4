"""`zhaifei report`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from zhaifei.app.locale import say, say_message
from zhaifei.app.terminal.argument_types import Count, Duration
from zhaifei.app.terminal.commands.options import FILE, SEED, debug, lang
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@click.option("--out", type=FILE, default=Path("RESULTS.md"), help="The page to write.")
@click.option(
    "--rounds",
    type=Count(),
    default="1e5",
    help="Approximate rounds at each two-player table; penalty shares at larger tables use "
    "a fifth of that.",
)
@click.option(
    "--matches",
    type=Count(),
    default="4000",
    help="Approximate number of matches of each player of increment alone among random callers.",
)
@click.option(
    "--time-limit",
    type=Duration(),
    default="1m",
    help="Time for the search for a best response to each player.",
)
@click.option("--seed", type=SEED, default=0)
@lang
@debug
def report(out: Path, rounds: int, matches: int, time_limit: float, seed: int) -> None:
    """Measure all players in every variant, and write a page of results.

    All players meet in the arena of each variant; best responses measure how exploitable each
    player of the two-player game is. Of each shipped policy for more players the page has NashConv,
    openings, and penalty shares among the other players. It is Markdown in English, with a
    directory of SVG charts beside it. Needs matplotlib: pip install 'zhaifei[report]'.
    """
    from zhaifei.app.report.charts import verify_can_draw
    from zhaifei.app.report.page import verify_can_write, write_report
    from zhaifei.app.terminal.console import LiveLine, clock, new_console
    from zhaifei.app.terminal.output import goes_on_without_output
    from zhaifei.policies.research.report_measurements import ReportSettings, measure

    goes_on_without_output()
    verify_can_draw()
    verify_can_write(out)
    began = time.monotonic()
    with LiveLine(new_console(stderr=True)) as line:
        found = measure(
            ReportSettings(rounds, matches, time_limit, seed),
            lambda message, done, goal: line.show(say_message(message), done, goal),
        )
        write_report(out, found)
    taken = clock(time.monotonic() - began)
    print(say("wrote {path} and its charts in {time}", path=out, time=taken))
