"""What the tests of the OpenSpiel game share: variants, and ways to come to a state."""

from collections.abc import Iterator

import pyspiel
import pytest
from hypothesis import strategies as st

from zhaifei.game.hands import hands_of
from zhaifei.game.notation import parse_action
from zhaifei.game.openspiel import ZhaifeiGame, decline_action

SINGLE = [
    {},
    {"players": 3, "dice": 2},
    {"players": 4, "dice": 1, "faces": 3},
    {"dice": 4, "faces": 4},
    {"rules": "basic", "players": 3, "dice": 3},
    {"rules": "liars_dice"},
    {"rules": "liars_dice", "players": 4, "dice": 2, "faces": 4},
    {"players": 3, "dice": 2, "jump_challenge": True},
    {"dice": 3, "faces": 3, "house": "zhai-to-fei:forbidden+straight:rolled-again"},
    {
        "dice": 2,
        "faces": 3,
        "house": "ones-highest+fei-to-zhai:half+zhai-to-fei:double-plus-one+five-alike",
    },
    {"players": 3, "dice": 2, "faces": 3, "house": "ones-end-fei", "jump_challenge": True},
    {"rules": "basic", "players": 5, "dice": 2, "faces": 3, "jump_challenge": True},
    {"players": 8, "dice": 1, "faces": 2, "jump_challenge": True},
    {"dice": 2, "faces": 3, "house": "doubles:2-4"},
    {"dice": 3, "faces": 3, "house": "doubles:2-4-8+giving-up:half"},
    {"dice": 1, "faces": 2, "house": "doubles:3+giving-up:forbidden+ones-end-fei"},
    {"players": 3, "dice": 2, "faces": 3, "house": "doubles:2-4"},
    {"rules": "southern", "players": 4, "dice": 2, "faces": 3},
    {"rules": "basic", "players": 5, "dice": 1, "faces": 3, "house": "doubles:2-4-8"},
]
MATCHES = [
    {"dice": 1, "faces": 2, "rounds": 2},
    {"dice": 2, "rounds": 5},
    {"dice": 1, "faces": 3, "house": "doubles:2", "rounds": 2},
    {"players": 3, "dice": 1, "faces": 3, "house": "doubles:2-4", "rounds": 3},
    {"players": 3, "dice": 2, "jump_challenge": True, "rounds": 3},
    {"rules": "liars_dice", "players": 4, "faces": 3, "rounds": 2},
    {"players": 8, "dice": 1, "faces": 2, "jump_challenge": True, "rounds": 2},
]
UNEVEN = [
    {"dice_by_player": "5:3"},
    {"rules": "basic", "dice_by_player": "1:2", "faces": 3, "rounds": 3},
    {"rules": "knockout", "dice_by_player": "2:1", "faces": 3, "for_points": True},
    {"rules": "increment", "dice": 2, "for_points": True, "rounds": 2},
]
FOR_DICE = [
    {"rules": "knockout", "dice_by_player": "2:3"},
    {"rules": "knockout", "players": 4, "dice": 2},
    {"rules": "increment", "players": 3, "dice": 2, "faces": 3},
    {"rules": "classic", "dice_by_player": "3:1"},
    {"rules": "classic_plain", "players": 8, "dice": 1, "faces": 2},
    {"rules": "published", "players": 3, "dice": 2},
]
WHOLE_MATCHES = [
    {"rules": "knockout", "dice": 1, "faces": 2, "rounds": 0},
    {"rules": "knockout", "dice_by_player": "2:1", "faces": 3, "rounds": 0},
    {"rules": "knockout", "players": 4, "dice": 2, "rounds": 0},
    {"rules": "increment", "players": 3, "dice": 2, "faces": 3, "rounds": 0},
    {"rules": "classic", "dice_by_player": "1:3", "rounds": 0},
    {"rules": "classic_plain", "players": 8, "dice": 1, "faces": 2, "rounds": 0},
    {"rules": "published", "dice": 2, "rounds": 0},
]
POINTS = SINGLE + MATCHES + UNEVEN
DICE = FOR_DICE + WHOLE_MATCHES
SETTINGS = POINTS + DICE
TINY = {"dice": 1, "faces": 2}
"""256 states that are not chance's: small enough to walk in any test."""

any_settings = pytest.mark.parametrize("params", SETTINGS, ids=str)
point_settings = pytest.mark.parametrize("params", POINTS, ids=str)
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
    starts a match, players bid, challenge and decline."""
    rules = state.rules
    for text in said:
        if text.startswith("p"):
            action = int(text[1:])
        elif text.isdecimal():
            hand = tuple(sorted(map(int, text)))
            action = hands_of(rules, len(hand)).index(hand)
        elif text == "decline":
            action = decline_action(rules)
        else:
            action = parse_action(rules, text, state.bids[-1] if state.bids else None)
        state.apply_action(action)
    return state


def play(game: ZhaifeiGame, hands_dealt: list[str], *said: str) -> pyspiel.State:
    """The state after these hands and these actions."""
    return take(game.new_initial_state(), *hands_dealt, *said)


@st.composite
def states_of(draw: st.DrawFn, game: ZhaifeiGame) -> pyspiel.State:
    """A state that random play reaches, from the first roll to the end."""
    state = game.new_initial_state()
    rounds = game.rounds or game.rules.total_dice - 1
    for _ in range(draw(st.integers(0, 12 * rounds))):
        if state.is_terminal():
            break
        actions = state.legal_actions()
        # Half of the time the weakest or the last action: so rounds get long, and matches end.
        likely = [actions[0], actions[-1]]
        state.apply_action(draw(st.sampled_from(actions) | st.sampled_from(likely)))
    return state


def enclosed_by_cfr_plus(game: pyspiel.Game) -> tuple[float, float]:
    """What best responses to the result of a hundred iterations of C++ leave the first player: at
    least, and at most. CFR+ draws no random numbers."""
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    profile, root = solver.average_policy(), game.new_initial_state()
    first, second = (
        pyspiel.TabularBestResponse(game, seat, profile).value_from_state(root) for seat in (0, 1)
    )
    return -second, first
