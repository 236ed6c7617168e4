"""The walks of `solver.cfr.tree_walk` once more, slowly: dictionaries from histories, recursion,
double precision, and every challenge settled by all hands of all players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pytest

from tests.solver import plain_game
from tests.solver.plain_game import Ended, legal_actions
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.cfr import (
    tree_averages,
    tree_challenges,
    tree_descent,
    tree_improve,
    tree_respond,
    tree_walk,
    trembling,
)
from zhaifei.solver.cfr.growing_tree import ROOT, GrowingTree
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.root import Root, root_of

History = tuple[int, ...]
"""Actions: bids, and perhaps an ending, from the number of bids on."""

WALKS = (
    tree_averages,
    tree_challenges,
    tree_descent,
    tree_improve,
    tree_respond,
    tree_walk,
    trembling,
)
"""The modules with the kernels of walks."""
NOT_FOLLOWED = 1e-9
"""Replies of so little mass, or less, are passed over while regrets are improved."""
ROUNDING = 3e-6
"""Values are sums of fewer than 50 terms that are at most 1 in total, each rounded by 2^-24."""
TIE = 1e-6
"""Rounding may decide between raises whose values differ by less."""


def nodes_of(state: Mapping[str, np.ndarray]) -> dict[History, int]:
    """Where each history of a tree is; histories begin at the root."""
    found: dict[History, int] = {}
    by_node: dict[int, History] = {}
    for node, (parent, action) in enumerate(zip(state["parent"], state["action"], strict=True)):
        by_node[node] = () if node == ROOT else (*by_node[int(parent)], int(action))
        found[by_node[node]] = node
    return found


def absent(rules: Rules, nodes: Mapping[History, int], made: History = ()) -> list[History]:
    """The actions by which the tree with these histories after the bids `made` may be left."""
    challenge = len(domain(rules))
    return [
        (*history, action)
        for history in nodes
        if history and history[-1] < challenge
        for action in legal_actions(rules, (*made, *history))
        if action != challenge and (*history, action) not in nodes
    ]


def class_of(grown: GrowingTree, node: int) -> np.ndarray:
    """[hand] the place of the hand in the row of `node`."""
    tree = grown.tree
    classes: np.ndarray = tree.classes.class_of[tree.partition[max(tree.parent[node], ROOT)]]
    return classes


def by_hand(grown: GrowingTree) -> dict[str, np.ndarray]:
    """The state with rows [node, hand]; each hand has the number of its class."""
    state = {name: array.copy() for name, array in grown.state().items()}
    for name in ("regret", "average"):
        rows, starts = state[name].reshape(-1), grown.tree.row.tolist()
        spread = [rows[start + class_of(grown, node)] for node, start in enumerate(starts)]
        state[name] = np.array(spread)
    return state


def set_rows(grown: GrowingTree, name: str, rows: np.ndarray) -> None:
    """Set the rows `name` to those of the first hand of each class in `rows` [node, hand]."""
    for node, start in enumerate(grown.tree.row.tolist()):
        first = np.unique(class_of(grown, node), return_index=True)[1]
        getattr(grown.tree, name)[start : start + first.size] = rows[node, first]


def least_by_hand(grown: GrowingTree, node: int, least: float) -> np.ndarray:
    """[hand] the average from which the action that leads to `node` counts as played: `least`, but
    less for a class that is dealt more rarely than the average hand."""
    tree = grown.tree
    class_of = tree.classes.class_of[tree.partition[max(tree.parent[node], 0)]]
    dealt = tree.root.ranges[0] / tree.root.ranges[0].sum()
    of_class = np.array([dealt[class_of == one].sum() for one in class_of])
    return least * np.minimum(1.0, of_class * len(dealt))


def random_tree(
    rules: Rules, seed: int, size: int, root: Root | None = None, *, merged: bool = False
) -> GrowingTree:
    """All that is legal at the root and `size` actions more; these, regrets and averages are drawn
    at random.

    Some hands have no positive regret or no average at a node, and some histories nobody reaches.
    """
    root = root or root_of(bid_tables(rules))
    rng, grown, added = np.random.default_rng(seed), GrowingTree(root, merged=merged), 0
    while added < size:
        nodes = nodes_of(grown.state())
        leaving = absent(rules, nodes, tuple(root.made.tolist()))
        outside = np.array([(nodes[h[:-1]], h[-1]) for h in leaving])
        chosen = rng.permutation(outside)[: max(1, min(size - added, len(outside) // 4))]
        grown.grow(chosen[:, 0], chosen[:, 1], 0.0)
        added += len(chosen)
    shape = len(grown), len(hands(rules))
    regret, average = rng.normal(size=shape), rng.exponential(size=shape)
    regret[rng.random(len(grown)) < 0.2] = -1.0
    average[rng.random(shape) < 0.3] = 0.0
    average[rng.random(len(grown)) < 0.2] = 0.0
    set_rows(grown, "regret", regret)
    set_rows(grown, "average", average)
    return grown


class Gains(NamedTuple):
    """Of leaving the tree at one history."""

    total: float
    by_action: dict[int, tuple[float, float]]
    """What each action gains: at least, at most. They differ where hands are indifferent."""


def paid(
    rules: Rules, end: Ended, seat: int, ranges: np.ndarray, to: int | None = None
) -> np.ndarray:
    """[hand of `seat`] what an ending pays `seat`, or the player `to`, against the ranges of all
    but `seat`."""
    pays = np.moveaxis(plain_game.pays(rules, end, seat if to is None else to), seat, -1)
    for player in range(rules.players):
        if player != seat:
            pays = np.tensordot(ranges[player], pays, axes=(0, 0))
    return pays


class Twin:
    """A tree as it is when the twin is made, and what the walks do with it.

    `ranges` are [player, hand] in turn order from the root, values [hand].
    """

    def __init__(
        self, rules: Rules, state: Mapping[str, np.ndarray], root: Root | None = None
    ) -> None:
        root = root or root_of(bid_tables(rules))
        self.rules, self.made = rules, tuple(root.made.tolist())
        self.dealt_ranges = root.ranges.astype(float)
        self.challenge = len(domain(rules))
        nodes = nodes_of(state)
        self.regret = {h: state["regret"][node].astype(float) for h, node in nodes.items()}
        self.average = {h: state["average"][node].astype(float) for h, node in nodes.items()}
        self.dealt = state["dealt"].astype(float)
        self.best = {h: np.zeros(regret.shape) for h, regret in self.regret.items()}
        """What the last action counts among best responses."""
        self.gain = {h: np.zeros(regret.shape) for h, regret in self.regret.items()}
        self.others: dict[History, float] = {}
        """The mass of the others at a history, summed over walks."""
        self.gains: dict[History, Gains] = {}
        """Of the last responses, by the history where the tree may be left."""

    def mover(self, history: History) -> int:
        first = plain_game.mover(self.rules, self.made)
        return (plain_game.mover(self.rules, (*self.made, *history)) - first) % self.rules.players

    def children(self, history: History) -> list[int]:
        actions = legal_actions(self.rules, (*self.made, *history))
        return [action for action in actions if (*history, action) in self.regret]

    def played(self, shares: dict[History, np.ndarray], history: History) -> dict[int, np.ndarray]:
        """[hand] by action: in proportion to what is positive of the shares, and if nothing is,
        all by a challenge, or by the weakest opening at the start."""
        positive = {a: np.maximum(shares[(*history, a)], 0.0) for a in self.children(history)}
        total = sum(positive.values())
        fallback = self.challenge if self.made + history else min(positive)
        return {
            a: np.where(total > 0, p / np.where(total > 0, total, 1), a == fallback)
            for a, p in positive.items()
        }

    def challenged(
        self,
        history: History,
        seat: int,
        ranges: np.ndarray,
        ending: int = 0,
        to: int | None = None,
    ) -> np.ndarray:
        """[hand of `seat`] what `seat`, or the player `to`, gets if the player in turn takes this
        ending."""
        end = plain_game.ended(self.rules, (*self.made, *history), ending)
        assert end is not None
        opener = -plain_game.mover(self.rules, self.made)
        first, second = ((loser + opener) % self.rules.players for loser in end.loses)
        return paid(self.rules, end._replace(loses=(first, second)), seat, ranges, to)

    def after(
        self,
        history: History,
        action: int,
        seat: int,
        ranges: np.ndarray,
        value: Callable[[History, np.ndarray], np.ndarray],
        to: int | None = None,
    ) -> np.ndarray:
        """[hand of `seat`] what `seat`, or the player `to`, gets by `action`: that of a challenge,
        or `value` of what follows."""
        if action >= self.challenge:
            return self.challenged(history, seat, ranges, action - self.challenge, to)
        return value((*history, action), ranges)

    def moved(self, history: History, ranges: np.ndarray, played: np.ndarray) -> np.ndarray:
        """The ranges after an action that the player in turn takes with probability `played`
        [hand]."""
        result = ranges.copy()
        result[self.mover(history)] *= played
        return result

    def mass(self, seat: int, ranges: np.ndarray) -> float:
        """The probability with which all but `seat` come there."""
        return float(np.prod(np.delete(ranges.sum(axis=1), seat)))

    # Improving

    def improve(self, history: History, seat: int, ranges: np.ndarray, step: Step) -> np.ndarray:
        """[own hand] what `seat` gets after `history`; their regrets, and with two players the
        other's averages, are those of one more pass."""
        children = self.children(history)
        if not children:
            return self.challenged(history, seat, ranges)
        played = self.played(self.regret, history)
        improve = lambda longer, after: self.improve(longer, seat, after, step)  # noqa: E731
        if self.mover(history) == seat:
            worth = {a: self.after(history, a, seat, ranges, improve) for a in children}
            value = sum(played[a] * worth[a] for a in children)
            for action in children:
                old = self.regret[(*history, action)]
                kept = np.where(old > 0, float(step.keep_positive), float(step.keep_negative))
                self.regret[(*history, action)] = kept * old + worth[action] - value
            return value
        value = np.zeros(ranges.shape[1])
        if history:
            tremble = float(step.tremble)
            played = {a: (1 - tremble) * p + tremble / len(children) for a, p in played.items()}
        for action in children:
            after = self.moved(history, ranges, played[action])
            # What follows the root always is.
            if self.mass(seat, after) > NOT_FOLLOWED or not history:
                if self.rules.players == 2:
                    part = after[self.mover(history)]
                    self.average[(*history, action)] += float(step.weight) * part
                value += self.after(history, action, seat, after, improve)
        return value

    def accumulate(self, history: History, player: int, reach: np.ndarray, weight: float) -> None:
        """Add the current strategy of `player` to their average, by their own `reach` [hand]."""
        children = self.children(history)
        if not children:
            return
        played = self.played(self.regret, history)
        for action in children:
            part = reach
            if self.mover(history) == player:
                part = reach * played[action]
                if part.sum() <= NOT_FOLLOWED and history:
                    continue
                self.average[(*history, action)] += weight * part
            if action < self.challenge:
                self.accumulate((*history, action), player, part, weight)

    # Descending

    def gather(
        self, history: History, seat: int, to: int, softness: float, ranges: np.ndarray
    ) -> np.ndarray:
        """[hand of `seat`] what the player `to` gets after `history` by their best responses, which
        are noted if `seat` is this player, and must be known otherwise. Then gains are noted."""
        children, mover = self.children(history), self.mover(history)
        if not children:
            return self.challenged(history, seat, ranges, to=to)
        played = self.played(self.best if mover == to else self.regret, history)
        gather = lambda longer, after: self.gather(longer, seat, to, softness, after)  # noqa: E731
        if mover != seat:
            value = np.zeros(ranges.shape[1])
            for action in children:
                after = self.moved(history, ranges, played[action])
                if self.mass(seat, after) > NOT_FOLLOWED or not history:
                    value += self.after(history, action, seat, after, gather, to)
            return value
        worth = {a: self.after(history, a, seat, ranges, gather, to) for a in children}
        if seat == to:
            most: np.ndarray = np.max(list(worth.values()), axis=0)
            loss = max(softness * self.mass(seat, ranges), 1e-30)
            parts = {a: 255 * np.exp((worth[a] - most) / loss) for a in children}
            for action in children:
                if history:  # the root keeps what is not whole
                    parts[action] = np.rint(parts[action])
                self.best[(*history, action)] = parts[action]
            return sum(parts[a] * worth[a] for a in children) / sum(parts.values())
        value = sum(played[a] * worth[a] for a in children)
        for action in children:
            self.gain[(*history, action)] += value - worth[action]
        self.others[history] = self.others.get(history, 0.0) + self.mass(seat, ranges)
        return value

    # Responding

    def respond(self, history: History, seat: int, ranges: np.ndarray) -> np.ndarray:
        """[own hand] what a best response earns after `history`; notes gains of leaving the tree
        below it."""
        children = self.children(history)
        respond = lambda longer, after: self.respond(longer, seat, after)  # noqa: E731
        if self.mover(history) != seat:
            if not children:
                return self.challenged(history, seat, ranges)
            played = self.played(self.average, history)
            return sum(
                self.after(history, a, seat, self.moved(history, ranges, played[a]), respond)
                for a in children
            )
        inside = np.max(
            [self.after(history, a, seat, ranges, respond) for a in children or [self.challenge]],
            axis=0,
        )
        ends = lambda longer, after: self.challenged(longer, seat, after)  # noqa: E731
        outside = {
            action: self.after(history, action, seat, ranges, ends)
            for action in legal_actions(self.rules, (*self.made, *history))
            if action not in children and action != self.challenge
        }
        if not outside:
            return inside
        best = np.maximum(inside, np.max(list(outside.values()), axis=0))
        if self.mass(seat, ranges) > 0:
            self._note(history, seat, inside, outside, best)
        return best

    def _note(
        self,
        history: History,
        seat: int,
        inside: np.ndarray,
        outside: dict[int, np.ndarray],
        best: np.ndarray,
    ) -> None:
        gain = self.dealt_ranges[seat] * (best - inside)
        by_action = {action: [0.0, 0.0] for action in self._weakest(outside)}
        for hand in np.flatnonzero(gain > 0):
            takes = [a for a in by_action if outside[a][hand] >= best[hand] - TIE]
            for action in takes:
                by_action[action][0] += gain[hand] * (len(takes) == 1)
                by_action[action][1] += gain[hand]
        found = {action: (low, high) for action, (low, high) in by_action.items()}
        self.gains[history] = Gains(float(gain.sum()), found)

    def _weakest(self, actions: dict[int, np.ndarray]) -> list[int]:
        """Of each mode and face the weakest bid, and all doubles and endings."""
        found: dict[tuple[int, ...], int] = {}
        for bid in sorted(actions):
            if bid >= self.challenge:
                found[(-1, bid)] = bid
                continue
            said = domain(self.rules)[bid]
            found.setdefault((said.mode, said.face, said.doubled), bid)
        return list(found.values())


def verify_gains(
    twin: Twin, nodes: Mapping[History, int], noted: Mapping[tuple[int, int], float], least: float
) -> int:
    """Checks that the actions noted, by node and action, are those that the twin noted last, as far
    as ties allow; returns how many there are."""
    found = dict(noted)
    for history, gains in twin.gains.items():
        here = {bid: found.pop((nodes[history], bid), 0.0) for bid in gains.by_action}
        for bid, (low, high) in gains.by_action.items():
            if here[bid] == 0.0:
                assert low < least + ROUNDING
            else:
                assert max(least, low - ROUNDING) <= here[bid] <= high + ROUNDING
        if least < TIE:
            assert sum(here.values()) == pytest.approx(gains.total, abs=ROUNDING)
    assert not found  # only where the tree may be left, and only the weakest of a kind
    return len(noted)
