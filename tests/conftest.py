"""What all tests share: places to write that are not the user's, compiled catalogues, and policies
solved once.

pytest-xdist runs tests in several processes. The first process makes a directory for all of them
and passes it on by the environment. The directory holds the cache of compiled kernels and the
policies that any process has solved, so that no process compiles or solves them again.

Files are handed to the processes in an order, the slowest early, so that in the end no process
waits for another.

The environment is set while this file is imported, before numba reads it. A NUMBA_CACHE_DIR that is
set is respected, so that runs need not compile again.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as zhaifei.cli does, before numpy is loaded

import fcntl
import json
import pwd
import shutil
import signal
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling
from xxhash import xxh3_128

from tests.command_line import Outcome, Solved, solve, succeeds
from zhaifei.app.locale import choose
from zhaifei.app.locale.compiling import compile_catalogues
from zhaifei.policies.training.run_paths import checkpoint_path

_IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
if not _IS_WORKER:
    os.environ["ZHAIFEI_TEST_SESSION"] = tempfile.mkdtemp(prefix="zhaifei-tests-")
SESSION = Path(os.environ["ZHAIFEI_TEST_SESSION"])
"""Shared by all processes of this run."""
_HOME = Path(tempfile.mkdtemp(prefix="home-", dir=SESSION))
assert "numba" not in sys.modules, "numba has read the environment"
os.environ["HOME"] = str(_HOME)
os.environ["XDG_DATA_HOME"] = str(_HOME / "data")
os.environ["XDG_CACHE_HOME"] = str(_HOME / "cache")
os.environ.setdefault("NUMBA_CACHE_DIR", str(SESSION / "numba"))

# A shell ignores Ctrl-C in what it starts in the background, and so would the commands under test.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Examples may take and be drawn as slowly as the machine is: the first with new rules also fills
# caches, and compiles.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

compile_catalogues()


FIRST = (
    "tests/solver/cfr/test_tree_cfr.py",
    "tests/game/openspiel/test_game.py",
    "tests/solver/cfr/test_mccfr.py",
    "tests/game/openspiel/test_matches.py",
    "tests/web/",
    "tests/benchmarks/test_smoke.py",
    "tests/policies/training/test_faults.py",
    "tests/policies/training/test_ray.py",
    "tests/docs/test_commands.py",
    "tests/solver/response/test_several_players.py",
    "tests/app/terminal/commands/test_solve_cluster.py",
    "tests/benchmarks/test_opponents.py",
    "tests/policies/catalogue/test_shipped.py",
    "tests/solver/value/test_matches.py",
    "tests/solver/response/test_learned.py",
    "tests/app/terminal/commands/test_evaluate.py",
    "tests/solver/test_abstraction.py",
)
"""What is handed out first. One process compiles the kernels that most others need, while another
does what compiles nothing, so that nothing is compiled twice. Then come the files that take
longest: see --durations."""


LARGE, KEPT = 1_000_000, 3
"""The bytes from which a packed policy is decoded once, and how many such tables a process
keeps."""


def place(file: str) -> int:
    """Return the place of a file in the order in which files are handed out."""
    found = (place for place, name in enumerate(FIRST) if file.startswith(name))
    return next(found, len(FIRST))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: place(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run one process more than there are processors: a fifth of the time goes to waiting for
    browsers, servers and clusters."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    config.option.loadscopereorder = False  # by number of tests: the quickest would come first
    return LoadFileScheduling(config, log)


def pytest_unconfigure() -> None:
    if not _IS_WORKER:
        shutil.rmtree(SESSION, ignore_errors=True)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Each test begins in English, whatever language the one before it chose."""
    yield
    choose("en")


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home of the test's own, for what is written by default."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the environment nor the system knows the home of the user."""

    def unknown(user: int) -> None:
        raise KeyError(user)

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)


@pytest.fixture(scope="session", autouse=True)
def large_tables_are_decoded_once() -> Iterator[None]:
    """A process decodes the blocks of a large shipped policy once, whichever tests read the file:
    the largest take seconds. What is decoded depends on nothing but the file and its rules, and is
    read-only."""
    from zhaifei.solver.tables.packing import PackedTable  # noqa: PLC0415  # imports numba

    decoded, kept = PackedTable._decoded, OrderedDict[object, Any]()

    def once(table: PackedTable, numbers: Sequence[int]) -> Any:
        if table.arrays["packed"].size < LARGE:
            return decoded(table, numbers)
        content = xxh3_128()
        for array in (*table.arrays.values(), *table.recall, *table._bids):
            content.update(np.ascontiguousarray(array))
        key = content.digest(), *numbers
        if key not in kept:
            kept[key] = decoded(table, numbers)
        kept.move_to_end(key)
        while len(kept) > KEPT:
            kept.popitem(last=False)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PackedTable, "_decoded", once)
        yield


def solved_once(name: str, *arguments: object) -> Solved:
    """Solve with `zhaifei solve ARGUMENTS`, unless another process of this run has done so; wait if
    one is doing so. Tests may only read the files."""
    directory = SESSION / "solved" / name
    directory.mkdir(parents=True, exist_ok=True)
    out, said = directory / f"{name}.safetensors", directory / "outcome.json"
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not said.exists():
            said.write_text(json.dumps(asdict(solve(out, *arguments).outcome)))
    return Solved(out, checkpoint_path(out), Outcome(**json.loads(said.read_text())))


@pytest.fixture(scope="session")
def site() -> Path:
    """Where `zhaifei web --export` has written the page. Tests may only read it."""
    written = SESSION / "site"
    with (SESSION / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (written / "data" / "files.json").exists():
            succeeds("web", "--export", written)
    return written


@pytest.fixture(scope="session")
def liars_dice() -> Solved:
    """A small game, solved exactly."""
    return solved_once("liars_dice", "--rules", "liars_dice", "--iterations", 20_000)


@pytest.fixture(scope="session")
def one_die() -> Solved:
    """A tiny game with 飞 and 斋, solved by sampling."""
    sizes = ("--dice", 1, "--faces", 3, "--recall", "bid,bid")
    return solved_once("one_die", *sizes, "--iterations", 20_000, "--threads", 1)


@pytest.fixture(scope="session")
def three_dice() -> Solved:
    """Large enough for the search to need several cuts."""
    sizes = ("--dice", 3, "--recall", "bid,bid")
    return solved_once("three_dice", *sizes, "--iterations", 50_000, "--threads", 1)


@pytest.fixture(scope="session")
def full_game() -> Solved:
    """The full game, hardly trained: enough for what does not depend on playing well."""
    sampled = ("--recall", "bid,bid", "--iterations", 20_000, "--threads", 1)
    return solved_once("full_game", *sampled)
