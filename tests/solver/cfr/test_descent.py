"""The descent on NashConv, against a slow twin, and against differences of NashConv itself."""

from itertools import permutations, product

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.twins.tree_twin import (
    ROUNDING,
    WALKS,
    History,
    Twin,
    by_hand,
    class_of,
    nodes_of,
    random_tree,
)
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.solver.cfr import descent
from zhaifei.solver.cfr.descent import Strategy, ahead_at, steps_of_descent
from zhaifei.solver.cfr.growing_tree import GrowingTree
from zhaifei.solver.cfr.own_tree import OwnTree
from zhaifei.solver.cfr.regret_matching import Step, positive_shares
from zhaifei.solver.cfr.row_precision import noise_for
from zhaifei.solver.cfr.shared_work import Crew

NONE = np.float32(0.0)
STEP = Step(NONE, NONE, np.float32(1.0), 7, noise_for(1000))
HARD = 1e-9
"""A softness by which only best actions count."""
AHEAD = 0.285
"""How far the 20th step goes on from the average: a sixth of 20 steps is its age."""
VARIANTS = [
    (Rules.of(players=3, dice=1, faces=2, first_count=1), 60),
    (Rules.of(players=3, dice=2, faces=2), 60),
    (Rules.of(players=3, dice=1, faces=2, first_count=1, jump_challenge=True), 90),
    (Rules.of(players=4, dice=1, faces=3, modes=(Mode.FEI,), jump_challenge=True), 90),
    (Rules.of(players=3, dice=1, faces=2, first_count=1, doubled=(2, 4)), 90),
]
"""And how many actions are added to trees of all openings."""

both_ways = in_both_ways(*WALKS)
merged = pytest.mark.parametrize("merged", [False, True], ids=["hands", "classes"])
variants = pytest.mark.parametrize(("rules", "size"), VARIANTS, ids=str)


def tree_of(rules: Rules, grown: GrowingTree) -> OwnTree:
    return OwnTree(grown, Crew(rules, grown.tree.root, None))


def spread(grown: GrowingTree, rows: np.ndarray) -> dict[History, np.ndarray]:
    """[hand] the number of each hand's class in `rows`, by history."""
    return {
        history: rows[grown.tree.row[node] + class_of(grown, node)].astype(float)
        for history, node in nodes_of(grown.state()).items()
    }


def decisions(twin: Twin) -> list[History]:
    """Where the twin's tree has children."""
    histories = {history[:-1] for history in twin.regret if history}
    return sorted(histories, key=lambda history: (len(history), history))


def shares_at_root(grown: GrowingTree) -> np.ndarray:
    return positive_shares(grown.start_rows(grown.tree.regret))


def responded(twin: Twin, softness: float) -> float:
    """NashConv within the tree; the best responses are noted."""
    seats = range(twin.rules.players)
    values = [twin.gather((), seat, seat, softness, twin.dealt_ranges) for seat in seats]
    return sum(float(r @ v) for r, v in zip(twin.dealt_ranges, values, strict=True))


def descended(twin: Twin, rate: float) -> dict[History, np.ndarray]:
    """What a step makes of the strategy, by history."""
    for seat, to in permutations(range(twin.rules.players), 2):
        twin.gather((), seat, to, HARD, twin.dealt_ranges)
    found = {}
    for history, mass in twin.others.items():
        if np.float32(mass) > 0.0:  # as the ranges are held
            average = twin.played(twin.average, history)
            for action, share in twin.played(twin.regret, history).items():
                longer = (*history, action)
                # Where nothing was played before, a step does not go on.
                some = sum(twin.average[(*history, a)] for a in twin.children(history)) > 0.0
                ahead = AHEAD * some * (share - average[action])
                found[longer] = np.maximum(share + rate / mass * twin.gain[longer] + ahead, 0.0)
    return found


@pytest.mark.parametrize("nash_conv", [0.02, 9.0], ids=["near", "far"])
@merged
@variants
def test_a_step_does_what_its_twin_does(rules, size, merged, nash_conv, both_ways):
    grown = random_tree(rules, 0, size, merged=merged)
    twin, tree, shares = Twin(rules, by_hand(grown)), tree_of(rules, grown), shares_at_root(grown)
    before, changed = spread(grown, grown.tree.regret), 0
    in_tree = responded(twin, 0.1 * nash_conv)
    gathered = tree.part.gathering()
    average = positive_shares(grown.start_rows(grown.tree.average))
    strategy = Strategy(shares, average, nash_conv)
    moved = descent.descend(tree, grown.tree.root.ranges, strategy, 20, STEP)
    noted, soft = spread(grown, gathered.best), 0
    for history, best in twin.best.items():
        if len(history) > 1 and best.any():
            # Rounding may go either way.
            np.testing.assert_allclose(noted[history], best, atol=1.01)
            soft += bool(((best > 0) & (best < 255)).any())
            twin.best[history] = noted[history]
    assert soft > 5 or nash_conv < 1.0
    rate = 0.15 if rules.players == 3 else 0.5
    expected = descended(twin, min(rate * in_tree, 0.1))
    after = spread(grown, grown.tree.regret)
    for place, action in enumerate(grown.tree.action[grown.starts].tolist()):
        np.testing.assert_allclose(moved[place], expected[(action,)], atol=20 * ROUNDING)
    for history in nodes_of(grown.state()):
        if len(history) > 1:
            wanted = expected.get(history, before[history])
            np.testing.assert_allclose(after[history], wanted, atol=20 * ROUNDING)
            changed += bool((after[history] != before[history]).any())
    assert changed > 10


@pytest.mark.parametrize(("rules", "size"), VARIANTS[2:3], ids=str)
def test_gains_are_the_slopes_of_nash_conv(rules, size):
    """A hand that takes an action a little more often changes NashConv by the action's gain."""
    twin = Twin(rules, by_hand(random_tree(rules, 2, size)))
    # Everybody may do everything, so best responses are not at a corner.
    rng = np.random.default_rng(0)
    for row in twin.regret.values():
        row[:] = rng.exponential(size=row.shape)
    before = responded(twin, HARD)
    descended(twin, 0.0)
    gain, seen, little = dict(twin.gain), 0, 1e-7
    strategies = {history: twin.played(twin.regret, history) for history in decisions(twin)}
    for history, hand in product(strategies, range(twin.dealt_ranges.shape[1])):
        for action in strategies[history]:
            kept = {a: twin.regret[(*history, a)].copy() for a in strategies[history]}
            for other, theirs in strategies[history].items():
                mixed = (1.0 - little) * theirs[hand] + little * (other == action)
                twin.regret[(*history, other)] = theirs.copy()
                twin.regret[(*history, other)][hand] = mixed
            slope = (before - responded(twin, HARD)) / little
            own = twin.dealt_ranges[twin.mover(history)][hand]
            for length in range(len(history)):
                if twin.mover(history[:length]) == twin.mover(history):
                    own *= strategies[history[:length]][history[length]][hand]
            assert slope == pytest.approx(own * gain[(*history, action)][hand], abs=3e-6)
            seen += abs(slope) > 1e-4
            for other, row in kept.items():
                twin.regret[(*history, other)] = row
    assert seen > 50


def test_the_averages_become_the_strategy(both_ways):
    rules, size = VARIANTS[1]
    for merged in (False, True):
        grown = random_tree(rules, 4, size, merged=merged)
        twin = Twin(rules, by_hand(grown))
        tree_of(rules, grown).take_averages()
        after = Twin(rules, by_hand(grown))
        for history in decisions(twin)[1:]:
            expected = twin.played(twin.average, history)
            for action, share in after.played(after.regret, history).items():
                np.testing.assert_allclose(share, expected[action], atol=1e-6)


@pytest.mark.parametrize(
    ("rules", "before"),
    [
        (Rules.of(players=3), 900),
        (Rules.of(players=4), 250),
        (Rules.of(players=4, jump_challenge=True), 250),
        (Rules.of(players=3, jump_challenge=True), 250),
        (Rules.of(players=6, jump_challenge=True), 250),
    ],
    ids=str,
)
def test_steps_follow_the_passes_of_regret_matching(rules, before):
    assert steps_of_descent(before, rules) == 0
    assert [steps_of_descent(before + more, rules) for more in (1, 2, 10)] == [1, 2, 10]


@pytest.mark.parametrize("rules", [Rules.of(), Rules.of(players=5)], ids=str)
def test_regret_matching_goes_on_where_it_is_fast(rules):
    assert steps_of_descent(10_000, rules) == 0


def test_a_step_repeats_most_of_the_latest_steps():
    assert ahead_at(20) == pytest.approx(AHEAD)
    assert ahead_at(570) == pytest.approx(0.01)
    assert ahead_at(1) == ahead_at(2) == 0.5
