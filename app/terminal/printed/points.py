"""Penalty points as they are printed."""

from __future__ import annotations

_FEW = 0.001
"""Fewer penalty points than these are shown with two digits, however small."""


def points_text(number: float) -> str:
    """Return penalty points with four decimals, or two digits of what is too little for that."""
    return f"{number:.4f}" if number == 0.0 or number >= _FEW else f"{number:.2g}"
