"""Show on a line of progress which kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable

from zhaifei.app.locale import say
from zhaifei.solver.machine.compiling import on_compiling


class Compiling:
    """A context that shows how many kernels have been compiled so far."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show, self._number = show, 0
        self._end: Callable[[], None] = lambda: None

    def __enter__(self) -> Compiling:
        self._end = on_compiling(self.tell)
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()

    def tell(self) -> None:
        """Show that one more kernel is being compiled."""
        self._number += 1
        self._show(
            say("compiling, on first use only; functions so far: {number}", number=self._number)
        )
