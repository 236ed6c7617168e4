"""Print the results of `evaluate` for policies of whole matches."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from zhaifei.app.locale import say
from zhaifei.app.terminal.console import clock
from zhaifei.policies.measure.match_evaluation import MatchEvaluation
from zhaifei.policies.players.match_policy import MatchPolicy
from zhaifei.solver.bounds import Bounds


def print_match_evaluation(console: Console, policy: MatchPolicy, found: MatchEvaluation) -> None:
    """Print certified bounds on the gain of a best response, by round and in matches."""
    console.print(say("{rules}, {time}", rules=policy.rules, time=clock(found.seconds)))
    table = Table(box=None, pad_edge=False)
    table.add_column(say("dice of the opener, of the other player"))
    for heading in (
        say("exploitability of the round, points"),
        say("best response wins the match as opener"),
        say("as responder"),
    ):
        table.add_column(heading, justify="right")
    for (own, other), round_ in reversed(found.rounds.items()):
        opener, responder = found.response[own, other]
        table.add_row(
            say("{own} against {other}", own=own, other=other),
            f"{round_.exploitability.upper:.6f}",
            f"{opener.upper:.3%}",
            f"{responder.upper:.3%}",
        )
    console.print(table)
    console.print(
        say(
            "upper bounds: no best response does better. At the start of a match one gains "
            "{gain} of matches over the half that two equal players win",
            gain=_share(found.gain),
        ),
        soft_wrap=True,
    )


def _share(bounds: Bounds) -> str:
    """Return bounds of a share of matches as text."""
    least, most = f"{bounds.lower:.4%}", f"{bounds.upper:.4%}"
    return most if least == most else say("{least} to {most}", least=least, most=most)
