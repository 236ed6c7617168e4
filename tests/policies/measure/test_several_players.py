"""What is measured of a shipped policy for three players or more."""

import pytest

from tests.policies.small_policies import random_policy
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.shipped import LEARNED_BY_SEVERAL, POLICIES
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.measure.mixed_tables import mixed_tables
from zhaifei.policies.measure.openings import opening_play
from zhaifei.policies.measure.penalty_shares import penalty_shares
from zhaifei.policies.measure.several_players import (
    FEWER,
    MIXED_WITH,
    SeveralResults,
    measure_several,
    networks_for,
    others_for,
    shipped_for_several,
)
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import as_played

POLICY = random_policy(Rules.of(players=3, dice=1, faces=2))


def measured() -> tuple[SeveralResults, list[tuple[str, int, int]]]:
    stages: list[tuple[str, int, int]] = []
    found = measure_several(
        "mine", POLICY, 200, 3, lambda stage, done, goal: stages.append((str(stage), done, goal))
    )
    return found, stages


def test_a_policy_is_measured_as_it_plays_and_its_table_exactly() -> None:
    found, stages = measured()
    assert (found.name, found.rules) == ("mine", POLICY.rules)
    *_, earned = Evaluation(POLICY).refine()
    exact = earned.nash_conv
    assert found.earned.nash_conv == exact
    assert sum(gain.upper for gain in found.gains) == pytest.approx(exact.upper)
    assert found.opening == opening_play(POLICY, 200, 3)
    mine = PolicyPlayer(as_played(POLICY), "mine")
    met = others_for(POLICY.rules)
    *_, shares = penalty_shares(mine, 200, 3, met)
    assert found.shares == shares
    others = [load_player(name, POLICY.rules) for name in MIXED_WITH]
    *_, mixed = mixed_tables(mine, others, 200 // FEWER, 3)
    assert found.mixed == mixed
    assert mixed.tables == 21
    assert stages[-1] == ("mixed tables of mine", 21, 21)
    assert ("penalty shares of mine", len(met), len(met)) in stages


def test_policies_for_several_are_measured_by_number_of_players() -> None:
    names = shipped_for_several()
    assert {*names} == {name for name, rules in POLICIES.items() if rules.players > 2}
    sizes = [(POLICIES[name].stakes.jump_challenge, POLICIES[name].players) for name in names]
    assert sizes == sorted(sizes)


def test_networks_are_met_only_with_as_many_players() -> None:
    assert not {*others_for(POLICY.rules)} & {*LEARNED_BY_SEVERAL}
    for players in range(3, 9):
        networks = {*others_for(preset("zhaifei", players=players))} & {*LEARNED_BY_SEVERAL}
        names = {f"nfsp-{players}p", f"ppo-{players}p"} if players <= 6 else set()
        assert networks == names == {*networks_for(preset("zhaifei", players=players))}
