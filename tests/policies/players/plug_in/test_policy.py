"""Strategy files that are measured: what best responses earn, compared with OpenSpiel and with the
same strategy as a table."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.exploitability import exploitability
from open_spiel.python.policy import TabularPolicy

from tests.command_line import LONG
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_bid
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.openspiel import to_openspiel
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn
from zhaifei.policies.players.plug_in.policy import PlugInPolicy
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.solver.bounds import BestResponse

EXAMPLES = Path(__file__).parent / "examples"
ONE_DIE = preset("zhaifei", dice=1, faces=3)
TWO_DICE = preset("zhaifei", dice=2, faces=2)


@contextmanager
def measured(file: Path, rules: Rules) -> Iterator[PlugInPolicy]:
    with closing(PlugIn(file, rules, limit=LONG)) as one:
        yield PlugInPolicy(PlugInPlayer(one))


def written(directory: Path, challenge: str, bid: str, more: str = "") -> Path:
    """A strategy file whose methods return these expressions."""
    file = directory / "one.py"
    file.write_text(
        "import random\nclass One:\n    asked = 0\n"
        f"    def challenge_bid(self, seen):\n        self.asked += 1\n        return {challenge}\n"
        f"    def make_bid(self, seen): return {bid}\n{more}"
    )
    return file


def best(policy: PlugInPolicy) -> BestResponse:
    *_, found = Evaluation(policy).refine()
    return found


def by_openspiel(policy: PlugInPolicy) -> float:
    """The exploitability that OpenSpiel finds by its walk over all states."""
    table = to_openspiel(policy)
    assert isinstance(table, TabularPolicy)
    return float(exploitability(pyspiel.convert_to_cached_tree(table.game), table))


@pytest.mark.parametrize("rules", [ONE_DIE, TWO_DICE], ids=["one die", "two dice"])
@pytest.mark.parametrize("name", ["my_strategy", "probabilistic", "mixing"])
def test_a_file_is_as_exploitable_as_openspiel_finds(name: str, rules: Rules) -> None:
    with measured(EXAMPLES / f"{name}.py", rules) as policy:
        found = best(policy)
        assert found.exact
        expected = by_openspiel(policy)
        assert found.exploitability.lower == pytest.approx(expected, abs=1e-9)
        assert found.exploitability.upper == pytest.approx(expected, abs=1e-9)
        assert policy.player.plug_in.losses == []


def test_a_file_is_as_exploitable_as_the_same_strategy_in_a_table() -> None:
    rules = preset("zhaifei", dice=2, faces=3)
    *_, expected = Evaluation(rule_based("probabilistic", rules)).refine()
    with measured(EXAMPLES / "probabilistic.py", rules) as policy:
        found = best(policy)
    assert found.exact
    for seat, its in zip(found.seats, expected.seats, strict=True):
        assert seat.lower == pytest.approx(its.lower, abs=1e-9)


def test_bounds_hold_the_value_while_much_is_left_open() -> None:
    rules = preset("zhaifei", dice=3, faces=4)
    *_, expected = Evaluation(rule_based("probabilistic", rules)).refine()
    gaps = []
    with measured(EXAMPLES / "probabilistic.py", rules) as policy:
        for found in Evaluation(policy).refine(seconds=2.0):
            assert found.exploitability.lower <= expected.exploitability.upper
            assert found.exploitability.upper >= expected.exploitability.lower
            gaps.append(found.gap)
    assert gaps == sorted(gaps, reverse=True)


def test_only_hands_that_come_to_a_history_are_asked_about(tmp_path: Path) -> None:
    """A file that opens with the face of its lowest die: after that it has few hands left."""
    file = written(tmp_path, "False", "next(b for b in seen.legal_bids if b.face == seen.dice[-1])")
    with measured(file, ONE_DIE) as policy:
        policy.strategy([])
        before = policy.questions
        third = policy.strategy([parse_bid("f1x3"), parse_bid("z1x1")])
        asked = policy.questions - before
        assert asked == 2  # the hand 3, twice
        challenge = third.shape[1] - 1
        assert (third[[0, 1], challenge] == 1.0).all()
        assert third[2, challenge] == 0.0
        assert len(hands(ONE_DIE)) == len(third)


@pytest.mark.parametrize("challenge", ["random.random() < 0.5", "self.asked % 2 == 1"])
def test_a_file_that_does_not_decide_alike_is_refused(tmp_path: Path, challenge: str) -> None:
    with (
        measured(written(tmp_path, challenge, "seen.legal_bids[0]"), ONE_DIE) as policy,
        pytest.raises(ZhaifeiError, match=r"does not always decide alike.*probabilities\(seen\)"),
    ):
        best(policy)


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        ("{'challenge': 1.0}", "probabilities includes challenge, which is illegal"),
        ("{seen.legal_bids[0]: 0.5}", "probabilities is negative or adds up to 0.5"),
        (
            "dict(zip(seen.legal_bids, (1.5, -0.5)))",
            "probabilities is negative or adds up to 1",
        ),
        ("{'飞9x9': 1.0}", "probabilities returned {'飞9x9': 1.0}, not probabilities of bids"),
        ("{seen.legal_bids[0]: '1'}", "probabilities returned"),
        ("[0.5, 0.5]", "probabilities returned [0.5, 0.5], not probabilities of bids"),
        ("1 / 0", "probabilities raised ZeroDivisionError in line"),
        ("{seen.legal_bids[0]: float('nan')}", "probabilities returned"),
    ],
)
def test_invalid_probabilities_lose_the_decision(tmp_path: Path, returned: str, why: str) -> None:
    more = f"    def probabilities(self, seen): return {returned}\n"
    with measured(written(tmp_path, "True", "seen.legal_bids[0]", more), ONE_DIE) as policy:
        found = policy.strategy([])
        (loss,) = policy.player.plug_in.losses
    assert str(loss.fault).startswith(why)
    np.testing.assert_array_equal(found[:, 0], 1.0)  # the weakest bid


def test_players_with_other_numbers_of_dice_are_asked_about_their_own_hands() -> None:
    rules = preset("zhaifei", dice=(2, 1), faces=2)
    with measured(EXAMPLES / "my_strategy.py", rules) as policy:
        assert best(policy).exact
        assert policy.player.plug_in.losses == []
