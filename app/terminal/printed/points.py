"""Format penalty points for printing."""

from __future__ import annotations

_FEW = 0.001
"""Numbers of penalty points below this are shown with two significant digits, however small."""


def points_text(number: float) -> str:
    """Return penalty points with four decimals, or with two significant digits if they are below
    `_FEW`."""
    return f"{number:.4f}" if number == 0.0 or number >= _FEW else f"{number:.2g}"
