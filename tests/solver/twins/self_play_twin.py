"""`solver.value.self_play` one deal of hands at a time: a recursion over all histories."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from tests.solver import plain_game
from tests.solver.black_boxes import Policy
from zhaifei.game.bids import domain
from zhaifei.game.hands import probabilities

History = tuple[int, ...]


class SelfPlayTwin:
    """What each seat earns, and how often each history comes up."""

    def __init__(self, policy: Policy, jump_costs: Sequence[int] = ()) -> None:
        self.policy, self.rules, self.jump_costs = policy, policy.rules, jump_costs
        self.earned = np.zeros(self.rules.players)
        """[seat]"""
        self.reach: dict[History, float] = {}
        prior = [probabilities(self.rules, seat) for seat in range(self.rules.players)]
        self._visit((), reduce(np.multiply.outer, prior))

    def _visit(self, history: History, deals: np.ndarray) -> None:
        """`deals` [hand of seat 0, ...] is how likely the deal and these bids are."""
        self.reach[history] = float(deals.sum())
        players, bids = self.rules.players, len(domain(self.rules))
        mover = plain_game.mover(self.rules, history)
        shape = [-1 if seat == mover else 1 for seat in range(players)]
        played = self.policy.strategy(history)
        for action in plain_game.legal_actions(self.rules, history):
            part = deals * played[:, action].reshape(shape)
            if action < bids:
                self._visit((*history, action), part)
                continue
            end = plain_game.ended(self.rules, history, action - bids, self.jump_costs)
            for seat in range(players):
                self.earned[seat] += float((part * plain_game.pays(self.rules, end, seat)).sum())
