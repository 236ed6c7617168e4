"""What a best response earns against a two-player policy that answers when it is asked: a certified
interval, with as few questions as possible.

A policy that is no table may be slow: a network takes a millisecond for one history. So this search
asks about one raise at a time, those first by which a response seems to gain most, and keeps all
that it has been told. Values and reaches are those of `solver.response.table_search`: vectors over
the responder's own hands, not divided by the mass `m` of the policy's reach.

    V(h) = max( C(h), max over raises b of V_b(h) )      the responder moves: a *place*
    V_b(h) = T_b(h) + sum over replies r of V_{b,r}(h)   the policy moves: an *answer*

**Lower bound.** Every number in a `lower` vector is earned, or exceeded, by some strategy of the
responder with that hand. At a place that is `C`, or what a raise earns that was asked about; if
there is no bid to challenge and nothing has been asked, `-m`. In an answer T_b and the lower bounds
of the replies add up; a reply that is not opened is challenged at once.

**Upper bound.** Every number in an `upper` vector is at least V(h). No strategy earns more than `m`
at a place, so a raise that was not asked about enters with `m`, and a reply that is not opened with
its mass; or with its lower bound, if no raise is left after it. Nothing else is assumed of a policy
until it answers: it might always raise, and to a bid that is false.

**What is asked next** is decided by a third vector, `expected`, which proves nothing. Of a reply
that is not opened it is what challenging it pays and, of what there is above that, the share that
was found at places opened so far that face the same bid. Of a raise that was not asked about it is
what it would earn if the policy answered as it usually did to this bid, after other bids before:
its challenges, and the replies, expected as just said. Suppose now that the responder always does
what is expected to be best. Then the gap between `expected` and `lower` at the start is at most
the sum of those gaps, over own hands, at the replies that this strategy reaches and that are not
opened, and at the raises it makes and that were not asked about: the largest of these are opened
and asked about, and all is added up again. That raises the lower bound. Every so often the same is
done with `upper` in place of `expected`, which brings down the upper bound: there, all raises that
are left at a place are asked about together, since each of them is worth the same `m`.

**Until nothing is left.** If no gap between `upper` and `lower` is reached by the strategy that
does what has the largest upper bound, then `lower = upper` at the start: the gap of a place, for
one hand, is at most that of the raise with the largest upper bound, the gap of an answer is the sum
of those of its replies, and all gaps at the ends are 0.

**Rounding.** As in `solver.response.table_search`: the sums at a node of mass m have fewer than
`4 * (hands + bids)` terms of at most m in size, and the masses of nodes at one depth that a
strategy reaches total at most 1. Nothing is updated by adding differences, so errors do not pile up
as the search goes on. A policy must answer alike whenever it is asked: what a network answers in
single precision may differ by a ten-millionth from batch to batch, and bounds by as much.

Best-first search by an estimate, with bounds beside it, is AO* (Nilsson 1980); what is estimated,
and how, is ours.
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

from game.tables import NO_BID, BidTables
from solver.anytime import Limits, by_steps
from solver.bounds import NEVER, BestResponse, Bounds, History, Strategies, longest_history
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
"""Of what there is above challenging a reply: expected before any was found, and at least."""
_PLACES_REMEMBERED = 100.0
"""How many places the share counts, about."""
_ANSWERS_REMEMBERED = 50
"""How many answers to a bid make what is usual, about."""
_UPPER_PART = 0.1
"""Of the raises asked about, those that bring down the upper bound."""
_COARSEST, _FINEST, _CUT_RATIO = 1.0, 1e-15, 0.5
"""Smaller gaps than the cut are not looked at until there are no others; below the finest, none."""
_LEAST_BATCH, _BATCH_PART = 32, 0.05
"""Raises asked about between two looks at what is best: so many, or this part of all so far."""
_KEPT_MASS = 1e-6
"""Reaches of less mass are not kept: the few that are needed are asked for again."""
_KEPT_BYTES = 2**31
"""Memory for reaches of replies that are not opened; once it is full, they are asked for again."""
_VECTORS = 9
"""[hand] numbers kept for each place and each answer, and a little more."""
_SECONDS_PER_RESULT = 1.0

_UPPER, _EXPECTED = 1, 2
"""By which vector of a Estimate the responder chooses."""


@dataclass(frozen=True)
class QueryResponse(BestResponse):
    """What a best response earns in both seats."""

    calls: int
    """Strategies that the policy was asked for."""


class Estimate(NamedTuple):
    """What something is worth to the responder, [hand] each: for certain, and as is expected."""

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
        self.left: NDArray[np.bool_] = np.arange(game.claimed.size) >= game.first_raise[last + 1]
        """[bid] the raises that were not asked about."""
        if not history:
            self.left &= game.opens
        self.parent: Answer | None = None
        """Whose reply led here."""
        self.answers: dict[int, Answer] = {}
        """raise -> the policy's answer to it"""
        self.hoped = np.full(reach.size, NEVER)
        """[hand] what the best raise seems to be worth that was not asked about,"""
        self.hoped_bid = np.full(reach.size, NO_BID, dtype=np.int64)
        """[hand] and which that is."""
        self.settle()

    def settle(self) -> None:
        """Puts together what is known."""
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
    """The policy's turn, once it has been asked."""

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
        """Puts together what is known."""
        spans = [self.rest, *(place.span for place in self.opened)]
        self.span = Estimate(*(np.sum(values, axis=0) for values in zip(*spans, strict=True)))


class _Reply(NamedTuple):
    """One that is not opened."""

    answer: Answer
    bid: int


class _Question(NamedTuple):
    """Raises that are to be asked about."""

    place: Place
    raises: tuple[int, ...]


class _Queue:
    """What is reached, the largest gap first; with the weight [hand] of the own hands that reach
    it, which is their probability."""

    def __init__(self, cut: float) -> None:
        self._cut, self._ties = cut, count()
        self._heap: list[tuple[float, int, Place | _Reply | _Question, Vector]] = []

    def push(self, gap: float, item: Place | _Reply | _Question, weight: Vector) -> None:
        """Adds what has a larger gap than the cut."""
        if gap > self._cut:
            heapq.heappush(self._heap, (-gap, next(self._ties), item, weight))

    def pop(self) -> tuple[Place | _Reply | _Question, Vector] | None:
        """Takes out what comes first."""
        if not self._heap:
            return None
        _, _, item, weight = heapq.heappop(self._heap)
        return item, weight


class QuerySearch:
    """The search for best responses to a two-player policy; bounds get tighter as it goes on."""

    def __init__(self, tables: BidTables, policy: Strategies) -> None:
        """Asks what the policy opens with. Raises BestResponseError if there are not two players,
        IllegalStrategy if the policy answers with what is none."""
        if tables.players != 2:
            raise BestResponseError(
                "best responses are to two-player policies; these rules are for {players}",
                players=tables.players,
            )
        self._tables, self._policy = tables, policy
        game = self._game = showdown_tables(tables)
        bids, hands = game.claimed.size, game.prior.size
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
        self._opener = Place(game, (), game.prior, np.full(hands, -game.prior.sum()))
        (opening,) = query(tables, policy, [()])
        self._responder = self._answer((), None, game.prior, opening)
        self._expect(self._opener)

    @property
    def calls(self) -> int:
        """Strategies that the policy was asked for."""
        return sum(self._calls.values())

    def bounds(self) -> tuple[Bounds, ...]:
        """What a best response earns as opener and as responder."""
        prior, game = self._game.prior, self._game
        operations = longest_history(game.first_raise) * 8 * (prior.size + game.claimed.size)
        margin = float(operations * np.finfo(np.float64).eps)
        return tuple(
            Bounds(float(prior @ root.span.lower) - margin, float(prior @ root.span.upper) + margin)
            for root in (self._opener, self._responder)
        )

    def refine(self, *, gap: float = 0.0, seconds: float = np.inf) -> Iterator[QueryResponse]:
        """Results that only get tighter, about one a second, until exploitability is known to
        `gap` or exactly, about `seconds` have passed (one batch of answers is waited for), or what
        has been told fills the memory.

        Raises IllegalStrategy if the policy answers with what is none.
        """
        limits = Limits(gap, seconds)
        more = {_EXPECTED: True, _UPPER: True}

        def step() -> bool:
            """Ask a batch, by the vector whose turn it is."""
            upper = self._calls[_UPPER] < _UPPER_PART * self.calls
            by = _UPPER if more[_UPPER] and (upper or not more[_EXPECTED]) else _EXPECTED
            more[by] = self._round(by, limits.deadline)
            more[_EXPECTED] |= by == _UPPER and more[_UPPER]
            return any(more.values()) and self._size() <= room()

        def result() -> QueryResponse:
            return QueryResponse(self.bounds(), self.nodes, limits.seconds, self.calls)

        yield from by_steps(step, result, limits, _SECONDS_PER_RESULT)
        yield result()

    def _size(self) -> int:
        """About how many bytes are in use: places and answers have so many vectors each."""
        return self._kept + _VECTORS * (self.nodes + self.calls) * self._game.prior.nbytes

    def _round(self, by: int, deadline: float) -> bool:
        """Asks what seems best now; whether there may be more to ask."""
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
        """What to ask, about `most` raises at most: where the strategy leads that does what is best
        by the vector `by` of all spans. Replies that it reaches are opened, and entered in
        `opened`."""
        queue, questions, asked_about = _Queue(self._cut[by]), list[_Question](), 0
        self._push_place(queue, by, self._opener, self._game.prior)
        self._push_answer(queue, by, self._responder, self._game.prior)
        while asked_about < most and (found := queue.pop()) is not None:
            item, weight = found
            if isinstance(item, _Question):
                questions.append(item)
                asked_about += len(item.raises)
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
        """What each own hand does that is best."""
        best, lower = place.span[by], place.span.lower
        free = weight > 0.0
        if by == _UPPER and place.left.any():
            # Raises that were not asked about are worth as much as anything.
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
        """[hand] the reach after a reply that was not kept."""
        self._calls[by] += 1
        (strategy,) = query(self._tables, self._policy, [answer.history])
        before = self._game.prior if answer.parent is None else answer.parent.reach
        reach: Vector = before * strategy[:, bid]
        return reach

    def _ask(self, by: int, questions: Iterable[_Question], deadline: float) -> list[Place]:
        """The places where the policy has answered: all, if there was time."""
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
        """Looks at raises that were not asked about."""
        expect(
            self._game_tables, self._habits, place.reach, place.challenge, place.left,
            place.hoped, place.hoped_bid,
        )  # fmt: skip
        place.settle()

    def _learn(self, place: Place) -> None:
        """Lets the place count for what is expected above challenging the bid that it faces."""
        if not place.history:
            return
        prior, last, keep = self._game.prior, place.history[-1], 1.0 - 1.0 / _PLACES_REMEMBERED
        found = float(prior @ (place.span.expected - place.challenge)) / place.mass
        room = float(prior @ (place.mass - place.challenge)) / place.mass
        self._found[last] = keep * self._found[last] + found
        self._room[last] = keep * self._room[last] + room
        self._habits.share[last] = max(_LEAST_SHARE, self._found[last] / self._room[last])


def _settle(places: Iterable[Place]) -> None:
    """Puts together what is known at all histories that lead to these, the longest first."""
    waiting: dict[int, set[Place | Answer]] = defaultdict(set)
    for place in places:
        waiting[len(place.history)].add(place)
    for length in range(max(waiting, default=-1), -1, -1):
        for node in waiting[length]:
            node.settle()
            if node.parent is not None:
                waiting[length - 1].add(node.parent)
