"""The command line: the group of all commands, and the reporting of errors.

Each verb is a module of `app.terminal.commands`, imported only when it is used, so that start-up
is quick.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

import click

from app.locale import LANGUAGES, choose, explain, of_locale, say
from app.terminal.commands.options import debug, lang
from app.terminal.help_texts import Group
from game.errors import ZhaifeiError
from game.messages import SHOWN, beginning
from game.texts import LONGEST

VERBS = ("solve", "train", "query", "evaluate", "play", "watch", "arena", "players", "report")
"""The commands, in the order of help. `zhaifei VERB` runs the function `VERB` of the module
`app.terminal.commands.VERB`."""
_USER_ERROR, _INTERNAL_ERROR, _INTERRUPTED = 2, 1, 130


class Commands(Mapping[str, click.Command]):
    """The commands by their verbs; each is imported when it is asked for."""

    def __getitem__(self, verb: str) -> click.Command:
        if verb not in VERBS:
            raise KeyError(verb)
        command: click.Command = getattr(import_module(f"app.terminal.commands.{verb}"), verb)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class Verbs(Group):
    """The group of all commands, which lists them in the order of VERBS."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)


@click.group(
    cls=Verbs,
    commands=Commands(),
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="zhaifei", help="Show the version and exit.")
@lang
@debug
def cli() -> None:
    """Solve Liar's Dice as it is played in China (斋飞), with five dice each.

    Bids are written 飞4x6 or f4x6 (ones wild) and 斋2x5 or z2x5 (ones not wild).
    """


def main() -> None:
    """Run the command line with the arguments of this process and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line with these arguments and return its exit code.

    The language is the one that --lang or the locale asks for. An error that a user can cause is
    one line and exit code 2.
    """
    choose(_language(arguments))
    try:
        _verify_lengths(arguments)
        code: int | None = cli(list(arguments), prog_name="zhaifei", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return _USER_ERROR
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads the output any more
        return _INTERNAL_ERROR
    except (Exception, KeyboardInterrupt) as error:
        if "--debug" in arguments:
            traceback.print_exc()
        message, code = _explain(error)
        click.echo(f"zhaifei: {' '.join(message.split())}", err=True)
        return code
    return code or 0


def _language(arguments: Sequence[str]) -> str:
    """Return the language of the output. It is read before click parses anything, wherever --lang
    stands, so that help and errors use it too; click rejects an unknown one."""
    named = re.findall(rf"(?<!\S)--lang[ =]({'|'.join(LANGUAGES)})(?!\S)", " ".join(arguments))
    return named[-1] if named else of_locale()


def _verify_lengths(arguments: Sequence[str]) -> None:
    """Raise ZhaifeiError for an argument that nothing reads. Options that are texts have the same
    limit wherever they come from; this one is for numbers, paths and names."""
    for place, argument in enumerate(arguments):
        if len(argument) > LONGEST:
            raise ZhaifeiError(
                "argument {number} is too long, {beginning!r}: it has {length:,} characters, and "
                "at most {most:,} are read",
                number=place + 1, beginning=argument, length=len(argument), most=LONGEST,
            )  # fmt: skip


def _explain(error: BaseException) -> tuple[str, int]:
    """Return what to tell the user, and the exit code."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return say("interrupted"), _INTERRUPTED
    if isinstance(error, click.ClickException):
        return _bounded(error.format_message()), _USER_ERROR
    if isinstance(error, ZhaifeiError):
        return explain(error), _USER_ERROR
    if isinstance(error, OSError):
        return _bounded(str(error)), _USER_ERROR
    return _bounded(
        say("internal error: {error!r} (--debug shows the traceback)", error=error)
    ), _INTERNAL_ERROR


def _bounded(message: str) -> str:
    """Return a message of click or of the system, which may quote what was typed, without its
    middle if it is long: click begins with the option, and ends with the reason."""
    shown = beginning(message)
    return message if shown == message else f"{shown} {message[-SHOWN:]}"


if __name__ == "__main__":
    main()
