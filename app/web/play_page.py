"""The page on which one plays."""

from __future__ import annotations

from app.web.frame import frame


def show() -> None:
    """Draw the page."""
    with frame("Play", "/"):
        pass
