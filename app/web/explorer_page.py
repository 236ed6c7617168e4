"""The page that walks the policy's tree."""

from __future__ import annotations

from app.web.frame import frame


def show() -> None:
    """Draw the page."""
    with frame("Explorer", "/explorer"):
        pass
