"""Grades of decisions, by what they cost.

A grade says only what is beyond doubt. If the interval of a cost holds the true one, then

- a decision that is called best costs at most BEST_COSTS, and a fine one at most what an inaccuracy
  does;
- an inaccuracy, a mistake or a blunder costs more than the grade before it allows, and no more than
  the next grade does.

Where the interval allows no grade, the decision is unclear.

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
    UNCLEAR = "unclear"
    """The cost is not known well enough for any of these."""

    @property
    def is_error(self) -> bool:
        """Whether it certainly cost more than a fine decision may."""
        return self in (Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER)


BEST_COSTS = 0.003
"""The most that a best decision costs: less than the policies themselves give away in theirs, and
than three quarters of what the decisions of rule-based players cost beyond doubt."""
LIMITS = {Grade.FINE: 0.03, Grade.INACCURACY: 0.1, Grade.MISTAKE: 0.3}
"""The most that a decision of each grade costs; beyond the last it is a blunder. Of the costs of
rule-based players beyond doubt, more than half are at most fine, three quarters at most an
inaccuracy, and a tenth blunders. The exploitability of the shipped policy is just below the
first."""


_BANDS = (Grade.BEST, Grade.FINE, Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER)


def grade_of(cost: float, margin: float) -> Grade:
    """Return the grade of a decision that cost `cost` penalty points, give or take `margin`.

    The grade is the mildest that the interval touches, at mildest fine unless all of it is best. If
    the interval reaches beyond the next grade, it is unclear.
    """
    mildest, worst = _band(cost - margin), _band(cost + margin)
    if worst == 0:
        return Grade.BEST
    mildest = max(mildest, 1)
    return _BANDS[mildest] if worst <= mildest + 1 else Grade.UNCLEAR


def _band(cost: float) -> int:
    """Return the place in _BANDS of a cost that is exact."""
    return sum(cost > most for most in (BEST_COSTS, *LIMITS.values()))
