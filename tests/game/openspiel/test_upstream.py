"""The game passes OpenSpiel's own tests, and in one file it is the same game."""

import subprocess
import sys
from unittest import mock

import pyspiel
import pytest

from tests.command_line import LONG, ROOT
from tests.game.openspiel.games import walk
from tests.game.openspiel.upstream import load_file
from zhaifei.game.openspiel import ZhaifeiGame


def plainly(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the plain script."""
    return subprocess.run(
        [sys.executable, "-m", "tests.game.openspiel.upstream", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )


def test_the_registered_game_passes_the_tests_of_openspiel() -> None:
    ended = plainly()
    assert ended.returncode == 0, ended.stderr
    assert "Ran 2 tests" in ended.stderr


def test_the_game_in_one_file_passes_the_tests_of_openspiel_and_its_own() -> None:
    ended = plainly("--in-one-file")
    assert ended.returncode == 0, ended.stderr
    assert "Ran 9 tests" in ended.stderr


@pytest.fixture(scope="module")
def in_one_file() -> type[pyspiel.Game]:
    """The game of docs/openspiel, which here does not replace the registered one."""
    with mock.patch.object(pyspiel, "register_game"):
        game: type[pyspiel.Game] = load_file("zhaifei").ZhaifeiGame
    return game


SMALL = [
    {"players": 2, "dice": 1, "faces": 2},
    {"players": 3, "dice": 1, "faces": 2},
]


def shown(state: pyspiel.State) -> list[object]:
    """All that a state offers and shows to players: tensors, but not words, which differ."""
    seats = range(state.num_players())
    if state.is_chance_node():
        return [dict(state.chance_outcomes())]
    tensors = [state.information_state_tensor(seat) for seat in seats]
    tensors += [state.observation_tensor(seat) for seat in seats]
    return [state.current_player(), state.legal_actions(), state.returns(), tensors]


@pytest.mark.parametrize("params", SMALL, ids=str)
def test_the_game_in_one_file_is_the_registered_game(
    in_one_file: type[pyspiel.Game], params: dict[str, int]
) -> None:
    ours, theirs = ZhaifeiGame(params), in_one_file(params)
    for fact in ("num_distinct_actions", "max_chance_outcomes", "max_game_length", "num_players"):
        assert getattr(ours, fact)() == getattr(theirs, fact)(), fact
    assert ours.min_utility() == theirs.min_utility()
    assert ours.information_state_tensor_shape() == theirs.information_state_tensor_shape()
    states = 0
    for state in walk(ours.new_initial_state()):
        twin = theirs.new_initial_state()
        for action in state.history():
            twin.apply_action(action)
        assert shown(twin) == shown(state), state
        states += 1
    assert states > 50


def test_both_have_the_same_bids_in_the_whole_game(in_one_file: type[pyspiel.Game]) -> None:
    for players in (2, 3, 6):
        ours, theirs = ZhaifeiGame({"players": players}), in_one_file({"players": players})
        assert ours.max_game_length() == theirs.max_game_length()
        state, twin = ours.new_initial_state(), theirs.new_initial_state()
        for _ in range(players):
            state.apply_action(7)
            twin.apply_action(7)
        while len(legal := state.legal_actions()) > 3:
            assert twin.legal_actions() == legal
            bid = legal[len(state.history()) % 3]
            words = state.action_to_string(bid), twin.action_to_string(bid)
            assert words[0].replace("飞", "f").replace("斋", "z").replace("×", "x") == words[1]
            state.apply_action(bid)
            twin.apply_action(bid)
