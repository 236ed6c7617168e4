"""Word advice and reviews, for the terminal and the page alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

from zhaifei.app.locale import say
from zhaifei.game.bids import Bid, turn_at
from zhaifei.game.notation import format_history
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.advice import (
    MOST_ERROR,
    ActionAdvice,
    Advice,
    Locked,
    Opening,
    PlayedOut,
    RangeAdvice,
    Solved,
    Source,
)
from zhaifei.policies.advice.people import Manner, Portrait, portrait_of
from zhaifei.policies.advice.seen import SeenPerson, seat_after
from zhaifei.policies.players.match_policy import Stakes
from zhaifei.policies.review.decisions import Kind, ReviewedDecision
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.reviewing import Estimate, Summary, Verdict
from zhaifei.solver.value.matches import winning


def situation(rules: Rules, advice: Advice, *, assumed: bool) -> str:
    """Return the situation as a phrase; with more than two players it names each bidder's seat."""
    history = format_history(advice.history)
    if advice.earlier_unknown:
        return say("facing {bid}; the bids before it are unknown", bid=history)
    if assumed:
        return say("facing {bid}, which opened the round", bid=history)
    if not history:
        return say("opening the round")
    if rules.players > 2:
        history = " ".join(
            say(
                "{bid} (seat {seat})",
                bid=bid,
                seat=turn_at(advice.history, place) % rules.players + 1,
            )
            for place, bid in enumerate(advice.history)
        )
    return say("after {history}", history=history)


def hands_are_read() -> str:
    """Return the sentence on advice for which the others' hands were read from their bids."""
    return say(
        "Unusual bids: the others' hands are estimated from them, and a raise counts as safe if "
        "the next player does not challenge"
    )


def what_it_decides(stakes: Stakes) -> str:
    """Return the stakes of a round, in one line."""
    return say(
        "after winning this round you win {won:.1%} of matches, after losing it {lost:.1%}",
        won=stakes.won,
        lost=stakes.lost,
    )


def worth(action: ActionAdvice, stakes: Stakes | None) -> dict[str, str]:
    """Return the value of an action and its error, by heading. In a match return the probabilities
    that the action wins the round and the match."""
    if stakes is None:
        value, error = say_figure(action.value, action.value_error)
        return {say("value"): value, "": error}
    chances = winning(action.value), stakes.match(action.value)
    said = [f"{chance:.1%}" if action.is_clear else say("unclear") for chance in chances]
    return {say("wins round"): said[0], say("wins match"): said[1]}


_LEAST_SHOWN = 0.0005
"""Costs in penalty points below this are shown as 0.000."""


def rests_on(advice: Advice | RangeAdvice) -> list[str]:
    """Return sentences on what advice rests on, where that is not play by the policy's table alone,
    and on a choice that was left out."""
    found, ground = [], advice.ground
    if advice.overruled:
        found.append(
            say("the policy's usual choice is left out: another action earned more when played out")
            if isinstance(ground, PlayedOut) and isinstance(advice, Advice)
            else say(
                "the policy's usual choice is left out: it has hardly learned this position, and "
                "by its own values that choice is worse"
            )
        )
    if ground in (Source.READ, Source.DESCRIBED):
        found.append(hands_are_read())
    elif ground is Source.UNREACHED:
        found.append(
            say(
                "the policy never bids like this: the hands of players who did are treated as "
                "unknown"
            )
        )
    elif isinstance(ground, Opening):
        found.append(
            say(
                "values: with probability {follows:.0%} the others play by the policy, else the "
                "opening is challenged at once",
                follows=ground.follows,
            )
        )
    elif isinstance(ground, PlayedOut) and ground.known:
        found.append(
            say(
                "values: the rest of the round, played out {rounds:,} times among players who "
                "play as these have played",
                rounds=ground.rounds,
            )
        )
    elif isinstance(ground, PlayedOut):
        found.append(
            say(
                "values: the rest of the round, played out {rounds:,} times among players who "
                "follow the policy or bid as people do, whichever their bids make likelier",
                rounds=ground.rounds,
            )
        )
        if isinstance(advice, RangeAdvice) and not advice.is_alone:
            found.append(
                say(
                    "shares: what the policy does by its table or by immediate risks; asked about "
                    "one hand, it may find something better by playing out"
                )
            )
    elif isinstance(ground, Solved):
        found.append(
            say(
                "The policy would not bid like this: solved again from here (gap {gap:.4f}); "
                "values assume best play",
                gap=ground.gap,
            )
        )
    elif isinstance(ground, Locked):
        found += [locks_used(ground), lock_answer(ground), *[locks_are_read()] * ground.read]
    return found


def bids_unlike_you() -> str:
    """Return the sentence for a hand with which the policy would not have bid as the player did."""
    return say(
        "with this hand the policy would not have bid as you did, and may not have learned this "
        "position; rely on the values"
    )


def say_portrait(portrait: Portrait) -> str:
    """Return what is believed about a person, with the rounds that it rests on."""
    if not portrait.rounds:
        return say("unknown: nothing learnt yet")
    program, manner = portrait.program, portrait.manner
    plays = say("plays like {name}", name=program) if program else _say_manner(manner)
    found = [f"{plays} ({min(portrait.probability, 0.99):.0%})"]
    if program is None and manner is not Manner.FOLLOWS and portrait.limit is not None:
        found.append(say("challenges below {chance:.0%}", chance=portrait.limit))
    found.append(say("rounds seen: {rounds}", rounds=portrait.rounds))
    return " · ".join(found)


def _say_manner(manner: Manner) -> str:
    """Return how somebody plays."""
    return {
        Manner.FOLLOWS: say("plays like the policy"),
        Manner.HOLDS: say("bids what they hold"),
        Manner.BLUFFS: say("bluffs a lot"),
        Manner.BOLD: say("bids as high as they dare"),
        Manner.CLIMBS: say("raises as little as possible"),
        Manner.STAYS: say("raises the face named last"),
    }[manner]


def seen_lines(rules: Rules, history: Sequence[Bid], people: Sequence[SeenPerson]) -> list[str]:
    """Return a line on each of the people at the table after `history`, whose seats count from the
    player who opened."""
    return [
        say(
            "seat {seat} ({name}): {portrait}",
            seat=seat_after(rules, history, ahead) + 1,
            name=one.name,
            portrait=say_portrait(portrait_of(one.person)),
        )
        for ahead, one in enumerate(people, 1)
    ]


def say_figure(value: float, error: float, most: int = 3) -> tuple[str, str]:
    """Return a value in penalty points, and its ± text with as many digits as the error supports,
    at most `most`. Return "unclear" for a value whose error exceeds `MOST_ERROR`."""
    if error > MOST_ERROR:
        return say("unclear"), ""
    digits = digits_of(error, most)
    return f"{round(value, digits) + 0.0:+.{digits}f}", f"±{error:.{digits}f}"


def digits_of(error: float, most: int = 3) -> int:
    """Return how many decimals the `error` of a figure supports: the last one is the first
    significant digit of the error."""
    return most if error <= 0.0 else min(max(math.ceil(-math.log10(error)), 0), most)


def locks_used(locked: Locked) -> str:
    """Return the sentence on the locks that entered an answer."""
    if not locked.lines:
        return say("{file} locks nothing on the way here or from here on", file=locked.source)
    lines = ", ".join(map(str, locked.lines))
    return say("locks of {file}, by line: {lines}", file=locked.source, lines=lines)


def lock_answer(locked: Locked) -> str:
    """Return the sentence on how the locks are answered."""
    if locked.gap is None:
        return say(
            "the best response: the opponent otherwise plays the policy's table, and does not "
            "adapt; values are exact"
        )
    return say(
        "solved from here with the locks, to a gap of {gap:.4f}: both players adapt, except "
        "where something is locked",
        gap=locked.gap,
    )


def locks_are_read() -> str:
    """Return the sentence for an opponent who never bids like this under the locks."""
    return say(
        "with these locks the opponent never bids like this: their hand is read from the bids"
    )


def say_grade(grade: Grade) -> str:
    """Return a grade in the chosen language."""
    return {
        Grade.BEST: say("best"),
        Grade.FINE: say("fine"),
        Grade.INACCURACY: say("inaccuracy"),
        Grade.MISTAKE: say("mistake"),
        Grade.BLUNDER: say("blunder"),
        Grade.UNCLEAR: say("unclear"),
    }[grade]


def say_kind(kind: Kind) -> str:
    """Return a kind of decision in the chosen language."""
    return {
        Kind.OPENING: say("opening"),
        Kind.RAISE: say("raise"),
        Kind.CHALLENGE: say("challenge made"),
        Kind.MISSED_CHALLENGE: say("challenge missed"),
        Kind.JUMP: say("跳开"),
        Kind.DOUBLE: say("劈"),
        Kind.SHOW: say("show"),
        Kind.GIVING_UP: say("give up"),
    }[kind]


def say_verdict(verdict: Verdict) -> str:
    """Return a verdict in the chosen language."""
    return {
        Verdict.NOT_LOST: say("not lost"),
        Verdict.DECISION: say("lost by a mistake"),
        Verdict.LUCK: say("lost by luck"),
    }[verdict]


def say_cost(one: ReviewedDecision) -> str:
    """Return the cost of a decision in penalty points, with as many digits as are known."""
    if one.grade is Grade.UNCLEAR:
        return say("unclear")
    most = one.cost + one.margin
    if one.cost <= one.margin and most >= _LEAST_SHOWN:
        return say("at most {cost}", cost=f"{most:.{digits_of(most)}f}")
    return _with_margin(one.cost, one.margin, digits_of(one.margin))


def _with_margin(cost: float, margin: float, digits: int) -> str:
    """Return a cost with its margin, which is left out if all its digits are 0."""
    shown = f"{margin:.{digits}f}"
    return f"{cost:.{digits}f}" + (f" ±{shown}" if float(shown) > 0.0 else "")


def say_graded(one: ReviewedDecision) -> str:
    """Return the grade of a decision and its cost."""
    if one.grade is Grade.UNCLEAR or one.cost == one.margin == 0.0:
        return say_grade(one.grade)
    return say("{grade}, cost {cost}", grade=say_grade(one.grade), cost=say_cost(one))


def say_estimate(one: Estimate) -> str:
    """Return the text of a sum over rounds, or "unclear" if there are too few rounds."""
    if one.margin is None:
        return f"{one.total:+.2f}"
    if one.margin > max(abs(one.total), MOST_ERROR):
        return say("unclear (±{margin:.1f})", margin=one.margin)
    digits = digits_of(one.margin, 2)
    return f"{round(one.total, digits) + 0.0:+.{digits}f} ±{one.margin:.{digits}f}"


def say_costs(summary: Summary) -> str:
    """Return the sentence on the total cost of the decisions."""
    digits = digits_of(summary.cost_margin, 2)
    return say(
        "your decisions cost {cost} by the policy's values; unclear and not counted: {unclear}",
        cost=_with_margin(summary.cost, summary.cost_margin, digits),
        unclear=summary.grades[Grade.UNCLEAR],
    )
