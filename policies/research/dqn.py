"""OpenSpiel's DQN, trained by self-play.

OpenSpiel's `dqn.DQN` provides the networks (multilayer perceptrons), the loss, the optimiser, the
update step (`learn`) and the update of the target network. We replace three things:

- the networks' input (see `policies.research.self_play.observations`);
- the replay buffer (see `policies.research.buffers`);
- the schedule. `DQN.step` plays, stores and learns one decision at a time, for one player. Here
  thousands of rounds are played in lockstep by one network in all seats. All their decisions are
  stored at once, and then all updates that are due follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from open_spiel.python.pytorch import dqn

from zhaifei.game.bids import action_count
from zhaifei.game.rules import Rules
from zhaifei.policies.players.encoding import Bits, Floats, Ints
from zhaifei.policies.players.network import inputs_of
from zhaifei.policies.research.buffers import Replay, packed
from zhaifei.policies.research.learner import Learner
from zhaifei.policies.research.openspiel_agents import (
    optimiser,
    read_features,
    remember_in,
    target_network,
    update_target,
    value_network,
)
from zhaifei.policies.research.self_play import Situations, play


@dataclass(frozen=True)
class DQNSettings:
    """The settings of a run besides its seed and its length."""

    hidden: tuple[int, ...] = (256, 256)
    rounds: int = 2048
    """Rounds played between updates."""
    capacity: int = 500_000
    batch: int = 2048
    learn_every: int = 1024
    """Decisions per update."""
    target_every: int = 50
    """Updates of the network per update of the target network."""
    learning_rate: float = 1e-3
    """The learning rate at first; falls linearly to 0."""
    epsilon: float = 0.5
    """The probability that a decision explores at first; falls linearly to `epsilon_end`."""
    epsilon_end: float = 0.02


def best_actions(network: torch.nn.Module, observed: Floats, legal: Bits) -> Ints:
    """Return [decision] the legal action with the highest value.

    `observed` is [decision, input]; `legal` is [decision, action].
    """
    with torch.no_grad():
        values = network(torch.from_numpy(observed)).numpy()
    action: Ints = np.where(legal, values, -np.inf).argmax(axis=1)
    return action


def explored(action: Ints, legal: Bits, epsilon: float, random: np.random.Generator) -> Ints:
    """Return `action` [decision], replaced with probability `epsilon` by an action drawn uniformly
    from the actions that are `legal` [decision, action]."""
    explores = np.flatnonzero(random.random(action.size) < epsilon)
    result = action.copy()
    upto = legal[explores].cumsum(axis=1)
    drawn = random.integers(upto[:, -1])
    result[explores] = (upto <= drawn[:, np.newaxis]).sum(axis=1)
    return result


def updates_due(steps: int, decisions: int, every: int) -> int:
    """Return how many updates are due for `decisions` new decisions after `steps` earlier ones."""
    return (steps + decisions) // every - steps // every


def update_values(
    agent: dqn.DQN, rate: float, before: int, updates: int, target_every: int
) -> None:
    """Update the network `updates` times at the learning rate `rate`, after `before` earlier
    updates. Update its target network at every update whose number `target_every` divides."""
    optimiser(agent).param_groups[0]["lr"] = rate
    for update in range(before + 1, before + updates + 1):
        agent.learn()
        if update % target_every == 0:
            update_target(agent)


class DQNLearner(Learner):
    """A DQN agent that plays the action with the highest value."""

    plays = "greedy"

    def __init__(self, rules: Rules, seed: int, settings: DQNSettings) -> None:
        super().__init__(rules)
        self.settings = settings
        self.agent = dqn.DQN(
            None,
            inputs_of(rules),
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
        self.modules = {
            "network": value_network(self.agent),
            "target": target_network(self.agent),
        }
        self.optimisers = {"optimiser": optimiser(self.agent)}
        self.memories = {"memory": self.memory}
        self._epsilon = dqn.linear_schedule(settings.epsilon, settings.epsilon_end, 1)

    def advance(self, random: np.random.Generator, done: float) -> None:
        """See Learner."""
        rules, epsilon = self.rules, self._epsilon(done)

        def decide(now: Situations) -> Ints:
            legal = now.legal(rules)
            best = best_actions(value_network(self.agent), now.observed(rules), legal)
            return explored(best, legal, epsilon, random)

        played = play(rules, self.settings.rounds, decide, random)
        self.memory.random = random
        self.memory.add(packed(self.memory, played))
        due = updates_due(self.steps, played.action.size, self.settings.learn_every)
        rate = self.settings.learning_rate * (1.0 - done)
        update_values(self.agent, rate, self.updates, due, self.settings.target_every)
        self.steps += played.action.size
        self.updates += due

    def player(self) -> torch.nn.Module:
        """See Learner."""
        return value_network(self.agent)
