"""Replay a recorded match on screen."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from zhaifei.app.locale import say, say_rules
from zhaifei.app.terminal.console import new_console, quoted
from zhaifei.app.terminal.screen import Query, Screen, always
from zhaifei.game.rules import Rules, preset_name, with_dice
from zhaifei.game.stakes import score_before
from zhaifei.policies.catalogue.known import known_record
from zhaifei.policies.catalogue.solving import command_for
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, ranking_of, score_of
from zhaifei.policies.play.table import Leaves


def replay(
    match: PlayedMatch, rounds: int | None, between: Callable[[], object], *, fast: bool
) -> None:
    """Show the first `rounds` rounds of a match (None: all), and the standings after them; if
    `fast`, only the standings. `between` is called after each round but the last; it may raise
    Leaves."""
    rules = match.rules
    screen = Screen(new_console(), match.seats, match.you, _query(match), rules)
    said = say_rules(rules)
    screen.line(said if match.seed is None else f"{said} · {say('seed {seed}', seed=match.seed)}")
    shown: list[PlayedRound] = []
    try:
        with suppress(Leaves):
            for number, played in enumerate(match.rounds[:rounds], 1):
                if number > 1 and not fast:
                    between()
                before = score_before(rules, score_of(rules, shown), played.dice)
                shown.append(played)
                if not fast:
                    _show_actions(screen, rules, number, played, before)
                    _show_end(screen, rules, played, score_of(rules, shown))
    finally:
        ended = sum(played.loser is not None for played in shown)
        screen.standings(ranking_of(rules, shown), ended)


def _show_actions(
    screen: Screen, rules: Rules, number: int, played: PlayedRound, score: list[int]
) -> None:
    """Show the known dice and everything that was said."""
    known = {seat: hand for seat, hand in enumerate(played.hands) if hand}
    screen.begin(number, played.starter, score, known)
    for state, action in played.steps(rules):
        screen.act(state.view_with(known.get(state.turn, ()), state.turn), action)


def _show_end(screen: Screen, rules: Rules, played: PlayedRound, score: list[int]) -> None:
    """Show the end of the round, as far as it is known."""
    round_ = played.replayed(rules)
    if round_ is not None and round_.is_over:
        screen.settle(round_, score)
    else:
        screen.recorded(rules, played, score)


def _query(match: PlayedMatch) -> Query:
    """Return a function that words the `query` command for rounds of this match. The command is
    empty if the policy is gone and no options name the rules, and for matches that no policy is
    known for."""
    rules, file = match.rules, match.policy is not None and os.path.isfile(match.policy)
    command = (
        f"zhaifei query --policy {quoted(Path(str(match.policy)))}" if file else "zhaifei query"
    )
    if not rules.loses_dice:
        if file:
            return always(command)
        return always("" if preset_name(rules) is None else command_for(command, rules))
    if preset_name(rules) is None or not (file or known_record(rules)):
        return always("")
    return lambda dice: command_for(command, with_dice(rules, dice))
