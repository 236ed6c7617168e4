"""`zhaifei solve --cluster`: the same as without, in other processes. `zhaifei cluster check`."""

import re
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds, zhaifei
from zhaifei.policies.training.run_paths import checkpoint_path

pytest.importorskip("ray")

from zhaifei.solver.scattered import ray_workers
from zhaifei.solver.scattered.worker import versions

GAME = ("--players", 3, "--dice", 2, "--faces", 2, "--jump-challenge")


def solved(out: Path, iterations: int, *options: object) -> tuple[bytes, str]:
    goal = "--iterations", iterations
    threads = ("--threads", 1, "--keep-checkpoint")
    said = succeeds("solve", *GAME, *threads, *goal, "--out", out, *options)
    return out.read_bytes(), said


@pytest.mark.slow
def test_a_cluster_of_this_machine_writes_the_same_policy(tmp_path: Path) -> None:
    alone, said = solved(tmp_path / "alone.safetensors", 2700)
    assert " · cluster" not in said
    out = tmp_path / "together.safetensors"
    shorter, said = solved(out, 900, "--cluster")
    assert shorter != alone
    assert " · cluster local\n" in said
    progress = (
        r" · (?:1 worker|\d+ workers) · [\d,]+ to [\d,]+ histories each · 0\.\d to 0\.\d GB"
        r" · \d\.\d\d s a pass, \d\.\d\d s of them for worker \d"
    )
    assert re.search(progress, said)
    assert f"zhaifei solve --resume {checkpoint_path(out)} --cluster local --iterations N" in said
    goes_on = "--resume", checkpoint_path(out), "--iterations", 2700
    assert "finished" in succeeds("solve", *goes_on, "--cluster", "--threads", 1)
    assert out.read_bytes() == alone
    assert {file.name for file in tmp_path.iterdir()} == {
        out.name,
        "alone.safetensors",
        "alone.checkpoint.safetensors",
    }


def test_what_no_cluster_can_do_is_refused_in_a_line() -> None:
    refused("solve", *GAME, "--cluster", "nowhere", says=("nowhere is not", "that is HOST:PORT"))
    refused("cluster", "check", "127.0.0.1:1", says=("there is no Ray cluster at 127.0.0.1:1",))
    refused("cluster", "check", "local", "--dice", 1, says=("exact does not run on a cluster",))


def test_what_no_cluster_solves_is_refused_before_one_is_looked_for(tmp_path: Path) -> None:
    """Nobody answers at this address, which would be said if it were asked first."""
    nobody = ("--cluster", "127.0.0.1:1")
    says = ("exact does not run on a cluster",)
    refused("solve", "--dice", 1, "--faces", 3, *nobody, says=says)
    refused("solve", "--recall", "bid", *nobody, says=("does not run on a cluster",))
    out = tmp_path / "alone.safetensors"
    solved(out, 900)
    says = ("is not a checkpoint of a run on a cluster",)
    refused("solve", "--resume", checkpoint_path(out), *nobody, says=says)


@pytest.mark.slow
def test_a_check_tells_what_the_machines_have(monkeypatch: pytest.MonkeyPatch) -> None:
    said = succeeds("cluster", "check", "local", "--threads", 1)
    assert re.search(r" +[1-9]\d* +[1-9]\d* +\d+\.\d +[\d,]+ *\n", said)
    assert re.search(r"about [\d,]{7,} histories fit", " ".join(said.split()))
    other = {**versions(), "numba": "0.1"}
    monkeypatch.setattr(ray_workers, "versions", lambda: other)
    outcome = zhaifei("cluster", "check", "local")
    assert outcome.code == 2
    assert "free memory, GB" in outcome.out
    assert re.search(r"has numba [\d.]+, and this machine 0\.1: the result", outcome.err)
