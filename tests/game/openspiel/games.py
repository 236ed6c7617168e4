"""What the tests of the OpenSpiel game share: variants, and ways to come to a state."""

from collections.abc import Iterator

import pyspiel
import pytest
from hypothesis import strategies as st

from game.hands import hand_index
from game.notation import parse_action
from game.openspiel import ZhaifeiGame

SINGLE = [
    {},
    {"players": 3, "dice": 2},
    {"players": 4, "dice": 1, "faces": 3},
    {"dice": 4, "faces": 4},
    {"rules": "basic", "players": 3, "dice": 3},
    {"rules": "liars_dice"},
    {"rules": "liars_dice", "players": 4, "dice": 2, "faces": 4},
    {"players": 3, "dice": 2, "jump_challenge": True},
    {"rules": "basic", "players": 5, "dice": 2, "faces": 3, "jump_challenge": True},
    {"players": 8, "dice": 1, "faces": 2, "jump_challenge": True},
]
MATCHES = [
    {"dice": 1, "faces": 2, "rounds": 2},
    {"dice": 2, "rounds": 5},
    {"players": 3, "dice": 2, "jump_challenge": True, "rounds": 3},
    {"rules": "liars_dice", "players": 4, "faces": 3, "rounds": 2},
    {"players": 8, "dice": 1, "faces": 2, "jump_challenge": True, "rounds": 2},
]
SETTINGS = SINGLE + MATCHES
TINY = {"dice": 1, "faces": 2}
"""256 states that are not chance's: small enough to walk in any test."""

any_settings = pytest.mark.parametrize("params", SETTINGS, ids=str)
drawn_settings = st.sampled_from(SETTINGS)


def load(params: dict) -> ZhaifeiGame:
    return pyspiel.load_game("python_zhaifei", params)


def walk(state: pyspiel.State) -> Iterator[pyspiel.State]:
    """The state and all that can follow it."""
    yield state
    for action in state.legal_actions():
        yield from walk(state.child(action))


def take(state: pyspiel.State, *said: str) -> pyspiel.State:
    """The state itself, after everything was done that is said: hands like 112 are dealt, `p1`
    starts a match, players bid and challenge."""
    rules = state.rules
    for text in said:
        if text.startswith("p"):
            action = int(text[1:])
        elif text.isdecimal():
            action = hand_index(rules, map(int, text))
        else:
            action = parse_action(rules, text)
        state.apply_action(action)
    return state


def play(game: ZhaifeiGame, hands_dealt: list[str], *said: str) -> pyspiel.State:
    """The state after these hands and these actions."""
    return take(game.new_initial_state(), *hands_dealt, *said)


@st.composite
def states_of(draw: st.DrawFn, game: ZhaifeiGame) -> pyspiel.State:
    """A state that random play reaches, from the first roll to the end."""
    state = game.new_initial_state()
    for _ in range(draw(st.integers(0, 12 * game.rounds))):
        if state.is_terminal():
            break
        actions = state.legal_actions()
        # Half of the time the weakest or the last action: so rounds get long, and matches end.
        likely = [actions[0], actions[-1]]
        state.apply_action(draw(st.sampled_from(actions) | st.sampled_from(likely)))
    return state
