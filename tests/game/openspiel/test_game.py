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

from tests.game.openspiel.games import (
    DICE,
    POINTS,
    SINGLE,
    TINY,
    any_settings,
    drawn_settings,
    enclosed_by_cfr_plus,
    load,
    play,
    point_settings,
    states_of,
    take,
    walk,
)
from tests.game.test_bidding import may_follow, ways_to_end
from zhaifei.game.bids import Bid, IllegalBid, State, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, hands_of, probabilities_of
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_bid
from zhaifei.game.openspiel import (
    ZhaifeiGame,
    decline_action,
    load_game,
    longest_round,
    parameters_of,
    rules_from,
)
from zhaifei.game.parts import Mode, Points, RulesError
from zhaifei.game.positions import round_rules
from zhaifei.game.rounds import Round, count_dice
from zhaifei.game.rules import PRESETS, Rules, preset

# Loading


def rules_of(params: dict) -> Rules:
    """The rules, from the words of the parameters."""
    dice = params.get("dice_by_player")
    rules = preset(
        params.get("rules", "zhaifei"),
        players=params.get("players", 2),
        dice=tuple(map(int, dice.split(":"))) if dice else params.get("dice"),
        faces=params.get("faces"),
        jump_challenge=params.get("jump_challenge", False),
        house=params["house"].split("+") if "house" in params else (),
    )
    return round_rules(rules, rules.dice_by_player) if params.get("for_points") else rules


@any_settings
def test_both_ways_to_load_give_the_same_game(params):
    text = ",".join(f"{key}={value}" for key, value in params.items())
    by_text = pyspiel.load_game(f"python_zhaifei({text})")
    assert str(by_text) == str(load(params))
    assert by_text.rules == load(params).rules == rules_of(params)
    assert by_text.rounds == load(params).rounds == params.get("rounds", 1)


@pytest.mark.parametrize("name", PRESETS)
def test_zero_dice_and_faces_stand_for_those_of_the_preset(name):
    assert load({"rules": name}).rules == preset(name, players=2)
    assert load({"rules": name, "dice": 0, "faces": 0}).rules == preset(name, players=2)


def test_dice_by_player_are_those_of_seats_0_and_1():
    assert load({"dice_by_player": "5:3"}).rules == preset("zhaifei", dice=(5, 3))
    assert load({"dice_by_player": "3:5", "dice": 5}).rules == preset("zhaifei", dice=(3, 5))
    assert load({"dice_by_player": "2:2"}).rules == preset("zhaifei", dice=2)


def test_a_round_of_a_match_of_two_for_points_is_that_of_round_rules():
    match = preset("knockout", players=2)
    game = load({"rules": "knockout", "dice_by_player": "3:5", "for_points": True})
    assert game.rules == round_rules(match, (3, 5)) != preset("knockout", dice=(3, 5))
    assert load_game(round_rules(match, (3, 5))).rules == round_rules(match, (3, 5))


@any_settings
def test_a_game_is_loaded_by_the_rules_that_it_has(params):
    game = load(params)
    same = load_game(game.rules, game.rounds)
    assert (type(same), same.rules, same.rounds) == (ZhaifeiGame, game.rules, game.rounds)
    assert rules_from(parameters_of(game.rules)) == game.rules


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            Rules.of(dice=2, wild_may_be_named=True),
            "the OpenSpiel game supports only presets, in any size",
        ),
        (Rules.of(first_count=1, loses_dice=True, winner_starts=True), "supports only presets"),
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
            {"rules": "knockout", "rounds": 2},
            "rounds is 2; where dice are lost it must be 1, or 0 for a whole match",
        ),
        (
            {"rules": "knockout", "rounds": 0, "for_points": True},
            "rounds is 0; it must be positive",
        ),
        (
            {"for_points": True},
            "zhaifei: 2 players, 5 dice of 6 faces each is not played for dice: its rounds are for "
            "penalty points",
        ),
        (
            {"rules": "knockout", "players": 3, "for_points": True},
            "matches for 3 players are not solved, only those for two",
        ),
        (
            {"dice_by_player": "5-3"},
            "dice_by_player is '5-3'; it must be numbers of dice, like 5:3",
        ),
        (
            {"dice_by_player": "5:3", "dice": 3},
            "dice is 3, but dice_by_player is 5:3; dice must be 0 or 5",
        ),
        (
            {"dice_by_player": "5:3", "players": 3},
            "2 numbers of dice for 3 players",
        ),
        (
            {"dice_by_player": "5:0"},
            "dice is 0; each player has 1 to 9 dice",
        ),
        ({"rules": "dudo"}, f"unknown rules 'dudo'; known rules are {', '.join(PRESETS)}"),
    ],
)
def test_parameters_that_describe_no_game_are_refused(params, message):
    for attempt in (load, ZhaifeiGame):
        with pytest.raises(RulesError) as error:
            attempt(params)
        assert str(error.value) == message


@pytest.mark.parametrize(
    "params",
    [
        {"jokers": 2},
        {"players": "two"},
        {"dice": 1.5},
        {"rules": 3},
        {"jump_challenge": 1},
        {"rounds": True},
    ],
)
def test_unknown_and_mistyped_parameters_are_refused(params):
    with pytest.raises(pyspiel.SpielError, match=r"(?i)parameter"):
        load(params)
    with pytest.raises(RulesError, match=str(next(iter(params)))):
        rules_from(params)


# GameInfo


@point_settings
def test_game_info_describes_the_variant(params):
    game = load(params)
    rules = game.rules
    assert game.num_players() == rules.players
    rounds = params.get("rounds", 1)
    furthest = rules.players - 1 if params.get("jump_challenge") else 1
    doubled, house = rules.stakes.doubled, params.get("house", "")
    gives_up = bool(doubled) and "forbidden" not in house
    assert game.num_distinct_actions() == len(domain(rules)) + furthest + gives_up
    rolled_again = ["straight=rolled-again"] if "again" in house else []
    dice = max(rules.dice_by_player)
    most = len(hands(preset("basic", dice=dice, faces=rules.faces, house=rolled_again)))
    if rounds == 1 or rules.table.uneven:
        assert game.max_chance_outcomes() == most
        assert game.max_chance_nodes_in_history() == rounds * rules.players
    else:
        assert game.max_chance_outcomes() == max(most, rules.players)
        assert game.max_chance_nodes_in_history() == rounds * rules.players + 1
    assert game.utility_sum() == 0
    points = max(furthest, *doubled, 1) * rounds
    assert game.min_utility() == -points
    assert game.max_utility() == pytest.approx(points / (rules.players - 1))


def test_game_info_of_the_full_game():
    game = load({})
    assert game.num_distinct_actions() == 111
    assert game.max_chance_outcomes() == 252
    assert game.max_game_length() == 75  # 74 bids, each the smallest raise, and the challenge.
    assert game.max_history_length() == 77


def test_game_info_of_a_whole_match():
    """Of two dice against one with three faces: six bids on twos and threes, to challenge, to
    decline; six hands of two dice; a starter, and two rounds of two hands."""
    game = load({"rules": "knockout", "dice_by_player": "2:1", "faces": 3, "rounds": 0})
    assert game.num_distinct_actions() == 8
    assert game.max_chance_outcomes() == 6
    assert game.max_chance_nodes_in_history() == 5
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1, 1, 0)
    assert load({"rules": "increment", "players": 4, "rounds": 0}).min_utility() == -1 / 3


def test_a_round_for_a_die_costs_its_loser_1_as_one_for_a_point_does():
    game = load({"rules": "knockout", "players": 3})
    assert (game.min_utility(), game.max_utility()) == (-1, 0.5)
    assert load({"rules": "increment"}).max_game_length() == 13  # Counts 1 to 12; a challenge.


@any_settings
def test_no_game_is_longer_than_the_longest_bidding_of_each_round(params):
    game, rules = load(params), load(params).rules

    @lru_cache
    def bids_left(last: Bid | None, table: int) -> int:
        return max(
            (1 + bids_left(bid, table) for bid in legal_bids_with(rules, State(last), table)),
            default=0,
        )

    def longest(table: int) -> int:
        """Where others are asked, all with dice but the bidder decline after each bid."""
        asked = min(rules.players, table) - 1 if rules.stakes.out_of_turn else 0
        return bids_left(None, table) * (1 + asked) + 1

    total = sum(rules.dice_by_player)
    assert longest_round(rules) == longest(total)
    if game.rounds == 0:
        assert game.max_game_length() == sum(longest(table) for table in range(2, total + 1))
    else:
        assert game.max_game_length() == longest(total) * game.rounds


def test_a_whole_match_can_be_as_long_as_max_game_length():
    game = load({"rules": "knockout", "dice_by_player": "2:1", "faces": 3, "rounds": 0})
    state = take(game.new_initial_state(), "p1", "22", "2")
    for bid in ("f1x2", "f1x3", "f2x3", "f3x3"):
        take(state, bid, "decline")
    assert state.legal_actions() == [6]  # To challenge: no raise is left.
    take(state, "challenge", "1", "1")
    assert (state.dice, state.round.starter) == ((1, 1), 1)
    for bid in ("f1x2", "f1x3", "f2x3"):
        take(state, bid, "decline")
    take(state, "challenge")
    assert state.is_terminal()
    assert len(state.history()) == game.max_history_length()
    assert game.max_game_length() == 16


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
    for seat, dice in enumerate(game.rules.dice_by_player):
        assert state.is_chance_node()
        outcomes, chances = zip(*state.chance_outcomes(), strict=True)
        assert outcomes == tuple(range(len(hands_of(game.rules, dice))))
        np.testing.assert_array_equal(chances, probabilities_of(game.rules, dice))
        state.apply_action(outcomes[-1 - seat % 2])
        assert state.hands[seat] == hands_of(game.rules, dice)[-1 - seat % 2]
    assert not state.is_chance_node()
    assert state.round.starter == (1 if game.draws_starter else 0)


def test_the_dice_that_are_left_are_dealt_to_those_who_have_some():
    game = load({"rules": "increment", "players": 3, "dice": 2, "faces": 3, "rounds": 0})
    state = take(game.new_initial_state(), "p1", "11", "22", "33", "z1x1", "challenge")
    assert (state.dice, state.round.starter) == ((2, 2, 1), 2)
    take(state, "11", "22", "1", "z1x3", "challenge")
    assert (state.dice, state.round.starter) == ((2, 2, 0), 0)
    take(state, "11", "12")
    assert state.hands == ((1, 1), (1, 2), ())
    assert not state.is_chance_node()
    take(state, "z1x1")
    assert state.current_player() == 1
    assert "11/12/out" in str(state)


def match_of(game: ZhaifeiGame, state: pyspiel.State) -> Match:
    """A match for points driven with the same starter, dice and actions."""
    rules, history = state.rules, state.history()
    match = Match(rules, np.random.default_rng(0))
    match.starter = 0
    if game.draws_starter and history:
        match.starter = history.pop(0)
    while len(history) >= rules.players:
        dealt = [hands_of(rules, dice)[history.pop(0)] for dice in rules.dice_by_player]
        match.round = Round(rules, dealt, match.starter)
        while history and match.round.settlement is None:
            match.round.take(history.pop(0))
        if match.round.settlement is not None:
            match.settle()
    return match


def elimination_of(game: ZhaifeiGame, state: pyspiel.State) -> Match:
    """A match for dice driven with the same starter, dice and actions."""
    rules, history = state.rules, state.history()
    match = Match(rules, np.random.default_rng(0))
    match.starter = 0
    if game.draws_starter and history:
        match.starter = history.pop(0)
    while len(history) >= sum(map(bool, match.score)):
        dealt = [hands_of(rules, dice)[history.pop(0) if dice else 0] for dice in match.score]
        match.round = Round(rules, dealt, match.starter)
        while history and not match.round.is_over:
            act(match.round, history.pop(0))
        if not match.round.is_over:
            break
        match.settle()
        if game.rounds == 1:
            break
    return match


def act(current: Round, action: int) -> None:
    bids = domain(current.rules)
    if action < len(bids):
        current.bid(bids[action])
    elif action == len(bids):
        current.challenge()
    else:
        current.decline()


@settings(max_examples=200)
@given(st.data(), st.sampled_from(POINTS))
def test_a_state_is_a_match_with_the_same_dice_and_actions(data, params):
    game = load(params)
    state = data.draw(states_of(game))
    rules, match = state.rules, match_of(game, state)
    assert state.points == match.score
    assert state.settled == match.settled
    assert state.is_terminal() == (len(match.settled) == game.rounds)
    if state.is_terminal():
        points, others = match.score, rules.players - 1
        shares = [(sum(points) - own) / others - own for own in points]
        assert state.returns() == pytest.approx(shares, abs=1e-12)
        assert sum(state.returns()) == pytest.approx(0, abs=1e-12)
        assert state.legal_actions() == []
        return
    if not in_the_same_round(state, match):
        return
    legal = [action for action, bid in enumerate(domain(rules)) if match.round.can_bid(bid)]
    distances = [d for d in range(1, rules.players + 1) if match.round.can_challenge(d)]
    challenges = [len(domain(rules)) + distance - 1 for distance in distances]
    gives_up = [len(domain(rules)) + 1] if match.round.can_give_up() else []
    assert state.legal_actions() == legal + challenges + gives_up


@pytest.mark.parametrize(
    ("house", "players"),
    [
        ("doubles:2", 2),
        ("doubles:2-4", 2),
        ("doubles:2-4-8+giving-up:half", 2),
        ("doubles:3+ones-end-fei", 2),
        ("doubles:2-4", 3),
        ("doubles:2-4-8+giving-up:half", 3),
        ("doubles:2", 4),
    ],
)
def test_doubles_are_those_of_a_plain_twin_of_the_rules(house, players):
    """Every state of one die of two faces each: what may be said, and who pays how much."""
    size = {"players": players, "dice": 1, "faces": 2}
    game = load({"rules": "zhaifei" if players == 2 else "basic", **size, "house": house})
    bids, ends = domain(game.rules), 0
    for state in walk(game.new_initial_state()):
        if state.is_chance_node():
            continue
        said = state.bids
        ways = ways_to_end(game.rules, said)
        plain = len([bid for bid in said if not bid.doubled])
        bidder, doubter = (plain - 1) % players, plain % players
        mover, other = (bidder, doubter) if (len(said) - plain) % 2 else (doubter, bidder)
        if not state.is_terminal():
            assert state.current_player() == mover
            legal = [bid for bid in bids if may_follow(game.rules, said, bid)]
            actions = [*map(bids.index, legal), *range(len(bids), len(bids) + len(ways))]
            assert state.legal_actions() == actions
            continue
        ends += 1
        _, claimed, cost, turned = ways[state.actions[-1] - len(bids)]
        challenger, accused = (other, mover) if turned else (mover, other)
        counted = count_dice(game.rules, said[-1], state.hands)
        loser = challenger if counted >= claimed else accused
        share = cost / (players - 1)
        assert state.returns() == [-cost if seat == loser else share for seat in range(players)]
    assert ends > 100


def in_the_same_round(state, match) -> bool:
    """Whether a round is going on in a state that is not terminal and in the match alike."""
    assert state.returns() == [0] * state.rules.players
    if state.is_chance_node():
        assert match.round is None
        assert state.bids == state.actions == ()
        return False
    assert state.hands == match.round.hands
    assert state.bids == match.round.history
    assert state.current_player() == match.round.turn
    return True


@settings(max_examples=300)
@given(st.data(), st.sampled_from(DICE))
def test_a_state_is_a_match_for_dice_with_the_same_dice_and_actions(data, params):
    game = load(params)
    state = data.draw(states_of(game))
    rules, match = state.rules, elimination_of(game, state)
    assert state.dice == tuple(match.score)
    assert state.settled == match.settled
    ended = len(match.settled) == 1 if game.rounds else match.winner is not None
    assert state.is_terminal() == ended
    if ended:
        share = 1 / (rules.players - 1)
        if game.rounds:
            loser = match.settled[0].loser
            expected = [-1 if seat == loser else share for seat in range(rules.players)]
        else:
            expected = [1 if seat == match.winner else -share for seat in range(rules.players)]
        assert state.returns() == pytest.approx(expected, abs=1e-12)
        assert sum(state.returns()) == pytest.approx(0, abs=1e-12)
        assert state.legal_actions() == []
        return
    if not in_the_same_round(state, match):
        return
    legal = [domain(rules).index(bid) for bid in match.round.legal_bids()]
    challenges = [len(domain(rules))] if match.round.can_challenge() else []
    declines = [len(domain(rules)) + 1] if match.round.is_asked else []
    assert state.legal_actions() == legal + challenges + declines


def test_after_a_bid_the_others_are_asked_before_the_next_bid():
    """As in knockout; in classic the next player bids or challenges at once."""
    state = play(load({"rules": "knockout", "players": 3}), ["22222"] * 3, "f1x2")
    challenge, decline = 15 * 5, 15 * 5 + 1
    assert decline_action(state.rules) == decline
    for seat in (1, 2):
        assert state.current_player() == seat
        assert state.legal_actions() == [challenge, decline]
        names = [state.action_to_string(seat, action) for action in (challenge, decline)]
        assert names == ["challenge", "decline"]
        take(state, "decline")
    assert state.current_player() == 1
    assert {challenge, decline}.isdisjoint(state.legal_actions())
    assert str(state) == "22222/22222/22222 飞1×2 decline decline"
    classic = play(load({"rules": "classic", "players": 3}), ["22222"] * 3, "f1x2")
    assert classic.current_player() == 1
    assert challenge in classic.legal_actions()
    assert decline not in classic.legal_actions()
    assert classic.num_distinct_actions() == 76


def test_who_is_asked_last_may_challenge_too():
    """Seat 0 bids six fives, of which there are five: seat 2 wins, and seat 0 loses a die."""
    game = load({"rules": "knockout", "players": 3, "rounds": 0})
    state = take(game.new_initial_state(), "p0", "22222", "55555", "22222", "f6x5", "decline")
    take(state, "challenge")
    assert state.dice == (4, 5, 5)
    assert state.round.starter == 2


@pytest.mark.parametrize(("rules", "starter"), [("knockout", 1), ("classic", 0)])
def test_after_a_round_for_a_die_who_starts_is_as_the_rules_say(rules, starter):
    """Seat 0 loses: in knockout the winner starts the next round, in classic the loser."""
    game = load({"rules": rules, "dice": 2, "rounds": 0})
    state = take(game.new_initial_state(), "p0", "22", "33", "f3x4", "challenge")
    assert state.dice == (1, 2)
    assert state.round.starter == starter


@pytest.mark.parametrize("name", ["knockout", "published"])
def test_an_invalid_bid_is_no_action_also_where_it_would_forfeit(name):
    state = play(load({"rules": name, "dice": 2}), ["22", "33"])
    if name == "knockout":
        take(state, "f2x3", "decline")
    before = str(state), state.legal_actions()
    with pytest.raises(IllegalBid):
        state.apply_action(0)
    assert (str(state), state.legal_actions()) == before


def test_the_dice_make_the_first_bid_of_published():
    """A pair of twos and so three twos; of two different dice the lower, and two of it."""
    game = load({"rules": "published", "dice": 2, "rounds": 0})
    state = take(game.new_initial_state(), "p1", "11", "22")
    assert str(state) == "dice:2/2 starter:p1 11/22 斋3×2"
    assert state.current_player() == 0
    take(state, "challenge", "16", "6")
    assert state.bids == (Bid(Mode.ZHAI, 2, 6),)
    assert state.round.starter == 1


def test_with_uneven_dice_seat_0_starts_every_round_for_points():
    state = load({"dice_by_player": "2:1", "rounds": 2}).new_initial_state()
    take(state, "22", "2", "f3x3", "challenge")
    assert state.points == [1, 0]
    assert state.round.starter == 0
    take(
        state,
        "22",
        "2",
        "f3x2",
        "challenge",
    )
    assert state.returns() == [0, 0]


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
    object.__setattr__(result, "stakes", Points(jump_challenge=True))
    return result


@pytest.mark.parametrize("params", [TINY, {"rules": "basic", **TINY, "rounds": 2}], ids=str)
def test_with_two_players_jump_challenge_changes_nothing_anywhere(params, monkeypatch):
    off = load(params)
    assert load({**params, "jump_challenge": True}).rules == off.rules
    monkeypatch.setattr(
        "zhaifei.game.openspiel.game.rules_from", lambda given: forced(rules_from(given))
    )
    on = ZhaifeiGame(params)
    assert (off.rules.stakes.jump_challenge, on.rules.stakes.jump_challenge) == (False, True)
    for ask in (
        "num_distinct_actions",
        "min_utility",
        "max_utility",
        "max_game_length",
        "observation_tensor_shape",
        "information_state_tensor_shape",
    ):
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
        assert with_it.rules.stakes.jump_challenge
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
        (
            [],
            "f2x6",
            "飞2×6 may not open a round: as the first bid, it must have a count of at least 3",
        ),
        ([], "challenge", "there is no bid to challenge: the first player must bid"),
        (
            ["f4x5"],
            "z2x5",
            "斋2×5 is not stronger than 飞4×5: 斋 takes 3 or more, or 2 of a higher face",
        ),
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
            "print(game, game.new_initial_state(), game.rules.bidding.first_count)"
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
    for _ in range(500):
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
    ours = load({"rules": "liars_dice", "faces": 4})
    theirs = pyspiel.load_game("liars_dice(dice_sides=4)")
    assert ours.num_distinct_actions() == theirs.num_distinct_actions()
    assert ours.max_game_length() == theirs.max_game_length()
    states = assert_same_trees(ours.new_initial_state(), theirs.new_initial_state())
    # Each of 16 deals: the subsets of 8 bids, and each but the empty one also challenged. Then the
    # two kinds of chance node: nothing rolled, and one die rolled.
    assert states == 16 * (2**8 + 2**8 - 1) + 1 + 4


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


@pytest.mark.parametrize(("faces", "value"), [(3, 1 / 9), (4, 1 / 16)])
def test_cfr_plus_solves_liars_dice_to_its_value(faces, value):
    """The values are those of the linear programme in tests/solver/cfr/test_exact.py."""
    ours = pyspiel.convert_to_cached_tree(load({"rules": "liars_dice", "faces": faces}))
    low, high = enclosed_by_cfr_plus(ours)
    assert low <= value <= high
    assert high - low < 0.005  # 0.0046 measured
    theirs = pyspiel.load_game(f"liars_dice(dice_sides={faces})")
    assert (low, high) == pytest.approx(enclosed_by_cfr_plus(theirs), abs=1e-12)
