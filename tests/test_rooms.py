"""Imports run one way, `cli -> app -> policies -> solver -> game`, and so do those inside `app`,
`policies` and `solver`; no two modules import each other, directly or around a corner. Imports
inside functions and under TYPE_CHECKING count as all others do."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FLOORS = [
    ["zhaifei", "zhaifei.__main__"],
    ["zhaifei.cli"],
    ["zhaifei.app.terminal.group"],
    ["zhaifei.app.terminal.commands"],
    ["zhaifei.app.terminal", "zhaifei.app.report", "zhaifei.app.api"],
    ["zhaifei.app.agents"],
    ["zhaifei.app.terminal.printed"],
    [
        "zhaifei.app.terminal.console",
        "zhaifei.app.terminal.as_json",
        "zhaifei.app.terminal.as_csv",
        "zhaifei.app.arena_figures",
    ],
    ["zhaifei.app.server"],
    [
        "zhaifei.app.server.rooms",
        "zhaifei.app.server.advice",
        "zhaifei.app.server.own_rules",
    ],
    ["zhaifei.app.server.asked", "zhaifei.app.server.limits"],
    ["zhaifei.app.pocket"],
    [
        "zhaifei.app.said",
        "zhaifei.app.rules_told",
        "zhaifei.app.rules_questions",
        "zhaifei.app.terminal.kept_kernels",
    ],
    ["zhaifei.app.locale", "zhaifei.app"],
    ["zhaifei.policies.research", "zhaifei.policies.review"],
    ["zhaifei.policies.advice", "zhaifei.policies.measure", "zhaifei.policies.training"],
    ["zhaifei.policies.play"],
    ["zhaifei.policies.catalogue"],
    ["zhaifei.policies.learning"],
    ["zhaifei.policies.players", "zhaifei.policies"],
    ["zhaifei.solver.resolving"],
    ["zhaifei.solver.response", "zhaifei.solver.scattered", "zhaifei.solver.playouts"],
    ["zhaifei.solver.cfr", "zhaifei.solver.value"],
    ["zhaifei.solver.tables"],
    ["zhaifei.solver.bidding", "zhaifei.solver.hand_classes"],
    ["zhaifei.solver.showdown"],
    ["zhaifei.solver.files", "zhaifei.solver"],
    ["zhaifei.solver.machine"],
    ["zhaifei.game.openspiel"],
    ["zhaifei.game"],
]
"""From the top to the ground. A module belongs to the room with the longest name that begins its
own. It may import from its own room and from rooms on lower floors, not from its neighbours."""
ONLY_IN_APP = {
    "click",
    "rich",
    "fastapi",
    "flask",
    "starlette",
    "uvicorn",
    "aiohttp",
    "jinja2",
    "mcp",
    "textarena",
    "kaggle_environments",
}
"""Libraries that ask or show something."""

RESEARCH = "zhaifei.policies.research"
KNOW_RESEARCH = {
    "zhaifei.app.report.page",
    "zhaifei.app.report.several",
    "zhaifei.app.report.verdicts",
    "zhaifei.app.terminal.commands.report",
    "zhaifei.app.terminal.commands.solve",
    "zhaifei.app.terminal.commands.train",
    "zhaifei.app.terminal.printed.learning",
}
"""The modules outside of RESEARCH that may import from it: the report, `train`, and `solve` for
`--single-bid`."""

PLACES = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def module_name(path: Path) -> str:
    parts = ("zhaifei", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.py"))
    for package in ("app", "game", "policies", "solver"):
        yield from sorted((ROOT / package).rglob("*.py"))


@cache
def modules() -> dict[str, ast.Module]:
    return {module_name(path): ast.parse(path.read_text("utf-8")) for path in sources()}


def imported(tree: ast.Module) -> Iterator[str]:
    """What is named in imports: modules, and the names taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules() else str(node.module)


def room_of(module: str) -> str:
    parts = module.split(".")
    beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(room for room in beginnings if room in PLACES)


def may_import(importer: str, target: str) -> bool:
    one, other = room_of(importer), room_of(target)
    return one == other or PLACES[one] < PLACES[other]


@cache
def arrows() -> list[tuple[str, str]]:
    return sorted(
        (name, target)
        for name, tree in modules().items()
        for target in set(imported(tree))
        if target in modules()
    )


def test_the_rule_tells_up_from_down() -> None:
    assert may_import("zhaifei.app.terminal.screen", "zhaifei.policies.play.table")
    assert may_import("zhaifei.app.terminal.commands.play", "zhaifei.app.terminal.table")
    assert may_import("zhaifei.policies.play.table", "zhaifei.policies.catalogue.names")
    assert may_import("zhaifei.solver.cfr.mccfr", "zhaifei.solver.machine.jit")
    assert not may_import("zhaifei.app.terminal.table", "zhaifei.app.terminal.commands.options")
    assert not may_import("zhaifei.app.report.page", "zhaifei.app.terminal.screen")
    assert not may_import("zhaifei.policies.play.table", "zhaifei.policies.advice.advice")
    assert not may_import("zhaifei.policies.advice.advice", "zhaifei.policies.review.decisions")
    assert not may_import("zhaifei.policies.measure.arena", "zhaifei.policies.training.run")
    assert not may_import(
        "zhaifei.solver.value.action_values", "zhaifei.solver.response.gaining_decisions"
    )
    assert not may_import("zhaifei.game.bids", "zhaifei.app.locale")
    assert not may_import("zhaifei.game.bids", "zhaifei.game.openspiel")
    assert len(arrows()) > 200, "imports are found"


def test_imports_run_down() -> None:
    assert [arrow for arrow in arrows() if not may_import(*arrow)] == []


def test_only_what_people_ask_to_replicate_or_compare_knows_research() -> None:
    """The floors keep it from all rooms below. Commands import it when they are called."""
    outside = {
        name
        for name, target in arrows()
        if room_of(target) == RESEARCH and room_of(name) != RESEARCH
    }
    assert outside == KNOW_RESEARCH
    for name in outside:
        if room_of(name) == "zhaifei.app.terminal.commands":
            at_once = [node for node in modules()[name].body if isinstance(node, ast.ImportFrom)]
            assert not any(str(node.module).startswith(RESEARCH) for node in at_once)


def test_there_is_no_circle() -> None:
    before: dict[str, set[str]] = {name: set() for name in modules()}
    for name, target in arrows():
        before[name].add(target)
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other: {error.args[1]}")


def test_only_the_app_knows_libraries_that_show_something() -> None:
    found = {
        name: wrong
        for name, tree in modules().items()
        if name != "zhaifei.cli"
        and not name.startswith("zhaifei.app")
        and (wrong := {one.split(".")[0] for one in imported(tree)} & ONLY_IN_APP)
    }
    assert found == {}
