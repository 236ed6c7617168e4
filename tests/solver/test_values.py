from functools import lru_cache

import numpy as np
import pytest

from game.bids import action_of, can_bid, domain
from game.hands import hands
from game.rules import Rules, preset
from game.tables import bid_tables
from solver import values
from solver.recall import context_of, recall_tables
from solver.strategy import StrategyTable, strategy_table
from solver.values import empty_lines
from tests.solver.exact_twin import challenge_pays, histories, moves
from tests.solver.kernels import in_both_ways

VARIANTS = [
    (preset("zhaifei", dice=1, faces=2), "bid,mode", np.float32),
    (preset("liars_dice", faces=3), "full", np.uint8),
    (Rules(dice=2, faces=2), "bid,face", np.float32),
    (Rules(dice=2, faces=2, first_count=3, zhai_weight=3), "bid,bid", np.uint8),
]
CUTS = [1.0, 0.1, 0.03, 0.01, 0.003]

both_ways = in_both_ways(values)
any_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)


class Case:
    """A random policy, a third of whose nodes is missing, and what pairs of hands earn with it."""

    def __init__(self, rules: Rules, text: str, dtype: type) -> None:
        self.rules, rng = rules, np.random.default_rng(4)
        self.recall, self.bids = recall_tables(rules, text), bid_tables(rules)
        self.every = list(histories(rules))
        options = {self.context(history): moves(rules, history) for history in self.every}
        self.rows: dict[int, dict] = {}
        action, first_row, stored = [], [0], []
        for context in sorted(options):
            if context and rng.random() < 1 / 3:
                continue
            played = sorted(map(self.action, options[context]))
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

    def actions(self, history) -> np.ndarray:
        return np.array([self.action(bid) for bid in history], dtype=np.int64)

    def action(self, move) -> int:
        return len(domain(self.rules)) if move is None else action_of(self.rules, move)

    def context(self, history) -> int:
        return int(context_of(self.recall, self.actions((*history, None)), len(history)))

    def earned(self, history, move, player: int, deal: tuple[int, int], cut: bool = False) -> float:
        """What `player` gets if `move` is made and both then go on with the table; with a `cut`,
        the player challenges every reply."""
        if move is None:
            mine, other = (hands(self.rules)[number] for number in deal)
            if player:
                mine, other = other, mine
            return challenge_pays(self.rules, history, player, mine, other)
        after = (*history, move)
        rows = self.rows.get(self.context(after))
        if rows is None or (cut and len(after) % 2 == player):
            return self.earned(after, None, player, deal)
        hand = deal[len(after) % 2]
        return sum(
            rows[self.action(later)][hand] * self.earned(after, later, player, deal, cut)
            for later in moves(self.rules, after)
            if rows[self.action(later)][hand] > 0
        )

    def values(self, history, range_: np.ndarray, hand: int, cut: bool = False) -> np.ndarray:
        result, player = np.full(len(domain(self.rules)) + 1, np.nan), len(history) % 2
        for move in moves(self.rules, history):
            result[self.action(move)] = sum(
                chance
                * self.earned(
                    history, move, player, (other, hand) if player else (hand, other), cut
                )
                for other, chance in enumerate(range_)
                if chance > 0
            )
        return result


@lru_cache
def case(variant) -> Case:
    return Case(*variant)


def questions(tested: Case, number: int):
    """Positions with a range, some hands of which are excluded, and a hand."""
    rng, size = np.random.default_rng(5), len(hands(tested.rules))
    for place in [0, *rng.integers(1, len(tested.every), number - 1)]:
        weight = rng.exponential(size=size)
        weight[1:][rng.random(size - 1) < 0.2] = 0.0
        yield tested.every[place], weight / weight.sum(), int(rng.integers(size))


@any_variant
def test_without_a_cut_values_are_expectations_over_all_pairs_of_hands(variant, both_ways):
    tested, lines = case(variant), empty_lines(case(variant).bids)
    for history, range_, hand in questions(tested, 12):
        found, errors = values.action_values(
            tested.bids, tested.table, lines, tested.actions(history), range_, hand, 0.0
        )
        np.testing.assert_allclose(found, tested.values(history, range_, hand), atol=1e-6)
        assert not np.nan_to_num(errors).any()
        assert not lines.waiting[0]


@any_variant
def test_lines_that_are_cut_are_settled_by_an_own_challenge(variant, both_ways):
    tested, lines = case(variant), empty_lines(case(variant).bids)
    for history, range_, hand in questions(tested, 12):
        found, _ = values.action_values(
            tested.bids, tested.table, lines, tested.actions(history), range_, hand, 1.5
        )
        settled = tested.values(history, range_, hand, cut=True)
        np.testing.assert_allclose(found, settled, atol=1e-6)


@any_variant
def test_actions_have_a_value_exactly_where_they_are_legal(variant):
    tested, lines = case(variant), empty_lines(case(variant).bids)
    for history, range_, hand in questions(tested, 12):
        result = values.action_values(
            tested.bids, tested.table, lines, tested.actions(history), range_, hand, 0.1
        )
        last = history[-1] if history else None
        legal = [can_bid(tested.rules, bid, last) for bid in domain(tested.rules)]
        assert (~np.isnan(result)).tolist() == [[*legal, last is not None]] * 2


@any_variant
def test_values_with_a_cut_are_off_by_no_more_than_they_say(variant):
    tested, lines = case(variant), empty_lines(case(variant).bids)
    off_by, said, followed = [], [], []
    for cut in CUTS:
        off, most, lines.followed[0] = 0.0, 0.0, 0
        for history, range_, hand in questions(tested, 30):
            found, errors = values.action_values(
                tested.bids, tested.table, lines, tested.actions(history), range_, hand, cut
            )
            exact = tested.values(history, range_, hand)
            assert (np.abs(found - exact) <= errors + 1e-6)[~np.isnan(exact)].all()
            off = max(off, np.nanmax(np.abs(found - exact), initial=0.0))
            most = max(most, np.nanmax(errors, initial=0.0))
        off_by.append(off)
        said.append(most)
        followed.append(int(lines.followed[0]))
    assert 0.0 < off_by[0] <= said[0] <= 2.0 + 1e-6
    assert said[-1] < said[0] / 2
    assert followed[0] < followed[-1]


@any_variant
def test_lines_for_which_there_is_no_room_are_cut_and_counted(variant, monkeypatch):
    monkeypatch.setattr(values, "_PENDING", 2)
    tested, lines = case(variant), empty_lines(case(variant).bids)
    most = 0.0
    for history, range_, hand in questions(tested, 30):
        found, errors = values.action_values(
            tested.bids, tested.table, lines, tested.actions(history), range_, hand, 0.0
        )
        exact = tested.values(history, range_, hand)
        assert (np.abs(found - exact) <= errors + 1e-6)[~np.isnan(exact)].all()
        most = max(most, np.nanmax(errors, initial=0.0))
    assert most > 0.0
