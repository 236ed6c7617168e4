"""The review of a match."""

from __future__ import annotations

from app.web.frame import frame
from game.messages import Message


def show(record: str) -> None:
    """Draw the page."""
    with frame(Message("Review"), "/records"):
        pass
