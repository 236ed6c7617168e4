"""The entry to the command line: it turns every error into one line and an exit code.

Signal handlers are installed before the slow imports: see `policies.signals`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from zhaifei.policies.signals import Terminated, await_dropped, exit_code, leave, listen, settle

_INTERNAL_ERROR, _USER_ERROR, _OUTPUT_FAILED, _INTERRUPTED = 1, 2, 3, 130
_UNCOLLECTED = 200_000
"""How many more objects there are before Python looks for cycles among them. A command makes fewer
while it starts. They stay, and looking through them took a seventh of the time of `query`."""
_ONE_THREAD = "OPENBLAS_NUM_THREADS", "1"
"""Lets numpy multiply matrices in one thread. Those of players are small: more threads take twice
the processor time and are no faster."""
_LEAST_ADDRESSES = 512
"""MiB of address space. With less, C libraries fail to load, each in its own way."""


def main() -> None:
    """Run the command line with the arguments of this process and leave with its exit code."""
    gc.set_threshold(_UNCOLLECTED)
    os.environ.setdefault(*_ONE_THREAD)
    try:
        listen()
    except RuntimeError as error:  # no thread can be started
        leave(_tell(_without_threads(error), debug=False))
    from zhaifei.app.terminal.output import occupy_closed_streams

    occupy_closed_streams()
    leave(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line with these arguments and return its exit code.

    The language is the one that --lang or the locale names. An error that a user can cause is
    printed as one line, with exit code 2.
    """
    from zhaifei.app.terminal.output import Output, OutputFailed

    with Output() as output:
        try:
            code = _run(arguments)
        except OutputFailed:
            code = _OUTPUT_FAILED
        except (Exception, KeyboardInterrupt, Terminated) as error:
            settle(error)
            code = _tell(error, debug="--debug" in arguments)
        failure = output.finish()
        if failure is not None:
            code = code or _OUTPUT_FAILED
            _tell_of_output(failure)
        return code


def _run(arguments: Sequence[str]) -> int:
    import click

    from zhaifei.app.locale import choose
    from zhaifei.app.terminal.group import cli

    choose(_language(arguments))
    try:
        _verify_lengths(arguments)
        _verify_memory(arguments)
        code: int | None = cli(list(arguments), prog_name="zhaifei", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return _USER_ERROR
    except Exception:
        await_dropped()
        raise
    return code or 0


def _language(arguments: Sequence[str]) -> str:
    """Return the language of the output. It is read before click parses anything, wherever --lang
    stands, so that help and errors use it too. Click rejects an unknown language."""
    import re

    from zhaifei.app.locale import LANGUAGES, of_locale

    named = re.findall(rf"(?<!\S)--lang[ =]({'|'.join(LANGUAGES)})(?!\S)", " ".join(arguments))
    return named[-1] if named else of_locale()


def _verify_lengths(arguments: Sequence[str]) -> None:
    """Raise ZhaifeiError for an argument that is too long for any command. Text options have the
    same limit wherever they come from; this check covers numbers, paths and names."""
    from zhaifei.game.errors import ZhaifeiError
    from zhaifei.game.texts import LONGEST

    for place, argument in enumerate(arguments):
        if len(argument) > LONGEST:
            raise ZhaifeiError(
                "argument {number} is too long, {beginning!r}: it has {length:,} characters, and "
                "the limit is {most:,}",
                number=place + 1,
                beginning=argument,
                length=len(argument),
                most=LONGEST,
            )


def _verify_memory(arguments: Sequence[str]) -> None:
    """Raise ZhaifeiError if `ulimit -v` allows too little to load the libraries of all commands.
    Help and the version are exempt."""
    from zhaifei.game.errors import ZhaifeiError
    from zhaifei.solver.machine.system import address_limit

    limit = address_limit() / 2**20
    if limit < _LEAST_ADDRESSES and not {"--version", "--help", "-h"}.intersection(arguments):
        raise ZhaifeiError(
            "there is not enough memory: ulimit -v allows {given:,.0f} MiB, and {least:,} are "
            "needed",
            given=limit,
            least=_LEAST_ADDRESSES,
        )


def _without_threads(error: RuntimeError) -> Exception:
    """Return the error for a system on which no thread can be started."""
    from zhaifei.game.errors import ZhaifeiError

    return ZhaifeiError(
        "no thread can be started ({error}): ulimit -u must allow more processes", error=error
    )


def _tell(error: BaseException, *, debug: bool) -> int:
    """Print in one line why the command ended, and return the exit code."""
    if debug:
        import traceback

        traceback.print_exception(error)
    message, code = _explain(error)
    _print_error(message)
    return code


def _explain(error: BaseException) -> tuple[str, int]:
    """Return the message for the user, and the exit code."""
    import click

    from zhaifei.app.locale import explain, say
    from zhaifei.game.errors import ZhaifeiError

    if isinstance(error, MemoryError):
        error = ZhaifeiError("there is not enough memory")
    if isinstance(error, Terminated):
        return say("terminated"), exit_code(error.number)
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
    """Return a message of click or of the system without its middle if it is long, because it may
    quote what was typed. Click begins with the option and ends with the reason."""
    from zhaifei.game.messages import SHOWN, beginning

    shown = beginning(message)
    return message if shown == message else f"{shown} {message[-SHOWN:]}"


def _tell_of_output(failure: OSError) -> None:
    """Print why the output is not complete, unless its reader went away."""
    from zhaifei.app.locale import say

    if not isinstance(failure, BrokenPipeError):
        _print_error(say("cannot write the output: {why}", why=failure.strerror or failure))


def _print_error(message: str) -> None:
    print(f"zhaifei: {' '.join(message.split())}", file=sys.stderr)


if __name__ == "__main__":
    main()
