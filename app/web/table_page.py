"""The page at a table with real dice."""

from __future__ import annotations

from app.web.frame import frame


def show() -> None:
    """Draw the page."""
    with frame("At the table", "/table"):
        pass
