from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as openspiel_policy
from open_spiel.python.algorithms import exploitability

import game.openspiel  # noqa: F401  registers python_zhaifei
from game.bids import domain, legal_bids
from game.errors import ZhaifeiError
from game.hands import hands
from game.rules import Rules, preset
from game.tables import bid_tables
from solver import general_response as module
from solver.bounds import Bounds
from solver.general_response import (
    BestResponses,
    GeneralResponseError,
    best_response_in,
    refine_general,
)
from solver.strategies import IllegalStrategy

CUTS = [1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4, 1e-6, 0.0]
VARIANTS = {
    "2 faces": ("zhaifei", 2, 1, 2),
    "3 faces": ("zhaifei", 2, 1, 3),
    "2 dice": ("basic", 2, 2, 3),
    "liar's dice": ("liars_dice", 2, 1, 4),
    "3 players": ("zhaifei", 3, 1, 2),
    "3 players, basic": ("basic", 3, 1, 3),
    "3 players, liar's dice": ("liars_dice", 3, 1, 2),
    "4 players": ("basic", 4, 1, 2),
}
MANY = [variant for variant in VARIANTS if "players" in variant]
KINDS = ["random", "sparse", "pure", "uniform", "looks back", "net"]

any_variant = pytest.mark.parametrize("variant", VARIANTS)
any_kind = pytest.mark.parametrize("kind", KINDS)


def rules_of(variant: str) -> Rules:
    name, players, dice, faces = VARIANTS[variant]
    return preset(name, players=players, dice=dice, faces=faces)


# Policies: none of them is a table, all of them depend on more than a few bids


def legal_actions(rules: Rules, history: tuple[int, ...]) -> list[int]:
    bids = domain(rules)
    raises = legal_bids(rules, bids[history[-1]] if history else None)
    return [bids.index(bid) for bid in raises] + ([len(bids)] if history else [])


def drawn(rules: Rules, history: tuple[int, ...], kind: str, seed: int) -> np.ndarray:
    """[hand, legal action] drawn anew for every history."""
    rng = np.random.default_rng([seed, *history])
    actions, number = len(legal_actions(rules, history)), len(hands(rules))
    if kind == "uniform":
        return np.full((number, actions), 1 / actions)
    if kind == "pure":
        return np.eye(actions)[rng.integers(actions, size=number)]
    played = rng.dirichlet(np.full(actions, 0.4 if kind == "sparse" else 1.0), size=number)
    if kind == "sparse":
        played[played < 0.2 * played.max(axis=1, keepdims=True)] = 0.0
    return played / played.sum(axis=1, keepdims=True)


def looks_back(rules: Rules, history: tuple[int, ...]) -> np.ndarray:
    """[hand, legal action] a rule that goes by the first bid and by how often hands and bids agree:
    no few last bids tell what it does."""
    bids, held = domain(rules), hands(rules)
    actions = legal_actions(rules, history)
    played = np.zeros((len(held), len(actions)))
    for place, hand in enumerate(held):
        agreed = sum(bids[bid].face in hand for bid in history)
        wanted = agreed + (history[0] if history else 0) + len(set(hand))
        played[place, wanted % len(actions)] += 0.75
        played[place, -1 if agreed % 2 else 0] += 0.25
    return played


def net(rules: Rules, history: tuple[int, ...], seed: int) -> np.ndarray:
    """[hand, legal action] a network with one hidden layer, in float32: it sees the dice of each
    face, all bids that were made, and how many."""
    rng = np.random.default_rng(seed)
    bids, held = domain(rules), hands(rules)
    made = np.isin(np.arange(len(bids)), history).astype(np.float32)
    dice = [[hand.count(face + 1) for face in range(rules.faces)] for hand in held]
    seen = np.array([[*of_hand, *made, len(history)] for of_hand in dice], dtype=np.float32)
    inner = rng.normal(size=(seen.shape[1], 16)).astype(np.float32)
    outer = rng.normal(size=(16, len(bids) + 1)).astype(np.float32)
    logits = (np.tanh(seen @ inner) @ outer)[:, legal_actions(rules, history)]
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


class Policy:
    """A policy that notes what it is asked for, batch by batch."""

    def __init__(self, variant: str, kind: str, seed: int = 0) -> None:
        self.rules = rules_of(variant)
        self.tables = bid_tables(self.rules)
        self.asked: list[list[tuple[int, ...]]] = []
        self.played = {
            "looks back": partial(looks_back, self.rules),
            "net": lambda history: net(self.rules, history, seed),
        }.get(kind, lambda history: drawn(self.rules, history, kind, seed))

    def strategy(self, history: tuple[int, ...]) -> np.ndarray:
        """[hand, action]"""
        result = np.zeros((len(hands(self.rules)), len(domain(self.rules)) + 1))
        result[:, legal_actions(self.rules, history)] = self.played(history)
        return result

    def __call__(self, histories):
        self.asked.append(list(histories))
        return [self.strategy(history) for history in histories]


# What they are measured against: OpenSpiel's best responses, which know no ranges and no cuts


def written_out(game_: pyspiel.Game, tested: Policy) -> openspiel_policy.TabularPolicy:
    """The policy, for every information state."""
    table, todo = openspiel_policy.TabularPolicy(game_), [game_.new_initial_state()]
    while todo:
        state = todo.pop()
        todo += [state.child(action) for action in state.legal_actions()]
        if state.is_chance_node() or state.is_terminal():
            continue
        hand = state.history()[state.current_player()]
        strategy = tested.strategy(tuple(state.history()[tested.rules.players :]))[hand]
        # What does not add up exactly is divided by its sum here too.
        table.policy_for_key(state.information_state_string())[:] = strategy / strategy.sum()
    return table


@lru_cache
def openspiel_game(variant: str) -> pyspiel.Game:
    name, players, dice, faces = VARIANTS[variant]
    return pyspiel.load_game(
        f"python_zhaifei(rules={name},players={players},dice={dice},faces={faces})"
    )


@lru_cache
def exact_values(variant: str, kind: str, seed: int = 0) -> list[float]:
    """[seat] what a best response earns there."""
    game_, tested = openspiel_game(variant), Policy(variant, kind, seed)
    table = openspiel_policy.python_policy_to_pyspiel_policy(written_out(game_, tested))
    root = game_.new_initial_state()
    return [
        pyspiel.TabularBestResponse(game_, seat, table).value_from_state(root)
        for seat in range(tested.rules.players)
    ]


def inside(value: float, bounds: Bounds) -> bool:
    # Both sides round, and ours answers for its own only.
    return bounds.lower - 1e-12 <= value <= bounds.upper + 1e-12


def swept(tested: Policy, cut: float) -> list[Bounds]:
    seats = range(tested.rules.players)
    return [best_response_in(tested.tables, seat, tested, cut) for seat in seats]


# Exactness


@any_kind
@any_variant
def test_without_a_cut_the_values_are_those_of_openspiel(variant, kind):
    for value, bounds in zip(exact_values(variant, kind), swept(Policy(variant, kind), 0.0), strict=True):
        assert inside(value, bounds)
        assert bounds.lower == pytest.approx(value, abs=1e-9)
        assert bounds.upper == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("kind", ["random", "looks back"])
@any_variant
def test_the_sum_over_seats_is_the_nash_conv_of_openspiel(variant, kind):
    tested = Policy(variant, kind)
    *_, result = refine_general(tested.tables, tested)
    theirs = exploitability.nash_conv(openspiel_game(variant), written_out(openspiel_game(variant), tested))
    assert result.nash_conv.lower == pytest.approx(theirs, abs=1e-9)
    assert result.nash_conv.upper == pytest.approx(theirs, abs=1e-9)


# Certificates


@any_kind
@any_variant
def test_at_every_cut_the_intervals_hold_the_exact_values(variant, kind):
    exact, gaps = exact_values(variant, kind), []
    for cut in CUTS:
        seats = swept(Policy(variant, kind), cut)
        for value, bounds in zip(exact, seats, strict=True):
            assert inside(value, bounds), cut
        gaps.append(sum(bounds.gap for bounds in seats))
    assert gaps[0] > 0.1  # Otherwise nothing was cut, and nothing tested.
    assert all(before >= after - 1e-12 for before, after in pairwise(gaps))
