"""`solver.cfr.tree_walks` once more, slowly: dictionaries from histories, recursion, double
precision, and every challenge settled by every pair of hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pytest

from game.bids import domain
from game.hands import hands, probabilities
from game.rules import Rules
from game.tables import NO_BID, bid_tables
from solver.cfr.growing_tree import GrowingTree
from solver.cfr.tree_walks import Step
from tests.solver.measured import legal_actions, payoff

History = tuple[int, ...]
"""Actions: bids, and perhaps a challenge, which is the number of bids."""

NOT_FOLLOWED = 1e-9
"""Replies of so little mass, or less, are passed over while regrets are improved."""
ROUNDING = 3e-6
"""Values are sums of fewer than 50 terms that are at most 1 in total, each rounded by 2^-24."""
TIE = 1e-6
"""Rounding may decide between raises whose values differ by less."""


def nodes_of(state: Mapping[str, np.ndarray]) -> dict[History, int]:
    """Where each history of a tree is."""
    found: dict[History, int] = {}
    by_node: dict[int, History] = {}
    for node, (parent, action) in enumerate(zip(state["parent"], state["action"], strict=True)):
        root = action == NO_BID
        by_node[node] = () if root else (*by_node[int(parent)], int(action))
        found[by_node[node]] = node
    return found


def absent(rules: Rules, nodes: Mapping[History, int]) -> list[History]:
    """The raises by which the tree with these histories may be left."""
    return [
        (*history, bid)
        for history in nodes
        if history and history[-1] != len(domain(rules))
        for bid in legal_actions(rules, history)[:-1]
        if (*history, bid) not in nodes
    ]


def random_tree(rules: Rules, seed: int, size: int) -> GrowingTree:
    """All openings and `size` raises; these, regrets and averages are drawn at random.

    Some hands have no positive regret or no average at a node, and some histories nobody reaches.
    """
    rng, grown, added = np.random.default_rng(seed), GrowingTree(bid_tables(rules)), 0
    while added < size:
        nodes = nodes_of(grown.state())
        outside = np.array([(nodes[h[:-1]], h[-1]) for h in absent(rules, nodes)])
        chosen = rng.permutation(outside)[: max(1, min(size - added, len(outside) // 4))]
        grown.add(chosen[:, 0], chosen[:, 1], 0.0)
        added += len(chosen)
    grown.arrange()
    shape = len(grown), len(hands(rules))
    regret, average = rng.normal(size=shape), rng.exponential(size=shape)
    regret[rng.random(len(grown)) < 0.2] = -1.0
    average[rng.random(shape) < 0.3] = 0.0
    average[rng.random(len(grown)) < 0.2] = 0.0
    grown.tree.regret[: len(grown)], grown.tree.average[: len(grown)] = regret, average
    return grown


class Gains(NamedTuple):
    """Of leaving the tree at one history."""

    total: float
    by_bid: dict[int, tuple[float, float]]
    """What each bid gains: at least, at most. They differ where hands are indifferent."""


class Twin:
    """A tree as it is when the twin is made, and what the two walks do with it.

    Ranges and values are [hand], those of the player who moves at even turns or at odd ones.
    """

    def __init__(self, rules: Rules, state: Mapping[str, np.ndarray]) -> None:
        self.rules, self.prior = rules, probabilities(rules)
        self.challenge = len(domain(rules))
        nodes = nodes_of(state)
        self.regret = {h: state["regret"][node].astype(float) for h, node in nodes.items()}
        self.average = {h: state["average"][node].astype(float) for h, node in nodes.items()}
        self.gains: dict[History, Gains] = {}
        """Of the last responses, by the history where the tree may be left."""

    def children(self, history: History) -> list[int]:
        actions = legal_actions(self.rules, history)
        return [action for action in actions if (*history, action) in self.regret]

    def played(self, shares: dict[History, np.ndarray], history: History) -> dict[int, np.ndarray]:
        """[hand] by action: in proportion to what is positive of the shares, and if nothing is,
        all by a challenge, or by the weakest opening at the start."""
        positive = {a: np.maximum(shares[(*history, a)], 0.0) for a in self.children(history)}
        total = sum(positive.values())
        fallback = self.challenge if history else min(positive)
        return {
            a: np.where(total > 0, p / np.where(total > 0, total, 1), a == fallback)
            for a, p in positive.items()
        }

    def challenged(self, history: History, seat: int, others: np.ndarray) -> np.ndarray:
        """[own hand] what `seat` gets if all challenge now."""
        pays = payoff(self.rules, history[-1])
        return pays @ others if (len(history) - 1) % 2 == seat else -(pays.T @ others)

    # Improving

    def improve(self, history: History, seat: int, others: np.ndarray, step: Step) -> np.ndarray:
        """[own hand] what `seat` gets after `history`; their regrets and the others' averages are
        those of one more pass."""
        children = self.children(history)
        if not children:
            return self.challenged(history, seat, others)
        played = self.played(self.regret, history)
        if len(history) % 2 == seat:
            worth = {a: self._improve_after(history, a, seat, others, step) for a in children}
            value = sum(played[a] * worth[a] for a in children)
            for action in children:
                old = self.regret[(*history, action)]
                kept = np.where(old > 0, float(step.keep_positive), float(step.keep_negative))
                self.regret[(*history, action)] = kept * old + worth[action] - value
            return value
        value = np.zeros(len(self.prior))
        if not history:
            self.average[()] += float(step.weight) * others
        for action in children:
            part = others * played[action]
            # Openings are always followed.
            if part.sum() > NOT_FOLLOWED or not history:
                self.average[(*history, action)] += float(step.weight) * part
                value += self._improve_after(history, action, seat, part, step)
        return value

    def _improve_after(
        self, history: History, action: int, seat: int, others: np.ndarray, step: Step
    ) -> np.ndarray:
        if action == self.challenge:
            return self.challenged(history, seat, others)
        return self.improve((*history, action), seat, others, step)

    # Responding

    def respond(self, history: History, seat: int, others: np.ndarray) -> np.ndarray:
        """[own hand] what a best response earns after `history`; notes gains of leaving the tree
        below it."""
        children = self.children(history)
        if len(history) % 2 != seat:
            if not children:
                return self.challenged(history, seat, others)
            played = self.played(self.average, history)
            parts = {action: others * played[action] for action in children}
            return sum(self._respond_after(history, a, seat, part) for a, part in parts.items())
        inside = np.max(
            [self._respond_after(history, a, seat, others) for a in children or [self.challenge]],
            axis=0,
        )
        outside = {
            bid: self.challenged((*history, bid), seat, others)
            for bid in legal_actions(self.rules, history)
            if bid not in children and bid != self.challenge
        }
        if not outside:
            return inside
        best = np.maximum(inside, np.max(list(outside.values()), axis=0))
        self._note(history, inside, outside, best)
        return best

    def _respond_after(
        self, history: History, action: int, seat: int, others: np.ndarray
    ) -> np.ndarray:
        if action == self.challenge:
            return self.challenged(history, seat, others)
        return self.respond((*history, action), seat, others)

    def _note(
        self,
        history: History,
        inside: np.ndarray,
        outside: dict[int, np.ndarray],
        best: np.ndarray,
    ) -> None:
        gain = self.prior * (best - inside)
        by_bid = {bid: [0.0, 0.0] for bid in self._weakest(outside)}
        for hand in np.flatnonzero(gain > 0):
            takes = [bid for bid in by_bid if outside[bid][hand] >= best[hand] - TIE]
            for bid in takes:
                by_bid[bid][0] += gain[hand] * (len(takes) == 1)
                by_bid[bid][1] += gain[hand]
        total = float(gain.sum())
        self.gains[history] = Gains(total, {b: (low, high) for b, (low, high) in by_bid.items()})

    def _weakest(self, bids: dict[int, np.ndarray]) -> list[int]:
        """Of each mode and face the weakest of `bids`."""
        found: dict[tuple[int, int], int] = {}
        for bid in sorted(bids):
            said = domain(self.rules)[bid]
            found.setdefault((said.mode, said.face), bid)
        return list(found.values())


def verify_gains(
    twin: Twin, nodes: Mapping[History, int], noted: Mapping[tuple[int, int], float], least: float
) -> int:
    """Checks that the raises noted, by node and bid, are those that the twin noted last, as far as
    ties allow; returns how many there are."""
    found = dict(noted)
    for history, gains in twin.gains.items():
        here = {bid: found.pop((nodes[history], bid), 0.0) for bid in gains.by_bid}
        for bid, (low, high) in gains.by_bid.items():
            if here[bid] == 0.0:
                assert low < least + ROUNDING
            else:
                assert max(least, low - ROUNDING) <= here[bid] <= high + ROUNDING
        if least < TIE:
            assert sum(here.values()) == pytest.approx(gains.total, abs=ROUNDING)
    assert not found  # only where the tree may be left, and only the weakest of a kind
    return len(noted)
