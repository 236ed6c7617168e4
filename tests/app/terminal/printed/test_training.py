"""What `solve` prints of its files, and of how it ended."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from zhaifei.app.terminal.printed.training import checkpoint_size, print_solved
from zhaifei.game.rules import Rules
from zhaifei.policies.training.run import train
from zhaifei.policies.training.run_paths import parts_directory
from zhaifei.policies.training.solver_run import KIND, PARTS, planned_run, solver_setup
from zhaifei.solver.files.storage import save


@pytest.mark.parametrize("on_cluster", [True, False])
def test_parts_count_into_the_size_of_a_checkpoint_that_names_them(
    tmp_path: Path, *, on_cluster: bool
) -> None:
    """An earlier run on a cluster may have left some beside one that is whole."""
    checkpoint = tmp_path / "run.checkpoint.safetensors"
    save(checkpoint, KIND, {PARTS: []} if on_cluster else {}, {})
    parts = parts_directory(checkpoint)
    parts.mkdir()
    (parts / "1-0.safetensors").write_bytes(b"x" * 1000)
    expected = checkpoint.stat().st_size + (1000 if on_cluster else 0)
    assert checkpoint_size(checkpoint) == expected


def test_a_run_that_stalled_says_what_it_reached_and_what_to_do(tmp_path: Path) -> None:
    run = planned_run(solver_setup(Rules.of(dice=1, faces=2)), 4000, 5e-4).begun()
    result = replace(train(run, tmp_path / "policy.safetensors"), ended="stall")
    told = StringIO()
    print_solved(Console(file=told, width=200), result, run)
    first, *others = told.getvalue().splitlines()
    done = result.progress.done
    assert first.startswith(f"stopped early, after {done:,} iterations: exploitability ")
    assert first.endswith("would not reach the target 0.0005")
    assert f"to go lower: start anew with --iterations {done} and no target" in others
    resume = f"zhaifei solve --resume {result.checkpoint} --iterations N"
    assert f"for more iterations all the same: {resume}" in others
