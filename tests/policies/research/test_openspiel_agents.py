"""Private members of OpenSpiel: one module uses them, and the version that has them is pinned."""

import ast
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("torch")

from open_spiel.python.pytorch import dqn, nfsp

ROOT = Path(__file__).parents[3]
USING = ROOT / "policies" / "research" / "openspiel_agents.py"
WHY = (
    "OpenSpiel has no public names for the networks, optimisers, buffers and updates of its DQN "
    f"and NFSP agents, which {USING.name} replaces. Another version may change what these private "
    "members do and training with them, without any error: read its agents and that module side "
    "by side, compare a run with one of the old version, and only then move the pin."
)


def agents() -> list[object]:
    return [
        dqn.DQN(0, 3, 2, (4,), optimizer_str="adam"),
        nfsp.NFSP(0, 3, 2, (4,), 10, 0.1, optimizer_str="adam"),
    ]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_members() -> set[str]:
    """What OpenSpiel's agents call by a private name."""
    return {name for agent in agents() for name in dir(agent) if is_private(name)}


def private_uses(path: Path) -> set[str]:
    """The private names that a source reads or writes of anything but its own objects."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and is_private(node.attr)
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    }


def test_the_version_whose_private_members_are_used_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (pinned,) = (one for one in project["optional-dependencies"]["rl"] if "open_spiel" in one)
    assert re.fullmatch(r"open_spiel==\d+(\.\d+)+", pinned), WHY
    assert pinned == f"open_spiel=={version('open_spiel')}", WHY


def test_openspiel_has_the_private_members_that_are_used() -> None:
    used = private_uses(USING)
    assert {"_q_network", "_replay_buffer", "_avg_network"} <= used
    assert used <= private_members(), WHY


def test_no_other_module_uses_private_members_of_openspiel() -> None:
    private = private_members()
    sources = [*ROOT.glob("*.py")] + [
        path
        for place in ("app", "game", "solver", "policies", "benchmarks", "tests")
        for path in (ROOT / place).rglob("*.py")
    ]
    assert USING in sources
    found = {path: private_uses(path) & private for path in sources if path != USING}
    assert not {path: names for path, names in found.items() if names}, WHY
