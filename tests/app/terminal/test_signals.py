"""SIGINT and SIGTERM at definite moments of a command; at random ones in benchmarks/signals.py."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import LONG, Running, Solved, environment, zhaifei
from zhaifei.app.terminal.printed import training
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.training.engines import ExactEngine
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.policies.training.solver_run import resume_solver_run

SOLVE = ("solve", "--rules", "liars_dice")
SAMPLED = ("solve", "--dice", 1, "--faces", 3, "--recall", "bid,bid", "--threads", 2)
ENDLESS = ("--iterations", "1e15")
CODES = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}
IMPORTING = """
import os, sys

module, number, *sys.argv[1:] = sys.argv[1:]
numbers = [int(number)]

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module and numbers:
            os.kill(os.getpid(), numbers.pop())

sys.meta_path.insert(0, Finder())
from zhaifei import cli
cli.main()
"""
"""Sends a signal when a module is looked for the first time."""


FAILING = """
import os, sys
import zhaifei.app.terminal.group
from zhaifei import cli

def fail(*_, **__):
    try:
        os.kill(os.getpid(), int(sys.argv[1]))
        [None for _ in range(1000)]
    except BaseException:
        pass
    raise RuntimeError("no compiled object yet")

zhaifei.app.terminal.group.cli = fail
cli.main()
"""
"""LLVM calls Python and drops the exception of a signal there; numba misses what was to be done."""


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
def test_an_error_that_a_dropped_signal_led_to_is_not_told(number: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAILING, str(int(number))],
        capture_output=True,
        encoding="utf-8",
        timeout=LONG,
        env=environment(),
        check=False,
    )
    code, says = CODES[number]
    assert (done.returncode, done.stderr.strip()) == (code, f"zhaifei: {says}")


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
@pytest.mark.parametrize(
    "module", ["click", "zhaifei.app.locale", "rich.progress", "numba.core.typing"]
)
def test_a_signal_while_the_program_is_imported_ends_it(
    module: str, number: signal.Signals, tmp_path: Path
) -> None:
    out = tmp_path / "policy.safetensors"
    arguments = [module, int(number), *SOLVE, *ENDLESS, "--out", out]
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=LONG,
        env=environment(),
        check=False,
    )
    code, says = CODES[number]
    assert (done.returncode, done.stderr.strip()) == (code, f"zhaifei: {says}")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("command", "number"), [(SOLVE, signal.SIGINT), (SAMPLED, signal.SIGTERM)])
def test_a_signal_while_the_first_step_compiles_ends_the_run(
    command: tuple[object, ...], number: signal.Signals, tmp_path: Path
) -> None:
    """The first command compiles in the main thread, the other in threads that it does not wait
    for."""
    directory = tmp_path / "policies"
    directory.mkdir()
    cold = environment(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    out = ("--out", directory / "policy.safetensors")
    with Running(*command, *ENDLESS, *out, env=cold) as running:
        assert running.process.stdout is not None
        assert any("checkpoints go to" in line for line in running.process.stdout)
        outcome = running.send(number)
    code, says = CODES[number]
    assert (outcome.code, outcome.err.strip()) == (code, f"zhaifei: {says}")
    assert [*directory.iterdir()] == []


def test_a_signal_in_the_first_step_leaves_the_files_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, liars_dice: Solved
) -> None:
    checkpoint = tmp_path / "policy.checkpoint.safetensors"
    checkpoint.write_bytes(before := liars_dice.checkpoint.read_bytes())
    monkeypatch.setattr(
        ExactEngine, "advance_towards", lambda *_: os.kill(os.getpid(), signal.SIGINT)
    )
    outcome = zhaifei("solve", "--resume", checkpoint, *ENDLESS)
    assert (outcome.code, outcome.err.strip()) == (130, "zhaifei: interrupted")
    assert [*tmp_path.iterdir()] == [checkpoint]
    assert checkpoint.read_bytes() == before


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_signal_while_a_file_is_written_lets_it_be_written(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, liars_dice: Solved
) -> None:
    """The first one, which is a checkpoint on the way."""
    owner = os if moment == "fsync" else Path
    plain, signals = getattr(owner, moment), [signal.SIGINT]

    def interrupted(*arguments: object) -> object:
        if signals:
            os.kill(os.getpid(), signals.pop())
        return plain(*arguments)

    monkeypatch.setattr(owner, moment, interrupted)
    out = tmp_path / "policy.safetensors"
    outcome = zhaifei(*SOLVE, *ENDLESS, "--checkpoint-every", "0.001s", "--out", out)
    assert (outcome.code, outcome.err, signals) == (0, "", [])
    assert "stopped early" in outcome.out
    verify_whole(out)


def test_a_signal_in_the_last_report_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, liars_dice: Solved
) -> None:
    monkeypatch.setattr(training, "openings", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    out = tmp_path / "policy.safetensors"
    outcome = zhaifei(*SOLVE, "--iterations", 1000, "--keep-checkpoint", "--out", out)
    assert (outcome.code, outcome.err.strip()) == (130, "zhaifei: interrupted")
    verify_whole(out)


def verify_whole(out: Path) -> None:
    """Check that policy and checkpoint are whole, and alone."""
    assert {*out.parent.iterdir()} == {out, checkpoint_path(out)}
    done = load_policy(out).training["iterations"]
    assert resume_solver_run(checkpoint_path(out)).done == done
