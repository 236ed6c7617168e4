"""What became of the decisions of strategy files: on screen and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from app.locale import explain, say
from game.notation import format_hand, format_history
from game.views import View
from policies.players.plug_in.player import PlugInPlayer
from policies.players.plug_in.plug_in import PlugIn


def print_faults(console: Console, entrants: Iterable[object]) -> None:
    """For each strategy file among them that has lost decisions: how many, and why."""
    for plug_in in _plug_ins(entrants):
        losses = plug_in.losses
        if not losses:
            continue
        lost = sum(loss.count for loss in losses)
        console.print()
        console.print(
            say(
                "{file} lost {lost:,} of {decisions:,} decisions:",
                file=plug_in, lost=lost, decisions=plug_in.decisions,
            ),
            style="yellow", soft_wrap=True,
        )  # fmt: skip
        for loss in losses:
            console.print(
                say(
                    "{count:>9,}  {fault}; first with {hand} after [{history}]",
                    count=loss.count, fault=explain(loss.fault), **_situation(loss.view),
                ),
                soft_wrap=True,
            )  # fmt: skip


def faults_json(entrants: Iterable[object]) -> list[dict[str, Any]]:
    """The same of all strategy files among them, in no language."""
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


def _plug_ins(entrants: Iterable[object]) -> list[PlugIn]:
    """Each once, wherever it sits."""
    asked = (one.plug_in if isinstance(one, PlugInPlayer) else one for one in entrants)
    return list(dict.fromkeys(one for one in asked if isinstance(one, PlugIn)))


def _situation(view: View) -> dict[str, str]:
    return {"hand": format_hand(view.dice), "history": format_history(view.bids)}
