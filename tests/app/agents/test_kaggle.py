"""The environment for Kaggle: its interpreter by hand, and by `kaggle_environments` where that
package is installed. It is too heavy for the extra `test`."""

import copy
import json
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from zhaifei.app.agents.kaggle import (
    NAME,
    SPECIFICATION,
    interpreter,
    policy_agent,
    random_agent,
    register,
    renderer,
)
from zhaifei.policies.play.record_text import parse_rounds

Agent = Callable[[dict[str, Any], dict[str, Any]], str]


class Env:
    """What an interpreter knows of an environment, as `kaggle_environments` has it."""

    def __init__(self, players: int, seed: int, rounds: int = 3, rules: str = "zhaifei") -> None:
        self.configuration = SimpleNamespace(rounds=rounds, rules=rules)
        self.info = {"seed": seed}
        self.done = True
        self.state = [_state(seat) for seat in range(players)]
        self.state = [*interpreter(self.state, self)]
        self.steps, self.done = [self._frozen()], False

    def step(self, agents: Sequence[Agent]) -> None:
        given = {"rules": self.configuration.rules}
        state = copy.deepcopy(self.state)
        for agent, one in zip(agents, state, strict=True):
            active = one.status == "ACTIVE"
            one.action = agent(vars(one.observation), given) if active else None
        self.state = [*interpreter(state, self)]
        self.steps.append(self._frozen())
        self.done = all(one.status != "ACTIVE" for one in self.state)

    def run(self, *agents: Agent) -> None:
        while not self.done:
            self.step(agents)

    def _frozen(self) -> list[dict[str, Any]]:
        return [copy.deepcopy(vars(one)) for one in self.state]


def _state(seat: int) -> SimpleNamespace:
    defaults = {
        name: (field.get("default") if isinstance(field, dict) else field)
        for name, field in SPECIFICATION["observation"].items()
    }
    observation = SimpleNamespace(**{**defaults, "player": seat})
    return SimpleNamespace(action=None, reward=0, info={}, observation=observation, status="DONE")


def first(observation: dict[str, Any], configuration: dict[str, Any]) -> str:
    return str(observation["legal"][0])


def last(observation: dict[str, Any], configuration: dict[str, Any]) -> str:
    return f"Surely [{observation['legal'][-1]}]"


@pytest.mark.parametrize("players", [2, 3])
def test_agents_play_a_match_to_its_end(players: int) -> None:
    env = Env(players, seed=7)
    env.run(*[last] * players)
    assert [one.status for one in env.state] == ["DONE"] * players
    assert sum(one.reward for one in env.state) == pytest.approx(0.0)
    assert len(env.state[0].observation.ended) == 3
    assert "penalty point" in renderer(env.state, env)


def test_an_agent_sees_its_own_dice_and_others_when_the_round_has_ended() -> None:
    env = Env(2, seed=7)
    env.run(first, last)
    ended = [parse_rounds(text.split("\n")[0]).rounds[0] for text in env.state[0].observation.ended]
    for step in env.steps[:-1]:
        number = len(step[0]["observation"].ended)
        for seat, one in enumerate(step):
            other = "".join(map(str, ended[number].hands[1 - seat] or ()))
            told = {k: v for k, v in vars(one["observation"]).items() if k != "ended"}
            assert other not in str(told)
            assert "seed" not in str(told)
            assert (one["status"] == "ACTIVE") == bool(told["legal"])


def test_the_dice_depend_on_the_seed_alone() -> None:
    def hands(seed: int, *agents: Agent) -> str:
        env = Env(2, seed)
        env.run(*agents)
        return str([text.split(";")[1:] for text in env.state[0].observation.ended])

    assert hands(7, last, last).count(":") == hands(7, first, last).count(":")
    assert hands(7, last, last) == hands(7, last, last)
    assert hands(7, last, last) != hands(8, last, last)


def test_an_illegal_answer_ends_the_match() -> None:
    env = Env(2, seed=7)
    env.run(lambda observation, configuration: "nonsense", first)
    statuses = [one.status for one in env.state]
    assert sorted(statuses) == ["DONE", "INVALID"]
    offender = statuses.index("INVALID")
    assert env.state[1 - offender].reward > 0.0
    assert "nonsense" in env.state[offender].info["why"]


def test_the_policy_and_chance_play_legal_actions() -> None:
    env = Env(2, seed=1)
    env.run(policy_agent, random_agent)
    assert [one.status for one in env.state] == ["DONE", "DONE"]


def test_the_specification_is_plain_data() -> None:
    assert json.loads(json.dumps(SPECIFICATION)) == SPECIFICATION


def test_the_harness_of_kaggle_runs_it() -> None:
    kaggle = pytest.importorskip("kaggle_environments")
    register()
    env = kaggle.make(NAME, configuration={"rounds": 3}, info={"seed": 7}, debug=True)
    *_, end = env.run(["policy", "random"])
    assert [one.status for one in end] == ["DONE", "DONE"]
    assert "penalty point" in env.render(mode="ansi")
    (rewards,) = kaggle.evaluate(NAME, ["policy", "random"], {"rounds": 20})
    assert rewards[0] > 0.0
