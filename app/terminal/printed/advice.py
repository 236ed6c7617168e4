"""Print the results of `query`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from zhaifei.app.locale import say, say_action
from zhaifei.app.said import (
    bids_unlike_you,
    lock_answer,
    locks_are_read,
    locks_used,
    rests_on,
    situation,
    what_it_decides,
    worth,
)
from zhaifei.game.notation import format_action, format_hand, format_history
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import (
    ActionAdvice,
    Advice,
    Locked,
    PlayedOut,
    RangeAdvice,
    Solved,
)
from zhaifei.policies.players.match_policy import Stakes

_HOPELESS = -0.99
"""Penalty points; with more than two players most raises earn hardly more than -1."""
_SMALL = 0.001
"""Errors in penalty points below this are not shown beside actions that are not played."""
_WIDE = 0.02
"""For gaps above this, in penalty points, the screen suggests more time, which would narrow
them."""


def solving(advice: Advice | RangeAdvice) -> str:
    """Return the progress text while a position is being solved again."""
    ground = advice.ground
    if not isinstance(ground, Solved | Locked) or ground.gap is None:
        return ""
    return say("solving again from here: gap {gap:.4f}", gap=ground.gap)


def say_strategy(rules: Rules, played: NDArray[np.float64]) -> str:
    """Return the actions of `played` [action] with their probabilities, the most probable first.
    They are known before values are."""
    order = sorted(np.flatnonzero(played).tolist(), key=lambda action: -played[action])
    parts = [f"{say_action(format_action(rules, one))} {played[one]:.1%}" for one in order]
    return say("the policy plays {actions}; values follow", actions="  ".join(parts))


def _print_locked(console: Console, locked: Locked) -> None:
    """Print which locks hold, and how they are answered."""
    console.print(locks_used(locked), style="yellow", soft_wrap=True, markup=False)
    console.print(lock_answer(locked), style="dim", soft_wrap=True)
    if locked.gap is not None and locked.gap > _WIDE:
        console.print(say("a longer --time-limit narrows the gap"), style="dim")
    if locked.read:
        console.print(locks_are_read(), style="yellow", soft_wrap=True)


def print_grounds(console: Console, advice: Advice | RangeAdvice) -> None:
    """Print how likely the last bids are true, which bids the policy does not tell apart, and how
    others' hands are known."""
    for bid, chance in advice.true:
        console.print(
            say("{bid} is true with probability {probability:.1%}", bid=bid, probability=chance)
        )
    if advice.taken_for is not None:
        console.print(
            say(
                "Bids this low say almost nothing: the policy reads {bids} as {read}",
                bids=format_history(advice.history),
                read=format_history(advice.taken_for),
            ),
            style="dim",
            soft_wrap=True,
        )
    ground = advice.ground
    for text in [] if isinstance(ground, Locked) else rests_on(advice):
        console.print(text, style="yellow", soft_wrap=True)
    if isinstance(ground, Solved):
        console.print(
            say(
                "assumed: the opponent bids like the policy, or now and then what their dice "
                "support (--caution {caution})",
                caution=ground.caution,
            ),
            style="dim",
            soft_wrap=True,
        )


def print_position(console: Console, rules: Rules, bids_made: int, stakes: Stakes) -> None:
    """Print the dice and the stakes of a round of a match for two, which has these `rules`, for
    the player who moves after `bids_made` bids."""
    own = bids_made % 2
    console.print(
        say(
            "you opened, with {own} dice against {other}"
            if own == 0 and bids_made
            else "you open, with {own} dice against {other}"
            if own == 0
            else "the opponent opened, you have {own} dice against {other}",
            own=rules.dice_by_player[own],
            other=rules.dice_by_player[1 - own],
        ),
        soft_wrap=True,
    )
    console.print(what_it_decides(stakes), soft_wrap=True)


def print_advice(
    console: Console,
    rules: Rules,
    advice: Advice,
    *,
    assumed: bool,
    stakes: Stakes | None = None,
) -> None:
    """Print `advice`; `assumed` says that the bid faced is assumed to have opened the round. In a
    match of lost dice, where the round has `stakes`, values are probabilities of winning."""
    where = situation(rules, advice, assumed=assumed)
    console.print(
        say("hand {hand}, {situation}", hand=format_hand(advice.hand), situation=where),
        soft_wrap=True,
    )
    if isinstance(advice.ground, Locked):
        _print_locked(console, advice.ground)
    print_grounds(console, advice)
    if not advice.own_on_path:
        console.print(bids_unlike_you(), style="yellow")
    ranked = advice.ranked
    played = [action for action in ranked if action.probability > 0]
    table = Table(box=None, pad_edge=False)
    table.add_column(say("action"))
    table.add_column(say("probability"), justify="right")
    table.add_column()
    for heading in worth(ranked[0], stakes):
        table.add_column(heading, justify="right", style=None if heading else "dim")
    for action in played:
        table.add_row(
            say_action(action.action),
            f"{action.probability:.1%}",
            Text("█" * round(24 * action.probability), style="green"),
            *worth(action, stakes).values(),
        )
    console.print(table)
    played_out = isinstance(advice.ground, PlayedOut)
    _print_not_played(console, ranked[len(played) :], stakes, played_out=played_out)


def _most_told(action: ActionAdvice, stakes: Stakes | None) -> str:
    """Return the most telling figure of `worth`, with its error unless that is small."""
    value, *_, last = worth(action, stakes).values()
    if stakes is not None:
        return last
    return value if action.value_error < _SMALL else f"{value} {last}".strip()


def _print_not_played(
    console: Console, ranked: Sequence[ActionAdvice], stakes: Stakes | None, *, played_out: bool
) -> None:
    """Print the values of actions that are not played. Of those sure to lose, and of those that
    were not `played_out` with the others, print only the number."""
    rest = [one for one in ranked if one.is_clear and one.value > _HOPELESS]
    if stakes is None and not played_out:
        rest += [one for one in ranked if not one.is_clear]
    if rest:
        values = [f"{say_action(one.action)} {_most_told(one, stakes)}" for one in rest]
        console.print(say("not played, best first:"), style="dim")
        console.print(Columns(values, padding=(0, 3)), style="dim")
    others = len(ranked) - len(rest)
    if others and stakes is None:
        console.print(
            say("{number} other actions seem worse and were not played out", number=others)
            if played_out
            else say(
                "{number} other actions earn {value:.2f} or less", number=others, value=_HOPELESS
            ),
            style="dim",
        )
