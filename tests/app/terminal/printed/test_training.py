"""What `solve` prints of its files."""

from pathlib import Path

import pytest

from zhaifei.app.terminal.printed.training import checkpoint_size
from zhaifei.policies.training.run_paths import parts_directory
from zhaifei.policies.training.solver_run import KIND, PARTS
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
