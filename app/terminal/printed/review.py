"""Print reviews of matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from zhaifei.app.locale import say, say_action, say_rules
from zhaifei.app.said import (
    say_cost,
    say_costs,
    say_estimate,
    say_figure,
    say_grade,
    say_kind,
    say_portrait,
    say_verdict,
    what_it_decides,
)
from zhaifei.game.bids import MODE_SIGNS
from zhaifei.game.notation import format_hand, format_history
from zhaifei.game.parts import Mode
from zhaifei.policies.advice.people import portrait_of
from zhaifei.policies.review.against import Better
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.reviewing import (
    COSTLIEST,
    Part,
    ReviewedMatch,
    ReviewedRound,
    Summary,
)

_STYLES = {
    Grade.BEST: "green",
    Grade.FINE: "green",
    Grade.INACCURACY: "yellow",
    Grade.MISTAKE: "yellow",
    Grade.BLUNDER: "red",
    Grade.UNCLEAR: "dim",
}


def print_match(console: Console, match: ReviewedMatch) -> None:
    """Print every decision of a match."""
    seats = ", ".join(
        say("{name} (you)", name=name) if seat == match.seat else name
        for seat, name in enumerate(match.seats)
    )
    console.print(f"{say_rules(match.rules)}: {seats}", soft_wrap=True)
    for round_ in match.rounds:
        _print_round(console, round_)


def _print_round(console: Console, round_: ReviewedRound) -> None:
    console.print()
    console.print(_heading(round_), style="bold", soft_wrap=True)
    if not round_.decisions:
        return
    table = Table(box=None, pad_edge=False)
    for name in (say("hand"), say("bids so far"), say("you did"), say("best")):
        table.add_column(name)
    table.add_column(say("cost"), justify="right")
    table.add_column(say("grade"))
    for one in round_.decisions:
        table.add_row(
            format_hand(one.hand),
            format_history(one.history) or "-",
            _share(one.done, one.played),
            _share(one.best, one.best_played),
            say_cost(one),
            say_grade(one.grade),
            style=_STYLES[one.grade] if one.grade.is_error else None,
        )
    console.print(table)


def _share(action: str, played: float) -> str:
    return f"{say_action(action)} {played:.0%}"


def _heading(round_: ReviewedRound) -> str:
    if round_.points is None or round_.verdict is None:
        return say("round {number}: not ended", number=round_.number)
    lost, verdict = round_.points[round_.seat], say_verdict(round_.verdict)
    if round_.stakes is None:
        heading = say(
            "round {number}: penalty points {points}, {verdict}",
            number=round_.number,
            points=lost,
            verdict=verdict,
        )
    else:
        heading = say(
            "round {number}: dice lost {dice}, {verdict}",
            number=round_.number,
            dice=lost,
            verdict=verdict,
        )
        heading = f"{heading} · {what_it_decides(round_.stakes)}"
    if round_.luck is None:
        return heading
    told = say(
        "luck {luck:+.2f}, skill {skill:+.2f}", luck=round_.luck.luck, skill=round_.luck.skill
    )
    return f"{heading} ({told})"


def lost_by_player(summary: Summary) -> str:
    """Return the penalty points that the player took and the dice that the player lost, in
    words."""
    points, parts = summary.lost - (summary.dice or 0), []
    if points or summary.dice is None:
        parts.append(say("{points} penalty points taken", points=points))
    if summary.dice is not None:
        parts.append(say("{dice} dice lost", dice=summary.dice))
    return ", ".join(parts)


def print_summary(console: Console, summary: Summary) -> None:
    """Print the summary of all matches together."""
    console.print()
    console.print(
        say(
            "{rounds} rounds, {lost}; points beyond the others' average: {earned:+.2f}",
            rounds=summary.rounds,
            lost=lost_by_player(summary),
            earned=summary.earned,
        ),
        style="bold",
        soft_wrap=True,
    )
    console.print(say("seats {points:+.2f}", points=summary.seats))
    console.print(say("luck {points}", points=say_estimate(summary.luck)))
    console.print(say("skill {points}", points=say_estimate(summary.skill)))
    if summary.plain.margin is not None:
        plain = say_estimate(summary.plain)
        console.print(
            say("without taking luck out, skill would be {points}", points=plain),
            style="dim",
            soft_wrap=True,
        )
    console.print(say_costs(summary), soft_wrap=True)
    _print_counts(console, summary)
    _print_parts(
        console,
        {
            **{say_kind(kind): part for kind, part in summary.kinds.items()},
            **{MODE_SIGNS[Mode(mode)]: part for mode, part in summary.modes.items()},
        },
    )
    _print_costliest(console, summary)


def _print_counts(console: Console, summary: Summary) -> None:
    grades = "  ".join(f"{say_grade(grade)} {number}" for grade, number in summary.grades.items())
    verdicts = "  ".join(f"{say_verdict(one)} {number}" for one, number in summary.verdicts.items())
    console.print(grades)
    console.print(verdicts)


def _print_parts(console: Console, parts: Mapping[str, Part]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column(say("kind"))
    for name in (say("decisions"), say("errors"), say("cost")):
        table.add_column(name, justify="right")
    for name, part in parts.items():
        if part.decisions:
            table.add_row(name, str(part.decisions), str(part.errors), f"{part.cost:.2f}")
    console.print(table)


def _print_costliest(console: Console, summary: Summary) -> None:
    if not summary.costliest:
        return
    console.print(say("the costliest decisions:"))
    for round_, one in summary.costliest:
        bids = format_history(one.history) or say("opening the round")
        console.print(
            say(
                "round {number}, {hand}, {bids}: {done} cost {cost}; best {best}",
                number=round_.number,
                hand=format_hand(one.hand),
                bids=bids,
                done=say_action(one.done),
                cost=say_cost(one),
                best=say_action(one.best),
            ),
            soft_wrap=True,
        )


def print_better(console: Console, better: Sequence[Better], match: int | None) -> None:
    """Print where another action would have earned more against the people of a match, at most
    COSTLIEST decisions; `match` is its number if there are several."""
    console.print()
    if match is not None:
        console.print(say("match {number}", number=match), style="bold")
    if not better:
        console.print(say("against these people nothing else would surely have earned more"))
        return
    console.print(
        say("against these people, as their dice had shown by then, more would have earned:"),
        soft_wrap=True,
    )
    for one in better[:COSTLIEST]:
        decision = one.decision
        console.print(
            say(
                "round {number}, {hand}, {bids}: {better} instead of {done}, {gain} more",
                number=one.number,
                hand=format_hand(decision.hand),
                bids=format_history(decision.history) or say("opening the round"),
                better=say_action(one.action),
                done=say_action(decision.done),
                gain=" ".join(say_figure(one.gain, one.margin)),
            ),
            soft_wrap=True,
        )
        person = one.because_of
        portrait = say_portrait(portrait_of(person.person))
        text = say("{name}: {portrait}", name=person.name, portrait=portrait)
        console.print(f"  {text}", style="dim", soft_wrap=True, markup=False)
