from itertools import product

import numpy as np
import pytest

from tests.solver import plain_game
from tests.solver.kernels import in_both_ways, verify_indices
from tests.solver.plain_game import Ended
from tests.solver.twins.tree_twin import (
    ROUNDING,
    TIE,
    WALKS,
    Twin,
    by_hand,
    class_of,
    nodes_of,
    paid,
    random_tree,
    verify_gains,
)
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands
from zhaifei.game.parts import Mode
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import (
    seldom_replies,
    tree_averages,
    tree_challenges,
    tree_improve,
    tree_respond,
    tree_walk,
)
from zhaifei.solver.cfr.growing_tree import NONE, GrowingTree
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.root import root_of
from zhaifei.solver.cfr.row_precision import noise_for
from zhaifei.solver.cfr.tree_challenges import Challenge
from zhaifei.solver.cfr.tree_walk import Entries, TreeWalk, key_after, new_walk
from zhaifei.solver.cfr.trembling import tremble_at

VARIANTS = [
    (Rules.of(dice=1, faces=2), 30),
    (Rules.of(dice=2, faces=2), 70),
    (
        Rules.of(dice=2, faces=2, wild=2, fei_to_zhai="flat", zhai_to_fei="double", first_count=1),
        200,
    ),
    (preset("liars_dice", faces=3), 35),
    (preset("zhaifei", dice=(1, 2), faces=3), 30),
    (round_rules(preset("knockout", dice=(2, 3), faces=3), (2, 3)), 60),
    (round_rules(preset("increment", dice=(2, 2), faces=3), (2, 2)), 40),
    (Rules.of(dice=2, faces=3, modes=(Mode.FEI,), first_count=1), 60),
    (Rules.of(players=3, dice=1, faces=2, first_count=1), 60),
    (Rules.of(players=3, dice=2, faces=2), 60),
    (Rules.of(players=3, dice=1, faces=2, first_count=1, jump_challenge=True), 90),
    (Rules.of(players=4, dice=1, faces=3, modes=(Mode.FEI,), jump_challenge=True), 90),
    (Rules.of(dice=1, faces=2, doubled=(2,), giving_up="forbidden"), 40),
    (Rules.of(dice=2, faces=2, doubled=(2, 4)), 150),
    (Rules.of(dice=2, faces=2, doubled=(2, 8), giving_up="half", ones_end_fei=True), 150),
    (Rules.of(players=3, dice=1, faces=2, first_count=1, doubled=(2, 4)), 90),
    (Rules.of(players=4, dice=1, faces=3, modes=(Mode.FEI,), doubled=(2, 4, 8)), 90),
]
"""And how many actions are added to trees of all openings."""
MANY = Rules.of(dice=2, faces=2, first_count=1)
"""With thousands of histories."""
STEP = Step(np.float32(0.75), np.float32(0.4), np.float32(3.0), 7, noise_for(1000))

both_ways = in_both_ways(seldom_replies, *WALKS)
variants = pytest.mark.parametrize(("rules", "size"), VARIANTS, ids=str)


def walk_for(rules: Rules) -> TreeWalk:
    """With what a kernel must not rely on."""
    walk_root = root_of(bid_tables(rules))
    walk = new_walk(walk_root, len(domain(rules)) + 3)
    walk.entered[:] = walk.latest[:-1]
    for name, array in walk._asdict().items():
        if name not in ("mover", "latest", "entered", "partition", "size", "in_tree", "notes"):
            array[:] = 1
    return walk


def set_range(walk: TreeWalk, index: int, range_: np.ndarray) -> None:
    """Make `range_` [hand] R[`index`]."""
    walk.ranges[index], walk.mass[index], walk.counted[index] = range_, range_.sum(), 0


def random_ranges(rules: Rules, rng: np.random.Generator, mass: float = 1.0) -> np.ndarray:
    """[player, hand] float32, some hands excluded; player 0 comes with this mass, and of the others
    together with more players."""
    weight = rng.exponential(size=(rules.players, len(hands(rules))))
    weight[:, 1:][rng.random((rules.players, len(weight[0]) - 1)) < 0.2] = 0.0
    weight /= weight.sum(axis=1, keepdims=True)
    weight[0] *= mass
    return weight.astype(np.float32)


def entry(node: int, ranges: np.ndarray) -> Entries:
    """At `node`, where the players have these `ranges` [player, hand]."""
    return Entries(np.array([node]), ranges[np.newaxis], ranges.sum(axis=1)[np.newaxis])


def enter(grown: GrowingTree, walk: TreeWalk, node: int, ranges: np.ndarray) -> int:
    above: int = tree_walk.enter(grown.tree, walk, entry(node, ranges), 0)
    return above


def openings(grown: GrowingTree) -> dict[int, int]:
    """The node of each opening."""
    return {h[0]: node for h, node in nodes_of(grown.state()).items() if len(h) == 1}


# Challenges


@variants
def test_challenges_earn_what_all_hands_add_up_to(rules, size, both_ways):
    grown, walk = GrowingTree(root_of(bid_tables(rules))), walk_for(rules)
    rng = np.random.default_rng(1)
    value, players = np.zeros(len(hands(rules)), dtype=np.float32), rules.players
    kind, bids = bid_tables(rules).kind, domain(rules)
    for bid, depth in product(range(len(bids)), (players, 2 * players - 1)):
        for cost, distance, walker in product((1, 3), range(1, players), range(players)):
            ranges = random_ranges(rules, rng)
            for player, range_ in enumerate(ranges):
                set_range(walk, walk.latest[depth, player], range_)
            challenger = (depth - 1) % players
            bidder = (challenger - distance) % players
            claim = bids[bid].claim
            made = Challenge(depth, kind[bid], claim.count, cost, challenger, bidder)
            end = Ended(claim, (bidder, challenger), cost)
            expected = paid(rules, end, walker, ranges.astype(float))
            tree_challenges.write_paid(grown.tree, walk, walker, made, value)
            np.testing.assert_allclose(value, expected, atol=cost * ROUNDING)
            tree_challenges.add_paid(grown.tree, walk, walker, walker, made, value)
            np.testing.assert_allclose(value, 2 * expected, atol=cost * ROUNDING)


def test_ranges_are_counted_once_for_each_kind(both_ways):
    rules = Rules.of(dice=2, faces=2)
    grown, walk = GrowingTree(root_of(bid_tables(rules))), walk_for(rules)
    one, other = grown.tree.root.bids.kind[:2]
    assert one != other
    walk.latest[1, 0] = 2
    set_range(walk, 2, np.ones(3))
    assert tree_challenges.count_range(grown.tree, walk, 1, 0, one) == 2
    assert walk.counts[2, one].sum() == 3.0
    walk.ranges[2], walk.mass[2] = 2.0, 6.0
    tree_challenges.count_range(grown.tree, walk, 1, 0, one)
    tree_challenges.count_range(grown.tree, walk, 1, 0, other)
    assert walk.counts[2, one].sum() == 3.0
    assert walk.counts[2, other].sum() == 6.0


@variants
def test_all_kinds_are_counted_as_each_of_them(rules, size, both_ways):
    grown, rng = GrowingTree(root_of(bid_tables(rules))), np.random.default_rng(3)
    alone, together = walk_for(rules), walk_for(rules)
    for range_ in random_ranges(rules, rng):
        for walk in (alone, together):
            walk.latest[1, 0] = 2
            set_range(walk, 2, range_)
        for kind in range(alone.counts.shape[1]):
            tree_challenges.count_range(grown.tree, alone, 1, 0, kind)
        tree_challenges.count_all_kinds(grown.tree, together, 2)
        np.testing.assert_allclose(together.counts[2], alone.counts[2], atol=ROUNDING)
        assert together.counted[2] == alone.counted[2]
        # Nothing is counted twice.
        together.ranges[2] = 0.0
        tree_challenges.count_all_kinds(grown.tree, together, 2)
        np.testing.assert_allclose(together.counts[2], alone.counts[2], atol=ROUNDING)


# Strategies


def test_shares_above_zero_are_played_and_else_the_challenge(both_ways):
    grown = random_tree(MANY, 0, 100)
    twin, nodes = Twin(MANY, grown.state()), nodes_of(grown.state())
    walk, range_ = walk_for(MANY), np.array([0.2, 0.0, 0.5], dtype=np.float32)
    never, seen = 0, 0
    for history, node in nodes.items():
        if not history or grown.tree.first_child[node] == NONE:
            continue
        played, children = twin.played(twin.regret, history), []
        walk.node[1], child = node, grown.tree.first_child[node]
        while child != NONE:
            children.append(child)
            child = grown.tree.sibling[child]
        actions = grown.tree.action[children].tolist()
        assert sorted(actions) == sorted(twin.children(history))
        tree_walk.weigh_children(grown.tree, walk, 1, grown.tree.regret)
        set_range(walk, walk.entered[1, walk.mover[1]], range_)
        for place, (child, action) in enumerate(zip(children, actions, strict=True)):
            walk.place[1], walk.counted[3] = place, 1
            mass = tree_walk.move(grown.tree, walk, 1, child)
            np.testing.assert_allclose(walk.ranges[3], range_ * played[action], atol=1e-6)
            assert mass == walk.mass[3] == pytest.approx(walk.ranges[3].sum(), abs=1e-6)
            assert walk.counted[3] == 0
            seen += 1
        never += (walk.scale[1] == 0).sum()
    assert never > 5
    assert seen > 100


# Improving


def improved(
    grown: GrowingTree,
    walk: TreeWalk,
    opening: int,
    walker: int,
    ranges: np.ndarray,
    step: Step = STEP,
):
    above = enter(grown, walk, opening, ranges)
    tree_improve.improve(grown.tree, walk, opening, above, walker, step)
    return walk.value[0].copy()


def verify_averages(grown: GrowingTree, twin: Twin, before: dict[str, np.ndarray]) -> None:
    """Checks that each class got what the twin added for its hands since `before`."""
    after = by_hand(grown)["average"]
    for history, node in nodes_of(before).items():
        place, hand_by_hand = class_of(grown, node), twin.average[history] - before["average"][node]
        added = np.bincount(place, hand_by_hand)[place]
        np.testing.assert_allclose(after[node], before["average"][node] + added, atol=ROUNDING)


merged = pytest.mark.parametrize("merged", [False, True], ids=["hands", "classes"])


@pytest.mark.parametrize("mass", [1.0, 3e-9], ids=["likely", "negligible"])
@merged
@variants
def test_a_pass_does_what_cfr_does(rules, size, merged, mass, both_ways):
    passed_over = 0
    for seed, walker in product((0, 1), range(rules.players)):
        rng, grown = np.random.default_rng(seed), random_tree(rules, seed, size, merged=merged)
        before = by_hand(grown)
        twin, walk = Twin(rules, before), walk_for(rules)
        for bid, node in openings(grown).items():
            ranges = random_ranges(rules, rng, mass)
            value = improved(grown, walk, node, walker, ranges)
            expected = twin.improve((bid,), walker, ranges.astype(float), STEP)
            np.testing.assert_allclose(value, expected, atol=ROUNDING * (mass if walker else 1))
        after = by_hand(grown)
        verify_averages(grown, twin, before)
        for history, node in nodes_of(after).items():
            np.testing.assert_allclose(after["regret"][node], twin.regret[history], atol=ROUNDING)
            own = len(history) > 1 and plain_game.mover(rules, history[:-1]) == walker
            passed_over += own and (after["regret"][node] == before["regret"][node]).all()
    # Regrets are discounted everywhere but where the others hardly go.
    assert passed_over > 2


@merged
@variants
def test_the_others_tremble_while_a_player_is_improved(rules, size, merged, both_ways):
    step, moved = STEP._replace(tremble=np.float32(0.25)), 0.0
    for walker in range(rules.players):
        rng, grown = np.random.default_rng(walker), random_tree(rules, 3, size, merged=merged)
        before = by_hand(grown)
        twin, walk = Twin(rules, before), walk_for(rules)
        steady = Twin(rules, before)
        for bid, node in openings(grown).items():
            ranges = random_ranges(rules, rng)
            value = improved(grown, walk, node, walker, ranges, step)
            expected = twin.improve((bid,), walker, ranges.astype(float), step)
            np.testing.assert_allclose(value, expected, atol=ROUNDING)
            moved += abs(
                expected - steady.improve((bid,), walker, ranges.astype(float), STEP)
            ).sum()
        after = by_hand(grown)
        for history, node in nodes_of(after).items():
            np.testing.assert_allclose(after["regret"][node], twin.regret[history], atol=ROUNDING)
    assert moved > 0.1


def test_eight_players_tremble_and_less_with_the_root_of_the_passes():
    assert tremble_at(1, 8) == tremble_at(20, 8) == np.float32(0.1)
    assert tremble_at(80, 8) == np.float32(0.05)
    assert tremble_at(2000, 8) == np.float32(0.01)
    assert tremble_at(1, 7) == tremble_at(2000, 2) == 0.0


KEYS = [*range(20), *(key_after(key, action) for key in (7, 2**32 - 1) for action in range(10))]


def test_one_pass_in_four_follows_seldom_replies(both_ways):
    drawn = np.array(
        [[seldom_replies.is_drawn(passes, key) for key in KEYS] for passes in range(1, 2001)]
    )
    assert (abs(drawn.mean(axis=0) - 0.25) < 0.04).all()
    # Whatever other histories do.
    together = drawn.T.astype(float) @ drawn / len(drawn)
    assert (abs(together[~np.eye(40, dtype=bool)] - 0.0625) < 0.03).all()


def test_a_seldom_reply_counts_four_times_where_it_is_followed(both_ways):
    walk, reply, rare = walk_for(MANY), 5, np.array([0.0, 1e-5, 3e-5], dtype=np.float32)
    followed = 0
    for passes in range(1, 30):
        walk.key[3] = 17
        set_range(walk, reply, rare)
        mass = seldom_replies.sample(walk, 3, 2, passes)
        if mass > 0.0:
            np.testing.assert_array_equal(walk.ranges[reply], 4 * rare)
            assert mass == walk.mass[reply] == pytest.approx(4 * rare.sum())
            followed += 1
        else:
            np.testing.assert_array_equal(walk.ranges[reply], rare)
    assert 2 < followed < 14


@pytest.mark.parametrize("seldom", [0.02, 0.2])
def test_what_sampled_passes_find_is_right_on_average(seldom):
    """The values of a walk, and what it adds to averages, over many passes from the same tree."""
    grown, walk = random_tree(MANY, 1, 400), walk_for(MANY)
    ranges = random_ranges(MANY, np.random.default_rng(1))
    regret, average = (grown.state()[name].copy() for name in ("regret", "average"))
    number, (opening, *_) = 1500, openings(grown).values()

    def found(walker: int, step: Step) -> tuple[np.ndarray, np.ndarray]:
        grown.state()["regret"][:], grown.state()["average"][:] = regret, average
        above = enter(grown, walk, opening, ranges)
        tree_improve.improve(grown.tree, walk, opening, above, walker, step)
        return walk.value[0].copy(), grown.state()["average"] - average

    for walker in (0, 1):
        value, added = found(walker, STEP)
        steps = [STEP._replace(passes=i, seldom=np.float32(seldom)) for i in range(1, number + 1)]
        sampled = [found(walker, step) for step in steps]
        values, all_added = (np.array(each, dtype=float) for each in zip(*sampled, strict=True))
        assert (all_added[:, added > 0.0] == 0.0).mean() > 0.02
        for exact, each in ((value, values), (added, all_added)):
            error = each.std(axis=0) / number**0.5 + 1e-6
            assert (abs(each.mean(axis=0) - exact) < 5.5 * error).all()


@merged
@variants
def test_averages_are_added_to_by_own_reach(rules, size, merged, both_ways):
    for seed, player in product((0, 1), range(rules.players)):
        rng, grown = np.random.default_rng(seed), random_tree(rules, seed, size, merged=merged)
        before = by_hand(grown)
        twin, walk = Twin(rules, before), walk_for(rules)
        for bid, node in openings(grown).items():
            ranges = random_ranges(rules, rng, 0.1)
            above = enter(grown, walk, node, ranges)
            tree_averages.accumulate(grown.tree, walk, node, above, player, STEP)
            twin.accumulate((bid,), player, ranges[player].astype(float), 3.0)
        verify_averages(grown, twin, before)
        changed, after = 0, by_hand(grown)["average"]
        for history, node in nodes_of(before).items():
            if (after[node] != before["average"][node]).any():
                assert plain_game.mover(rules, history[:-1]) == player
                changed += 1
        assert changed > 2


@pytest.mark.parametrize("mass", [0.9e-9, 1.1e-9])
def test_replies_are_followed_from_a_mass_on(mass, both_ways):
    rules = preset("liars_dice", faces=3)
    grown = random_tree(rules, 3, 40)
    nodes = nodes_of(grown.state())
    history = next(h for h in nodes if len(h) == 3 and h[-1] != len(domain(rules)))
    # All hands raise to the second bid.
    for action in Twin(rules, grown.state()).children(history[:1]):
        grown.state()["regret"][nodes[(history[0], action)]] = float(action == history[1])
    grown.state()["regret"][nodes[history]] = [-2.0, 0.0, 3.0]
    reply, ranges = nodes[history[:2]], np.full((2, 3), mass / 3, dtype=np.float32)
    before = grown.state()["average"][reply].copy()
    improved(grown, walk_for(rules), nodes[history[:1]], 0, ranges)
    regret = grown.state()["regret"][nodes[history]]
    if mass > tree_walk.NEGLIGIBLE:
        expected = [-2.0 * STEP.keep_negative, 0.0, 3.0 * STEP.keep_positive]
        np.testing.assert_allclose(regret, expected, atol=1e-6)
    else:
        assert regret.tolist() == [-2.0, 0.0, 3.0]
        assert (grown.state()["average"][reply] == before).all()


def test_averages_do_not_depend_on_regrets_that_change_in_the_pass(both_ways):
    # The other's average is of what they play, the own average is left for the other's turn.
    rules = preset("liars_dice", faces=3)
    grown = random_tree(rules, 5, 40)
    before, walk = grown.state()["average"].copy(), walk_for(rules)
    for node in openings(grown).values():
        improved(grown, walk, node, 1, np.full((2, 3), 1 / 3, dtype=np.float32))
    for history, node in nodes_of(grown.state()).items():
        opener_acted = len(history) % 2 == 1
        if len(history) == 1 or not opener_acted:
            assert (grown.state()["average"][node] == before[node]).all()
    assert (grown.state()["average"] != before).any()


# Responding


def responded(grown: GrowingTree, walk: TreeWalk, opening: int, walker: int, ranges, least: float):
    """The value, and what each action that leaves the tree gains, by node and action."""
    walk.notes[0] = 0
    above = enter(grown, walk, opening, ranges)
    tree_respond.respond(grown.tree, walk, opening, above, walker, least)
    noted = walk.noted[: walk.notes[0]].tolist()
    gains = walk.noted_gain[: walk.notes[0]].tolist()
    keys = keys_of(grown)
    assert all(keys[node] == key for node, _, key in noted)
    found = {(node, action): gain for (node, action, _), gain in zip(noted, gains, strict=True)}
    assert len(found) == len(noted)
    assert not walk.in_tree.any()
    return walk.value[0].copy(), found


def keys_of(grown: GrowingTree) -> dict[int, int]:
    """The key of the history of each node."""
    keys = {}
    for history, node in nodes_of(grown.state()).items():
        keys[node] = 0
        for action in history:
            keys[node] = key_after(keys[node], action)
    return keys


def respond_everywhere(rules: Rules, grown: GrowingTree, seed: int, least: float) -> int:
    """Checks the values against random ranges, and what is noted; returns how much that was."""
    rng, walk, nodes = np.random.default_rng(seed), walk_for(rules), nodes_of(grown.state())
    before, count = {name: array.copy() for name, array in grown.state().items()}, 0
    for walker, (bid, node) in product(range(rules.players), openings(grown).items()):
        twin, ranges = Twin(rules, by_hand(grown)), random_ranges(rules, rng)
        value, noted = responded(grown, walk, node, walker, ranges, least)
        expected = twin.respond((bid,), walker, ranges.astype(float))
        np.testing.assert_allclose(value, expected, atol=ROUNDING)
        count += verify_gains(twin, nodes, noted, least)
    for name, array in grown.state().items():
        assert array.tobytes() == before[name].tobytes(), name
    return count


@pytest.mark.parametrize("least", [1e-7, 0.02])
@merged
@variants
def test_best_responses_are_exact_in_the_whole_game(rules, size, merged, least, both_ways):
    count = 0
    for seed in (0, 1):
        grown = random_tree(rules, seed, size, merged=merged)
        count += respond_everywhere(rules, grown, seed, least)
        count += respond_everywhere(rules, GrowingTree(root_of(bid_tables(rules))), seed, least)
    assert count > (10 if least < TIE else 3)


def test_best_responses_are_exact_where_both_modes_name_the_wild_face():
    # 飞2×1 and 斋1×1 count the same dice, and the former comes first though it claims more.
    rules = Rules.of(dice=1, faces=3, wild_may_be_named=True)
    respond_everywhere(rules, GrowingTree(root_of(bid_tables(rules))), 0, 1e-7)


def test_best_responses_are_exact_with_many_dice():
    # Here, sums over counts are long enough for a compiler to reorder them.
    rules = Rules.of(dice=5, faces=4, modes=(Mode.FEI,))
    assert respond_everywhere(rules, random_tree(rules, 0, 300), 0, 1e-7) > 100


def test_where_hands_are_indifferent_they_take_the_first_raise(both_ways):
    # Of two dice that show 1 or 2, exactly as many are expected to show either.
    rules = Rules.of(dice=1, faces=2, modes=(Mode.ZHAI,))
    bids = domain(rules)
    texts = [(bid.count, bid.face) for bid in bids]
    assert texts == [(1, 1), (1, 2), (2, 1), (2, 2)]
    grown = GrowingTree(root_of(bid_tables(rules)))
    node, half = openings(grown)[0], np.full((2, 2), 0.5, dtype=np.float32)
    value, noted = responded(grown, walk_for(rules), node, 1, half, 0.0)
    # 1×2 is true with a 2 for sure, else in half of all rounds. With a 1, 2×1 is as good as 1×2
    # and as 2×2 is bad; to challenge 1×1 with a 1 loses for sure, with a 2 it is even.
    assert value.tolist() == [0.0, 1.0]
    assert noted == {(node, 1): 1.0, (node, 2): 0.0}


def test_what_gains_too_little_is_not_noted(both_ways):
    grown, walk = random_tree(MANY, 2, 150), walk_for(MANY)
    ranges = random_ranges(MANY, np.random.default_rng(2))
    for node in openings(grown).values():
        value, every = responded(grown, walk, node, 1, ranges, 1e-9)
        for least in (1e-3, 1e-2, 1e-1):
            same, fewer = responded(grown, walk, node, 1, ranges, least)
            assert same.tolist() == value.tolist()
            assert fewer == {note: gain for note, gain in every.items() if gain >= least}


def test_notes_that_find_no_room_are_left_out(both_ways):
    grown, walk = random_tree(MANY, 7, 300), walk_for(MANY)
    ranges = random_ranges(MANY, np.random.default_rng(2))
    node, value, every = max(
        (
            (node, *responded(grown, walk, node, 1, ranges, 1e-9))
            for node in openings(grown).values()
        ),
        key=lambda found: len(found[2]),
    )
    assert len(every) >= 3
    small = walk._replace(noted=walk.noted[:2].copy(), noted_gain=walk.noted_gain[:2].copy())
    same, first = responded(grown, small, node, 1, ranges, 1e-9)
    assert small.notes[0] == len(every)  # so that it is known that some are missing
    assert same.tolist() == value.tolist()
    assert list(first.items()) == list(every.items())[:2]


# All below the root


@variants
def test_below_the_root_each_child_is_walked_with_its_own_reach(rules, size, both_ways):
    one, other = random_tree(rules, 0, size), random_tree(rules, 0, size)
    walk, rng, players = walk_for(rules), np.random.default_rng(5), rules.players
    root = one.tree.root
    starts = 1 + np.arange(root.actions.size)
    places = rng.permutation(root.actions.size)[: max(2, root.actions.size // 2)]
    reach = rng.random((root.actions.size, len(hands(rules))), dtype=np.float32)
    ranges = np.tile(root.ranges, (starts.size, 1, 1))
    ranges[:, 0] = reach
    entries = Entries(starts, ranges, ranges.sum(axis=2))
    for walker in range(players):
        values = np.full(reach.shape, 7.0, dtype=np.float32)
        best_values, least, total = values.copy(), 1e-6, 0
        tree_respond.respond_below(one.tree, walk, places, entries, walker, least, best_values)
        noted_together = walk.notes[0]
        tree_improve.improve_below(one.tree, walk, places, entries, walker, STEP, values)
        tree_averages.accumulate_below(one.tree, walk, places, entries, walker, STEP)
        for place in places:
            best, noted = responded(other, walk, place + 1, walker, ranges[place], least)
            total += len(noted)
            np.testing.assert_allclose(best_values[place], best, atol=ROUNDING)
            improved_value = improved(other, walk, place + 1, walker, ranges[place])
            np.testing.assert_allclose(values[place], improved_value, atol=ROUNDING)
            above = enter(other, walk, place + 1, ranges[place])
            tree_averages.accumulate(other.tree, walk, place + 1, above, walker, STEP)
        missing = np.setdiff1d(np.arange(root.actions.size), places)
        assert (values[missing] == 7.0).all()
        assert (best_values[missing] == 7.0).all()
        assert noted_together == total
    for name, array in one.state().items():
        np.testing.assert_allclose(array, other.state()[name], atol=ROUNDING, err_msg=name)


# Bounds


CHECKED = """
import numpy as np
from zhaifei.game.rules import Rules, preset
from zhaifei.solver.tables import strategy_table as strategy
from zhaifei.solver.cfr.tree_cfr import TreeCFR

strategy._EXACT_ENTRIES = 1000
three = Rules.of(players=3, dice=1, faces=2, first_count=1, jump_challenge=True)
two = (Rules.of(dice=1, faces=3), Rules.of(dice=2, faces=2), preset("liars_dice", faces=3))
for rules in (*two, three):
    solver = TreeCFR(rules, threads=2)
    while solver.passes < 60:
        solver.advance()
    solver.strategy()

try:
    solver.grown.tree.first_child[1] = 10**6
    solver.improve()
except IndexError:
    print("checked")
"""


def test_no_kernel_of_trees_reads_or_writes_beyond_its_arrays():
    verify_indices(CHECKED)
