"""The page that walks the policy's tree."""

from __future__ import annotations

from app.web.frame import frame
from game.messages import Message


def show() -> None:
    """Draw the page."""
    with frame(Message("Explorer"), "/explorer"):
        pass
