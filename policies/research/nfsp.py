"""OpenSpiel's NFSP, trained by self-play.

OpenSpiel's `nfsp.NFSP` provides the network of the average strategy, its loss and its update
(`_learn`), and contains a `dqn.DQN`. We replace three things:

- the networks' input (see `policies.research.self_play.observations`);
- the buffers (see `policies.research.buffers`);
- the schedule. `NFSP.step` takes one decision at a time, for one player. Here thousands of rounds
  are played in lockstep by one agent in all seats. Each seat of each round is drawn to play either
  the best response or the average.

Where the best response explores, the average learns the action that it would have taken without
exploring; OpenSpiel's average learns the uniform distribution over legal actions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from open_spiel.python.pytorch import nfsp
from torch import nn

from zhaifei.game.bids import action_count
from zhaifei.game.rules import Rules
from zhaifei.policies.players.encoding import Floats, Ints
from zhaifei.policies.players.network import inputs_of
from zhaifei.policies.research.buffers import Replay, Reservoir, packed
from zhaifei.policies.research.dqn import (
    best_actions,
    explored,
    update_values,
    updates_due,
)
from zhaifei.policies.research.learner import Learner
from zhaifei.policies.research.openspiel_agents import (
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
from zhaifei.policies.research.self_play import Situations, play


@dataclass(frozen=True)
class NFSPSettings:
    """The settings of a run besides its seed and its length."""

    hidden: tuple[int, ...] = (256, 256)
    rounds: int = 2048
    """Rounds played between updates."""
    anticipatory: float = 0.2
    """The probability that a seat plays the best response for a round."""
    capacity: int = 300_000
    """The number of decisions in the replay buffer."""
    reservoir: int = 2_000_000
    """The number of decisions of best responses in the reservoir."""
    batch: int = 2048
    learn_every: int = 2048
    """Decisions per update of each network."""
    target_every: int = 100
    """Updates of the value network per update of its target network."""
    rl_rate: float = 1e-3
    """The learning rate of the value network at first; falls linearly to a fifth."""
    sl_rate: float = 1e-3
    """The learning rate of the average strategy at first; falls linearly to 0."""
    epsilon: float = 0.1
    """The probability that a best response explores at first; falls linearly to 0."""


_HIDDEN_OF_SEVERAL = (128, 128)
"""The hidden layers of networks of three players or more, whose files stay below a third of a
megabyte up to six players."""


def default_settings(rules: Rules) -> NFSPSettings:
    """Return the settings of a run for `rules`."""
    return NFSPSettings() if rules.players == 2 else NFSPSettings(hidden=_HIDDEN_OF_SEVERAL)


class NFSPLearner(Learner):
    """An NFSP agent that plays its average strategy."""

    plays = "sampled"

    def __init__(self, rules: Rules, seed: int, settings: NFSPSettings) -> None:
        super().__init__(rules)
        self.settings = settings
        self.agent = nfsp.NFSP(
            None,
            inputs_of(rules),
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
        self.modules = {
            "network": average_network(self.agent),
            "values": value_network(self.values),
            "target": target_network(self.values),
        }
        self.optimisers = {
            "optimiser": optimiser(self.agent),
            "values_optimiser": optimiser(self.values),
        }
        self.memories = {"memory": self.memory, "reservoir": self.reservoir}

    def advance(self, random: np.random.Generator, done: float) -> None:
        """See Learner."""
        rules, settings = self.rules, self.settings
        responds = random.random((settings.rounds, rules.players)) < settings.anticipatory
        noted: list[tuple[NDArray[np.bool_], Ints]] = []

        def decide(now: Situations) -> Ints:
            observed, legal = now.observed(rules), now.legal(rules)
            action = np.zeros(now.hand.size, dtype=np.int64)
            response = responds[now.round, now.seat]
            action[response] = best_actions(
                value_network(self.values), observed[response], legal[response]
            )
            noted.append((response, action.copy()))
            epsilon = settings.epsilon * (1.0 - done)
            action[response] = explored(action[response], legal[response], epsilon, random)
            action[~response] = self._average(observed[~response], legal[~response], random)
            return action

        played = play(rules, settings.rounds, decide, random)
        response, best = (np.concatenate(parts)[played.taken] for parts in zip(*noted, strict=True))
        self.memory.random = self.reservoir.random = random
        self.memory.add(packed(self.memory, played))
        self.reservoir.add(packed(self.reservoir, played._replace(action=best))[response])
        self._learn(played.action.size, done)

    def _average(
        self, observed: Floats, legal: NDArray[np.bool_], random: np.random.Generator
    ) -> Ints:
        """Return [decision], actions drawn from the average strategy; `observed` is [decision,
        input], `legal` is [decision, action]."""
        with torch.no_grad():
            logits = average_network(self.agent)(torch.from_numpy(observed)).numpy()
        # The argmax of logits with Gumbel noise is distributed as their softmax.
        noise = random.gumbel(size=logits.shape)
        action: Ints = np.where(legal, logits + noise, -np.inf).argmax(axis=1)
        return action

    def _learn(self, decisions: int, done: float) -> None:
        settings = self.settings
        due = updates_due(self.steps, decisions, settings.learn_every)
        optimiser(self.agent).param_groups[0]["lr"] = settings.sl_rate * (1.0 - done)
        rate = settings.rl_rate * (1.0 - 0.8 * done)
        update_values(self.values, rate, self.updates, due, settings.target_every)
        for _ in range(due):
            update_average(self.agent)
        self.steps += decisions
        self.updates += due

    def player(self) -> nn.Module:
        """See Learner."""
        return average_network(self.agent)
