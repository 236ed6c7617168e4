"""The engines that solve: what a training run drives, and which one solves what.

Each wraps a solver of `solver.cfr`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any, Literal, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from game.errors import ZhaifeiError
from game.hands import hands
from game.rules import Rules
from game.tables import bid_tables
from policies.training.run import threads_of
from solver.cfr.exact import ExactSolver, is_small
from solver.cfr.mccfr import MCCFR
from solver.cfr.single_bid import RECALL, SingleBidCFR
from solver.cfr.tree_cfr import TreeCFR
from solver.header import Header
from solver.state import StateError, array_of, verify_between
from solver.tables.recall import FULL
from solver.tables.strategy_table import StrategyTable

_CHUNK_SECONDS = 0.25
"""How long an exact engine advances at a time, about."""
_SHORTEST = 4
"""An exact engine measures every 2^4 iterations, from 1,024 on every 2^5 and so on: after every
32nd to 64th part of them."""


EngineName = Literal["exact", "tree", "mccfr", "single-bid"]
MEASURING: tuple[EngineName, ...] = ("exact", "tree")
"""The engines that measure the NashConv of what they train, again and again."""


class Engine(Protocol):
    """A solver as a run drives it. Its state, rules, recall and seed determine how it goes on."""

    rules: Rules
    recall: str

    @property
    def iterations(self) -> int:
        """How many (own hand, opponent hand) pairs were traversed for each player."""

    @property
    def value(self) -> float:
        """The value of a round for the opener, in penalty points: a running estimate."""

    @property
    def nash_conv(self) -> float:
        """The NashConv of the strategy in penalty points per round, as last measured in the whole
        game; NaN if it was not. With two players it is twice the exploitability."""

    @property
    def information_sets(self) -> int:
        """How many information sets were reached: public contexts times hands."""

    @property
    def warning(self) -> ZhaifeiError | None:
        """What keeps training, as it goes on, from being all that it should be, if anything
        does."""

    def advance_towards(self, goal: int | None) -> None:
        """Do a fraction of a second of work, without a goal (None) any amount. Where a run ends,
        and when NashConv is measured, does not depend on how the work was split, so that a resumed
        run ends like one that never stopped.

        Raises OutOfMemory if there is no memory to go on, and the state can be saved; MemoryError
        if it stopped somewhere, and cannot."""

    def strategy(self) -> StrategyTable:
        """Return the average strategy."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a checkpoint stores."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Set the state to one that `state` returned. Raises StateError if it did not; the engine
        is then not to be used."""


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
        """See Engine. Measures first, so that value and exploitability are those of the average."""
        self.measure()
        return super().strategy()

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Passes are whole, so the last one may exceed the goal."""
        self.advance()


class SingleBidEngine(SingleBidCFR):
    """CFR in the game whose players remember only the last bid."""

    recall = RECALL
    nash_conv = float("nan")
    warning = None

    @property
    def iterations(self) -> int:
        """See Engine. A pass carries all pairs of hands, for each player in turn."""
        return self.passes * self.play.bids.hands**2

    @property
    def information_sets(self) -> int:
        """See Engine. All that such players have, also those reached only by switching mode."""
        return len(self.play.likely[:-1]) * self.play.bids.hands

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Passes are whole, so the last one may exceed the goal."""
        self.advance()


class ExactEngine:
    """CFR+ over the full tree of a small game. NashConv is measured after numbers of iterations
    that are multiples of ever larger powers of two, which takes a twentieth of the time at most."""

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
        """See Engine. All that the game has."""
        return self.solver.information_sets

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Chunks adapt to the speed of the machine but stop at the goal, and where
        NashConv is to be measured."""
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
        """See Engine. Measures first, so that the NashConv is that of the average."""
        self._measure()
        return self.solver.strategy()

    def _measure(self) -> None:
        # Rounding may leave what is next to nothing below zero.
        self.nash_conv = max(0.0, 2.0 * self.solver.exploitability().exploitability)

    def state(self) -> dict[str, NDArray[Any]]:
        """See Engine."""
        return {**self.solver.state(), _NASH_CONV: np.array(self.nash_conv)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See Engine. Checkpoints of earlier versions do not hold what was measured."""
        if _NASH_CONV in state:
            measured = array_of(state, _NASH_CONV, np.float64)
            if not np.isnan(measured):
                most = most_nash_conv(self.rules)
                verify_between(_NASH_CONV, measured, 0.0, most + _ROUNDING)
            self.nash_conv = float(measured)
        self.solver.restore({name: state[name] for name in state if name != _NASH_CONV})


_NASH_CONV = "nash_conv"
"""In the state of an exact engine, float64: NashConv as last measured, or NaN."""
_ROUNDING = 1e-9


def _measured_after(iterations: int) -> int:
    """Return after how many iterations, more than these, an exact engine measures next."""
    step = 1 << max(_SHORTEST, iterations.bit_length() - 6)
    return (iterations // step + 1) * step


def most_nash_conv(rules: Rules) -> float:
    """Return a NashConv that no strategy exceeds: every best response wins what is most at stake,
    and what the players earn themselves adds up to nothing."""
    return rules.players * bid_tables(rules).challenges / (rules.players - 1)


@dataclass(frozen=True)
class Setup:
    """Everything but the goal that determines a run; stored with it."""

    rules: Rules
    engine: EngineName
    recall: str
    """What information sets remember of the bids, see `solver.tables.recall`."""
    seed: int
    """The seed of engines that sample."""
    threads: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a file header."""
        return {
            "rules": self.rules.to_dict(), "engine": self.engine, "recall": self.recall,
            "seed": self.seed, "threads": self.threads,
        }  # fmt: skip

    @classmethod
    def from_header(cls, header: Header) -> Setup:
        """Return the setup that `to_dict` described. Raises HeaderError or RulesError."""
        return cls(
            header.rules(), cast(EngineName, header.choice("engine", get_args(EngineName))),
            header.text("recall"), header.whole("seed"), threads_of(header),
        )  # fmt: skip

    def restored(self, state: Mapping[str, NDArray[Any]]) -> Engine:
        """Return an engine in a `state` that one of this setup returned. Raises StateError if none
        did, and ZhaifeiError as `build` does."""
        rules, regret = self.rules, state.get("regret")
        # What `build` allocates depends on the number of hands: a small file must not ask for more.
        hands = sum(comb(dice + rules.faces - 1, dice) for dice in set(rules.dice_by_player))
        if regret is None or regret.shape[-1:] != (hands,):
            raise StateError("the saved regrets are not for {hands} hands", hands=hands)
        engine = self.build()
        engine.restore(state)
        return engine

    def build(self) -> Engine:
        """Return a new engine. Raises ZhaifeiError if it cannot solve the rules with the recall."""
        if self.engine == "exact":
            return ExactEngine(self.rules)
        if self.engine == "tree":
            return TreeEngine(self.rules, threads=self.threads)
        if self.engine == "single-bid":
            return SingleBidEngine(self.rules)
        return SampledEngine(self.rules, self.recall, seed=self.seed, threads=self.threads)


def choose_engine(rules: Rules, recall: str | None) -> EngineName:
    """Return the engine that solves `rules`; `recall` is the one that the user named, if any.

    Players have perfect recall unless a recall is named: `exact` with two players where the whole
    tree fits into memory, otherwise `tree`. With a recall the game is sampled: `mccfr`.
    """
    if recall is not None:
        return "mccfr"
    return "exact" if rules.players == 2 and is_small(rules) else "tree"
