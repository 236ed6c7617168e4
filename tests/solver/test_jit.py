import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import game
import solver
from game.rules import preset
from game.tables import NO_BID, bid_tables
from solver import jit
from solver.cfr.infosets import base_bid
from tests.command_line import LONG

ROOT = Path(game.__path__[0]).parent

CONSTANT = "ONE = 1\n"
CALLEE = """
from game.deep.constant import ONE
from solver.jit import hot_kernel

@hot_kernel
def callee(x: int) -> int:
    return x + ONE
"""
CALLER = """
from solver.deep.callee import callee
from solver.jit import kernel

@kernel
def caller(x: int) -> int:
    return callee(x)

print(caller(40), sum(caller.stats.cache_hits.values()))
"""
OPENING = f"""
from {preset.__module__} import preset
from {bid_tables.__module__} import bid_tables
from {base_bid.py_func.__module__} import base_bid

print(base_bid(bid_tables(preset("zhaifei")), -1), sum(base_bid.stats.cache_hits.values()))
"""
"""Asks a kernel of ours, which compares with NO_BID."""


@pytest.fixture
def tiny(tmp_path) -> Path:
    """A folder with packages like ours, and with their settings: two kernels in two files, one in a
    sub-package, and a constant in a third."""
    folder = tmp_path / "tiny"
    for package in ("game", "game/deep", "solver", "solver/deep"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").touch()
    shutil.copy(jit.__file__, folder / "solver" / "jit.py")
    (folder / "game" / "deep" / "constant.py").write_text(CONSTANT)
    (folder / "solver" / "deep" / "callee.py").write_text(CALLEE)
    (folder / "solver" / "caller.py").write_text(CALLER)
    return folder


def start(folder: Path, cache: Path, home: Path, module: str = "solver.caller") -> subprocess.Popen:
    """Runs a module that prints its result and how many kernels came from the cache."""
    places = {"NUMBA_CACHE_DIR": str(cache), "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    # Python's own cache misses a change within a second that keeps the size of a source.
    places["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.Popen(
        [sys.executable, "-m", module], cwd=folder, env={**os.environ, **places},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def output(process: subprocess.Popen) -> str:
    out, errors = process.communicate(timeout=LONG)
    assert process.returncode == 0, errors
    return out.strip()


def kernels_below(place: Path) -> list[Path]:
    return [path for path in place.rglob("*.nb?") if path.is_file()]


@pytest.mark.parametrize(
    ("changed", "before", "after"),
    [
        ("solver/deep/callee.py", CALLEE, CALLEE.replace("x + ONE", "x + ONE + 1")),
        ("game/deep/constant.py", CONSTANT, CONSTANT.replace("1", "2")),
    ],
    ids=["callee", "constant"],
)
def test_what_changes_in_another_file_is_compiled_again(tiny, tmp_path, changed, before, after):
    cache, home = tmp_path / "cache", tmp_path / "home"
    assert output(start(tiny, cache, home)) == "41 0"
    assert output(start(tiny, cache, home)) == "41 1"
    (tiny / changed).write_text(after)
    assert output(start(tiny, cache, home)) == "42 0"
    assert len(list(cache.iterdir())) == 2
    (tiny / changed).write_text(before)
    assert output(start(tiny, cache, home)) == "41 1"


def test_in_our_packages_a_changed_constant_is_compiled_again(tmp_path):
    folder, cache, home = (tmp_path / name for name in ("ours", "cache", "home"))
    for package in (game, solver):
        shutil.copytree(
            Path(package.__path__[0]), folder / package.__name__,
            ignore=shutil.ignore_patterns("__pycache__"),
        )  # fmt: skip
    (folder / "opening.py").write_text(OPENING)

    def printed() -> str:
        return output(start(folder, cache, home, module="opening"))

    # 1 less after a bid than at the start of a round, for the slot of the challenge.
    opening = bid_tables(preset("zhaifei")).first_raise[NO_BID + 1]
    assert printed() == f"{opening} 0"
    before, after = "\nNO_BID = -1\n", "\nNO_BID = -2\n"
    [tables] = (file for file in (folder / "game").rglob("*.py") if before in file.read_text())
    tables.write_text(tables.read_text().replace(before, after))
    assert [printed(), printed()] == [f"{opening - 1} 0", f"{opening - 1} 1"]


def test_kernels_and_all_of_ours_that_they_import_are_watched():
    ours = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()} - {"tests"}
    ours |= {path.stem for path in ROOT.glob("*.py")}
    watched = {package.__name__ for package in jit.PACKAGES}
    sources = [*ROOT.glob("*.py"), *(path for name in ours for path in (ROOT / name).rglob("*.py"))]
    assert watched < ours
    for source in sources:
        imported = imports(source)
        inside = source.relative_to(ROOT).parts[0] in watched
        if inside or any(name.endswith(".jit") for name in imported):
            roots = {name.split(".")[0] for name in imported}
            assert inside, f"{source} has kernels, but changes of it are not watched"
            assert roots & ours <= watched, f"{source} imports what is not watched"


def imports(source: Path) -> set[str]:
    """The modules that a file imports from."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source} has a relative import"
            found |= {node.module or "", *(f"{node.module}.{name.name}" for name in node.names)}
    return found


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
