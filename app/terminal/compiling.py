"""Show on a line of progress which kernels are compiled: they are compiled on first use, which
takes half a minute, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from zhaifei.app.locale import say

_EVENT = "numba:compile"


class Compiling:
    """A context that shows how many kernels have been compiled so far."""

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
        """Show that one more kernel is being compiled."""
        self._number += 1
        self._show(
            say("compiling, on first use only; functions so far: {number}", number=self._number)
        )
