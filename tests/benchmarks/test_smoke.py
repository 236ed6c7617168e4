"""Every benchmark runs: at its smallest size, so that none is forgotten when names change."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT

BENCHMARKS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))
ALONE = {
    "first_answer",
    "fuzz",
    "kernels",
    "learning_vs_openspiel",
    "scattered_pass",
    "signals",
    "web_load",
}
"""These start servers, clusters and workers, or change settings of a whole process. The others run
in this process, which has loaded most of what they need."""


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


def run_here(name: str, patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str]) -> str:
    """Run a benchmark as `run` does, but in this process."""
    patch.chdir(ROOT)
    patch.setattr(sys, "argv", [name, "--smallest"])
    importlib.import_module(f"benchmarks.{name}").main()
    return captured.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_runs_at_its_smallest_size(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(name) if name in ALONE else run_here(name, monkeypatch, capsys)
    assert any(sign.isdigit() for sign in printed)
    assert "nan" not in printed


def test_strength_is_drawn(tmp_path: Path) -> None:
    run("strength_by_iterations", "--plot", tmp_path / "strength.svg")
    assert "</svg>" in (tmp_path / "strength.svg").read_text(encoding="utf-8")
