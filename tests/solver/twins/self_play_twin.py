"""`solver.value.self_play` one deal of hands at a time: a recursion over all histories."""

from functools import reduce

import numpy as np

from tests.solver.black_boxes import Policy, legal_actions, loser
from zhaifei.game.bids import domain
from zhaifei.game.hands import probabilities

History = tuple[int, ...]


class SelfPlayTwin:
    """What each seat earns, and how often each history comes up."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.rules = policy, policy.rules
        self.earned = np.zeros(self.rules.players)
        """[seat]"""
        self.reach: dict[History, float] = {}
        prior = [probabilities(self.rules, seat) for seat in range(self.rules.players)]
        self._visit((), reduce(np.multiply.outer, prior))

    def _visit(self, history: History, deals: np.ndarray) -> None:
        """`deals` [hand of seat 0, ...] is how likely the deal and these bids are."""
        self.reach[history] = float(deals.sum())
        players, bids = self.rules.players, len(domain(self.rules))
        shape = [-1 if seat == len(history) % players else 1 for seat in range(players)]
        played = self.policy.strategy(history)
        for action in legal_actions(self.rules, history):
            part = deals * played[:, action].reshape(shape)
            if action < bids:
                self._visit((*history, action), part)
                continue
            distance = action - bids + 1
            lost = loser(self.rules, history, distance)
            for seat in range(players):
                paid = distance * np.where(lost == seat, -1.0, 1 / (players - 1))
                self.earned[seat] += float((part * paid).sum())
