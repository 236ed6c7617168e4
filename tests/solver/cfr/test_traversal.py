from functools import lru_cache

import numpy as np
import pytest

from tests.solver.kernels import in_both_ways
from tests.solver.twins.exact_twin import histories
from tests.solver.twins.traversal_twin import Twin, context_of, grown, slots_of
from tests.solver.twins.traversal_twin import wanted as wanted_node
from zhaifei.game.bids import Bid, action_of, challengeable, domain
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round, utilities
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.solver.bidding import Settled
from zhaifei.solver.cfr import traversal
from zhaifei.solver.cfr.infosets import InfoSets
from zhaifei.solver.cfr.traversal import AVERAGED, LANES, NO_RAISE, REVISITED, workspace
from zhaifei.solver.tables.recall import recall_tables

TWO = Rules.of(dice=2, faces=2)
"""Openings begin in the middle of the domain, and one bid between them may not open."""
THREE = Rules.of(players=3, dice=1, faces=2)
FOUR = Rules.of(players=4, dice=1, faces=2, modes=(Mode.FEI,), wild_may_be_named=True)
JUMPING = THREE.changed(jump_challenge=True)
JUMPING_FAR = FOUR.changed(jump_challenge=True)
SMALL = [TWO, preset("liars_dice", faces=3), THREE, FOUR, JUMPING, JUMPING_FAR]
SETTLED = [
    Rules.of(dice=2, faces=3),
    Rules.of(players=3, dice=2, faces=2),
    Rules.of(players=4, dice=1, faces=3),
    preset("basic", players=4, dice=2, faces=2),
    Rules.of(players=4, dice=1, faces=3, jump_challenge=True),
]
STANDARD_ERRORS = 4.0

both_ways = in_both_ways(traversal)
small = pytest.mark.parametrize("rules", SMALL, ids=str)
# Sums of unsigned integers wrap round; Python warns, compiled code does not.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def room(rules: Rules) -> traversal.Workspace:
    """A workspace with little room for requests, and with what a kernel must not rely on."""
    work = workspace(bid_tables(rules), len(domain(rules)) + 3)._replace(
        new_contexts=np.zeros((2000, 3), dtype=np.int64), new_slots=np.zeros(2000, dtype=np.int64)
    )
    for array in (
        work.values,
        work.counts,
        work.false_mass,
        work.challenging,
        work.ending,
        work.scratch,
    ):
        array[:] = 7.0
    return work


@lru_cache
def case(rules: Rules, rows: float = 1.0) -> tuple[InfoSets, Twin]:
    """A table and its twin. Tests that change the table must make their own."""
    info_sets = grown(rules, rows=rows)
    return info_sets, Twin(rules, info_sets.table)


def random_range(rules: Rules, rng: np.random.Generator) -> np.ndarray:
    """[hand] float32, summing to 1, some hands excluded."""
    weight = rng.exponential(size=len(hands(rules)))
    weight[1:][rng.random(weight.size - 1) < 0.2] = 0.0
    return (weight / weight.sum()).astype(np.float32)


def set_line(work: traversal.Workspace, rules: Rules, history) -> None:
    for place, bid in enumerate(history):
        work.history[place] = action_of(rules, bid)


def close(mean: np.ndarray, error: np.ndarray, expected: np.ndarray, rounding: float) -> bool:
    """Whether a sample mean is within four standard errors."""
    off = np.abs(mean - expected)
    return bool((off <= STANDARD_ERRORS * error + rounding).all())


# Small steps


@pytest.mark.parametrize("size", [1, 15, 16, 17, 40])
def test_highest_is_the_maximum(size, both_ways):
    rng, lanes = np.random.default_rng(size), np.full(LANES, 99, dtype=np.float32)
    for place in range(size):
        values = -rng.exponential(size=size).astype(np.float32)
        assert traversal.highest(values, lanes) == values.max()
        values[place] = 3.0
        assert traversal.highest(values, lanes) == 3.0
    assert traversal.highest(np.full(size, -np.inf, dtype=np.float32), lanes) == -np.inf


def test_draws_are_those_published_for_splitmix64(both_ways):
    random = np.array([1234567], dtype=np.uint64)
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [traversal.draw(random) for _ in published] == [n // 2**11 / 2**53 for n in published]


def test_first_draws_of_traversals_are_uniform_and_independent():
    number = 20_000
    random = np.zeros(1, dtype=np.uint64)
    drawn = np.zeros((3, number))
    for seed in range(3):
        for count in range(number):
            traversal.seed_traversal(random, seed, count)
            drawn[seed, count] = traversal.draw(random)
    for stream in drawn:
        tenths = np.bincount((10 * stream).astype(int), minlength=10)
        error = np.sqrt(number * 0.09)
        assert np.abs(tenths - number / 10).max() < STANDARD_ERRORS * error
        for lag in (1, 2, 64):
            together = np.corrcoef(stream[lag:], stream[:-lag])[0, 1]
            assert abs(together) < STANDARD_ERRORS / np.sqrt(number)
    assert np.abs(np.corrcoef(drawn) - np.eye(3)).max() < STANDARD_ERRORS / np.sqrt(number)


def test_no_two_traversals_start_alike(both_ways):
    random, states = np.zeros(1, dtype=np.uint64), set()
    for seed in (*range(20), 2**31, 2**62):
        for count in range(100):
            traversal.seed_traversal(random, seed, count)
            states.add(int(random[0]))
    assert len(states) == 22 * 100


# Challenges


def challenge_by_deals(
    rules: Rules, history, seat: int, ranges: list[np.ndarray], distance: int = 1
) -> np.ndarray:
    """[own hand] what `seat` earns, summed over all deals of the others."""
    every, result = hands(rules), np.zeros(len(hands(rules)))
    for deal in np.ndindex(*[len(every)] * rules.players):
        chance = np.prod([ranges[p][deal[p]] for p in range(rules.players) if p != seat])
        finished = Round(rules, [every[number] for number in deal], history=history)
        points = utilities(rules, finished.challenge(distance))
        result[deal[seat]] += chance * points[seat]
    return result


@pytest.mark.parametrize("rules", SETTLED, ids=str)
def test_challenges_earn_what_all_deals_add_up_to(rules, both_ways):
    rng, work, bids = np.random.default_rng(5), room(rules), bid_tables(rules)
    for _ in range(6):
        length = int(rng.integers(1, rules.players + 2))
        distance = int(rng.integers(1, len(challengeable(rules, length)) + 1))
        history = tuple(domain(rules)[place] for place in rng.integers(0, 8, length))
        set_line(work, rules, history)
        turn, depth = length % rules.players, int(rng.integers(1, 3))
        for seat in range(rules.players):
            ranges = [random_range(rules, rng) for _ in range(rules.players)]
            work.ranges[depth] = ranges
            # Of another player's range only this part challenges.
            work.challenging[:] = ranges[turn] * rng.random(len(hands(rules)), dtype=np.float32)
            if seat != turn:
                ranges[turn] = work.challenging.copy()
            value = rng.random(len(hands(rules)), dtype=np.float32)
            expected = value + challenge_by_deals(rules, history, seat, ranges, distance)
            traversal.add_ending_value(bids, work, depth, seat, length, distance - 1, value)
            np.testing.assert_allclose(value, expected, atol=2e-6)


@pytest.mark.parametrize("rules", SETTLED, ids=str)
def test_settling_finds_how_likely_a_bid_is_false(rules, both_ways):
    rng, work, bids = np.random.default_rng(6), room(rules), bid_tables(rules)
    for bid in range(len(domain(rules))):
        seat, challenger = rng.permutation(rules.players)[:2]
        for player in range(rules.players):
            work.ranges[1, player] = random_range(rules, rng)
        work.challenging[:] = 0.3 * work.ranges[1, challenger]
        made = Settled(bid, bids.claimed[bid], 1, 0, 0)
        mass = traversal.settle(bids, work, 1, seat, challenger, made)
        assert mass == pytest.approx(0.3, abs=1e-6)
        for own in range(rules.dice + 1):
            others = [work.ranges[1, p] for p in range(rules.players) if p != seat]
            matches, false = bids.matches[bid].astype(int), 0.0
            for deal in np.ndindex(*[len(hands(rules))] * len(others)):
                if own + sum(matches[number] for number in deal) < bids.claimed[bid]:
                    false += np.prod([o[number] for o, number in zip(others, deal, strict=True)])
            assert work.false_mass[own] == pytest.approx(0.3 * false, abs=1e-6)


@small
def test_the_part_that_challenges_is_that_of_the_strategy(rules, both_ways):
    (info_sets, twin), rng = case(rules), np.random.default_rng(7)
    challenging = np.zeros(len(hands(rules)), dtype=np.float32)
    for history, node in list(twin.nodes.items())[1:40]:
        for distance in challengeable(rules, len(history)):
            range_ = random_range(rules, rng)
            mass = traversal.split_challenge(
                info_sets.table, node, distance - 1, range_, challenging
            )
            weights = zip(range_, hands(rules), strict=True)
            expected = [w * twin.strategy[history, h][distance] for w, h in weights]
            np.testing.assert_allclose(challenging, expected, atol=1e-6)
            assert mass == pytest.approx(sum(expected), abs=1e-6)


@small
def test_all_challenges_together_are_settled_and_their_part_is_left(rules, both_ways):
    (info_sets, twin), rng, work = case(rules, rows=0.9), np.random.default_rng(12), room(rules)
    for history, node in list(twin.nodes.items())[:: max(1, len(twin.nodes) // 12)]:
        set_line(work, rules, history)
        turn = twin.seat(history)
        for seat in range(rules.players):
            if seat == turn:
                continue
            ranges = [random_range(rules, rng) for _ in range(rules.players)]
            work.ranges[1] = ranges
            value, expected = np.zeros(len(hands(rules)), dtype=np.float32), 0.0
            ending = np.zeros(len(hands(rules)))
            for distance in challengeable(rules, len(history)):
                weights = zip(ranges[turn], hands(rules), strict=True)
                part = np.array([w * twin.strategy[history, h][distance] for w, h in weights])
                split = [*ranges[:turn], part, *ranges[turn + 1 :]]
                expected = expected + challenge_by_deals(rules, history, seat, split, distance)
                ending += part
            mass = traversal.settle_challenges(
                info_sets.table, work, 1, seat, node, len(history), value
            )
            assert mass == pytest.approx(ending.sum(), abs=1e-6)
            np.testing.assert_allclose(work.ending, ending, atol=1e-6)
            np.testing.assert_allclose(value, expected, atol=5e-6)


# Ranges and averages


@small
def test_ranges_follow_the_rule_of_bayes(rules, both_ways):
    (info_sets, twin), rng = case(rules), np.random.default_rng(8)
    for history, node in list(twin.nodes.items())[:30]:
        for place, move in slots_of(rules, history).items():
            if history and not isinstance(move, Bid):
                continue
            range_ = random_range(rules, rng)
            weights = zip(range_, hands(rules), strict=True)
            joint = np.array([w * twin.strategy[history, h][move] for w, h in weights])
            mass = traversal.condition_on(info_sets.table, node, place, range_)
            assert mass == pytest.approx(joint.sum(), abs=1e-6)
            if joint.sum() > 0:
                np.testing.assert_allclose(range_, joint / joint.sum(), atol=2e-6)


@small
def test_averages_grow_by_the_strategy_times_the_reach(rules, both_ways):
    info_sets, rng = grown(rules, rows=0.8), np.random.default_rng(9)
    twin, table, prior = Twin(rules, info_sets.table), info_sets.table, probabilities(rules)
    scratch = np.full(len(hands(rules)), 7, dtype=np.float32)
    for history, node in list(twin.nodes.items())[:30]:
        table.average[:] = rng.random(table.average.shape, dtype=np.float32)
        before, range_ = table.average.copy(), random_range(rules, rng)
        count = traversal.slot_count(table.bids, last_bid(rules, history))
        traversal.add_to_average(table, node, count, range_, scratch)
        for move in slots_of(rules, history).values():
            if (history, move) in twin.row:
                row = twin.row[history, move]
                played = np.array([twin.strategy[history, h][move] for h in hands(rules)])
                before[row] += range_ / prior * played
        np.testing.assert_allclose(table.average, before, atol=1e-5)


def last_bid(rules: Rules, history) -> int:
    return action_of(rules, history[-1]) if history else NO_BID


@small
def test_raises_are_drawn_from_the_mixture_over_the_range(rules, both_ways):
    (info_sets, twin), rng, work = case(rules, rows=0.9), np.random.default_rng(10), room(rules)
    number = 4000 if both_ways == "compiled" else 400
    every = list(twin.nodes)
    for history in [every[0], *(every[place] for place in rng.integers(1, len(every), 6))]:
        node, range_ = twin.nodes[history], random_range(rules, rng)
        set_line(work, rules, history)
        turn = twin.seat(history)
        work.ranges[1, turn] = range_
        raising = 1.0 - traversal.settle_challenges(
            info_sets.table,
            work,
            1,
            (turn + 1) % rules.players,
            node,
            len(history),
            np.zeros(len(hands(rules)), dtype=np.float32),
        )
        if raising < 1e-5:
            continue
        places = slots_of(rules, history)
        chance = np.zeros(max(places) + 1)
        for place, move in places.items():
            if isinstance(move, Bid):
                for weight, hand in zip(range_, hands(rules), strict=True):
                    chance[place] += weight * twin.strategy[history, hand][move] / raising
        traversal.seed_traversal(work.random, 0, node)
        drawn = [
            traversal.sample_raise(info_sets.table, work, node, range_, raising)
            for _ in range(number)
        ]
        frequency = np.bincount(drawn, minlength=chance.size) / number
        assert chance.sum() == pytest.approx(1, abs=1e-4)
        chance /= chance.sum()
        error = np.sqrt(chance * (1 - chance) / number)
        assert close(frequency, error, chance, rounding=1e-9)


def test_where_no_hand_raises_none_is_drawn(both_ways):
    # Rounding may leave some of a range to raise though no hand does.
    info_sets, work = InfoSets(bid_tables(TWO), recall_tables(TWO, "full")), room(TWO)
    opening = slots_of(TWO, ())[0]
    info_sets.grow(np.array([wanted_node(TWO, (opening,))]), np.zeros(0, dtype=np.int64))
    range_ = probabilities(TWO).astype(np.float32)
    work.ending[:] = range_
    assert traversal.sample_raise(info_sets.table, work, 1, range_, 1e-7) == NO_RAISE
    # At the start there is no challenge: it is the weakest opening then.
    work.ending[:] = 0.0
    assert traversal.sample_raise(info_sets.table, work, 0, range_, 1.0) == 0


# Own moves


def test_slots_are_revisited_more_the_smaller_their_regret(both_ways):
    found = [
        traversal.revisit_probability(-top, 2.0, 100) for top in (1e-9, 1.0, 2.0, 4.0, 50.0, 1e9)
    ]
    assert found == pytest.approx([1.0, 1.0, 1.0, 0.5, 0.04, REVISITED / 100])
    assert traversal.revisit_probability(-1e9, 2.0, 2) == 1.0


@pytest.mark.parametrize("weight", [0.02, 0.5])
def test_slots_are_visited_as_often_as_their_importance_says(weight, both_ways):
    (info_sets, twin), work = case(TWO, rows=0.7), room(TWO)
    number = 4000 if both_ways == "compiled" else 400
    for history in ((), *[h for h in twin.nodes if len(h) == 1][:3]):
        places, work.node[2] = slots_of(TWO, history), twin.nodes[history]
        count = traversal.slot_count(info_sets.table.bids, last_bid(TWO, history))
        chance = np.zeros(count)
        for place, move in places.items():
            chance[place] = twin.revisited(history, move, weight)
        assert (chance == 0).any() == (not history)
        seen = np.zeros(count)
        traversal.seed_traversal(work.random, 0, 0)
        for _ in range(number):
            traversal.choose_slots(info_sets.table, work, 2, count, weight)
            listed = work.visited[2, : work.slots[2]]
            assert listed[0] == 0
            assert (np.diff(listed) > 0).all()
            np.testing.assert_allclose(
                work.importance[2, : work.slots[2]], 1 / chance[listed], rtol=1e-5
            )
            seen[listed] += 1
        assert close(seen / number, np.sqrt(chance * (1 - chance) / number), chance, 1e-9)


@small
def test_own_values_and_regrets_are_those_of_regret_matching(rules, both_ways):
    table, rng, work = grown(rules, rows=0.7).table, np.random.default_rng(11), room(rules)
    twin, weight = Twin(rules, table), 3.0
    for history, node in list(twin.nodes.items())[:20]:
        places = slots_of(rules, history)
        visited = [p for p, m in places.items() if p == 0 or twin.top[history, m] >= 0 or p % 2]
        worth = rng.normal(size=(len(visited), len(hands(rules)))).astype(np.float32)
        importance = rng.uniform(1, 5, size=len(visited)).astype(np.float32)
        work.node[1], work.slots[1] = node, len(visited)
        work.visited[1, : len(visited)], work.importance[1, : len(visited)] = visited, importance
        work.values[1, : len(visited)] = worth
        work.requested[:] = 0
        value = rng.normal(size=len(hands(rules))).astype(np.float32)
        earned = np.zeros(len(hands(rules)))
        for place, points in zip(visited, worth, strict=True):
            earned += points * [twin.strategy[history, h][places[place]] for h in hands(rules)]
        expected, regret, top = value + earned, table.regret.copy(), table.top.copy()

        traversal.add_own_value(table, work, 1, value)
        np.testing.assert_allclose(value, expected, atol=1e-5)

        asked = []
        for place, points, factor in zip(visited, worth, importance, strict=True):
            slot, gain = twin.slot[history, places[place]], weight * factor * (points - earned)
            if (history, places[place]) in twin.row:
                row = twin.row[history, places[place]]
                regret[row] += gain
                top[slot] = regret[row].max()
            else:
                top[slot] += gain.max()
                asked += [slot] if top[slot] > 0 else []
        traversal.update_regrets(table, work, 1, weight)
        np.testing.assert_allclose(table.regret, regret, atol=1e-4)
        np.testing.assert_allclose(table.top, top, atol=1e-4)
        assert work.new_slots[: work.requested[1]].tolist() == asked
        matched = Twin(rules, table)
        for number, hand in enumerate(hands(rules)):
            played = matched.strategy[history, hand]
            assert table.fallback[node, number] == pytest.approx(played[places[0]], abs=1e-5)
            for move, chance in played.items():
                if (history, move) in matched.row:
                    positive = max(table.regret[matched.row[history, move], number], 0)
                    here = positive * table.scale[node, number]
                    assert here == pytest.approx(chance if positive else 0.0, abs=1e-5)


def test_requests_for_which_there_is_no_room_are_forgotten(both_ways):
    work = room(TWO)._replace(
        new_contexts=np.zeros((2, 3), dtype=np.int64), new_slots=np.zeros(3, dtype=np.int64)
    )
    for number in range(5):
        traversal.request_node(work, 10 + number, number, 1)
        traversal.request_row(work, 20 + number)
    assert work.requested.tolist() == [2, 3]
    assert work.new_contexts.tolist() == [[10, 0, 1], [11, 1, 1]]
    assert work.new_slots.tolist() == [20, 21, 22]


@small
def test_where_there_is_no_node_all_challenge_and_one_is_asked_for(rules, both_ways):
    only_start = InfoSets(bid_tables(rules), recall_tables(rules, "full"))
    work, opening = room(rules), slots_of(rules, ())[0]
    for seat in range(rules.players):
        work.requested[:] = 0
        traversal.seed_traversal(work.random, 0, 0)
        traversal.traverse(only_start.table, work, seat, 1.0)
        asked = work.new_contexts[: work.requested[0]]
        # Nobody has regrets yet: others open with the weakest bid, the opener tries all.
        tried = [opening] if seat else list(slots_of(rules, ()).values())
        assert sorted(asked[:, 0]) == [context_of(rules, (bid,)) for bid in tried]
        assert sorted(asked[:, 1]) == [action_of(rules, bid) for bid in tried]
        if seat:
            prior = [probabilities(rules)] * rules.players
            expected = challenge_by_deals(rules, (opening,), seat, prior)
            np.testing.assert_allclose(work.values[0, 0], expected, atol=1e-6)


# Whole traversals


class Sampled:
    """Means and standard errors of what traversals for one seat change in a table that is kept."""

    def __init__(self, rules: Rules, info_sets: InfoSets, seat: int, weight: float, number: int):
        table, work = info_sets.table, room(rules)
        changing = (table.regret, table.average, table.top, table.scale, table.fallback)
        before = [array.copy() for array in changing]
        rows = int(table.used[2])
        sums = [[0.0, 0.0] for _ in range(3)]
        for count in range(number):
            traversal.seed_traversal(work.random, 17, count * rules.players + seat)
            traversal.traverse(table, work, seat, weight)
            regret = (table.regret[:rows] - before[0][:rows]) / weight
            average = table.average[:rows] - before[1][:rows]
            for total, one in zip(sums, (work.values[0, 0], regret, average), strict=True):
                total[0] = total[0] + one.astype(np.float64)
                total[1] = total[1] + one.astype(np.float64) ** 2
            for array, kept in zip(changing, before, strict=True):
                array[:] = kept
        self.number = number
        means = [total / number for total, _ in sums]
        self.value, self.regret, self.average = means
        self.errors = [
            np.sqrt(np.maximum(squares / number - mean**2, 0) / number)
            for (_, squares), mean in zip(sums, means, strict=True)
        ]


UNBIASED = [
    (TWO, 6000),
    (preset("liars_dice", faces=3), 6000),
    (Rules.of(players=3, dice=1, faces=2, modes=(Mode.FEI,), wild_may_be_named=True), 6000),
    (
        Rules.of(
            players=3,
            dice=1,
            faces=2,
            modes=(Mode.FEI,),
            wild_may_be_named=True,
            jump_challenge=True,
        ),
        6000,
    ),
]


@pytest.mark.parametrize("weight", [0.05, 100.0], ids=["pruning", "not pruning"])
@pytest.mark.parametrize(("rules", "number"), UNBIASED, ids=str)
def test_traversals_are_right_on_average(rules, number, weight):
    # With a weight that is large beside the regrets every slot is visited. With a small one those
    # below a slot passed over are visited less often too, and are not reweighted: that only
    # weighs the iterations of the information sets below differently.
    info_sets = grown(rules, seed=2)
    twin, often = Twin(rules, info_sets.table), 0
    rare = 30 / number
    for seat in range(rules.players):
        sampled = Sampled(rules, info_sets, seat, weight, number)
        assert close(sampled.value, sampled.errors[0], np.array(twin.value(seat)), 1e-5)
        for (history, move), row in twin.row.items():
            visited = twin.visited(history, seat, weight)
            met = visited * np.prod(
                [twin.mass(history, p) for p in range(rules.players) if p != seat]
            )
            if twin.seat(history) == seat:
                expected = visited * np.array(twin.gain(history, move))
                mean, error = sampled.regret[row], sampled.errors[1][row]
                met *= twin.revisited(history, move, weight)
                assert not sampled.average[row].any()
            else:
                expected = np.array(twin.averaged(history, move, seat, weight))
                mean, error = sampled.average[row], sampled.errors[2][row]
                met *= AVERAGED
                assert not sampled.regret[row].any()
            if met == 0.0:
                assert not mean.any()
            if met > rare:
                often += 1
                assert close(mean, error, expected, 1e-5), (history, move, mean, error, expected)
    assert often > 50


@small
def test_compiled_traversals_are_those_in_python(rules, monkeypatch):
    results = []
    for way in ("compiled", "python"):
        if way == "python":
            for name, value in list(vars(traversal).items()):
                if hasattr(value, "py_func"):
                    monkeypatch.setattr(traversal, name, value.py_func)
        info_sets, work = grown(rules, rows=0.9), room(rules)
        opener_value = np.zeros(2)
        traversal.run_batch(info_sets.table, work, 5, (1, 8, 3), opener_value)
        table, asked = info_sets.table, work.new_slots[: work.requested[1]]
        results.append((opener_value, table.regret, table.average, table.fallback, asked))
    for compiled, python in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, python, rtol=1e-3, atol=1e-3)


def test_a_batch_is_its_sweeps_with_a_traversal_for_each_player():
    rules = THREE
    batch, single, work = grown(rules), grown(rules), room(rules)
    value, weights = np.zeros(2), [3.0, 5.0, 7.0]
    traversal.run_batch(batch.table, work, 5, (2, 8, 2), value)
    total = 0.0
    for weight in weights:
        for seat in range(3):
            traversal.seed_traversal(work.random, 5, (int(weight) - 1) * 3 + seat)
            traversal.traverse(single.table, work, seat, weight)
            if seat == 0:
                total += weight * (probabilities(rules) @ work.values[0, 0])
    assert batch.table.regret.tobytes() == single.table.regret.tobytes()
    assert batch.table.average.tobytes() == single.table.average.tobytes()
    assert value == pytest.approx([total, 15.0], rel=1e-5)


def test_histories_asked_for_are_one_bid_beyond_those_that_have_nodes():
    rules, work = TWO, room(TWO)
    info_sets = InfoSets(bid_tables(rules), recall_tables(rules, "full"))
    known = {context_of(rules, ()): ()}
    every = {context_of(rules, history): history for history in histories(rules)}
    for sweep in range(300):
        work.requested[:] = 0
        traversal.run_batch(info_sets.table, work, 1, (sweep, sweep + 1, 1), np.zeros(2))
        asked = work.new_contexts[: work.requested[0]]
        for context, last, few in asked.tolist():
            assert every[context][:-1] in known.values()
            assert last == action_of(rules, every[context][-1])
            assert few == 1
        known |= {context: every[context] for context in asked[:, 0].tolist()}
        info_sets.grow(asked, work.new_slots[: work.requested[1]])
        assert len(info_sets) == len(known)
    assert len(known) > len(every) / 10
