"""Runs that are stopped, killed and resumed, and evaluations that are cut short."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import LONG, Outcome, Running, Solved, environment, solve, succeeds
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.training.solver_run import resume_solver_run

ENDLESS = ("--iterations", "1e15", "--checkpoint-every", "0.1s")
VARIANTS = {
    "exact": ("--rules", "liars_dice"),
    "sampled": ("--dice", 1, "--faces", 3, "--recall", "bid,bid", "--threads", 1),
}
KILLED_WHILE_IT_WRITES = """
import os, signal, sys
from pathlib import Path
from zhaifei.solver.files.atomic_files import write_atomically
write_atomically(Path(sys.argv[1]), lambda file: os.kill(os.getpid(), signal.SIGKILL))
"""
any_engine = pytest.mark.parametrize("engine", VARIANTS)


@pytest.fixture(autouse=True)
def compiled(liars_dice: Solved, one_die: Solved) -> None:
    """By the time that a run is interrupted here, it is not compiling any more."""


def checkpoint_of(out: Path) -> Path:
    return out.with_name(f"{out.stem}.checkpoint.safetensors")


def iterations_of(checkpoint: Path) -> int:
    return resume_solver_run(checkpoint).engine.iterations


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def resume_command(outcome: Outcome) -> list[str]:
    """The one that `solve` says goes on."""
    found = re.search(r"^for the rest: zhaifei (solve --resume .*)$", outcome.out, re.MULTILINE)
    assert found
    return shlex.split(found[1])


@any_engine
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_policy_and_checkpoint_and_says_how_to_go_on(
    tmp_path: Path, engine: str, number: signal.Signals
) -> None:
    """The exit code is 0: the user asked for what there is, and got it."""
    directory = tmp_path / "with space"
    directory.mkdir()
    out = directory / "policy.safetensors"
    with Running("solve", *VARIANTS[engine], *ENDLESS, "--out", out) as running:
        running.wait_until(checkpoint_of(out).exists)
        outcome = running.send(number)
    assert outcome.code == 0, outcome
    assert outcome.err == ""
    assert ": by a signal, such as Ctrl-C\n" in outcome.out.partition("stopped early")[2]
    assert names(directory) == {out.name, checkpoint_of(out).name}
    done = iterations_of(checkpoint_of(out))
    assert load_policy(out).training["iterations"] == done
    succeeds(*resume_command(outcome), "--time-limit", "0.2s")
    assert iterations_of(checkpoint_of(out)) > done


@any_engine
def test_an_interrupted_run_ends_like_one_that_was_not(tmp_path: Path, engine: str) -> None:
    """Bit for bit."""
    more = {"exact": 40_000, "sampled": 200_000}[engine]
    for number in (signal.SIGINT, signal.SIGKILL):
        out = tmp_path / f"{number.name}.safetensors"
        with Running("solve", *VARIANTS[engine], *ENDLESS, "--out", out) as running:
            running.wait_until(checkpoint_of(out).exists)
            running.send(number)
        goal = iterations_of(checkpoint_of(out)) + more
        succeeds("solve", "--resume", checkpoint_of(out), "--iterations", goal)
        whole_out = tmp_path / f"whole-{number.name}.safetensors"
        whole = solve(whole_out, *VARIANTS[engine], "--iterations", goal)
        assert out.read_bytes() == whole.policy.read_bytes()


@any_engine
def test_a_finished_run_can_be_taken_further(tmp_path: Path, engine: str) -> None:
    whole = solve(tmp_path / "whole.safetensors", *VARIANTS[engine], "--iterations", 40_000)
    half = solve(tmp_path / "half.safetensors", *VARIANTS[engine], "--iterations", 20_000)
    assert "for more iterations: zhaifei solve --resume" in half.outcome.out
    assert half.policy.read_bytes() != whole.policy.read_bytes()
    out = tmp_path / "more.safetensors"
    succeeds("solve", "--resume", half.checkpoint, "--iterations", "4e4", "--out", out)
    assert out.read_bytes() == whole.policy.read_bytes()


def test_resuming_a_finished_run_changes_nothing(one_die: Solved, tmp_path: Path) -> None:
    out = tmp_path / "again.safetensors"
    succeeds("solve", "--resume", one_die.checkpoint, "--out", out)
    assert out.read_bytes() == one_die.policy.read_bytes()


def test_a_kill_loses_no_more_than_the_time_since_the_last_checkpoint(tmp_path: Path) -> None:
    """Killed at many moments, some of them while a checkpoint is written."""
    out = tmp_path / "policy.safetensors"
    fast = ("--iterations", "1e15", "--checkpoint-every", "0.001s", "--out", out)
    done = 0

    def has_got_further() -> bool:
        return checkpoint_of(out).exists() and iterations_of(checkpoint_of(out)) > done

    for attempt in range(3):
        start = ("--resume", checkpoint_of(out)) if attempt else VARIANTS["exact"]
        with Running("solve", *start, *fast) as running:
            running.wait_until(has_got_further)
            outcome = running.send(signal.SIGKILL)
        assert outcome.code == -signal.SIGKILL
        assert has_got_further()
        done = iterations_of(checkpoint_of(out))
    assert not out.exists()
    # What the last kill may have left half-written, and what this one certainly leaves:
    command = [sys.executable, "-c", KILLED_WHILE_IT_WRITES, str(checkpoint_of(out))]
    killed = subprocess.run(command, env=environment(), timeout=LONG, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(names(tmp_path) - {checkpoint_of(out).name, f"{out.name}.lock"}) == 1
    succeeds("solve", "--resume", checkpoint_of(out), "--time-limit", "0.1s")
    assert names(tmp_path) == {out.name, checkpoint_of(out).name}
