import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from solver import jit

CALLEE = """
from tiny.jit import hot_kernel

@hot_kernel
def callee(x: int) -> int:
    return x + 1
"""
CALLER = """
from tiny.callee import callee
from tiny.jit import kernel

@kernel
def caller(x: int) -> int:
    return callee(x)

print(caller(40), sum(caller.stats.cache_hits.values()))
"""


@pytest.fixture
def tiny(tmp_path) -> Path:
    """A package with the settings of this one, and two kernels in two files."""
    package = tmp_path / "tiny"
    package.mkdir()
    shutil.copy(jit.__file__, package / "jit.py")
    (package / "__init__.py").touch()
    (package / "callee.py").write_text(CALLEE)
    (package / "caller.py").write_text(CALLER)
    return package


def start(tiny: Path, cache: Path, home: Path) -> subprocess.Popen:
    """Runs the caller; it prints its result and how many kernels came from the cache."""
    places = {"NUMBA_CACHE_DIR": str(cache), "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    return subprocess.Popen(
        [sys.executable, "-m", "tiny.caller"], cwd=tiny.parent, env={**os.environ, **places},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def output(process: subprocess.Popen) -> str:
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out.strip()


def kernels_below(place: Path) -> list[Path]:
    return [path for path in place.rglob("*.nb?") if path.is_file()]


def test_a_changed_callee_in_another_file_is_compiled_again(tiny, tmp_path):
    cache, home = tmp_path / "cache", tmp_path / "home"
    assert output(start(tiny, cache, home)) == "41 0"
    assert output(start(tiny, cache, home)) == "41 1"
    (tiny / "callee.py").write_text(CALLEE.replace("x + 1", "x + 2"))
    assert output(start(tiny, cache, home)) == "42 0"
    assert len(list(cache.iterdir())) == 2
    (tiny / "callee.py").write_text(CALLEE)
    assert output(start(tiny, cache, home)) == "41 1"


def test_without_a_cache_directory_kernels_are_compiled_each_time(tiny, tmp_path):
    file = tmp_path / "file"
    file.touch()
    for _ in range(2):
        assert output(start(tiny, file / "cache", file / "home")) == "41 0"
    # Nor does numba keep them beside the sources, where it would not see that a callee changes.
    assert not kernels_below(tmp_path)


def test_where_the_first_choice_cannot_be_written_the_users_cache_is_taken(tiny, tmp_path):
    file, home = tmp_path / "file", tmp_path / "home"
    file.touch()
    assert output(start(tiny, file / "cache", home)) == "41 0"
    assert output(start(tiny, file / "cache", home)) == "41 1"
    assert kernels_below(home)
    assert not kernels_below(tiny)


def test_processes_that_start_at_once_share_an_empty_cache(tiny, tmp_path):
    cache, home = tmp_path / "cache", tmp_path / "home"
    both = [start(tiny, cache, home) for _ in range(2)]
    assert {output(process).split()[0] for process in both} == {"41"}
    assert output(start(tiny, cache, home)) == "41 1"


def test_numbas_own_cache_directory_is_left_alone():
    before = numba.config.CACHE_DIR
    compiled = jit.kernel(lambda x: x + 1)
    assert compiled(1) == 2
    assert before == numba.config.CACHE_DIR


@jit.kernel
def extremes(values: np.ndarray) -> tuple[float, float, float]:
    total, largest = 0.0, -np.inf
    for value in values:
        total += value
        largest = max(largest, value)
    return total, largest, values[0] / values[1]


def test_infinities_and_division_are_exact():
    values = np.array([7.0, 49.0, -np.inf])
    assert extremes(values) == (-np.inf, 49.0, 7.0 / 49.0)
    assert extremes(np.array([1.0, 0.0])) == (1.0, 1.0, np.inf)
