"""Every command on a page runs, and prints what the page shows."""

import io
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.shown import (
    ELSEWHERE,
    README,
    ROOT,
    SHORT,
    TYPED,
    Shown,
    abridged,
    fences,
    files_for_commands,
    pages,
    run,
    shown,
    steady,
)

ALL = [one for language in README for page in pages(language) for one in shown(page)]
HERE = [one for one in ALL if one.elsewhere is None]
UNIQUE: dict[object, Shown] = {}
"""The language of a command matters only where what it prints is compared: the others run once."""
for one in HERE:
    UNIQUE.setdefault((one.command, one.compared and (one.language, one.output)), one)

NEEDED = {"pettingzoo": ("pettingzoo", "shimmy")}
"""Packages that a page needs and that only the extra `test` installs."""
_FIGURE = r"([+-]?\d+\.\d+(?:e-?\d+)?)( ?%)?"
_ROUNDING = 0.01
"""How far figures may be apart, since processors round sums differently."""
_SOLVED_AGAIN = 0.02
"""How far they may be apart where a position is solved again, which then ends elsewhere within its
gap: two machines had probabilities of 0.972 and 0.958, both within a gap of 0.0022."""


@pytest.fixture(scope="module", autouse=True)
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where commands run that name files, with a home of its own."""
    directory = tmp_path_factory.mktemp("commands")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(directory / "data"))
        patch.chdir(directory)
        files_for_commands(directory)
        yield directory


def _apart(lines: Iterable[str]) -> tuple[list[str], list[float]]:
    """Return lines without their decimal figures and the bars that draw them, and the figures:
    percentages as shares."""
    text, figures = "\n".join(steady([*lines])), []
    for figure, percent in re.findall(_FIGURE, text):
        figures.append(float(figure) / (100 if percent else 1))
    text = re.sub(" *█+ *", " ", re.sub(_FIGURE, "0", text))
    return re.sub(" +", " ", text).split("\n"), figures


def _name(one: Shown) -> str:
    return f"{one.language}-{one.page.stem}-{one.line}"


@pytest.mark.parametrize("one", UNIQUE.values(), ids=_name)
def test_a_command_runs_and_prints_what_is_shown(one: Shown) -> None:
    ended = run(SHORT.get(one.command, one.command), one.language)
    assert ended.code == 0, ended.errors
    assert any(ended.lines)
    if one.compared:
        now = abridged(ended.lines, one.output)
        hint = f"python -m docs.shown writes {one.page.name} anew"
        (words, figures), (shown_words, shown_figures) = _apart(now), _apart(one.output)
        assert words == shown_words, hint
        lines = "\n".join(one.output)
        again = any(says in lines for says in ("solved again", "重新求解"))
        apart = _SOLVED_AGAIN if again else _ROUNDING
        assert figures == pytest.approx(shown_figures, abs=apart), hint


def test_the_readme_begins_with_an_answer() -> None:
    first, second = (one.command for one in shown(README["en"])[:2])
    assert first == "pip install zhaifei"
    assert run(second, "en").code == 0


def test_extras_that_pages_install_are_those_of_the_project() -> None:
    known = set(re.findall(r"^(\w+) = \[", _section("project.optional-dependencies"), re.M))
    named = {
        extra
        for one in ALL
        for extras in re.findall(r"(?:\.|zhaifei)\[([\w,]+)\]", one.command)
        for extra in extras.split(",")
    }
    assert named <= known
    assert ".[test,rl,report,docs,web,mcp,cluster]" in (ROOT / ".ci/run").read_text(
        encoding="utf-8"
    )


def _section(name: str) -> str:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return text.split(f"[{name}]")[1].split("\n[")[0]


@pytest.mark.parametrize(
    "command",
    sorted({one.command for one in ALL if one.command.startswith("python -m benchmarks.")}),
)
def test_benchmarks_on_pages_have_the_options_that_pages_give(command: str) -> None:
    module, *arguments = command.removeprefix("python -m ").split()
    source = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    for option in arguments:
        if option.startswith("--"):
            assert f'"{option}"' in source


def test_no_solve_of_the_whole_game_is_run_here() -> None:
    """A page may show a solve of half an hour: the table of short forms has one of a second."""
    typed = {SHORT.get(one.command, one.command) for one in HERE}
    solves = [command for command in typed if command.startswith("zhaifei solve")]
    quick = re.compile(r"--help|--resume|--dice [12]\b|--rules liars_dice")
    assert [command for command in solves if not quick.search(command)] == []


def test_every_table_of_commands_is_needed() -> None:
    commands = {one.command for one in ALL}
    commands |= {command.split(" && .venv/bin/")[-1] for command in commands}
    assert [short for short in SHORT if short not in commands] == []
    assert [typed for typed in TYPED if typed not in commands] == []
    needed = {how for how in ELSEWHERE if any(command.startswith(how) for command in commands)}
    assert needed == set(ELSEWHERE)


def test_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one page run one after another, as a reader would type them. Pages in Chinese have
    the same (see test_pages)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())  # the agent of a page waits for positions
    found = 0
    for page in pages("en"):
        if any(find_spec(package) is None for package in NEEDED.get(page.stem, ())):
            continue
        names: dict[str, object] = {"__name__": page.stem}
        for first, lines in _python(page):
            code = compile("\n" * first + textwrap.dedent("\n".join(lines)), page.name, "exec")
            exec(code, names)
            found += 1
    assert found >= 6


def _python(page: Path) -> Iterator[tuple[int, list[str]]]:
    yield from fences(page.read_text(encoding="utf-8"), "python")


def test_a_strategy_of_ones_own_is_tested_in_the_room_of_its_process() -> None:
    example = ROOT / "tests/policies/players/plug_in/examples/my_strategy.py"
    shown_here = next(
        "\n".join(lines)
        for _, lines in _python(ROOT / "docs/strategies.md")
        if lines[0].startswith("class MyStrategy")
    )
    code = [line.strip() for line in example.read_text(encoding="utf-8").splitlines()]
    assert [line for line in code if '"""' not in line and line] == [
        line.strip() for line in shown_here.splitlines() if '"""' not in line and line
    ]


def test_nothing_is_left_behind_in_the_repository(directory: Path) -> None:
    assert not (ROOT / "small.safetensors").exists()
    assert (directory / "small.safetensors").exists()
    shutil.rmtree(directory / "data", ignore_errors=True)
