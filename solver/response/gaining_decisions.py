"""The strategy that a best-response search has found, and the decisions by which it gains.

A finished search knows bounds. This module searches the raises that it chose once more and stores,
for every history opened, the action that earns the lower bound with each hand. Everywhere else the
response challenges, as the lower bound assumes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.bounds import NEVER, Bounds, History
from zhaifei.solver.response.table_search import ResponseSearch, SearchRoot, workspace
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import NO_NODE, node_of, strategy_after

_ROOM = 200_000
"""Histories that one search of a raise may record; if there are more, the search is repeated with a
coarser cut."""
_COARSER, _FINE = 4.0, 1e-7
_CLOSENESS = (1e-3, 1e-4)
"""Cuts for valuing a decision, relative to its probability. The second is used if the first leaves
open whether the decision is among the best."""
_NEGLIGIBLE = 1e-4
"""Penalty points per round: decisions that gain less are not listed."""


@dataclass(frozen=True)
class ExtractedResponse:
    """A pure strategy for both seats, with perfect recall, that earns what its search has
    proved."""

    choices: Mapping[History, NDArray[np.int16]]
    """history -> [hand] the action; at missing histories every hand challenges."""
    seats: tuple[float, ...]
    """The least that it earns in each seat, in penalty points per round; seat 0 opens."""
    challenge: int
    """The action that challenges the last bid; bids are below it."""
    actions: int

    def choice(self, history: History) -> NDArray[np.int16]:
        """Return [hand] the action after `history`."""
        hands = self.choices[()].size
        return self.choices.get(history, np.full(hands, self.challenge, dtype=np.int16))

    def strategies(self, histories: Sequence[History]) -> list[NDArray[np.float64]]:
        """Return the strategy [hand, action] at each history, as `solver.bounds.Strategies`
        does."""
        return [np.eye(self.actions)[self.choice(history)] for history in histories]


@dataclass(frozen=True)
class Decision:
    """What a response does after some bids, and what the decision gains."""

    gain: Bounds
    """Penalty points per round that the response would lose if it played as the policy does here,
    and its best again afterwards."""
    probability: float
    """The probability that a round in this seat reaches this history if the response is played."""
    seat: int
    history: History
    """The bids so far."""
    does: Mapping[int, float]
    """action -> the probability that the response takes it, given the history."""
    policy_does: Mapping[int, float]
    """action -> the probability that the policy takes it, with the same hands."""


def extract(tables: BidTables, search: ResponseSearch, cut: float) -> ExtractedResponse:
    """Return the response that a search has found. Its raises are searched again with cuts of at
    least `cut`.

    Raises BestResponseError as the search does.
    """
    challenge = tables.claimed.size
    found = _Extraction(search, challenge, cut)
    seats = (found.enter(search.opener), found.enter(search.responder))
    return ExtractedResponse(found.choices, seats, challenge, challenge + tables.endings)


class _Extraction:
    def __init__(self, search: ResponseSearch, challenge: int, cut: float) -> None:
        self.search, self.challenge, self.cut = search, challenge, cut
        self.work = workspace(search.game, _ROOM)
        self.choices: dict[History, NDArray[np.int16]] = {}

    def enter(self, roots: Sequence[SearchRoot]) -> float:
        """Store the choices at and below these roots; return what they earn."""
        return sum(float(root.prior @ self._enter_root(root)) for root in roots)

    def _enter_root(self, root: SearchRoot) -> NDArray[np.float64]:
        """Store the choices at and below a root; return [hand] what they earn."""
        hands = np.arange(root.prior.size)
        earned: NDArray[np.float64] = root.ending.copy()
        choice = (self.challenge + root.ended.argmax(axis=0)).astype(np.int16)
        if root.raises.size:
            place: NDArray[np.int64] = root.lower.argmax(axis=0)
            raising = root.lower[place, hands] > root.ending
            for raise_ in np.unique(place[raising]):
                wanted = raising & (place == raise_)
                lower = self._look(root, int(raise_), wanted)
                earned[wanted], choice[wanted] = lower[wanted], root.raises[raise_]
        self.choices[root.history] = choice
        return earned

    def _look(self, root: SearchRoot, place: int, wanted: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return [hand] what a raise earns the `wanted` hands, and store the choices after it."""
        held = np.where(wanted, NEVER, -NEVER)
        # A raise that was never searched has no cut. Where few hands matter, gains are small.
        cut = max(min(float(root.cut[place]), 1.0), self.cut) * float(root.prior @ wanted)
        work = self.work
        while True:
            work.recorded[0] = 0
            look = self.search.search(work, root, place, cut, held)
            if work.recorded[0] < _ROOM:
                break
            cut = max(_COARSER * cut, _FINE)
        # The last record is the root, where only this raise was open.
        for record in range(int(work.recorded[0]) - 1):
            length = int(work.record_length[record])
            history = tuple(work.record_history[record, :length].tolist())
            self.choices[history] = work.record_choice[record].copy()
        lower: NDArray[np.float64] = look.lower
        return lower


class Decisions:
    """Values single decisions of a response against what the policy would do instead."""

    def __init__(
        self, tables: BidTables, search: ResponseSearch, response: ExtractedResponse
    ) -> None:
        self.tables, self.search, self.response = tables, search, response
        self._work = workspace(search.game)
        self._history = np.zeros(tables.claimed.size + 1, dtype=np.int64)

    def best(self, count: int) -> list[Decision]:
        """Return the `count` decisions that gain most, best first.

        A decision gains at most 2 D times its probability, if a round costs at most D. So likely
        decisions are valued first, and the search ends when all others are too unlikely to matter.
        """
        best: list[Decision] = []
        waiting = [*self._roots()]
        heapq.heapify(waiting)
        while waiting:
            place = heapq.heappop(waiting)
            enough = best[-1].gain.lower if len(best) == count else _NEGLIGIBLE
            if 2.0 * self.tables.most_cost * place.probability <= enough:
                break
            for closeness in _CLOSENESS:
                decision = self._measure(place, closeness)
                if decision.gain.lower > enough or decision.gain.upper <= enough:
                    break
            if decision.gain.lower > enough:
                best = sorted([*best, decision], key=lambda one: -one.gain.lower)[:count]
            for child in self._after(place):
                heapq.heappush(waiting, child)
        return best

    def _roots(self) -> Iterator[_Visit]:
        everything = np.ones(self.search.game.prior.shape[1], dtype=np.bool_)
        for seat, roots in enumerate((self.search.opener, self.search.responder)):
            for root in roots:
                yield self._place(seat, root.history, everything, root.reach)

    def _place(
        self, seat: int, history: History, own: NDArray[np.bool_], reach: NDArray[np.float64]
    ) -> _Visit:
        # At the start of a round both sums are 1, up to their rounding.
        probability = min(float(self.search.game.prior[seat] @ own) * float(reach.sum()), 1.0)
        return _Visit(-probability, seat, history, own, reach)

    def _after(self, place: _Visit) -> Iterator[_Visit]:
        """Yield the histories at which the response decides next."""
        opponent, choice = self.search.opponent, self.response.choice(place.history)
        for bid in np.unique(choice[place.own]):
            if bid >= self.response.challenge:
                continue
            history = (*place.history, int(bid))
            own = place.own & (choice == bid)
            node = self._node(history)
            if node == NO_NODE:
                continue
            table, scale = opponent.table, opponent.scale[min(node, len(opponent.scale) - 1)]
            for row, played in enumerate(rows_at(table, node), int(table.first_row[node])):
                reply = int(table.action[row])
                reach = place.reach * (played * scale)
                if reply < self.response.challenge and reach.any():
                    yield self._place(place.seat, (*history, reply), own, reach)

    def _node(self, history: History) -> int:
        self._history[: len(history)] = history
        return int(node_of(self.search.opponent.table, self._history, len(history)))

    def _measure(self, place: _Visit, closeness: float) -> Decision:
        """Return the decision at `place`: what the response gains by its action there."""
        hands = np.arange(place.own.size)
        choice = self.response.choice(place.history)
        policy = strategy_after(self.search.opponent.table, self.tables, place.history)
        lower, upper = self._values(place, choice, policy, closeness * place.probability)
        weight = self.search.game.prior[place.seat] * place.own
        change = -policy
        change[hands, choice] += 1.0  # where both take the same action, nothing is gained
        most, least = np.where(change > 0.0, upper, lower), np.where(change > 0.0, lower, upper)
        share = weight / weight.sum()
        return Decision(
            gain=Bounds(*(float(weight @ (change * end).sum(axis=1)) for end in (least, most))),
            probability=place.probability,
            seat=place.seat,
            history=place.history,
            does=_shares(np.bincount(choice, share, self.response.actions).astype(np.float64)),
            policy_does=_shares(share @ policy),
        )

    def _values(
        self,
        place: _Visit,
        choice: NDArray[np.int16],
        policy: NDArray[np.float64],
        cut: float,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return lower and upper bounds [hand, action] of what an action earns, for actions that
        the response or the policy takes; 0 elsewhere."""
        self.search.start(self._work, place.history, place.reach)
        root = SearchRoot(self._work, self.search.game, place.history, place.reach)
        lower, upper = np.zeros_like(policy), np.zeros_like(policy)
        if place.history:
            ended = np.where(root.ended > NEVER, root.ended, 0.0).T
            lower[:, self.response.challenge :] = upper[:, self.response.challenge :] = ended
        for raise_, bid in enumerate(root.raises):
            wanted = place.own & ((policy[:, bid] > 0.0) | (choice == bid))
            if wanted.any():
                held = np.where(wanted, NEVER, -NEVER)
                look = self.search.search(self._work, root, raise_, cut, held)
                lower[wanted, bid] = look.lower[wanted]
                upper[wanted, bid] = look.upper[wanted]
        return lower, upper


@dataclass(frozen=True, order=True)
class _Visit:
    """A history at which the response decides."""

    unlikeliness: float
    """The probability times -1, so that the likeliest visit comes first."""
    seat: int
    history: History
    own: NDArray[np.bool_] = field(compare=False)
    """[hand] whether the response comes here with the hand."""
    reach: NDArray[np.float64] = field(compare=False)
    """[hand] the policy's reach."""

    @property
    def probability(self) -> float:
        return -self.unlikeliness


def _shares(probability: NDArray[np.float64]) -> dict[int, float]:
    """Return the actions with a positive probability, the most frequent first."""
    probability = np.minimum(probability, 1.0)  # shares add up to 1, up to their rounding
    order = np.argsort(-probability, kind="stable")
    return {int(action): float(probability[action]) for action in order if probability[action] > 0}
