"""Anytime results: iterators whose results improve until they end or Ctrl-C stops them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from zhaifei.policies.signals import settle

Refined = TypeVar("Refined")


def last_of(results: Iterator[Refined], on_result: Callable[[Refined], None]) -> Refined:
    """Return the last of `results`, or on Ctrl-C the last one so far. Call `on_result` with each.

    There must be at least one result. Raise KeyboardInterrupt on Ctrl-C before the first one.
    """
    last: Refined | None = None
    try:
        for last in results:
            on_result(last)
    except KeyboardInterrupt as error:
        if last is None:
            raise
        settle(error)
    assert last is not None
    return last
