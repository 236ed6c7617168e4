"""The engines that a training run drives, each a wrapper of a solver in `solver.cfr`, and the
choice among them. `policies.research.single_bid_engine` adds one more."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, number_of_hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.training.limits import MOST_THREADS
from zhaifei.solver.abstraction import WHOLE, Abstraction
from zhaifei.solver.cfr.each_alone import EachAlone, each_alone, is_of_each_alone
from zhaifei.solver.cfr.exact import ExactSolver, is_small
from zhaifei.solver.cfr.low_bids import EachSparing, low_bids, solver_of
from zhaifei.solver.cfr.mccfr import MCCFR
from zhaifei.solver.cfr.tree_cfr import TreeCFR, is_large
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.state import StateError, array_of, verify_between
from zhaifei.solver.machine.memory import OutOfMemory
from zhaifei.solver.tables.recall import FULL
from zhaifei.solver.tables.strategy_table import StrategyTable

_CHUNK_SECONDS = 0.25
"""Seconds for which an exact engine advances at a time, roughly."""
_SHORTEST = 4
"""An exact engine measures every 2^4 iterations at first, from 1,024 on every 2^5, and so on. The
interval is thus a 32nd to a 64th of the iterations so far."""
_LOWERED, _LOWERED_WITH_DOUBLES, _LOWERED_OF_LOW = 3.0, 3.8, 4.5
"""See `StagedEngine.lowered_alone`. The last is for rounds that may open low. Figures are in
benchmarks/tried.md."""


EngineName = Literal["exact", "tree", "mccfr", "single-bid"]
MEASURING: tuple[EngineName, ...] = ("exact", "tree")
"""The engines that repeatedly measure the NashConv of the strategy in training."""


class Engine(Protocol):
    """A solver as a run drives it. Its state, rules, recall and seed determine how it continues."""

    rules: Rules
    recall: str

    @property
    def iterations(self) -> int:
        """The number of (own hand, opponent hand) pairs traversed for each player."""

    @property
    def value(self) -> float:
        """The value of a round for the opener, in penalty points: a running estimate."""

    @property
    def nash_conv(self) -> float:
        """The NashConv of the strategy in penalty points per round, as last measured in the whole
        game; NaN if it has not been measured. With two players it is twice the exploitability."""

    @property
    def information_sets(self) -> int:
        """The number of information sets reached: public contexts times hands."""

    @property
    def warning(self) -> ZhaifeiError | None:
        """A non-fatal warning about the training, or None."""

    def advance_towards(self, goal: int | None) -> None:
        """Work for a fraction of a second, and with a `goal` not much beyond it. Where a run ends,
        and when NashConv is measured, does not depend on how the work was split. So a resumed run
        ends like a run that never stopped.

        Raise OutOfMemory if memory is full but the state can be saved, and MemoryError if the
        engine stopped halfway and it cannot.
        """

    def strategy(self) -> StrategyTable:
        """Return the average strategy."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a checkpoint stores."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Set the state to one that `state` returned. Raise StateError for any other state; do not
        use the engine after that."""


class SampledEngine(MCCFR):
    """MCCFR on information sets with limited recall."""

    nash_conv = float("nan")
    warning = None

    @property
    def information_sets(self) -> int:
        """See Engine."""
        return len(self.info_sets) * self.bids.hands

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Batches are whole, so the last one may exceed the goal."""
        self.advance()


class TreeEngine(TreeCFR):
    """CFR on a growing tree of public histories."""

    recall = FULL

    @property
    def iterations(self) -> int:
        """See Engine. A pass carries all hands of all players: it counts as hands² pairs."""
        return self.passes * self.bids.hands**2

    @property
    def information_sets(self) -> int:
        """See Engine."""
        return self.decisions * self.bids.hands

    def strategy(self) -> StrategyTable:
        """See Engine. Measures first, so that value and exploitability describe the average
        strategy."""
        self.measure()
        return super().strategy()

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Passes are whole, so the last one may exceed the goal."""
        self.advance()


class StagedEngine:
    """CFR on growing trees in two stages. A run decides when the second stage begins.

    First both players are solved on one tree or, if rounds may open low, each on a tree without
    their own low bids (`solver.cfr.low_bids`). Then each is solved alone (`solver.cfr.each_alone`).
    """

    recall = FULL

    def __init__(self, rules: Rules, *, threads: int | None = 1) -> None:
        self.rules, self._threads = rules, threads
        self._solver: TreeCFR | EachSparing | EachAlone = (
            EachSparing(rules, threads) if low_bids(rules) else TreeCFR(rules, threads=threads)
        )
        self._without: ZhaifeiError | None = None
        """Why there is no second stage, or None."""

    @property
    def may_go_on_alone(self) -> bool:
        """Whether the second stage can begin: it has not, and there was no lack of memory."""
        return not isinstance(self._solver, EachAlone) and self._without is None

    @property
    def lowered_alone(self) -> float:
        """The factor by which the second stage lowers exploitability at least, given enough passes.
        More is won where trees of both are far too large."""
        if low_bids(self.rules):
            return _LOWERED_OF_LOW
        return _LOWERED_WITH_DOUBLES if self.rules.stakes.doubled else _LOWERED

    def go_on_alone(self) -> None:
        """Begin the second stage, if memory allows it."""
        assert not isinstance(self._solver, EachAlone)
        try:
            self._solver = each_alone(self._solver)
        except (OutOfMemory, MemoryError):
            self._without = ZhaifeiError(
                "memory is too small to solve each player alone; training goes on with both players"
            )

    @property
    def outlook(self) -> float:
        """What the second stage will hardly bring NashConv below; NaN before it is known."""
        return self._solver.outlook if isinstance(self._solver, EachAlone) else math.nan

    @property
    def passes(self) -> int:
        """The number of passes so far."""
        return self._solver.passes

    @property
    def iterations(self) -> int:
        """See Engine. A pass carries all hands of both players: it counts as hands² pairs."""
        return self.passes * bid_tables(self.rules).hands ** 2

    @property
    def value(self) -> float:
        """See Engine."""
        return self._solver.value

    @property
    def nash_conv(self) -> float:
        """See Engine."""
        return self._solver.nash_conv

    @property
    def information_sets(self) -> int:
        """See Engine. Where each player has a tree, in both together."""
        return self._solver.decisions * bid_tables(self.rules).hands

    @property
    def warning(self) -> ZhaifeiError | None:
        """See Engine."""
        return self._solver.warning or self._without

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Passes are whole, so the last one may exceed the goal."""
        self._solver.advance()

    def measure(self) -> None:
        """Measure the average strategy in the whole game."""
        self._solver.measure()

    def strategy(self) -> StrategyTable:
        """See Engine. Measures first, so that value and exploitability describe the average
        strategy."""
        self.measure()
        return self._solver.strategy()

    def compact_average(self, least_played: float, player: int | None = None) -> StrategyTable:
        """Return the average strategy of both players, as TreeCFR does."""
        assert player is None, "both players are solved"
        return self._solver.compact_average(least_played)

    def state(self) -> dict[str, NDArray[Any]]:
        """See Engine."""
        return self._solver.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See Engine."""
        if is_of_each_alone(state):
            alone = [
                solver_of(self.rules, player, self._threads, is_alone=True) for player in range(2)
            ]
            self._solver = EachAlone(alone, 0.0)
        self._solver.restore(state)


class ExactEngine:
    """CFR+ over the full tree of a small game. It measures NashConv after numbers of iterations
    that are multiples of growing powers of two, which takes at most a twentieth of the time."""

    recall = FULL
    warning = None

    def __init__(self, rules: Rules) -> None:
        self.solver = ExactSolver(rules)
        self.rules = rules
        self.nash_conv = math.nan
        """See Engine."""
        self._pairs = len(hands(rules)) ** 2
        self._chunk = 1

    @property
    def iterations(self) -> int:
        """See Engine. An iteration carries all hands of both players: it counts as hands² pairs."""
        return self.solver.iterations * self._pairs

    @property
    def value(self) -> float:
        """See Engine."""
        return self.solver.value()

    @property
    def information_sets(self) -> int:
        """See Engine. Counts all information sets of the game."""
        return self.solver.information_sets

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Chunks adapt to the speed of the machine, but stop at the goal and where
        NashConv must be measured."""
        began = time.perf_counter()
        measured = _measured_after(self.solver.iterations)
        missing = measured - self.solver.iterations
        if goal is not None:
            missing = min(missing, -(-(goal - self.iterations) // self._pairs))
        self.solver.run(min(self._chunk, missing))
        if self.solver.iterations == measured:
            self._measure()
        if time.perf_counter() - began < _CHUNK_SECONDS:
            self._chunk = min(2 * self._chunk, 4096)

    def strategy(self) -> StrategyTable:
        """See Engine. Measures first, so that the NashConv describes the average strategy."""
        self._measure()
        return self.solver.strategy()

    def _measure(self) -> None:
        # Rounding may turn a tiny exploitability negative.
        self.nash_conv = max(0.0, 2.0 * self.solver.exploitability().exploitability)

    def state(self) -> dict[str, NDArray[Any]]:
        """See Engine."""
        return {**self.solver.state(), _NASH_CONV: np.array(self.nash_conv)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See Engine."""
        measured = array_of(state, _NASH_CONV, np.float64)
        if not np.isnan(measured):
            verify_between(_NASH_CONV, measured, 0.0, most_nash_conv(self.rules) + _ROUNDING)
        self.nash_conv = float(measured)
        self.solver.restore({name: state[name] for name in state if name != _NASH_CONV})


_NASH_CONV = "nash_conv"
"""The name of an array in the state of an exact engine, float64: NashConv as last measured, or
NaN."""
_ROUNDING = 1e-9


def _measured_after(iterations: int) -> int:
    """Return the number of iterations, larger than `iterations`, after which an exact engine
    measures next."""
    step = 1 << max(_SHORTEST, iterations.bit_length() - 6)
    return (iterations // step + 1) * step


def most_nash_conv(rules: Rules) -> float:
    """Return an upper bound of the NashConv of any strategy: every best response wins the highest
    stake, and the players' own values sum to zero."""
    return rules.players * bid_tables(rules).most_cost / (rules.players - 1)


@dataclass(frozen=True)
class Setup:
    """Everything but the goal that determines a run; files of the run store it."""

    rules: Rules
    engine: EngineName
    recall: str
    """What information sets remember of the bids, see `solver.tables.recall`."""
    seed: int
    """The seed of engines that sample."""
    threads: int
    abstraction: Abstraction = WHOLE
    """The abstraction that is solved. Headers do not store it: only the legs of a match have one,
    and the rules of the match determine it."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a file header."""
        return {
            "rules": self.rules.to_dict(),
            "engine": self.engine,
            "recall": self.recall,
            "seed": self.seed,
            "threads": self.threads,
        }

    @classmethod
    def from_header(cls, header: Header) -> Setup:
        """Return the setup that `to_dict` described. Raise HeaderError or RulesError."""
        return cls(
            header.rules(),
            cast(EngineName, header.choice("engine", get_args(EngineName))),
            header.text("recall"),
            header.whole("seed"),
            header.whole("threads", least=1, most=MOST_THREADS),
        )

    def restored(self, state: Mapping[str, NDArray[Any]]) -> Engine:
        """Return an engine in a `state` that an engine of this setup returned. Raise StateError for
        any other state, and ZhaifeiError as `build` does."""
        rules = self.rules
        names = [name for name in ("dealt", "opener/dealt", "regret") if name in state]
        by_hand = state[names[0]] if names else None
        # What `build` allocates depends on the number of hands: a small file must not make it
        # allocate more.
        hands = number_of_hands(rules)
        if by_hand is None or by_hand.shape[-1:] != (hands,):
            raise StateError("the saved regrets are not for {hands} hands", hands=hands)
        engine = self.build()
        engine.restore(state)
        return engine

    def build(self) -> Engine:
        """Return a new engine. Raise ZhaifeiError if it cannot solve the rules with the recall, or
        if the module that adds the engine has not been imported."""
        if self.engine not in ENGINES:
            raise ZhaifeiError(
                "the engine {engine} is not loaded: import {module}",
                engine=self.engine,
                module="zhaifei.policies.research.single_bid_engine",
            )
        return ENGINES[self.engine](self)


def _tree_engine(setup: Setup) -> TreeEngine | StagedEngine:
    """Return the engine that solves `setup` on a growing tree: in stages if the tree is large and
    both of two players are solved."""
    rules, abstraction = setup.rules, setup.abstraction
    if rules.players == 2 and is_large(rules) and abstraction == WHOLE:
        return StagedEngine(rules, threads=setup.threads)
    return TreeEngine(rules, threads=setup.threads, abstraction=abstraction)


ENGINES: dict[EngineName, Callable[[Setup], Engine]] = {
    "exact": lambda setup: ExactEngine(setup.rules),
    "tree": _tree_engine,
    "mccfr": lambda setup: SampledEngine(
        setup.rules, setup.recall, seed=setup.seed, threads=setup.threads
    ),
}
"""The function that builds each engine. `policies.research` adds its own."""


def choose_engine(rules: Rules, recall: str | None) -> EngineName:
    """Return the engine that solves `rules`; `recall` is the user's choice, or None.

    Without a recall, players have perfect recall: the engine is `exact` with two players if the
    whole tree fits into memory, otherwise `tree`. With a recall the game is sampled: `mccfr`.
    """
    if recall is not None:
        return "mccfr"
    return "exact" if rules.players == 2 and is_small(rules) else "tree"
