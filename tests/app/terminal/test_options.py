"""Every option and argument of every command, with values that nobody means: each is accepted, or
refused in one line that names the option or quotes the value."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.command_line import Solved, verify_refused, zhaifei
from zhaifei.app.terminal.group import VERBS, Commands
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.texts import LONGEST
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import write_match

UNDECODABLE = "\udcff"
"""What Python makes of a byte that is not UTF-8."""
HOSTILE = [
    "",
    " ",
    "nan",
    "inf",
    "-inf",
    "-0",
    "1e309",
    "-1",
    "0",
    "9" * 400,
    "9" * 5000,
    "1e18",
    "1e19",
    "٣",
    "３",
    "²",
    "1_0__0",
    "1\n2",
    "-",
    ".",
    "/dev/null",
    "{0}",
    "%s",
    "飞",
    UNDECODABLE,
    "x" * LONGEST,
    "x" * (LONGEST + 1),
]
NEVER = ["", " ", "nan", "inf", "-inf", "1e309", "9" * 5000, "1_0__0", "-1", "x" * LONGEST]
"""Values that no number, duration, name or notation may have."""
LONGEST_LINE = 1000

LINE = ("--dice", 1, "--faces", 3)
SMALL = {
    "solve": (*LINE, "--iterations", 100, "--threads", 1),
    "train": ("q",),
    "query": ("--hand", 1),
    "evaluate": (),
    "play": (*LINE,),
    "watch": (*LINE,),
    "record": (),
    "review": ("match.jsonl",),
    "drill": ("--policy", "honest", *LINE, "--count", 1),
    "arena": ("honest", "random", *LINE),
    "score": ("--agent", f"'{sys.executable}' -c 0"),
    "people": (),
    "players": (),
    "rules": (),
    "report": (),
    "web": ("--port", 0),
    "mcp": (),
    "cluster": ("check", "local"),
}
"""Arguments with which each command has little to do."""
ROUND = "2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n"
"""What there is to review."""
TYPED = {"record": "2人 先手1: f3x2\n"}
"""What each command reads, if that is not the wish to leave."""


def parameters() -> Iterator[tuple[str, click.Parameter]]:
    """Every option and argument that takes a value, with its command."""
    for verb in VERBS:
        for parameter in Commands()[verb].params:
            if not getattr(parameter, "is_flag", False):
                yield verb, parameter


PARAMETERS = list(parameters())


class Accepted(ZhaifeiError):
    """Raised where the work would begin."""


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def accept(*arguments: object, **options: object) -> None:
        raise Accepted("accepted")

    for place in (
        "zhaifei.app.terminal.run_on_screen.train",
        "zhaifei.app.terminal.commands.evaluate._evaluate",
        "zhaifei.policies.measure.timed_evaluation.duel",
        "zhaifei.policies.measure.arena.play_arena",
        "zhaifei.policies.research.report_measurements.measure",
        "zhaifei.app.agents.scored_play.play_scored",
        "zhaifei.app.pocket.exporting.export",
        "zhaifei.app.server.serving.serve",
        "zhaifei.solver.scattered.ray_workers._connect",
    ):
        monkeypatch.setattr(place, accept)


def command(verb: str, parameter: click.Parameter, value: str, small: Solved) -> list[object]:
    """The command line that gives `parameter` this value, and little to do."""
    arguments: list[object] = [*SMALL[verb]]
    name = parameter.opts[0]
    if verb in ("query", "evaluate", "review", "score") and name != "file":
        arguments += ["--policy", small.policy]
    if isinstance(parameter, click.Argument):
        arguments = arguments[1:] if name in ("algorithm", "names") else arguments
        arguments = {"action": [], "address": ["check"]}.get(name, arguments)
        arguments = [] if verb in ("watch", "review") else arguments
        return [verb, *arguments, "--", value]
    if name in arguments:
        place = arguments.index(name)
        del arguments[place : place + 2]
    return [verb, *arguments, f"{name}={value}"]


def test_all_commands_are_tried() -> None:
    assert {verb for verb, _ in PARAMETERS} == {*SMALL} == {*VERBS}


@pytest.mark.usefixtures("no_work", "places")
@pytest.mark.parametrize(
    ("verb", "parameter"), PARAMETERS, ids=[f"{verb} {one.opts[0]}" for verb, one in PARAMETERS]
)
def test_any_value_is_accepted_or_refused_in_one_line(
    verb: str, parameter: click.Parameter, one_die: Solved, tmp_path: Path
) -> None:
    write_match(tmp_path / "match.jsonl", parse_rounds(ROUND))
    for value in HOSTILE:
        arguments = command(verb, parameter, value, one_die)
        outcome = zhaifei(*arguments, typed=TYPED.get(verb, "q\n"), cwd=tmp_path)
        assert "Traceback" not in outcome.err
        if outcome.code == 0 or outcome.err == "zhaifei: accepted\n":
            assert value not in NEVER or is_text(parameter), arguments
            continue
        verify_refused(outcome)
        assert len(outcome.err) <= LONGEST_LINE
        named = parameter.opts[0].removeprefix("--") in outcome.err
        shown = (repr(value)[1:-1][:50], " ".join(value.split()), r"\xff")
        quoted = any(text in outcome.err for text in (shown if value == UNDECODABLE else shown[:2]))
        assert named or quoted, outcome


def is_text(parameter: click.Parameter) -> bool:
    """Whether any text that is not empty may be meant: as the name of a file, or no bids at all."""
    return parameter.opts[0] in ("--out", "--record", "--history", "--export")
