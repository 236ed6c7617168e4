"""Lost decisions of strategy files and their causes: on screen and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from zhaifei.app.locale import explain, say
from zhaifei.game.notation import format_hand, format_history
from zhaifei.game.views import View
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn
from zhaifei.policies.players.plug_in.policy import PlugInPolicy
from zhaifei.solver.bounds import BestResponse


def print_faults(console: Console, entrants: Iterable[object]) -> None:
    """Print, for each strategy file among `entrants`, the number of lost decisions and their
    causes."""
    for plug_in in _plug_ins(entrants):
        losses = plug_in.losses
        if not losses:
            continue
        lost = sum(loss.count for loss in losses)
        console.print()
        console.print(
            say(
                "{file} lost {lost:,} of {decisions:,} decisions:",
                file=plug_in,
                lost=lost,
                decisions=plug_in.decisions,
            ),
            style="yellow",
            soft_wrap=True,
        )
        for loss in losses:
            console.print(
                say(
                    "{count:>9,}  {fault}; first with {hand} after [{history}]",
                    count=loss.count,
                    fault=explain(loss.fault),
                    **_situation(loss.view),
                ),
                soft_wrap=True,
            )


def faults_json(entrants: Iterable[object]) -> list[dict[str, Any]]:
    """Return the lost decisions and causes for all strategy files among `entrants` as plain values,
    untranslated."""
    return [
        {
            "player": str(plug_in),
            "decisions": plug_in.decisions,
            "lost": sum(loss.count for loss in plug_in.losses),
            "reasons": [
                {"count": loss.count, "fault": str(loss.fault), **_situation(loss.view)}
                for loss in plug_in.losses
            ],
        }
        for plug_in in _plug_ins(entrants)
    ]


def print_asked(console: Console, policy: PlugInPolicy, earned: BestResponse) -> None:
    """Print how often a strategy file was asked for what best responses to it earn, and how much
    is left open."""
    console.print(
        say(
            "asked {questions:,} times after {histories:,} histories; {left:.4f} points are left "
            "open, for what the file may do elsewhere",
            questions=policy.questions,
            histories=policy.histories,
            left=_left_open(earned),
        ),
        soft_wrap=True,
        style="dim",
    )


def asked_json(policy: PlugInPolicy, earned: BestResponse) -> dict[str, float]:
    """Return how often a strategy file was asked, and the points that are left open."""
    return {
        "questions": policy.questions,
        "histories": policy.histories,
        "left_open": _left_open(earned),
    }


def _left_open(earned: BestResponse) -> float:
    """Return the width of the interval that `evaluate` shows last."""
    shown = earned.exploitability if len(earned.seats) == 2 else earned.nash_conv
    return max(0.0, shown.gap)


def _plug_ins(entrants: Iterable[object]) -> list[PlugIn]:
    """Return the strategy files among `entrants`, each once, however many seats it has."""
    asked = (one.plug_in if isinstance(one, PlugInPlayer) else one for one in entrants)
    return list(dict.fromkeys(one for one in asked if isinstance(one, PlugIn)))


def _situation(view: View) -> dict[str, str]:
    return {"hand": format_hand(view.dice), "history": format_history(view.bids)}
