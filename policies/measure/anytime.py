"""Results that get better the longer they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

Refined = TypeVar("Refined")


def last_of(results: Iterator[Refined], on_result: Callable[[Refined], None]) -> Refined:
    """Return the last of `results`, or the last before Ctrl-C; `on_result` is called with each.

    Raises KeyboardInterrupt if it comes before the first result.
    """
    last: Refined | None = None
    try:
        for last in results:
            on_result(last)
    except KeyboardInterrupt:
        if last is None:
            raise
    assert last is not None
    return last
