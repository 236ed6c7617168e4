"""The common parts of DQN, NFSP and PPO: an OpenSpiel agent, self-play, and the state to store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.research.torch_state import (
    Layers,
    State,
    layers_of,
    load_module,
    load_optimiser,
    module_state,
    optimiser_state,
)
from zhaifei.solver.files.state import array_of, verify_between, verify_names

_MOST = 10**15
"""An upper bound of the decisions that a run can learn from."""


class Stateful(Protocol):
    """An object whose state checkpoints store besides networks and optimisers: a memory."""

    def state(self) -> State:
        """Return the arrays that a checkpoint stores."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Set the state to one that `state` returned. Raise StateError for any other state."""


class Learner(ABC):
    """An OpenSpiel agent that learns from rounds against itself.

    A subclass builds the agent and registers the parts of its state in `modules`, `optimisers` and
    `memories`, under the names by which files store them.
    """

    plays: ClassVar[str]
    """How the network plays: a member of `policies.players.network.PLAYS`."""
    counts: ClassVar[tuple[str, ...]] = ("steps", "updates")
    """The names of the attributes that a checkpoint stores as `counts`."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.steps = 0
        """The number of decisions learned from so far, in all seats."""
        self.updates = 0
        """The number of updates of the networks so far."""
        self.modules: dict[str, torch.nn.Module] = {}
        self.optimisers: dict[str, torch.optim.Optimizer] = {}
        self.memories: dict[str, Stateful] = {}

    @abstractmethod
    def advance(self, random: np.random.Generator, done: float) -> None:
        """Play some rounds and learn from them, for about a second. `done`, in [0, 1), is the
        completed share of the run. Random numbers come from `random` and from the global generators
        of torch and numpy, which OpenSpiel uses."""

    @abstractmethod
    def player(self) -> torch.nn.Module:
        """Return the network that plays."""

    def layers(self) -> Layers:
        """Return the layers of the network that plays, in the form of `policies.players.network`:
        weights [input, unit] and biases [unit], float32."""
        return layers_of(self.player())

    def state(self) -> State:
        """Return the arrays that a checkpoint stores."""
        state: State = {"counts": np.array([getattr(self, name) for name in self.counts])}
        for name, module in self.modules.items():
            state |= module_state(name, module)
        for name, optimiser in self.optimisers.items():
            state |= optimiser_state(name, optimiser)
        for name, memory in self.memories.items():
            state |= {f"{name}.{key}": array for key, array in memory.state().items()}
        return state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Set the state to one that `state` returned. Raise StateError for any other state; do not
        use the learner after that."""
        counts = array_of(state, "counts", np.int64, len(self.counts))
        verify_between("counts", counts, 0, _MOST)
        parts: dict[str, dict[str, NDArray[Any]]] = {}
        for key, array in state.items():
            if key != "counts":
                name, _, rest = key.partition(".")
                parts.setdefault(name, {})[rest] = array
        verify_names(
            {**self.optimisers, **parts}, (*self.modules, *self.optimisers, *self.memories)
        )
        for name, module in self.modules.items():
            load_module(module, parts[name])
        for name, optimiser in self.optimisers.items():
            load_optimiser(optimiser, parts.get(name, {}))
        for name, memory in self.memories.items():
            memory.restore(parts[name])
        for name, count in zip(self.counts, counts.tolist(), strict=True):
            setattr(self, name, count)

    def verify_finite(self) -> None:
        """Raise ZhaifeiError if a network has infinite or NaN weights."""
        for module in self.modules.values():
            if not all(bool(one.isfinite().all()) for one in module.parameters()):
                raise ZhaifeiError("training has diverged: a network has infinite weights or NaN")
