"""Every benchmark runs: at its smallest size, so that none is forgotten when names change."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT

BENCHMARKS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


def run(name: str, *arguments: object) -> str:
    """Run a benchmark at its smallest size, check that it ends well, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--smallest", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LONG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_benchmarks_are_found() -> None:
    assert {"five_dice_vs_openspiel", "strength_by_dice"} <= {*BENCHMARKS}


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_runs_at_its_smallest_size(name: str) -> None:
    printed = run(name)
    assert any(sign.isdigit() for sign in printed)
    assert "nan" not in printed


def test_strength_is_drawn(tmp_path: Path) -> None:
    run("strength_by_iterations", "--plot", tmp_path / "strength.svg")
    assert "</svg>" in (tmp_path / "strength.svg").read_text(encoding="utf-8")
