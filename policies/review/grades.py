"""Grades of decisions, by what they cost.

The limits are in penalty points a decision, set from what decisions of the rule-based players cost
(`benchmarks/review.py`; the figures are in `benchmarks/tried.md`).
"""

from __future__ import annotations

from enum import StrEnum


class Grade(StrEnum):
    """How good a decision was, best first."""

    BEST = "best"
    FINE = "fine"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"

    @property
    def is_error(self) -> bool:
        """Whether it cost more than can be put down to the error of the values."""
        return self not in (Grade.BEST, Grade.FINE)


BEST_COSTS = 0.003
"""The most that a best decision costs: less than the policies themselves give away in theirs, and
than three quarters of what the decisions of rule-based players cost beyond doubt."""
LIMITS = {Grade.FINE: 0.03, Grade.INACCURACY: 0.1, Grade.MISTAKE: 0.3}
"""The most that a decision of each grade costs; beyond the last it is a blunder. Of the costs of
rule-based players beyond doubt, more than half are at most fine, three quarters at most an
inaccuracy, and a tenth blunders. The exploitability of the shipped policy is just below the
first."""


def grade_of(cost: float, margin: float) -> Grade:
    """Return the grade of a decision that cost `cost` penalty points, give or take `margin`. What
    costs no more than the margin is fine at worst."""
    if cost <= BEST_COSTS:
        return Grade.BEST
    if cost <= margin:
        return Grade.FINE
    return next((grade for grade, most in LIMITS.items() if cost <= most), Grade.BLUNDER)
