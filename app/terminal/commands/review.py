"""`zhaifei review`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say
from zhaifei.app.terminal.commands.options import (
    FILE,
    debug,
    each_time_limit,
    json_option,
    lang,
    policy,
)
from zhaifei.app.terminal.help_texts import Command

if TYPE_CHECKING:
    from zhaifei.app.terminal.console import LiveLine
    from zhaifei.game.rules import Rules
    from zhaifei.policies.catalogue.record import PolicyRecord
    from zhaifei.policies.play.played import PlayedMatch
    from zhaifei.policies.review.against import Better
    from zhaifei.policies.review.decisions import Reviewer
    from zhaifei.policies.review.luck import Shares
    from zhaifei.policies.review.reviewing import ReviewedMatch

    Reviewed = tuple[ReviewedMatch, PolicyRecord]
    """The review of a match, and the record of the policy by which it was reviewed."""


@click.command(cls=Command)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=FILE)
@click.option("--seat", type=click.IntRange(1), metavar="K", help="The seat.  [default: yours]")
@policy
@each_time_limit
@click.option(
    "--people",
    is_flag=True,
    help="Also tell where another action would have earned more against these people, as their "
    "dice had shown them by then. Takes a second for each decision.",
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead: a line for each decision.")
@lang
@debug
def review(
    files: tuple[Path, ...],
    seat: int | None,
    policy: Path | None,
    time_limit: float,
    people: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Review matches that `play` has recorded: what each of your decisions cost, what would have
    been best, and what was luck.

    Without FILE, all matches that were kept are reviewed together. Ctrl-C prints what is done.
    """
    if as_json and as_csv:
        raise click.UsageError(say("--json and --csv cannot be combined"))
    if people and as_csv:
        raise click.UsageError(say("--people and --csv cannot be combined"))
    from zhaifei.app.terminal.console import LiveLine, new_console

    with LiveLine(new_console(stderr=True, quiet=as_json or as_csv)) as line:
        session, matches = _Session(policy, time_limit), _read(files, seat)
        if not files:
            matches = _with_policy(session, matches)
        found = _review(session, matches, line)
        better = _better(session, matches, found, line) if people else []
    done, rounds = _rounds(found), sum(len(match.rounds) for _, match, _ in matches)
    if as_csv or as_json:
        _print_data(found, better if people else None, as_csv=as_csv)
    else:
        _print_screen(found)
        if people:
            _print_better(better)
    if done < rounds:
        text = say("interrupted: {done} of {rounds} rounds were reviewed", done=done, rounds=rounds)
        print(text, file=sys.stderr)


def _review(
    session: _Session, matches: list[tuple[Path, PlayedMatch, int]], line: LiveLine
) -> list[Reviewed]:
    """Return the reviews of these matches; after Ctrl-C, the reviews of the rounds done so far.
    Raise KeyboardInterrupt on Ctrl-C before the first review."""
    from zhaifei.policies.measure.anytime import last_of

    rounds = sum(len(match.rounds) for _, match, _ in matches)

    def tell(found: list[Reviewed]) -> None:
        done = _rounds(found)
        line.show(say("round {done} of {rounds}", done=done, rounds=rounds), done, rounds)

    return last_of(session.reviews(matches), tell)


def _better(
    session: _Session,
    matches: list[tuple[Path, PlayedMatch, int]],
    found: list[Reviewed],
    line: LiveLine,
) -> list[list[Better]]:
    """Return [match] where another action would have earned more against the people there."""
    from zhaifei.policies.advice.seen import advisers_of
    from zhaifei.policies.review.against import better_against_people

    better = []
    for number, ((_, match, _), (review, _)) in enumerate(zip(matches, found, strict=False), 1):
        line.show(say("the people of match {number}", number=number), number - 1, len(found))
        advisers = advisers_of(session.reviewer(match)[0].advisers.policy)
        its = list(better_against_people(advisers, match, review))
        better.append(sorted(its, key=lambda one: -one.gain))
    return better


def _rounds(found: list[Reviewed]) -> int:
    return sum(len(match.rounds) for match, _ in found)


def _read(files: tuple[Path, ...], seat: int | None) -> list[tuple[Path, PlayedMatch, int]]:
    """Return the matches, and the seat that is reviewed in each. Without `files` return the kept
    matches that a person played. Raise ZhaifeiError if there is no match."""
    from zhaifei.app.terminal.console import new_console, warn
    from zhaifei.game.errors import ZhaifeiError
    from zhaifei.policies.play.records import kept_matches, read_match
    from zhaifei.policies.review.reviewing import reviewed_seat

    tell, wanted = warn(new_console(stderr=True)), None if seat is None else seat - 1
    found = []
    for path in files or kept_matches():
        try:
            match = read_match(path, tell)
        except ZhaifeiError as error:
            if files:
                raise
            tell(error)
            continue
        if files or match.you is not None or wanted is not None:
            found.append((path, match, reviewed_seat(match, wanted)))
    if not found:
        raise ZhaifeiError("no match is kept: play one, or name a file")
    return found


def _with_policy(
    session: _Session, matches: list[tuple[Path, PlayedMatch, int]]
) -> list[tuple[Path, PlayedMatch, int]]:
    """Return the matches for whose rules a policy is known, and tell of the others. Raise
    ZhaifeiError if there is no such match."""
    from zhaifei.app.terminal.console import new_console, warn
    from zhaifei.game.errors import ZhaifeiError

    tell, found, why = warn(new_console(stderr=True)), [], None
    for path, match, seat in matches:
        try:
            session.reviewer(match)
        except ZhaifeiError as error:
            why = ZhaifeiError("{path} is not reviewed: {why}", path=path, why=error)
            tell(why)
        else:
            found.append((path, match, seat))
    if not found and why is not None:
        raise why
    return found


class _Session:
    """Reviews matches, each by the policy for its rules."""

    def __init__(self, policy: Path | None, seconds: float) -> None:
        self._policy, self._seconds = policy, seconds
        self._reviewers: dict[Rules, tuple[Reviewer, PolicyRecord, Shares]] = {}

    def reviews(self, matches: list[tuple[Path, PlayedMatch, int]]) -> Iterator[list[Reviewed]]:
        """Yield the reviews so far, each with the record of its policy, after every round and at
        the end."""
        from zhaifei.policies.play.record_lines import printable
        from zhaifei.policies.review.reviewing import reviews_of_match

        done: list[Reviewed] = []
        for path, match, seat in matches:
            reviewer, record, shares = self.reviewer(match)
            found = reviews_of_match(
                reviewer, match, seat, source=printable(str(path)), shares=shares
            )
            so_far = done
            for one in found:
                so_far = [*done, (one, record)]
                if one.rounds:
                    yield so_far
            done = so_far
        yield done

    def reviewer(self, match: PlayedMatch) -> tuple[Reviewer, PolicyRecord, Shares]:
        """Return the reviewer of a match, the record of its policy and what shares of luck have
        been learnt. Raise ZhaifeiError if no policy is known for the rules."""
        from zhaifei.policies.catalogue.known import load_for
        from zhaifei.policies.review.decisions import reviewer_of
        from zhaifei.policies.review.luck import Shares

        if match.rules not in self._reviewers:
            loaded, record = load_for(self._policy, match.rules)
            self._reviewers[match.rules] = reviewer_of(loaded, self._seconds), record, Shares()
        return self._reviewers[match.rules]


def _print_data(found: list[Reviewed], better: list[list[Better]] | None, *, as_csv: bool) -> None:
    """Print the reviews as CSV or JSON."""
    from zhaifei.app.terminal.as_csv import review_csv
    from zhaifei.app.terminal.as_json import (
        better_json,
        print_json,
        record_json,
        review_json,
        summary_json,
    )
    from zhaifei.policies.review.reviewing import summarise

    if as_csv:
        print(review_csv([match for match, _ in found]), end="")
        return
    matches = [{**review_json(match), "policy": record_json(record)} for match, record in found]
    if better is not None:
        for match, its in zip(matches, better, strict=True):
            match["against_people"] = better_json(its)
    summary = summary_json(summarise(match for match, _ in found))
    print_json({"matches": matches, "summary": summary})


def _print_screen(found: list[Reviewed]) -> None:
    """Print the reviews for people; print the rounds only if there is one match."""
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.policy_record import describe_policy
    from zhaifei.app.terminal.printed.review import print_match, print_summary
    from zhaifei.policies.review.reviewing import summarise

    console = new_console()
    for record in dict.fromkeys(record for _, record in found):
        console.print(describe_policy(record), style="dim", soft_wrap=True)
    if len(found) == 1:
        print_match(console, found[0][0])
    else:
        console.print(say("{matches} matches", matches=len(found)))
    print_summary(console, summarise(match for match, _ in found))


def _print_better(better: list[list[Better]]) -> None:
    """Print where another action would have earned more against the people of each match."""
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.review import print_better

    for number, its in enumerate(better, 1):
        print_better(new_console(), its, number if len(better) > 1 else None)
