"""The table of `play` and `watch`: its players, and the screen that shows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from app.locale import say, say_rules
from app.terminal.commands.options import RulesOptions
from app.terminal.console import new_console, quoted
from app.terminal.kept_kernels import warn_if_not_kept
from app.terminal.person import open_keyboard
from app.terminal.printed.plug_ins import print_faults
from app.terminal.printed.policy_record import describe_policy
from app.terminal.screen import Screen
from game.errors import ZhaifeiError
from game.match import Match
from policies.catalogue.solving import how_to_solve
from policies.play.lineup import FALLBACK, TableLineup, choose_lineup
from policies.play.records import YOU, MatchRecorder
from policies.play.table import Onlooker
from policies.players.player import Player, short_name


def chosen_lineup(
    policy: Path | None, rules: RulesOptions, opponents: Sequence[str], *, tell: bool
) -> TableLineup:
    """Return the players at the table. Prints which policy plays if it was named or if `tell`."""
    lineup = choose_lineup(policy, rules.named(), opponents)
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


def query_command(policy: Path | None, rules: RulesOptions) -> str:
    """Return the `query` command for rounds of this table, without --hand and --history."""
    if policy is not None:
        return f"zhaifei query --policy {quoted(policy)}"
    return f"zhaifei query{rules.as_typed()}"


def recorder_of(
    match: Match,
    players: Sequence[Player],
    you: int,
    seed: int,
    lineup: TableLineup,
    record: Path | None,
) -> MatchRecorder | None:
    """Return what records the match in the file `record`, or in one in the user's data directory;
    None, after a warning, if that cannot be written. Raise StorageError if `record` cannot."""

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


@contextmanager
def recorded(recorder: MatchRecorder | None) -> Iterator[Sequence[Onlooker]]:
    """Yield the recorder as an onlooker, if there is one. In the end say where the record is."""
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
    match: Match, players: Sequence[Player], seed: int, query: str, you: int | None = None
) -> Iterator[Screen]:
    """Yield a screen that starts with the rules and ends with the standings and the lost decisions
    of strategy files, even if the match is interrupted."""
    warn_if_not_kept()
    screen = Screen(new_console(), [short_name(player) for player in players], you, query)
    try:
        screen.line(f"{say_rules(match.rules)} · {say('seed {seed}', seed=seed)}")
        open_keyboard()
        yield screen
    finally:
        screen.standings(match.points, len(match.settled))
        print_faults(new_console(), players)
