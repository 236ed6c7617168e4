"""Running a test twice: with kernels as they are, and as the Python that they were written in."""

from __future__ import annotations

import os
import subprocess
import sys
from types import ModuleType

import pytest

from tests.command_line import LONG


def in_both_ways(*modules: ModuleType):
    """A fixture. Tests that use it must call kernels through their modules."""

    @pytest.fixture(params=["compiled", "python"])
    def both_ways(request, monkeypatch):
        if request.param == "python":
            for module in modules:
                for name, value in list(vars(module).items()):
                    if hasattr(value, "py_func"):
                        monkeypatch.setattr(module, name, value.py_func)
        return request.param

    return both_ways


def verify_indices(script: str) -> None:
    """Run a script whose kernels are plain Python, where NumPy checks each index as
    NUMBA_BOUNDSCHECK would: without compiling anything. The script prints "checked" once it has
    spoilt a table and caught the IndexError, so that it is known that checks are made."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert done.stdout == "checked\n", done.stderr
