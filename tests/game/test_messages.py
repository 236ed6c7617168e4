"""Messages show no more than the beginning of a long value."""

from pathlib import Path

import pytest

from zhaifei.app.locale import choose, explain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import SHOWN, Message
from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules

TEXT = "x" * 10_000


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (TEXT, f"{'x' * SHOWN}…"),
        ([TEXT], f"['{'x' * (SHOWN - 2)}…"),
        (KeyError(TEXT), f"'{'x' * (SHOWN - 1)}…"),
        (10**300, f"1{'0' * (SHOWN - 1)}…"),
        (10**5000, "<int>"),
        (Path(TEXT), TEXT),
        (Message("no {bid}", bid=TEXT), f"no {'x' * SHOWN}…"),
        (ZhaifeiError("no {bid}", bid=TEXT), f"no {'x' * SHOWN}…"),
        (1234.5, "1234.5"),
        (None, "None"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_long_values_are_cut(language: str, value: object, shown: str) -> None:
    choose(language)
    error = ZhaifeiError("value {value}", value=value)
    assert str(error) == explain(error) == f"value {shown}"
    assert error.values == {"value": value}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (TEXT, f"'{'x' * SHOWN}…'"),
        ("\U0010ffff" * 1000, "'" + "\\U0010ffff" * (SHOWN // 10) + "…'"),
        ("a\nb", "'a\\nb'"),
    ],
)
def test_long_texts_are_cut_before_they_are_quoted(value: str, shown: str) -> None:
    assert str(Message("{value!r} is too long", value=value)) == f"{shown} is too long"


def test_numbers_keep_their_formats() -> None:
    assert str(Message("{count:,} in {time:.1f} s", count=12345, time=1.25)) == "12,345 in 1.2 s"


def test_numbers_that_python_does_not_write_are_refused_like_others() -> None:
    with pytest.raises(RulesError, match="players is <int>; it must be 2 to 8"):
        Rules.of(players=10**5000)
