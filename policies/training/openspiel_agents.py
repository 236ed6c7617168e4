"""OpenSpiel's DQN and NFSP agents: the one module that touches their private members.

Those agents play, remember and learn one decision at a time. Rounds played in step (see
`policies.training.self_play`) need their networks, their optimisers and single updates, for which
the agents have no public names, and put a memory and features of their own in place of what the
agents make. Another version of OpenSpiel may rename any of it, or keep the name and change what it
does. So the extra `rl` pins the version, and `tests/policies/training/test_openspiel_agents.py`
fails where the pin, what is installed and this module disagree.
"""

from __future__ import annotations

from open_spiel.python.pytorch import dqn, nfsp
from torch import nn, optim

from game.rules import Rules
from policies.training.buffers import Replay, Reservoir
from policies.training.torch_features import Features


def value_network(agent: dqn.DQN) -> nn.Module:
    """Return the network that is trained: of [decision, input], the value of each action."""
    network: nn.Module = agent._q_network
    return network


def target_network(agent: dqn.DQN) -> nn.Module:
    """Return the network that gives the values of next situations while the other is trained."""
    network: nn.Module = agent._target_q_network
    return network


def average_network(agent: nfsp.NFSP) -> nn.Module:
    """Return the network of the average strategy: of [decision, input], the logit of each
    action."""
    network: nn.Module = agent._avg_network
    return network


def value_agent(agent: nfsp.NFSP) -> dqn.DQN:
    """Return the agent that learns the best response."""
    return agent._rl_agent


def optimiser(agent: dqn.DQN | nfsp.NFSP) -> optim.Optimizer:
    """Return the optimiser of the network of values or, for NFSP, of the average strategy."""
    result: optim.Optimizer = agent._optimizer
    return result


def update_target(agent: dqn.DQN) -> None:
    """Move the weights of the target network towards those of the network that is trained."""
    agent._copy_weights(agent._tau)


def update_average(agent: nfsp.NFSP) -> None:
    """Update the network of the average strategy once, by a batch from the reservoir."""
    agent._learn()


def read_features(agent: dqn.DQN, rules: Rules) -> None:
    """Put `policies.players.features` before the first layer of both networks of values."""
    features = Features(rules)
    agent._q_network = nn.Sequential(features, agent._q_network)
    agent._target_q_network = nn.Sequential(features, agent._target_q_network)


def read_average_features(agent: nfsp.NFSP, rules: Rules) -> None:
    """Put `policies.players.features` before the first layer of the network of the average
    strategy."""
    agent._avg_network = nn.Sequential(Features(rules), agent._avg_network)


def remember_in(agent: dqn.DQN, memory: Replay) -> None:
    """Let `agent` draw what it learns from out of `memory`."""
    agent._replay_buffer = memory


def remember_average_in(agent: nfsp.NFSP, memory: Reservoir) -> None:
    """Let the average strategy of `agent` learn from what is drawn out of `memory`."""
    agent._reservoir_buffer = memory
