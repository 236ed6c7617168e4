"""What tests of the machine share."""

from pathlib import Path

import pytest

from zhaifei.solver.machine import jit


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """An empty directory for the kernels that the test compiles."""
    directory = tmp_path / "kernels"
    directory.mkdir(mode=0o700)
    monkeypatch.setattr(jit, "cache_directory", lambda: directory)
    return directory
