from collections import defaultdict

import numpy as np
import pyspiel
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from open_spiel.python.observation import make_observation

from tests.game.openspiel.games import (
    TINY,
    any_settings,
    drawn_settings,
    load,
    play,
    states_of,
    take,
    walk,
)
from tests.game.strategies import HOUSES
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.openspiel import ZhaifeiObserver
from zhaifei.game.rules import PRESETS, Rules, preset

OBSERVATION_TYPES = [
    pyspiel.IIGObservationType(public_info=public, perfect_recall=recall, private_info=private)
    for public in (False, True)
    for recall in (False, True)
    for private in (
        pyspiel.PrivateInfoType.NONE,
        pyspiel.PrivateInfoType.SINGLE_PLAYER,
        pyspiel.PrivateInfoType.ALL_PLAYERS,
    )
]


def pieces_of(
    kind: pyspiel.IIGObservationType, rules: Rules, rounds: int
) -> dict[str, tuple[int, ...]]:
    """The pieces and their shapes, as documented."""
    n, bids, private = rules.players, len(domain(rules)), pyspiel.PrivateInfoType
    public, reach = kind.public_info, rules.furthest_challenge
    endings = rules.endings
    snapshot, match = public and not kind.perfect_recall, public and rounds != 1
    asked, earlier = rules.stakes.out_of_turn, (rounds or rules.total_dice - 1) - 1
    before = match and earlier > 0  # Of two dice in all, one round is a whole match.
    table = {
        "player": ((n,), kind.private_info != private.NONE),
        "hand": ((rules.dice, rules.faces), kind.private_info == private.SINGLE_PLAYER),
        "hands": ((n, rules.dice, rules.faces), kind.private_info == private.ALL_PLAYERS),
        "history": ((bids + endings,), public and kind.perfect_recall),
        "last_bid": ((bids,), snapshot),
        "fei_ended": ((1,), snapshot and rules.bidding.ones_end_fei),
        "bids_before": ((reach - 1, bids), snapshot and rules.stakes.jump_challenge),
        "turn": ((n,), snapshot),
        "challenged": ((endings,), snapshot),
        "declined": ((n - 1,), public and asked),
        "starter": ((n,), match),
        "points": ((n,), match and not rules.loses_dice),
        "dice": ((n,), match and rules.loses_dice),
        "earlier_starter": ((earlier, n), before),
        "earlier_hands": ((earlier, n, rules.dice, rules.faces), before),
        "earlier_history": ((earlier, bids + endings), before),
        "earlier_declined": ((earlier, n - 1), before and asked),
    }
    return {name: shape for name, (shape, wanted) in table.items() if wanted}


@any_settings
def test_observers_show_the_pieces_that_are_asked_for(params):
    game = load(params)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    for kind in OBSERVATION_TYPES:
        expected = pieces_of(kind, game.rules, game.rounds)
        verify_shown(kind, make_observation(game, kind), state, expected)


def verify_shown(kind, observer, state, expected):
    """Check the pieces, the tensor and the text of one kind of observation."""
    assert {name: piece.shape for name, piece in observer.dict.items()} == expected, kind
    observer.set_from(state, 1)
    flat = [piece.ravel() for piece in observer.dict.values()] or [np.zeros(0, np.float32)]
    np.testing.assert_array_equal(observer.tensor, np.concatenate(flat))
    assert observer.tensor.dtype == np.float32
    *before, said = observer.string_from(state, 1).split("] ")
    assert len(before) == (len(state.earlier) if kind.public_info else 0), kind
    assert ("p1" in said.split()) == ("player" in expected), kind
    assert ("hand:" in said) == ("hand" in expected and state.hands[1] != ()), kind
    assert ("hands:" in said) == ("hands" in expected), kind
    assert ("challenge" in said) == kind.public_info, kind


def test_the_information_state_tensor_by_example():
    rules = Rules.of(players=3, dice=2, faces=3)
    state = play(load({"players": 3, "dice": 2, "faces": 3}), ["13", "22", "11"], "f4x2", "f4x3")
    observer = ZhaifeiObserver(rules, pyspiel.IIGObservationType(perfect_recall=True))
    observer.set_from(state, 0)
    assert observer.dict["player"].tolist() == [1, 0, 0]
    assert observer.dict["hand"].tolist() == [[1, 0, 0], [0, 0, 1]]
    made = [str(domain(rules)[place]) for place in np.flatnonzero(observer.dict["history"])]
    assert made == ["飞4×2", "飞4×3"]
    np.testing.assert_array_equal(state.information_state_tensor(0), observer.tensor)


def test_the_observation_tensor_by_example():
    rules = Rules.of(players=3, dice=2, faces=3)
    state = play(load({"players": 3, "dice": 2, "faces": 3}), ["13", "22", "11"], "f4x2", "f4x3")
    observer = ZhaifeiObserver(rules, pyspiel.IIGObservationType(perfect_recall=False))
    for ended in (0, 1):
        observer.set_from(state, 1)
        assert observer.dict["hand"].tolist() == [[0, 1, 0], [0, 1, 0]]
        last = np.flatnonzero(observer.dict["last_bid"])
        assert [str(domain(rules)[place]) for place in last] == ["飞4×3"]
        assert observer.dict["turn"].tolist() == [0, 0, 1]
        assert observer.dict["challenged"].tolist() == [ended]
        np.testing.assert_array_equal(state.observation_tensor(1), observer.tensor)
        if not ended:
            state.apply_action(challenge_action(rules))


def test_all_hands_are_seen_by_an_observer_of_all_players():
    game = load({"dice": 1, "faces": 3})
    everything = pyspiel.IIGObservationType(
        perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    observer, state = game.make_py_observer(everything), play(game, ["3", "1"])
    observer.set_from(state, 0)
    assert observer.dict["hands"].tolist() == [[[0, 0, 1]], [[1, 0, 0]]]
    assert observer.string_from(state, 0) == "p0 hands:3/1 turn:p0"


def test_observers_take_no_parameters():
    with pytest.raises(ZhaifeiError, match="observation parameters are not supported"):
        load({}).make_py_observer(None, {"dice": 3})


@given(st.data(), drawn_settings)
def test_tensors_have_the_size_that_the_game_states(data, params):
    game = load(params)
    state = data.draw(states_of(game))
    for player in range(game.num_players()):
        assert (len(state.information_state_tensor(player)),) == tuple(
            game.information_state_tensor_shape()
        )
        assert (len(state.observation_tensor(player)),) == tuple(game.observation_tensor_shape())


def test_the_tensor_of_a_match_by_example():
    game = load({"players": 3, "dice": 2, "faces": 3, "jump_challenge": True, "rounds": 3})
    state = take(game.new_initial_state(), "p1", "11", "23", "22", "f4x2", "f4x3", "c2", "12", "33")
    names = [str(bid) for bid in domain(game.rules)] + ["challenge", "challenge 2"]
    for recall in (False, True):
        observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=recall))
        observer.set_from(state, 1)
        pieces = observer.dict
        assert pieces["hand"].tolist() == [[0, 0, 1], [0, 0, 1]]
        assert pieces["starter"].tolist() == [1, 0, 0]
        assert pieces["points"].tolist() == [2, 0, 0]
        assert pieces["earlier_starter"].tolist() == [[0, 1, 0], [0, 0, 0]]
        assert pieces["earlier_hands"][0].tolist() == [
            [[1, 0, 0], [1, 0, 0]],
            [[0, 1, 0], [0, 0, 1]],
            [[0, 1, 0], [0, 1, 0]],
        ]
        done = [names[place] for place in np.flatnonzero(pieces["earlier_history"][0])]
        assert done == ["飞4×2", "飞4×3", "challenge 2"]
        assert not pieces["earlier_hands"][1].any()
        assert not pieces["earlier_history"][1].any()


def test_the_tensor_of_a_match_for_dice_by_example():
    """Seats 1 and 2 decline to challenge the first bid, and then seat 2 challenges the second.
    There are four fives and ones, so seat 2 loses a die, and the winner, seat 1, starts the next
    round."""
    game = load({"rules": "knockout", "players": 3, "dice": 2, "rounds": 0})
    state = take(game.new_initial_state(), "p0", "15", "25", "56", "f3x5", "decline", "decline")
    observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    observer.set_from(state, 1)
    assert observer.dict["declined"].tolist() == [1, 1]
    assert observer.dict["history"].sum() == 1
    take(state, "f4x5", "challenge", "55", "45", "2", "f1x2", "decline")
    names = [str(bid) for bid in domain(game.rules)] + ["challenge"]
    for recall in (False, True):
        observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=recall))
        observer.set_from(state, 2)
        pieces = observer.dict
        assert pieces["hand"].tolist() == [[0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]
        assert pieces["dice"].tolist() == [2, 2, 1]
        assert pieces["starter"].tolist() == [0, 1, 0]
        assert pieces["declined"].tolist() == [1, 0]
        assert pieces["earlier_starter"].tolist() == [[1, 0, 0]] + [[0, 0, 0]] * 3
        assert pieces["earlier_hands"][0, 0].argmax(axis=1).tolist() == [0, 4]
        done = [names[place] for place in np.flatnonzero(pieces["earlier_history"][0])]
        assert done == ["飞3×5", "飞4×5", "challenge"]
        assert pieces["earlier_declined"].tolist() == [[0, 0]] * 4


def test_what_is_seen_of_a_match_for_dice_as_text():
    game = load({"rules": "knockout", "dice_by_player": "2:1", "rounds": 0})
    state = take(game.new_initial_state(), "p1", "23", "4", "f3x4", "decline")
    assert state.observation_string(0) == (
        "dice:2/1 starter:p1 p0 hand:23 last:飞3×4 declined:1 turn:p0"
    )
    assert state.information_state_string(0) == "dice:2/1 starter:p1 p0 hand:23 飞3×4 decline"


def test_the_bids_that_jump_challenge_reaches_are_seen():
    game = load({"players": 4, "dice": 2, "jump_challenge": True})
    state = play(game, ["11", "26", "45", "33"], "f5x2", "f5x3", "f5x4", "f5x5")
    observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=False))
    observer.set_from(state, 2)
    before = [str(domain(game.rules)[row.argmax()]) for row in observer.dict["bids_before"]]
    assert before == ["飞5×4", "飞5×3"]  # Latest first; one's own 飞5×2 is out of reach.
    assert observer.dict["bids_before"].sum() == 2
    assert state.observation_string(2) == "p2 hand:45 last:飞5×5 before:飞5×4,飞5×3 turn:p0"
    take(state, "c3")
    observer.set_from(state, 2)
    assert observer.dict["challenged"].tolist() == [0, 0, 1]


def same_to(player: int, one: pyspiel.State, other: pyspiel.State) -> bool:
    """Whether all that the player sees and remembers is the same."""
    return (
        one.information_state_string(player) == other.information_state_string(player)
        and one.information_state_tensor(player) == other.information_state_tensor(player)
        and one.observation_string(player) == other.observation_string(player)
        and one.observation_tensor(player) == other.observation_tensor(player)
    )


@settings(max_examples=200)
@given(st.data(), drawn_settings)
def test_what_a_player_sees_depends_on_no_other_hand_of_the_current_round(data, params):
    game = load(params)
    state = data.draw(states_of(game))
    if game.rounds != 1 and state.is_terminal():
        return  # The points or dice tell who lost, and so do depend on the other hands.
    assume(not game.rules.bidding.forced_opening)  # Where a hand makes a bid, all see the bid.
    player = data.draw(st.integers(0, game.num_players() - 1))
    twin, history = game.new_initial_state(), state.history()
    rolled = [seat for seat, hand in enumerate(state.hands) if hand]  # The others are out.
    start = len(history) - len(rolled) - len(state.actions)
    for place, action in enumerate(history):
        hidden = 0 <= place - start < len(rolled) and rolled[place - start] != player
        twin.apply_action(data.draw(st.sampled_from(twin.legal_actions())) if hidden else action)
    assert same_to(player, state, twin)


@pytest.mark.parametrize("player", [0, 1, 2])
def test_a_challenge_reveals_all_dice_from_the_next_round_on(player):
    """Two matches with the same points, which differ only in one die of another player."""
    game = load({"players": 3, "dice": 2, "rounds": 3})
    hands_dealt = ["66", "66", "66"]
    other = [hand if seat == player else "56" for seat, hand in enumerate(hands_dealt)]
    pair = [take(game.new_initial_state(), "p1", *dealt) for dealt in (hands_dealt, other)]
    for said in ("f4x6", "z3x6"):
        assert same_to(player, *pair)
        for state in pair:
            take(state, said)
    assert same_to(player, *pair)
    for state in pair:
        take(state, "challenge")
        assert state.points == [1, 0, 0]
    for said in ("11", "12", "13", "f4x3", "challenge", "22", "23", "24", "f6x2", "challenge"):
        assert not same_to(player, *pair)
        for state in pair:
            take(state, said)
    assert all(state.is_terminal() for state in pair)
    assert not same_to(player, *pair)


def test_public_observations_are_the_same_for_everybody():
    game = load({"players": 3, "dice": 2})
    state = play(game, ["13", "22", "11"], "f4x2", "f4x3")
    for recall, text in ((True, "飞4×2 飞4×3"), (False, "last:飞4×3 turn:p2")):
        observer = game.make_py_observer(
            pyspiel.IIGObservationType(
                perfect_recall=recall, private_info=pyspiel.PrivateInfoType.NONE
            )
        )
        tensors = set()
        for player in range(3):
            assert observer.string_from(state, player) == text
            observer.set_from(state, player)
            tensors.add(observer.tensor.tobytes())
        assert len(tensors) == 1


@pytest.mark.parametrize(
    "params",
    [
        TINY,
        {"players": 3, "dice": 1, "faces": 2},
        {"dice": 2, "faces": 2},
        {"rules": "basic", "players": 4, "dice": 1, "faces": 2, "jump_challenge": True},
        {"rules": "basic", **TINY, "rounds": 3},
        {"rules": "basic", "players": 3, **TINY, "rounds": 2, "jump_challenge": True},
        {"rules": "basic", "dice_by_player": "1:2", "faces": 2, "rounds": 2},
        {"rules": "knockout", "players": 3, "dice": 2, "faces": 2},
        {"rules": "knockout", "players": 3, **TINY, "rounds": 0},
        {"rules": "increment", "dice_by_player": "2:1", "faces": 2, "rounds": 0},
    ],
    ids=str,
)
def test_information_states_differ_exactly_where_knowledge_differs(params):
    """All of the rounds before, own hand, history and points, whatever else is true: one string
    and one tensor each."""
    game = load(params)
    strings, tensors = defaultdict(set), defaultdict(set)
    known = set()
    root = game.new_initial_state()
    if game.draws_starter:
        root.apply_action(1)  # One first starter is enough.
    for state in walk(root):
        before = [(played.starter, played.hands, played.actions) for played in state.earlier]
        points = state.points if game.rounds != 1 else ()
        public = (state.round.starter, state.actions, *points, *before)
        for player in range(game.num_players()):
            own = state.hands[player : player + 1]
            knows = (player, own if any(own) else (), public)  # Who is out has no hand.
            known.add(knows)
            strings[state.information_state_string(player)].add(knows)
            tensors[tuple(state.information_state_tensor(player))].add(knows)
    assert len(strings) == len(tensors) == len(known) > 100
    assert all(len(knows) == 1 for knows in [*strings.values(), *tensors.values()])


RULES_NAMED = [{"rules": name} for name in PRESETS]
HOUSES_NAMED = [{"house": "+".join(house).replace("=", ":")} for house in HOUSES]
PUBLIC = [
    kind
    for kind in OBSERVATION_TYPES
    if kind.public_info and kind.private_info != pyspiel.PrivateInfoType.ALL_PLAYERS
]


def all_presets_and_switches():
    """Every preset and every house rule: for two players; in a match; for three players, and with
    跳开 where there is one."""
    for params in RULES_NAMED + HOUSES_NAMED:
        rules = preset(params.get("rules", "zhaifei"))
        dice = 3 if "straight" in params.get("house", "") else 2
        small = {"dice": dice, "faces": 3, **params}
        yield small
        yield {**small, "rounds": 0 if rules.loses_dice else 2}
        yield {**small, "players": 3}
        if params in HOUSES_NAMED and "doubles" not in params.get("house", ""):
            yield {**small, "players": 3, "jump_challenge": True}


@pytest.mark.parametrize("params", [*all_presets_and_switches()], ids=str)
def test_strings_tensors_and_legal_actions_tell_states_apart_alike(params):
    """Over random rounds: equal strings, equal tensors, and then equal legal actions."""
    game, random = load(params), np.random.default_rng(0)
    for kind in PUBLIC:
        observer = make_observation(game, kind)
        strings, tensors, legal = (defaultdict(set) for _ in range(3))
        for state in states_of_random_rounds(game, random, 40 if game.rounds == 1 else 10):
            for player in range(game.num_players()):
                observer.set_from(state, player)
                said, shown = observer.string_from(state, player), observer.tensor.tobytes()
                strings[said].add(shown)
                tensors[shown].add(said)
                if player == state.current_player():
                    legal[said].add(tuple(state.legal_actions()))
        assert min(len(strings), len(legal)) > 5
        for name, found in (("string", strings), ("tensor", tensors), ("legal actions", legal)):
            assert [one for one, others in found.items() if len(others) > 1] == [], name


def states_of_random_rounds(game, random, rounds):
    """All states of some games in which weak bids are more likely, so that rounds get long."""
    for _ in range(rounds):
        state = game.new_initial_state()
        while not state.is_terminal():
            yield state
            actions = state.legal_actions()
            weak = min(len(actions) - 1, int(random.exponential(len(actions) / 4)))
            place = random.integers(len(actions)) if state.is_chance_node() else weak
            state.apply_action(actions[place])
        yield state
