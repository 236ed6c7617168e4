from functools import cache, lru_cache
from itertools import product
from math import prod

import numpy as np
import pytest

from tests.solver import plain_game
from tests.solver.kernels import in_both_ways
from tests.solver.plain_game import histories, legal_actions
from zhaifei.game.bids import Bid, action_count, challenge_action, domain
from zhaifei.game.hands import hands
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.tables.recall import context_of, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_table
from zhaifei.solver.value import action_values as values
from zhaifei.solver.value.action_values import empty_line

History = tuple[int, ...]
Deal = tuple[int, ...]
"""[seat] the place of the hand."""

VARIANTS = [
    (preset("zhaifei", dice=1, faces=2), "bid,mode", np.float32),
    (preset("liars_dice", faces=3), "full", np.uint8),
    (Rules.of(dice=2, faces=2), "bid,face", np.float32),
    (
        Rules.of(dice=2, faces=2, first_count=3, fei_to_zhai="flat", zhai_to_fei="double"),
        "bid,bid",
        np.uint8,
    ),
    (preset("zhaifei", players=3, dice=1, faces=2), "bid,face,mode", np.float32),
    (preset("basic", players=4, dice=1, faces=2), "full", np.uint8),
    (preset("zhaifei", players=3, dice=1, faces=2, jump_challenge=True), "full", np.float32),
    (preset("basic", players=4, dice=1, faces=3, jump_challenge=True), "bid,bid", np.uint8),
    (Rules.of(dice=1, faces=2, doubled=(2, 4)), "full", np.float32),
    (Rules.of(dice=2, faces=2, doubled=(2, 8), giving_up="half"), "bid,bid", np.uint8),
    (Rules.of(dice=1, faces=3, doubled=(2,), giving_up="forbidden"), "full", np.uint8),
    (preset("basic", players=3, dice=1, faces=2).changed(doubled=(2, 4)), "full", np.float32),
    (
        preset("basic", players=4, dice=1, faces=2).changed(doubled=(2, 4), giving_up="half"),
        "bid,bid",
        np.uint8,
    ),
]
CUTS = [1.0, 0.1, 0.03, 0.01, 0.003, 0.0003]

both_ways = in_both_ways(values)
any_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


class Case:
    """A random policy, a third of whose nodes is missing, and what deals of hands earn with it."""

    def __init__(self, rules: Rules, text: str, dtype: type) -> None:
        self.rules, rng = rules, np.random.default_rng(4)
        self.recall, self.bids = recall_tables(rules, text), bid_tables(rules)
        self.every = histories(rules)
        options = {self.context(history): legal_actions(rules, history) for history in self.every}
        self.rows: dict[int, dict] = {}
        action, first_row, stored = [], [0], []
        for context in sorted(options):
            if context and rng.random() < 1 / 3:
                continue
            played = options[context]
            drawn = rng.dirichlet(np.full(len(played), 0.5), size=len(hands(rules))).T
            upto = np.rint(255 * np.cumsum(drawn, axis=0))
            steps = np.diff(upto, axis=0, prepend=0)
            rows = (steps if dtype is np.uint8 else steps / 255).astype(dtype)
            self.rows[context] = dict(zip(played, steps / 255, strict=True))
            action += played
            stored.append(rows)
            first_row.append(len(action))
        self.table: StrategyTable = strategy_table(
            self.recall,
            np.array(list(self.rows)),
            np.array(first_row),
            np.array(action, dtype=np.int16),
            np.concatenate(stored),
        )

    def context(self, history: History) -> int:
        return int(context_of(self.recall, np.array([*history, 0]), len(history)))

    @cache  # noqa: B019  # cases live as long as the tests
    def settled(self, history: History, action: int, deal: Deal) -> list[float]:
        """[seat] what the ending pays, by the rules."""
        end = plain_game.ended(self.rules, history, action - len(domain(self.rules)))
        seats = range(self.rules.players)
        return [float(plain_game.pays(self.rules, end, seat)[deal]) for seat in seats]

    def earned(
        self, history: History, action: int, player: int, deal: Deal, bids: float = np.inf
    ) -> float:
        """Return what `player` earns if the player in turn takes the action and all then follow the
        table. After `bids` further bids the next player challenges."""
        if action >= len(domain(self.rules)):
            return self.settled(history, action, deal)[player]
        after = (*history, action)
        rows = self.rows.get(self.context(after))
        if rows is None or bids < 0:
            return self.earned(after, challenge_action(self.rules), player, deal)
        hand = deal[plain_game.mover(self.rules, after)]
        return sum(
            rows[later][hand] * self.earned(after, later, player, deal, bids - 1)
            for later in legal_actions(self.rules, after)
            if rows[later][hand] > 0
        )

    def values(
        self, history: History, ranges: np.ndarray, hand: int, bids: float = np.inf
    ) -> np.ndarray:
        """[action] averaged over the hands of the others; NaN where it is illegal."""
        players, player = self.rules.players, plain_game.mover(self.rules, history)
        result = np.full(action_count(self.rules), np.nan)
        deals = {}
        for others in product(range(len(hands(self.rules))), repeat=players - 1):
            chance = prod(range_[other] for range_, other in zip(ranges, others, strict=True))
            in_turn = (hand, *others)
            deal = tuple(in_turn[(seat - player) % players] for seat in range(players))
            deals[deal] = chance
        for action in legal_actions(self.rules, history):
            result[action] = sum(
                chance * self.earned(history, action, player, deal, bids)
                for deal, chance in deals.items()
                if chance > 0
            )
        return result


@lru_cache
def case(variant) -> Case:
    return Case(*variant)


def questions(tested: Case, number: int):
    """Positions with the ranges of the others, some hands of which are excluded, and a hand."""
    rng, size = np.random.default_rng(5), len(hands(tested.rules))
    for place in [0, *rng.integers(1, len(tested.every), number - 1)]:
        weight = rng.exponential(size=(tested.rules.players - 1, size))
        weight[:, 1:][rng.random((len(weight), size - 1)) < 0.2] = 0.0
        ranges = weight / weight.sum(axis=1, keepdims=True)
        yield tested.every[place], ranges, int(rng.integers(size))


def found_for(tested: Case, line, history: History, ranges: np.ndarray, hand: int, cut: float):
    bids = np.array(history, dtype=np.int64)
    asked = np.array([hand])
    return values.action_values(tested.bids, tested.table, line, bids, ranges, asked, cut)[:, 0]


@any_variant
def test_without_a_cut_values_are_expectations_over_all_deals(variant, both_ways):
    tested, line = case(variant), empty_line(case(variant).bids)
    for question in questions(tested, 12):
        found, errors = found_for(tested, line, *question, 0.0)
        np.testing.assert_allclose(found, tested.values(*question), atol=1e-6)
        assert not np.nan_to_num(errors).any()


@any_variant
def test_lines_that_are_cut_are_guessed_by_a_challenge_of_the_next(variant, both_ways):
    tested, line = case(variant), empty_line(case(variant).bids)
    for question in questions(tested, 12):
        found, _ = found_for(tested, line, *question, 1.5)
        np.testing.assert_allclose(found, tested.values(*question, bids=0), atol=1e-6)


@any_variant
def test_actions_have_a_value_exactly_where_they_are_legal(variant):
    tested, line = case(variant), empty_line(case(variant).bids)
    for history, ranges, hand in questions(tested, 12):
        result = found_for(tested, line, history, ranges, hand, 0.1)
        legal = np.isin(np.arange(action_count(tested.rules)), legal_actions(tested.rules, history))
        assert (~np.isnan(result)).tolist() == [legal.tolist()] * 2


@any_variant
def test_hands_that_are_asked_together_are_answered_as_alone(variant, both_ways):
    tested, line = case(variant), empty_line(case(variant).bids)
    for history, ranges, _ in questions(tested, 4):
        bids, every = np.array(history, dtype=np.int64), np.arange(len(hands(tested.rules)))[::-1]
        for cut in (0.0, 0.03, 1.5):
            line.followed[:] = 0
            together = values.action_values(
                tested.bids, tested.table, line, bids, ranges, every, cut
            )
            followed = line.followed.copy()
            line.followed[:] = 0
            for place, hand in enumerate(every.tolist()):
                alone = found_for(tested, line, history, ranges, hand, cut)
                np.testing.assert_allclose(together[:, place], alone, atol=1e-12)
            assert followed.tolist() == line.followed.tolist()


@any_variant
def test_values_with_a_cut_are_off_by_no_more_than_they_say(variant):
    tested, line = case(variant), empty_line(case(variant).bids)
    asked = list(questions(tested, 30))
    exact = [tested.values(*question) for question in asked]
    off_by, said, followed = [], [], []
    for cut in CUTS:
        off, most, line.followed[:] = 0.0, 0.0, 0
        for question, right in zip(asked, exact, strict=True):
            found, errors = found_for(tested, line, *question, cut)
            assert (np.abs(found - right) <= errors + 1e-6)[~np.isnan(right)].all()
            off = max(off, np.nanmax(np.abs(found - right), initial=0.0))
            most = max(most, np.nanmax(errors, initial=0.0))
        off_by.append(off)
        said.append(most)
        followed.append(int(line.followed.sum()))
    bids, others = tested.bids, tested.rules.players - 1
    widest = bids.most_cost + bids.cost[:, 0].max() / others
    assert 0.0 < off_by[0] <= said[0] <= widest + 1e-6
    assert said[-1] < said[0] / 2
    assert followed[0] < followed[-1]


def play(rules: Rules, told: dict[History, list[int]]) -> StrategyTable:
    """Every hand does this in turn, the same for all; elsewhere it challenges."""
    recall = recall_tables(rules, "full")
    nodes = {int(context_of(recall, np.array([*h, 0]), len(h))): told[h] for h in told}
    return strategy_table(
        recall,
        np.array(sorted(nodes), dtype=np.int64),
        np.arange(len(nodes) + 1),
        np.array([nodes[context] for context in sorted(nodes)], dtype=np.int16),
        np.ones((len(nodes), len(hands(rules))), dtype=np.float32),
    )


@pytest.mark.parametrize("sure", [True, False])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_narrower_bound_would_do(players, sure):
    """The own opening is raised by one neighbour after the other, until the last challenges it, for
    as many points as there are others. With two faces, one of them wild, every die counts; a 斋 bid
    of that face is false if nobody has it. The bound reaches to what that pays, from the guess."""
    rules = Rules.of(players=players, dice=1, faces=2, first_count=1, jump_challenge=True)
    bids = {bid: place for place, bid in enumerate(domain(rules))}
    opening = bids[Bid(Mode.FEI, 1, 2) if sure else Bid(Mode.ZHAI, 1, 1)]
    raises = [bids[Bid(Mode.FEI, count, 2)] for count in range(3, players + 1)]
    line = [opening, *raises]
    told = {(): opening, **{tuple(line[: n + 1]): bid for n, bid in enumerate(raises)}}
    told[tuple(line)] = challenge_action(rules, len(line))
    table, twos = play(rules, told), np.tile([0.0, 1.0], (players - 1, 1))
    tables = bid_tables(rules)
    for cut in (0.0, 1.0):
        found = values.action_values(
            tables,
            table,
            empty_line(tables),
            np.array([], dtype=np.int64),
            twos,
            np.array([1]),
            cut,
        )
        value, error = found[:, 0, opening]
        exact = len(line) * (1 / (players - 1) if sure else -1)
        assert abs(value - exact) <= error + 1e-9
        if cut == 0.0 or players == 2:
            assert (value, error) == pytest.approx((exact, 0.0))
        else:
            guessed = 1 / (players - 1)  # the third player challenges the second
            assert value == pytest.approx(guessed)
            most = players - 1
            assert error == pytest.approx(max(guessed + most, 1.0 - guessed))


def test_a_raise_that_is_illegal_ends_a_line_all_the_same():
    """A file may be damaged: it answers every bid with the same one."""
    rules = preset("zhaifei", dice=1, faces=2)
    told = {history: 3 for history in histories(rules)}
    tables, line = bid_tables(rules), empty_line(bid_tables(rules))
    found = values.action_values(
        tables, play(rules, told), line, np.array([4]), np.full((1, 2), 0.5), np.array([0]), 0.0
    )
    assert line.followed[0] == tables.claimed.size - 5
    assert np.nanmax(found[1]) >= 1.0
