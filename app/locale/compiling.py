"""Compile the catalogues, from .po to .mo: when the package is built or installed editable, before
the tests, and by `python -m app.locale.compiling`.

This needs Babel and setuptools, which the installed package does not need. The build loads this
file by its path, without its packages, so it imports nothing of ours.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools.command.build_py import build_py

CATALOGUES = Path(__file__).parent


class BuildPy(build_py):
    """Builds the package with its catalogues compiled."""

    def run(self) -> None:
        """Compile the catalogues, and build what setuptools builds."""
        compile_catalogues()
        super().run()


def compile_catalogues() -> None:
    """Compile each catalogue beside its source, unless the compiled file is newer than the source.

    Several processes may do this at once: each replaces the file as a whole.
    """
    for source in CATALOGUES.glob("*/LC_MESSAGES/*.po"):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime_ns > source.stat().st_mtime_ns:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                write_mo(file, catalogue)
            Path(temporary).chmod(0o644)  # mkstemp keeps other users from reading
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


if __name__ == "__main__":
    compile_catalogues()
