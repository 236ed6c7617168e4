"""The front end's engine answers as Python does, and its types and style are checked. Needs Node
and `npm ci` in `tests/web`, as `.ci/run` does it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT, succeeds
from tests.web import match_vectors
from tests.web.vectors import write
from zhaifei.app.pocket.pocket_policies import DATA
from zhaifei.app.pocket.rules_tables import every_rules, key_of
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.shipped import SHIPPED, shipped_path
from zhaifei.policies.play.records import read_match

MODULES = ROOT / "tests" / "web" / "node_modules"
NEEDED = "ZHAIFEI_BROWSER"
"""Where this is "required", as in CI, a missing Node fails the tests instead of skipping them."""
POLICIES = ("ktv-2p", "zhaifei-8p", "zhaifei-5p-jump")
"""Policies of which vectors are written; the page, or its server, has them as they are shipped."""
TRIMMED = "zhaifei-4p"
"""A policy of which the page has a smaller copy."""
RECORDED = 30
"""Rounds of the vectors that `table.test.js` writes as a record."""


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


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Python answers, as files."""
    directory = tmp_path_factory.mktemp("vectors")
    paths = [shipped_path(SHIPPED[name]) for name in POLICIES]
    write(directory, [path for path in paths if path is not None])
    shutil.copy(DATA / f"{TRIMMED}.safetensors", directory)
    match_vectors.write(directory)
    return directory


def test_the_engine_answers_as_python_does(node: str, vectors: Path) -> None:
    tests = sorted((ROOT / "tests" / "web").glob("*.test.js"))
    run_node(node, "--test", *tests, ZHAIFEI_VECTORS=str(vectors))


@pytest.fixture(scope="module")
def records(node: str, vectors: Path) -> Path:
    """Records that the page writes of the rounds of the vectors."""
    tests = (ROOT / "tests" / "web" / f"{name}.test.js" for name in ("table", "dice"))
    run_node(node, "--test", *tests, ZHAIFEI_VECTORS=str(vectors))
    return vectors


@pytest.mark.parametrize("rules", every_rules(), ids=key_of)
def test_records_of_the_page_are_read(records: Path, rules: Rules) -> None:
    rounds = json.loads((records / f"{key_of(rules)}.rounds.json").read_bytes())[:RECORDED]
    match = read_match(records / f"{key_of(rules)}.match.jsonl")
    table = read_match(records / f"{key_of(rules)}.table.jsonl")
    assert match.rules == table.rules == rules
    assert (match.you, match.seats[0], table.seats[1]) == (0, "you", "?")
    for made, played, seen in zip(rounds, match.rounds, table.rounds[:-1], strict=True):
        assert list(played.actions) == list(seen.actions) == made["actions"]
        assert [list(hand or ()) for hand in played.hands] == made["hands"]
        assert played.loser == seen.loser == made["settled"]["loser"]
        assert played.cost == seen.cost == made["settled"]["points"]
        assert [hand is None for hand in seen.hands] == [
            seat % 2 == 1 for seat in range(rules.players)
        ]
    assert table.rounds[-1].loser is None


@pytest.mark.parametrize("rules", match_vectors.written_matches(), ids=key_of)
def test_records_of_matches_for_dice_are_read(records: Path, rules: Rules) -> None:
    made, *_ = json.loads((records / f"{key_of(rules)}.matches.json").read_bytes())
    match = read_match(records / f"{key_of(rules)}.match.jsonl")
    assert match.rules == rules
    for round_, played in zip(made["rounds"], match.rounds, strict=True):
        assert [list(hand or ()) for hand in played.hands] == round_["hands"]
        assert (played.loser, played.cost) == (round_["loser"], 1)
        assert played.state(rules).is_over
    assert [one.seat for one in match.standings()] == made["order"]


@pytest.mark.parametrize("name", ["knockout", "classic"])
def test_review_reads_a_match_for_dice_of_the_page(records: Path, name: str) -> None:
    told = succeeds("review", records / f"{name}-2.match.jsonl", "--time-limit", "0")
    assert f"{name}: 2 players" in told


@pytest.mark.parametrize("kind", ["match", "table"])
def test_review_reads_a_file_of_the_page(records: Path, kind: str) -> None:
    told = succeeds("review", records / f"zhaifei-2.{kind}.jsonl", "--time-limit", "0")
    assert "zhaifei: 2 players" in told
    assert f"\n{RECORDED} rounds, " in told


def test_types_are_right(node: str, modules: Path) -> None:
    run_node(node, modules / ".bin" / "tsc", "--project", "web/tsconfig.json")


def test_style_is_kept(node: str, modules: Path) -> None:
    configuration = ("--config", "tests/web/eslint.config.js", "--max-warnings", "0")
    run_node(node, modules / ".bin" / "eslint", *configuration, "web", "tests/web")
