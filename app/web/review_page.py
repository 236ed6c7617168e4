"""The review of a match."""

from __future__ import annotations

from app.web.frame import frame


def show(record: str) -> None:
    """Draw the page."""
    with frame("Review", "/records"):
        pass
