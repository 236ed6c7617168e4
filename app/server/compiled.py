"""How many kernels the processes of a server have compiled so far.

A process that compiles answers no question meanwhile, and the first ones compile for half a minute.
So each of them adds a byte to one file for every kernel, and the server looks how long the file is.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from zhaifei.solver.machine.compiling import on_compiling

COUNTED = "ZHAIFEI_WEB_COMPILED"
"""The environment variable that names the file for the process from which others are forked."""

_counted: Path | None = None
"""The file to which this process adds, or None if it does not count."""


def count_kernels(counted: Path) -> None:
    """Add a byte to the file `counted` for every kernel that this process, or one forked from it,
    compiles from now on. Where nothing can be written, nothing is counted."""
    global _counted  # noqa: PLW0603  # a forked process has its own
    listens = _counted is not None
    _counted = counted
    if not listens:
        on_compiling(_add)


def _add() -> None:
    assert _counted is not None, "it is set before anything is counted"
    with suppress(OSError), _counted.open("ab") as file:
        file.write(b".")


class Compiled:
    """The file of one server, and its length."""

    def __init__(self) -> None:
        """Make the file, and name it for processes that are started from now on."""
        self._directory = tempfile.TemporaryDirectory(prefix="zhaifei-", ignore_cleanup_errors=True)
        self.path = Path(self._directory.name) / "compiled"
        self.path.touch()
        os.environ[COUNTED] = str(self.path)

    @property
    def number(self) -> int:
        """The number of kernels that were compiled so far; 0 if the file is gone."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def close(self) -> None:
        """Remove the file."""
        self._directory.cleanup()
