"""The front end's engine answers as Python does, and its types and style are checked. Needs Node
and `npm ci` in `tests/web`, as `.ci/run` does it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT
from tests.web.vectors import write
from zhaifei.app.pocket.pocket_policies import DATA

MODULES = ROOT / "tests" / "web" / "node_modules"
NEEDED = "ZHAIFEI_BROWSER"
"""Where this is "required", as in CI, a missing Node fails the tests instead of skipping them."""
POLICIES = ("ktv-2p", "zhaifei-8p")
"""Policies of which vectors are written."""


def run_node(*command: str | Path, **environment: str) -> None:
    """Run a program of Node in the root of the repository; it must succeed."""
    ended = subprocess.run(
        [*map(str, command)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        missing("there is no Node")
    return str(found)


@pytest.fixture(scope="module")
def modules() -> Path:
    if not MODULES.is_dir():
        missing("there is no tests/web/node_modules: run npm ci in tests/web")
    return MODULES


def missing(what: str) -> None:
    if os.environ.get(NEEDED) == "required":
        pytest.fail(what)
    pytest.skip(what)


def test_the_engine_answers_as_python_does(
    node: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    vectors = tmp_path_factory.mktemp("vectors")
    paths = [DATA / f"{name}.safetensors" for name in POLICIES]
    write(vectors, [path for path in paths if path.is_file()])
    tests = sorted((ROOT / "tests" / "web").glob("*.test.js"))
    run_node(node, "--test", *tests, ZHAIFEI_VECTORS=str(vectors))


def test_types_are_right(node: str, modules: Path) -> None:
    run_node(node, modules / ".bin" / "tsc", "--project", "web/tsconfig.json")


def test_style_is_kept(node: str, modules: Path) -> None:
    configuration = ("--config", "tests/web/eslint.config.js", "--max-warnings", "0")
    run_node(node, modules / ".bin" / "eslint", *configuration, "web", "tests/web")
