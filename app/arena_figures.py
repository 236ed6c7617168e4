"""Word the figures of an arena, for the terminal and the report alike."""

from __future__ import annotations

from collections.abc import Sequence

from zhaifei.policies.measure.play_counts import PlayCounts
from zhaifei.policies.measure.ratings import Rating
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import short_name
from zhaifei.solver.bounds import Bounds


def numbered_names(players: Sequence[object]) -> list[str]:
    """Return the names of players in tables, preceded by the numbers of their columns."""
    return [f"{place} {short_name(one)}" for place, one in enumerate(players, start=1)]


def format_rating(ratings: Sequence[Rating | None] | None, place: int) -> str:
    """Return a rating ± half its 95% confidence interval, or a dash without a rating."""
    rating = ratings[place] if ratings else None
    return f"{rating.value:.0f} ±{DEVIATIONS * rating.deviation:.0f}" if rating else "–"


def format_share(part: int, whole: int) -> str:
    """Return `part` / `whole` as a percentage, or a dash if `whole` is 0."""
    return f"{part / whole:.1%}" if whole else "–"


def format_conduct(conduct: PlayCounts) -> list[str]:
    """Return the player's bids and challenges per round, share of challenges that were right, share
    of challenged own bids that were true, and the bids of all players per round."""
    return [
        f"{conduct.bids / conduct.rounds:.3f}",
        f"{conduct.challenges / conduct.rounds:.3f}",
        format_share(conduct.right, conduct.challenges),
        format_share(conduct.true, conduct.challenged),
        f"{conduct.length / conduct.rounds:.2f}",
    ]


def middle(bounds: Bounds) -> float:
    """Return the middle of the bounds of an exact value, which differ by rounding."""
    return (bounds.lower + bounds.upper) / 2.0
