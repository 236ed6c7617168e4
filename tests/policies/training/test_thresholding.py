"""Policies for several players without small shares: taken only where NashConv falls."""

from dataclasses import replace

import numpy as np
import pytest

from tests.policies.training.test_solver_run import new_run
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.record import LEAST_SHARE
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.training.engines import Setup
from zhaifei.policies.training.thresholding import SHARES, thresholded
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.tables.strategy_table import StrategyTable, dense, strategy_table

RULES = Rules.of(players=3, dice=1, faces=3)
SETUP = Setup(RULES, "tree", "full", 0, 1)
NOISE = 0.02


def nash_conv(table: StrategyTable) -> float:
    return full_recall_response(bid_tables(RULES), table).nash_conv.upper


def solved(monkeypatch: pytest.MonkeyPatch) -> TablePolicy:
    """Return a policy that is near an equilibrium, in a compact table."""
    monkeypatch.setattr("zhaifei.solver.tables.strategy_table._EXACT_ENTRIES", 0)
    run = new_run(SETUP, 2_000)
    while run.done < 2_000:
        run.advance()
    policy = run.result()
    assert isinstance(policy, TablePolicy)
    return policy


def with_noise(policy: TablePolicy) -> TablePolicy:
    """Return the policy with every action of a node played a little more often."""
    table, shares = policy.table, dense(policy.table).astype(np.float32)
    rows = [*map(np.arange, table.first_row, table.end_row)]
    played = [shares[own] / shares[own].sum(axis=0) for own in rows]
    noisy = [(1.0 - NOISE) * own + NOISE / len(own) for own in played]
    firsts = np.cumsum([0, *map(len, rows)])
    actions = table.action[np.concatenate(rows)]
    source = strategy_table(
        table.recall, table.context, firsts, actions, np.concatenate(noisy, dtype=np.float32)
    )
    return replace(policy, source=source)


def test_noise_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    noisy = with_noise(solved(monkeypatch))
    before = nash_conv(noisy.table)
    kept = thresholded(noisy, before)
    after = kept.training["nash_conv"]
    assert after < 0.5 * before
    assert after == pytest.approx(nash_conv(kept.table), abs=1e-9)
    least = kept.training[LEAST_SHARE]
    assert least in SHARES
    shares = dense(kept.table) / kept.table.steps
    assert shares[shares > 0].min() >= least


def test_a_policy_is_kept_if_no_share_makes_it_stronger(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = solved(monkeypatch)
    assert thresholded(policy, 0.0) is policy


def test_runs_of_large_trees_write_the_stronger_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = solved(monkeypatch)
    monkeypatch.setattr("zhaifei.policies.training.solver_run.is_large", lambda rules: True)
    policy = solved(monkeypatch)
    found = nash_conv(policy.table)
    assert found <= nash_conv(whole.table) + 1e-9
    assert policy.training["nash_conv"] == pytest.approx(found, abs=1e-6)
    assert np.isfinite(found)
