"""`zhaifei record`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import chosen, explain, say, say_message
from zhaifei.app.terminal.commands.options import FILE, debug, lang
from zhaifei.app.terminal.help_texts import Command

if TYPE_CHECKING:
    from zhaifei.policies.play.played import PlayedMatch
    from zhaifei.policies.play.record_text import RoundReader


@click.command(cls=Command)
@click.option(
    "--out",
    type=FILE,
    help="The new file to write.  [default: in your data directory, named by the time]",
)
@lang
@debug
def record(out: Path | None) -> None:
    """Record rounds played with real dice, one line each, as you type or paste them.

    A line: '5 players, starter 3: f6x4 f7x4 z4x4 c; me=2: 11346; loser 1'. Dice that nobody showed
    are left out, and so is what the lines before have told or what follows from them. Input may
    also come from a pipe: then nothing is written unless all of it can be read.
    """
    from zhaifei.app.terminal.console import quoted
    from zhaifei.app.terminal.person import open_keyboard
    from zhaifei.policies.play.record_text import RoundReader
    from zhaifei.policies.play.records import new_record, verify_new, write_match

    open_keyboard()
    path = new_record() if out is None else out
    verify_new(path)
    reader = RoundReader()
    if sys.stdin is not None and sys.stdin.isatty():
        _ask(reader, path)
    else:
        _read(reader)
    match = reader.match()
    write_match(path, match)
    if len(match.rounds) == 1:
        print(say("one round recorded: zhaifei watch {path} shows it again", path=quoted(path)))
    else:
        print(
            say(
                "{rounds} rounds recorded: zhaifei watch {path} shows them again",
                rounds=len(match.rounds),
                path=quoted(path),
            )
        )


def _ask(reader: RoundReader, path: Path) -> None:
    """Read rounds from a person. The record is rewritten after each round, so that a crash loses
    nothing."""
    from zhaifei.app.terminal.person import read_line
    from zhaifei.game.errors import ZhaifeiError
    from zhaifei.policies.play.records import write_match
    from zhaifei.policies.play.table import Leaves

    while True:
        try:
            played = reader.read(read_line(say("a round (q ends) > ")))
        except Leaves:
            return
        except ZhaifeiError as error:
            print(explain(error))
        else:
            if played is not None:
                write_match(path, reader.match())
                _read_back(reader.match())


def _read(reader: RoundReader) -> None:
    """Read rounds from a pipe or a file. Raise RecordError for the first line that cannot be
    read."""
    from zhaifei.game.errors import ZhaifeiError
    from zhaifei.game.texts import LONGEST
    from zhaifei.policies.play.record_lines import record_error

    lines = iter(lambda: sys.stdin.readline(LONGEST + 1), "") if sys.stdin is not None else ()
    for number, line in enumerate(lines, 1):
        try:
            played = reader.read(line)
        except ZhaifeiError as why:
            raise record_error("stdin", number, why) from why
        if played is not None:
            _read_back(reader.match())


def _read_back(match: PlayedMatch) -> None:
    """Print the reading of the last line, and the loser."""
    from zhaifei.game.stakes import score_name
    from zhaifei.policies.play.record_text import CHINESE, ENGLISH, format_round

    played, words = match.rounds[-1], CHINESE if chosen() == "zh" else ENGLISH
    print(format_round(match, len(match.rounds) - 1, words))
    if not played.is_over(match.rules):
        print(say("  the round was not played to its end"))
    elif played.loser is None:
        print(say("  who lost is not known: add '; loser 3', or the dice that were shown"))
    else:
        print(
            say(
                "  seat {seat} lost; {score_name}: {score}",
                seat=played.loser + 1,
                score_name=say_message(score_name(match.rules)),
                score=", ".join(map(str, match.score)),
            )
        )
