"""OpenSpiel's PPO, trained by self-play.

OpenSpiel's `ppo.PPO` is used unchanged: its buffers, generalised advantage estimates, loss and
updates (`learn`). We replace how its buffers are filled, the network, and the schedules:

- `PPO.step` and `post_step` record one decision of each environment at a time, of one player. Here
  whole rounds are played in lockstep, with the network in all seats, or in one seat of each round
  among other players. The decisions of one seat in one round are consecutive; `learn` reads the
  sequence of all decisions, laid out in columns. If a column ends within a round, the next column
  begins with the following decision, so that `learn` bootstraps from the value of the right
  situation.
- The network has two hidden layers. For two players it reads the same tensor, but first computes
  features of it that it would otherwise have to learn (see `policies.players.features`). For more
  players, it reads the features of `policies.players.seat_features` instead.
- The learning rate and the entropy coefficient fall during the run. With much entropy first and
  little at the end, self-play with policy gradients comes close to an equilibrium (Rudolph et al.
  2025, arXiv:2502.08938). Rewards are not discounted, because rounds are short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from open_spiel.python.pytorch import ppo
from open_spiel.python.rl_environment import TimeStep
from torch import Tensor, nn

from zhaifei.game.bids import action_count
from zhaifei.game.rules import Rules
from zhaifei.policies.players.encoding import tensor_size
from zhaifei.policies.players.network import inputs_of
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.research.learner import Learner
from zhaifei.policies.research.self_play import Decisions, Situations, play
from zhaifei.policies.research.torch_features import features_of


@dataclass(frozen=True)
class PPOSettings:
    """The settings of a run besides its seed and its length."""

    actor: int = 256
    """Units of each hidden layer of the actor; `critic` has the units of the critic."""
    critic: int = 128
    rounds: int = 4096
    """Rounds played between updates."""
    minibatches: int = 16
    """The number of minibatches must divide the length of a column, so that all have the same
    size."""
    epochs: int = 1
    learning_rate: float = 1e-3
    """The learning rate at first; falls linearly to 0."""
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.2
    """The entropy coefficient at first; falls geometrically to `entropy_end`."""
    entropy_end: float = 0.01


_COLUMN = 16
"""Decisions in a column of PPO's buffers."""
_ACTOR_OF_SEVERAL = 192
"""Units of each hidden layer of an actor of three players or more, whose file stays below half a
megabyte up to six players."""


def default_settings(rules: Rules) -> PPOSettings:
    """Return the settings of a run for `rules`."""
    return PPOSettings() if rules.players == 2 else PPOSettings(actor=_ACTOR_OF_SEVERAL)


class ActorCritic(nn.Module):
    """An actor and a critic with two hidden layers each, which read features. Its interface,
    initial weights and masks are those of OpenSpiel's `PPOAgent`."""

    def __init__(self, rules: Rules, settings: PPOSettings) -> None:
        super().__init__()
        actions, features = action_count(rules), inputs_of(rules)
        self.features = features_of(rules)
        self.register_buffer(
            "mask_value", torch.tensor(ppo.INVALID_ACTION_PENALTY), persistent=False
        )
        self.actor = _layers(features, settings.actor, actions, 0.01)
        self.critic = _layers(features, settings.critic, 1, 1.0)

    def get_value(self, tensors: Tensor) -> Tensor:
        """Return [decision, 1] the critic's values."""
        value: Tensor = self.critic(self.features(tensors))
        return value

    def get_action_and_value(
        self, tensors: Tensor, legal_actions_mask: Tensor, action: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return actions, their log-probabilities, entropies, values and all probabilities. Draw
        the actions if `action` is None."""
        features = self.features(tensors)
        played = ppo.CategoricalMasked(
            logits=self.actor(features),
            masks=legal_actions_mask,
            mask_value=self.mask_value,
            validate_args=False,
        )
        if action is None:
            action = played.sample()
        return (
            action,
            played.log_prob(action),
            played.entropy(),
            self.critic(features),
            played.probs,
        )


def _layers(inputs: int, hidden: int, outputs: int, scale: float) -> nn.Sequential:
    return nn.Sequential(
        ppo.layer_init(nn.Linear(inputs, hidden)),
        nn.ReLU(),
        ppo.layer_init(nn.Linear(hidden, hidden)),
        nn.ReLU(),
        ppo.layer_init(nn.Linear(hidden, outputs), std=scale),
    )


class PPOLearner(Learner):
    """A PPO agent that draws actions from its actor's distribution."""

    plays = "sampled"
    counts = ("steps",)

    def __init__(
        self, rules: Rules, seed: int, settings: PPOSettings, others: Sequence[BatchPlayer] = ()
    ) -> None:
        torch.manual_seed(seed)
        super().__init__(rules)
        self.settings = settings
        self._others = others
        self._agent = ppo.PPO(
            (tensor_size(rules) if rules.players == 2 else inputs_of(rules),),
            action_count(rules),
            rules.players,
            num_envs=1,  # `_fill` sets the number of columns
            steps_per_batch=_COLUMN,
            num_minibatches=settings.minibatches,
            update_epochs=settings.epochs,
            gamma=1.0,
            gae_lambda=settings.gae_lambda,
            clip_coef=settings.clip,
            agent_fn=lambda actions, shape, device: ActorCritic(rules, settings),
        )
        self.modules = {"network": self._agent.network}
        self.optimisers = {"optimiser": self._agent.optimizer}

    def advance(self, random: np.random.Generator, done: float) -> None:
        """See Learner."""
        rules, agent, settings = self.rules, self._agent, self.settings
        noted: list[tuple[Tensor, ...]] = []

        def decide(now: Situations) -> NDArray[np.int64]:
            tensors = torch.from_numpy(now.observed(rules))
            legal = torch.from_numpy(now.legal(rules))
            with torch.no_grad():
                action, log_probability, _, value, _ = agent.get_action_and_value(
                    tensors, legal_actions_mask=legal
                )
            noted.append((tensors, legal, log_probability, value.flatten()))
            return np.asarray(action.numpy(), dtype=np.int64)

        played = play(rules, settings.rounds, decide, random, self._others)
        in_order = (torch.cat(parts)[played.taken] for parts in zip(*noted, strict=True))
        follows = self._fill(played, *in_order)
        agent.optimizer.param_groups[0]["lr"] = settings.learning_rate * (1.0 - done)
        agent.entropy_coef = settings.entropy * (settings.entropy_end / settings.entropy) ** done
        agent.learn(follows)
        self.steps += played.action.size

    def _fill(
        self,
        played: Decisions,
        tensors: Tensor,
        legal: Tensor,
        log_probabilities: Tensor,
        values: Tensor,
    ) -> list[TimeStep]:
        """Lay all decisions except an incomplete last column into columns of PPO's buffers. Return
        the argument of `learn`: the situation that follows each column."""
        agent = self._agent
        columns = played.action.size // _COLUMN
        used = columns * _COLUMN

        def laid(flat: Tensor) -> Tensor:
            return flat[:used].reshape(columns, _COLUMN, *flat.shape[1:]).transpose(0, 1)

        agent.num_envs, agent.batch_size = columns, used
        agent.minibatch_size = used // agent.num_minibatches
        agent.obs = laid(tensors)
        agent.legal_actions_mask = laid(legal)
        agent.actions = laid(torch.from_numpy(played.action).float())
        agent.logprobs = laid(log_probabilities)
        agent.values = laid(values)
        agent.rewards = laid(torch.from_numpy(played.reward))
        agent.dones = laid(torch.from_numpy(played.final).float())
        # After the very last decision its round has ended, so the following situation does not
        # matter.
        follows = torch.cat([tensors, tensors[:1]])[_COLUMN : used + 1 : _COLUMN].numpy()
        return [TimeStep({"info_state": [one]}, None, None, None) for one in follows]

    def player(self) -> nn.Module:
        """See Learner."""
        actor: nn.Module = self._agent.network.actor
        return actor
