"""PPO from OpenSpiel, taught by rounds against itself.

OpenSpiel's `ppo.PPO` is used as it is: its buffers, its generalised advantage estimates, its loss
and its updates (`learn`). Ours are how its buffers are filled, the network, and what changes as
training goes on:

- `PPO.step` and `post_step` record one decision of each environment at a time, of one player. Here
  whole rounds are played in step, by the network in both seats; the decisions of one seat in one
  round follow each other, and the sequence of all of them, laid in columns, is what `learn` reads.
  Where a column ends within a round, the next one begins with the decision that follows, so that
  what `learn` adds there, the value of the next situation, is the right one.
- The network has two hidden layers and reads the same tensor, but computes of it first what it
  would have to learn, see `policies.players.features`.
- The learning rate and the entropy coefficient fall along the run: with high entropy first and
  little at the end, self-play by policy gradients comes close to an equilibrium (Rudolph et al.
  2025, arXiv:2502.08938). Nothing is discounted, as rounds are short.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from open_spiel.python.pytorch import ppo
from open_spiel.python.rl_environment import TimeStep
from torch import Tensor, nn

from game.bids import action_count
from game.rules import Rules
from policies.players.encoding import tensor_size
from policies.players.features import sizes
from policies.training.self_play import Decisions, Situations, legal_actions, play
from policies.training.torch_features import Features
from policies.training.torch_state import (
    Layers,
    layers_of,
    load_module,
    load_optimiser,
    module_state,
    optimiser_state,
)


@dataclass(frozen=True)
class PPOSettings:
    """What the run depends on beside the seed and its length."""

    actor: int = 256
    """Units of each hidden layer."""
    critic: int = 128
    rounds: int = 4096
    """Played between updates."""
    minibatches: int = 16
    """Divides a column, so that none is smaller than the others."""
    epochs: int = 1
    learning_rate: float = 1e-3
    """At first; falls to 0."""
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.2
    """The coefficient at first; falls to `entropy_end` by equal factors."""
    entropy_end: float = 0.01


_COLUMN = 16
"""Decisions in a column of PPO's buffers."""


class Network(nn.Module):
    """An actor and a critic of two hidden layers each, on the features of a tensor. OpenSpiel's
    `PPOAgent` is the model: the same interface, initial weights and masks."""

    def __init__(self, rules: Rules, settings: PPOSettings) -> None:
        super().__init__()
        actions, features = action_count(rules), sum(sizes(rules))
        self.features = Features(rules)
        self.register_buffer(
            "mask_value", torch.tensor(ppo.INVALID_ACTION_PENALTY), persistent=False
        )
        self.actor = _layers(features, settings.actor, actions, 0.01)
        self.critic = _layers(features, settings.critic, 1, 1.0)

    def get_value(self, tensors: Tensor) -> Tensor:
        """[decision, 1]"""
        value: Tensor = self.critic(self.features(tensors))
        return value

    def get_action_and_value(
        self, tensors: Tensor, legal_actions_mask: Tensor, action: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Actions, their log-probabilities, entropies, values and all probabilities."""
        features = self.features(tensors)
        played = ppo.CategoricalMasked(
            logits=self.actor(features), masks=legal_actions_mask, mask_value=self.mask_value,
            validate_args=False,
        )  # fmt: skip
        if action is None:
            action = played.sample()
        return (
            action, played.log_prob(action), played.entropy(), self.critic(features), played.probs
        )  # fmt: skip


def _layers(inputs: int, hidden: int, outputs: int, scale: float) -> nn.Sequential:
    return nn.Sequential(
        ppo.layer_init(nn.Linear(inputs, hidden)),
        nn.ReLU(),
        ppo.layer_init(nn.Linear(hidden, hidden)),
        nn.ReLU(),
        ppo.layer_init(nn.Linear(hidden, outputs), std=scale),
    )


class PPOLearner:
    """See Learner."""

    plays = "sampled"

    def __init__(self, rules: Rules, seed: int, settings: PPOSettings) -> None:
        torch.manual_seed(seed)
        self.rules, self.settings = rules, settings
        self.steps = 0
        self._legal = torch.from_numpy(legal_actions(rules).copy())
        self._agent = ppo.PPO(
            (tensor_size(rules),),
            action_count(rules),
            rules.players,
            num_envs=1,  # the number of columns is that of each update
            steps_per_batch=_COLUMN,
            num_minibatches=settings.minibatches,
            update_epochs=settings.epochs,
            gamma=1.0,
            gae_lambda=settings.gae_lambda,
            clip_coef=settings.clip,
            agent_fn=lambda actions, shape, device: Network(rules, settings),
        )

    def advance(self, random: np.random.Generator, done: float) -> None:
        """See Learner."""
        rules, agent, settings = self.rules, self._agent, self.settings
        noted: list[tuple[Tensor, ...]] = []

        def decide(now: Situations) -> NDArray[np.int64]:
            tensors = torch.from_numpy(now.seen(rules))
            with torch.no_grad():
                action, log_probability, _, value, _ = agent.get_action_and_value(
                    tensors, legal_actions_mask=self._legal[now.last + 1]
                )
            noted.append((tensors, log_probability, value.flatten()))
            return np.asarray(action.numpy(), dtype=np.int64)

        played = play(rules, settings.rounds, decide, random)
        in_order = (torch.cat(parts)[played.taken] for parts in zip(*noted, strict=True))
        follows = self._fill(played, *in_order)
        agent.optimizer.param_groups[0]["lr"] = settings.learning_rate * (1.0 - done)
        agent.entropy_coef = settings.entropy * (settings.entropy_end / settings.entropy) ** done
        agent.learn(follows)
        self.steps += played.action.size

    def _fill(
        self, played: Decisions, tensors: Tensor, log_probabilities: Tensor, values: Tensor
    ) -> list[TimeStep]:
        """Lays all decisions but a few into columns of PPO's buffers. Returns what `learn` wants:
        what is seen next after each column."""
        agent = self._agent
        columns = played.action.size // _COLUMN
        used = columns * _COLUMN

        def laid(flat: Tensor) -> Tensor:
            return flat[:used].reshape(columns, _COLUMN, *flat.shape[1:]).transpose(0, 1)

        agent.num_envs, agent.batch_size = columns, used
        agent.minibatch_size = used // agent.num_minibatches
        agent.obs = laid(tensors)
        agent.legal_actions_mask = laid(self._legal[played.last + 1])
        agent.actions = laid(torch.from_numpy(played.action).float())
        agent.logprobs = laid(log_probabilities)
        agent.values = laid(values)
        agent.rewards = laid(torch.from_numpy(played.reward))
        agent.dones = laid(torch.from_numpy(played.final).float())
        # After the last decision of all a round has ended, and nothing comes next.
        follows = torch.cat([tensors, tensors[:1]])[_COLUMN : used + 1 : _COLUMN].numpy()
        return [TimeStep({"info_state": [one]}, None, None, None) for one in follows]

    def layers(self) -> Layers:
        """See Learner."""
        return layers_of(self._agent.network.actor)

    def state(self) -> dict[str, NDArray[Any]]:
        """See Learner."""
        return {
            "counts": np.array([self.steps]),
            **module_state("network", self._agent.network),
            **optimiser_state("optimiser", self._agent.optimizer),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """See Learner."""
        (self.steps,) = state["counts"].tolist()
        load_module(self._agent.network, "network", state)
        load_optimiser(self._agent.optimizer, "optimiser", state)
