"""The public Python API."""

import ast
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from open_spiel.python.algorithms import exploitability

import zhaifei
from tests.command_line import LONG, ROOT, environment
from zhaifei.app import api

SMALL = zhaifei.preset("liars_dice", faces=3)


@pytest.fixture(scope="module")
def solved() -> zhaifei.TablePolicy:
    return zhaifei.solve(SMALL, iterations=20_000)


def test_all_that_is_public_is_there_and_nothing_else_is_defined() -> None:
    assert set(zhaifei.__all__) <= set(dir(zhaifei))
    assert zhaifei.__all__ == api.__all__
    assert all(hasattr(zhaifei, name) for name in zhaifei.__all__)
    tree = ast.parse(Path(api.__file__).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert defined <= set(zhaifei.__all__)
    assert all(getattr(zhaifei, name).__doc__ for name in defined)


def test_a_small_game_is_solved_and_measured(solved: zhaifei.TablePolicy) -> None:
    found = zhaifei.evaluate(solved)
    assert found.exact
    assert 0.0 <= found.exploitability.upper < 1e-3


@dataclass
class Documented:
    """A policy as the documentation describes it: `rules` and `strategy(history)`."""

    policy: zhaifei.TablePolicy

    @property
    def rules(self) -> zhaifei.Rules:
        return self.policy.rules

    def strategy(self, history: Sequence[zhaifei.Bid]) -> NDArray[np.float64]:
        return self.policy.strategy(history)


def test_a_policy_with_what_is_documented_is_measured(solved: zhaifei.TablePolicy) -> None:
    one = cast("zhaifei.Policy", Documented(solved))
    found = zhaifei.evaluate(one, gap=0.1).exploitability
    exact = zhaifei.evaluate(solved).exploitability
    assert found.upper - found.lower <= 0.1
    assert found.lower <= exact.upper
    assert exact.lower <= found.upper


def test_openspiel_measures_the_same(solved: zhaifei.TablePolicy) -> None:
    theirs = zhaifei.to_openspiel(solved)
    game = zhaifei.load_openspiel_game(SMALL)
    value = zhaifei.evaluate(solved).exploitability.upper
    assert exploitability.exploitability(game, theirs) == pytest.approx(value, abs=1e-7)
    back = zhaifei.from_openspiel(theirs, SMALL)
    np.testing.assert_allclose(back.strategy(()), solved.strategy(()))


def test_hands_and_bids_may_be_written_or_typed(solved: zhaifei.TablePolicy) -> None:
    written = zhaifei.advise(solved, "3", bid="f1x2")
    bid = zhaifei.Bid(zhaifei.Mode.FEI, 1, 2)
    assert zhaifei.advise(solved, (3,), history=(bid,)) == written
    assert sum(action.probability for action in written.actions) == pytest.approx(1.0)
    with pytest.raises(zhaifei.ZhaifeiError, match="11346"):
        zhaifei.advise(solved, "11346")


def test_policies_are_saved_and_loaded(solved: zhaifei.TablePolicy, tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    zhaifei.save_policy(path, solved)
    assert zhaifei.load_policy(path).rules == SMALL
    assert zhaifei.load_policy(str(path), SMALL).table.context.size == solved.table.context.size
    with pytest.raises(zhaifei.ZhaifeiError, match="but you asked for"):
        zhaifei.load_policy(path, zhaifei.preset("zhaifei"))


def test_the_least_exploitable_policy_is_loaded_by_default() -> None:
    assert zhaifei.load_policy().rules == zhaifei.preset("zhaifei")


def test_python_m_zhaifei_is_the_command_line() -> None:
    command = [sys.executable, "-m", "zhaifei", "--version"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=LONG,
        cwd=ROOT,
        env=environment(),
    )
    assert "version" in done.stdout
