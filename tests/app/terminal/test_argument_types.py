"""What counts, durations and points may be written as."""

import pytest

from zhaifei.app.terminal.argument_types import (
    MOST,
    ArgumentError,
    parse_count,
    parse_dice,
    parse_duration,
    parse_points,
)
from zhaifei.game.texts import LONGEST


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1", 1),
        ("1e7", 10**7),
        ("1E+7", 10**7),
        ("1.5e1", 15),
        ("10_000_000", 10**7),
        ("12.0", 12),
        (" 5 ", 5),
        ("0.5e1", 5),
        ("٣", 3),
        ("３", 3),
        ("1e18", MOST),
        ("1" + "0" * 18, MOST),
        ("100000000000000001", 10**17 + 1),  # no float64 is this number
        ("999999999999999999", MOST - 1),
        ("0" * (LONGEST - 1) + "7", 7),
        ("1." + "0" * (LONGEST - 2), 1),
    ],
)
def test_counts_are_exact(text: str, count: int) -> None:
    assert parse_count(text) == count


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0",
        "-0",
        "-1",
        "1.5",
        "nan",
        "-nan",
        "inf",
        "-inf",
        "Infinity",
        "1e400",
        "1e19",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "1000000000000000001",
        "1_0__0",
        "_1",
        "1_",
        "1 000",
        "1,000",
        "²",
        "一",
        "0x10",
        "1e7e7",
        "one",
        "9" * LONGEST,
        "1." + "0" * (LONGEST - 3) + "1",
    ],
)
def test_what_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="is not a positive whole number of at most 1e18"):
        parse_count(text)


@pytest.mark.parametrize(
    ("text", "dice"),
    [
        ("5", 5),
        (" 5 ", 5),
        ("5,3", (5, 3)),
        ("3, 5", (3, 5)),
        ("5，3", (5, 3)),
        ("5,5", (5, 5)),
        ("-1", -1),
        ("0", 0),
    ],
)
def test_dice_are_one_number_or_those_of_two_players(text: str, dice: object) -> None:
    assert parse_dice(text) == dice


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ",",
        "5,",
        ",3",
        "5,3,2",
        "5;3",
        "5 3",
        "5.0",
        "five",
        "nan",
        "1e1",
        "9" * 5000,
        "1_0__0",
        "5,x",
    ],
)
def test_what_is_no_number_of_dice_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="is not a number of dice, like 5, or one for each"):
        parse_dice(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("90", 90.0),
        ("10m", 600.0),
        ("1.5h", 5400.0),
        ("1h30m", 5400.0),
        ("1H30M5S", 5405.0),
        (" 2m ", 120.0),
        (".5s", 0.5),
        ("1.s", 1.0),
        ("1m1m", 120.0),
        ("0h1s", 1.0),
        ("1s" * (LONGEST // 2), LONGEST / 2),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ".",
        "s",
        "h1",
        "1d",
        "1h30",
        "1 h",
        "-1s",
        "+1s",
        "1e3s",
        "nan",
        "inf",
        "1..5s",
        "1.5.5s",
        "1_0s",
        "٣s",
        "soon",
        "9" * 400,
        "9" * LONGEST,
        "9" * (LONGEST - 1) + "x",
        "1." * (LONGEST // 2),
    ],
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="is not a duration, like 90s"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "points"),
    [("0.05", 0.05), (".05", 0.05), ("5e-2", 0.05), ("1", 1.0), (" 2.5 ", 2.5), ("1e-9", 1e-9)],
)
def test_points(text: str, points: float) -> None:
    assert parse_points(text) == points


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0",
        "0.0",
        "-0",
        "-0.05",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "1e-400",
        "5%",
        "0,05",
        "low",
        "9" * LONGEST,
        "0x1",
        "1_0__0",
    ],
)
def test_what_is_no_positive_number_of_points_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="is not a positive number of points, like"):
        parse_points(text)


@pytest.mark.parametrize("text", ["0", "0s", "0.0h", "0m0s", "0." + "0" * 400 + "1s"])
def test_a_duration_is_longer_than_nothing(text: str) -> None:
    with pytest.raises(ArgumentError, match="duration must be positive"):
        parse_duration(text)
