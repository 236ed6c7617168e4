"""Steps per second of DQN, NFSP and PPO in training: OpenSpiel's loop against ours.

    python -m benchmarks.learning_vs_openspiel --seconds 60

A step is one decision that is learned from. Our loop plays many rounds in lockstep. Both sides
train OpenSpiel's agents on the full game, with the same networks, batches and updates per step, on
one thread. OpenSpiel's loop is taken from its examples: `rl_environment` on `python_zhaifei`.
There, DQN and NFSP have an agent for each seat and play one round after another. PPO plays enough
rounds at once to fill its buffers. Only speed is measured, not strength. Each side runs in a
process of its own; its time starts after the first updates.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from open_spiel.python import rl_environment, vector_env
from open_spiel.python.pytorch import dqn, nfsp, ppo

import zhaifei.game.openspiel  # noqa: F401  # registers python_zhaifei
from benchmarks._arguments import new_parser
from zhaifei.game.bids import action_count
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.shipped import LEARNED
from zhaifei.policies.players.encoding import tensor_size
from zhaifei.policies.players.features import feature_sizes
from zhaifei.policies.research.dqn import DQNSettings
from zhaifei.policies.research.learning import new_learning_run
from zhaifei.policies.research.nfsp import NFSPSettings
from zhaifei.policies.research.openspiel_agents import (
    read_average_features,
    read_features,
    value_agent,
)
from zhaifei.policies.research.ppo import ActorCritic, PPOSettings

RULES = preset("zhaifei")
_MEMORY = 20_000
"""The capacity of OpenSpiel's buffers, in decisions. They copy everything when they sample, so this
small capacity favours them."""
_ENVIRONMENTS, _COLUMN = 128, 128
"""Rounds that OpenSpiel's PPO plays at once, and steps of each between updates."""


def ours(algorithm: str) -> Iterator[int]:
    """Train with our loop; yield the steps of each batch of rounds."""
    run = new_learning_run(algorithm, seed=0, threads=1, steps=10**9)
    while True:
        before = run.done
        run.advance()
        yield run.done - before


def openspiel_by_step(algorithm: str) -> Iterator[int]:
    """Train DQN or NFSP in OpenSpiel's loop; yield the steps of each round."""
    environment = rl_environment.Environment("python_zhaifei", include_full_state=False)
    agents = [_agent(algorithm, player) for player in (0, 1)]
    while True:
        steps, now = 0, environment.reset()
        while not now.last():
            output = agents[now.observations["current_player"]].step(now)
            now = environment.step([output.action])
            steps += 1
        for agent in agents:
            agent.step(now)
        yield steps


def _agent(algorithm: str, player: int) -> Any:
    """Return OpenSpiel's agent with the networks and settings of ours."""
    size, actions = sum(feature_sizes(RULES)), action_count(RULES)
    if algorithm == "dqn":
        deep = DQNSettings()
        agent = dqn.DQN(
            player,
            size,
            actions,
            deep.hidden,
            batch_size=deep.batch,
            replay_buffer_capacity=_MEMORY,
            learn_every=deep.learn_every,
            optimizer_str="adam",
            min_buffer_size_to_learn=deep.batch,
            epsilon_start=deep.epsilon,
            epsilon_end=deep.epsilon_end,
        )
        read_features(agent, RULES)
        return agent
    fictitious = NFSPSettings()
    agent = nfsp.NFSP(
        player,
        size,
        actions,
        fictitious.hidden,
        _MEMORY,
        fictitious.anticipatory,
        batch_size=fictitious.batch,
        replay_buffer_capacity=_MEMORY,
        optimizer_str="adam",
        learn_every=fictitious.learn_every,
        min_buffer_size_to_learn=fictitious.batch,
        epsilon_start=fictitious.epsilon,
        epsilon_end=0.0,
    )
    read_average_features(agent, RULES)
    read_features(value_agent(agent), RULES)
    return agent


def openspiel_ppo(environments: int, column: int) -> Iterator[int]:
    """Train PPO in OpenSpiel's loop; yield the steps of each batch that fills its buffers.

    The player to move is always presented as player 0, so that one agent plays both seats.
    """
    settings = PPOSettings()
    played = vector_env.SyncVectorEnv(
        [rl_environment.Environment("python_zhaifei") for _ in range(environments)]
    )
    agent = ppo.PPO(
        (tensor_size(RULES),),
        action_count(RULES),
        2,
        num_envs=environments,
        steps_per_batch=column,
        num_minibatches=settings.minibatches,
        update_epochs=settings.epochs,
        gamma=1.0,
        gae_lambda=settings.gae_lambda,
        agent_fn=lambda *_: ActorCritic(RULES, settings),
    )
    now = played.reset()
    while True:
        for _ in range(column):
            actions = agent.step([_of_player_in_turn(one) for one in now])
            now, rewards, done, _ = played.step(actions, reset_if_done=True)
            agent.post_step([reward[0] for reward in rewards], done)
        agent.learn([_of_player_in_turn(one) for one in now])
        yield column * environments


def _of_player_in_turn(step: rl_environment.TimeStep) -> rl_environment.TimeStep:
    """Return the observation of the player to move as the observation of player 0."""
    seen, player = step.observations, step.observations["current_player"]
    shown = {name: [seen[name][player]] for name in ("info_state", "legal_actions")}
    return step._replace(observations=shown)


def measure(side: str, algorithm: str, seconds: float, *, smallest: bool) -> float:
    """Return steps per second; if `smallest`, without waiting for the first updates."""
    torch.set_num_threads(1)
    np.random.seed(0)  # noqa: NPY002  # OpenSpiel draws by it
    if side == "ours":
        loop, warm = ours(algorithm), 2 * PPOSettings().rounds
    elif algorithm == "ppo":
        loop, warm = openspiel_ppo(*((4, 16) if smallest else (_ENVIRONMENTS, _COLUMN))), 1
    else:
        loop, warm = openspiel_by_step(algorithm), 2 * DQNSettings().batch
    steps = 0
    while steps < (1 if smallest else warm):
        steps += next(loop)
    steps, began = 0, time.perf_counter()
    while not steps or time.perf_counter() - began < seconds:
        steps += next(loop)
    return steps / (time.perf_counter() - began)


def measure_apart(side: str, algorithm: str, seconds: float) -> float:
    """Return the result of `measure` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, "--side", side, algorithm, "--seconds", str(seconds)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    rate: float = json.loads(done.stdout)
    return rate


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        side, algorithm = arguments.side
        print(json.dumps(measure(side, algorithm, arguments.seconds, smallest=False)))
        return
    print(f"$ python -m {__spec__.name} --seconds {arguments.seconds:g}\n")
    print(f"{'steps/s':8} {'OpenSpiel':>10} {'in step':>10} {'ratio':>8}")
    for algorithm in LEARNED:
        rates = [
            measure(side, algorithm, 0.0, smallest=True)
            if arguments.smallest
            else measure_apart(side, algorithm, arguments.seconds)
            for side in ("openspiel", "ours")
        ]
        print(
            f"{algorithm:8} {rates[0]:10,.0f} {rates[1]:10,.0f} {rates[1] / rates[0]:7.1f}x",
            flush=True,
        )


if __name__ == "__main__":
    main()
