"""Sampled gains agree with exact ones, and their bounds hold as often as they should."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from tests.command_line import LONG
from tests.policies.reading_policies import policy_for
from tests.policies.small_policies import random_policy
from zhaifei.game.rules import Rules
from zhaifei.policies.measure import known_gain
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.measure.known_gain import (
    KnownGain,
    known_gains,
    known_gains_on_reading,
    known_nash_conv,
)
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.mccfr import MCCFR

RULES = [
    Rules.of(players=3, dice=1, faces=2),
    Rules.of(players=3, dice=1, faces=2, jump_challenge=True),
]


@pytest.fixture(autouse=True)
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the clock by one that advances when it is read, so that learning is equally long on
    any machine."""
    ticks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: next(ticks) * 0.02)
    monkeypatch.setattr(known_gain, "time", clock)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_known_gains_are_below_what_best_responses_gain_and_not_by_much(rules: Rules) -> None:
    policy = random_policy(rules, seed=5)
    *_, known = known_gains(policy, seconds=3.0)
    evaluation = Evaluation(policy)
    *_, best = evaluation.refine()
    exact = evaluation.gains(best, seconds=LONG)
    assert len(known) == rules.players
    for gain, of_best in zip(known, exact, strict=True):
        assert gain.traversals > 500
        assert 0.0 < gain.deviation < 0.01
        # Four deviations: what a response gains is at most what the best one does.
        assert gain.mean <= of_best.upper + 4 * gain.deviation
        assert gain.mean >= of_best.lower - 0.05
        assert gain.lower < gain.mean
    assert 0.0 < known_nash_conv(known) < best.nash_conv.upper


def test_gains_are_yielded_seat_by_seat() -> None:
    lengths = [len(found) for found in known_gains(random_policy(RULES[0]), seconds=0.0)]
    assert lengths == [0, 1, 2, 3]


def test_against_a_near_equilibrium_no_gain_exceeds_the_exact_one() -> None:
    """Whatever was learned, the sampled gain stays below NashConv, within sampling error."""
    rules = RULES[0]
    engine = MCCFR(rules, "full", seed=2)
    while engine.sweeps < 3_000:
        engine.advance()
    policy = TablePolicy(rules, "full", engine.strategy())
    *_, best = Evaluation(policy).refine()
    for gain in list(known_gains(policy, seconds=1.0))[-1]:
        assert gain.mean <= best.nash_conv.upper + 4 * gain.deviation


def test_the_bound_holds_for_nineteen_samples_in_twenty(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a fixed response and policy, compare bounds with the mean over all samples."""
    monkeypatch.setattr(known_gain, "ROUNDS", 400)
    policy, response = (random_policy(RULES[1], seed=seed) for seed in (1, 2))
    samples = [known_gain._gains(policy, response, 0, seed) for seed in range(400)]
    truth = float(np.mean(samples))
    bounds = [
        KnownGain(s.mean(), s.std(ddof=1) / np.sqrt(s.size), 0).mean
        - 1.645 * s.std(ddof=1) / np.sqrt(s.size)
        for s in samples
    ]
    covered = np.mean([bound <= truth for bound in bounds])
    # Binomial: 0.95 of 400, give or take four standard errors of 0.011.
    assert 0.906 <= covered <= 0.994


def test_bounds_are_never_below_zero_and_add_up() -> None:
    assert KnownGain(-0.2, 0.01, 1).lower == 0.0
    assert KnownGain(0.2, 0.01, 1).lower == pytest.approx(0.2 - 0.016449, abs=1e-5)
    both = known_nash_conv([KnownGain(0.2, 0.03, 1), KnownGain(0.1, 0.04, 1)])
    assert both == pytest.approx(0.3 - 1.6449 * 0.05, abs=1e-4)


def test_known_gains_on_a_policy_that_reads_are_below_what_best_responses_gain() -> None:
    policy = policy_for(Rules.of(players=3, dice=1, faces=2))
    *_, known = known_gains_on_reading(policy, rounds=2_000)
    *_, best = Evaluation(policy).refine()
    gains = Evaluation(policy).gains(best, seconds=np.inf)
    assert len(known) == len(gains) == 3
    assert max(gain.mean for gain in known) > 0.1  # a table made up at random can be beaten
    for gain, exact in zip(known, gains, strict=True):
        assert gain.mean - 5.0 * gain.deviation <= exact.upper
    assert known_nash_conv(known) <= best.nash_conv.upper
