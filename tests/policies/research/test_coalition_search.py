"""Two who conspire against a strategy table, against every pair of strategies and every deal."""

from collections.abc import Iterator
from functools import reduce
from itertools import product

import numpy as np
import pytest

from tests.policies.small_policies import every_other_node, legal_actions, random_policy
from tests.solver.random_tables import AskedTable, grown, with_holes
from zhaifei.game.bids import Bid, action_of, challenge_action, counts_for, legal_bids
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.research.coalition_search import CoalitionError, Silent, Talking
from zhaifei.solver.tables.strategy_table import StrategyTable
from zhaifei.solver.value.self_play import self_play

TINY = Rules.of(players=3, dice=1, faces=2, modes=(Mode.FEI,), first_count=1)
"""Three bids: 飞1×2, 飞2×2, 飞3×2."""
SMALL = Rules.of(players=3, dice=1, faces=2)
LARGER = preset("zhaifei", players=3, dice=1, faces=3)
seats = pytest.mark.parametrize("seat", range(3))

History = tuple[Bid, ...]


def tables_of(rules: Rules) -> list[StrategyTable]:
    """One that stores every history, and two that do not."""
    return [
        random_policy(rules).table,
        every_other_node(random_policy(rules, seed=1)).table,
        with_holes(rules, 0.5),
    ]


def paid(rules: Rules, history: History, seat: int, dealt: tuple[int, ...]) -> float:
    """What `seat` earns when the last bid is challenged."""
    dice = [die for hand in dealt for die in hands(rules)[hand]]
    true = sum(counts_for(rules, history[-1], die) for die in dice) >= history[-1].count
    loser = len(history) % 3 if true else (len(history) - 1) % 3
    return -1.0 if loser == seat else 0.5


def talked(asked: AskedTable, seat: int, history: History, deals: np.ndarray) -> np.ndarray:
    """[hand, hand, hand] what the victim earns, the sum over its own hands at that one's axis; the
    others see each other's dice. `deals` is the probability of each deal and of the bids."""
    rules, mover = asked.rules, len(history) % 3
    played = asked.strategy(tuple(action_of(rules, bid) for bid in history))
    values = []
    for action in legal_actions(rules, history):
        part = deals
        if mover == seat:
            shape = [-1 if axis == mover else 1 for axis in range(3)]
            part = deals * played[:, action].reshape(shape)
        if action == challenge_action(rules):
            earned = np.zeros(deals.shape)
            for dealt in product(*map(range, deals.shape)):
                earned[dealt] = paid(rules, history, seat, dealt)
            values.append((part * earned).sum(axis=seat))
        else:
            bid = next(
                one
                for one in legal_bids(rules, history[-1] if history else None)
                if action_of(rules, one) == action
            )
            values.append(talked(asked, seat, (*history, bid), part))
    total: np.ndarray = np.sum(values, axis=0) if mover == seat else np.min(values, axis=0)
    return total


def pure(rules: Rules, seat: int) -> Iterator[dict[tuple[int, History], int]]:
    """Every strategy of the player in `seat`: an action for each hand and history."""
    todo: list[History] = [()]
    sets: list[tuple[tuple[int, History], list[int]]] = []
    while todo:
        history = todo.pop()
        if len(history) % 3 == seat:
            sets += [
                ((hand, history), legal_actions(rules, history))
                for hand in range(len(hands(rules)))
            ]
        todo += [(*history, bid) for bid in legal_bids(rules, history[-1] if history else None)]
    for chosen in product(*(actions for _, actions in sets)):
        yield dict(zip((key for key, _ in sets), chosen, strict=True))


def against(
    asked: AskedTable,
    seat: int,
    pair: dict[tuple[int, History], int],
    dealt: tuple[int, ...],
    history: History = (),
) -> float:
    """What the victim earns with these hands; `pair` has what both others do."""
    rules, mover = asked.rules, len(history) % 3
    if mover == seat:
        shares = asked.strategy(tuple(action_of(rules, bid) for bid in history))[dealt[mover]]
        played = [(action, float(shares[action])) for action in np.flatnonzero(shares).tolist()]
    else:
        played = [(pair[dealt[mover], history], 1.0)]
    earned = 0.0
    for action, share in played:
        if action == challenge_action(rules):
            earned += share * paid(rules, history, seat, dealt)
        else:
            bid = next(
                one
                for one in legal_bids(rules, history[-1] if history else None)
                if action_of(rules, one) == action
            )
            earned += share * against(asked, seat, pair, dealt, (*history, bid))
    return earned


@seats
@pytest.mark.parametrize("rules", [TINY, SMALL], ids=["three bids", "two faces"])
def test_what_is_left_by_those_who_talk_is_that_of_all_histories_and_deals(
    rules: Rules, seat: int
) -> None:
    deals = reduce(np.multiply.outer, [np.array(probabilities(rules))] * 3)
    for table in tables_of(rules):
        expected = talked(AskedTable(rules, table), seat, (), deals).sum()
        found = Talking(bid_tables(rules), table).value(seat)
        assert found.value == pytest.approx(expected, abs=1e-6)
        assert found.left == 0.0


@seats
def test_the_best_silent_pair_lies_between_both_values(seat: int) -> None:
    # All pairs of pure strategies; of mixed ones none is better, since the value is linear in each.
    prior = np.array(probabilities(TINY))
    for table in tables_of(TINY):
        asked = AskedTable(TINY, table)
        one, other = (seat + 1) % 3, (seat + 2) % 3
        best = min(
            sum(
                prior[list(dealt)].prod() * against(asked, seat, {**first, **second}, dealt)
                for dealt in product(range(2), repeat=3)
            )
            for first in pure(TINY, one)
            for second in pure(TINY, other)
        )
        low = Talking(bid_tables(TINY), table).value(seat).value
        high = Silent(bid_tables(TINY), table).value(seat, starts=8)
        assert low - 1e-6 <= best <= high + 1e-6
        # With so few bids one of the searches ends at the best pair.
        assert high == pytest.approx(best, abs=1e-6)


@seats
def test_coalitions_leave_less_than_others_do(seat: int) -> None:
    rules = LARGER
    table, bids = grown(rules, 40), bid_tables(rules)
    talking, silent = Talking(bids, table).value(seat).value, Silent(bids, table).value(seat)
    assert -1.0 <= talking <= silent <= self_play(bids, table)[seat].upper


@seats
def test_with_a_cut_the_value_is_at_least_what_is_said(seat: int) -> None:
    talking = Talking(bid_tables(SMALL), random_policy(SMALL).table)
    exact, found = talking.value(seat).value, [talking.value(seat, cut) for cut in (0.2, 0.02)]
    assert found[0].left > 0.0
    assert found[1].left > 0.0
    for one in found:
        assert one.value <= exact <= one.value + one.left


@pytest.mark.parametrize(
    "rules",
    [
        Rules.of(players=4, dice=1, faces=2),
        Rules.of(players=3, dice=1, faces=2, jump_challenge=True),
    ],
    ids=["four players", "jumps"],
)
def test_other_rules_are_refused(rules: Rules) -> None:
    for kind in (Talking, Silent):
        with pytest.raises(CoalitionError, match="for three players without 跳开"):
            kind(bid_tables(rules), random_policy(rules).table)
