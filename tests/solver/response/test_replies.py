"""Best replies from any position, against a recursion over all histories and deals."""

import numpy as np
import pytest

from tests.solver import plain_game
from tests.solver.black_boxes import DOUBLED, rules_of, slow_value
from tests.solver.kernels import in_both_ways
from tests.solver.plain_game import histories, legal_actions
from tests.solver.random_tables import AskedTable, with_holes
from zhaifei.game.bids import domain
from zhaifei.game.tables import bid_tables
from zhaifei.solver import showdown
from zhaifei.solver.response import full_recall
from zhaifei.solver.response import replies as module
from zhaifei.solver.tables import rows, strategy_table
from zhaifei.solver.value import table_walk

both_ways = in_both_ways(module, full_recall, table_walk, showdown, rows, strategy_table)

VARIANTS = [
    "2 faces",
    "3 faces",
    "2 dice",
    "liar's dice",
    "1 die against 2",
    "2 dice against 1 of knockout",
    *DOUBLED,
]
any_variant = pytest.mark.parametrize("variant", VARIANTS)


def slow(asked: AskedTable, made: tuple[int, ...], other: np.ndarray, *, moves: bool) -> np.ndarray:
    """[hand] what the best reply earns: each own hand counts once."""
    seat = len(made) % 2 if moves else (len(made) + 1) % 2
    deals = np.multiply.outer(np.ones(other.size), other)
    return slow_value(asked, seat, made, deals if seat == 0 else deals.T)


def positions(variant: str, number: int) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """Some histories, the start among them, with ranges that lack hands and do not sum to 1."""
    rules, rng = rules_of(variant), np.random.default_rng(7)
    every = histories(rules)
    chosen = [(), *(every[place] for place in rng.choice(len(every), number))]
    size = bid_tables(rules).hands
    return [(made, rng.random(size) * (rng.random(size) < 0.8)) for made in chosen]


@pytest.mark.parametrize("kept", [0.0, 0.5, 1.0])
@any_variant
def test_values_are_those_of_all_histories_and_deals(both_ways, variant, kept):
    rules = rules_of(variant)
    table = with_holes(rules, kept)
    replies = module.Replies(bid_tables(rules), table)
    for made, other in positions(variant, 12):
        for moves in (True, False) if made else (True,):
            found = replies.value(made, other, moves=moves)
            expected = slow(AskedTable(rules, table), made, other, moves=moves)
            assert found == pytest.approx(expected, abs=1e-9)


@any_variant
def test_an_ending_pays_what_the_dice_say(variant):
    rules = rules_of(variant)
    replies, bids = module.Replies(bid_tables(rules), with_holes(rules, 0.5)), len(domain(rules))
    for made, other in positions(variant, 12):
        for action in legal_actions(rules, made):
            if action < bids:
                continue
            end = plain_game.ended(rules, made, action - bids)
            for moves in (True, False):
                seat = (len(made) + (not moves)) % 2
                pays = plain_game.pays(rules, end, seat)
                expected = (pays if seat == 0 else pays.T) @ other
                found = replies.ended(made, other, action - bids, moves=moves)
                assert found == pytest.approx(expected, abs=1e-12)


def test_what_is_not_followed_makes_values_lower():
    rules, variant = rules_of("3 faces"), "3 faces"
    replies = module.Replies(bid_tables(rules), with_holes(rules, 1.0))
    lower = 0
    for made, other in positions(variant, 20):
        exact = replies.value(made, other, moves=True)
        coarse = replies.value(made, other, moves=True, least=0.05)
        none = replies.value(made, other, moves=True, least=np.inf)
        assert (none <= coarse + 1e-12).all()
        assert (coarse <= exact + 1e-12).all()
        lower += bool((coarse < exact - 1e-6).any())
    assert lower > 0


def test_what_is_counted_as_won_makes_values_higher():
    rules, variant = rules_of("3 faces"), "3 faces"
    replies = module.Replies(bid_tables(rules), with_holes(rules, 1.0))
    higher = 0
    for made, other in positions(variant, 20)[1:]:
        exact = replies.value(made, other, moves=False)
        coarse = replies.at_most(made, other, least=1.0)
        assert replies.at_most(made, other, least=0.0) == pytest.approx(exact)
        assert (coarse >= exact - 1e-12).all()
        assert replies.value(made, other, moves=False) == pytest.approx(exact)
        higher += bool((coarse > exact + 1e-6).any())
    assert higher > 0


def test_the_table_may_begin_at_a_position():
    rules = rules_of("3 faces")
    bids, whole = bid_tables(rules), with_holes(rules, 1.0)
    made = (2,)
    code = whole.recall.code[0]
    below = {sum(int(code[bid + 1]) for bid in one) for one in histories(rules) if one[:1] == made}
    kept = np.isin(whole.context, list(below))
    rows = np.repeat(kept, whole.end_row - whole.first_row)
    part = strategy_table.strategy_table(
        whole.recall,
        whole.context[kept],
        np.concatenate([[0], np.cumsum((whole.end_row - whole.first_row)[kept])]),
        whole.action[rows],
        strategy_table.dense(whole)[rows],
    )
    other = np.full(bids.hands, 0.25)
    assert 0 < part.context.size < whole.context.size
    for moves in (True, False):
        found = module.Replies(bids, part).value(made, other, moves=moves)
        assert (
            found.tolist() == module.Replies(bids, whole).value(made, other, moves=moves).tolist()
        )
