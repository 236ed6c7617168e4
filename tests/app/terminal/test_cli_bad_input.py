"""What a user gets wrong: one line that says what, exit code 2, and nothing written or lost."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from game.rules import preset
from policies.players.table_policy import load_policy, save_policy
from solver import storage
from tests.command_line import Outcome, Running, Solved, zhaifei

TINY = ("--dice", 1, "--faces", 2)
SMALL_FILE = 50_000
"""Bytes: less than what is solved for here takes."""


def verify_refused(outcome: Outcome, *fragments: str) -> None:
    """One line, with these fragments; nothing but it."""
    assert outcome.code == 2, outcome
    lines = outcome.err.splitlines()
    assert len(lines) == 1, outcome
    assert lines[0].startswith("zhaifei: ")
    assert "Traceback" not in outcome.err
    for fragment in fragments:
        assert fragment in lines[0]


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def refused(*arguments: object, says: tuple[str, ...], **options: Any) -> None:
    outcome = zhaifei(*arguments, **options)
    verify_refused(outcome, *says)
    assert outcome.out == ""


# hands, bids and histories


@pytest.mark.parametrize(
    ("hand", "says"),
    [
        ("1134", "hand 1134 has 4 dice; it must have 5"),
        ("113466", "hand 113466 has 6 dice; it must have 5"),
        ("11347", "hand 11347 shows a 7; faces are 1 to 6"),
        ("01346", "hand 01346 shows a 0; faces are 1 to 6"),
        ("1134x", "'1134x' is not a hand"),
        ("", "'' is not a hand"),
        ("-1134", "is not a hand"),
    ],
)
def test_hands_that_nobody_can_hold(full_game: Solved, hand: str, says: str) -> None:
    refused("query", "--policy", full_game.policy, f"--hand={hand}", says=(says,))


@pytest.mark.parametrize(
    ("bid", "says"),
    [
        ("4个", "'4个' is not a bid; write it like"),
        ("飞46斋", "is not a bid"),
        ("116", "飞11×6 is out of the domain: count is 1 to 10"),
        ("f4", "'f4' is not a bid"),
        ("", "'' is not a bid"),
        ("f4x6 f4x7", "is not a bid"),
        ("f11x6", "飞11×6 is out of the domain: count is 1 to 10"),
        ("f0x6", "飞0×6 is out of the domain: count is 1 to 10"),
        ("f4x1", "飞4×1 is out of the domain: 飞 names faces 2 to 6"),
        ("z4x7", "斋4×7 is out of the domain: 斋 names faces 1 to 6"),
        ("f2x4", "飞2×4 can never be made"),
        ("z1x6", "斋1×6 can never be made"),
    ],
)
def test_bids_that_are_none(full_game: Solved, bid: str, says: str) -> None:
    refused("query", "--policy", full_game.policy, "--hand", "11346", f"--bid={bid}", says=(says,))


@pytest.mark.parametrize(
    ("history", "says"),
    [
        ("f4x5 z2x5", "斋2×5 is not stronger than 飞4×5: both have strength (4, 5)"),
        ("f4x5 f4x4", "飞4×4 is not stronger than 飞4×5: (4, 4) against (4, 5)"),
        ("f4x5 f4x5", "飞4×5 is not stronger than 飞4×5: both have strength (4, 5)"),
        ("f2x5 f4x5", "飞2×5 may not open a round: the first bid has a count of at least 3"),
        ("z2x5", "斋2×5 may not open a round"),
        ("f3x4 nonsense", "from 'nonsense' on"),
        ("f3x4f3x5", "cannot read the history"),
        ("3个4 斋 9个5", "may mean 飞3×4 斋9×5 or 斋3×4 飞9×5"),
        ("f3x4 challenge", "from 'challenge' on"),
    ],
)
def test_histories_that_are_none(full_game: Solved, history: str, says: str) -> None:
    refused(
        "query", "--policy", full_game.policy, "--hand", "11346", "--history", history, says=(says,)
    )


def test_a_bid_that_may_not_follow_the_history(full_game: Solved) -> None:
    refused(
        "query", "--policy", full_game.policy, "--hand", "11346",
        "--history", "飞3x4 飞4x5", "--bid", "斋2x5",
        says=("斋2×5 is not stronger than 飞4×5: both have strength (4, 5)",),
    )  # fmt: skip


def test_a_hand_is_needed(full_game: Solved) -> None:
    refused("query", "--policy", full_game.policy, "--bid", "f4x6", says=("--hand",))


def test_questions_about_another_game_name_the_one_the_policy_is_for(liars_dice: Solved) -> None:
    game = "the policy is for liars_dice: 2 players, 1 die of 6 faces each"
    ask = partial(refused, "query", "--policy", liars_dice.policy)
    ask("--hand", "11346", says=("hand 11346 has 5 dice; it must have 1", game))
    ask("--hand", "1", "--bid", "z2x5", says=("these rules know 飞 only", game))


# options


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
        (("--rules", "poker"), "no rules are called 'poker'; there are zhaifei, basic"),
        (("--iterations", 0), "'0' is not a positive whole number"),
        (("--iterations", -5), "'-5' is not a positive whole number"),
        (("--iterations", 1.5), "'1.5' is not a positive whole number"),
        (("--iterations", "many"), "'many' is not a positive whole number"),
        (("--iterations", "nan"), "'nan' is not a positive whole number"),
        (("--iterations", "inf"), "'inf' is not a positive whole number"),
        (("--time-limit", "soon"), "'soon' is not a duration"),
        (("--time-limit", "0"), "'0' is no time at all"),
        (("--checkpoint-every", "1d"), "'1d' is not a duration"),
        (("--threads", 0), "--threads"),
        (("--seed", -1), "--seed"),
        (("--recall", "everything"), "'everything' is not a recall feature"),
        (("--recall", ""), "'' is not a recall feature"),
        (("--recall", "face,bid"), "must begin with 'bid'"),
        (("--single-bid", "--recall", "bid"), "leave out --recall"),
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


def test_nothing_is_written_by_default_either(places: Path) -> None:
    refused("solve", "--players", 1, says=("players is 1",))
    assert not list(places.rglob("*.*"))


@pytest.mark.parametrize(
    "arguments",
    [("--gap", "-1"), ("--time-limit", "soon"), ("--threads", "0"), ("--show-response", "0")],
)
def test_options_of_evaluate(one_die: Solved, arguments: tuple[str, str]) -> None:
    refused("evaluate", "--policy", one_die.policy, *arguments, says=(arguments[0],))


def test_evaluate_takes_one_policy_and_one_question(one_die: Solved, liars_dice: Solved) -> None:
    one, other = one_die.policy, liars_dice.policy
    refused("evaluate", one, "--policy", other, says=("name one policy", str(one), str(other)))
    refused("evaluate", one, "--against", other, says=("but you asked for", str(other)))
    refused("evaluate", one, "--against", one, "--show-response", 3, says=("leave out --against",))


def test_a_command_that_there_is_not() -> None:
    refused("sovle", says=("sovle",))


# policy files and checkpoints


def altered(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Copies a file with another header of ours; `change` works in place."""
    data = source.read_bytes()
    length = int.from_bytes(data[:8], "little")
    layout = json.loads(data[8 : 8 + length])
    header = json.loads(layout["__metadata__"]["zhaifei"])
    change(header)
    layout["__metadata__"]["zhaifei"] = json.dumps(header)
    text = json.dumps(layout).encode()
    text += b" " * (-len(text) % 8)
    target.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


def missing(good: Solved, bad: Path) -> None:
    pass


def directory(good: Solved, bad: Path) -> None:
    bad.mkdir()


def empty(good: Solved, bad: Path) -> None:
    bad.touch()


def text(good: Solved, bad: Path) -> None:
    bad.write_text("This is no policy, though it is longer than eight bytes.")


def truncated(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.policy.read_bytes()[:-10])


def cut_in_header(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.policy.read_bytes()[:100])


def foreign(good: Solved, bad: Path) -> None:
    save_file({"weights": np.zeros(3)}, bad)


def newer(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header.update(version=header["version"] + 1))


def checkpoint(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.checkpoint.read_bytes())


def of_more_dice(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header["rules"].update(dice=2))


def without_rules(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header.pop("rules"))


def of_no_rules(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header["rules"].update(dice=99))


def of_no_recall(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header.update(recall="everything"))


def with_other_arrays(good: Solved, bad: Path) -> None:
    header = storage.load_header(good.policy, "policy")
    storage.save(bad, "policy", header, {"context": np.zeros(3, dtype=np.int64)})


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (missing, "there is no policy file"),
        (directory, "there is no policy file"),
        (empty, "is not a whole safetensors file"),
        (text, "is not a whole safetensors file"),
        (truncated, "is not a whole safetensors file"),
        (cut_in_header, "is not a whole safetensors file"),
        (foreign, "not one of zhaifei's"),
        (newer, f"has format version {storage.VERSIONS['policy'] + 1}; this zhaifei reads up to"),
        (checkpoint, "is a checkpoint file, not a policy file"),
        (of_more_dice, "does not describe a policy"),
        (without_rules, "does not describe a policy"),
        (of_no_rules, "does not describe a policy: dice is 99"),
        (of_no_recall, "does not describe a policy: 'everything' is not a recall feature"),
        (with_other_arrays, "does not describe a policy"),
    ],
)
def test_files_that_are_no_policy(
    one_die: Solved, tmp_path: Path, make: Callable[[Solved, Path], None], says: str
) -> None:
    bad = tmp_path / "bad.safetensors"
    make(one_die, bad)
    before = contents(tmp_path)
    refused("query", "--policy", bad, "--hand", "1", says=(says, str(bad)))
    assert contents(tmp_path) == before


def test_evaluate_reads_policies_as_query_does(one_die: Solved, tmp_path: Path) -> None:
    bad = tmp_path / "bad.safetensors"
    refused("evaluate", "--policy", bad, says=("there is no policy file", str(bad)))
    truncated(one_die, bad)
    refused("evaluate", "--policy", bad, says=("not a whole safetensors file", str(bad)))


def test_a_policy_whose_rules_were_altered_is_found_out(one_die: Solved, tmp_path: Path) -> None:
    """The header says that only higher counts may open; the policy opens with 1."""
    bad = tmp_path / "bad.safetensors"
    policy = load_policy(one_die.policy)
    save_policy(bad, replace(policy, rules=replace(policy.rules, first_count=2)))
    refused("query", "--policy", bad, "--hand", "1", says=("takes illegal actions",))
    refused("evaluate", "--policy", bad, says=("that is no first bid",))


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
        (missing, "there is no checkpoint file"),
        (text, "is not a whole safetensors file"),
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


def test_a_checkpoint_of_the_exact_engine_for_other_rules(
    liars_dice: Solved, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.checkpoint.safetensors"
    altered(liars_dice.checkpoint, bad, lambda header: header["setup"]["rules"].update(faces=5))
    refused("solve", "--resume", bad, says=("does not describe a run", str(bad)))


@pytest.mark.parametrize(
    "option",
    [("--dice", 1), ("--rules", "basic"), ("--seed", 0), ("--single-bid",)],
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
    outcome = zhaifei(
        "solve", "--rules", "liars_dice", "--iterations", 5000, "--out", out,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILE, SMALL_FILE)),
    )  # fmt: skip
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
    outcome = zhaifei("solve", "--rules", "liars_dice", "--iterations", 5000, "--out", out)
    verify_refused(outcome, f"cannot write {out}: No space left on device")
    assert contents(full_disk) == {out.name: b"what was there before"}


def test_a_checkpoint_that_does_not_fit_is_warned_of_and_the_policy_still_written(
    one_die: Solved, tmp_path: Path
) -> None:
    """Where the policy fits and the checkpoint does not, the policy is there at the end."""
    limit = (one_die.policy.stat().st_size + one_die.checkpoint.stat().st_size) // 2
    out = tmp_path / "policy.safetensors"
    with Running(
        "solve", "--dice", 1, "--faces", 3, "--recall", "bid,bid", "--threads", 1,
        "--iterations", 1e15, "--checkpoint-every", "0.1s", "--out", out,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    ) as running:  # fmt: skip
        assert running.process.stdout is not None
        warning = "warning: training goes on without a checkpoint"
        assert any(line.startswith(warning) for line in running.process.stdout)
        outcome = running.send(signal.SIGINT)
    verify_refused(outcome, "cannot write", "policy.checkpoint.safetensors: File too large")
    assert load_policy(out).rules == preset("zhaifei", dice=1, faces=3)


# --debug


def test_debug_shows_where(full_game: Solved) -> None:
    arguments = ("query", "--policy", full_game.policy, "--hand", "11347")
    plain, debug = zhaifei(*arguments), zhaifei(*arguments, "--debug")
    assert debug.code == 2
    assert debug.err.startswith("Traceback")
    assert debug.err.endswith(plain.err)
