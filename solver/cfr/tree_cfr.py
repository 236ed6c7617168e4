"""CFR for two players on a public tree that grows where a best response leaves it.

Full width: a pass carries every hand of both players down every history of the tree, so nothing is
sampled and no two histories share an information set. What keeps the tree small is that outside it
both players challenge whatever is bid. For most bids that is right; where it is not, a best
response (`solver.cfr.tree_walks.respond`) finds a raise that gains by leaving the tree, and says
how much. Adding those raises, the best first, is a double oracle method (McMahan et al. 2003;
Bošanský et al. 2014 and McAleer et al. 2021 for extensive games). Its best response is exact in the
whole game, so training always knows how exploitable its average is.

Deviations from the papers, all in this file and in `solver.cfr.tree_walks`:

- Regrets are those of discounted CFR (Brown & Sandholm 2019) with alpha 1.5 and beta 0, the average
  weighs passes by the fourth power of their number: what a young tree played is soon forgotten.
- Histories that the other player does not reach are passed over; their regrets are not discounted
  either.
- Players improve in turn, each against the newest strategy of the other, as in CFR+ (Tammelin
  2014).
- A raise that joins the tree starts with no regret, so others must first do worse than they did.

Single precision throughout.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from game.bids import domain, strength
from game.errors import ZhaifeiError
from game.rules import Rules
from game.tables import bid_tables
from solver.cfr.growing_tree import ROOT, GrowingTree
from solver.cfr.tree_strategy import average_strategy
from solver.cfr.tree_walks import Step, TreeWalk, improve, new_walk, respond
from solver.memory import OutOfMemory
from solver.state import StateError, array_of, verify_between
from solver.tables.recall import FULL, recall_tables
from solver.tables.strategy_table import StrategyTable
from solver.threads import Threads

ALPHA = 1.5
"""Regrets above zero after pass t are multiplied by t^ALPHA / (t^ALPHA + 1)."""
KEPT_NEGATIVE = 0.5
"""Regrets below zero are multiplied by this."""
WEIGHT_POWER = 4.0
"""The average weighs pass t by t to this power."""
REMEMBERED = 4.0
"""Where a history joins the tree, the challenges there until then enter the average as if they were
so many passes. Without them the average would at first be what one pass played, and be worse."""
LEAST_PASSES, LEAST_SHARE = 5, 20
"""Passes between two growths of the tree: at least so many, and one for so many passes so far."""
GROWTH = 0.5
"""The tree grows by at most so much of its nodes at a time, or by _LEAST_GROWTH raises."""
_LEAST_GROWTH = 1000
LEAST_GAIN = 1.25e-4
"""A raise joins the tree if it gains so many penalty points over the root of the passes: the longer
training goes on, the finer it looks."""
LEAST_PLAYED = 1e-6
"""The probability below which what a hand does is left out of a strategy stored compactly."""

_MOST_EARNED = 2.0
"""A bound of what a best response earns; points and rounding."""
_MOST_PASSES = 40_000_000
"""After more than these the weights add up to what single precision cannot hold."""

Result = TypeVar("Result")


class TreeResponse(NamedTuple):
    """What best responses to the average strategy earn in the whole game, in points a round."""

    opener: float
    responder: float
    """The same for the player who replies to the opening."""
    raises: NDArray[np.int64]
    """[raise, 2] node and bid: raises by which they gain by leaving the tree,"""
    gain: NDArray[np.float32]
    """[raise] and how much, if all else stays as it is."""

    @property
    def exploitability(self) -> float:
        """The exploitability of the average strategy."""
        return (self.opener + self.responder) / 2


class TreeCFR:
    """Training for one variant of two players: a function of the rules alone, however many threads
    there are. Raises ZhaifeiError for other numbers of players, or fewer than one thread."""

    def __init__(self, rules: Rules, *, threads: int = 1) -> None:
        if rules.players != 2:
            raise ZhaifeiError(
                "tree training is for two players; these rules are for {players}",
                players=rules.players,
            )
        self._threads = Threads(threads)
        self.rules, self.bids = rules, bid_tables(rules)
        self.grown = GrowingTree(self.bids)
        self.passes = 0
        self._grows_after = LEAST_PASSES
        self._earned = np.full(2, np.nan)
        """What best responses as opener and as responder earned when last measured."""
        self._full: tuple[int, int] | None = None
        """Passes and nodes when memory first kept the tree from growing."""
        depth = len({strength(rules, bid) for bid in domain(rules)}) + 2
        self._walks = [new_walk(self.bids, depth) for _ in range(threads)]
        self._openings = 1 + np.arange(np.count_nonzero(self.bids.opens))
        self._seconds: NDArray[np.float64] = np.zeros(self._openings.size)
        """[opening] that its last walk took."""

    @property
    def exploitability(self) -> float:
        """Of the average when last measured, as it is whenever the tree grows, in the whole game;
        NaN before that."""
        return float(self._earned.mean())

    @property
    def value(self) -> float:
        """Of the round for the opener, in penalty points: half way between what the opener can be
        kept to and what they can secure, when last measured; NaN before that."""
        opener, responder = self._earned
        return float(opener - responder) / 2

    @property
    def warning(self) -> ZhaifeiError | None:
        """That memory was too small for the tree to grow, if it ever was: training goes on, but a
        run with more memory ends differently."""
        if self._full is None:
            return None
        passes, nodes = self._full
        return ZhaifeiError(
            "after {passes} passes, at {nodes} nodes, memory became too small for the tree to grow "
            "as it should; training goes on with what fits",
            passes=passes, nodes=nodes,
        )  # fmt: skip

    def advance(self) -> None:
        """Run one pass and, after every so many passes, grow the tree, as far as there is
        memory."""
        self.improve()
        if self.passes >= self._grows_after:
            self._grows_after = self.passes + _until_growth(self.passes)
            try:
                self.grow(self.measure(LEAST_GAIN / self.passes**0.5))
            except (OutOfMemory, MemoryError):
                self._full = self._full or (self.passes, len(self.grown))

    def measure(self, least: float = float("inf")) -> TreeResponse:
        """Return best responses as `respond` does, and keep what they earn as the
        exploitability."""
        response = self.respond(least)
        self._earned[:] = response.opener, response.responder
        return response

    def improve(self) -> None:
        """Run one pass: first the opener improves, then the responder."""
        self.passes += 1
        kept = self.passes**ALPHA / (self.passes**ALPHA + 1.0)
        step = Step(*(np.float32(x) for x in (kept, KEPT_NEGATIVE, self.passes**WEIGHT_POWER)))
        tree, prior = self.grown.tree, self.bids.prior
        regret = tree.regret[self._openings]
        earned = self._improve_below(np.broadcast_to(prior, regret.shape), False, step)
        value = (positive_shares(regret) * earned).sum(axis=0)
        discounted = regret * np.where(regret > 0.0, step.keep_positive, step.keep_negative)
        tree.regret[self._openings] = discounted + earned - value
        ranges = prior * positive_shares(tree.regret[self._openings])
        tree.average[ROOT] += step.weight * prior
        tree.average[self._openings] += step.weight * ranges
        self._improve_below(ranges, True, step)

    def _improve_below(
        self, ranges: NDArray[np.float32], responder: bool, step: Step
    ) -> NDArray[np.float32]:
        """Return [opening, hand] the values below each opening to the player who improves, the
        `responder` or else the opener, against the `ranges` [opening, hand] of the other."""
        tree, openings = self.grown.tree, self._openings

        def improve_one(walk: TreeWalk, place: int) -> NDArray[np.float32]:
            walk.ranges[0] = ranges[place]
            improve(tree, walk, openings[place], responder, step)
            value: NDArray[np.float32] = walk.value[0].copy()
            return value

        values: NDArray[np.float32] = np.array(self._for_each_opening(improve_one))
        return values

    def respond(self, least: float) -> TreeResponse:
        """Return best responses to the average, with the raises that gain `least` or more by
        leaving the tree."""
        prior = self.bids.prior
        ranges = prior * positive_shares(self.grown.tree.average[self._openings])
        opener = self._respond_below(np.broadcast_to(prior, ranges.shape), False, least)
        responder = self._respond_below(ranges, True, least)
        found = opener + responder
        return TreeResponse(
            float(prior @ np.max([value for value, _, _ in opener], axis=0)),
            float(prior @ np.sum([value for value, _, _ in responder], axis=0)),
            np.concatenate([raises for _, raises, _ in found]),
            np.concatenate([gain for _, _, gain in found]),
        )

    def _respond_below(
        self, ranges: NDArray[np.float32], responder: bool, least: float
    ) -> list[tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]]:
        """Return values [hand], raises and gains for each opening; for the last two see
        TreeResponse."""
        tree, openings = self.grown.tree, self._openings

        def respond_one(
            walk: TreeWalk, place: int
        ) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
            walk.ranges[0], walk.notes[0] = ranges[place], 0
            respond(tree, walk, openings[place], responder, least)
            noted = slice(walk.notes[0])
            return walk.value[0].copy(), walk.noted[noted].copy(), walk.noted_gain[noted].copy()

        return self._for_each_opening(respond_one)

    def grow(self, response: TreeResponse) -> None:
        """Add the raises of `response` that gain most. Raises OutOfMemory or MemoryError, and
        leaves the tree as it was."""
        best = np.argsort(-response.gain, kind="stable")
        best = best[: max(_LEAST_GROWTH, int(GROWTH * len(self.grown)))]
        remembered = min(1.0, REMEMBERED * (WEIGHT_POWER + 1.0) / self.passes)
        self.grown.grow(response.raises[best, 0], response.raises[best, 1], remembered)

    def _for_each_opening(self, do: Callable[[TreeWalk, int], Result]) -> list[Result]:
        """Return what `do` returns for each opening. The openings that took longest last time start
        first."""
        waiting: SimpleQueue[int] = SimpleQueue()
        for place in np.argsort(-self._seconds):
            waiting.put(int(place))
        results: dict[int, Result] = {}

        def work(thread: int) -> None:
            walk = self._walks[thread]
            while True:
                try:
                    place = waiting.get_nowait()
                except Empty:
                    return
                began = time.perf_counter()
                results[place] = do(walk, place)
                self._seconds[place] = time.perf_counter() - began

        self._threads.run(work)
        return [results[place] for place in range(self._openings.size)]

    def strategy(self) -> StrategyTable:
        """Return the average strategy, without what is hardly ever played."""
        weights = float(self.grown.tree.average[ROOT].sum())
        recall = recall_tables(self.rules, FULL)
        return average_strategy(self.grown.tree, recall, LEAST_PLAYED * weights)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that training needs to continue: the arrays themselves, not copies."""
        passes = np.array([self.passes, self._grows_after], dtype=np.int64)
        full = {} if self._full is None else {"full": np.array(self._full, dtype=np.int64)}
        return {"passes": passes, "earned": self._earned, **full, **self.grown.state()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` of the same rules. Raise StateError if it is none; the solver is
        then not to be used."""
        counts = array_of(state, "passes", np.int64, 2)
        earned = array_of(state, "earned", np.float64, 2)
        verify_between("passes", counts[0], 0, _MOST_PASSES)
        passes = int(counts[0])
        verify_between("passes", counts[1], 0, passes + _until_growth(passes))
        verify_between("earned", earned[~np.isnan(earned)], -_MOST_EARNED, _MOST_EARNED)
        self.passes, self._grows_after = passes, int(counts[1])
        self._earned[:] = earned
        if "full" in state:
            full = array_of(state, "full", np.int64, 2)
            verify_between("full", full, 1, np.iinfo(np.int32).max)
            self._full = int(full[0]), int(full[1])
        own = ("passes", "earned", "full")
        self.grown.restore({name: array for name, array in state.items() if name not in own})
        self._verify_weights()

    def _verify_weights(self) -> None:
        """Raise StateError unless the average at the root, and that of all openings, is what as
        many passes add up to, but for rounding."""
        last = self.passes
        assert WEIGHT_POWER == 4.0, "the sum of the fourth powers"
        total = last * (last + 1) * (2 * last + 1) * (3 * last**2 + 3 * last - 1) // 30
        right = float(total) * self.bids.prior.astype(np.float64)
        average = self.grown.tree.average
        for found in (average[ROOT], average[self._openings].sum(axis=0)):
            if not ((right / 2 <= found) & (found <= 2 * right)).all():
                raise StateError("the saved averages are not those of {number} passes", number=last)


def _until_growth(passes: int) -> int:
    """Return how many passes after this one the tree grows again."""
    return max(LEAST_PASSES, passes // LEAST_SHARE)


def positive_shares(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return [action, hand] the strategy of regret matching: each hand plays in proportion to its
    positive `shares`; the first action where none is positive."""
    positive: NDArray[np.float32] = np.maximum(shares, np.float32(0.0))
    total = positive.sum(axis=0)
    positive /= np.where(total > 0.0, total, np.float32(1.0))
    positive[0, total == 0.0] = 1.0
    return positive
