from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise, product
from math import comb, prod
from typing import NamedTuple

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.expected_game_score import policy_value

import zhaifei.game.openspiel  # noqa: F401  registers python_zhaifei
from tests.solver import plain_game
from tests.solver.dense_tables import with_rows
from tests.solver.kernels import in_both_ways
from tests.solver.measured import draw
from tests.solver.plain_game import histories, legal_actions
from zhaifei.game.bids import Bid, action_count, action_of, challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import Bounds, History
from zhaifei.solver.tables.queries import IllegalStrategy
from zhaifei.solver.tables.recall import context_of, recall_tables
from zhaifei.solver.tables.strategy_table import (
    StrategyTable,
    dense,
    strategy_table,
    write_strategy,
)
from zhaifei.solver.value import expected_value as module
from zhaifei.solver.value.expected_value import (
    ExpectedValueError,
    ExpectedValues,
    expected_values,
    refine_values,
    rounds_needed,
    table_strategies,
    table_values,
)

# No mass is so close to one of these that rounding decides whether a raise is followed.
CUTS = [0.997, 0.1013, 0.01009, 0.00101, 1.03e-6, 0.0]
ROUNDING = 1e-11
VARIANTS = {
    "2 faces": (Rules.of(dice=1, faces=2), "bid,face"),
    "3 faces": (Rules.of(dice=1, faces=3), "bid,bid,mode"),
    "2 dice": (Rules.of(dice=2, faces=2), "bid,bid"),
    "liar's dice, full recall": (preset("liars_dice", faces=3), "full"),
    "doubled": (Rules.of(dice=1, faces=2, doubled=(2, 4)), "bid,bid"),
    "doubled, full recall": (Rules.of(dice=2, faces=2, doubled=(2,), giving_up="half"), "full"),
}
MANY = {
    "3 players": Rules.of(players=3, dice=1, faces=2),
    "3 players, 2 dice": Rules.of(players=3, dice=2, faces=2, first_count=4),
    "4 players": Rules.of(players=4, dice=1, faces=2, modes=(Mode.FEI,), first_count=2),
    "3 players, jump": Rules.of(players=3, dice=1, faces=2, jump_challenge=True),
    "4 players, jump": Rules.of(
        players=4, dice=1, faces=2, modes=(Mode.FEI,), first_count=2, jump_challenge=True
    ),
    "2 players, doubled": Rules.of(dice=1, faces=2, doubled=(2, 4), giving_up="forbidden"),
    "3 players, doubled": Rules.of(
        players=3, dice=1, faces=2, modes=(Mode.FEI,), doubled=(2, 4), giving_up="half"
    ),
    "4 players, doubled": Rules.of(
        players=4, dice=1, faces=2, modes=(Mode.FEI,), first_count=2, doubled=(2,)
    ),
}
KINDS = ["random", "sparse", "pure", "uniform", "missing"]
DTYPES = [np.float32, np.uint8]

any_variant = pytest.mark.parametrize("variant", VARIANTS)
any_many = pytest.mark.parametrize("many", MANY)
any_kind = pytest.mark.parametrize("kind", KINDS)
any_drawn = pytest.mark.parametrize("kind", KINDS[:-1])

Strategy = Callable[[History], np.ndarray]
"""What is done after one history: [hand, action]."""


# Strategies to measure


def stored(drawn: np.ndarray, dtype: type) -> np.ndarray:
    """As tables hold it: as it is, or in steps of 1/255 that sum to 255 for each hand."""
    if dtype is np.float32:
        return drawn.astype(np.float32)
    return np.diff(np.rint(255 * np.cumsum(drawn, axis=0)), axis=0, prepend=0).astype(np.uint8)


@lru_cache
def random_table(
    rules: Rules, text: str, kind: str = "random", dtype: type = np.float32, seed: int = 0
) -> StrategyTable:
    """A strategy for every context; kind `missing` leaves out a third of them."""
    recall, rng = recall_tables(rules, text), np.random.default_rng(seed)
    nodes = {}
    for history in histories(rules):
        context = context_of(recall, np.array([*history, 0], dtype=np.int64), len(history))
        nodes[context] = legal_actions(rules, history)
    if kind == "missing":
        nodes = {c: a for c, a in nodes.items() if c == 0 or rng.random() < 2 / 3}
    first_row, action, rows = [0], [], []
    for context in sorted(nodes):
        drawn = stored(draw(rng, kind, len(nodes[context]), len(hands(rules))), dtype)
        played = drawn.any(axis=1)
        action += np.array(nodes[context])[played].tolist()
        rows.append(drawn[played])
        first_row.append(len(action))
    return strategy_table(
        recall,
        np.array(sorted(nodes), dtype=np.int64),
        np.array(first_row, dtype=np.int64),
        np.array(action, dtype=np.int16),
        np.concatenate(rows),
    )


def reading(rules: Rules, table: StrategyTable) -> Strategy:
    """A table's strategy: its rows, divided by their sum."""

    def strategy(history: History) -> np.ndarray:
        written = np.zeros((len(hands(rules)), action_count(rules)))
        bids = np.array([*history, 0], dtype=np.int64)
        write_strategy(table, bid_tables(rules), bids, len(history), written)
        return written / written.sum(axis=1, keepdims=True)

    return strategy


def remembering(rules: Rules, seed: int, kind: str = "random") -> Strategy:
    """A strategy that differs at every history, and that no table of short recall could hold."""

    @cache
    def strategy(history: History) -> np.ndarray:
        actions = legal_actions(rules, history)
        played = np.zeros((len(hands(rules)), action_count(rules)))
        rng = np.random.default_rng([seed, len(history), *history])
        played[:, actions] = draw(rng, kind, len(actions), len(played)).T
        return played

    return strategy


def batched(strategy: Strategy):
    return lambda asked: [strategy(history) for history in asked]


class Two(NamedTuple):
    """A pair of tables that have little in common."""

    rules: Rules
    opener: StrategyTable
    responder: StrategyTable

    @property
    def tables(self):
        return bid_tables(self.rules)

    @property
    def strategies(self) -> list[Strategy]:
        return [reading(self.rules, table) for table in self[1:]]


@lru_cache
def two(variant: str, kind: str = "random", dtypes: tuple = (np.float32,) * 2, seed: int = 0):
    rules, text = VARIANTS[variant]
    return Two(
        rules,
        random_table(rules, text, kind, dtypes[0], seed),
        random_table(rules, "bid", "random", dtypes[1], seed + 100),
    )


def three(many: str, kind: str = "random", seed: int = 0) -> tuple[Rules, list[Strategy]]:
    """As many different strategies as the rules want."""
    rules = MANY[many]
    return rules, [remembering(rules, seed + seat, kind) for seat in range(rules.players)]


# What they are measured against: every deal, no ranges


@lru_cache
def deals(rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """[deal, seat] hands, and [deal] their probability, counted over all rolls."""
    rolls = list(product(range(1, rules.faces + 1), repeat=rules.dice))
    number = [sum(tuple(sorted(roll)) == hand for roll in rolls) for hand in hands(rules)]
    dealt = list(product(range(len(number)), repeat=rules.players))
    chance = [prod(number[hand] / len(rolls) for hand in deal) for deal in dealt]
    return np.array(dealt), np.array(chance)


class Slow(NamedTuple):
    settled: np.ndarray
    """[seat]"""
    open: float
    histories: int
    dearest: int
    """The most points that a round costs its loser."""

    def interval(self, seat: int) -> Bounds:
        """Three players: what is left open costs at most its mass, and pays at most half; with 跳开
        twice that."""
        most = self.dearest * self.open
        return Bounds(
            self.settled[seat] - most, self.settled[seat] + most / (len(self.settled) - 1)
        )


def slow_values(rules: Rules, seats: list[Strategy], cut: float = 0.0) -> Slow:
    """Every deal keeps its own probability of getting to a history."""
    dealt, chance = deals(rules)
    todo: list[tuple[History, np.ndarray]] = [((), chance)]
    settled, left, followed = np.zeros(rules.players), 0.0, 0
    while todo:
        history, reached = todo.pop()
        followed += 1
        mover = plain_game.mover(rules, history)
        played = seats[mover](history)[dealt[:, mover]]
        for action in legal_actions(rules, history):
            part = reached * played[:, action]
            if action >= len(domain(rules)):
                end = plain_game.ended(rules, history, action - len(domain(rules)))
                for seat in range(rules.players):
                    settled[seat] += plain_game.pays(rules, end, seat)[tuple(dealt.T)] @ part
            elif part.sum() > cut:
                todo.append(((*history, action), part))
            else:
                left += part.sum()
    return Slow(settled, left, followed, max(rules.furthest_challenge, *rules.stakes.doubled, 1))


@lru_cache
def exact_two(*key) -> np.ndarray:
    pair = two(*key)
    return slow_values(pair.rules, pair.strategies).settled


@lru_cache
def exact_many(*key) -> np.ndarray:
    return slow_values(*three(*key)).settled


def inside(value: float, bounds: Bounds) -> bool:
    return bounds.lower <= value <= bounds.upper


def same(found: Bounds, wanted: Bounds) -> bool:
    """Equal but for rounding, and no narrower."""
    return (
        wanted.lower - ROUNDING <= found.lower <= wanted.lower
        and wanted.upper <= found.upper <= wanted.upper + ROUNDING
    )


# Exactness


@pytest.mark.parametrize("dtypes", list(product(DTYPES, DTYPES)), ids=str)
@any_kind
@any_variant
def test_without_a_cut_the_values_are_exact(variant, kind, dtypes):
    pair, exact = two(variant, kind, dtypes), exact_two(variant, kind, dtypes)
    slowly = expected_values(pair.tables, [batched(s) for s in pair.strategies], 0.0)
    for values in (table_values(pair.tables, *pair[1:], 0.0), slowly):
        assert len(values) == 2
        for seat, value in enumerate(exact):
            assert inside(value, values[seat])
            assert values[seat].gap < ROUNDING


@any_drawn
@any_many
def test_without_a_cut_the_values_of_many_players_are_exact(many, kind):
    rules, seats = three(many, kind)
    values = expected_values(bid_tables(rules), [batched(seat) for seat in seats], 0.0)
    for value, bounds in zip(exact_many(many, kind), values, strict=True):
        assert inside(value, bounds)
        assert bounds.gap < ROUNDING


def openspiel_values(name: str, seats: list[Strategy]) -> list[float]:
    """By OpenSpiel, of the strategies written out for every information state."""
    loaded = pyspiel.load_game(name)
    written: list[dict] = [{} for _ in seats]
    todo = [loaded.new_initial_state()]
    while todo:
        state = todo.pop()
        todo += [state.child(action) for action in state.legal_actions()]
        if state.is_chance_node() or state.is_terminal():
            continue
        mover, said = state.current_player(), tuple(state.history()[len(seats) :])
        row = seats[mover](said)[state.history()[mover]]
        key = state.information_state_string()
        written[mover][key] = [(action, row[action]) for action in state.legal_actions()]
    policies = [pyspiel.TabularPolicy(states) for states in written]
    return list(policy_value(loaded.new_initial_state(), policies))


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("python_zhaifei(dice=1,faces=2)", "2 faces"),
        ("python_zhaifei(dice=1,faces=3)", "3 faces"),
        ("liars_dice(dice_sides=3)", "liar's dice, full recall"),
    ],
)
@pytest.mark.parametrize("kind", ["sparse", "missing"])
def test_the_exact_values_of_tables_are_those_of_openspiel(name, variant, kind):
    pair = two(variant, kind, (np.float32, np.uint8), 3)
    theirs = openspiel_values(name, pair.strategies)
    values = table_values(pair.tables, *pair[1:], 0.0)
    assert [seat.lower for seat in values] == pytest.approx(theirs, abs=ROUNDING)
    assert all(inside(value, seat) for value, seat in zip(theirs, values, strict=True))


@pytest.mark.parametrize("jump", [False, True])
@pytest.mark.parametrize("kind", ["random", "sparse"])
def test_the_exact_values_of_three_players_are_those_of_openspiel(kind, jump):
    rules, seats = three("3 players, jump" if jump else "3 players", kind, 7)
    name = f"python_zhaifei(players=3,dice=1,faces=2,jump_challenge={str(jump).lower()})"
    theirs = openspiel_values(name, seats)
    values = expected_values(bid_tables(rules), [batched(seat) for seat in seats], 0.0)
    assert [seat.lower for seat in values] == pytest.approx(theirs, abs=ROUNDING)


def says_once(rules: Rules, bid: Bid) -> StrategyTable:
    """Every hand opens with `bid`, and challenges whatever it hears."""
    return strategy_table(
        recall_tables(rules, "bid"),
        np.array([0], dtype=np.int64),
        np.array([0, 1], dtype=np.int64),
        np.array([action_of(rules, bid)], dtype=np.int16),
        np.ones((1, len(hands(rules))), dtype=np.float32),
    )


def at_least(count: int, dice: int, faces: int) -> float:
    """Return the probability that at least `count` of the dice show one of `faces` faces of six."""
    return sum(
        comb(dice, k) * faces**k * (6 - faces) ** (dice - k) for k in range(count, dice + 1)
    ) / (6**dice)


@pytest.mark.parametrize(
    ("bid", "faces"),
    [(Bid(Mode.FEI, 4, 3), 2), (Bid(Mode.ZHAI, 4, 3), 1), (Bid(Mode.ZHAI, 9, 1), 1)],
)
def test_a_single_bid_of_the_full_game_is_as_likely_as_the_binomial_says(bid, faces):
    rules = Rules()
    table, true = says_once(rules, bid), at_least(bid.count, 10, faces)
    for values in (
        table_values(bid_tables(rules), table, table, 0.0),
        expected_values(bid_tables(rules), [table_strategies(bid_tables(rules), table)] * 2, 0.0),
    ):
        assert values[0].lower == pytest.approx(2 * true - 1, abs=1e-9)
        assert values[1].upper == pytest.approx(1 - 2 * true, abs=1e-9)


def test_with_three_players_who_was_not_involved_gains_half_a_point():
    rules = Rules.of(players=3)
    bid = Bid(Mode.FEI, 6, 2)
    true = at_least(6, 15, 2)
    seat = table_strategies(bid_tables(rules), says_once(rules, bid))
    values = expected_values(bid_tables(rules), [seat] * 3, 0.0)
    wanted = [0.5 * true - (1 - true), 0.5 * (1 - true) - true, 0.5]
    assert [value.lower for value in values] == pytest.approx(wanted, abs=1e-9)


# Intervals


def test_the_walks_say_which_histories_they_follow_and_what_they_leave_open():
    """The one test that looks at the walks themselves: the interval has three numbers in it."""
    pair = two("3 faces", "sparse", (np.float32, np.uint8))
    walks = [
        module._TableWalk(pair.tables, *pair[1:]),
        module._StrategyWalk(pair.tables, [batched(s) for s in pair.strategies]),
    ]
    left = []
    for cut in CUTS:
        wanted = slow_values(pair.rules, pair.strategies, cut)
        left.append(wanted.open)
        for walk in walks:
            found = walk(cut, np.inf)
            assert found.histories == wanted.histories, cut
            assert found.open.sum() == pytest.approx(wanted.open, abs=ROUNDING)
            np.testing.assert_allclose(found.settled.sum(axis=0), wanted.settled, atol=ROUNDING)
    assert left[0] == pytest.approx(1.0)
    assert len(set(left)) > 5


@any_kind
@any_variant
def test_at_every_cut_the_intervals_hold_the_exact_values(variant, kind):
    gaps = []
    for seed, dtypes in enumerate(product(DTYPES, DTYPES)):
        key = (variant, kind, dtypes, seed)
        pair, exact = two(*key), exact_two(*key)
        strategies = [batched(strategy) for strategy in pair.strategies]
        for cut in CUTS:
            values = table_values(pair.tables, *pair[1:], cut)
            wanted = slow_values(pair.rules, pair.strategies, cut)
            slowly = expected_values(pair.tables, strategies, cut)
            for seat in (0, 1):
                assert inside(exact[seat], values[seat]), (seed, cut)
                assert same(values[seat], wanted.interval(seat)), (seed, cut)
                assert same(slowly[seat], wanted.interval(seat)), (seed, cut)
            gaps.append(values[0].gap)
    assert max(gaps) > 0.01


@any_drawn
@any_many
def test_at_every_cut_the_intervals_of_many_players_hold_the_exact_values(many, kind):
    gaps = []
    for seed in range(2):
        rules, seats = three(many, kind, seed)
        exact = exact_many(many, kind, seed)
        for cut in CUTS:
            values = expected_values(bid_tables(rules), [batched(seat) for seat in seats], cut)
            wanted = slow_values(rules, seats, cut)
            for seat, value in enumerate(exact):
                assert inside(value, values[seat]), (seed, cut)
                assert same(values[seat], wanted.interval(seat)), (seed, cut)
            gaps.append(values[0].gap)
    assert max(gaps) > 0.01


def bidding_on(rules: Rules, bids: list[Bid], distance: int = 1) -> Strategy:
    """Make the bids in turn, then challenge the bid made `distance` bids ago."""

    def strategy(history: History) -> np.ndarray:
        played = np.zeros((len(hands(rules)), action_count(rules)))
        said = len(history)
        challenge = challenge_action(rules, min(distance, max(1, said)))
        played[:, action_of(rules, bids[said]) if said < len(bids) else challenge] = 1.0
        return played

    return strategy


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_what_is_left_open_may_all_be_lost_or_all_be_won(players, length):
    """Nobody can have as many wild faces as the last bid claims, or everybody always has: whoever
    makes it loses the round, or whoever challenges it. No narrower interval would do."""
    rules = Rules.of(players=players, dice=1, faces=2, first_count=1, modes=(Mode.FEI,), wild=1)
    sure = [Bid(Mode.FEI, count, 2) for count in range(1, players + 1)][:length]
    seats = [batched(bidding_on(rules, sure))] * players
    exact = slow_values(rules, [bidding_on(rules, sure)] * players).settled
    values = expected_values(bid_tables(rules), seats, 1.0)
    # With two faces of which one is wild every die counts, so the challenger loses.
    loser = len(sure) % players
    win = 1.0 / (players - 1)
    assert exact == pytest.approx([-1.0 if seat == loser else win for seat in range(players)])
    for value, bounds in zip(exact, values, strict=True):
        assert inside(value, bounds)
        assert bounds.lower == pytest.approx(-1.0)
        assert bounds.upper == pytest.approx(win)


@pytest.mark.parametrize("players", [3, 4])
def test_with_jump_challenges_as_many_points_may_be_lost_as_there_are_others(players):
    """Everybody bids, and then the opener challenges who came next. With two faces of which one is
    wild every die counts, so the opener loses. No narrower interval would do."""
    rules = Rules.of(
        players=players, dice=1, faces=2, first_count=1, modes=(Mode.FEI,), jump_challenge=True
    )
    bids = [Bid(Mode.FEI, count, 2) for count in range(1, players + 1)]
    strategy = bidding_on(rules, bids, distance=players - 1)
    exact = [1.0 - players, *[1.0] * (players - 1)]
    assert slow_values(rules, [strategy] * players).settled == pytest.approx(exact)
    coarsely = expected_values(bid_tables(rules), [batched(strategy)] * players, 1.0)
    for value, bounds in zip(exact, coarsely, strict=True):
        assert inside(value, bounds)
        assert (bounds.lower, bounds.upper) == pytest.approx((1.0 - players, 1.0))


@any_kind
@any_variant
def test_two_players_lose_what_the_other_wins(variant, kind):
    pair = two(variant, kind)
    for cut in CUTS:
        opener, responder = table_values(pair.tables, *pair[1:], cut)
        assert (responder.lower, responder.upper) == (-opener.upper, -opener.lower)


@any_many
def test_the_intervals_of_many_players_leave_room_for_a_sum_of_zero(many):
    rules, seats = three(many)
    for cut in CUTS:
        values = expected_values(bid_tables(rules), [batched(seat) for seat in seats], cut)
        assert sum(value.lower for value in values) <= 0.0 <= sum(value.upper for value in values)
    assert sum(value.upper for value in values) < ROUNDING


def test_who_copies_the_others_gains_nothing_over_all_seats():
    """Three players, one strategy: a seat has a value of its own, their sum has none."""
    rules = MANY["3 players"]
    one, other = remembering(rules, 1), remembering(rules, 2)

    def seated(seat: int, alone: Strategy, rest: Strategy) -> Bounds:
        seats = [batched(alone if place == seat else rest) for place in range(3)]
        return expected_values(bid_tables(rules), seats, 0.0)[seat]

    alike = sum((seated(seat, one, one) for seat in range(3)), Bounds(0.0, 0.0))
    differing = sum((seated(seat, one, other) for seat in range(3)), Bounds(0.0, 0.0))
    assert inside(0.0, alike)
    assert not inside(0.0, differing)


@any_variant
def test_the_exchange_of_two_strategies_exchanges_what_they_win(variant):
    """Over both seats, one wins what the other loses; against itself, nothing."""
    pair = two(variant)
    there = table_values(pair.tables, pair.opener, pair.responder, 0.0)
    back = table_values(pair.tables, pair.responder, pair.opener, 0.0)
    one, other = there[0] + back[1], there[1] + back[0]
    assert one.lower == pytest.approx(-other.upper)
    assert inside(0.0, one + other)
    self_play = table_values(pair.tables, pair.opener, pair.opener, 0.0)
    assert inside(0.0, self_play[0] + self_play[1])
    assert not inside(0.0, one)


def rescaled(table: StrategyTable) -> StrategyTable:
    """The same strategy, but every hand's rows add up to something else at every node."""
    rows, rng = dense(table).astype(np.float32), np.random.default_rng(1)
    for first, end in zip(table.first_row, table.end_row, strict=True):
        rows[first:end] *= rng.uniform(0.5, 1.5, rows.shape[1]).astype(np.float32)
    return with_rows(table, rows)


@any_kind
def test_rows_are_divided_by_their_sum(kind):
    pair = two("3 faces", kind)
    wanted = table_values(pair.tables, *pair[1:], 1e-4)
    opener, responder = (rescaled(table) for table in pair[1:])
    values = table_values(pair.tables, opener, responder, 1e-4)
    strategies = [table_strategies(pair.tables, table) for table in (opener, responder)]
    for found in (values, expected_values(pair.tables, strategies, 1e-4)):
        assert found[0].lower == pytest.approx(wanted[0].lower, abs=1e-6)
        assert found[0].upper == pytest.approx(wanted[0].upper, abs=1e-6)


# Refining


def refined(pair: Two, **limits) -> list[ExpectedValues]:
    return list(refine_values(pair.tables, pair[1:], **limits))


def narrows(results: list[ExpectedValues]) -> bool:
    return all(
        wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        for before, after in pairwise(results)
        for wide, narrow in zip(before.seats, after.seats, strict=True)
    )


@any_kind
@any_variant
def test_refining_only_narrows_the_intervals_and_ends_with_the_exact_values(variant, kind):
    pair, exact = two(variant, kind), exact_two(variant, kind)
    results = refined(pair)
    assert narrows(results)
    for result in results:
        assert inside(exact[0], result.seats[0])
        assert inside(exact[1], result.seats[1])
        assert result.gap == max(seat.gap for seat in result.seats)
    assert results[-1].gap < ROUNDING
    assert all(before.gap >= ROUNDING for before in results[:-1])
    assert all(after.cut < before.cut for before, after in pairwise(results))
    walk = module._TableWalk(pair.tables, *pair[1:])
    followed = np.cumsum([walk(result.cut, np.inf).histories for result in results])
    assert [result.histories for result in results] == followed.tolist()


def test_refining_many_players_ends_with_the_exact_values():
    rules, seats = three("3 players")
    results = list(refine_values(bid_tables(rules), [batched(seat) for seat in seats]))
    assert narrows(results)
    assert len(results) > 1
    for value, bounds in zip(exact_many("3 players"), results[-1].seats, strict=True):
        assert inside(value, bounds)
    assert results[-1].gap < ROUNDING


def test_the_gap_is_that_of_the_widest_interval():
    assert ExpectedValues((Bounds(0.1, 0.2), Bounds(-0.3, 0.0)), 0.0, 1, 0.0).gap == 0.3


def test_what_different_walks_find_out_about_each_opening_is_put_together():
    """One walk knows all of some openings, another of the rest; what each got wrong is dropped."""
    pair, exact = two("3 faces"), exact_two("3 faces")
    whole = module._TableWalk(pair.tables, *pair[1:])(0.0, np.inf)
    known = module._Known(pair.tables)
    mass = pair.strategies[0](())[:, :-1].mean(axis=0)  # one die: all hands are as likely
    first = np.arange(mass.size) % 2 == 0
    for part in (first, ~first):
        settled = np.where(part[:, np.newaxis], whole.settled, 0.0)
        assert not known.learn(module.Found(settled, np.where(part, whole.open, mass), 1))
    for seat in (0, 1):
        assert inside(exact[seat], known.seats[seat])
        assert known.seats[seat].gap < ROUNDING


def test_refining_stops_at_the_gap_that_is_asked_for():
    results = refined(two("3 faces"), gap=0.05)
    assert results[-1].gap <= 0.05 < results[0].gap
    assert all(result.gap > 0.05 for result in results[:-1])


def test_refining_stops_at_the_deadline_with_intervals_that_hold():
    pair, exact = two("3 faces"), exact_two("3 faces")
    strategies = [batched(strategy) for strategy in pair.strategies]
    for seats in (pair[1:], strategies):
        (result,) = refine_values(pair.tables, seats, seconds=0.0)
        assert result.histories == 1
        assert result.gap > 1.9
        assert inside(exact[0], result.seats[0])


class Clock:
    """Time that passes only by looking at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1.0
        return self.now


@pytest.mark.parametrize("looks", [1, 2, 3, 5, 10, 30, 100, 300])
@any_kind
def test_a_walk_that_runs_out_of_time_keeps_its_intervals(kind, looks, monkeypatch):
    """Wherever it is then: the kernel looks at the clock after every history."""
    monkeypatch.setattr(module, "HISTORIES_PER_CALL", 1)
    monkeypatch.setattr(module, "BATCH", 1)
    pair, exact = two("3 faces", kind), exact_two("3 faces", kind)
    whole = slow_values(pair.rules, pair.strategies).histories
    strategies = [batched(strategy) for strategy in pair.strategies]
    walks = [
        module._TableWalk(pair.tables, *pair[1:]),
        module._StrategyWalk(pair.tables, strategies),
    ]
    for walk in walks:
        monkeypatch.setattr(module, "time", Clock())
        found = walk(0.0, float(looks))
        known = module._Known(pair.tables)
        known.learn(found)
        assert inside(exact[0], known.seats[0])
        assert inside(exact[1], known.seats[1])
        assert found.histories <= looks + 1
        assert found.histories == whole or known.seats[0].gap > ROUNDING


@any_kind
def test_pausing_the_kernel_changes_nothing(kind, monkeypatch):
    pair = two("3 faces", kind)
    whole = module._TableWalk(pair.tables, *pair[1:])(1e-4, np.inf)
    monkeypatch.setattr(module, "HISTORIES_PER_CALL", 1)
    paused = module._TableWalk(pair.tables, *pair[1:])(1e-4, np.inf)
    for one, other in zip(whole, paused, strict=True):
        np.testing.assert_array_equal(one, other)


@any_variant
def test_a_table_and_a_strategy_of_another_kind_can_meet(variant):
    pair = two(variant)
    wanted = refined(pair)[-1].seats
    for seats in (
        [pair.opener, batched(pair.strategies[1])],
        [batched(pair.strategies[0]), pair.responder],
    ):
        *_, last = refine_values(pair.tables, seats)
        assert last.gap < ROUNDING
        assert last.seats[0].lower == pytest.approx(wanted[0].lower, abs=ROUNDING)


# How strategies are asked


def test_strategies_are_asked_in_batches_and_only_where_they_move():
    rules, strategies = three("3 players")
    calls: list[tuple[int, list[History]]] = []

    def seat(place: int):
        def answer(asked):
            calls.append((place, list(asked)))
            return batched(strategies[place])(asked)

        return answer

    expected_values(bid_tables(rules), [seat(place) for place in range(3)], 0.0)
    for place, asked in calls:
        assert len({len(history) for history in asked}) == 1
        assert len(asked[0]) % 3 == place
    every = [history for _, asked in calls for history in asked]
    assert sorted(every) == sorted(histories(rules))
    assert len(calls) < len(every) / 3


def test_batches_have_a_limit(monkeypatch):
    monkeypatch.setattr(module, "BATCH", 3)
    rules, strategies = three("3 players")
    sizes = []

    def answer(asked):
        sizes.append(len(asked))
        return batched(strategies[len(asked[0]) % 3])(asked)

    values = expected_values(bid_tables(rules), [answer] * 3, 0.0)
    assert max(sizes) == 3
    assert inside(exact_many("3 players")[0], values[0])


# What is refused


def spoilt(kind: str) -> Callable[[np.ndarray], np.ndarray]:
    def spoil(played: np.ndarray) -> np.ndarray:
        played = played.copy()
        if kind == "NaN":
            played[1, 3] = np.nan
        if kind == "negative":
            played[1, -1] -= 2.0
            played[1, 5] += 2.0
        if kind == "illegal":
            played[1] = 0.0
            played[1, 0] = 1.0
        if kind == "sum":
            played[1] *= 1.001
        if kind == "shape":
            played = played[:, :-1]
        return played

    return spoil


@pytest.mark.parametrize("kind", ["NaN", "negative", "illegal", "sum", "shape"])
@pytest.mark.parametrize("where", [(1,), (0, 2)], ids=str)
def test_an_answer_that_is_no_strategy_is_refused(kind, where):
    rules, (one, *rest) = three("3 players")
    seats = [one, *rest]

    def answer(history: History) -> np.ndarray:
        played = seats[len(history) % 3](history)
        return spoilt(kind)(played) if history == where else played

    before = ", ".join(map(str, where))
    with pytest.raises(IllegalStrategy, match=rf"\[{before}\]"):
        expected_values(bid_tables(rules), [batched(answer)] * 3, 0.0)


def test_an_opening_challenge_is_refused():
    rules, seats = three("3 players")

    def answer(history: History) -> np.ndarray:
        played = seats[len(history) % 3](history)
        return np.eye(played.shape[1])[[-1] * len(played)] if not history else played

    with pytest.raises(IllegalStrategy, match="not legal"):
        expected_values(bid_tables(rules), [batched(answer)] * 3, 0.0)


@pytest.mark.parametrize("number", [0, 1, 2, 4])
def test_every_player_needs_a_seat(number):
    rules, seats = three("3 players")
    with pytest.raises(ExpectedValueError, match=f"{number} seats were given, but .* for 3"):
        expected_values(bid_tables(rules), [batched(seats[0])] * number, 0.0)


def test_two_tables_are_no_game_for_three():
    pair = two("2 faces")
    three_players = bid_tables(MANY["3 players"])
    with pytest.raises(ExpectedValueError, match="rules are for 3"):
        table_values(three_players, *pair[1:], 0.0)
    with pytest.raises(ZhaifeiError):
        next(refine_values(three_players, pair[1:]))


def test_tables_for_other_rules_are_refused():
    pair, other = two("2 faces"), two("3 faces")
    with pytest.raises(ZhaifeiError, match="different rules"):
        table_values(pair.tables, pair.opener, other.responder, 0.0)
    with pytest.raises(ZhaifeiError, match="different rules"):
        table_strategies(pair.tables, other.opener)


def changed(table: StrategyTable, **arrays: np.ndarray) -> StrategyTable:
    """The table with other arrays, read-only so that kernels are not compiled for another type."""
    for array in arrays.values():
        array.setflags(write=False)
    return table._replace(**arrays)


@pytest.mark.parametrize("action", [0, 1, 2, 7, -1, -8])
def test_a_table_that_breaks_the_rules_is_refused(action):
    """It answers the third bid with that bid, with a weaker one, or with what is no action."""
    pair = two("2 faces", "uniform")
    recall = random_table(pair.rules, "full", "uniform")
    node = int(np.searchsorted(recall.context, 1 << 2))
    actions = recall.action.copy()
    actions[recall.first_row[node]] = action
    broken = changed(recall, action=actions)
    with pytest.raises(ExpectedValueError, match=rf"after the bids \[2\] .* action {action}$"):
        table_values(pair.tables, pair.opener, broken, 0.0)


@pytest.mark.parametrize("action", [6, -1])
def test_a_table_that_does_not_open_with_a_bid_is_refused(action):
    pair = two("2 faces", "uniform")
    actions = pair.opener.action.copy()
    actions[0] = action
    with pytest.raises(ExpectedValueError, match=f"opens with action {action}, which is not"):
        table_values(pair.tables, changed(pair.opener, action=actions), pair.responder, 0.0)


# Kernels

both_ways = in_both_ways(module)
either = pytest.mark.usefixtures("both_ways")


def entered(pair: Two, bid: int, reach: np.ndarray, own: np.ndarray) -> module._TableWalk:
    """A walk just after `bid` was made by the opener, with these ranges."""
    walk = module._TableWalk(pair.tables, *pair[1:])
    walk.prior = np.stack([own, own])
    walk._enter_opening(bid, reach)
    return walk


def ranges(pair: Two) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    one, other = rng.random((2, len(hands(pair.rules))))
    one[0] = other[2] = 0.0
    return one, other


@either
@any_kind
@pytest.mark.parametrize("bid", [0, 3, 9])
def test_entering_a_history_settles_its_challenges(bid, kind):
    """After the strongest bid, 9, there is no other action."""
    pair = two("3 faces", kind)
    opener, responder = ranges(pair)
    walk = entered(Two(pair.rules, pair.opener, pair.opener), bid, opener, responder)
    challenged = responder * pair.strategies[0]((bid,))[:, len(domain(pair.rules))]
    won = np.where(plain_game.is_true(pair.rules, domain(pair.rules)[bid]), 1.0, -1.0)
    assert walk.work.settled[0] == pytest.approx(opener @ won @ challenged, abs=ROUNDING)
    left = (responder - challenged).sum() * opener.sum()
    assert walk.work.rest[1] == pytest.approx(left, abs=ROUNDING)
    assert walk.work.open[0] == 0.0


@either
@any_kind
def test_raises_are_followed_from_the_first_whose_mass_is_above_the_cut(kind):
    pair = two("3 faces", kind)
    opener, responder = ranges(pair)
    parts = responder[:, np.newaxis] * pair.strategies[0]((0,))[:, :-1]
    masses = parts.sum(axis=0) * opener.sum()
    for cut in [0.0, *np.sort(masses[masses > 0.0])[:-1] * 1.001]:
        walk = entered(Two(pair.rules, pair.opener, pair.opener), 0, opener, responder)
        work, followed = walk.work, []
        while module.next_raise(pair.tables, walk.responder, work, 1, cut):
            followed.append(int(work.history[1]))
            kept = np.zeros(len(responder))
            kept[work.hand[3, : work.support[3]]] = work.reach[3, : work.support[3]]
            np.testing.assert_allclose(kept, parts[:, work.history[1]], atol=ROUNDING)
            assert (work.reach[3, : work.support[3]] > 0.0).all()
            assert work.mass[3] == pytest.approx(kept.sum(), abs=ROUNDING)
        assert followed == np.flatnonzero(masses > cut).tolist()
        small = masses[masses <= cut].sum()
        assert work.open[0] == pytest.approx(small, abs=ROUNDING)


@either
@any_kind
@pytest.mark.parametrize("cut", [0.0, 0.0317, 0.00311])
def test_the_whole_walk_is_right_compiled_or_not(kind, cut):
    pair = two("2 faces", kind, (np.uint8, np.float32))
    wanted = slow_values(pair.rules, pair.strategies, cut)
    values = table_values(pair.tables, *pair[1:], cut)
    assert same(values[0], wanted.interval(0))
    assert same(values[1], wanted.interval(1))


# Rounds


def test_jump_challenges_never_take_fewer_rounds():
    """Whatever a round pays, 1 or 2 points lost or half of it won: no mixture of these with the
    same mean has a smaller variance."""
    rng, paid = np.random.default_rng(3), np.array([-2.0, -1.0, 0.5, 1.0])
    for chances in rng.dirichlet(np.full(4, 0.5), size=500):
        mean = float(chances @ paid)
        sampled = float(chances @ (paid - mean) ** 2)
        if -1.0 < mean < 0.5:
            assert sampled >= variance(mean, 3) - 1e-12
            assert rounds_needed(Bounds(mean - 0.01, mean + 0.01), 3) <= sampled * 196**2 + 1


def variance(value: float, players: int) -> float:
    """Of what a round pays, from the probability of losing it."""
    win = 1.0 / (players - 1)
    lost = (win - value) / (win + 1.0)
    return lost * (-1.0 - value) ** 2 + (1.0 - lost) * (win - value) ** 2


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("middle", [-0.3, 0.0, 0.1])
def test_so_many_rounds_have_a_confidence_interval_of_the_same_width(players, middle):
    value = Bounds(middle - 0.01, middle + 0.01)
    least = min(variance(value.lower, players), variance(value.upper, players))
    rounds = rounds_needed(value, players)
    assert 1.96 * np.sqrt(least / rounds) == pytest.approx(0.01, rel=1e-4)
    assert all(variance(v, players) >= least for v in np.linspace(value.lower, value.upper, 9))


def test_ten_times_narrower_takes_a_hundred_times_the_rounds():
    wide, narrow = rounds_needed(Bounds(-0.01, 0.01)), rounds_needed(Bounds(-0.001, 0.001))
    assert wide == 38411
    assert narrow / wide == pytest.approx(100, rel=1e-3)


@pytest.mark.parametrize("value", [Bounds(-1, 1), Bounds(-np.inf, np.inf), Bounds(0.9, 1.1)])
def test_what_is_certain_without_sampling_needs_no_rounds(value):
    assert rounds_needed(value) == 0


def test_an_exact_value_needs_more_rounds_than_anyone_can_play():
    assert 10**30 < rounds_needed(Bounds(0.0, 0.0)) < 10**34
