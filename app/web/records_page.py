"""The page that lists kept matches."""

from __future__ import annotations

from app.web.frame import frame


def show() -> None:
    """Draw the page."""
    with frame("Records", "/records"):
        pass
