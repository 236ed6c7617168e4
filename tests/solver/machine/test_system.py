"""What differs between systems stands in one module, and commands do without what Windows lacks."""

import ast
import errno
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT, environment
from zhaifei.solver.machine import system

ALLOWED = {
    "solver/machine/system.py": "the one module",
    "solver/machine/memory.py": "reads files of Linux and does without them",
    "policies/training/forked_write.py": "used on Linux alone",
    "policies/training/staging.py": "used on Linux alone",
    "policies/players/plug_in/supervisor.py": "supervises on POSIX alone",
    "policies/players/plug_in/process.py": "sends SIGCONT on POSIX alone",
}
"""Where there may be calls that not all systems have, and why."""
NOT_EVERYWHERE = re.compile(
    r"\b(?:os\.(?:fork|getuid|geteuid|setsid|killpg|chown|fchown|fchmod|sysconf|sync|sched_\w+"
    r"|register_at_fork|waitpid|getpgid|mkfifo|uname)"
    r"|signal\.(?:SIG(?:KILL|HUP|CHLD|CONT|STOP|QUIT|USR[12]|ALRM)|pthread_\w+|alarm|setitimer)"
    r"|select\.poll|sys\.platform|os\.name|ctypes\.CDLL)\b"
)
MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "ctypes", "msvcrt", "winreg"}


def code_of(path: Path) -> tuple[str, set[str]]:
    """Return the code of a file without comments and texts, and the modules that it imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.unparse(tree), names


def test_what_differs_stands_in_one_module() -> None:
    found = set()
    for room in ("app", "game", "policies", "solver"):
        for path in (ROOT / room).rglob("*.py"):
            code, imported = code_of(path)
            if NOT_EVERYWHERE.search(code) or imported & MODULES:
                found.add(path.relative_to(ROOT).as_posix())
    assert found == {*ALLOWED}


AS_ON_WINDOWS = """
import os, select, shlex, signal, sys
for name in ("fcntl", "resource", "pwd"):
    sys.modules[name] = None
import importlib, subprocess, threading, multiprocessing.util  # these know their system
for module, names in (
    (os, "chown geteuid killpg setsid sysconf"),
    (signal, "SIGKILL SIGHUP SIGCHLD SIGCONT pthread_kill pthread_sigmask"),
    (select, "poll"),
):
    for name in names.split():
        delattr(module, name)
from zhaifei.solver.machine import system
system.LINUX = system.POSIX = False
from zhaifei.cli import run
for line in sys.argv[1:]:
    print(f"\\n== {run(shlex.split(line))}")
"""
STRATEGY = """
class Mine:
    def challenge_bid(self, seen):
        return seen.probability < 0.4

    def make_bid(self, seen):
        return max(seen.legal_bids, key=seen.chance)
"""


def test_commands_do_without_what_windows_lacks(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(STRATEGY)
    commands = (
        "solve --rules liars_dice --iterations 1e3 --out small.safetensors",
        "query --policy small.safetensors --hand 3 --bid f1x4",
        "play --policy small.safetensors --rounds 1 --seed 1",
        "arena mine.py honest --rules liars_dice --rounds 20",
    )
    done = subprocess.run(
        [sys.executable, "-c", AS_ON_WINDOWS, *commands],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=LONG,
        check=False,
    )
    codes = [line for line in done.stdout.splitlines() if line.startswith("== ")]
    assert codes == ["== 0"] * len(commands), done.stderr
    assert "no flock on this system" in done.stdout + done.stderr


def test_a_process_that_runs_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert system.is_running(1)
    assert not system.is_running(ended.pid)
    assert system.is_running(10**30)
    monkeypatch.setattr(system, "POSIX", False)
    assert system.is_running(ended.pid)


def test_without_locks_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with (tmp_path / "file").open("a+b") as file, pytest.raises(OSError) as caught:  # noqa: PT011
        system.flock(file, wait=False)
    assert caught.value.errno == errno.ENOSYS


def test_without_limits_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert system.address_limit() == float("inf")
    system.dump_no_core()
