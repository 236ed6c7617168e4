"""OpenSpiel's DQN and NFSP agents: the only module that touches their private members.

These agents play, store and learn one decision at a time. Rounds played in lockstep (see
`policies.research.self_play`) need the agents' networks, optimisers and single updates, for which
the agents have no public names. They also replace the agents' memory and features by their own.
Another version of OpenSpiel may rename private members, or keep the names and change the behaviour.
So the extra `rl` pins the version, and `tests/policies/research/test_openspiel_agents.py` fails if
the pin, the installed version and this module disagree.
"""

from __future__ import annotations

from open_spiel.python.pytorch import dqn, nfsp
from torch import nn, optim

from zhaifei.game.rules import Rules
from zhaifei.policies.research.buffers import Replay, Reservoir
from zhaifei.policies.research.torch_features import features_of


def value_network(agent: dqn.DQN) -> nn.Module:
    """Return the network in training, which maps [decision, input] to the value of each action."""
    network: nn.Module = agent._q_network
    return network


def target_network(agent: dqn.DQN) -> nn.Module:
    """Return the network that gives the values of next situations during training."""
    network: nn.Module = agent._target_q_network
    return network


def average_network(agent: nfsp.NFSP) -> nn.Module:
    """Return the network of the average strategy, which maps [decision, input] to the logit of each
    action."""
    network: nn.Module = agent._avg_network
    return network


def value_agent(agent: nfsp.NFSP) -> dqn.DQN:
    """Return the agent that learns the best response."""
    return agent._rl_agent


def optimiser(agent: dqn.DQN | nfsp.NFSP) -> optim.Optimizer:
    """Return the optimiser of the value network or, for NFSP, of the average strategy."""
    result: optim.Optimizer = agent._optimizer
    return result


def update_target(agent: dqn.DQN) -> None:
    """Move the weights of the target network towards the weights of the network in training."""
    agent._copy_weights(agent._tau)


def update_average(agent: nfsp.NFSP) -> None:
    """Update the network of the average strategy once, on a batch from the reservoir."""
    agent._learn()


def read_features(agent: dqn.DQN, rules: Rules) -> None:
    """Put the features of observations before the first layer of the value network and of its
    target."""
    features = features_of(rules)
    agent._q_network = nn.Sequential(features, agent._q_network)
    agent._target_q_network = nn.Sequential(features, agent._target_q_network)


def read_average_features(agent: nfsp.NFSP, rules: Rules) -> None:
    """Put the features of observations before the first layer of the network of the average
    strategy."""
    agent._avg_network = nn.Sequential(features_of(rules), agent._avg_network)


def remember_in(agent: dqn.DQN, memory: Replay) -> None:
    """Let `agent` learn from samples of `memory`."""
    agent._replay_buffer = memory


def remember_average_in(agent: nfsp.NFSP, memory: Reservoir) -> None:
    """Let the average strategy of `agent` learn from samples of `memory`."""
    agent._reservoir_buffer = memory
