"""Running a test twice: with kernels as they are, and as the Python that they were written in."""

from __future__ import annotations

from types import ModuleType

import pytest


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
