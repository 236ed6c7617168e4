"""The options of `query` that lock the opponent's strategy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.commands.options import FILE, with_options

if TYPE_CHECKING:
    from zhaifei.game.rules import Rules
    from zhaifei.policies.advice.locked import LockAnswer
    from zhaifei.policies.players.locks import Locks

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class LockOptions:
    """The values of `lock_options`."""

    file: Path | None
    answer: str | None
    """The value of a LockAnswer; None if the option was not given."""

    def load(self, rules: Rules) -> tuple[Locks | None, LockAnswer]:
        """Return the locks of the file for these rules, if one was named, and how they are
        answered. Raise LockError."""
        from zhaifei.policies.advice.locked import LockAnswer
        from zhaifei.policies.catalogue.lock_file import load_locks

        locks = None if self.file is None else load_locks(self.file, rules)
        return locks, LockAnswer(self.answer or LockAnswer.BEST_RESPONSE)

    def verify(self, hand: str | None, seconds: float) -> None:
        """Raise UsageError for options that contradict each other. The question is for `hand`, or
        for the whole range if it is None. A position may be solved for `seconds`."""
        if self.file is not None and hand is None:
            raise click.UsageError(say("--lock answers for one hand: add --hand"))
        if self.answer is not None and self.file is None:
            raise click.UsageError(say("--lock-answer says what to do with the file of --lock"))
        if self.answer == "solve" and seconds == 0.0:
            raise click.UsageError(
                say("--lock-answer solve takes time: leave out --no-resolve and --time-limit 0")
            )


def lock_options(command: Command) -> Command:
    """Add the options; `command` receives them as one argument `locking: LockOptions`."""

    @functools.wraps(command)
    def with_locks(**given: Any) -> Any:
        chosen = LockOptions(given.pop("lock"), given.pop("lock_answer"))
        return command(locking=chosen, **given)

    options = (
        click.option(
            "--lock",
            type=FILE,
            help="A file that says what the opponent does after some bids, like opening f3x6 with "
            "every hand that has a six.",
        ),
        click.option(
            "--lock-answer",
            type=click.Choice(["best-response", "solve"]),
            help="With --lock: the best response to an opponent who otherwise plays the policy, or "
            "the rest of the round solved, where both adapt to what is locked.  [default: "
            "best-response]",
        ),
    )
    whole: Any = with_locks
    chosen: Command = with_options(options, whole)
    return chosen
