"""A program that plays by text, over a pipe."""

import sys
from pathlib import Path

import pytest

from zhaifei.app.agents.program import ProgramError, TextProgram

PATIENT = 600.0
"""Seconds: longer than anything here takes."""


def running(tmp_path: Path, code: str, seconds: float = PATIENT) -> TextProgram:
    path = tmp_path / "agent.py"
    path.write_text(f"import sys\n{code}", encoding="utf-8")
    return TextProgram(f"'{sys.executable}' '{path}'", seconds)


ECHO = """
lines = []
for line in sys.stdin:
    if line.strip():
        lines.append(line.strip())
    else:
        print('|'.join(lines), flush=True)
        lines = []
"""


def test_a_text_ends_with_an_empty_line_and_its_answer_is_a_line(tmp_path: Path) -> None:
    with running(tmp_path, ECHO) as program:
        assert program.ask("one\ntwo") == "one|two\n"
        assert program.ask("飞4×6") == "飞4×6\n"


def test_a_long_line_is_cut_and_the_next_one_is_whole(tmp_path: Path) -> None:
    code = "print('x' * 3_000_000)\nprint('challenge', flush=True)\nsys.stdin.read()"
    with running(tmp_path, code) as program:
        assert set(program.ask("a")) == {"x"}
        assert program.ask("b") == "challenge\n"


def test_bytes_that_are_no_text_are_no_error(tmp_path: Path) -> None:
    code = "sys.stdout.buffer.write(b'\\xff\\n')\nsys.stdout.flush()\nsys.stdin.read()"
    with running(tmp_path, code) as program:
        assert program.ask("a") == "\ufffd\n"


def test_a_program_that_ends_is_told(tmp_path: Path) -> None:
    with running(tmp_path, "") as program, pytest.raises(ProgramError, match="ended before"):
        program.ask("a")


def test_a_program_that_does_not_answer_is_told_and_ended(tmp_path: Path) -> None:
    late = pytest.raises(ProgramError, match=r"did not answer within 0\.01 s")
    with running(tmp_path, "sys.stdin.read()", seconds=0.01) as program, late:
        program.ask("a")


@pytest.mark.parametrize("command", ["", "  ", "'", "/nowhere/agent", ".", "a\0b"])
def test_what_cannot_be_started_is_quoted(command: str) -> None:
    with pytest.raises(ProgramError) as caught:
        TextProgram(command, PATIENT)
    assert repr(command) in str(caught.value)


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    target = tmp_path / "made"
    with TextProgram(f"echo hi > {target}", PATIENT) as program:
        assert program.ask("a") == f"hi > {target}\n"
    assert not target.exists()
