"""What all commands print with."""

import io
import math

import pytest
from rich.console import Console

from zhaifei.app.terminal import console
from zhaifei.app.terminal.console import LiveLine, clock, new_console


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """One number, which is the time."""
    now = [100.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.4, "0:00"),
        (9.0, "0:09"),
        (59.6, "1:00"),
        (61.0, "1:01"),
        (3599.6, "1:00:00"),
        (36_610.0, "10:10:10"),
        (math.inf, "?"),
        (math.nan, "?"),
    ],
)
def test_times_are_said_as_clocks_do(seconds: float, expected: str) -> None:
    assert clock(seconds) == expected


def test_texts_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    new_console().print("[bold]1[/bold]")
    new_console(stderr=True).print("to stderr")
    new_console(quiet=True).print("nothing")
    assert capsys.readouterr() == ("[bold]1[/bold]\n", "to stderr\n")


def test_where_there_is_no_terminal_lines_come_ten_seconds_apart(time: list[float]) -> None:
    out = io.StringIO()
    with LiveLine(Console(file=out)) as line:
        for seconds in (0.0, 9.9, 10.0, 19.9, 35.0):
            time[0] = 100.0 + seconds
            line.show(f"[{seconds}]", done=1, goal=2)
    assert out.getvalue() == "0:00  [0.0]\n0:10  [10.0]\n0:35  [35.0]\n"


def test_on_a_terminal_the_line_makes_room_and_begins_again() -> None:
    out = io.StringIO()
    terminal = Console(file=out, force_terminal=True, width=80)
    with LiveLine(terminal) as line:
        line.show("[so far]")
        line.stop()
        assert "[so far]" in out.getvalue()
        place = out.tell()
        terminal.print("a result")
        assert out.getvalue()[place:] == "a result\n"
        line.show("more")
    assert "more" in out.getvalue()[place:]
    assert out.getvalue().endswith("\x1b[2K")  # erased
