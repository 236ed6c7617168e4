"""The page on which one plays."""

from __future__ import annotations

from app.web.frame import frame
from game.messages import Message


def show() -> None:
    """Draw the page."""
    with frame(Message("Play"), "/"):
        pass
