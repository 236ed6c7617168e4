"""DQN from OpenSpiel, taught by rounds against itself.

OpenSpiel's `dqn.DQN` has the networks (multilayer perceptrons), the loss, the optimiser, the update
step (`learn`) and that of the target network. Ours are what the networks read of the information
state tensor, see `policies.players.features`; the memory, see `policies.training.buffers`; and when
things are done: `DQN.step` plays, remembers and learns one decision at a time, for one player; here
rounds are played in step, one network plays both seats, all decisions are remembered at once, and
as many updates follow as are due.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from open_spiel.python.pytorch import dqn

from game.bids import action_count
from game.rules import Rules
from policies.players.encoding import Bits, Ints
from policies.players.features import sizes
from policies.training.buffers import Replay, packed
from policies.training.openspiel_agents import (
    optimiser,
    read_features,
    remember_in,
    target_network,
    update_target,
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
class DQNSettings:
    """What the run depends on beside the seed and its length."""

    hidden: tuple[int, ...] = (256, 256)
    rounds: int = 2048
    """Played between updates."""
    capacity: int = 500_000
    batch: int = 2048
    learn_every: int = 1024
    """Decisions to an update."""
    target_every: int = 50
    """Updates of the network to one of the target network."""
    learning_rate: float = 1e-3
    """At first; falls to 0."""
    epsilon: float = 0.5
    """At first; falls to `epsilon_end` in a straight line."""
    epsilon_end: float = 0.02


def best_actions(network: torch.nn.Module, tensors: NDArray[np.float32], legal: Bits) -> Ints:
    """[decision] the legal action of most value."""
    with torch.no_grad():
        values = network(torch.from_numpy(tensors)).numpy()
    action: Ints = np.where(legal, values, -np.inf).argmax(axis=1)
    return action


def explored(action: Ints, legal: Bits, epsilon: float, random: np.random.Generator) -> Ints:
    """[decision] `action`, or with chance `epsilon` any legal one, each as likely."""
    explores = np.flatnonzero(random.random(action.size) < epsilon)
    result = action.copy()
    upto = legal[explores].cumsum(axis=1)
    drawn = random.integers(upto[:, -1])
    result[explores] = (upto <= drawn[:, np.newaxis]).sum(axis=1)
    return result


def updates_due(steps: int, decisions: int, every: int) -> int:
    """How many updates so many new decisions are worth, after `steps` old ones."""
    return (steps + decisions) // every - steps // every


def learn(agent: dqn.DQN, before: int, updates: int, target_every: int) -> None:
    """So many updates of the network, after those `before`, and those of its target among them."""
    for update in range(before + 1, before + updates + 1):
        agent.learn()
        if update % target_every == 0:
            update_target(agent)


class DQNLearner:
    """See Learner."""

    plays = "greedy"

    def __init__(self, rules: Rules, seed: int, settings: DQNSettings) -> None:
        self.rules, self.settings = rules, settings
        self.steps, self.updates = 0, 0
        self.agent = dqn.DQN(
            None,
            sum(sizes(rules)),
            action_count(rules),
            hidden_layers_sizes=settings.hidden,
            batch_size=settings.batch,
            learning_rate=settings.learning_rate,
            min_buffer_size_to_learn=settings.batch,
            optimizer_str="adam",
            seed=seed,
        )
        read_features(self.agent, rules)
        self.memory = Replay(rules, settings.capacity)
        remember_in(self.agent, self.memory)
        self._epsilon = dqn.linear_schedule(settings.epsilon, settings.epsilon_end, 1)

    def advance(self, random: np.random.Generator, done: float) -> None:
        """See Learner."""
        rules, epsilon = self.rules, self._epsilon(done)

        def decide(now: Situations) -> Ints:
            tensors, legal = now.seen(rules), now.legal(rules)
            best = best_actions(value_network(self.agent), tensors, legal)
            return explored(best, legal, epsilon, random)

        played = play(rules, self.settings.rounds, decide, random)
        self.memory.random = random
        self.memory.add(packed(self.memory, played))
        due = updates_due(self.steps, played.action.size, self.settings.learn_every)
        optimiser(self.agent).param_groups[0]["lr"] = self.settings.learning_rate * (1.0 - done)
        learn(self.agent, self.updates, due, self.settings.target_every)
        self.steps += played.action.size
        self.updates += due

    def layers(self) -> Layers:
        """See Learner."""
        return layers_of(value_network(self.agent))

    def state(self) -> dict[str, NDArray[Any]]:
        """See Learner."""
        return {
            "counts": np.array([self.steps, self.updates]),
            **module_state("network", value_network(self.agent)),
            **module_state("target", target_network(self.agent)),
            **optimiser_state("optimiser", optimiser(self.agent)),
            **{f"memory.{name}": array for name, array in self.memory.state().items()},
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See Learner."""
        self.steps, self.updates = state["counts"].tolist()
        load_module(value_network(self.agent), "network", state)
        load_module(target_network(self.agent), "target", state)
        load_optimiser(optimiser(self.agent), "optimiser", state)
        self.memory.restore({name: state[f"memory.{name}"] for name in ("added", "records")})
