"""What may be written over a policy file: nothing worse, and nothing else."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import zhaifei
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.replacing import (
    InTheWay,
    Product,
    content_of,
    is_worse,
    new_content,
    verify_replaceable,
)
from zhaifei.policies.players.q_player import initial_values, save_values
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.policies.training.solver_run import planned_run, solver_setup
from zhaifei.solver.files.storage import save

RULES = Rules.of(dice=1, faces=2)
TREE = {"engine": "tree", "iterations": 100}
PRODUCT = Product("policy", RULES, "tree, recall full")


@cache
def solved() -> TablePolicy:
    run = planned_run(solver_setup(RULES), 4, None).begun()
    while run.done < 4:
        run.advance()
    return run.result()


def trained(training: Mapping[str, Any]) -> TablePolicy:
    return replace(solved(), training=dict(training))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "policy.safetensors"


@pytest.mark.parametrize(
    ("old", "new", "worse"),
    [
        ({"exploitability": 0.2}, {"exploitability": 0.1}, False),
        ({"exploitability": 0.1}, {"exploitability": 0.1}, False),
        ({"exploitability": 0.1}, {"exploitability": 0.2}, True),
        ({"exploitability": 0.2, "iterations": 200}, {"exploitability": 0.1}, False),
        ({"exploitability": 0.1}, {"exploitability": 0.2, "iterations": 200}, True),
        ({"exploitability": 0.1}, {}, True),
        ({"exploitability": 0.1}, {"exploitability": float("nan")}, True),
        ({"exploitability": 0.1}, {"exploitability": 0.1, "engine": "exact"}, False),
        ({}, {}, False),
        ({"iterations": 101}, {}, True),
        ({"iterations": 101}, {"exploitability": 0.1}, True),
        ({}, {"exploitability": 0.1}, False),
        ({}, {"iterations": 101, "engine": "exact"}, True),
    ],
)
def test_a_file_is_compared_by_its_figure_or_else_by_how_long_it_was_trained(
    path: Path, old: dict[str, Any], new: dict[str, Any], worse: bool
) -> None:
    save_policy(path, trained({**TREE, **old}))
    found = content_of(path)
    assert found is not None
    training = {**TREE, **new}
    product = PRODUCT._replace(method=f"{training['engine']}, recall full")
    assert is_worse(new_content(product, training), found) is worse
    # The Python API goes by the same rule.
    before = path.read_bytes()
    if worse:
        with pytest.raises(ZhaifeiError, match=r"; overwrite=True replaces it$"):
            zhaifei.save_policy(path, trained(training))
        assert path.read_bytes() == before
    zhaifei.save_policy(path, trained(training), overwrite=worse)
    assert content_of(path) == new_content(product, training)


@pytest.mark.parametrize("content", [None, b""])
def test_nothing_is_in_the_way_of_what_is_not_there(path: Path, content: bytes | None) -> None:
    """Nor is an empty file, as `mktemp` makes it."""
    if content is not None:
        path.write_bytes(content)
    assert content_of(path) is None
    verify_replaceable(path, PRODUCT, measured=False)
    zhaifei.save_policy(str(path), solved())
    assert content_of(path) is not None


def test_a_file_of_anything_else_is_in_the_way(path: Path) -> None:
    path.write_text("a shopping list")
    with pytest.raises(ZhaifeiError, match="is not a whole safetensors file"):
        verify_replaceable(path, PRODUCT, measured=True)
    with pytest.raises(ZhaifeiError, match="overwrite=True replaces it"):
        zhaifei.save_policy(path, solved())
    assert path.read_text() == "a shopping list"
    save(path, "checkpoint", {}, {})
    with pytest.raises(InTheWay, match="is a checkpoint file"):
        verify_replaceable(path, PRODUCT, measured=True)
    increment = preset("increment")
    save_values(path, increment, initial_values(increment), {"matches": 1})
    with pytest.raises(InTheWay, match="is a file of action values, not a policy file"):
        verify_replaceable(path, PRODUCT, measured=True)


def test_a_policy_of_other_rules_is_in_the_way(path: Path) -> None:
    save_policy(path, trained({**TREE, "exploitability": 0.9}))
    for rules in (Rules.of(dice=1, faces=3), Rules.of(dice=2, faces=2), preset("zhaifei")):
        with pytest.raises(InTheWay, match="holds a policy for zhaifei: 2 players, 1 die"):
            verify_replaceable(path, PRODUCT._replace(rules=rules), measured=True)


def test_what_will_have_no_figure_is_refused_before_it_is_computed(path: Path) -> None:
    save_policy(path, trained({**TREE, "exploitability": 0.9}))
    verify_replaceable(path, PRODUCT, measured=True)
    with pytest.raises(InTheWay, match=r"figure, 0\.9; tree, recall full has no measurement"):
        verify_replaceable(path, PRODUCT, measured=False)
    save_policy(path, trained({"engine": "mccfr"}))
    with pytest.raises(InTheWay, match="so it cannot be compared with tree, recall full"):
        verify_replaceable(path, PRODUCT, measured=True)
