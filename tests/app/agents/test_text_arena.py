"""The environment of TextArena, run by its own `make` and wrappers."""

import random
import re

import pytest

pytest.importorskip("textarena")
import textarena

from zhaifei.app.agents.text_arena import ENVIRONMENT, register

register()


class Sloppy(textarena.Agent):  # type: ignore[misc]
    """Takes a legal action from the last position, and now and then answers nonsense first."""

    def __init__(self, seed: int) -> None:
        self._random, self._spoke = random.Random(seed), False

    def __call__(self, observation: str) -> str:
        position = observation[observation.rindex("You are in seat") :]
        self._spoke = not self._spoke and self._random.random() < 0.2
        if self._spoke:
            return "let me think"
        bids = re.search(r"weakest first: (.*)", position)
        if "answer: challenge" in position and (bids is None or self._random.random() < 0.5):
            return "challenge"
        assert bids is not None
        return f"my dice are good [{self._random.choice(bids[1].split(', ')[:4])}]"


def played(players: int, seed: int = 1) -> tuple[dict[int, float], dict[int, str]]:
    """The rewards of a match and what each player saw at last."""
    env = textarena.make(ENVIRONMENT, rounds=4)
    env.reset(num_players=players, seed=seed)
    agents = [Sloppy(place) for place in range(players)]
    done, seen = False, {}
    while not done:
        player, observation = env.get_observation()
        seen[player] = observation
        done, _ = env.step(action=agents[player](observation))
    rewards, info = env.close()
    assert not any(one["invalid_move"] for one in info.values())
    return rewards, seen


@pytest.mark.parametrize("players", [2, 3, 5])
def test_agents_play_a_match_to_its_end(players: int) -> None:
    rewards, seen = played(players)
    assert {*rewards} == {*range(players)}
    assert sum(rewards.values()) == pytest.approx(0.0)
    assert any(rewards.values())
    for text in seen.values():
        assert "A bid claims how many" in text
        assert "attempted an invalid move" in "".join(seen.values())


def test_equal_seeds_give_equal_matches() -> None:
    assert played(2) == played(2)
    assert played(2) != played(2, seed=2)


def test_a_player_sees_neither_the_dice_nor_the_thoughts_of_others() -> None:
    """Until a round has ended: then all dice are shown in its line."""
    _, seen = played(2)
    for player, text in seen.items():
        hands = re.findall(r"You are in seat (\d) of 2", text)
        assert {*hands} == {str(player + 1)}
        assert f"[Player {1 - player}]" not in text


def test_a_second_illegal_answer_ends_the_match_at_the_player_s_cost() -> None:
    env = textarena.make(ENVIRONMENT, rounds=4)
    env.reset(num_players=2, seed=1)
    offender, _ = env.get_observation()
    assert not env.step(action="nonsense")[0]
    player, observation = env.get_observation()
    assert player == offender
    assert "is neither a bid" in observation
    assert env.step(action="[f99x9]")[0]
    rewards, info = env.close()
    assert rewards == {offender: -1.0, 1 - offender: 1.0}
    assert info[offender]["invalid_move"]
