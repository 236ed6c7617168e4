"""Results for --csv, as plain untranslated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zhaifei.game.notation import format_hand, format_history

if TYPE_CHECKING:
    from zhaifei.policies.advice.advice import RangeAdvice
    from zhaifei.policies.review.reviewing import ReviewedMatch


def format_csv(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return `lines`, which have the same keys in the same order, as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def range_csv(advice: RangeAdvice) -> str:
    """Return a line for each hand and legal action. It has the weight of the hand, the probability
    with this hand that the last bid is true (empty without a bid), and the advice on the action."""
    return format_csv(
        [
            {
                "hand": format_hand(one.hand),
                "weight": weight,
                "p_true": one.p_true,
                "action": action.action,
                "probability": action.probability,
                "value": action.value,
                "value_error": action.value_error,
            }
            for one, weight in zip(advice.hands, advice.weights.tolist(), strict=True)
            for action in one.actions
        ]
    )


REVIEW_COLUMNS = (
    "match",
    "round",
    "seat",
    "hand",
    "history",
    "done",
    "played",
    "value",
    "best",
    "best_played",
    "best_value",
    "cost",
    "margin",
    "grade",
    "kind",
    "mode",
    "p_true",
)


def review_csv(matches: Sequence[ReviewedMatch]) -> str:
    """Return a line for each reviewed decision; rounds and seats count from 1."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(REVIEW_COLUMNS)
    writer.writerows(
        (
            match.source,
            round_.number,
            one.seat + 1,
            format_hand(one.hand),
            format_history(one.history),
            one.done,
            one.played,
            one.value,
            one.best,
            one.best_played,
            one.best_value,
            one.cost,
            one.margin,
            one.grade.value,
            one.kind.value,
            one.mode.name.lower(),
            one.p_true,
        )
        for match in matches
        for round_ in match.rounds
        for one in round_.decisions
    )
    return text.getvalue()
