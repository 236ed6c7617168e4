"""What `zhaifei solve` refuses, or cannot write: nothing is lost."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import altered_files
from tests.altered_files import altered, contents
from tests.command_line import Running, Solved, refused, verify_refused, zhaifei, zhaifei_process
from zhaifei.game.rules import preset
from zhaifei.policies.players.table_policy import load_policy

TINY = ("--dice", 1, "--faces", 2)
SMALL_FILE = 50_000
"""Bytes: less than what is solved for here takes."""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--players", 1), "players is 1"),
        (("--players", 0), "players is 0"),
        (("--players", -2), "players is -2"),
        (("--players", "two"), "'two' is not a valid integer"),
        (("--players", 9), "players is 9; it must be 2 to 8"),
        (("--dice", 0), "dice is 0"),
        (("--faces", 1), "faces is 1"),
        (("--rules", "poker"), "unknown rules 'poker'; known rules are zhaifei, ktv, southern"),
        (("--iterations", 0), "'0' is not a positive whole number"),
        (("--iterations", -5), "'-5' is not a positive whole number"),
        (("--iterations", 1.5), "'1.5' is not a positive whole number"),
        (("--iterations", "many"), "'many' is not a positive whole number"),
        (("--iterations", "nan"), "'nan' is not a positive whole number"),
        (("--iterations", "inf"), "'inf' is not a positive whole number"),
        (("--target", 0), "'0' is not a positive number of points, like 0.05"),
        (("--target", -0.05), "'-0.05' is not a positive number of points"),
        (("--target", "nan"), "'nan' is not a positive number of points"),
        (("--target", "low"), "'low' is not a positive number of points"),
        (("--target", 1.01), "target is 1.01; it must be above 0 and at most 1 points"),
        (("--players", 3, "--target", 1.51), "it must be above 0 and at most 1.5 points"),
        (("--target", 0.1, "--recall", "bid"), "mccfr does not measure exploitability"),
        (("--target", 0.1, "--single-bid"), "--target cannot be used; use exact, tree"),
        (("--target", 0.1, "--engine", "mccfr"), "mccfr does not measure exploitability"),
        (("--time-limit", "soon"), "'soon' is not a duration"),
        (("--time-limit", "0"), "duration must be positive, not '0'"),
        (("--checkpoint-every", "1d"), "'1d' is not a duration"),
        (("--threads", 0), "--threads"),
        (("--seed", -1), "--seed"),
        (("--recall", "everything"), "'everything' is not a recall feature"),
        (("--recall", ""), "'' is not a recall feature"),
        (("--recall", "face,bid"), "must begin with 'bid'"),
        (("--engine", "exact"), "'exact' is not one of 'tree', 'mccfr'"),
        (("--engine", "tree", "--recall", "bid"), "--recall is for --engine mccfr"),
        (("--engine", "mccfr", "--cluster"), "the engine mccfr does not run on a cluster"),
        (("--engine", "mccfr", "--dice", "2,1"), "are not sampled: leave out --engine"),
        (("--single-bid", "--recall", "bid"), "leave out --engine and --recall"),
        (("--single-bid", "--engine", "tree"), "leave out --engine and --recall"),
        (("--single-bid", "--players", 3), "for two players; these rules are for 3"),
        (("--colour", "red"), "--colour"),
        (("extra",), "extra"),
    ],
)
def test_options_of_solve(tmp_path: Path, arguments: tuple[object, ...], says: str) -> None:
    out = tmp_path / "policy.safetensors"
    out.write_text("what was there before")
    refused("solve", "--iterations", 100, "--out", out, *arguments, says=(says,))
    assert contents(tmp_path) == {out.name: b"what was there before"}


def test_a_place_for_results_that_cannot_be_made(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    says = ("there is no directory for results: ", str(file), "; name a file with --out")
    for command in (("solve", *TINY), ("train", "q")):
        refused(*command, says=says, XDG_DATA_HOME=str(file))


def test_nothing_is_written_by_default_either(places: Path) -> None:
    refused("solve", "--players", 1, says=("players is 1",))
    assert not list(places.rglob("*.*"))


# checkpoints


def policy_instead(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.policy.read_bytes())


def truncated_checkpoint(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.checkpoint.read_bytes()[:-10])


def newer_checkpoint(good: Solved, bad: Path) -> None:
    altered(good.checkpoint, bad, lambda header: header.update(version=99))


def checkpoint_of_more_dice(good: Solved, bad: Path) -> None:
    altered(good.checkpoint, bad, lambda header: header["setup"]["rules"].update(dice=2))


def checkpoint_without_setup(good: Solved, bad: Path) -> None:
    altered(good.checkpoint, bad, lambda header: header.pop("setup"))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (altered_files.missing, "there is no checkpoint file"),
        (altered_files.text, "is not a whole safetensors file"),
        (truncated_checkpoint, "is not a whole safetensors file"),
        (newer_checkpoint, "has format version 99"),
        (policy_instead, "is a policy file, not a checkpoint file"),
        (checkpoint_of_more_dice, "does not describe a run"),
        (checkpoint_without_setup, "does not describe a run"),
    ],
)
def test_files_that_are_no_checkpoint(
    one_die: Solved, tmp_path: Path, make: Callable[[Solved, Path], None], says: str
) -> None:
    bad = tmp_path / "bad.checkpoint.safetensors"
    make(one_die, bad)
    before = contents(tmp_path)
    refused("solve", "--resume", bad, says=(says, str(bad)))
    assert contents(tmp_path) == before


def test_a_checkpoint_of_an_engine_that_does_not_measure_takes_no_target(one_die: Solved) -> None:
    before = one_die.policy.read_bytes()
    says = ("mccfr does not measure exploitability", "use exact, tree (--engine tree)")
    refused("solve", "--resume", one_die.checkpoint, "--target", 0.1, says=says)
    assert one_die.policy.read_bytes() == before


def test_a_checkpoint_of_the_exact_engine_for_other_rules(
    liars_dice: Solved, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.checkpoint.safetensors"
    altered(liars_dice.checkpoint, bad, lambda header: header["setup"]["rules"].update(faces=5))
    refused("solve", "--resume", bad, says=("does not describe a run", str(bad)))


@pytest.mark.parametrize(
    "option",
    [("--dice", 1), ("--rules", "basic"), ("--seed", 0), ("--engine", "tree"), ("--single-bid",)],
)
def test_what_a_checkpoint_settles_cannot_be_said_again(
    one_die: Solved, option: tuple[object, ...]
) -> None:
    refused("solve", "--resume", one_die.checkpoint, *option, says=(option[0], "--resume"))


def test_a_policy_is_not_written_over_its_checkpoint(one_die: Solved) -> None:
    before = one_die.checkpoint.read_bytes()
    path = one_die.checkpoint
    refused("solve", "--resume", path, "--out", path, says=("is the checkpoint itself",))
    assert path.read_bytes() == before


# places to write


def test_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    out = tmp_path / "nowhere" / "policy.safetensors"
    refused("solve", *TINY, "--out", out, says=(f"cannot write {out}", "there is no directory"))
    assert not list(tmp_path.iterdir())


def test_a_directory_instead_of_a_file(tmp_path: Path) -> None:
    refused("solve", *TINY, "--out", tmp_path, says=("it is a directory",))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    out = tmp_path / "policy.safetensors"
    refused("solve", *TINY, "--out", out, says=(f"cannot write {out}", "Permission denied"))


def test_a_file_that_grows_too_large_leaves_what_was_there(
    liars_dice: Solved, tmp_path: Path
) -> None:
    """As on a full disk, writing starts and fails. The fixture has compiled all that is needed."""
    out = tmp_path / "policy.safetensors"
    out.write_text("what was there before")
    outcome = zhaifei_process(
        "solve",
        "--rules",
        "liars_dice",
        "--iterations",
        5000,
        "--out",
        out,
        "--overwrite",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILE, SMALL_FILE)),
    )
    verify_refused(outcome, f"cannot write {out}: File too large")
    assert contents(tmp_path) == {out.name: b"what was there before"}


@pytest.fixture
def full_disk(tmp_path: Path) -> Any:
    """A file system with room for little more than a small file."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={2 * SMALL_FILE}", "tmpfs", str(place)]
    if (
        sys.platform != "linux"
        or os.geteuid() != 0
        or subprocess.run(mount, check=False).returncode
    ):
        pytest.skip("file systems cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_leaves_what_was_there(liars_dice: Solved, full_disk: Path) -> None:
    out = full_disk / "policy.safetensors"
    out.write_text("what was there before")
    outcome = zhaifei(
        "solve", "--rules", "liars_dice", "--iterations", 5000, "--out", out, "--overwrite"
    )
    verify_refused(outcome, f"cannot write {out}: No space left on device")
    assert contents(full_disk) == {out.name: b"what was there before"}


def test_a_checkpoint_that_does_not_fit_is_warned_of_and_the_policy_still_written(
    tmp_path: Path,
) -> None:
    """Where the policy fits and the checkpoint does not, the policy is there at the end."""
    limit, out = 15_000, tmp_path / "policy.safetensors"
    with Running(
        "solve",
        *("--dice", 2, "--recall", "bid", "--threads", 1, "--time-limit", "5m"),
        *("--checkpoint-every", "0.1s", "--out", out),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    ) as running:
        assert running.process.stdout is not None
        warning = "warning: training goes on without a checkpoint"
        assert any(line.startswith(warning) for line in running.process.stdout)
        outcome = running.send(signal.SIGINT)
    verify_refused(outcome, "cannot write", "policy.checkpoint.safetensors: File too large")
    assert load_policy(out).rules == preset("zhaifei", dice=2)
