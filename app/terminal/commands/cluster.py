"""`zhaifei cluster`."""

from __future__ import annotations

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.commands.options import (
    LOCAL,
    THREADS,
    RulesOptions,
    debug,
    lang,
    rules_options,
)
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@click.argument("action", type=click.Choice(("check",)))
@click.argument("address")
@rules_options
@click.option(
    "--threads",
    type=THREADS,
    help="Threads per worker; each machine runs as many workers as fit.  [default: one worker with "
    "all cores]",
)
@lang
@debug
def cluster(action: str, address: str, rules: RulesOptions, threads: int | None) -> None:
    """Check the machines of a Ray cluster before a long run.

    ADDRESS is that of its first machine, HOST:PORT, as 'solve --cluster' takes it; 'local' is a
    cluster of this machine alone.

    Shows what workers each machine would have, the memory that is free there, and about how many
    histories of the game that holds. The exit code is 2 if a machine has other versions than this
    one, or another kind of processor: the result would depend on who computes what.
    """
    from rich.table import Table

    from zhaifei.app.terminal.console import new_console
    from zhaifei.policies.training.cluster_check import check_cluster

    assert action == "check"
    found = check_cluster(None if address == LOCAL else address, rules.named_or_default(), threads)
    table = Table(box=None)
    table.add_column(say("machine"))
    for title in (say("workers"), say("threads"), say("free memory, GB"), say("histories")):
        table.add_column(title, justify="right")
    for one in found:
        table.add_row(
            one.host,
            f"{one.workers}",
            f"{one.threads}",
            f"{one.spare / 1e9:.1f}",
            f"{one.histories:,}",
        )
    console = new_console()
    console.print(table)
    for one in found:
        if one.difference is not None:
            raise one.difference
    console.print(
        say(
            "all machines have the versions and the processor of this one; about {histories:,} "
            "histories fit",
            histories=sum(one.histories for one in found),
        )
    )
