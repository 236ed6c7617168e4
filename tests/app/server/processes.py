"""Processes that a server has started, and their end."""

from __future__ import annotations

import time
from pathlib import Path

from tests.command_line import LONG


def below(process: int) -> set[int]:
    """The processes that a process has started, and those that these have."""
    found: set[int] = set()
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child, *below(child)}
    return found


def lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def wait_for_end(processes: set[int]) -> None:
    end = time.monotonic() + LONG
    while left := {one for one in processes if lives(one)}:
        assert time.monotonic() < end, left
        time.sleep(0.02)
