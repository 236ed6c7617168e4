"""NFSP from OpenSpiel, taught by rounds against itself.

OpenSpiel's `nfsp.NFSP` has the network of the average strategy, its loss and its update,
and within it a `dqn.DQN`. Ours are what the networks read, see `policies.players.features`; the
memories, see `policies.training.buffers`; and when things are done: `NFSP.step` takes one decision
at a time, for one player; here rounds are played in step, one agent plays both seats, and for each
seat of each round it is drawn whether it plays the best response or the average. Where the best
response explores, the average learns what it would have done; OpenSpiel's learns all legal actions,
each as likely.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from open_spiel.python.pytorch import nfsp

from game.bids import action_count
from game.rules import Rules
from policies.players.encoding import Ints
from policies.players.features import sizes
from policies.training.buffers import Replay, Reservoir, packed
from policies.training.dqn import best_actions, explored, learn, updates_due
from policies.training.openspiel_agents import (
    average_network,
    optimiser,
    read_average_features,
    read_features,
    remember_average_in,
    remember_in,
    target_network,
    update_average,
    value_agent,
    value_network,
)
from policies.training.self_play import Situations, play
from policies.training.torch_state import (
    Layers,
    layers_of,
    load_module,
    load_optimiser,
    module_state,
    optimiser_state,
)


@dataclass(frozen=True)
class NFSPSettings:
    """What the run depends on beside the seed and its length."""

    hidden: tuple[int, ...] = (256, 256)
    rounds: int = 2048
    """Played between updates."""
    anticipatory: float = 0.2
    """How often a seat plays the best response."""
    capacity: int = 300_000
    """Of the memory of decisions."""
    reservoir: int = 2_000_000
    """Of the memory of best responses."""
    batch: int = 2048
    learn_every: int = 2048
    """Decisions to an update of each network."""
    target_every: int = 100
    """Updates of the network of values to one of its target."""
    rl_rate: float = 1e-3
    sl_rate: float = 1e-3
    """At first; falls to 0. So does, to a fifth, `rl_rate`."""
    epsilon: float = 0.1
    """At first; falls to 0 in a straight line."""


class NFSPLearner:
    """See Learner."""

    plays = "sampled"

    def __init__(self, rules: Rules, seed: int, settings: NFSPSettings) -> None:
        self.rules, self.settings = rules, settings
        self.steps, self.updates = 0, 0
        self.agent = nfsp.NFSP(
            None,
            sum(sizes(rules)),
            action_count(rules),
            settings.hidden,
            settings.reservoir,
            settings.anticipatory,
            batch_size=settings.batch,
            rl_learning_rate=settings.rl_rate,
            sl_learning_rate=settings.sl_rate,
            min_buffer_size_to_learn=settings.batch,
            optimizer_str="adam",
            seed=seed,
        )
        read_average_features(self.agent, rules)
        self.values = value_agent(self.agent)
        read_features(self.values, rules)
        self.memory = Replay(rules, settings.capacity)
        self.reservoir = Reservoir(rules, settings.reservoir)
        remember_in(self.values, self.memory)
        remember_average_in(self.agent, self.reservoir)

    def advance(self, random: np.random.Generator, done: float) -> None:
        """See Learner."""
        rules, settings = self.rules, self.settings
        responds = random.random((settings.rounds, 2)) < settings.anticipatory
        noted: list[tuple[NDArray[np.bool_], Ints]] = []

        def decide(now: Situations) -> Ints:
            tensors, legal = now.seen(rules), now.legal(rules)
            action = np.zeros(now.hand.size, dtype=np.int64)
            response = responds[now.round, now.seat]
            action[response] = best_actions(
                value_network(self.values), tensors[response], legal[response]
            )
            noted.append((response, action.copy()))
            epsilon = settings.epsilon * (1.0 - done)
            action[response] = explored(action[response], legal[response], epsilon, random)
            action[~response] = self._average(tensors[~response], legal[~response], random)
            return action

        played = play(rules, settings.rounds, decide, random)
        response, best = (np.concatenate(parts)[played.taken] for parts in zip(*noted, strict=True))
        self.memory.random = self.reservoir.random = random
        self.memory.add(packed(self.memory, played))
        self.reservoir.add(packed(self.reservoir, played._replace(action=best))[response])
        self._learn(played.action.size, done)

    def _average(
        self, tensors: NDArray[np.float32], legal: NDArray[np.bool_], random: np.random.Generator
    ) -> Ints:
        """[decision] actions drawn from the average strategy."""
        with torch.no_grad():
            logits = average_network(self.agent)(torch.from_numpy(tensors)).numpy()
        # The largest of logits with Gumbel noise is distributed as their softmax.
        noise = random.gumbel(size=logits.shape)
        action: Ints = np.where(legal, logits + noise, -np.inf).argmax(axis=1)
        return action

    def _learn(self, decisions: int, done: float) -> None:
        settings = self.settings
        due = updates_due(self.steps, decisions, settings.learn_every)
        optimiser(self.values).param_groups[0]["lr"] = settings.rl_rate * (1.0 - 0.8 * done)
        optimiser(self.agent).param_groups[0]["lr"] = settings.sl_rate * (1.0 - done)
        learn(self.values, self.updates, due, settings.target_every)
        for _ in range(due):
            update_average(self.agent)
        self.steps += decisions
        self.updates += due

    def layers(self) -> Layers:
        """See Learner."""
        return layers_of(average_network(self.agent))

    def state(self) -> dict[str, NDArray[Any]]:
        """See Learner."""
        return {
            "counts": np.array([self.steps, self.updates]),
            **module_state("network", average_network(self.agent)),
            **module_state("values", value_network(self.values)),
            **module_state("target", target_network(self.values)),
            **optimiser_state("optimiser", optimiser(self.agent)),
            **optimiser_state("values_optimiser", optimiser(self.values)),
            **{f"memory.{name}": array for name, array in self.memory.state().items()},
            **{f"reservoir.{name}": array for name, array in self.reservoir.state().items()},
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See Learner."""
        self.steps, self.updates = state["counts"].tolist()
        load_module(average_network(self.agent), "network", state)
        load_module(value_network(self.values), "values", state)
        load_module(target_network(self.values), "target", state)
        load_optimiser(optimiser(self.agent), "optimiser", state)
        load_optimiser(optimiser(self.values), "values_optimiser", state)
        self.memory.restore({name: state[f"memory.{name}"] for name in ("added", "records")})
        self.reservoir.restore({name: state[f"reservoir.{name}"] for name in ("added", "records")})
