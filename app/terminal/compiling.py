"""Tell on a line of progress what is compiled: kernels are compiled on first use, which takes half
a minute, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from app.locale import say

_EVENT = "numba:compile"


class Compiling:
    """Tells while kernels are compiled: how many so far. Use it as a context."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show, self._number = show, 0
        self._listener: Any = None

    def __enter__(self) -> Compiling:
        from numba.core import event  # noqa: PLC0415  # most errors are found without numba

        class Listener(event.Listener):
            def on_start(_, event: object) -> None:
                self.tell()

            def on_end(_, event: object) -> None:
                pass

        self._listener, numba_events = Listener(), cast(Any, event)
        numba_events.register(_EVENT, self._listener)
        return self

    def __exit__(self, *exception: object) -> None:
        from numba.core import event  # noqa: PLC0415

        cast(Any, event).unregister(_EVENT, self._listener)

    def tell(self) -> None:
        """Tell that one more kernel is being compiled."""
        self._number += 1
        self._show(
            say("compiling, on first use only; functions so far: {number}", number=self._number)
        )
