"""`zhaifei web`."""

from __future__ import annotations

from pathlib import Path

import click

from zhaifei.app.terminal.commands.options import FILE, debug, lang
from zhaifei.app.terminal.help_texts import Command

MOST_WORKERS = 64


@click.command(cls=Command)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Other computers need the token that is printed with the "
    "address.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="The port; 0 is any that is free.",
)
@click.option(
    "--token",
    envvar="ZHAIFEI_TOKEN",
    metavar="TEXT",
    help="The token that visitors need, 16 to 64 letters, digits, - or _. It is not shown. The "
    "environment variable ZHAIFEI_TOKEN sets it too, unseen by other users of this computer.  "
    "[default: none on this computer alone, else a random one]",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="The address at which a proxy shows the page, like https://dice.example.org/zhaifei. "
    "The proxy may remove the path or leave it. Requests for other hosts are refused.",
)
@click.option(
    "--proxy",
    metavar="ADDRESS",
    help="The address or network of the proxy: its X-Forwarded-For says who visits.  "
    "[default: this computer]",
)
@click.option(
    "--policy",
    type=FILE,
    help="A policy file or a player's name, for its own rules.  [default: of the shipped policy "
    "and those you solved for the rules, the one with the lowest recorded exploitability]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    default=2,
    show_default=True,
    help="Number of processes that ask the policy; each answers one question at a time.",
)
@click.option(
    "--export",
    type=FILE,
    metavar="DIR",
    help="Write a static site into this directory instead, for any web server: it plays without "
    "zhaifei, also offline.",
)
@lang
@debug
def web(
    host: str,
    port: int,
    token: str | None,
    public_url: str | None,
    proxy: str | None,
    policy: Path | None,
    workers: int,
    export: Path | None,
) -> None:
    """Open a page to play, review and explore.

    It is for this computer, or with --host for a phone too. Ctrl-C closes it.
    """
    if export is not None:
        from zhaifei.app.pocket.exporting import export as write_site

        write_site(export, tell=click.echo)
        return
    from zhaifei.app.server.settings import Entry, verified
    from zhaifei.app.terminal.kept_kernels import warn_if_not_kept

    entry = Entry(token, public_url, proxy)
    settings = verified(host, port, policy, workers, entry)
    warn_if_not_kept()
    from zhaifei.app.server.serving import serve

    serve(settings)
