"""The players that come with the package."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest

from tests.policies.players.test_network import some_histories
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hand_index
from zhaifei.game.rules import preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.catalogue.known import load_any, load_known
from zhaifei.policies.catalogue.names import load_player, player_names
from zhaifei.policies.catalogue.shipped import (
    LEARNED,
    LEARNED_BY_SEVERAL,
    POLICIES,
    SHIPPED,
    SOLVED,
    certified,
    data_files,
    policy_name,
    shipped_description,
    shipped_names,
    shipped_path,
    shipped_player_path,
    shipped_policy,
)
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.measure.timed_evaluation import TimedEvaluation
from zhaifei.policies.play.simulation import penalty_share
from zhaifei.policies.players.match_policy import load_match
from zhaifei.policies.players.network import LearnedPolicy
from zhaifei.policies.players.player import PLAIN
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.solver.response.full_recall import opening_values
from zhaifei.solver.tables.queries import verified

RULES = preset("zhaifei")


NETWORKS = {**dict.fromkeys(LEARNED, RULES), **LEARNED_BY_SEVERAL}
networks = pytest.mark.parametrize("name", NETWORKS)


@networks
def test_networks_come_with_the_package(name: str) -> None:
    rules, (algorithm, *_) = NETWORKS[name], name.split("-")
    assert name in player_names(rules)
    one = load_player(name, rules)
    assert str(one) == name
    assert isinstance(one, PolicyPlayer)
    assert isinstance(one.policy, LearnedPolicy)
    assert one.policy.training["algorithm"] == algorithm
    players = "" if rules.players == 2 else f"--players {rules.players} "
    assert one.policy.training["command"].startswith(f"zhaifei train {algorithm} {players}--steps ")
    assert shipped_player_path(name, rules).stat().st_size < 500_000
    histories = some_histories(rules, 20)
    for history, strategy in zip(histories, one.policy.strategies(histories), strict=True):
        verified(bid_tables(rules), history, strategy)


@networks
def test_networks_have_learnt(name: str) -> None:
    """They take few points among copies of the player that plays at random."""
    rules = NETWORKS[name]
    one, other = load_player(name, rules), load_player("random", rules)
    assert penalty_share(one, other, rules, 2000, seed=1).share < 0.4 / rules.players


def test_learned_players_tell_how_long_they_learnt() -> None:
    for name in NETWORKS:
        algorithm, *_ = name.split("-")
        told = str(shipped_description(name))
        assert re.search(rf"{algorithm.upper()} .*in [\d.]+ million steps", told)


def test_learned_players_play_no_other_rules() -> None:
    for rules in (preset("basic"), preset("zhaifei", dice=4), preset("zhaifei", players=3)):
        assert not {*LEARNED} & {*player_names(rules)}
        with pytest.raises(ZhaifeiError, match=r"ppo plays only zhaifei: 2 players, 5 dice"):
            load_player("ppo", rules)


def test_greedy_players_play_one_action_and_others_mix() -> None:
    likeliest = {
        name: load_player(name, RULES).policy.strategy([]).max(axis=1)  # type: ignore[attr-defined]
        for name in LEARNED
    }
    np.testing.assert_array_equal(likeliest["dqn"], 1.0)
    assert likeliest["ppo"].min() < 0.9


@pytest.mark.parametrize(
    ("name", "sha256", "figure"),
    [
        (
            "zhaifei-2p",
            "35cff3e02e8f780596da0ec0b4183c2819a1cb9b00f3c289878a52a28134a252",
            0.004972,
        ),
        (
            "single-bid",
            "a525a672da50937074671edafb3b4788f40e4acf2a3a55d7a0579c9f8451010b",
            0.483028,
        ),
    ],
)
def test_certified_figures_are_of_these_very_files(name: str, sha256: str, figure: float) -> None:
    """The intervals that `zhaifei evaluate` printed for them are in README.md and RESULTS.md."""
    (path,) = [path for path in data_files() if path.stem == name]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    assert certified(path) == figure


def test_the_hand_that_is_dealt_least_often_earns_about_what_it_could() -> None:
    """Its rare actions reach few rounds, but they are all that it has against some bids."""
    policy, hand = load_policy(shipped_player_path("zhaifei-2p", None)), (1, 1, 1, 1, 1)
    could = opening_values(bid_tables(RULES), policy.table)[:, hand_index(RULES, hand)].max()
    actions = Adviser(policy).advise(hand, ()).actions
    earned = sum(one.probability * one.value for one in actions if one.probability > 0.0)
    assert could - 0.15 < earned <= could + 1e-6


def test_only_shipped_files_are_certified(tmp_path: Path) -> None:
    assert certified(tmp_path / "zhaifei-2p.safetensors") is None
    assert {path.stem for path in data_files() if certified(path) is not None} == {*POLICIES}


# policies for three players and more: those of SOLVED whose file is there

SEVERAL = sorted(name for name, rules in POLICIES.items() if rules.players > 2)
several = pytest.mark.parametrize("name", SEVERAL, scope="module")


def test_every_file_of_the_package_has_a_name() -> None:
    assert {path.stem for path in data_files()} == {*SHIPPED, "q-learner", "q-learner-as-published"}


def test_policies_are_named_after_their_rules() -> None:
    assert SOLVED.keys() >= {"single-bid", "zhaifei-2p"}
    for name, one in SOLVED.items():
        assert name in (policy_name(one.rules), "single-bid")
        assert one.command.startswith("zhaifei solve")
        assert one.rules == preset(
            "zhaifei" if name == "single-bid" else name.partition("-")[0],
            players=one.rules.players,
            jump_challenge=one.rules.stakes.jump_challenge,
        )


@pytest.mark.parametrize(("name", "most"), [("ktv-2p", 0.02), ("southern-2p", 0.03)])
def test_what_is_certified_of_rules_of_bars_is_what_a_best_response_gains(
    name: str, most: float
) -> None:
    path = shipped_player_path(name, None)
    *_, found = Evaluation(load_policy(path)).refine()
    figure = certified(path)
    assert figure is not None
    assert figure - 1e-6 < found.exploitability.lower <= found.exploitability.upper <= figure < most


of_match = pytest.mark.parametrize("name", ["knockout", "classic"])


@of_match
def test_what_is_certified_of_a_policy_for_matches_is_what_a_best_response_gains(name: str) -> None:
    path = shipped_player_path(f"{name}-2p", None)
    evaluation = TimedEvaluation(load_match(path), threads=1, seconds=600.0)
    gain = evaluation.best_responses().match_gain
    assert certified(path) == pytest.approx(gain.upper, abs=1e-6)
    assert gain.upper <= SOLVED[f"{name}-2p"].figure


@of_match
def test_policies_for_matches_of_two_give_up_less_than_1_percent(name: str) -> None:
    rules = preset(name, players=2)
    assert shipped_policy(rules) == f"{name}-2p"
    assert POLICIES[f"{name}-2p"] == rules
    figure = certified(shipped_player_path(f"{name}-2p", rules))
    assert figure is not None
    assert 0.0 < figure < 0.01
    for other in (preset(name, players=3), preset(name, players=2, dice=4)):
        assert shipped_policy(other) is None


def test_a_policy_whose_file_is_missing_is_not_shipped() -> None:
    for name, one in SOLVED.items():
        there = name in {path.stem for path in data_files()}
        assert (name in POLICIES) == (name in shipped_names(one.rules)) == there
        if name == policy_name(one.rules):
            assert (shipped_path(one.rules) is not None) == there


def test_together_the_policies_take_at_most_55_mb() -> None:
    assert sum(path.stat().st_size for path in data_files()) <= 55e6


def test_policies_with_jumps_are_shipped_for_three_to_six_players_in_at_most_6_mb() -> None:
    jumping = {name: rules for name, rules in POLICIES.items() if rules.stakes.jump_challenge}
    assert sorted(rules.players for rules in jumping.values()) == [3, 4, 5, 6]
    assert all(shipped_player_path(name, None).stat().st_size <= 6e6 for name in jumping)


@pytest.mark.slow
@several
def test_the_certified_nash_conv_is_that_of_this_very_file(name: str) -> None:
    path = shipped_player_path(name, None)
    *_, found = Evaluation(load_policy(path)).refine()
    exact, figure = found.nash_conv, certified(path)
    assert figure is not None
    assert figure - 1e-6 < exact.lower <= exact.upper <= figure


@several
def test_policies_for_several_players_answer_for_their_rules(name: str) -> None:
    rules = POLICIES[name]
    known = load_known(None, rules)
    assert known.policy.rules == rules
    assert known.policy.remembers_all
    assert known.policy.stored_opening_cost is not None
    assert known.record[1:] == (
        "nash_conv",
        certified(shipped_player_path(name, None)),
        "certified",
    )
    for find in (load_known, load_any):
        named = find(Path(name), None)
        assert isinstance(named.policy, TablePolicy)
        assert named.record == known.record._replace(name=name)


@several
def test_policies_for_several_players_play_reading_or_plain(name: str) -> None:
    def policy(called: str) -> Policy:
        one = load_player(called, POLICIES[name])
        assert isinstance(one, PolicyPlayer)
        assert str(one) == called
        return one.policy

    assert name in player_names(POLICIES[name])
    assert isinstance(policy(name), ReadingPolicy)
    assert isinstance(policy(f"{PLAIN}{name}"), TablePolicy)
    with pytest.raises(ZhaifeiError, match=rf"{name} plays only {POLICIES[name]}, but"):
        load_player(name, RULES)
