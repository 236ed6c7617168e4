import pickle
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

from game.bids import Bid, IllegalBid, domain, legal_bids
from game.errors import ZhaifeiError
from game.hands import hands, probabilities
from game.match import Match
from game.notation import parse_bid
from game.openspiel import (
    ZhaifeiGame,
    load_game,
    longest_round,
    parameters_of,
    rules_from,
)
from game.rounds import Round
from game.rules import PRESETS, Rules, RulesError, preset
from tests.game.openspiel.games import (
    SINGLE,
    TINY,
    any_settings,
    drawn_settings,
    load,
    play,
    states_of,
    take,
    walk,
)
from tests.game.strategies import POINT_PRESETS

# Loading


@any_settings
def test_both_ways_to_load_give_the_same_game(params):
    text = ",".join(f"{key}={value}" for key, value in params.items())
    by_text = pyspiel.load_game(f"python_zhaifei({text})")
    assert str(by_text) == str(load(params))
    rest = {key: value for key, value in params.items() if key not in ("rules", "rounds")}
    assert by_text.rules == load(params).rules == preset(params.get("rules", "zhaifei"), **rest)
    assert by_text.rounds == load(params).rounds == params.get("rounds", 1)


@pytest.mark.parametrize("name", POINT_PRESETS)
def test_zero_dice_and_faces_stand_for_those_of_the_preset(name):
    assert load({"rules": name}).rules == preset(name)
    assert load({"rules": name, "dice": 0, "faces": 0}).rules == preset(name)


@any_settings
def test_a_game_is_loaded_by_the_rules_that_it_has(params):
    game = load(params)
    same = load_game(game.rules, game.rounds)
    assert (type(same), same.rules, same.rounds) == (ZhaifeiGame, game.rules, game.rounds)
    assert rules_from(parameters_of(game.rules)) == game.rules


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Rules(dice=2, zhai_weight=3), "the OpenSpiel game supports only presets, in any size"),
        (preset("knockout"), "knockout is not played for penalty points"),
    ],
)
def test_rules_that_no_parameters_describe_are_refused(rules, message):
    with pytest.raises(RulesError, match=message):
        load_game(rules)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"players": 1}, "players is 1; it must be 2 to 8"),
        ({"players": 9}, "players is 9; it must be 2 to 8"),
        ({"dice": -1}, "dice is -1; each player has 1 to 9 dice"),
        ({"faces": 1}, "faces is 1; a die has 2 to 9 faces"),
        ({"rounds": 0}, "rounds is 0; it must be positive"),
        (
            {"rules": "knockout"},
            "knockout is not played for penalty points: only `zhaifei arena` supports it",
        ),
        ({"rules": "dudo"}, f"unknown rules 'dudo'; known rules are {', '.join(PRESETS)}"),
    ],
)
def test_parameters_that_describe_no_game_are_refused(params, message):
    for attempt in (load, ZhaifeiGame):
        with pytest.raises(RulesError) as error:
            attempt(params)
        assert str(error.value) == message


@pytest.mark.parametrize("params", [{"jokers": 2}, {"players": "two"}, {"dice": 1.5}, {"rules": 3},
                                    {"jump_challenge": 1}, {"rounds": True}])  # fmt: skip
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
    rounds = params.get("rounds", 1)
    furthest = rules.players - 1 if params.get("jump_challenge") else 1
    assert game.num_distinct_actions() == len(domain(rules)) + furthest
    if rounds == 1:
        assert game.max_chance_outcomes() == len(hands(rules))
        assert game.max_chance_nodes_in_history() == rules.players
    else:
        assert game.max_chance_outcomes() == max(len(hands(rules)), rules.players)
        assert game.max_chance_nodes_in_history() == rounds * rules.players + 1
    assert game.utility_sum() == 0
    assert game.min_utility() == -furthest * rounds
    assert game.max_utility() == pytest.approx(furthest * rounds / (rules.players - 1))


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

    assert longest_round(rules) == bids_left(None) + 1
    assert load(params).max_game_length() == longest_round(rules) * params.get("rounds", 1)


# Rules


@any_settings
def test_openspiel_finds_no_fault_in_random_play(params):
    pyspiel.random_sim_test(load(params), num_sims=5, serialize=True, verbose=False)


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("jump_challenge", [False, True])
@pytest.mark.parametrize("rounds", [1, 3])
def test_openspiel_finds_no_fault_with_any_number_of_players(players, jump_challenge, rounds):
    params = {"players": players, "dice": 2, "jump_challenge": jump_challenge, "rounds": rounds}
    pyspiel.random_sim_test(load(params), num_sims=2, serialize=True, verbose=False)


def test_chance_draws_the_first_starter_of_a_match_uniformly_and_nothing_else_of_a_round():
    state = load({"players": 3, "rounds": 2}).new_initial_state()
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(seat, 1 / 3) for seat in range(3)]
    assert load({"players": 3}).new_initial_state().round.starter == 0


@any_settings
def test_hands_are_dealt_seat_by_seat_with_their_probabilities(params):
    game = load(params)
    state = game.new_initial_state()
    if game.draws_starter:
        state.apply_action(1)
    for seat in range(game.num_players()):
        assert state.is_chance_node()
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        assert outcomes == tuple(range(len(hands(game.rules))))
        np.testing.assert_array_equal(chances, probabilities(game.rules))
        state.apply_action(outcomes[-1 - seat % 2])
    last, second_last = hands(game.rules)[-1], hands(game.rules)[-2]
    assert state.hands == ((last, second_last) * 4)[: game.num_players()]
    assert state.current_player() == (1 if game.draws_starter else 0)


def match_of(state: pyspiel.State, rounds: int) -> Match:
    """A match driven with the same starter, dice and actions."""
    rules, history = state.rules, state.history()
    match = Match(rules, np.random.default_rng(0))
    match.starter = 0
    if rounds > 1 and history:
        match.starter = history.pop(0)
    while len(history) >= rules.players:
        dealt = [hands(rules)[history.pop(0)] for _ in range(rules.players)]
        match.round = Round(rules, dealt, match.starter)
        while history and match.round.settlement is None:
            match.round.take(history.pop(0))
        if match.round.settlement is not None:
            match.settle()
    return match


@settings(max_examples=200)
@given(st.data(), drawn_settings)
def test_a_state_is_a_match_with_the_same_dice_and_actions(data, params):
    game = load(params)
    state = data.draw(states_of(game))
    rules, match = state.rules, match_of(state, game.rounds)
    assert state.points == match.points
    assert state.settled == match.settled
    assert state.is_terminal() == (len(match.settled) == game.rounds)
    if state.is_terminal():
        points, others = match.points, rules.players - 1
        shares = [(sum(points) - own) / others - own for own in points]
        assert state.returns() == pytest.approx(shares, abs=1e-12)
        assert sum(state.returns()) == pytest.approx(0, abs=1e-12)
        assert state.legal_actions() == []
        return
    assert state.returns() == [0] * rules.players
    if state.is_chance_node():
        assert match.round is None
        assert state.bids == state.actions == ()
        return
    assert state.hands == match.round.hands
    assert state.bids == match.round.history
    assert state.current_player() == match.round.turn
    legal = [action for action, bid in enumerate(domain(rules)) if match.round.can_bid(bid)]
    distances = [d for d in range(1, rules.players + 1) if match.round.can_challenge(d)]
    challenges = [len(domain(rules)) + distance - 1 for distance in distances]
    assert state.legal_actions() == legal + challenges


def test_with_jump_challenge_any_other_players_last_bid_may_be_challenged():
    game = load({"players": 3, "dice": 2, "jump_challenge": True})
    state = play(game, ["11", "26", "45"])
    offered = []
    for bid in ("f4x2", "z2x5", "f5x6", "f6x6"):
        names = [state.action_to_string(0, action) for action in state.legal_actions()]
        offered.append([name for name in names if name.startswith("challenge")])
        take(state, bid)
    both = ["challenge", "challenge 2"]
    assert offered == [[], ["challenge"], both, both]


@pytest.mark.parametrize(
    ("said", "returns"),
    [
        (["f4x6", "challenge"], [0.5, -1, 0.5]),
        (["f4x6", "f5x2", "challenge 2"], [1, 1, -2]),
        (["f4x3", "f4x6", "challenge 2"], [-2, 1, 1]),
        (["f4x2", "f4x3", "f4x6", "challenge"], [-1, 0.5, 0.5]),
        (["f4x2", "f4x3", "f4x6", "challenge 2"], [1, -2, 1]),
    ],
)
def test_a_bid_challenged_from_afar_costs_as_many_points_as_it_lies_back(said, returns):
    """Six dice of 11 66 16 count towards sixes, three (the ones) towards any other face."""
    game = load({"players": 3, "dice": 2, "jump_challenge": True})
    assert play(game, ["11", "66", "16"], *said).returns() == returns


def forced(rules: Rules) -> Rules:
    """The same with 跳开 on, also for two players, where rules switch it off."""
    result = Rules.from_dict(rules.to_dict())
    object.__setattr__(result, "jump_challenge", True)
    return result


@pytest.mark.parametrize("params", [TINY, {"rules": "basic", **TINY, "rounds": 2}], ids=str)
def test_with_two_players_jump_challenge_changes_nothing_anywhere(params, monkeypatch):
    off = load(params)
    assert load({**params, "jump_challenge": True}).rules == off.rules
    monkeypatch.setattr("game.openspiel.game.rules_from", lambda given: forced(rules_from(given)))
    on = ZhaifeiGame(params)
    assert (off.rules.jump_challenge, on.rules.jump_challenge) == (False, True)
    for ask in ("num_distinct_actions", "min_utility", "max_utility", "max_game_length",
                "observation_tensor_shape", "information_state_tensor_shape"):  # fmt: skip
        assert getattr(on, ask)() == getattr(off, ask)()

    def seen(state: pyspiel.State) -> list[object]:
        return [
            (
                state.information_state_string(player),
                state.information_state_tensor(player),
                state.observation_string(player),
                state.observation_tensor(player),
            )
            for player in range(2)
        ]

    states = 0
    trees = walk(off.new_initial_state()), walk(on.new_initial_state())
    for without, with_it in zip(*trees, strict=True):
        states += 1
        assert with_it.rules.jump_challenge
        assert with_it.history() == without.history()
        assert str(with_it) == str(without)
        assert with_it.current_player() == without.current_player()
        assert with_it.legal_actions() == without.legal_actions()
        assert with_it.returns() == without.returns()
        assert seen(with_it) == seen(without)
    assert states > 250


def test_the_loser_of_a_round_starts_the_next():
    game = load({"players": 3, "dice": 2, "rounds": 4})
    state = take(game.new_initial_state(), "p2")
    turns = []
    for said in (["f4x6", "challenge"], ["f4x2", "challenge"], ["f4x2", "f4x6", "challenge"]):
        take(state, "11", "66", "16")
        turns.append(state.current_player())
        take(state, *said)
    # Seat 2's 飞4×6 is true, which costs seat 0; its own 飞4×2 is false; seat 1's 飞4×6 is true.
    assert turns == [2, 0, 0]
    assert [end.loser for end in state.settled] == [0, 0, 2]
    assert state.points == [2, 0, 1]
    assert state.is_chance_node()
    assert state.round.starter == 2


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
        ([], "f2x6", "飞2×6 may not open a round: the first bid must have a count of at least 3"),
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
    with pytest.raises(ZhaifeiError, match="no hand has index 252"):
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


GOLDEN = """\
points:0/0/0 -/-/-
> chance: p1 starts
> chance: deal 11
> chance: deal 23
> chance: deal 22
> p1: 飞4×2
> p2: 飞4×3
> p0: 飞5×2
> p1: challenge 2
[p1 starts 11/23/22 飞4×2 飞4×3 飞5×2 challenge 2, p2 loses 2]
  points:0/0/2 starter:p2 -/-/-
[p1 starts 11/23/22 飞4×2 飞4×3 飞5×2 challenge 2, p2 loses 2]
  points:0/0/2 starter:p2 p1
[p1 starts 11/23/22 飞4×2 飞4×3 飞5×2 challenge 2, p2 loses 2]
  points:0/0/2 starter:p2 p1
> chance: deal 12
> chance: deal 33
> chance: deal 13
> p2: 飞4×2
> p0: 飞4×3
> p1: 飞5×2
> p2: challenge 2
[p1 starts 11/23/22 飞4×2 飞4×3 飞5×2 challenge 2, p2 loses 2]
  points:0/0/4 starter:p2 12/33/13 飞4×2 飞4×3 飞5×2 challenge 2
[p1 starts 11/23/22 飞4×2 飞4×3 飞5×2 challenge 2, p2 loses 2]
  points:0/0/4 starter:p2 p1 hand:33 飞4×2 飞4×3 飞5×2 challenge 2
[p1 starts 11/23/22 飞4×2 飞4×3 飞5×2 challenge 2, p2 loses 2]
  points:0/0/4 starter:p2 p1 hand:33 last:飞5×2 before:飞4×3 turn:p2 challenged:2
returns [2.0, 2.0, -4.0]
"""


def replay(transcript: str) -> str:
    """Does what a transcript says after `>`, and writes down what really happened: after each
    challenge and at the end the state, and what seat 1 knows and sees."""
    game = load({"players": 3, "dice": 2, "faces": 3, "jump_challenge": True, "rounds": 2})
    state = game.new_initial_state()
    written = [str(state)]
    for line in transcript.splitlines():
        if not line.startswith("> "):
            continue
        player, said = state.current_player(), line.split(": ")[1]
        actions = {state.action_to_string(player, a): a for a in state.legal_actions()}
        who = "chance" if state.is_chance_node() else f"p{player}"
        state.apply_action(actions[said])
        written.append(f"> {who}: {said}")
        if "challenge" in said:
            texts = str(state), state.information_state_string(1), state.observation_string(1)
            written += [text.replace("] ", "]\n  ") for text in texts]
    return "\n".join([*written, f"returns {state.returns()}"]) + "\n"


def test_golden_match_of_three_with_jump_challenge():
    """Three dice count towards the first 飞4×3: its bidder pays and starts the next round. Five
    count towards the second: there the challenger pays."""
    assert replay(GOLDEN) == GOLDEN


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
    if params == SINGLE[1]:  # One process is enough to see that the pickle imports the game.
        code = (
            f"import pickle; game = pickle.loads({pickle.dumps(game)!r}); "
            "print(game, game.new_initial_state(), game.rules.first_count)"
        )
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[3],
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


def test_cfr_plays_a_match_that_nobody_is_favoured_in():
    """The first starter is drawn and nothing else tells the players apart: the value is zero."""
    game = load({"rules": "basic", **TINY, "rounds": 2})
    solver = cfr.CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    profile = solver.average_policy()
    gap = exploitability.nash_conv(game, profile)
    root = game.new_initial_state()
    first, second = expected_game_score.policy_value(root, [profile, profile])
    assert first == pytest.approx(-second, abs=1e-12)
    assert gap < 0.05
    assert abs(first) <= gap


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


@pytest.mark.parametrize(("faces", "value"), [(3, 1 / 9), (4, 1 / 16)])
def test_cfr_plus_solves_liars_dice_to_its_value(faces, value):
    """The values are those of the linear programme in tests/solver/cfr/test_exact.py."""
    ours = pyspiel.convert_to_cached_tree(load({"rules": "liars_dice", "faces": faces}))
    low, high = enclosed_by_cfr_plus(ours)
    assert low <= value <= high
    assert high - low < 0.005  # 0.0046 measured
    theirs = pyspiel.load_game(f"liars_dice(dice_sides={faces})")
    assert (low, high) == pytest.approx(enclosed_by_cfr_plus(theirs), abs=1e-12)
