"""Print the results of `evaluate`: certified bounds and, separately, sampled figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from zhaifei.app.locale import say, say_action
from zhaifei.app.terminal.as_json import decision_json
from zhaifei.app.terminal.console import clock
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import Unit, unit_of_play
from zhaifei.policies.measure.known_gain import KnownGain, known_nash_conv
from zhaifei.policies.measure.penalty_shares import Shares
from zhaifei.policies.measure.timed_evaluation import BestResponses, Duel
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.response.gaining_decisions import Decision


def print_evaluation(console: Console, responses: BestResponses) -> None:
    """Print certified bounds on the value of a best response and, beyond two players, on its gains.
    For matches print them by position, and the gain in matches."""
    rules, earned = responses.policy.rules, responses.earned
    console.print(say("{rules}, {time}", rules=rules, time=clock(responses.seconds)))
    if unit_of_play(rules) is Unit.MATCH:
        _print_match(console, responses)
        return
    rows: dict[str, Bounds] = {}
    if rules.players == 2:
        rows[say("best response as opener")], rows[say("best response as responder")] = earned.seats
        rows[say("exploitability")] = earned.exploitability
    else:
        seats = zip(earned.seats, responses.gains, strict=True)
        for place, (best, gain) in enumerate(seats, start=1):
            rows[say("best response in seat {seat}", seat=place)] = best
            rows[say("  gain in seat {seat}", seat=place)] = gain
        rows[say("NashConv, over all seats")] = earned.nash_conv
    _print_bounds(console, rows, exact=earned.exact)


def _print_match(console: Console, responses: BestResponses) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column(say("dice of the opener, of the other player"))
    for heading in (
        say("exploitability of the round, points"),
        say("best response wins the match as opener"),
        say("as responder"),
    ):
        table.add_column(heading, justify="right")
    for (own, other), (opener, responder) in reversed(responses.wins.items()):
        table.add_row(
            say("{own} against {other}", own=own, other=other),
            f"{responses.positions[own, other].exploitability.upper:.6f}",
            f"{opener.upper:.3%}",
            f"{responder.upper:.3%}",
        )
    console.print(table)
    least, most = (f"{end:.4%}" for end in (responses.match_gain.lower, responses.match_gain.upper))
    console.print(
        say(
            "upper bounds: no best response does better. At the start of a match one gains "
            "{gain} of matches over the half that two equal players win",
            gain=most if least == most else say("{least} to {most}", least=least, most=most),
        ),
        soft_wrap=True,
    )


def _print_bounds(console: Console, rows: Mapping[str, Bounds], *, exact: bool) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column(say("penalty points per round"))
    for name in (say("exact"),) if exact else (say("lower bound"), say("upper bound")):
        table.add_column(name, justify="right")
    for name, bounds in rows.items():
        ends = [bounds.lower] if exact else [bounds.lower, bounds.upper]
        table.add_row(name, *(f"{end:+.6f}" for end in ends))
    console.print(table)


def print_known(console: Console, known: Sequence[KnownGain]) -> None:
    """Print the sampled lower bounds on the gains of learned responses, if there are any."""
    _print_gains(console, say("gain of a learned best response, per round"), known)


def print_reading(console: Console, known: Sequence[KnownGain]) -> None:
    """Print the sampled lower bounds on the gains of known players over a policy that reads hands,
    if there are any."""
    heading = say("gain of the best known player, where the policy reads hands")
    _print_gains(console, heading, known)


def _print_gains(console: Console, heading: str, known: Sequence[KnownGain]) -> None:
    if not known:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column(heading)
    table.add_column(say("lower bound (95%)"), justify="right")
    table.add_column(say("sampled"), justify="right")
    for seat, gain in enumerate(known, start=1):
        sampled = f"{gain.mean:+.4f} ±{DEVIATIONS * gain.deviation:.4f}"
        table.add_row(say("  gain in seat {seat}", seat=seat), f"{gain.lower:+.4f}", sampled)
    table.add_row(say("NashConv, over all seats"), f"{known_nash_conv(known):+.4f}")
    console.print()
    console.print(table)


def print_shares(console: Console, rules: Rules, shares: Mapping[str, Shares]) -> None:
    """Print penalty shares by opponent, without the implied second column for two players."""
    table = Table(box=None, pad_edge=False)
    fair = f"{1 / rules.players:.1%}"
    table.add_column(say("penalty share ({fair} is fair, ± 95% CI)", fair=fair))
    table.add_column(say("policy against them"), justify="right")
    if rules.players > 2:
        table.add_column(say("they against the policy"), justify="right")
    for name, both in shares.items():
        cells = [f"{one.share:.1%} ±{one.margin:.1%}" for one in both]
        table.add_row(name, *cells[: len(table.columns) - 1])
    console.print()
    if len(shares) < len(NAMES):
        done, known = len(shares), len(NAMES)
        console.print(
            say("stopped after {done} of {known} rule-based players", done=done, known=known)
        )
    if shares:
        console.print(table)


def print_decisions(console: Console, rules: Rules, decisions: list[Decision]) -> None:
    """Print two lines for each decision, since histories and strategies are long."""
    console.print()
    console.print(say("decisions by which a best response gains most, per round in its seat"))
    for one in decisions:
        found = decision_json(rules, one)
        seat = (say("opener"), say("responder"))[one.seat]
        error = max(0.0, one.gain.gap) / 2  # bounds of an exact gain may cross in the last digit
        gain = f"{(one.gain.lower + one.gain.upper) / 2:+.4f} ±{error:.4f}"
        console.print(
            say(
                "{gain}  {seat}, {share:.1%} of rounds  {history}",
                gain=gain,
                seat=seat,
                share=one.probability,
                history=found["history"] or say("opening"),
            ),
            soft_wrap=True,
        )
        console.print(
            say(
                "    best response: {response}  ·  policy: {policy}",
                response=_shares(found["response"]),
                policy=_shares(found["policy"]),
            ),
            soft_wrap=True,
            style="dim",
        )
    if not decisions:
        console.print(say("no decision gains as much as 0.0001 points"))


def _shares(actions: dict[str, float]) -> str:
    shown = [f"{say_action(name)} {share:.0%}" for name, share in actions.items() if share >= 0.005]
    return "  ".join(shown[:4]) + ("  ..." if len(shown) > 4 else "")


def print_duel(console: Console, rules: Rules, duel: Duel) -> None:
    """Print bounds on the value of one policy against another, and the equivalent sample size."""
    console.print(say("{rules}, {time}", rules=rules, time=clock(duel.seconds)))
    rows = {
        say("as opener"): duel.as_opener,
        say("as responder"): duel.as_responder,
        say("mean"): duel.mean,
    }
    _print_bounds(console, rows, exact=False)
    console.print(
        say(
            "sampling would need {rounds:,} rounds, half in each seat, for as narrow an "
            "interval (95%)",
            rounds=duel.sampled_rounds,
        ),
        soft_wrap=True,
    )
