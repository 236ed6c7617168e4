"""Replay a recorded match on screen."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from zhaifei.app.locale import say, say_rules
from zhaifei.app.terminal.console import new_console, quoted
from zhaifei.app.terminal.screen import Screen, always
from zhaifei.game.match import standings
from zhaifei.game.rounds import view_of
from zhaifei.game.rules import Rules, preset_name
from zhaifei.policies.catalogue.solving import command_for
from zhaifei.policies.play.played import PlayedMatch, PlayedRound
from zhaifei.policies.play.table import Leaves


def replay(
    match: PlayedMatch, rounds: int | None, between: Callable[[], object], *, fast: bool
) -> None:
    """Show the first `rounds` rounds of a match (None: all), and the standings after them; if
    `fast`, only the standings. `between` is called after each round but the last; it may raise
    Leaves."""
    screen = Screen(new_console(), match.seats, match.you, always(_query_command(match)))
    said = say_rules(match.rules)
    screen.line(said if match.seed is None else f"{said} · {say('seed {seed}', seed=match.seed)}")
    points, counted = [0] * match.rules.players, 0
    try:
        with suppress(Leaves):
            for number, played in enumerate(match.rounds[:rounds], 1):
                if number > 1 and not fast:
                    between()
                if not fast:
                    _show_bids(screen, match.rules, number, played, points)
                if played.points is not None:
                    counted += 1
                    points = [sum(pair) for pair in zip(points, played.points, strict=True)]
                if not fast:
                    _show_end(screen, match.rules, played, points)
    finally:
        screen.standings(standings(points), counted)


def _show_bids(
    screen: Screen, rules: Rules, number: int, played: PlayedRound, points: list[int]
) -> None:
    """Show the known dice, the bids and the challenge."""
    known = {seat: hand for seat, hand in enumerate(played.hands) if hand is not None}
    screen.begin(number, played.starter, points, known)
    bids = played.bids(rules)
    for place, action in enumerate(played.actions):
        seat = (played.starter + place) % rules.players
        screen.act(view_of(rules, seat, known.get(seat, ()), played.starter, bids[:place]), action)


def _show_end(screen: Screen, rules: Rules, played: PlayedRound, points: list[int]) -> None:
    """Show the end of the round, as far as it is known."""
    round_ = played.replayed(rules)
    if round_ is not None and round_.settlement is not None:
        screen.settle(round_, points)
    else:
        screen.recorded(rules, played, points)


def _query_command(match: PlayedMatch) -> str:
    """Return the `query` command for rounds of this match, without --hand and --history. It is
    empty if the policy is gone and no options name the rules."""
    if match.policy is not None and os.path.isfile(match.policy):
        return f"zhaifei query --policy {quoted(Path(match.policy))}"
    return "" if preset_name(match.rules) is None else command_for("zhaifei query", match.rules)
