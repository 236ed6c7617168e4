"""CFR on a public tree that grows where a best response leaves it.

Full width: a pass carries every hand of all players down every history of the tree, and no two
histories share an information set. The tree stays small because outside it all players challenge
whatever is bid. For most bids that is right. Where it is wrong, a best response
(`solver.cfr.tree_respond`) finds an action that gains by leaving the tree, and how much it gains.
Adding these actions, the best first, is a double oracle method (McMahan et al. 2003; Bošanský et
al. 2014 and McAleer et al. 2021 for extensive games). The best response is exact in the whole game,
so training always knows how exploitable its average is.

Deviations from the papers, all in this file and in the walks (`solver.cfr.tree_walk`):

- Regrets are those of discounted CFR (Brown & Sandholm 2019) with alpha 1.5 and beta 0. The average
  weighs a pass by the fourth power of its number, so the play of a young tree is soon forgotten.
- Histories that the other players do not reach are passed over; their regrets are not discounted
  either.
- In large trees of two players, only some passes follow rarely made replies
  (`solver.cfr.seldom_replies`).
- Players improve in turn, each against the newest strategy of the others, as in CFR+ (Tammelin
  2014).
- An action that joins the tree starts with zero regret, so it is played only once the other actions
  have done worse than they did.

**Three or more players.** No theorem says that averages come near an equilibrium, and some runs get
worse after a while. So the average is kept whenever it measures better than all before it, and the
best one measured is the result. It is measured whole, and without its small shares. With many
players, each improves against others who tremble (`solver.cfr.trembling`). With four players, and
with 跳开, later passes lower NashConv itself (`solver.cfr.descent`).

**From a position** that the solver did not expect, the player who does not move there may be given
a choice before it (`solver.cfr.gadget`). Their range at the root is then not constant: it holds the
hands with which they play on.

All arithmetic is in single precision; rows of large trees are stored in less
(`solver.cfr.row_precision`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.abstraction import WHOLE, Abstraction, considered_tables
from zhaifei.solver.cfr.descent import Strategy, descend, steps_of_descent
from zhaifei.solver.cfr.gadget import OPPONENT, Gadget
from zhaifei.solver.cfr.growing_tree import GrowingTree
from zhaifei.solver.cfr.held_nodes import HeldNodes
from zhaifei.solver.cfr.own_tree import OwnTree, SolversTree
from zhaifei.solver.cfr.regret_matching import Step, improved, positive_shares
from zhaifei.solver.cfr.root import Root, root_of
from zhaifei.solver.cfr.row_precision import Stored, narrow, noise_for, noise_of, widen
from zhaifei.solver.cfr.shared_work import Crew, Notes
from zhaifei.solver.cfr.small_shares import LEAST_SHARES, least_share
from zhaifei.solver.cfr.support import restrict
from zhaifei.solver.cfr.tree_strategy import average_strategy
from zhaifei.solver.cfr.tree_walk import key_after
from zhaifei.solver.cfr.trembling import tremble_at
from zhaifei.solver.files.state import StateError, array_of, verify_between
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.tables.held import Held
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import (
    StrategyTable,
    StrategyTableError,
    arrays_of,
    table_of,
    verify_rows,
)

ALPHA = 1.5
"""Regrets above zero after pass t are multiplied by t^ALPHA / (t^ALPHA + 1)."""
KEPT_NEGATIVE = 0.5
"""Regrets below zero are multiplied by this."""
WEIGHT_POWER = 4.0
"""The average weighs pass t by t to this power."""
REMEMBERED = 4.0
"""The number of passes for which the challenges at a history count in its average when it joins the
tree. Without them the average would at first be what one pass played, and be worse."""
SELDOM = np.float32(1e-4)
"""In large two-player trees, the mass of a reply below which only some passes follow it."""
_MANY_HANDS = 126
"""The number of hands, that of four dice, from which on rows hold two bytes a number."""
GROWTH = 0.5
"""The tree grows by at most this share of its nodes at a time, or by _LEAST_GROWTH actions."""
_LEAST_GROWTH = 1000
LEAST_PLAYED, LEAST_PLAYED_OF_LARGEST = 8e-7, 7e-6
"""The reach probability below which a stored strategy leaves out a hand's action. It is higher for
the largest trees: those of three players, and those with doubles."""


class Schedule(NamedTuple):
    """When the tree grows, and by which actions: both become finer the longer training goes on."""

    share: int
    """The tree grows again after `passes // share` more passes."""
    least: int
    """The least number of passes between two growths."""
    gain: float
    """The gain that adds an action is this many penalty points over the number of passes to the
    `power`."""
    power: float

    def passes_after(self, passes: int) -> int:
        """Return after how many more passes the tree grows again."""
        return max(self.least, passes // self.share)

    def least_gain(self, passes: int) -> float:
        """Return how many penalty points an action must gain to join the tree."""
        return self.gain / float(passes**self.power)


SCHEDULE = Schedule(share=20, least=5, gain=1.25e-4, power=0.5)
SCHEDULE_OF_LARGE = Schedule(share=20, least=3, gain=5e-4, power=1.0)
"""For large trees. Missing actions cost more there than regrets do, so they should come early."""
SCHEDULE_OF_SEVERAL = Schedule(share=40, least=5, gain=0.125, power=2.0)
"""For three or more players. It is coarser at first, when far more lines look worth a try, and
later finer and more frequent, since play drifts to where the tree is coarse. benchmarks/tried.md
has the figures."""


SCHEDULE_OF_ONE = Schedule(share=20, least=3, gain=2e-4, power=0.5)
"""For abstractions in which one player is solved alone. A finer schedule makes the tree and its
files several times as large, for a gain that hardly matters in a match."""


def _schedule_of(rules: Rules, abstraction: Abstraction, *, large: bool) -> Schedule:
    if rules.players > 2:
        return SCHEDULE_OF_SEVERAL
    if abstraction.spares is not None:
        return SCHEDULE_OF_ONE
    return SCHEDULE_OF_LARGE if large else SCHEDULE


_MOST_PASSES = 40_000_000
"""After more passes the sum of the weights exceeds single precision."""
_BEST = "best."
"""The prefix of the best average's names in a saved state."""


class TreeResponse(NamedTuple):
    """Best responses to the average strategy in the whole game, in penalty points a round."""

    earned: NDArray[np.float64]
    """[player] what a best response earns, in turn order from the root. It is NaN for a player who
    is solved alone."""
    values: NDArray[np.float32]
    """[player, child of the root, hand] what each hand earns by a best response after the child's
    action, in expectation over the others' average ranges and actions."""
    notes: Notes
    """The actions by which responders gain by leaving the tree, the largest gains first."""

    @property
    def nash_conv(self) -> float:
        """The sum over players of what best responses gain; the average's own earnings sum to 0."""
        return float(self.earned.sum())


class TreeCFR:
    """Training for one variant of two to eight players.

    The result is a function of the rules, the abstraction and the root alone, whatever the number
    of threads. The root is the start of a round or any later position. With two players a `gadget`
    may precede it. Strategies in `held`, below the root, stay fixed, and best responses do not
    deviate there. A solver with a `gadget` or `held` is not meant for checkpoints, and one with a
    `root` is restored into a solver with the same root. A `root` has its own abstraction.

    Hands that count alike below a node are treated as one there if the tree is `merged`; by default
    this is done for large trees. Results differ by rounding only.

    With a player `alone`, of two, only this player is solved, within their support
    (`solver.cfr.support`): the tree grows by the other player's actions, and the other's average is
    not kept.

    `plant` decides where the tree lives, which does not change the result (`solver.cfr.own_tree`).
    If `threads` is None the caller does the work (`solver.machine.threads.Caller`). This is quicker
    for small trees, and for training that nobody resumes. Raises ZhaifeiError for fewer than one
    thread.
    """

    def __init__(  # noqa: PLR0913  # options have names
        self,
        rules: Rules,
        *,
        threads: int | None = 1,
        root: Root | None = None,
        gadget: Gadget | None = None,
        held: Sequence[Held] = (),
        abstraction: Abstraction = WHOLE,
        large: bool | None = None,
        merged: bool | None = None,
        alone: int | None = None,
        plant: Callable[[GrowingTree, Crew], SolversTree] = OwnTree,
    ) -> None:
        self._gadget, self._threads, self.alone = gadget, threads, alone
        self.rules = rules
        self.root = root or root_of(considered_tables(rules, abstraction))
        self.bids = self.root.bids
        hands = self.root.ranges.shape[1]
        if large is None:
            large = root is None and is_large(rules)
        if merged is None:
            merged = large and not held
        self.grown = GrowingTree(self.root, large=large, merged=merged)
        self._tree = plant(self.grown, Crew(rules, self.root, threads))
        self._noise = noise_for(hands)
        self._held = HeldNodes(self.grown, held)
        self.passes = 0
        self._sampled = large and rules.players == 2
        self._schedule = _schedule_of(rules, abstraction, large=large)
        self._grows_after = self._schedule.least
        self._earned = np.full(rules.players, np.nan)
        """[player] what best responses to the average earned at the last measurement; NaN for the
        player who is `alone`."""
        self._best: StrategyTable | None = None
        """The best average measured so far, with three or more players."""
        self._best_earned = np.full(rules.players, np.nan)
        """[player] what best responses to the best average earned."""
        self._full: tuple[int, int] | None = None
        """The passes and nodes when memory first kept the tree from growing, or None."""
        self._starts = self.grown.starts
        """The children of the root."""

    @property
    def nash_conv(self) -> float:
        """The NashConv of the resulting average in the whole game at its last measurement, which
        happens whenever the tree grows; NaN before the first."""
        return float((self._best_earned if self._keeps_best else self._earned).sum())

    @property
    def earned(self) -> NDArray[np.float64]:
        """[player] what best responses to the average earned at the last measurement, in points a
        round. It is NaN before the first, and for a player who is `alone`."""
        return self._earned.copy()

    @property
    def decisions(self) -> int:
        """The number of nodes with children."""
        return self._tree.decisions

    @property
    def value(self) -> float:
        """The value of the round for the player who moves at the root, in penalty points; NaN
        before the first measurement.

        With two players it is half way between what the opener can secure and what the opponent can
        hold them to. With more, it is what a best response earns at the root, less an equal share
        of what all best responses gain."""
        earned = self._best_earned if self._keeps_best else self._earned
        return float(earned[0] - earned.mean())

    @property
    def _keeps_best(self) -> bool:
        return self.rules.players > 2

    @property
    def warning(self) -> ZhaifeiError | None:
        """A warning if memory was ever too small for the tree to grow, or None. Training goes on,
        but a run with more memory ends differently."""
        if self._full is None:
            return None
        passes, nodes = self._full
        return ZhaifeiError(
            "after {passes} passes, at {nodes} nodes, memory is too small for the tree to keep "
            "growing; training goes on with what fits",
            passes=passes,
            nodes=nodes,
        )

    def advance(self) -> None:
        """Run one pass and, when the schedule says so, grow the tree as far as memory allows."""
        self.improve()
        if self.passes >= self._grows_after:
            self._grows_after = self.passes + self._schedule.passes_after(self.passes)
            try:
                self.grow(self.measure(self._schedule.least_gain(self.passes)))
            except (OutOfMemory, MemoryError):
                self._note_full()

    def measure(self, least: float = float("inf")) -> TreeResponse:
        """Return best responses as `respond` does, and keep what they earn. With three or more
        players, also keep the best average so far, with or without its small shares
        (`solver.cfr.small_shares`)."""
        response = self.respond(least)
        self._earned[:] = response.earned
        if self._keeps_best:
            self._keep_best(response)
        return response

    def _keep_best(self, response: TreeResponse) -> None:
        """Keep the average, to which `response` has best responses, or the average without its
        small shares, whichever has the lower NashConv, if that is the lowest so far."""
        with self._tree.without_small_shares(least_share(self.passes)):
            without = self.respond(float("inf"))
            better = without.nash_conv < response.nash_conv
            if better:
                self._keep_if_best(without)
        if not better:
            self._keep_if_best(response)

    def _keep_if_best(self, response: TreeResponse) -> None:
        """Keep the average, with the best responses to it, if its NashConv is the lowest so far."""
        if not self.nash_conv <= response.nash_conv:
            self._best = self.average()
            self._best_earned[:] = response.earned

    # Passes

    def improve(self) -> None:
        """Run one pass: the players improve in turn. Later passes of several players are steps of a
        descent."""
        self.passes += 1
        steps = self._steps
        if steps > 0:
            if steps == 1:
                self._begin_descent()
            self._descend(steps)
            return
        kept = self.passes**ALPHA / (self.passes**ALPHA + 1.0)
        discounts = np.float32(kept), np.float32(KEPT_NEGATIVE)
        seldom = SELDOM if self._sampled else np.float32(0.0)
        step = Step(
            *discounts,
            self._next_weight(),
            self.passes,
            self._noise,
            seldom,
            tremble=tremble_at(self.passes, self.rules.players),
        )
        ranges = self.root.ranges
        if self._gadget is not None:
            ranges = np.stack([ranges[0], self._gadget.reach])
        self._tree.part.deal(ranges)
        self._improve_root(step)
        reach = self._add_at_root(ranges, step)
        for player in range(1, self.rules.players):
            earned = self._improve_below(player, reach, self._step_of(player, step))
        if self._gadget is not None:
            self._gadget.improve(earned.sum(axis=0), step)
        if self.rules.players > 2:
            self._tree.accumulate(range(self.rules.players), step)

    @property
    def _steps(self) -> int:
        """The number of steps of the descent so far."""
        return steps_of_descent(self.passes, self.rules)

    @property
    def _averaged(self) -> int:
        """The number of passes in the averages, which begin anew with the descent."""
        return self._steps or self.passes

    def _begin_descent(self) -> None:
        """Make the average the current strategy: without the small shares that raise its NashConv.
        Begin new averages."""
        shares_left_out, responses = (0.0, *LEAST_SHARES), []
        for least in shares_left_out:
            with self._tree.without_small_shares(least):
                responses.append(self.respond(float("inf")))
        best = int(np.argmin([response.nash_conv for response in responses]))
        self._earned[:] = responses[best].earned
        with self._tree.without_small_shares(shares_left_out[best]):
            shares = positive_shares(self._at_root(self.grown.tree.average))
            self._tree.take_averages()
            self._write(self.grown.tree.regret, shares)
        self._tree.forget_averages()

    def _descend(self, steps: int) -> None:
        """Run one step of the descent (`solver.cfr.descent`)."""
        tree, ranges, none = self.grown.tree, self.root.ranges, np.float32(0.0)
        step = Step(none, none, self._next_weight(), self.passes, self._noise)
        shares = positive_shares(self._at_root(tree.regret))
        average = positive_shares(self._at_root(tree.average)) if steps > 1 else shares
        strategy = Strategy(shares, average, float(self._earned.sum()))
        moved = descend(self._tree, ranges, strategy, steps, step)
        self._write(tree.regret, positive_shares(moved))
        self._held.restore()
        self._add_at_root(ranges, step)
        self._tree.accumulate(range(self.rules.players), step)

    def _add_at_root(self, ranges: NDArray[np.float32], step: Step) -> NDArray[np.float32]:
        """Add the current strategy at the root, and the `ranges` [player, hand] there, to the
        averages. Return [child of the root, hand] the reach after the root, which the walks that
        follow enter with."""
        tree = self.grown.tree
        reach: NDArray[np.float32] = ranges[0] * positive_shares(self._at_root(tree.regret))
        self._write(tree.average, self._at_root(tree.average) + step.weight * reach)
        tree.dealt[:] += step.weight * ranges
        self._tree.part.deal(ranges)
        self._tree.part.enter(reach)
        return reach

    def _step_of(self, player: int, step: Step) -> Step:
        """Return the `step` of a walk that improves `player`."""
        return step._replace(averages=player != self.alone)

    def _next_weight(self) -> np.float32:
        """Return the weight of the pass in the average, in the averages' unit: those of a large
        tree are halved whenever the weights have doubled."""
        averaged = self._averaged
        weight = float(averaged) ** WEIGHT_POWER
        if not self.grown.large:
            return np.float32(weight)
        halvings = _halvings(averaged)
        self._tree.halve_averages(halvings - _halvings(averaged - 1))
        return np.float32(weight / 2.0**halvings)

    def _improve_root(self, step: Step) -> None:
        """Improve the player who moves at the root, at the root and below it."""
        tree = self.grown.tree
        regret = self._at_root(tree.regret)
        reach = self.root.ranges[0] * positive_shares(regret)
        earned = self._improve_below(0, reach, self._step_of(0, step))
        self._write(tree.regret, improved(regret, earned, step))

    def _at_root(self, rows: Stored) -> NDArray[np.float32]:
        """Return [child of the root, hand] the numbers in the `rows` of the root's children."""
        found: NDArray[np.float32] = widen(self.grown.start_rows(rows))
        return found

    def _write(self, rows: Stored, numbers: NDArray[np.float32]) -> None:
        """Write `numbers` [child of the root, hand] into the `rows` of the root's children."""
        keys = [key_after(0, action) for action in self.grown.tree.action[self._starts].tolist()]
        noise = noise_of(self._noise, self.passes, np.array(keys))
        self.grown.start_rows(rows)[:] = narrow(numbers, noise, rows)

    def _improve_below(
        self, player: int, reach: NDArray[np.float32], step: Step
    ) -> NDArray[np.float32]:
        """Improve `player` below the root; return [child of the root, hand] what they earn. The
        player who moves at the root has the `reach` [child of the root, hand] there."""
        self._tree.part.enter(reach)
        earned = self._tree.improve(player, step)
        self._held.restore()
        return earned

    # Best responses

    def average_ranges(self) -> NDArray[np.float32]:
        """Return [player, hand] the ranges at the root, averaged over all passes with the weights
        of the average strategy."""
        if self._gadget is None:
            return self.root.ranges
        dealt, ranges = self.grown.tree.dealt, self.root.ranges.copy()
        ranges[OPPONENT] = dealt[OPPONENT] * (ranges[0].sum() / dealt[0].sum())
        return ranges

    def respond(self, least: float) -> TreeResponse:
        """Return best responses to the average, with the actions that gain at least `least` by
        leaving the tree."""
        ranges, tree = self.average_ranges(), self.grown.tree
        self._tree.part.deal(ranges)
        self._tree.part.enter(ranges[0] * positive_shares(self._at_root(tree.average)))
        players = [player for player in range(self.rules.players) if player != self.alone]
        values, notes = self._tree.respond(players, least)
        best = [values[0].max(axis=0), *values[1:].sum(axis=1)]
        earned = [float(range_ @ value) for range_, value in zip(ranges, best, strict=True)]
        if self.alone is not None:
            earned[self.alone] = np.nan
        if self._gadget is not None:
            left, earned[OPPONENT] = self._gadget.earned(ranges[OPPONENT], best[OPPONENT])
            earned[0] += left
        return TreeResponse(np.array(earned), values, notes)

    def grow(self, response: TreeResponse) -> None:
        """Add the actions of `response` that gain most, as many as memory allows. If it allows
        hardly any, raise OutOfMemory or MemoryError and leave the tree as it was."""
        most = max(_LEAST_GROWTH, int(GROWTH * len(self._tree)))
        best = response.notes.chosen(slice(most))
        remembered = min(1.0, REMEMBERED * (WEIGHT_POWER + 1.0) / self._averaged)
        while True:
            try:
                self._tree.grow(best, remembered)
                break
            except OutOfMemory:
                if best.gain.size <= _LEAST_GROWTH:
                    raise
                self._note_full()
                best = best.chosen(slice(best.gain.size // 2))
        self._held.find()

    def _note_full(self) -> None:
        self._full = self._full or (self.passes, len(self._tree))

    # Results

    def average(self) -> StrategyTable:
        """Return the average strategy, without actions whose average is below `least_stored`."""
        return self._tree.average(recall_tables(self.rules, FULL), self.least_stored)

    def compact_average(self, least_played: float, player: int | None = None) -> StrategyTable:
        """Return the average strategy in compact form, whatever its size, without actions that a
        hand reaches with probability below `least_played`, the deal included; hands that are dealt
        rarely need less (`least_averages`). With a `player`, in turn order from the root, return
        only this player's strategy, and the start of a round."""
        tree = self.grown.tree
        least = least_played * float(tree.dealt[0].sum())
        recall = recall_tables(self.rules, FULL)
        return average_strategy(tree, recall, least, compact=True, player=player)

    @property
    def least_stored(self) -> float:
        """The average below which a hand's action is left out."""
        largest = self.rules.players == 3 or self.rules.stakes.doubled
        least = LEAST_PLAYED_OF_LARGEST if largest else LEAST_PLAYED
        return least * float(self.grown.tree.dealt[0].sum())

    def strategy(self) -> StrategyTable:
        """Return the average strategy or, with three or more players, the best average measured so
        far, if there is any."""
        return self._best or self.average()

    def restricted(self, player: int, least_played: float) -> TreeCFR:
        """Return a solver that goes on with `player` alone, of two, who takes only the actions that
        a hand reaches with probability at least `least_played` by the average so far, the deal
        included. Raise OutOfMemory if there is no room for its tree."""
        found = TreeCFR(
            self.rules,
            threads=self._threads,
            root=self.root,
            large=self.grown.large,
            merged=self.grown.merged,
            alone=player,
        )
        least = least_played * float(self.grown.tree.dealt[0].sum())
        restrict(found.grown, self.grown.tree, player, least)
        found.passes, found._grows_after = self.passes, self._grows_after
        return found

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that training needs to continue, as the arrays themselves, not as
        copies."""
        passes = np.array([self.passes, self._grows_after], dtype=np.int64)
        state: dict[str, NDArray[Any]] = {"passes": passes, "earned": self._earned}
        if self._full is not None:
            state["full"] = np.array(self._full, dtype=np.int64)
        if self._best is not None:
            state |= {_BEST + name: array for name, array in arrays_of(self._best).items()}
            state[_BEST + "earned"] = self._best_earned
        return {**state, **self.grown.state()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` saved under the same rules. Raise StateError if it is invalid;
        the solver must then not be used."""
        counts = array_of(state, "passes", np.int64, 2)
        verify_between("passes", counts[0], 0, _MOST_PASSES)
        passes = int(counts[0])
        verify_between("passes", counts[1], 0, passes + self._schedule.passes_after(passes))
        self.passes, self._grows_after = passes, int(counts[1])
        self._earned[:] = self._restored_earned(state, "earned")
        if "full" in state:
            full = array_of(state, "full", np.int64, 2)
            verify_between("full", full, 1, np.iinfo(np.int32).max)
            self._full = int(full[0]), int(full[1])
        self._restore_best(state)
        self._tree.part.forget_groups()
        own = ("passes", "earned", "full")
        self.grown.restore(
            {
                name: array
                for name, array in state.items()
                if name not in own and not name.startswith(_BEST)
            }
        )
        self._verify_weights()

    def _restored_earned(self, state: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.float64]:
        """Return [player] what best responses earned, as saved. Raise StateError if invalid."""
        earned = array_of(state, name, np.float64, self.rules.players)
        # Twice the points at stake, to leave room for rounding.
        most = 2.0 * self.bids.most_cost
        verify_between(name, earned[~np.isnan(earned)], -most, most)
        return earned

    def _restore_best(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore the best average, if there is one. Raise StateError if it is invalid."""
        saved = {
            name.removeprefix(_BEST): array
            for name, array in state.items()
            if name.startswith(_BEST)
        }
        self._best = None
        self._best_earned[:] = np.nan
        if not saved:
            return
        if not self._keeps_best or "earned" not in saved:
            raise StateError("the saved state has no complete best average")
        self._best_earned[:] = self._restored_earned(state, _BEST + "earned")
        try:
            arrays = {name: np.array(array) for name, array in saved.items() if name != "earned"}
            best = table_of(recall_tables(self.rules, FULL), arrays)
            verify_rows(self.bids, best)
        except StrategyTableError as error:
            raise StateError("the saved best average is invalid: {error}", error=error) from error
        self._best = best

    def _verify_weights(self) -> None:
        """Raise StateError unless the averages at the root and of its children sum to the weights
        of the passes so far, within a factor of 2."""
        averaged = self._averaged
        unit = 2.0 ** _halvings(averaged) if self.grown.large else 1.0
        right = float(_all_weights(averaged)) / unit * self.root.ranges.astype(np.float64)
        tree = self.grown.tree
        sums = [(tree.dealt, right)]
        if self.alone is None:
            sums.append((self._at_root(tree.average).sum(axis=0), right[0]))
        for found, expected in sums:
            if not ((expected / 2 <= found) & (found <= 2 * expected)).all():
                raise StateError(
                    "the saved averages are not those of {number} passes", number=self.passes
                )


def is_large(rules: Rules) -> bool:
    """Return whether the tree of `rules` from the start of a round is large."""
    return bid_tables(rules).hands >= _MANY_HANDS


def _all_weights(passes: int) -> int:
    """Return the sum of the weights of the first `passes` passes."""
    assert WEIGHT_POWER == 4.0, "the sum of the fourth powers"
    return passes * (passes + 1) * (2 * passes + 1) * (3 * passes**2 + 3 * passes - 1) // 30


def _halvings(passes: int) -> int:
    """Return how often the averages of a large tree have been halved after `passes` passes: until
    the sum of the weights is below 2."""
    return max(0, _all_weights(passes).bit_length() - 1)
