"""What MCCFR samples, summed up instead: every deal and every line of play, from the rules.

Tables here have full recall, so that a node is a history. They are filled with random regrets, and
nothing but the regrets and the rows is read: what kernels keep beside them is told once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

import numpy as np

from tests.solver.twins.exact_twin import History, histories
from zhaifei.game.bids import Bid, action_of, challengeable, legal_bids
from zhaifei.game.hands import Hand, hands, probabilities
from zhaifei.game.rounds import Round, utilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID, bid_tables
from zhaifei.solver.cfr.infosets import ILLEGAL, NO_ROW, InfoSets, InfoSetTable, slot_count
from zhaifei.solver.cfr.traversal import AVERAGED, REVISITED
from zhaifei.solver.tables.recall import FULL, recall_tables

Move = Bid | int
"""A number is the distance of a challenge: how many bids ago the challenged bid was made."""
Slots = dict[int, Move]
"""The slots that the rules allow, by their place in the node."""


def context_of(rules: Rules, history: History) -> int:
    return sum(1 << action_of(rules, bid) for bid in history)


def last_action(rules: Rules, history: History) -> int:
    return action_of(rules, history[-1]) if history else NO_BID


def wanted(rules: Rules, history: History) -> tuple[int, int, int]:
    """The node as `InfoSets.grow` is asked for it."""
    few = len(challengeable(rules, len(history)))
    return context_of(rules, history), last_action(rules, history), few


def slots_of(rules: Rules, history: History) -> Slots:
    """The challenge, raises, then 跳开; at the start, places count from the weakest opening."""
    if history:
        farther = challengeable(rules, len(history))[1:]
        return dict(enumerate([1, *legal_bids(rules, history[-1]), *farther]))
    first, *_ = openings = legal_bids(rules, None)
    return {action_of(rules, bid) - action_of(rules, first): bid for bid in openings}


def grown(rules: Rules, seed: int = 0, rows: float = 1.0) -> InfoSets:
    """Every history has a node, a share `rows` of all slots a row, with random regrets.

    About a third of the slots is negative for every hand, and some hands have no positive regret.
    """
    info_sets = InfoSets(bid_tables(rules), recall_tables(rules, FULL))
    rng = np.random.default_rng(seed)
    every = list(histories(rules))
    contexts = [wanted(rules, h) for h in every]
    info_sets.grow(np.array(contexts, dtype=np.int64), np.zeros(0, dtype=np.int64))
    table, places = info_sets.table, node_places(rules, info_sets.table)
    slots = [table.first_slot[places[h]] + place for h in every for place in slots_of(rules, h)]
    asked = [slot for slot in slots if rng.random() < rows]
    info_sets.grow(np.zeros((0, 2), dtype=np.int64), np.array(asked, dtype=np.int64))
    table = info_sets.table
    for slot in slots:
        size = table.regret.shape[1]
        drawn = rng.normal(size=size)
        pruned = rng.random() < 1 / 3
        values = np.float32(-abs(drawn) if pruned else drawn)
        if table.row[slot] == NO_ROW:
            table.top[slot] = -abs(values[0])
        else:
            table.regret[table.row[slot]] = values
            table.top[slot] = values.max()
    for history, node in places.items():
        slot, rows_here = table.first_slot[node], []
        for place in slots_of(rules, history):
            if table.row[slot + place] != NO_ROW:
                rows_here.append(np.maximum(table.regret[table.row[slot + place]], 0))
        total = np.sum(rows_here, axis=0)
        played = total > 0
        table.scale[node] = np.where(played, 1 / np.where(played, total, 1), 0)
        table.fallback[node] = np.where(played, rows_here[0] * table.scale[node], 1)
    return info_sets


def node_places(rules: Rules, table: InfoSetTable) -> dict[History, int]:
    nodes = {int(context): node for node, context in enumerate(table.context[: table.used[0]])}
    return {h: nodes[context_of(rules, h)] for h in histories(rules)}


class Twin:
    """One table as it is now; later changes of the table are not seen."""

    def __init__(self, rules: Rules, table: InfoSetTable) -> None:
        self.rules = rules
        self.prior = dict(zip(hands(rules), probabilities(rules).tolist(), strict=True))
        self.nodes = node_places(rules, table)
        self.slot: dict[tuple[History, Move], int] = {}
        self.row: dict[tuple[History, Move], int] = {}
        self.top: dict[tuple[History, Move], float] = {}
        self.strategy: dict[tuple[History, Hand], dict[Move, float]] = {}
        for history, node in self.nodes.items():
            allowed = slots_of(rules, history)
            for place, move in allowed.items():
                slot = int(table.first_slot[node]) + place
                self.slot[history, move] = slot
                self.top[history, move] = float(table.top[slot])
                assert table.top[slot] != ILLEGAL
                if table.row[slot] != NO_ROW:
                    self.row[history, move] = int(table.row[slot])
            for number, hand in enumerate(self.prior):
                self.strategy[history, hand] = self._matched(table, history, allowed, number)
        self._earned: dict[tuple[History, tuple[Hand, ...]], list[float]] = {}

    def _matched(
        self, table: InfoSetTable, history: History, allowed: Slots, hand: int
    ) -> dict[Move, float]:
        """Regret matching; where no regret is positive, the fallback."""
        positive = {
            move: max(float(table.regret[self.row[history, move], hand]), 0.0)
            if (history, move) in self.row
            else 0.0
            for move in allowed.values()
        }
        total = sum(positive.values())
        if total == 0.0:
            return {move: float(place == 0) for place, move in allowed.items()}
        return {move: regret / total for move, regret in positive.items()}

    def seat(self, history: History) -> int:
        return len(history) % self.rules.players

    def deals(self, seat: int, hand: Hand) -> Iterator[tuple[tuple[Hand, ...], float]]:
        """Everyone's hands, and how likely the others' are, where `seat` holds `hand`."""
        for others in product(self.prior, repeat=self.rules.players - 1):
            chance = prod(self.prior[other] for other in others)
            yield (*others[:seat], hand, *others[seat:]), chance

    def after(self, history: History, move: Move, deal: tuple[Hand, ...]) -> list[float]:
        """[seat] what `move` earns and all that follows."""
        if isinstance(move, Bid):
            return self.earned((*history, move), deal)
        finished = Round(self.rules, deal, history=history)
        return utilities(self.rules, finished.challenge(move))

    def earned(self, history: History, deal: tuple[Hand, ...]) -> list[float]:
        """[seat] what is earned from here on."""
        key = history, deal
        if key not in self._earned:
            played = self.strategy[history, deal[self.seat(history)]]
            ways = [(p, self.after(history, move, deal)) for move, p in played.items() if p > 0]
            self._earned[key] = [
                sum(p * points[seat] for p, points in ways) for seat in range(self.rules.players)
            ]
        return self._earned[key]

    def value(self, seat: int) -> list[float]:
        """[hand] of `seat`: what the round is worth."""
        return [
            sum(chance * self.earned((), deal)[seat] for deal, chance in self.deals(seat, hand))
            for hand in self.prior
        ]

    def reach(self, history: History, seat: int, hand: Hand) -> float:
        """How likely `hand` plays along with the bids that `seat` makes in `history`."""
        own = range(seat, len(history), self.rules.players)
        return prod(self.strategy[history[:turn], hand][history[turn]] for turn in own)

    def others_reach(self, history: History, seat: int, deal: tuple[Hand, ...]) -> float:
        return prod(
            self.reach(history, other, deal[other])
            for other in range(self.rules.players)
            if other != seat
        )

    def gain(self, history: History, move: Move) -> list[float]:
        """[hand] counterfactual regret of not making `move`."""
        seat, result = self.seat(history), []
        for hand in self.prior:
            total = 0.0
            for deal, chance in self.deals(seat, hand):
                better = self.after(history, move, deal)[seat] - self.earned(history, deal)[seat]
                total += chance * self.others_reach(history, seat, deal) * better
            result.append(total)
        return result

    def mass(self, history: History, player: int) -> float:
        """How likely `player` makes their bids in `history`."""
        return sum(self.prior[h] * self.reach(history, player, h) for h in self.prior)

    def visited(self, history: History, seat: int, weight: float) -> float:
        """How likely a traversal for `seat` follows each of the own bids in `history`."""
        own = range(seat, len(history), self.rules.players)
        return prod(self.revisited(history[:turn], history[turn], weight) for turn in own)

    def revisited(self, history: History, move: Move, weight: float) -> float:
        top = self.top[history, move]
        if top >= 0.0 or move == slots_of(self.rules, history)[0]:
            return 1.0
        actions = slot_count(bid_tables(self.rules), last_action(self.rules, history))
        return min(1.0, max(REVISITED / actions, weight / -top))

    def averaged(self, history: History, move: Move, seat: int, weight: float) -> list[float]:
        """[hand] what a traversal for `seat` adds to an average, another player's, on average."""
        player = self.seat(history)
        often = AVERAGED * self.visited(history, seat, weight)
        for third in range(self.rules.players):
            often *= self.mass(history, third) if third not in (seat, player) else 1.0
        return [
            often * self.reach(history, player, hand) * self.strategy[history, hand][move]
            for hand in self.prior
        ]


def nbytes(info_sets: InfoSets) -> int:
    """Return the bytes that the arrays take, room for growth included."""
    return sum(array.nbytes for array in info_sets.table if isinstance(array, np.ndarray))
