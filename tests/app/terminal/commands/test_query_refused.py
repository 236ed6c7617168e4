"""Questions that `zhaifei query` refuses: one line that says what, and exit code 2."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.altered_files import (
    checkpoint,
    contents,
    cut_in_header,
    directory,
    empty,
    foreign,
    missing,
    newer,
    of_more_dice,
    of_no_recall,
    of_no_rules,
    text,
    truncated,
    with_other_arrays,
    without_rules,
)
from tests.command_line import Solved, refused
from zhaifei.solver.files import storage


@pytest.mark.parametrize(
    ("hand", "says"),
    [
        ("1134", "hand 1134 has 4 dice; it must have 5"),
        ("113466", "hand 113466 has 6 dice; it must have 5"),
        ("11347", "hand 11347 shows a 7; faces must be 1 to 6"),
        ("01346", "hand 01346 shows a 0; faces must be 1 to 6"),
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
        ("116", "飞11×6 is not a bid in these rules: the count must be 1 to 10"),
        ("f4", "'f4' is not a bid"),
        ("", "'' is not a bid"),
        ("f4x6 f4x7", "is not a bid"),
        ("f11x6", "飞11×6 is not a bid in these rules: the count must be 1 to 10"),
        ("f0x6", "飞0×6 is not a bid in these rules: the count must be 1 to 10"),
        ("f4x1", "飞4×1 is not a bid in these rules: a 飞 bid names a face from 2 to 6"),
        ("z4x7", "斋4×7 is not a bid in these rules: a 斋 bid names a face from 1 to 6"),
        ("f2x4", "飞2×4 can never be made"),
        ("z1x6", "斋1×6 can never be made"),
    ],
)
def test_bids_that_are_none(full_game: Solved, bid: str, says: str) -> None:
    refused("query", "--policy", full_game.policy, "--hand", "11346", f"--bid={bid}", says=(says,))


@pytest.mark.parametrize(
    ("history", "says"),
    [
        (
            "f4x5 z2x5",
            "斋2×5 is not stronger than 飞4×5: 斋 takes 3 or more, or 2",
        ),
        ("f4x5 f4x4", "飞4×4 is not stronger than 飞4×5: 飞 takes"),
        ("f4x5 f4x5", "飞4×5 is not stronger than 飞4×5: 飞 takes"),
        (
            "f2x5 f4x5",
            "飞2×5 may not open a round: as the first bid, it must have a count of at least 3",
        ),
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
        "query",
        "--policy",
        full_game.policy,
        "--hand",
        "11346",
        "--history",
        "飞3x4 飞4x5",
        "--bid",
        "斋2x5",
        says=("斋2×5 is not stronger than 飞4×5: 斋 takes 3 or more, or 2",),
    )


def test_the_range_needs_the_bids_before_the_last(full_game: Solved) -> None:
    asked = ("query", "--policy", full_game.policy, "--bid")
    refused(*asked, "z2x5", says=("斋2×5 cannot open a round: give the bids before it, or a hand",))
    refused(*asked, "f2x4", says=("飞2×4 can never be made",))


def test_questions_about_another_game_name_the_one_the_policy_is_for(liars_dice: Solved) -> None:
    game = "the policy is for liars_dice: 2 players, 1 die of 6 faces each"
    ask = partial(refused, "query", "--policy", liars_dice.policy)
    ask("--hand", "11346", says=("hand 11346 has 5 dice; it must have 1", game))
    ask("--hand", "1", "--bid", "z2x5", says=("they allow 飞 bids only", game))


# policy files


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (missing, "there is no policy file"),
        (directory, "is not a regular file"),
        (empty, "is not a whole safetensors file"),
        (text, "is not a whole safetensors file"),
        (truncated, "is not a whole safetensors file"),
        (cut_in_header, "is not a whole safetensors file"),
        (foreign, "not one of zhaifei's"),
        (
            newer,
            f"has format version {storage.VERSIONS['policy'] + 1}; this zhaifei reads version",
        ),
        (checkpoint, "is a checkpoint file, not a policy file"),
        (of_more_dice, "does not describe a policy"),
        (without_rules, "does not describe a policy"),
        (of_no_rules, "does not describe a policy: dice is 99"),
        (
            of_no_recall,
            "does not describe a policy: 'everything' is not a recall feature",
        ),
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
