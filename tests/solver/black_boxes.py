"""Policies that are no tables, and what best responses to them earn, found in other ways."""

from collections.abc import Sequence
from functools import lru_cache, partial, reduce

import numpy as np
import pyspiel
from open_spiel.python import policy as openspiel_policy

from tests.solver import measured, plain_game
from tests.solver.plain_game import legal_actions
from zhaifei.game.bids import action_count, domain
from zhaifei.game.hands import hand_index, hands, probabilities
from zhaifei.game.openspiel import load_game
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import Bounds

VARIANTS = {
    "2 faces": preset("zhaifei", dice=1, faces=2),
    "3 faces": preset("zhaifei", dice=1, faces=3),
    "2 dice": preset("basic", dice=2, faces=3),
    "liar's dice": preset("liars_dice", dice=1, faces=4),
    "1 die against 2": preset("zhaifei", dice=(1, 2), faces=3),
    "2 dice against 1 of knockout": round_rules(preset("knockout", dice=(2, 1), faces=3), (2, 1)),
    "increment": round_rules(preset("increment", dice=(2, 2), faces=2), (2, 2)),
    "3 players": preset("zhaifei", players=3, dice=1, faces=2),
    "3 players, basic": preset("basic", players=3, dice=1, faces=3),
    "3 players, liar's dice": preset("liars_dice", players=3, dice=1, faces=2),
    "4 players": preset("liars_dice", players=4, dice=1, faces=2),
    "3 players, jump": preset("zhaifei", players=3, dice=1, faces=2, jump_challenge=True),
    "4 players, jump": preset("liars_dice", players=4, dice=1, faces=2, jump_challenge=True),
}
DOUBLED = {
    "2 faces, doubled": Rules.of(dice=1, faces=2, doubled=(2,), giving_up="forbidden"),
    "3 faces, doubled twice": Rules.of(dice=1, faces=3, doubled=(2, 4)),
    "2 dice, doubled": preset("basic", dice=2, faces=3).changed(doubled=(2,)),
    "doubled twice, half": Rules.of(dice=2, faces=2, doubled=(2, 8), giving_up="half"),
    "doubled, ones end fei": Rules.of(dice=1, faces=3, doubled=(2, 4), ones_end_fei=True),
}
"""Variants of two players with 劈."""
DOUBLED_BY_SEVERAL = {
    "3 players, doubled twice": preset("basic", players=3, dice=1, faces=3).changed(doubled=(2, 4)),
    "3 players, doubled, half": Rules.of(
        players=3, dice=1, faces=2, doubled=(2, 4, 8), giving_up="half", first_count=2
    ),
    "4 players, doubled": preset("liars_dice", players=4, dice=1, faces=2).changed(
        doubled=(2, 4), giving_up="forbidden", first_count=2
    ),
}
"""Variants of more players with 劈. Two of them open with a count of 2 or more, since OpenSpiel
takes long for longer rounds."""
KINDS = ["random", "sparse", "pure", "uniform", "looks back", "net"]


def rules_of(variant: str) -> Rules:
    return (VARIANTS | DOUBLED | DOUBLED_BY_SEVERAL)[variant]


# Policies: none of them is a table, all of them depend on more than a few bids

of_each_history = lru_cache(2**15)
"""Searches ask for the same strategies again and again."""


@of_each_history
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


@of_each_history
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


@of_each_history
def net(rules: Rules, history: tuple[int, ...], seed: int) -> np.ndarray:
    """[hand, legal action] a network with one hidden layer, in float32: it sees the dice of each
    face, all bids that were made, and how many."""
    rng = np.random.default_rng(seed)
    bids, held = domain(rules), hands(rules)
    made = np.isin(np.arange(len(bids)), history).astype(np.float32)
    dice = [[hand.count(face + 1) for face in range(rules.faces)] for hand in held]
    seen = np.array([[*of_hand, *made, len(history)] for of_hand in dice], dtype=np.float32)
    inner = rng.normal(size=(seen.shape[1], 16)).astype(np.float32)
    outer = rng.normal(size=(16, action_count(rules))).astype(np.float32)
    logits = (np.tanh(seen @ inner) @ outer)[:, legal_actions(rules, history)]
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


class Policy:
    """A policy that notes what it is asked for, batch by batch."""

    def __init__(self, rules: Rules, kind: str, seed: int = 0) -> None:
        self.rules = rules
        self.tables = bid_tables(self.rules)
        self.asked: list[list[tuple[int, ...]]] = []
        self.played = {
            "looks back": partial(looks_back, self.rules),
            "net": lambda history: net(self.rules, history, seed),
        }.get(kind, lambda history: drawn(self.rules, history, kind, seed))

    def strategy(self, history: tuple[int, ...]) -> np.ndarray:
        """[hand, action]"""
        result = np.zeros((len(hands(self.rules)), action_count(self.rules)))
        result[:, legal_actions(self.rules, history)] = self.played(history)
        return result

    def __call__(self, histories):
        self.asked.append(list(histories))
        return [self.strategy(history) for history in histories]


def policy_of(variant: str, kind: str, seed: int = 0) -> Policy:
    return Policy(rules_of(variant), kind, seed)


def strategies_of(case: measured.Case):
    """A table, as any policy is asked."""
    return lambda histories: [measured.strategy_at(case, history) for history in histories]


# What they are measured against: every deal of hands, no ranges, no cuts


def slow_value(
    tested: Policy,
    seat: int,
    history: tuple[int, ...],
    deals: np.ndarray,
    jump_costs: Sequence[int] = (),
) -> np.ndarray:
    """[own hand] what a best response earns; `deals` [hand of seat 0, ...] is the probability of
    the deal and of the others' bids with it. `jump_costs` are as in `plain_game.ended`."""
    rules, mover = tested.rules, plain_game.mover(tested.rules, history)
    others = tuple(axis for axis in range(rules.players) if axis != seat)
    played = tested.strategy(history)
    played = played / played.sum(axis=1, keepdims=True)
    values = []
    for action in legal_actions(rules, history):
        part = deals
        if mover != seat:
            shape = [-1 if axis == mover else 1 for axis in range(rules.players)]
            part = deals * played[:, action].reshape(shape)
        if action >= len(domain(rules)):
            end = plain_game.ended(rules, history, action - len(domain(rules)), jump_costs)
            values.append((part * plain_game.pays(rules, end, seat)).sum(axis=others))
        elif part.any():
            values.append(slow_value(tested, seat, (*history, action), part, jump_costs))
    return np.max(values, axis=0) if mover == seat else np.sum(values, axis=0)


@lru_cache
def exact_values(variant: str, kind: str, seed: int = 0) -> list[float]:
    """[seat] what a best response earns there."""
    tested = policy_of(variant, kind, seed)
    priors = [probabilities(tested.rules, seat) for seat in range(tested.rules.players)]
    deals = reduce(np.multiply.outer, priors)
    seats = range(tested.rules.players)
    return [float(slow_value(tested, seat, (), deals).sum()) for seat in seats]


def strategies_by_key(game_: pyspiel.Game, tested: Policy) -> dict[str, np.ndarray]:
    """{information state: [action]}"""
    found, todo = {}, [game_.new_initial_state()]
    while todo:
        state = todo.pop()
        todo += [state.child(action) for action in state.legal_actions()]
        if state.is_chance_node() or state.is_terminal():
            continue
        hand = hand_index(tested.rules, state.hands[state.current_player()])
        strategy = tested.strategy(state.actions)[hand]
        # What does not add up exactly is divided by its sum here too.
        found[state.information_state_string()] = strategy / strategy.sum()
    return found


def written_out(game_: pyspiel.Game, tested: Policy) -> openspiel_policy.TabularPolicy:
    """The policy for OpenSpiel, with every information state."""
    table = openspiel_policy.TabularPolicy(game_)
    for key, strategy in strategies_by_key(game_, tested).items():
        table.policy_for_key(key)[:] = strategy
    return table


@lru_cache
def openspiel_game(variant: str) -> pyspiel.Game:
    return load_game(rules_of(variant))


def openspiel_values(variant: str, tested: Policy) -> list[float]:
    """[seat] what a best response earns, by OpenSpiel."""
    game_ = openspiel_game(variant)
    strategies = strategies_by_key(game_, tested)
    table = pyspiel.TabularPolicy({key: [*enumerate(one)] for key, one in strategies.items()})
    root, seats = game_.new_initial_state(), range(tested.rules.players)
    return [pyspiel.TabularBestResponse(game_, s, table).value_from_state(root) for s in seats]


def inside(value: float, bounds: Bounds) -> bool:
    # Both sides round, and ours answers for its own only.
    return bounds.lower - 1e-12 <= value <= bounds.upper + 1e-12


def close(value: float, bounds: Bounds) -> bool:
    """Whether the bounds are the value, and nothing but rounding is left open."""
    return inside(value, bounds) and bounds.gap < 1e-9
