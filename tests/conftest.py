"""What all tests share: places to write that are not the user's, compiled catalogues, and policies
solved once.

The environment is set while this file is imported, before numba reads it. A NUMBA_CACHE_DIR that is
set is respected, so that runs need not compile again.
"""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from app.locale.compiling import compile_catalogues
from tests.command_line import Solved, solve

_SCRATCH = Path(tempfile.mkdtemp(prefix="zhaifei-tests-"))
os.environ["HOME"] = str(_SCRATCH)
os.environ["XDG_DATA_HOME"] = str(_SCRATCH / "data")
os.environ["XDG_CACHE_HOME"] = str(_SCRATCH / "cache")
os.environ.setdefault("NUMBA_CACHE_DIR", str(_SCRATCH / "numba"))

# A shell ignores Ctrl-C in what it starts in the background, and so would the commands under test.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Examples may take and be drawn as slowly as the machine is: the first with new rules also fills
# caches, and compiles.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

compile_catalogues()


def pytest_unconfigure() -> None:
    shutil.rmtree(_SCRATCH, ignore_errors=True)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home of the test's own, for what is written by default."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture(scope="session")
def liars_dice(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """A small game, solved exactly."""
    out = tmp_path_factory.mktemp("solved") / "liars_dice.safetensors"
    return solve(out, "--rules", "liars_dice", "--iterations", 20_000)


@pytest.fixture(scope="session")
def one_die(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """A tiny game with 飞 and 斋, solved by sampling."""
    out = tmp_path_factory.mktemp("solved") / "one_die.safetensors"
    sizes = ("--dice", 1, "--faces", 3, "--recall", "bid,bid")
    return solve(out, *sizes, "--iterations", 20_000, "--threads", 1)


@pytest.fixture(scope="session")
def three_dice(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """Large enough for the search to need several cuts."""
    out = tmp_path_factory.mktemp("solved") / "three_dice.safetensors"
    return solve(out, "--dice", 3, "--recall", "bid,bid", "--iterations", 50_000, "--threads", 1)


@pytest.fixture(scope="session")
def full_game(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """The full game, hardly trained: enough for what does not depend on playing well."""
    out = tmp_path_factory.mktemp("solved") / "full_game.safetensors"
    return solve(out, "--recall", "bid,bid", "--iterations", 20_000, "--threads", 1)
