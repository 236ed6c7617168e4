"""Warn if compiled kernels cannot be kept."""

from __future__ import annotations

import sys

from zhaifei.app.locale import say


def warn_if_not_kept() -> None:
    """Print a warning on stderr if every command has to compile again, which takes minutes."""
    from zhaifei.solver.machine.kernel_directory import why_not_kept  # noqa: PLC0415  # most errors are found without numba

    if (reason := why_not_kept()) is not None:
        print(say("warning: {error}", error=reason), file=sys.stderr)
