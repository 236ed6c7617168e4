"""Run the arena, for points or for dice, and return a result that can be printed in any format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rich.console import Console

from zhaifei.app.locale import say
from zhaifei.app.terminal.as_json import record_json
from zhaifei.app.terminal.console import LiveLine
from zhaifei.app.terminal.printed.arena import arena_csv, arena_json, print_arena
from zhaifei.app.terminal.printed.match_arena import (
    match_arena_csv,
    match_arena_json,
    print_match_arena,
)
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import known_record
from zhaifei.policies.catalogue.names import player_names
from zhaifei.policies.catalogue.record import PolicyRecord
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.arena import (
    ExactValues,
    entrants,
    everybody,
    exact_values,
    play_arena,
)
from zhaifei.policies.measure.match_arena import default_matches, match_entrants, play_matches

_ROUNDS = 100_000
"""The default number of rounds at each table: takes a minute or less in all."""


class ArenaResult(NamedTuple):
    """The result of an arena, and functions that print or convert it."""

    players: Sequence[object]
    heading: Callable[[str], str]
    """Returns a heading with rules, seed and number of rounds, given the formatted duration."""
    show: Callable[[Console], None]
    json: Callable[[], dict[str, Any]]
    csv: Callable[[], str]
    record: PolicyRecord | None = None
    """The record of the policy known for the rules, if it took part without being named."""


def meet(
    names: Sequence[str], rules: Rules, rounds: int | None, seed: int, line: LiveLine
) -> ArenaResult:
    """Let the players called `names` meet, or all players of the rules if `names` is empty.

    Each table plays about `rounds` rounds, or matches if dice are lost; fewer after Ctrl-C. Raise
    ZhaifeiError for an unknown name, or IllegalAction.
    """
    if rules.loses_dice:
        return _in_matches(names or player_names(rules), rules, rounds, seed, line)
    result = _in_rounds(names or everybody(rules), rules, rounds or _ROUNDS, seed, line)
    record = None if names else known_record(rules)
    if record is None:
        return result
    return result._replace(
        record=record, json=lambda: {"policy": record_json(record), **result.json()}
    )


def _in_rounds(
    names: Sequence[str], rules: Rules, rounds: int, seed: int, line: LiveLine
) -> ArenaResult:
    players = entrants(names, rules)
    standings = last_of(
        play_arena(players, rounds, seed),
        lambda so_far: line.show(
            say("{done:,} of {planned:,} rounds", done=so_far.rounds, planned=so_far.planned),
            so_far.rounds,
            so_far.planned,
        ),
    )
    exact: ExactValues = {}
    if standings.rounds == standings.planned:
        exact = last_of(
            exact_values(players),
            lambda so_far: line.show(say("{count} exact values", count=len(so_far) // 2)),
        )
    return ArenaResult(
        players,
        lambda time: say(
            "{rules} · seed {seed} · {rounds:,} rounds, {time}",
            rules=rules,
            seed=seed,
            rounds=standings.rounds,
            time=time,
        ),
        lambda console: print_arena(console, players, standings, exact),
        lambda: arena_json(players, standings, exact, seed),
        lambda: arena_csv(players, standings, exact),
    )


def _in_matches(
    names: Sequence[str], rules: Rules, matches: int | None, seed: int, line: LiveLine
) -> ArenaResult:
    def show(done: int, planned: int) -> None:
        text = say("{done:,} of {planned:,} matches", done=done, planned=planned)
        line.show(text, done, planned)

    players = match_entrants(names, rules, seed)
    matches = matches or default_matches(len(players), rules)
    standings = last_of(play_matches(players, rules, matches, seed, show), lambda so_far: None)
    return ArenaResult(
        players,
        lambda time: say(
            "{rules} · seed {seed} · {matches:,} matches, {time}",
            rules=rules,
            seed=seed,
            matches=standings.matches,
            time=time,
        ),
        lambda console: print_match_arena(console, players, rules, standings),
        lambda: match_arena_json(players, rules, standings, seed),
        lambda: match_arena_csv(players, standings),
    )
