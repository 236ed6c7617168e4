import pickle
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability
from open_spiel.python.observation import make_observation

from game.bids import Bid, IllegalBid, challenge_action, domain, legal_bids
from game.errors import ZhaifeiError
from game.hands import hand_index, hands, probabilities
from game.notation import parse_bid
from game.openspiel import ZhaifeiGame, ZhaifeiObserver, longest_round, rules_from
from game.rounds import Round, utilities
from game.rules import PRESETS, Rules, RulesError, preset

SETTINGS = [
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


def play(game: ZhaifeiGame, hands_dealt: list[str], *said: str) -> pyspiel.State:
    """The state after these hands and these actions."""
    state = game.new_initial_state()
    for hand in hands_dealt:
        state.apply_action(hand_index(game.rules, map(int, hand)))
    for text in said:
        challenge = text == "challenge"
        bids = domain(game.rules)
        state.apply_action(len(bids) if challenge else bids.index(parse_bid(text)))
    return state


@st.composite
def states_of(draw: st.DrawFn, game: ZhaifeiGame) -> pyspiel.State:
    """A state that random play reaches, from the first roll to the end."""
    state = game.new_initial_state()
    for _ in range(draw(st.integers(0, 10))):
        if state.is_terminal():
            break
        state.apply_action(draw(st.sampled_from(state.legal_actions())))
    return state


# Loading


@any_settings
def test_both_ways_to_load_give_the_same_game(params):
    text = ",".join(f"{key}={value}" for key, value in params.items())
    by_text = pyspiel.load_game(f"python_zhaifei({text})")
    assert str(by_text) == str(load(params))
    rest = {key: value for key, value in params.items() if key != "rules"}
    assert by_text.rules == load(params).rules == preset(params.get("rules", "zhaifei"), **rest)


@pytest.mark.parametrize("name", PRESETS)
def test_zero_dice_and_faces_stand_for_those_of_the_preset(name):
    assert load({"rules": name}).rules == preset(name)
    assert load({"rules": name, "dice": 0, "faces": 0}).rules == preset(name)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"players": 1}, "players is 1; it must be 2 to 8"),
        ({"players": 9}, "players is 9; it must be 2 to 8"),
        ({"dice": -1}, "dice is -1; each player has 1 to 9 dice"),
        ({"faces": 1}, "faces is 1; a die has 2 to 9 faces"),
        ({"rules": "dudo"}, "no rules are called 'dudo'; there are zhaifei, basic, liars_dice"),
    ],
)
def test_parameters_that_describe_no_game_are_refused(params, message):
    for attempt in (load, ZhaifeiGame):
        with pytest.raises(RulesError) as error:
            attempt(params)
        assert str(error.value) == message


@pytest.mark.parametrize("params", [{"jokers": 2}, {"players": "two"}, {"dice": 1.5}, {"rules": 3}])
def test_unknown_and_mistyped_parameters_are_refused(params):
    with pytest.raises(pyspiel.SpielError, match=r"(?i)parameter"):
        load(params)
    with pytest.raises(RulesError, match=str(next(iter(params)))):
        rules_from(params)


# GameInfo


@any_settings
def test_game_info_describes_the_variant(params):
    game = load(params)
    rules = game.rules
    assert game.num_players() == rules.players
    furthest = rules.players - 1 if params.get("jump_challenge") else 1
    assert game.num_distinct_actions() == len(domain(rules)) + furthest
    assert game.max_chance_outcomes() == len(hands(rules))
    assert game.max_chance_nodes_in_history() == rules.players
    assert game.utility_sum() == 0
    assert game.min_utility() == -furthest
    assert game.max_utility() == pytest.approx(furthest / (rules.players - 1))


def test_game_info_of_the_full_game():
    game = load({})
    assert game.num_distinct_actions() == 111
    assert game.max_chance_outcomes() == 252
    assert game.max_game_length() == 75  # A bid of each of the 74 strength levels; the challenge.
    assert game.max_history_length() == 77


@any_settings
def test_no_round_is_longer_than_max_game_length_and_one_is_as_long(params):
    rules = load(params).rules

    @lru_cache
    def bids_left(last: Bid | None) -> int:
        return max((1 + bids_left(bid) for bid in legal_bids(rules, last)), default=0)

    assert load(params).max_game_length() == longest_round(rules) == bids_left(None) + 1


# Rules


@any_settings
def test_openspiel_finds_no_fault_in_random_play(params):
    pyspiel.random_sim_test(load(params), num_sims=5, serialize=True, verbose=False)


@any_settings
def test_hands_are_dealt_seat_by_seat_with_their_probabilities(params):
    game = load(params)
    state = game.new_initial_state()
    for seat in range(game.num_players()):
        assert state.is_chance_node()
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        assert outcomes == tuple(range(len(hands(game.rules))))
        np.testing.assert_array_equal(chances, probabilities(game.rules))
        state.apply_action(outcomes[-1 - seat % 2])
    last, second_last = hands(game.rules)[-1], hands(game.rules)[-2]
    assert state.hands == ((last, second_last) * 4)[: game.num_players()]
    assert state.current_player() == 0


@given(st.data(), drawn_settings)
def test_a_state_is_a_round(data, params):
    state = data.draw(states_of(load(params)))
    rules = state.rules
    if state.is_chance_node():
        assert state.bids == state.actions == ()
        return
    twin = Round(rules, state.hands)
    for bid in state.bids:
        twin.bid(bid)
    if state.is_terminal():
        distance = state.actions[-1] - len(domain(rules)) + 1
        assert state.returns() == utilities(rules, twin.challenge(distance))
        assert state.legal_actions() == []
        return
    assert state.returns() == [0] * rules.players
    assert state.current_player() == twin.turn
    legal = [action for action, bid in enumerate(domain(rules)) if twin.can_bid(bid)]
    distances = [d for d in range(1, rules.players + 1) if twin.can_challenge(d)]
    challenges = [len(domain(rules)) + distance - 1 for distance in distances]
    assert state.legal_actions() == legal + challenges


def test_three_players_share_what_the_loser_pays():
    game = load({"players": 3, "dice": 2})
    first_bid_false = play(game, ["11", "26", "45"], "f4x6", "challenge")
    assert first_bid_false.returns() == [-1, 0.5, 0.5]
    first_bid_true = play(game, ["11", "66", "16"], "f4x6", "challenge")
    assert first_bid_true.returns() == [0.5, -1, 0.5]
    third_bid_false = play(game, ["11", "26", "45"], "f4x2", "z2x5", "f4x6", "challenge")
    assert third_bid_false.returns() == [0.5, 0.5, -1]


@pytest.mark.parametrize(
    ("said", "action", "message"),
    [
        ([], "f2x6", "飞2×6 may not open a round: the first bid has a count of at least 3"),
        ([], "challenge", "there is no bid to challenge: the first player must bid"),
        (["f4x5"], "z2x5", "斋2×5 is not stronger than 飞4×5: both have strength (4, 5)"),
        (["f4x5", "challenge"], "f5x5", "the round has ended"),
        (["f4x5", "challenge"], "challenge", "the round has ended"),
    ],
)
def test_an_illegal_action_is_refused_and_changes_nothing(said, action, message):
    state = play(load({}), ["11346", "22566"], *said)
    before = str(state), state.history(), state.is_terminal(), state.returns()
    number = 110 if action == "challenge" else domain(Rules()).index(parse_bid(action))
    with pytest.raises(ZhaifeiError, match=re.escape(message)):
        state.apply_action(number)
    assert (str(state), state.history(), state.is_terminal(), state.returns()) == before


def test_actions_that_do_not_exist_are_refused():
    state = load({}).new_initial_state()
    with pytest.raises(ZhaifeiError, match="no hand has the index 252"):
        state.apply_action(252)
    with pytest.raises(IllegalBid, match="no bid has the action 111"):
        play(load({}), ["11346", "22566"]).apply_action(111)


# Text


def test_states_are_readable():
    game = load({})
    assert str(game.new_initial_state()) == "-/-"
    assert str(play(game, ["64311"])) == "11346/-"
    state = play(game, ["64311", "22566"], "f3x4", "z2x5", "challenge")
    assert str(state) == "11346/22566 飞3×4 斋2×5 challenge"
    assert state.information_state_string(0) == "p0 hand:11346 飞3×4 斋2×5 challenge"
    assert state.observation_string(1) == "p1 hand:22566 last:斋2×5 turn:p0 challenged"


def test_actions_are_printed_in_the_notation():
    state = play(load({}), ["11346", "22566"], "f3x4")
    assert state.action_to_string(0, domain(Rules()).index(parse_bid("z2x5"))) == "斋2×5"
    assert state.action_to_string(0, 110) == "challenge"
    assert state.action_to_string(pyspiel.PlayerId.CHANCE, 251) == "deal 66666"


# Serialisation


@settings(max_examples=50)
@given(st.data(), drawn_settings)
def test_states_survive_serialisation_and_cloning(data, params):
    game = load(params)
    state = data.draw(states_of(game))
    text = pyspiel.serialize_game_and_state(game, state)
    loaded_game, loaded = pyspiel.deserialize_game_and_state(text)
    assert str(loaded_game) == str(game)
    for twin in (loaded, state.clone(), pickle.loads(pickle.dumps(state))):
        assert twin is not state
        assert (str(twin), twin.history()) == (str(state), state.history())
        assert twin.rules == state.rules
        assert twin.current_player() == state.current_player()
        assert twin.legal_actions() == state.legal_actions()
        assert twin.returns() == state.returns()


@any_settings
def test_a_pickled_game_is_playable_in_another_process(params):
    game = load(params)
    same = pickle.loads(pickle.dumps(game))
    assert (str(same), same.rules) == (str(game), game.rules)
    if params == SETTINGS[1]:  # One process is enough to see that the pickle imports the game.
        code = (
            f"import pickle; game = pickle.loads({pickle.dumps(game)!r}); "
            "print(game, game.new_initial_state(), game.rules.first_count)"
        )
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == f"{game} -/-/- 4"


def test_a_clone_goes_its_own_way():
    state = play(load({}), ["11346", "22566"], "f3x4")
    twin = state.clone()
    twin.apply_action(110)
    assert twin.is_terminal()
    assert not state.is_terminal()
    assert str(state) == "11346/22566 飞3×4"


# Observations


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


def name_of(kind: pyspiel.IIGObservationType) -> str:
    public = ("public-" if kind.public_info else "") + ("recall-" if kind.perfect_recall else "")
    return public + kind.private_info.name


def pieces_of(kind: pyspiel.IIGObservationType, rules: Rules) -> dict[str, tuple[int, ...]]:
    """The pieces and their shapes, as documented."""
    n, bids, private = rules.players, len(domain(rules)), pyspiel.PrivateInfoType
    public, reach = kind.public_info, rules.furthest_challenge
    snapshot = public and not kind.perfect_recall
    table = {
        "player": ((n,), kind.private_info != private.NONE),
        "hand": ((rules.dice, rules.faces), kind.private_info == private.SINGLE_PLAYER),
        "hands": ((n, rules.dice, rules.faces), kind.private_info == private.ALL_PLAYERS),
        "history": ((bids + reach,), public and kind.perfect_recall),
        "last_bid": ((bids,), snapshot),
        "bids_before": ((reach - 1, bids), snapshot and rules.jump_challenge),
        "turn": ((n,), snapshot),
        "challenged": ((reach,), snapshot),
    }
    return {name: shape for name, (shape, wanted) in table.items() if wanted}


@any_settings
@pytest.mark.parametrize("kind", OBSERVATION_TYPES, ids=name_of)
def test_observers_show_the_pieces_that_are_asked_for(params, kind):
    game = load(params)
    observer = make_observation(game, kind)
    expected = pieces_of(kind, game.rules)
    assert {name: piece.shape for name, piece in observer.dict.items()} == expected
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    observer.set_from(state, 1)
    flat = [piece.ravel() for piece in observer.dict.values()] or [np.zeros(0, np.float32)]
    np.testing.assert_array_equal(observer.tensor, np.concatenate(flat))
    assert observer.tensor.dtype == np.float32
    said = observer.string_from(state, 1)
    assert ("p1" in said.split()) == ("player" in expected)
    assert ("hand:" in said) == ("hand" in expected)
    assert ("hands:" in said) == ("hands" in expected)
    assert ("challenge" in said) == kind.public_info


def test_the_information_state_tensor_by_example():
    rules = Rules(players=3, dice=2, faces=3)
    state = play(load({"players": 3, "dice": 2, "faces": 3}), ["13", "22", "11"], "f4x2", "f4x3")
    observer = ZhaifeiObserver(rules, pyspiel.IIGObservationType(perfect_recall=True))
    observer.set_from(state, 0)
    assert observer.dict["player"].tolist() == [1, 0, 0]
    assert observer.dict["hand"].tolist() == [[1, 0, 0], [0, 0, 1]]
    made = [str(domain(rules)[place]) for place in np.flatnonzero(observer.dict["history"])]
    assert made == ["飞4×2", "飞4×3"]
    np.testing.assert_array_equal(state.information_state_tensor(0), observer.tensor)


def test_the_observation_tensor_by_example():
    rules = Rules(players=3, dice=2, faces=3)
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


@given(st.data(), drawn_settings)
def test_what_a_player_sees_depends_on_no_other_hand(data, params):
    game = load(params)
    state = data.draw(states_of(game))
    player = data.draw(st.integers(0, game.num_players() - 1))
    twin, dealt = game.new_initial_state(), len(state.hands)
    for seat, action in enumerate(state.history()):
        own = seat == player or seat >= dealt
        twin.apply_action(action if own else data.draw(st.sampled_from(twin.legal_actions())))
        if twin.is_terminal():
            break
    assert twin.information_state_string(player) == state.information_state_string(player)
    assert twin.information_state_tensor(player) == state.information_state_tensor(player)
    assert twin.observation_string(player) == state.observation_string(player)
    assert twin.observation_tensor(player) == state.observation_tensor(player)


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
    "params", [TINY, {"players": 3, "dice": 1, "faces": 2}, {"dice": 2, "faces": 2}], ids=str
)
def test_information_states_differ_exactly_where_knowledge_differs(params):
    """Own hand and public history, whatever else is true: one string and one tensor each."""
    game = load(params)
    strings, tensors = defaultdict(set), defaultdict(set)
    known = set()
    for state in walk(game.new_initial_state()):
        if state.is_chance_node():
            continue
        for player in range(game.num_players()):
            knows = (player, state.hands[player], state.actions)
            known.add(knows)
            strings[state.information_state_string(player)].add(knows)
            tensors[tuple(state.information_state_tensor(player))].add(knows)
    assert len(strings) == len(tensors) == len(known) > 100
    assert all(len(knows) == 1 for knows in [*strings.values(), *tensors.values()])


# Algorithms


def test_python_cfr_and_exploitability_run_on_a_tiny_variant():
    game = load(TINY)
    solver = cfr.CFRPlusSolver(game)
    before = exploitability.exploitability(game, solver.average_policy())
    for _ in range(100):
        solver.evaluate_and_update_policy()
    after = exploitability.exploitability(game, solver.average_policy())
    assert before > 0.2
    assert after < 0.01
    # OpenSpiel's C++ walks the same tree.
    tabular = policy.python_policy_to_pyspiel_policy(solver.average_policy())
    assert pyspiel.exploitability(game, tabular) == pytest.approx(after, abs=1e-9)


def test_cpp_external_sampling_runs_with_three_players():
    game = load({"players": 3, "dice": 1, "faces": 2})
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=7)

    def nash_conv() -> float:
        average = solver.average_policy()
        tabular = policy.tabular_policy_from_callable(
            game,
            lambda state: dict(
                zip(*average.get_state_policy_as_parallel_vectors(state), strict=True)
            ),
        )
        return exploitability.nash_conv(game, tabular)

    before = nash_conv()
    for _ in range(1000):
        solver.run_iteration()
    assert nash_conv() < before / 3


def assert_same_trees(ours: pyspiel.State, theirs: pyspiel.State) -> int:
    """Compares all states from here on with those of C++ `liars_dice`; returns how many."""
    assert ours.is_terminal() == theirs.is_terminal()
    assert ours.current_player() == theirs.current_player(), str(ours)
    if ours.is_terminal():
        assert ours.returns() == theirs.returns(), str(ours)
        return 1
    if ours.is_chance_node():
        # With one die a hand is a face: outcome k is face k + 1 in both games.
        np.testing.assert_allclose(ours.chance_outcomes(), theirs.chance_outcomes())
    actions = ours.legal_actions()
    assert actions == theirs.legal_actions(), str(ours)
    return 1 + sum(assert_same_trees(ours.child(a), theirs.child(a)) for a in actions)


def test_liars_dice_is_that_of_openspiel_in_every_state():
    ours, theirs = load({"rules": "liars_dice"}), pyspiel.load_game("liars_dice")
    assert ours.num_distinct_actions() == theirs.num_distinct_actions()
    assert ours.max_game_length() == theirs.max_game_length()
    states = assert_same_trees(ours.new_initial_state(), theirs.new_initial_state())
    # Each of 36 deals: the subsets of 12 bids, and each but the empty one also challenged. Then
    # the two kinds of chance node: nothing rolled, and one die rolled.
    assert states == 36 * (2**12 + 2**12 - 1) + 1 + 6


def test_the_information_states_of_liars_dice_are_those_of_openspiel():
    """Own hand one-hot, then bids and challenge: C++ lays its tensor out the same way."""
    ours, theirs = load({"rules": "liars_dice", "faces": 4}), "liars_dice(dice_sides=4)"
    pairs = [(ours.new_initial_state(), pyspiel.load_game(theirs).new_initial_state())]
    for action in (2, 3):
        pairs[0][0].apply_action(action)
        pairs[0][1].apply_action(action)
    while pairs:
        our, their = pairs.pop()
        for player in (0, 1):
            assert our.information_state_tensor(player) == their.information_state_tensor(player)
        pairs += [(our.child(a), their.child(a)) for a in our.legal_actions()]


@pytest.mark.slow
def test_cfr_plus_solves_liars_dice_to_its_known_value():
    """The value is -7/258 to the first player; best responses to any profile enclose it."""
    value = -7 / 258
    game = pyspiel.convert_to_cached_tree(load({"rules": "liars_dice"}))
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    profile = solver.average_policy()
    root = game.new_initial_state()
    first, second = (
        pyspiel.TabularBestResponse(game, seat, profile).value_from_state(root) for seat in (0, 1)
    )
    assert -second <= value <= first
    assert first + second < 0.012  # 0.0098 measured; CFR+ draws no random numbers.
    assert (first - second) / 2 == pytest.approx(value, abs=0.001)
