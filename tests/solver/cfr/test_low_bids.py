"""Rounds that may open low: each player on a tree in which they spare low bids."""

import numpy as np
import pytest

from tests.solver import plain_game, sequence_form
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr.each_alone import EachAlone, each_alone, is_of_each_alone
from zhaifei.solver.cfr.low_bids import EachSparing, low_bids, solver_of, spared_tables
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response.full_recall import full_recall_response

SMALL = Rules.of(dice=2, faces=2, first_count=2)
LARGER = Rules.of(dice=2, faces=3, first_count=2)
DOUBLED = Rules.of(dice=2, faces=2, first_count=2, doubled=(2, 4))
FIVE = preset("zhaifei", house=["first-count=2"])


def trained(rules: Rules, passes: int = 40) -> EachSparing:
    found = EachSparing(rules, None)
    for _ in range(passes):
        found.advance()
    return found


def named(rules: Rules, allowed: np.ndarray) -> list[str]:
    return [str(domain(rules)[bid]) for bid in np.flatnonzero(allowed)]


def after(rules: Rules, player: int, name: str) -> list[str]:
    (place,) = (place for place, bid in enumerate(domain(rules)) if str(bid) == name)
    return named(rules, spared_tables(rules, player).legal[place + 1])


# Which bids are spared


@pytest.mark.parametrize(
    "rules",
    [
        preset("zhaifei"),
        preset("zhaifei", house=["first-zhai=2"]),
        preset("ktv"),
        preset("northern"),
        preset("liars_dice", dice=5),
        preset("zhaifei", house=["first-count=2", "ones-end-fei"]),
    ],
    ids=str,
)
def test_other_rules_have_no_low_bids_and_keep_their_tables(rules):
    assert low_bids(rules) == 0
    assert spared_tables(rules, 0) is bid_tables(rules)


def test_bids_below_the_usual_opening_are_low():
    assert str(domain(FIVE)[low_bids(FIVE)]) == "飞3×2"


def test_the_opener_makes_only_the_last_low_bid():
    assert named(FIVE, spared_tables(FIVE, 0).legal[0])[:2] == ["飞2×6", "飞3×2"]


def test_the_other_player_meets_all_openings_and_answers_with_the_last_low_bids():
    assert named(FIVE, spared_tables(FIVE, 1).legal[0]) == named(FIVE, bid_tables(FIVE).legal[0])
    assert after(FIVE, 1, "飞2×2")[:3] == ["飞2×6", "斋1×6", "飞3×2"]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("rules", [SMALL, LARGER, FIVE], ids=str)
def test_a_player_who_spares_low_bids_leaves_the_other_all_that_the_rules_allow(rules, player):
    whole, spared = bid_tables(rules).legal, spared_tables(rules, player).legal
    openings = [()] if player == 0 else [(bid,) for bid in np.flatnonzero(whole[0])]
    for made in openings:
        before = made[-1] + 1 if made else 0
        for bid in np.flatnonzero(spared[before]):
            np.testing.assert_array_equal(spared[bid + 1], whole[bid + 1])


# Solving


def lacking(rules: Rules, player: int) -> list[tuple[int, tuple[int, ...]]]:
    """The sequences of a player who makes a low bid only where no low bid may follow it."""
    return [
        (hand, (*history, action))
        for history in sequence_form.sequences(rules, player).histories
        for action in plain_game.legal_actions(rules, history)
        for hand in range(len(hands(rules)))
        if action < low_bids(rules) and low_may_follow(rules, (*history, action))
    ]


def low_may_follow(rules: Rules, history: tuple[int, ...]) -> bool:
    return any(action < low_bids(rules) for action in plain_game.legal_actions(rules, history))


@pytest.mark.parametrize("player", [0, 1])
def test_a_player_loses_as_little_as_without_low_bids_of_their_own(player):
    """As a linear programme finds it, in which the player never makes other low bids."""
    solver = solver_of(SMALL, player, None)
    for _ in range(1500):
        solver.advance()
    worth, _ = sequence_form.best_plan(SMALL, player, (), lacking(SMALL, player))
    assert -solver.measure().earned[1 - player] == pytest.approx(worth, abs=1e-3)


@pytest.mark.parametrize("more", [0, 20])
@pytest.mark.parametrize("rules", [LARGER, DOUBLED], ids=str)
def test_the_policy_is_as_exploitable_in_the_whole_game_as_training_says(rules, more):
    found: EachSparing | EachAlone = trained(rules)
    if more:
        found = each_alone(found)
    for _ in range(more):
        found.advance()
    found.measure()
    measured = full_recall_response(bid_tables(rules), found.compact_average(1e-7))
    assert measured.nash_conv.upper == pytest.approx(found.nash_conv, abs=4e-4)


@pytest.mark.parametrize("player", [0, 1])
def test_a_player_alone_still_spares_low_bids(player):
    alone = each_alone(trained(LARGER)).solvers[player]
    np.testing.assert_array_equal(alone.bids.legal, spared_tables(LARGER, player).legal)


# Checkpoints


@pytest.mark.parametrize("stage", [1, 2])
def test_resuming_continues_bit_for_bit(stage):
    found: EachSparing | EachAlone = trained(LARGER, 25)
    again: EachSparing | EachAlone = EachSparing(LARGER, None)
    if stage == 2:
        found = each_alone(found)
        again = EachAlone(
            [solver_of(LARGER, player, None, is_alone=True) for player in range(2)], 0.0
        )
    assert is_of_each_alone(found.state()) == (stage == 2)
    again.restore({name: array.copy() for name, array in found.state().items()})
    for _ in range(12):
        found.advance()
        again.advance()
    for name, array in found.state().items():
        np.testing.assert_array_equal(array, again.state()[name])


def test_the_trees_are_smaller_than_the_joint_one():
    joint = TreeCFR(LARGER, threads=None, large=True)
    for _ in range(40):
        joint.advance()
    assert sum(one.decisions for one in trained(LARGER).solvers) < 2 * joint.decisions
