"""Tells when kernels are compiled: on first use, which takes half a minute; then they are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

_EVENT = "numba:compile"


def on_compiling(told: Callable[[], object]) -> Callable[[], None]:
    """Call `told` whenever numba begins to compile a function in this process. Return what ends
    that."""
    from numba.core import event  # noqa: PLC0415  # most errors are found without numba

    class Listener(event.Listener):
        def on_start(_, event: object) -> None:
            told()

        def on_end(_, event: object) -> None:
            pass

    listener, numba_events = Listener(), cast(Any, event)
    numba_events.register(_EVENT, listener)
    return lambda: numba_events.unregister(_EVENT, listener)
