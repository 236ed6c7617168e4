"""Best replies where something is held, against a recursion over all histories and deals."""

import numpy as np
import pytest

from tests.solver.black_boxes import DOUBLED, rules_of, slow_value
from tests.solver.helds import drawn_helds
from tests.solver.plain_game import histories, legal_actions
from tests.solver.random_tables import with_holes
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.response.held_replies import HeldReplies
from zhaifei.solver.response.replies import Replies
from zhaifei.solver.tables.held import Held
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_after

VARIANTS = ["2 faces", "3 faces", "2 dice", "liar's dice", *DOUBLED]
any_variant = pytest.mark.parametrize("variant", VARIANTS)


class Asked:
    """A table with what is held written in, one history at a time."""

    def __init__(self, rules: Rules, table: StrategyTable, held: list[Held]) -> None:
        self.rules, self._table = rules, table
        self._held = {one.history: one for one in held}

    def strategy(self, history: tuple[int, ...]) -> np.ndarray:
        played = strategy_after(self._table, bid_tables(self.rules), history).copy()
        if history in self._held:
            one = self._held[history]
            for hand in np.flatnonzero(one.hands):
                played[hand] = one.played[hand]
        return played


def slow(asked: Asked, made: tuple[int, ...], other: np.ndarray, *, moves: bool) -> np.ndarray:
    """[hand] what the best reply earns: each own hand counts once."""
    seat = len(made) % 2 if moves else (len(made) + 1) % 2
    deals = np.multiply.outer(np.ones(other.size), other)
    return slow_value(asked, seat, made, deals if seat == 0 else deals.T)


@pytest.mark.parametrize("kept", [0.0, 0.5, 1.0])
@any_variant
def test_values_are_those_of_all_histories_and_deals(variant, kept):
    rules, rng = rules_of(variant), np.random.default_rng(7)
    table, size = with_holes(rules, kept), bid_tables(rules).hands
    every = histories(rules)
    for seed in range(4):
        theirs = seed % 2
        held = [h for h in drawn_helds(rules, 8, seed) if len(h.history) % 2 == theirs]
        replies, asked = HeldReplies(bid_tables(rules), table, held), Asked(rules, table, held)
        for made in [(), *(every[place] for place in rng.choice(len(every), 6))]:
            other = rng.random(size) * (rng.random(size) < 0.8)
            moves = len(made) % 2 != theirs
            if not made and not moves:
                continue
            found = replies.value(made, other, moves=moves)
            assert found == pytest.approx(slow(asked, made, other, moves=moves), abs=1e-9)


@any_variant
def test_with_nothing_held_they_are_the_replies_to_the_table(variant):
    rules = rules_of(variant)
    table, prior = with_holes(rules, 0.5), bid_tables(rules).prior[0].astype(np.float64)
    held, plain = HeldReplies(bid_tables(rules), table, []), Replies(bid_tables(rules), table)
    for made in histories(rules)[:20]:
        assert (held.by_action(made, prior) == plain.by_action(made, prior)).sum() >= len(
            legal_actions(rules, made)
        )


@any_variant
def test_the_best_action_is_what_a_position_is_worth(variant):
    rules = rules_of(variant)
    table, prior = with_holes(rules, 0.5), bid_tables(rules).prior[0].astype(np.float64)
    replies = Replies(bid_tables(rules), table)
    for made in histories(rules)[:20]:
        earned = replies.by_action(made, prior)
        legal = np.flatnonzero(~np.isnan(earned).any(axis=1)).tolist()
        assert legal == legal_actions(rules, made)
        best = replies.value(made, prior, moves=True)
        assert np.nanmax(earned, axis=0) == pytest.approx(best, abs=1e-12)


def test_what_the_responder_is_held_to_is_played():
    """By hand: after the first opening they may only challenge, and the other side knows it not."""
    rules = rules_of("3 faces")
    tables = bid_tables(rules)
    opening, challenge = int(np.flatnonzero(tables.legal[0])[0]), tables.claimed.size
    played = np.zeros((tables.hands, challenge + 1))
    played[:, challenge] = 1.0
    one_hand = np.arange(tables.hands) == 0
    held = Held((opening,), one_hand, played)
    table, prior = with_holes(rules, 1.0), tables.prior[0].astype(np.float64)
    free = Replies(tables, table)
    found = HeldReplies(tables, table, [held]).value((opening,), prior, moves=True)
    expected = free.value((opening,), prior, moves=True)
    challenged = free.ended((opening,), prior, 0, moves=True)
    assert found[0] == pytest.approx(challenged[0], abs=1e-12)
    assert found[0] < expected[0]
    assert found[1:] == pytest.approx(expected[1:], abs=1e-12)
