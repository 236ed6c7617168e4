"""Set up the table of `play` and `watch`: its players, and the screen that shows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from zhaifei.app.locale import say, say_rules
from zhaifei.app.terminal.console import new_console, quoted
from zhaifei.app.terminal.kept_kernels import warn_if_not_kept
from zhaifei.app.terminal.person import Advise, open_keyboard
from zhaifei.app.terminal.printed.plug_ins import print_faults
from zhaifei.app.terminal.printed.policy_record import describe_policy
from zhaifei.app.terminal.screen import Query, Screen, always
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.rules import Rules, preset_name, with_dice
from zhaifei.policies.advice.hints import Advisers
from zhaifei.policies.catalogue.solving import command_for, how_to_solve, is_solved_by_command
from zhaifei.policies.play.lineup import FALLBACK, Lineup, choose_lineup
from zhaifei.policies.play.records import YOU, MatchRecorder
from zhaifei.policies.play.table import Onlooker
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.player import Player, short_name


def chosen_lineup(
    policy: Path | None, rules: Rules | None, opponents: Sequence[str], *, tell: bool
) -> Lineup:
    """Return the players at the table, for `rules` if the user named any. Print which policy plays
    if it was named or if `tell`. With `tell`, also print which rule-based player stands in for an
    unnamed policy."""
    lineup = choose_lineup(policy, rules, opponents)
    if not tell and policy is None:
        return lineup
    if lineup.record is not None:
        print(describe_policy(lineup.record))
    elif policy is None:
        print(_stand_in_told(lineup.rules))
    return lineup


def _stand_in_told(rules: Rules) -> str:
    if not is_solved_by_command(rules):
        return say(
            "no policy is known for these rules: the rule-based player '{name}' plays",
            name=FALLBACK,
        )
    return say(
        "no policy is known for these rules: {command} computes one; the rule-based player "
        "'{name}' plays instead",
        command=how_to_solve(rules),
        name=FALLBACK,
    )


def query_command(policy: Path | None, rules_as_typed: str, lineup: Lineup) -> Query:
    """Return a function that words the `query` command for rounds of this table, with the options
    `rules_as_typed`. The command is empty if no policy gives hints, or no options name the rules
    of a round."""
    command = "zhaifei query" + ("" if policy is None else f" --policy {quoted(policy)}")
    its = lineup.rules
    if lineup.policy is None:
        return always("")
    begins = (lineup.policy.rules if policy is not None else its).dice_by_player
    first = command if policy is not None else command + rules_as_typed

    def worded(dice: Sequence[int]) -> str:
        if tuple(dice) == begins:
            return first
        # No options name the rules of no preset.
        return "" if preset_name(its) is None else command_for(command, with_dice(its, dice))

    return worded


def recorder_of(
    match: Match,
    players: Sequence[Player],
    you: int,
    seed: int,
    lineup: Lineup,
    record: Path | None,
) -> MatchRecorder | None:
    """Return the recorder of the match, which writes to the file `record` or by default to a file
    in the user's data directory. Return None, after a warning, if the default file cannot be
    written. Raise StorageError if `record` cannot be written."""

    def tell(error: ZhaifeiError) -> None:
        text = say("warning: the match is not recorded from here on: {error}", error=error)
        print(text, file=sys.stderr)

    names = [YOU if seat == you else short_name(one) for seat, one in enumerate(players)]
    policy = lineup.policy_name
    try:
        return MatchRecorder(
            match, names, path=record, you=you, seed=seed, policy=policy, tell=tell
        )
    except ZhaifeiError as error:
        if record is not None:
            raise
        tell(error)
        return None


def hints_of(lineup: Lineup) -> Advise:
    """Return the function that gives hints at this table. Raise UsageError where no policy is
    known."""
    if lineup.policy is None:
        raise click.UsageError(say("--hints: no policy that is known for these rules plays here"))
    return Advisers(lineup.policy).hint


@contextmanager
def recorded(recorder: MatchRecorder | None) -> Iterator[Sequence[Onlooker]]:
    """Yield the recorder as an onlooker, if there is one. At the end print where the record is."""
    if recorder is None:
        yield []
        return
    try:
        yield [recorder]
    finally:
        recorder.close()
        if recorder.path.exists():
            print(
                say("recorded: zhaifei watch {path} shows it again", path=quoted(recorder.path)),
                file=sys.stderr,
            )


@contextmanager
def screen_at(
    match: Match,
    players: Sequence[Player],
    seats: Sequence[Decider],
    seed: int,
    query: Query,
    you: int | None = None,
    *,
    is_secret: bool = False,
) -> Iterator[Screen]:
    """Yield a screen that starts with the rules and the seed, and ends with the standings, even if
    the match is interrupted. The screen also lists the lost decisions of strategy files, which are
    among `players` or the deciders in `seats`. A seed that `is_secret` is shown only when the match
    is over, because all dice follow from it."""
    warn_if_not_kept()
    names = [short_name(player) for player in players]
    screen = Screen(new_console(), names, you, query, match.rules)
    try:
        told = say("seed {seed}", seed=seed)
        screen.line(say_rules(match.rules) if is_secret else f"{say_rules(match.rules)} · {told}")
        open_keyboard()
        yield screen
    finally:
        screen.standings(match.standings(), match.played)
        if is_secret:
            screen.line(say("seed {seed}", seed=seed))
        print_faults(new_console(), [*players, *seats])
