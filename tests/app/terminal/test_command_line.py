"""What holds for all commands: the entry point, help, --debug, and readers that go away."""

import gc
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from typing import NoReturn

import pytest

from tests.command_line import (
    LONG,
    ROOT,
    Running,
    Solved,
    environment,
    refused,
    succeeds,
    verify_refused,
    without_progress,
    zhaifei,
)
from zhaifei import cli
from zhaifei.app.terminal.group import VERBS

ALL_COMMANDS = """
import sys
from zhaifei.app.terminal.group import Commands
for verb in (commands := Commands()):
    commands[verb]
slow = {"matplotlib", "numba", "numpy", "pyspiel", "rich", "torch"}
print(len(commands), *slow & {*sys.modules})
"""

NUMPY_AFTER_A_COMMAND = """
import os, sys
from zhaifei import cli
def load_numpy(code):
    before = len(os.listdir("/proc/self/task"))
    assert "numpy" not in sys.modules
    import numpy
    numpy.ones((512, 512)) @ numpy.ones((512, 512))
    print(len(os.listdir("/proc/self/task")) - before)
cli.leave = load_numpy
sys.argv = ["zhaifei", "--version"]
cli.main()
"""


def printed_by(script: str, chosen: Mapping[str, str]) -> str:
    """Run a script in a process with the chosen environment, and return what it prints."""
    return subprocess.run(
        [sys.executable, "-c", script],
        env=chosen,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=LONG,
        check=True,
    ).stdout


def test_help_says_what_an_iteration_is() -> None:
    out = " ".join(succeeds("solve", "--help").split())
    assert "traverses one (own hand, opponent hand) pair for each player" in out
    assert "a pass over all 252 hands of everybody counts as 252 * 252" in out


def test_without_a_command_there_is_help() -> None:
    outcome = zhaifei()
    assert outcome.code == 2
    for command in ("solve", "query", "evaluate"):
        assert command in outcome.out


def test_the_command_is_installed() -> None:
    try:
        scripts = distribution("zhaifei").entry_points.select(group="console_scripts")
    except PackageNotFoundError:
        pytest.skip("not installed")
    assert [(script.name, script.value) for script in scripts] == [("zhaifei", "zhaifei.cli:main")]


def test_no_command_imports_what_is_slow_before_it_runs() -> None:
    """Help and errors come at once."""
    assert printed_by(ALL_COMMANDS, environment()) == f"{len(VERBS)}\n"


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
def test_commands_multiply_matrices_in_one_thread() -> None:
    chosen = environment()
    chosen.pop("OPENBLAS_NUM_THREADS")
    assert printed_by(NUMPY_AFTER_A_COMMAND, chosen).splitlines()[1:] == ["0"]


def test_a_reader_that_goes_away_is_no_error_worth_telling(one_die: Solved) -> None:
    asked = ("query", "--policy", one_die.policy, "--hand", "1")
    succeeds(*asked)  # while it compiles, the command tells what is known so far
    with Running(*asked) as running:
        assert running.process.stdout is not None
        running.process.stdout.close()
        assert running.process.stderr is not None
        assert without_progress(running.process.stderr.read()) == []


def test_a_reader_that_has_gone_is_not_an_error_to_explain() -> None:
    with Running("play", "--players", 3, "--dice", 2, "--opponent", "honest") as running:
        assert running.process.stdout is not None
        running.process.stdout.close()
        running.process.wait(timeout=LONG)
        assert running.process.stderr is not None
        assert "Traceback" not in running.process.stderr.read()


def test_a_command_that_there_is_not() -> None:
    refused("sovle", says=("sovle",))


def test_debug_shows_where(full_game: Solved) -> None:
    arguments = ("query", "--policy", full_game.policy, "--hand", "11347")
    plain, debug = zhaifei(*arguments), zhaifei(*arguments, "--debug")
    assert debug.code == 2
    assert debug.err.startswith("Traceback")
    assert debug.err.endswith(plain.err)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_argument_that_is_too_long_is_refused_with_its_beginning(language: str) -> None:
    outcome = zhaifei("solve", "--players", "9" * 10_001, "--lang", language)
    verify_refused(outcome, "3", "10,001", "10,000", "9" * 100)
    assert len(outcome.err) < 400


def test_the_middle_of_what_click_quotes_is_left_out() -> None:
    outcome = zhaifei("solve", "--players", "9" * 9000)
    verify_refused(outcome, "Invalid value for '--players': '999", "9' is not a valid integer.")
    assert len(outcome.err) < 500


# What the system allows


def limited(limit: int, amount: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own with this limit of the system."""
    return subprocess.run(
        [sys.executable, "-m", "zhaifei", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
        cwd=ROOT,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(limit, (amount, amount)),
    )


@pytest.mark.parametrize("kilobytes", [300_000, 400_000, 500_000])
def test_too_little_address_space_is_told_in_one_line(kilobytes: int) -> None:
    ended = limited(resource.RLIMIT_AS, kilobytes * 1024, "query", "--hand", "11346")
    allowed = kilobytes / 1024
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"zhaifei: there is not enough memory: ulimit -v allows {allowed:.0f} MiB, "
        "and 512 are needed\n"
    )


def test_a_system_that_starts_no_thread_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As under `ulimit -u 1`, which root is exempt from."""

    def refuse() -> None:
        raise RuntimeError("can't start new thread")

    def leave(code: int) -> NoReturn:
        raise SystemExit(code)

    thresholds: list[int] = []
    monkeypatch.setattr(gc, "set_threshold", thresholds.append)  # not in the process of the tests
    monkeypatch.setattr(cli, "listen", refuse)
    monkeypatch.setattr(cli, "leave", leave)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert thresholds == [200_000]
    assert capsys.readouterr().err == (
        "zhaifei: no thread can be started (can't start new thread): ulimit -u must allow more "
        "processes\n"
    )
