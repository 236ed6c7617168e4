"""Best responses to a two-player policy that must be queried: a certified interval, with as few
queries as possible.

A policy that is not a table may be slow: a network takes a millisecond for one history. Unlike
`table_search`, which opens millions of histories and keeps none, this search queries one raise at a
time, first those by which a response seems to gain most, and keeps every answer. Use it for two
players; for more see `several_players`. Values and reaches are those of
`solver.response.table_search`: vectors over the responder's own hands, not divided by the mass `m`
of the policy's reach.

    V(h) = max( C(h), max over raises b of V_b(h) )      the responder moves: a *place*
    V_b(h) = T_b(h) + sum over replies r of V_{b,r}(h)   the policy moves: an *answer*

**Lower bound.** Every number in a `lower` vector is earned, or exceeded, by some strategy of the
responder with that hand. At a place that is `C`, or what a queried raise earns; if there is no bid
to challenge and nothing was queried, `-m`. In an answer T_b and the lower bounds of the replies add
up; a reply that is not opened is challenged at once.

**Upper bound.** Every number in an `upper` vector is at least V(h). No strategy earns more than `m`
at a place, so a raise that was not queried enters with `m`, and a reply that is not opened with its
mass; or with its lower bound, if no raise is left after it. Nothing else is assumed of a policy
until it answers: it might always raise, and to a bid that is false.

**The next query** is chosen by a third vector, `expected`, which proves nothing. For a reply that
is not opened, `expected` is what challenging it pays plus a share of what there is above that: the
share found so far at places that face the same bid. For a raise that was not queried, it is what
the raise would earn if the policy answered as it usually did to this bid after other histories: by
its challenges, and by replies valued as just said. Consider the strategy that always takes the
largest `expected`. The gap between `expected` and `lower` at the start is at most the sum of the
gaps, over own hands, at the unopened replies that this strategy reaches and at the raises it makes
that were not queried. The search opens and queries the largest of these, and adds everything up
again. That raises the lower bound. Every so often it does the same with `upper` in place of
`expected`, which lowers the upper bound: all raises left at a place are then queried together,
since each of them is worth the same `m`.

**Convergence.** If the strategy that always takes the largest upper bound reaches no gap between
`upper` and `lower`, then `lower = upper` at the start: the gap of a place, for one hand, is at most
that of the raise with the largest upper bound, the gap of an answer is the sum of those of its
replies, and all gaps at the ends are 0.

**Rounding.** As in `solver.response.table_search`: the sums at a node of mass m have fewer than
`4 * (hands + bids)` terms of at most m in size, and the masses of nodes at one depth that a
strategy reaches total at most 1. Nothing is updated by adding differences, so errors do not
accumulate. A policy must give the same answer to the same query: a network in single precision may
answer differently by 1e-7 from batch to batch, and the bounds differ by as much.

Best-first search by an estimate, with bounds beside it, is AO* (Nilsson 1980); the estimate is
ours.
"""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import NO_BID, BidTables, longest_history
from solver.anytime import Limits, by_steps
from solver.bounds import NEVER, BestResponse, Bounds, History, Strategies
from solver.memory import room
from solver.response.query_kernels import (
    PolicyHabits,
    QueryTables,
    add_replies,
    expect,
    note_answer,
    weigh,
    weigh_gaps,
)
from solver.response.table_search import BestResponseError
from solver.showdown import ShowdownTables, showdown_tables
from solver.tables.queries import BATCH, query

Vector = NDArray[np.float64]

_FIRST_SHARE, _LEAST_SHARE = 0.3, 0.01
"""The expected share of what there is above challenging a reply: before any was found, and at
least."""
_PLACES_REMEMBERED = 100.0
"""The share is a moving mean over about so many places,"""
_ANSWERS_REMEMBERED = 50
"""and the usual answer to a bid one over so many answers."""
_UPPER_PART = 0.1
"""The share of queries that lower the upper bound."""
_COARSEST, _FINEST, _CUT_RATIO = 1.0, 1e-15, 0.5
"""Gaps below the cut are left until there are no larger ones; gaps below the finest are ignored."""
_LEAST_BATCH, _BATCH_PART = 32, 0.05
"""Queries between two evaluations of the best strategy: so many, or this share of all so far."""
_KEPT_MASS = 1e-6
"""Reaches of less mass are not kept: the few that are needed are queried again."""
_KEPT_BYTES = 2**31
"""Memory for reaches of replies that are not opened; once it is full, they are queried again."""
_VECTORS = 9
"""Vectors [hand] kept for each place and each answer, with some overhead."""
_SECONDS_PER_RESULT = 1.0

_UPPER, _EXPECTED = 1, 2
"""By which vector of a Estimate the responder chooses."""


@dataclass(frozen=True)
class QueryResponse(BestResponse):
    """What a best response earns in both seats."""

    calls: int
    """Queries that the policy has answered."""


class Estimate(NamedTuple):
    """The value of something to the responder, [hand] each: bounds, and what is expected."""

    lower: Vector
    upper: Vector
    expected: Vector


class Place:
    """A history where the responder moves."""

    def __init__(
        self, game: ShowdownTables, history: History, reach: Vector, challenge: Vector
    ) -> None:
        self.history, self.reach, self.challenge = history, reach, challenge
        self.mass = float(reach.sum())
        last = history[-1] if history else NO_BID
        self.left: NDArray[np.bool_] = game.legal[last + 1].copy()
        """[bid] the raises that were not queried."""
        self.parent: Answer | None = None
        """Whose reply led here."""
        self.answers: dict[int, Answer] = {}
        """raise -> the policy's answer to it"""
        self.hoped = np.full(reach.size, NEVER)
        """[hand] the expected value of the best raise that was not queried,"""
        self.hoped_bid = np.full(reach.size, NO_BID, dtype=np.int64)
        """[hand] and that raise."""
        self.settle()

    def settle(self) -> None:
        """Combine what is known about the actions here."""
        lower = upper = expected = self.challenge
        if self.answers:
            spans = [answer.span for answer in self.answers.values()]
            lower, upper, expected = (
                np.max([self.challenge, *values], axis=0) for values in zip(*spans, strict=True)
            )
        if self.left.any():
            upper = np.maximum(upper, self.mass)
            expected = np.minimum(np.maximum(expected, self.hoped), upper)
        self.span = Estimate(lower, upper, expected)


class Answer:
    """A history where the policy moves, after it was queried."""

    def __init__(self, history: History, parent: Place | None, called: Vector) -> None:
        self.history, self.parent = history, parent
        self.called = called
        """[hand] what its challenges pay."""
        self.opened: list[Place] = []
        """After its replies."""
        self.replies: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """[reply] those that are not opened,"""
        self.mass: Vector = np.empty(0)
        """[reply] how much of the reach makes each,"""
        self.paid: Vector = np.empty((0, 0))
        """[reply, own] what challenging each earns,"""
        self.reaches: list[Vector | None] = []
        """[reply] and the reach after each; None where it is not kept."""
        self.rest = self.span = Estimate(called, called, called)
        """Of challenges and of all that is not opened; of all."""

    def settle(self) -> None:
        """Combine what is known about the replies."""
        spans = [self.rest, *(place.span for place in self.opened)]
        self.span = Estimate(*(np.sum(values, axis=0) for values in zip(*spans, strict=True)))


class _Reply(NamedTuple):
    """A reply that is not opened."""

    answer: Answer
    bid: int


class _Question(NamedTuple):
    """Raises about which to query the policy."""

    place: Place
    raises: tuple[int, ...]


class _Queue:
    """Work that the strategy in question reaches, the largest gap first. Each item has a weight
    [hand]: the probability of the own hands that reach it."""

    def __init__(self, cut: float) -> None:
        self._cut, self._ties = cut, count()
        self._heap: list[tuple[float, int, Place | _Reply | _Question, Vector]] = []

    def push(self, gap: float, item: Place | _Reply | _Question, weight: Vector) -> None:
        """Add an item if its gap is larger than the cut."""
        if gap > self._cut:
            heapq.heappush(self._heap, (-gap, next(self._ties), item, weight))

    def pop(self) -> tuple[Place | _Reply | _Question, Vector] | None:
        """Return the item with the largest gap and its weight, or None."""
        if not self._heap:
            return None
        _, _, item, weight = heapq.heappop(self._heap)
        return item, weight


class QuerySearch:
    """The search for best responses to a two-player policy; bounds get tighter as it goes on."""

    def __init__(self, tables: BidTables, policy: Strategies) -> None:
        """Query the opening. Raises BestResponseError if there are not two players, and
        IllegalStrategy if the policy returns an invalid strategy."""
        if tables.players != 2:
            raise BestResponseError(
                "best responses are to two-player policies; these rules are for {players}",
                players=tables.players,
            )
        self._tables, self._policy = tables, policy
        game = self._game = showdown_tables(tables)
        bids, hands = game.claimed.size, tables.hands
        self._game_tables = QueryTables(game, np.ascontiguousarray(game.matches[game.kind].T))
        self._habits = PolicyHabits(
            answered=np.zeros(bids, dtype=np.int64),
            worth=np.zeros((bids, hands, len(game.matches), tables.dice + 1), dtype=np.float32),
            share=np.full(bids, _FIRST_SHARE),
        )
        self._found, self._room = self._habits.share.copy(), np.ones(bids)
        """[bid] what was found above challenging it, and what there could have been."""
        self._cut = {_EXPECTED: _COARSEST, _UPPER: _COARSEST}
        self._calls = {_EXPECTED: 0, _UPPER: 1}
        self._kept = 0
        """Bytes of reaches of replies that are not opened."""
        self.nodes = 1
        """Places opened."""
        self._opener = Place(game, (), game.prior[1], np.full(hands, -game.prior[1].sum()))
        (opening,) = query(tables, policy, [()])
        self._responder = self._answer((), None, game.prior[0], opening)
        self._expect(self._opener)

    @property
    def calls(self) -> int:
        """Queries that the policy has answered."""
        return sum(self._calls.values())

    def bounds(self) -> tuple[Bounds, ...]:
        """Return bounds of what a best response earns as opener and as responder."""
        prior, game = self._game.prior, self._game
        operations = longest_history(game.legal) * 8 * (prior.shape[1] + game.claimed.size)
        margin = float(operations * np.finfo(np.float64).eps)
        return tuple(
            Bounds(float(own @ span.lower) - margin, float(own @ span.upper) + margin)
            for own, span in zip(prior, (self._opener.span, self._responder.span), strict=True)
        )

    def refine(self, *, gap: float = 0.0, seconds: float = np.inf) -> Iterator[QueryResponse]:
        """Yield results that only get tighter, about one a second, until exploitability is known to
        `gap` or exactly, about `seconds` have passed (one batch of answers is waited for), or the
        answers fill the memory.

        Raises IllegalStrategy if the policy returns an invalid strategy.
        """
        limits = Limits(gap, seconds)
        more = {_EXPECTED: True, _UPPER: True}

        def step() -> bool:
            """Query one batch, for the bound whose turn it is."""
            upper = self._calls[_UPPER] < _UPPER_PART * self.calls
            by = _UPPER if more[_UPPER] and (upper or not more[_EXPECTED]) else _EXPECTED
            more[by] = self._round(by, limits.deadline)
            more[_EXPECTED] |= by == _UPPER and more[_UPPER]
            return any(more.values()) and self._size() <= room(self._size())

        def result() -> QueryResponse:
            return QueryResponse(self.bounds(), self.nodes, limits.seconds, self.calls)

        yield from by_steps(step, result, limits, _SECONDS_PER_RESULT)
        yield result()

    def _size(self) -> int:
        """Return about how many bytes are in use: each place and each answer has the same number of
        vectors."""
        return self._kept + _VECTORS * (self.nodes + self.calls) * 8 * self._tables.hands

    def _round(self, by: int, deadline: float) -> bool:
        """Query the policy where it seems to help most; return whether there may be more to
        query."""
        most = max(_LEAST_BATCH, int(_BATCH_PART * self.calls))
        opened: list[Place] = []
        questions = self._walk(by, most, opened)
        changed = [*opened, *self._ask(by, questions, deadline)]
        _settle(changed)
        for place in changed:
            self._learn(place)
        finest = self._cut[by] <= _FINEST
        if sum(len(raises) for _, raises in questions) < most:
            self._cut[by] *= _CUT_RATIO
        return bool(changed) or not finest

    def _walk(self, by: int, most: int, opened: list[Place]) -> list[_Question]:
        """Return what to query, about `most` raises: follow the strategy that is best by the vector
        `by` of all estimates. Open the replies that it reaches, and append them to `opened`."""
        queue, questions, queried = _Queue(self._cut[by]), list[_Question](), 0
        self._push_place(queue, by, self._opener, self._game.prior[0])
        self._push_answer(queue, by, self._responder, self._game.prior[1])
        while queried < most and (found := queue.pop()) is not None:
            item, weight = found
            if isinstance(item, _Question):
                questions.append(item)
                queried += len(item.raises)
            elif isinstance(item, _Reply):
                place = self._open(by, item)
                opened.append(place)
                self._push_place(queue, by, place, weight)
            else:
                self._push_choices(queue, by, item, weight)
        return questions

    def _push_place(self, queue: _Queue, by: int, place: Place, weight: Vector) -> None:
        queue.push(float(weight @ (place.span[by] - place.span.lower)), place, weight)

    def _push_choices(self, queue: _Queue, by: int, place: Place, weight: Vector) -> None:
        """Queue what each own hand does by the vector `by`."""
        best, lower = place.span[by], place.span.lower
        free = weight > 0.0
        if by == _UPPER and place.left.any():
            # A raise that was not queried has the largest possible upper bound.
            raises = tuple(np.flatnonzero(place.left).tolist())
            queue.push(float(weight @ (best - lower)), _Question(place, raises), weight)
            return
        free &= best > place.challenge
        for answer in place.answers.values():
            chosen = free & (answer.span[by] >= best)
            if chosen.any():
                free &= ~chosen
                self._push_answer(queue, by, answer, weight * chosen)
        free &= place.hoped >= best
        for bid in np.unique(place.hoped_bid[free]).tolist():
            chosen = free & (place.hoped_bid == bid)
            part = weight * chosen
            queue.push(float(part @ (best - lower)), _Question(place, (bid,)), part)

    def _push_answer(self, queue: _Queue, by: int, answer: Answer, weight: Vector) -> None:
        for place in answer.opened:
            self._push_place(queue, by, place, weight)
        gaps = np.empty(answer.replies.size)
        weigh_gaps(self._game_tables, answer.replies, answer.mass, answer.paid, weight, gaps)
        if by == _EXPECTED:
            gaps *= self._habits.share[answer.replies]
        for gap, bid in zip(gaps.tolist(), answer.replies.tolist(), strict=True):
            queue.push(gap, _Reply(answer, bid), weight)

    def _open(self, by: int, reply: _Reply) -> Place:
        answer, bid = reply
        index = int(np.searchsorted(answer.replies, bid))
        reach = answer.reaches.pop(index)
        if reach is None:
            reach = self._ask_again(by, answer, bid)
        else:
            self._kept -= reach.nbytes
        own = self._game.matches[self._game.kind[bid]]
        place = Place(self._game, (*answer.history, bid), reach, answer.paid[index, own])
        place.parent = answer
        self.nodes += 1
        answer.opened.append(place)
        answer.replies = np.delete(answer.replies, index)
        answer.mass = np.delete(answer.mass, index)
        answer.paid = np.delete(answer.paid, index, axis=0)
        self._add_rest(answer)
        self._expect(place)
        return place

    def _ask_again(self, by: int, answer: Answer, bid: int) -> Vector:
        """Return [hand] the reach after a reply whose reach was not kept."""
        self._calls[by] += 1
        (strategy,) = query(self._tables, self._policy, [answer.history])
        before = self._game.prior[0] if answer.parent is None else answer.parent.reach
        reach: Vector = before * strategy[:, bid]
        return reach

    def _ask(self, by: int, questions: Iterable[_Question], deadline: float) -> list[Place]:
        """Query the policy, and return the places where it has answered: all, if there was time."""
        raises = [(place, bid) for place, bids in questions for bid in bids]
        changed: dict[History, Place] = {}
        for start in range(0, len(raises), BATCH):
            if time.monotonic() >= deadline:
                break
            batch = raises[start : start + BATCH]
            histories = [(*place.history, bid) for place, bid in batch]
            self._calls[by] += len(batch)
            answers = query(self._tables, self._policy, histories)
            for (place, bid), history, strategy in zip(batch, histories, answers, strict=True):
                place.answers[bid] = self._answer(history, place, place.reach, strategy)
                place.left[bid] = False
                changed[place.history] = place
        for place in changed.values():
            self._expect(place)
        return [*changed.values()]

    def _answer(
        self, history: History, place: Place | None, reach: Vector, strategy: Vector
    ) -> Answer:
        game = self._game
        bids, dice = game.claimed.size, self._tables.dice
        bid = history[-1] if history else NO_BID
        called, mass, paid = np.empty(dice + 1), np.zeros(bids), np.zeros((bids, dice + 1))
        weigh(self._game_tables, reach, strategy, bid, (called, mass, paid))
        nothing = np.zeros(reach.size)
        answer = Answer(
            history, place, called[game.matches[game.kind[bid]]] if history else nothing
        )
        answer.replies = np.flatnonzero(mass)
        answer.mass, answer.paid = mass[answer.replies], paid[answer.replies]
        for reply in answer.replies.tolist():
            kept = mass[reply] > _KEPT_MASS and self._kept < _KEPT_BYTES
            part = reach * strategy[:, reply] if kept else None
            self._kept += 0 if part is None else part.nbytes
            answer.reaches.append(part)
        self._add_rest(answer)
        answer.settle()
        if history:
            self._habits.answered[bid] += 1
            weight = 1.0 / min(self._habits.answered[bid], _ANSWERS_REMEMBERED)
            note_answer(self._game_tables, self._habits, strategy, bid, weight)
        return answer

    def _add_rest(self, answer: Answer) -> None:
        rest = Estimate(answer.called.copy(), answer.called.copy(), answer.called.copy())
        add_replies(
            self._game_tables, answer.replies, answer.mass, answer.paid, self._habits.share,
            (rest.lower, rest.upper, rest.expected),
        )  # fmt: skip
        answer.rest = rest

    def _expect(self, place: Place) -> None:
        """Estimate the raises that were not queried."""
        expect(
            self._game_tables, self._habits, place.reach, place.challenge, place.left,
            place.hoped, place.hoped_bid,
        )  # fmt: skip
        place.settle()

    def _learn(self, place: Place) -> None:
        """Let the place count towards the expected share above challenging the bid that it
        faces."""
        if not place.history:
            return
        prior, last, keep = (
            self._game.prior[len(place.history) % 2],
            place.history[-1],
            1.0 - 1.0 / _PLACES_REMEMBERED,
        )
        found = float(prior @ (place.span.expected - place.challenge)) / place.mass
        room = float(prior @ (place.mass - place.challenge)) / place.mass
        self._found[last] = keep * self._found[last] + found
        self._room[last] = keep * self._room[last] + room
        self._habits.share[last] = max(_LEAST_SHARE, self._found[last] / self._room[last])


def _settle(places: Iterable[Place]) -> None:
    """Combine again what is known at all histories that lead to these, the longest first."""
    waiting: dict[int, set[Place | Answer]] = defaultdict(set)
    for place in places:
        waiting[len(place.history)].add(place)
    for length in range(max(waiting, default=-1), -1, -1):
        for node in waiting[length]:
            node.settle()
            if node.parent is not None:
                waiting[length - 1].add(node.parent)
