import ast
import errno
import os
import pickle
import shutil
import stat
import subprocess
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path

import numba
import numpy as np
import pytest

from tests.command_line import LONG
from zhaifei import game, solver
from zhaifei.game.rules import preset
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.solver.cfr.infosets import base_bid
from zhaifei.solver.machine import jit, kernel_cache, kernel_directory

ROOT = Path(game.__path__[0]).parent

CONSTANT = "ONE = 1\n"
CALLEE = """
from zhaifei.game.deep.constant import ONE
from zhaifei.solver.machine.jit import hot_kernel

@hot_kernel
def callee(x: int) -> int:
    return x + ONE
"""
CALLER = """
from zhaifei.solver.deep.callee import callee
from zhaifei.solver.machine.jit import kernel

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


@jit.kernel
def added(one: int, other: int, negative: bool) -> int:
    return one - other if negative else one + other


@jit.kernel
def counted(number: int) -> int:
    total = 0
    for _ in range(number):
        total = added(total, 1, False)
    return added(total, number, negative=True)


def test_a_kernel_is_compiled_once_for_constants_and_other_values():
    assert counted(7) == 0
    assert len(added.signatures) == 1


@pytest.fixture
def tiny(tmp_path) -> Path:
    """A folder with packages like ours, and with their settings: two kernels in two files, one in a
    sub-package, and a constant in a third."""
    folder = tmp_path / "tiny" / "zhaifei"
    for package in (".", "game", "game/deep", "solver", "solver/deep", "solver/machine"):
        (folder / package).mkdir(parents=True, exist_ok=True)
        (folder / package / "__init__.py").touch()
    needed = (
        "solver/machine/jit.py",
        "solver/machine/inlined.py",
        "solver/machine/kernel_cache.py",
        "solver/machine/kernel_directory.py",
    )
    for name in (
        *needed,
        "solver/machine/system.py",
        "solver/machine/user_directories.py",
        "game/errors.py",
        "game/messages.py",
    ):
        shutil.copy(ROOT / name, folder / name)
    (folder / "game" / "deep" / "constant.py").write_text(CONSTANT)
    (folder / "solver" / "deep" / "callee.py").write_text(CALLEE)
    (folder / "solver" / "caller.py").write_text(CALLER)
    return folder


def start(
    folder: Path, cache: Path, home: Path, module: str = "zhaifei.solver.caller"
) -> subprocess.Popen:
    """Runs a module that prints its result and how many kernels came from the cache."""
    places = {"NUMBA_CACHE_DIR": str(cache), "HOME": str(home), "XDG_CACHE_HOME": str(home)}
    # Python's own cache misses a change within a second that keeps the size of a source.
    places["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=folder.parent,
        env={**os.environ, **places},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


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
    folder, cache, home = (tmp_path / name for name in ("zhaifei", "cache", "home"))
    folder.mkdir()
    (folder / "__init__.py").touch()
    for package in (game, solver):
        shutil.copytree(
            Path(package.__path__[0]),
            folder / package.__name__.rpartition(".")[2],
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    (tmp_path / "opening.py").write_text(OPENING)

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
    rooms = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    watched = {*kernel_directory.PACKAGES}
    sources = [*ROOT.glob("*.py")]
    sources += [path for name in rooms for path in (ROOT / name).rglob("*.py")]
    assert watched < rooms
    for source in sources:
        imported = imports(source)
        inside = source.relative_to(ROOT).parts[0] in watched
        if inside or any(name.endswith(".jit") for name in imported):
            # numba watches the file of the kernel itself.
            ours = {name.split(".")[1] for name in imported if name.startswith("zhaifei.")}
            assert ours <= watched, f"{source} imports what is not watched"


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


def test_installs_with_the_same_sources_share_what_is_compiled(tiny, tmp_path):
    cache, home, elsewhere = tmp_path / "cache", tmp_path / "home", tmp_path / "elsewhere"
    assert output(start(tiny, cache, home)) == "41 0"
    shutil.copytree(tiny, elsewhere / "zhaifei", copy_function=shutil.copyfile)  # with new dates
    assert output(start(elsewhere / "zhaifei", cache, home)) == "41 1"


def test_numbas_own_cache_directory_is_left_alone():
    before = numba.config.CACHE_DIR
    compiled = jit.kernel(lambda x: x + 1)
    assert compiled(1) == 2
    assert before == numba.config.CACHE_DIR


# what is in the cache


def doubled(x):
    return x + x


def hits(*arguments: object) -> int:
    """How many calls of `doubled`, in what might be a new process, find it in the cache."""
    kernel = jit.kernel(doubled)
    for argument in arguments:
        np.testing.assert_array_equal(kernel(argument), doubled(argument))
    return sum(kernel.stats.cache_hits.values())


def test_each_signature_has_a_file_of_its_own(cache):
    """So that two processes that compile different ones at once cannot mix them up."""
    assert hits(1) == 0
    [integers] = kernels_below(cache)
    content = integers.read_bytes()
    integers.unlink()
    assert hits(1.5) == 0
    integers.write_bytes(content)  # by a process that had started before
    assert len(kernels_below(cache)) == 2
    assert hits(1, 1.5) == 2
    assert hits(np.arange(3.0), 1.5, 1) == 2
    assert hits(np.arange(3.0), 1.5, 1) == 3
    assert len(kernels_below(cache)) == 3
    assert not [*cache.rglob("*.tmp")]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: b"\0" * len(content),
        lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
        lambda content: content[:16] + pickle.dumps(1),
        lambda content: digested(b"no pickle"),
        lambda content: digested(pickle.dumps(None)),
        lambda content: digested(pickle.dumps(("another key", None))),
        lambda content: digested(b"cno_such_module\nname\n."),
    ],
    ids=range(11),
)
def test_a_damaged_file_is_compiled_again(cache, damage):
    assert hits(1) == 0
    [file] = kernels_below(cache)
    file.write_bytes(damage(file.read_bytes()))
    assert [hits(1), hits(1)] == [0, 1]


def digested(pickled: bytes) -> bytes:
    return blake2b(pickled, digest_size=16).digest() + pickled


def test_a_file_that_cannot_be_read_is_compiled_each_time(cache):
    assert hits(1) == 0
    [file] = kernels_below(cache)
    file.unlink()
    file.mkdir()
    assert [hits(1), hits(1)] == [0, 0]
    assert not [*cache.rglob("*.tmp")]


@pytest.mark.parametrize("name", ["mkstemp", "fdopen", "replace"])
def test_a_full_disk_does_not_end_a_run(cache, monkeypatch, name):
    def full(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(kernel_cache.tempfile if name == "mkstemp" else os, name, full)
        assert [hits(1), hits(1)] == [0, 0]
    assert not [path for path in cache.rglob("*") if path.is_file()]
    assert [hits(1), hits(1)] == [0, 1]


def test_a_directory_that_vanishes_does_not_end_a_run(cache):
    kernel = jit.kernel(doubled)
    shutil.rmtree(cache)
    cache.touch()
    assert kernel(2) == 4
    assert jit.kernel(doubled)(2) == 4


def test_a_kernel_can_be_compiled_again(cache):
    kernel = jit.kernel(doubled)
    assert kernel(2) == 4
    kernel.recompile()
    assert (kernel(2), hits(2)) == (4, 1)


# which directory


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """A function that chooses again, under NUMBA_CACHE_DIR or the user's cache directory."""
    root, home = tmp_path / "root", tmp_path / "home"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(root))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def again() -> Path | str:
        kernel_directory._directory_or_reason.cache_clear()
        assert (kernel_directory.cache_directory() is None) != (
            kernel_directory.why_not_kept() is None
        )
        return kernel_directory.cache_directory() or str(kernel_directory.why_not_kept())

    yield again
    monkeypatch.undo()
    kernel_directory._directory_or_reason.cache_clear()


def test_the_directory_is_the_users_alone(chosen, tmp_path):
    name = kernel_directory.digest_of_sources()
    assert chosen() == tmp_path / "root" / name
    assert stat.S_IMODE(chosen().stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_directory_that_others_can_write_is_not_used(chosen, tmp_path, homeless, mode):
    directory = chosen()
    directory.chmod(mode)
    assert f"other users can write to {directory};" in chosen()
    assert chosen().startswith("compiled code cannot be kept, so every command compiles again: ")


def test_a_directory_that_others_can_replace_is_not_used(chosen, tmp_path, homeless):
    directory = chosen()
    directory.parent.chmod(0o777)
    assert f"other users can write to {directory};" in chosen()
    directory.parent.chmod(0o1777)  # as /tmp is
    assert chosen() == directory
    directory.rmdir()
    (tmp_path / "other").mkdir()
    directory.symlink_to(tmp_path / "other")
    assert f"other users can write to {directory};" in chosen()


def test_a_directory_of_another_user_is_not_used(chosen, homeless, monkeypatch):
    directory = chosen()
    monkeypatch.setattr(os, "geteuid", lambda: directory.stat().st_uid + 1)
    assert f"{directory} belongs to another user;" in chosen()


def test_where_nothing_can_be_written_the_reason_names_the_first_choice(
    chosen, tmp_path, homeless, monkeypatch
):
    (tmp_path / "root").touch()
    assert f"File exists: '{tmp_path / 'root'}'; NUMBA_CACHE_DIR can name" in chosen()
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    assert (
        "compiles again: you have no home directory: HOME is not set; NUMBA_CACHE_DIR" in chosen()
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no disk that is always full")
def test_a_full_disk_is_a_reason(chosen, homeless, monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: open("/dev/full", "wb"))  # noqa: SIM115
    assert "compiles again: [Errno 28] No space left on device; NUMBA_CACHE_DIR" in chosen()


def test_without_a_named_directory_the_users_is_taken(chosen, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    assert chosen().is_relative_to(tmp_path / "home")


def test_a_relative_directory_stays_where_it_is(chosen, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "here")
    monkeypatch.chdir(tmp_path)
    assert chosen().parent == tmp_path / "here"


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


@jit.hot_kernel
def halved(value: float) -> float:
    return value / 2.0


@jit.kernel
def halved_twice(value: float) -> float:
    return halved(halved(value))


def test_a_hot_kernel_is_compiled_for_python_only_if_python_calls_it():
    assert halved_twice(6.0) == 1.5
    assert not halved.signatures
    assert halved(3.0) == 1.5
    assert len(halved.signatures) == 1


def test_what_kernels_inline_has_no_machine_code():
    assert halved_twice(6.0) == 1.5
    (inlined,) = halved.for_kernels().overloads.values()
    assert not [*inlined.library.get_defined_functions()]


@jit.step_kernel
def trebled(value: float) -> float:
    return value * 3.0


@jit.kernel
def trebled_twice(value: float) -> float:
    return trebled(trebled(value))


def test_a_step_kernel_works_inlined_and_alone():
    assert trebled_twice(2.0) == 18.0
    assert not trebled.signatures
    (inlined,) = trebled.for_kernels().overloads.values()
    assert not [*inlined.library.get_defined_functions()]
    assert trebled(2.0) == 6.0
