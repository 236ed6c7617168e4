"""Strategies that are held fixed: the game that is solved is the one with chance in their place."""

from collections.abc import Sequence

import numpy as np
import pytest

from tests.solver import plain_game
from tests.solver.helds import drawn_held, drawn_helds
from tests.solver.kernels import in_both_ways
from tests.solver.sequence_form import SMALL, best_plan
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import tree_challenges, tree_respond, tree_walk
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.response.held_replies import HeldReplies
from zhaifei.solver.tables.held import Held
from zhaifei.solver.tables.strategy_table import strategy_after

both_ways = in_both_ways(tree_challenges, tree_respond, tree_walk)
any_small = pytest.mark.parametrize("rules", SMALL.values(), ids=SMALL)
EXACT = 1e-5
"""What single precision adds up to."""


def trained(rules: Rules, held: Sequence[Held], passes: int, **position: object) -> TreeCFR:
    training = TreeCFR(rules, held=held, **position)
    while training.passes < passes:
        training.advance()
    return training


@pytest.mark.parametrize("seed", range(6))
@any_small
def test_the_value_is_that_of_the_best_plans_that_play_what_is_held(rules, seed):
    held = drawn_helds(rules, 1 + seed, seed)
    training = trained(rules, held, 300)
    earned = training.measure().earned
    value, _ = best_plan(rules, 0, held)
    other, _ = best_plan(rules, 1, held)
    assert value == pytest.approx(-other, abs=1e-6)
    # What best responses earn that leave alone what is held, on either side of the value.
    assert -earned[1] - EXACT <= value <= earned[0] + EXACT
    assert training.nash_conv < 5e-3


def test_something_that_is_held_costs_its_player():
    """Or the tests above would pass if nothing were held."""
    rules, changed = SMALL["3 faces"], 0
    free = best_plan(rules, 0, ())[0]
    for seed in range(6):
        held = [one for one in drawn_helds(rules, 4, seed) if len(one.history) % 2 == 1]
        value = best_plan(rules, 0, held)[0]
        assert value >= free - 1e-7
        changed += value > free + 0.01
    assert changed > 3


@any_small
def test_best_responses_are_those_to_the_average_that_leave_alone_what_is_held(rules, both_ways):
    held = drawn_helds(rules, 5, 3)
    tables, prior = bid_tables(rules), bid_tables(rules).prior[0].astype(np.float64)
    for passes in (1, 6, 13):
        training = trained(rules, held, passes)
        found = training.measure()
        replies = HeldReplies(tables, training.average(), held)
        first = replies.value((), prior, moves=True)
        opened = strategy_after(training.average(), tables, ())
        second = sum(
            replies.value((bid,), prior * opened[:, bid], moves=True)
            for bid in plain_game.legal_actions(rules, ())
        )
        assert found.values[0].max(axis=0) == pytest.approx(first, abs=EXACT)
        assert found.values[1].sum(axis=0) == pytest.approx(second, abs=EXACT)


@any_small
def test_the_average_plays_what_is_held(rules):
    held = drawn_helds(rules, 6, 1)
    training = trained(rules, held, 40)
    average, tables, seen = training.average(), bid_tables(rules), 0
    for one in held:
        mover, reach = len(one.history) % 2, np.ones(tables.hands)
        for place in range(mover, len(one.history), 2):
            made, bid = one.history[:place], one.history[place]
            reach *= strategy_after(average, tables, made)[:, bid]
        played = strategy_after(average, tables, one.history)
        reached = one.hands & (reach > 1e-3)
        assert played[reached] == pytest.approx(one.played[reached], abs=1e-4)
        seen += int(reached.sum())
    assert seen > 0


def test_the_tree_does_not_grow_for_hands_that_are_held():
    rules = SMALL["2 dice"]
    tables = bid_tables(rules)
    held = drawn_helds(rules, 6, 2)
    held = [one._replace(hands=np.ones_like(one.hands)) for one in held]
    training = trained(rules, held, 120)
    tree, played = training.grown.tree, {one.history: one.played.any(axis=0) for one in held}
    ways = {0: ()}
    for node in range(1, len(training.grown)):
        action = int(tree.action[node])
        way = ways[node] = (*ways[int(tree.parent[node])], action)
        made = way[:-1]
        if made in played and action < tables.claimed.size:
            # Beside what is played there may be what was there to make it no leaf.
            weakest = tables.first_raise[made[-1] + 1]
            assert (
                played[made][action]
                or action == weakest
                or any(one.history[: len(way)] == way for one in held)
            )


def test_from_a_position_it_is_the_same_game():
    """What follows the likeliest opening, with the ranges of a solution: no gain is left there."""
    rules = SMALL["2 dice"]
    tables, made = bid_tables(rules), (6,)
    prior = tables.prior[0].astype(np.float64)
    for seed in range(4):
        held = drawn_helds(rules, 3, seed, made)
        root = root_of(tables, made, np.stack([prior, prior]).astype(np.float32))
        training = trained(rules, held, 200, root=root)
        earned = training.measure().earned
        replies = HeldReplies(tables, training.average(), held)
        mine = prior @ replies.value(made, prior, moves=True)
        theirs = prior @ replies.value(made, prior, moves=False)
        assert earned == pytest.approx([mine, theirs], abs=EXACT)
        assert -EXACT <= training.nash_conv < 5e-3


def test_threads_change_nothing():
    rules = SMALL["2 dice"]
    held = drawn_helds(rules, 5, 4)
    one, two = (trained(rules, held, 40, threads=threads) for threads in (1, 2))
    for name, array in one.state().items():
        assert array.tobytes() == two.state()[name].tobytes(), name


def test_where_only_a_challenge_is_legal_nothing_needs_to_be_held():
    rules = SMALL["3 faces"]
    strongest = bid_tables(rules).claimed.size - 1
    made = max(h for h in plain_game.histories(rules) if h[-1:] == (strongest,) and len(h) == 2)
    held = drawn_held(rules, made, np.random.default_rng(0))
    assert trained(rules, [held], 300).nash_conv < 5e-3


def test_hands_that_challenge_are_held_where_others_may_raise():
    """Where nobody raises the tree has a leaf, which a best response may leave."""
    rules = SMALL["3 faces"]
    tables = bid_tables(rules)
    size, challenge = tables.hands, tables.claimed.size
    made = (int(np.flatnonzero(tables.legal[0])[0]),)
    played = np.zeros((size, challenge + 1))
    played[:, challenge] = 1.0
    held = Held(made, np.arange(size) > 0, played)
    training = trained(rules, [held], 300)
    value, _ = best_plan(rules, 0, [held])
    earned = training.measure().earned
    assert -earned[1] - EXACT <= value <= earned[0] + EXACT
    assert training.nash_conv < 5e-3
