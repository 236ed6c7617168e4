"""What `--out` may name, checked before hours of work: for every command that has it."""

import os
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds
from zhaifei.policies.training.run_paths import checkpoint_path

SOLVE = ("solve", "--dice", 1, "--faces", 2, "--iterations", 50, "--checkpoint-every", "1s")
TRAIN = ("train", "q", "--matches", 20)
KEEP = "--keep-checkpoint"
REPORT = ("report", "--rounds", 10)
every_command = pytest.mark.parametrize("command", [SOLVE, TRAIN, REPORT], ids=lambda it: it[0])
every_run = pytest.mark.parametrize("command", [SOLVE, TRAIN], ids=lambda it: it[0])


@every_command
def test_pipes_and_directories_are_refused(command: tuple[object, ...], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    refused(*command, "--out", pipe, says=("it is a device, a pipe or a socket",))
    refused(*command, "--out", tmp_path, says=("it is a directory",))
    assert os.listdir(tmp_path) == [pipe.name]


@every_run
def test_the_checkpoint_is_checked_like_the_result(
    command: tuple[object, ...], tmp_path: Path
) -> None:
    """Its name is the longer one."""
    too_long = tmp_path / ("x" * 246)
    refused(*command, "--out", too_long, says=(f"{checkpoint_path(too_long)}: File name too long",))
    out = tmp_path / "result"
    checkpoint_path(out).mkdir()
    refused(*command, "--out", out, says=(f"{checkpoint_path(out)}: it is a directory",))
    assert os.listdir(tmp_path) == [checkpoint_path(out).name]


@every_run
def test_the_longest_name_whose_checkpoint_has_a_legal_one_will_do(
    command: tuple[object, ...], tmp_path: Path
) -> None:
    out = tmp_path / ("x" * (255 - len(".checkpoint")))
    succeeds(*command, KEEP, "--out", out)
    assert sorted(os.listdir(tmp_path)) == sorted([out.name, checkpoint_path(out).name])


@every_run
def test_symbolic_links_are_followed(command: tuple[object, ...], tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    out = tmp_path / "link"
    out.symlink_to(far / "policy")
    succeeds(*command, KEEP, "--out", out)
    assert out.is_symlink()
    assert os.listdir(far) == ["policy"]
    assert checkpoint_path(out).is_file()


@pytest.mark.parametrize("place", ["results", os.path.join("results", "exploitability.svg")])
def test_the_charts_of_a_report_are_checked_like_the_page(tmp_path: Path, place: str) -> None:
    charts = tmp_path / "results"
    if place == "results":
        charts.write_text("in the way")
        says = f"cannot write {charts}: it is not a directory"
    else:
        (tmp_path / place).mkdir(parents=True)
        says = f"cannot write {tmp_path / place}: it is a directory"
    refused(*REPORT, "--out", tmp_path / "page.md", says=(says,))
