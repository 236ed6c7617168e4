"""The page at a table with real dice."""

from __future__ import annotations

from app.web.frame import frame
from game.messages import Message


def show() -> None:
    """Draw the page."""
    with frame(Message("At the table"), "/table"):
        pass
