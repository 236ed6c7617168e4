"""No test can fail because a machine is slow: limits are there only to end what hangs."""

import ast
from collections.abc import Iterator

import hypothesis
from hypothesis import HealthCheck

from tests.command_line import LONG, ROOT

LONGEST = 300
"""Seconds that the slowest test takes on two busy cores, compilation included."""
NAMES = ("timeout", "deadline")
SOURCES = sorted((ROOT / "tests").rglob("*.py"))


def limits_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of limits of time that are written down apart from LONG."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            if keyword.arg in NAMES and ast.unparse(keyword.value) not in ("LONG", "None"):
                yield node.lineno, ast.unparse(keyword)
        if ast.unparse(node.func) == "select.select" and len(node.args) == 4:
            waits = ast.unparse(node.args[3])
            # A look that does not wait, or one that is repeated.
            if waits not in ("LONG", "0", "0.02"):
                yield node.lineno, waits


def assigned_in(tree: ast.AST) -> Iterator[int]:
    """Lines in which LONG gets a value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and "LONG" in map(ast.unparse, node.targets):
            yield node.lineno


def test_the_sources_are_read_as_meant() -> None:
    tree = ast.parse(
        "run(timeout=300)\nrun(timeout=LONG)\n@settings(deadline=5)\ndef f(): ...\n"
        "select.select([a], [], [], 5)\nselect.select([a], [], [], LONG)\nLONG = 3\n"
    )
    assert sorted(limits_in(tree)) == [(1, "timeout=300"), (3, "deadline=5"), (5, "5")]
    assert list(assigned_in(tree)) == [7]


def test_there_is_one_limit() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {path: found for path, tree in trees.items() if (found := [*limits_in(tree)])} == {}
    assigned = [path for path, tree in trees.items() for _ in assigned_in(tree)]
    assert assigned == [ROOT / "tests" / "command_line.py"]


def test_the_limit_is_ten_times_what_anything_takes() -> None:
    assert LONG >= 10 * LONGEST


def test_examples_have_no_deadline_and_may_be_drawn_slowly() -> None:
    settings = hypothesis.settings.default
    assert settings is not None
    assert settings.deadline is None
    assert HealthCheck.too_slow in settings.suppress_health_check
