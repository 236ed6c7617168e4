"""`zhaifei solve` where memory is short: what was trained is kept, and one line says so."""

import re
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds
from zhaifei.policies.training import solver_run
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.solver.files.storage import load_header
from zhaifei.solver.machine import memory

SAMPLED = ("--dice", 2, "--recall", "bid,bid", "--iterations", 20_000, "--threads", 1)
NO_MEMORY = 1e-12
"""A share of the machine's."""


def test_sampling_that_fills_the_memory_is_saved_and_ends_as_with_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, whole = tmp_path / "out.safetensors", tmp_path / "whole.safetensors"
    succeeds("solve", *SAMPLED, "--keep-checkpoint", "--out", whole)
    monkeypatch.setattr(memory, "_MEMORY_SHARE", NO_MEMORY)
    said = " ".join(succeeds("solve", *SAMPLED, "--out", out).split())
    assert "information sets reached fill the memory" in said
    assert re.search(r"stopped early, after [\d,]+ iterations: memory is full", said)
    again = ("solve", "--resume", checkpoint_path(out))
    assert "zhaifei solve --resume" in said
    refused("solve", "--resume", checkpoint_path(whole), says=("zhaifei: the 1 information sets",))
    before = out.read_bytes()
    # Without more memory there is nothing to be done, and nothing is lost.
    succeeds(*again)
    assert out.read_bytes() == before != whole.read_bytes()
    monkeypatch.undo()
    succeeds(*again)
    assert out.read_bytes() == whole.read_bytes()


def test_a_tree_that_cannot_grow_says_so_once_and_records_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.safetensors"
    monkeypatch.setattr(memory, "_MEMORY_SHARE", NO_MEMORY)
    arguments = ("--dice", 2, "--iterations", 25 * 21**2, "--out", out)
    said = " ".join(succeeds("solve", *arguments).split())
    warning = "memory is too small for the tree to keep growing"
    assert said.count(warning) == 1
    assert warning in load_header(out, "policy")["training"]["warning"]
    assert "stopped early" not in said


def test_a_run_that_does_not_fit_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object, **named: object) -> None:
        raise MemoryError

    monkeypatch.setattr(solver_run, "planned_run", fail)
    refused("solve", "--out", tmp_path / "out", says=("there is not enough memory",))
