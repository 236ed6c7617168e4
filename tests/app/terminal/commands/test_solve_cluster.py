"""`zhaifei solve --cluster`: the same as without, in other processes."""

from pathlib import Path

import pytest

from policies.training.run import checkpoint_path
from tests.command_line import refused, succeeds

pytest.importorskip("ray")

GAME = ("--players", 3, "--dice", 2, "--faces", 2, "--jump-challenge")


def solved(out: Path, iterations: int, *options: object) -> bytes:
    goal = "--iterations", iterations
    succeeds("solve", *GAME, "--threads", 1, *goal, "--out", out, *options)
    return out.read_bytes()


@pytest.mark.slow
def test_a_cluster_of_this_machine_writes_the_same_policy(tmp_path: Path) -> None:
    alone = solved(tmp_path / "alone.safetensors", 2700)
    out = tmp_path / "together.safetensors"
    solved(out, 900, "--cluster")
    assert out.read_bytes() != alone
    goes_on = "--resume", checkpoint_path(out), "--iterations", 2700
    assert "finished" in succeeds("solve", *goes_on, "--cluster", "--threads", 1)
    assert out.read_bytes() == alone


def test_what_no_cluster_can_do_is_refused_in_a_line() -> None:
    refused("solve", *GAME, "--cluster", "nowhere", says=("nowhere is not", "that is HOST:PORT"))
