"""Engines are as strong as they were, and the better of two policies is recognised."""

from dataclasses import replace

import pytest

from benchmarks.strength import FIXED, LEAST_TOLERANCE, SEEDS, Duel, duel, figure, tolerance
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.players.player import BatchPlayer

THREE = Rules.of(players=3, dice=2, faces=3)
JUMP = THREE.changed(jump_challenge=True)


def decided(old: BatchPlayer, new: BatchPlayer, points: float) -> Duel:
    *_, last = duel(old, new, points, rounds=200_000, seed=1)
    return last


@pytest.mark.slow
@pytest.mark.parametrize("name", FIXED)
def test_strength_after_fixed_work_is_that_of_the_committed_figure(name: str) -> None:
    committed = FIXED[name].committed
    found = figure(FIXED[name], SEEDS)
    assert found.mean / committed.mean <= tolerance(committed)


def test_less_work_is_noticed() -> None:
    work = FIXED["exact, liars_dice"]
    found = figure(replace(work, passes=work.passes * 9 // 10), seeds=2)
    assert found.mean / work.committed.mean > tolerance(work.committed) == LEAST_TOLERANCE


@pytest.mark.parametrize("rules", [Rules.of(dice=2), THREE, JUMP], ids=str)
def test_a_better_policy_passes_and_a_worse_one_does_not(rules: Rules) -> None:
    good, bad = load_player("honest", rules), load_player("random", rules)
    found = decided(bad, good, 0.01)
    assert (found.verdict, found.gain.lower > 0.05) == ("better", True)
    assert found.deals <= 20_000  # the first look
    assert decided(good, bad, 0.01).verdict == "not better"


@pytest.mark.parametrize("rules", [Rules.of(dice=2), JUMP], ids=str)
def test_a_policy_does_not_pass_against_itself(rules: Rules) -> None:
    same = load_player("honest", rules)
    found = decided(same, same, 0.002)
    assert (found.gain.mean, found.verdict) == (0.0, "not better")
