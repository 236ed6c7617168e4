"""The common loop of searches that can stop at any time: ever finer work, bounds that stay valid.

Every engine that measures keeps bounds that are valid after each complete step, so it may stop
whenever its result is good enough. Two kinds of engine share the limits and the order of the
checks:

- `by_cuts` sweeps the whole game once for each cut of a schedule, from coarse to fine, and yields
  the result of every sweep;
- `by_steps` lets the engine choose its next step, and yields a result about once a second.

**Interruption.** An engine enters the findings of a step only when the step is complete, and a
result is built only between steps. So an exception out of a step, KeyboardInterrupt among them,
leaves valid bounds, and results yielded before stay valid. A loop that ends because the caller
closes the generator ends in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

import numpy as np

SECONDS_PER_RESULT = 1.0
"""About how often `by_steps` yields a result."""


class Interval(Protocol):
    """The part of a result that the loop reads."""

    @property
    def exact(self) -> bool:
        """Whether only rounding is left open."""

    @property
    def gap(self) -> float:
        """The width of the interval."""


Result = TypeVar("Result", bound=Interval)


class Limits:
    """When a search may end: at a gap, or after a time that starts now."""

    def __init__(self, gap: float = 0.0, seconds: float = np.inf) -> None:
        self.gap = gap
        self.began = time.monotonic()
        self.deadline = self.began + seconds
        """In seconds on the monotonic clock."""

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self.began

    def reached(self, result: Interval) -> bool:
        """Return whether the result is good enough or the time is over."""
        return result.exact or result.gap <= self.gap or time.monotonic() >= self.deadline


def cuts(coarsest: float, finest: float, ratio: float) -> Iterator[float]:
    """Yield cuts from coarse to fine, each `ratio` times the cut before, and 0 at the end."""
    cut = coarsest
    while cut > finest:
        yield cut
        cut *= ratio
    yield 0.0


def by_cuts(
    sweep: Callable[[float], Result], schedule: Iterator[float], limits: Limits
) -> Iterator[Result]:
    """Yield the result of a sweep at every cut of `schedule`, until a limit is reached.

    `sweep` must itself stop at `limits.deadline`, with a valid result.
    """
    for cut in schedule:
        result = sweep(cut)
        yield result
        if limits.reached(result):
            return


def by_steps(
    step: Callable[[], bool], result: Callable[[], Result], limits: Limits
) -> Iterator[Result]:
    """Take steps until a limit is reached or a step returns False, which means that it was the
    last. Yield the result about every SECONDS_PER_RESULT.

    The last result is not yielded: the caller may have to end other threads first.
    """
    due, more = limits.began, True
    while more and not limits.reached(found := result()):
        if time.monotonic() >= due:
            yield found
            due = time.monotonic() + SECONDS_PER_RESULT
        more = step()
