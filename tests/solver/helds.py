"""What is held fixed at some histories, drawn at random."""

import numpy as np

from tests.solver import plain_game
from zhaifei.game.bids import action_count
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.solver.tables.held import Held

History = tuple[int, ...]


def drawn_helds(rules: Rules, number: int, seed: int, made: History = ()) -> list[Held]:
    """Return `number` of them, at histories that begin with the bids `made` and are longer: some
    for all hands, some for one action alone."""
    rng = np.random.default_rng(seed)
    longer = [
        history
        for history in plain_game.histories(rules)
        if history[: len(made)] == made and len(history) > len(made)
    ]
    # Short ones, which are reached.
    weight = 0.25 ** np.array([len(history) for history in longer])
    places = rng.choice(
        len(longer), min(number, len(longer)), replace=False, p=weight / weight.sum()
    )
    return [drawn_held(rules, longer[place], rng) for place in places.tolist()]


def drawn_held(rules: Rules, history: History, rng: np.random.Generator) -> Held:
    size, actions = len(hands(rules)), plain_game.legal_actions(rules, history)
    mine = rng.random(size) < rng.choice([0.5, 1.0])
    mine[rng.integers(size)] = True
    played = np.zeros((size, action_count(rules)))
    shares = rng.dirichlet(np.full(len(actions), 0.5), size)
    played[:, actions] = (
        np.eye(len(actions))[shares.argmax(axis=1)] if rng.random() < 0.3 else shares
    )
    return Held(history, mine, played)
