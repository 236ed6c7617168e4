"""Policies for the tests of what measures them, and what they are measured against."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyspiel
import pytest

from tests.solver import plain_game
from tests.solver.plain_game import histories, legal_actions
from zhaifei.game.bids import action_count, counts_for, domain
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.tables.recall import context_of, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_table, write_strategy

VARIANTS = {
    "2 faces": (Rules.of(dice=1, faces=2), "bid,face"),
    "3 faces": (Rules.of(dice=1, faces=3), "bid,bid,mode"),
    "2 dice": (Rules.of(dice=2, faces=2), "bid,bid"),
    "2 dice, 3 faces": (preset("basic", dice=2, faces=3), "bid,face<3,mode"),
    "liar's dice": (preset("liars_dice", faces=4), "bid,bid"),
    "liar's dice, full recall": (preset("liars_dice", faces=3), "full"),
    "1 die against 2": (preset("zhaifei", dice=(1, 2), faces=2), "bid,bid"),
    "2 dice against 3 of knockout": (
        round_rules(preset("knockout", dice=(2, 3), faces=3), (2, 3)),
        "bid,bid",
    ),
    "increment": (round_rules(preset("increment", dice=(2, 2), faces=2), (2, 2)), "bid,bid"),
    "doubled": (Rules.of(dice=1, faces=3, doubled=(2, 4)), "bid,bid"),
    "doubled, half": (Rules.of(dice=2, faces=2, doubled=(2, 8), giving_up="half"), "bid,bid"),
    "doubled, full recall": (Rules.of(dice=1, faces=2, doubled=(2,)), "full"),
    "doubled, shown": (Rules.of(dice=1, faces=2, doubled=(2, 3), giving_up="forbidden"), "bid"),
}
KINDS = ["random", "sparse", "pure", "uniform", "missing"]
DTYPES = [np.float32, np.uint8]

any_variant = pytest.mark.parametrize("variant", VARIANTS)
any_kind = pytest.mark.parametrize("kind", KINDS)
any_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=["float32", "uint8"])


# Policies to measure


def draw(rng: np.random.Generator, kind: str, actions: int, number: int) -> np.ndarray:
    """[action, hand] a random strategy of one node."""
    if kind == "uniform":
        return np.full((actions, number), 1 / actions)
    if kind == "pure":
        return np.eye(actions)[rng.integers(actions, size=number)].T
    drawn = rng.dirichlet(np.full(actions, 0.4 if kind == "sparse" else 1.0), size=number).T
    if kind == "sparse":
        drawn[drawn < 0.2 * drawn.max(axis=0)] = 0.0
    return drawn / drawn.sum(axis=0)


def in_steps(probability: np.ndarray) -> np.ndarray:
    """[action, hand] in steps of 1/255 that sum to 255 for each hand."""
    upto = np.rint(255 * np.cumsum(probability, axis=0) / probability.sum(axis=0))
    return np.diff(upto, axis=0, prepend=0).astype(np.uint8)


class Case(NamedTuple):
    rules: Rules
    table: StrategyTable

    @property
    def tables(self):
        return bid_tables(self.rules)


@lru_cache
def case(variant: str, kind: str = "random", dtype: type = np.float32, seed: int = 0) -> Case:
    """A policy for every context of the variant; kind `missing` leaves out a third of them."""
    rules, text = VARIANTS[variant]
    recall, rng = recall_tables(rules, text), np.random.default_rng(seed)
    nodes = {}
    for history in histories(rules):
        context = context_of(recall, np.array([*history, 0], dtype=np.int64), len(history))
        nodes[context] = legal_actions(rules, history)
    if kind == "missing":
        nodes = {c: a for c, a in nodes.items() if c == 0 or rng.random() < 2 / 3}
    first_row, action, rows = [0], [], []
    for context in sorted(nodes):
        drawn = draw(rng, kind, len(nodes[context]), len(hands(rules)))
        stored = in_steps(drawn) if dtype == np.uint8 else drawn.astype(np.float32)
        played = stored.any(axis=1)
        action += np.array(nodes[context])[played].tolist()
        rows.append(stored[played])
        first_row.append(len(action))
    table = strategy_table(
        recall,
        np.array(sorted(nodes), dtype=np.int64),
        np.array(first_row, dtype=np.int64),
        np.array(action, dtype=np.int16),
        np.concatenate(rows),
    )
    return Case(rules, table)


# What they are measured against: no ranges, no cuts, pairs of hands


def strategy_at(tested: Case, history: tuple[int, ...]) -> np.ndarray:
    """[hand, action] what the policy does: its rows, divided by their sum."""
    written = np.zeros((len(hands(tested.rules)), action_count(tested.rules)))
    bids = np.array([*history, 0], dtype=np.int64)
    write_strategy(tested.table, tested.tables, bids, len(history), written)
    return written / written.sum(axis=1, keepdims=True)


@lru_cache
def payoff(rules: Rules, bid: int) -> np.ndarray:
    """[bidder's hand, challenger's hand] what the bidder earns when `bid` is challenged."""
    bid_ = domain(rules)[bid]
    counted = [sum(counts_for(rules, bid_, die) for die in hand) for hand in hands(rules)]
    return np.where(np.add.outer(counted, counted) >= bid_.count, 1.0, -1.0)


def ended(rules: Rules, history: tuple[int, ...], action: int, turn: int) -> np.ndarray:
    """[hand of who bid last, hand of who is in turn] what the player of `turn` earns by an
    ending."""
    end = plain_game.ended(rules, history, action - len(domain(rules)))
    assert end is not None
    pays = plain_game.pays(rules, end, turn % 2)
    return pays if len(history) % 2 == 1 else pays.T


def slow_value(tested: Case, history: tuple[int, ...], reach: np.ndarray) -> np.ndarray:
    """[own hand] the value of a history where the responder moves."""
    values = []
    for action in legal_actions(tested.rules, history):
        if action >= len(domain(tested.rules)):
            values.append(ended(tested.rules, history, action, len(history)).T @ reach)
        else:
            values.append(slow_raise(tested, (*history, action), reach))
    return np.max(values, axis=0)


def slow_raise(tested: Case, history: tuple[int, ...], reach: np.ndarray) -> np.ndarray:
    """[own hand] the value after the responder's raise, the last of `history`."""
    played = strategy_at(tested, history)
    value = np.zeros(reach.size)
    for reply in legal_actions(tested.rules, history):
        part = reach * played[:, reply]
        if reply >= len(domain(tested.rules)):
            value = value + ended(tested.rules, history, reply, len(history) - 1) @ part
        elif part.any():
            value = value + slow_value(tested, (*history, reply), part)
    return value


@lru_cache
def slow_best_response(tested_key: tuple) -> tuple[float, float]:
    """What a best response earns as opener and as responder."""
    tested = case(*tested_key)
    first, second = (probabilities(tested.rules, player) for player in range(2))
    opener = first @ slow_value(tested, (), second)
    played = strategy_at(tested, ())
    responder = sum(
        second @ slow_value(tested, (bid,), first * played[:, bid])
        for bid in legal_actions(tested.rules, ())
    )
    return float(opener), float(responder)


def openspiel_values(game: pyspiel.Game, tested: Case) -> list[float]:
    """Best responses by OpenSpiel, to the policy written out for every information state."""
    played, todo = {}, [game.new_initial_state()]
    while todo:
        state = todo.pop()
        todo += [state.child(action) for action in state.legal_actions()]
        if state.is_chance_node() or state.is_terminal():
            continue
        hand, said = state.history()[state.current_player()], tuple(state.history()[2:])
        row = strategy_at(tested, said)[hand]
        played[state.information_state_string()] = [(a, row[a]) for a in state.legal_actions()]
    root, policy = game.new_initial_state(), pyspiel.TabularPolicy(played)
    return [pyspiel.TabularBestResponse(game, s, policy).value_from_state(root) for s in (0, 1)]


def inside(value: float, bounds: Bounds) -> bool:
    return bounds.lower <= value <= bounds.upper
