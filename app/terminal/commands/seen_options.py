"""The options of `query` that tell it who sits at the table."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.commands.options import FILE, with_options

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.hands import Hand
    from zhaifei.game.rules import Rules
    from zhaifei.policies.advice.advice import Advice
    from zhaifei.policies.advice.seen import Advisers, SeenPerson
    from zhaifei.policies.players.match_policy import SolvedPolicy

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class SeenOptions:
    """The values of `seen_options`."""

    files: tuple[Path, ...]
    """Records of the table, oldest first."""
    seat: int | None
    """The seat that asks, from 1; None is the person's."""
    among: tuple[str, ...]
    """The names of the others, in the order of turns."""

    def __bool__(self) -> bool:
        return bool(self.files or self.among)

    def verify(self, hand: str | None, lock: Path | None) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.seat is not None and not self.files:
            raise click.UsageError(say("--seat says who asks in the records of --seen"))
        if self.files and self.among:
            raise click.UsageError(say("--seen and --among cannot be combined"))
        if self and hand is None:
            raise click.UsageError(say("--seen and --among answer for one hand: add --hand"))
        if self and lock is not None:
            raise click.UsageError(say("--lock cannot be combined with --seen or --among"))

    def people(self, policy: SolvedPolicy) -> Table:
        """Return the people at the table, whose matches are by the rules of the policy. Raise
        ZhaifeiError."""
        from zhaifei.policies.advice.seen import advisers_of

        advisers = advisers_of(policy)
        if self.among:
            from zhaifei.app.terminal.kept_people import remembered
            from zhaifei.policies.advice.remembered import people_among

            return Table(people_among(policy.rules, self.among, remembered()), advisers)
        return Table(self._seen(policy.rules, advisers), advisers)

    def _seen(self, rules: Rules, advisers: Advisers) -> list[SeenPerson]:
        """Return the people of the records."""
        from zhaifei.app.terminal.console import new_console, warn
        from zhaifei.policies.advice.seen import Record, people_seen
        from zhaifei.policies.play.record_lines import printable
        from zhaifei.policies.play.records import read_match
        from zhaifei.policies.review.reviewing import reviewed_seat

        tell, wanted = warn(new_console(stderr=True)), None if self.seat is None else self.seat - 1
        records = []
        for path in self.files:
            match = read_match(path, tell)
            records.append(Record(printable(str(path)), match, reviewed_seat(match, wanted)))
        return people_seen(advisers, rules, records)


@dataclass(frozen=True)
class Table:
    """The people at a table, and who advises there."""

    people: Sequence[SeenPerson]
    advisers: Advisers

    def refine(self, rules: Rules, hand: Hand, bids: Sequence[Bid] | None) -> Iterator[Advice]:
        """Yield advice with `hand` after `bids`, None if some are unknown. Raise ZhaifeiError."""
        from zhaifei.game.errors import ZhaifeiError

        if bids is None:
            raise ZhaifeiError("the bids before this one are unknown: give all bids as the history")
        yield from self.advisers(rules).refine(hand, bids, [one.person for one in self.people])


def seen_options(command: Command) -> Command:
    """Add the options; `command` receives them as one argument `seen: SeenOptions`."""

    @functools.wraps(command)
    def with_records(**given: Any) -> Any:
        chosen = SeenOptions(given.pop("seen"), given.pop("seat"), given.pop("among"))
        return command(seen=chosen, **given)

    options = (
        click.option(
            "--seen",
            type=FILE,
            multiple=True,
            metavar="RECORD",
            help="A record of rounds with the people who sit here, in the same order: the answer "
            "is against them, as their dice have shown them. May be given several times, the "
            "oldest first.",
        ),
        click.option(
            "--seat",
            type=click.IntRange(1),
            metavar="K",
            help="With --seen: the seat that asks.  [default: yours]",
        ),
        click.option(
            "--among",
            multiple=True,
            metavar="NAME",
            help="The name of somebody in your records ('zhaifei people'), or ? for anybody. Name "
            "all others, in the order of turns after you: the answer is against them.",
        ),
    )
    whole: Any = with_records
    chosen: Command = with_options(options, whole)
    return chosen
