"""Set up the table of `play` and `watch`: its players, and the screen that shows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import click

from zhaifei.app.locale import say, say_rules
from zhaifei.app.terminal.console import new_console, quoted
from zhaifei.app.terminal.kept_kernels import warn_if_not_kept
from zhaifei.app.terminal.person import Advise, Hint, open_keyboard
from zhaifei.app.terminal.printed.plug_ins import print_faults
from zhaifei.app.terminal.printed.policy_record import describe_policy
from zhaifei.app.terminal.screen import Query, Screen, always
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.rules import Rules, preset_name, with_dice
from zhaifei.game.views import View
from zhaifei.policies.catalogue.known_matches import load_known_match, match_asked
from zhaifei.policies.catalogue.solving import command_for, how_to_solve
from zhaifei.policies.measure.idle_advice import in_the_whole_round
from zhaifei.policies.measure.resolved_advice import adviser_for
from zhaifei.policies.play.elimination import MatchPlayer
from zhaifei.policies.play.lineup import FALLBACK, Lineup, TableLineup, choose_lineup, match_lineup
from zhaifei.policies.play.records import YOU, MatchRecorder
from zhaifei.policies.play.table import AnyMatch, AnyPlayer, Onlooker
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.match_policy import PlaceInMatch, position_of
from zhaifei.policies.players.player import short_name
from zhaifei.solver.value.idle_bids import reading

AnyLineup = TableLineup | Lineup[MatchPlayer]


def chosen_lineup(
    policy: Path | None, rules: Rules | None, opponents: Sequence[str], *, tell: bool
) -> AnyLineup:
    """Return the players at the table, for `rules` if the user named any. Print which policy plays
    if it was named or if `tell`."""
    of_match = match_asked(policy, rules)
    if of_match is not None:
        return _lineup_for_dice(policy, of_match, opponents, tell=tell)
    lineup = choose_lineup(policy, rules, opponents)
    if not tell and policy is None:
        return lineup
    if lineup.record is not None:
        print(describe_policy(lineup.record))
    else:
        print(
            say(
                "no policy is known for these rules: {command} computes one; the "
                "rule-based player '{name}' plays instead",
                command=how_to_solve(lineup.rules),
                name=FALLBACK,
            )
        )
    return lineup


def _lineup_for_dice(
    policy: Path | None, rules: Rules, opponents: Sequence[str], *, tell: bool
) -> Lineup[MatchPlayer]:
    """Return the players at a table at which dice are lost. Print which policy plays if it was
    named or if `tell`. With `tell`, also print which rule-based player stands in for an unnamed
    policy."""
    lineup = match_lineup(None if policy is None else str(policy), rules, opponents)
    if lineup.record is not None:
        if tell or policy is not None:
            print(describe_policy(lineup.record))
    elif tell and policy is None:
        print(
            say(
                "no policy is known for these rules: the rule-based player '{name}' plays",
                name=lineup.player,
            )
        )
    return lineup


def query_command(policy: Path | None, rules_as_typed: str, lineup: AnyLineup) -> Query:
    """Return a function that words the `query` command for rounds of this table, with the options
    `rules_as_typed`. Where dice are lost, the command is empty unless a policy for whole
    matches is known or named."""
    command = "zhaifei query" + ("" if policy is None else f" --policy {quoted(policy)}")
    its = lineup.rules
    if not its.loses_dice:
        return always(command if policy is not None else command + rules_as_typed)
    if lineup.record is None or preset_name(its) is None:  # no options name such rules
        return always("")
    return lambda dice: command_for(command, with_dice(its, dice))


def recorder_of(
    match: AnyMatch,
    players: Sequence[AnyPlayer],
    you: int,
    seed: int,
    lineup: AnyLineup,
    record: Path | None,
) -> MatchRecorder | None:
    """Return the recorder of the match, which writes to the file `record` or by default to a file
    in the user's data directory. Return None, after a warning, if the default file cannot be
    written, and where dice are lost. Raise StorageError if `record` cannot be written, and
    UsageError if `record` was named and dice are lost."""
    if not isinstance(match, Match) or not isinstance(lineup, TableLineup):
        if record is not None:
            raise click.UsageError(
                say(
                    "--record: only matches for penalty points are recorded, none in which dice "
                    "are lost"
                )
            )
        return None

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


def hints_of(lineup: AnyLineup) -> Advise:
    """Return the function that gives hints at this table. Raise UsageError where no policy is
    known."""
    if isinstance(lineup, TableLineup):
        adviser = adviser_for(lineup.policy)
        return lambda view: Hint(adviser.advise(view.dice, view.bids))
    if lineup.record is None:
        raise click.UsageError(say("--hints: no policy that is known for these rules plays here"))
    policy = load_known_match(Path(lineup.record.name), lineup.rules).policy
    adviser_at = cache(lambda position: adviser_for(policy.at(position)))

    def advise(view: View) -> Hint:
        position, bids = position_of(view), view.bids
        rules = policy.at(position).rules
        advice = adviser_at(position).advise(view.dice, reading(rules, bids))
        stakes = PlaceInMatch(policy, position).stakes(len(bids))
        return Hint(in_the_whole_round(rules, advice, bids), stakes)

    return advise


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
    match: AnyMatch,
    players: Sequence[AnyPlayer],
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
    names, loses_dice = [short_name(player) for player in players], match.rules.loses_dice
    screen = Screen(new_console(), names, you, query, loses_dice=loses_dice)
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
