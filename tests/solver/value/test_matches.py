"""What matches of two are worth: backward induction by hand, and best responses against OpenSpiel,
which plays whole matches and knows nothing of rounds."""

from functools import lru_cache

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as openspiel_policy

from tests.policies.small_policies import poor_match_policy
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.hands import hand_index
from zhaifei.game.openspiel import decline_action, load_game
from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.match_policy import MatchPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.value.matches import (
    OPENER,
    RESPONDER,
    After,
    WinningIsWorse,
    after,
    comes_to,
    gain_of,
    match_response,
    match_values,
    positions_of,
)

LOSER_STARTS, WINNER_STARTS = preset("classic", players=2, dice=2), preset("knockout", dice=(2, 2))
NAMES = ["classic", "knockout", "increment"]


def test_the_loser_of_a_round_has_a_die_less_and_starts_the_next() -> None:
    assert after(LOSER_STARTS, (2, 2), OPENER) == After((1, 2), swapped=True)
    assert after(LOSER_STARTS, (2, 2), RESPONDER) == After((1, 2), swapped=False)


def test_in_knockout_the_winner_starts_the_next() -> None:
    assert after(WINNER_STARTS, (2, 2), OPENER) == After((2, 1), swapped=False)
    assert after(WINNER_STARTS, (2, 2), RESPONDER) == After((2, 1), swapped=True)


@pytest.mark.parametrize("rules", [LOSER_STARTS, WINNER_STARTS], ids=str)
def test_a_match_is_over_when_a_player_has_no_dice(rules: Rules) -> None:
    assert after(rules, (2, 1), OPENER) == After(None, swapped=False)
    assert after(rules, (1, 2), RESPONDER) == After(None, swapped=True)


def test_positions_come_with_the_fewest_dice_first() -> None:
    every = [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert positions_of(LOSER_STARTS) == positions_of(WINNER_STARTS) == every
    assert positions_of(preset("classic", dice=(1, 2))) == [(1, 1), (1, 2), (2, 1)]


@pytest.mark.parametrize("name", ["classic", "knockout", "increment", "classic_plain"])
def test_five_dice_each_make_25_rounds(name: str) -> None:
    assert len(positions_of(preset(name, players=2, dice=5))) == 25


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dice", [(3, 3), (3, 1)], ids=str)
def test_whatever_comes_after_a_position_is_before_it(name: str, dice: tuple[int, int]) -> None:
    rules = preset(name, dice=dice)
    every = positions_of(rules)
    for place, position in enumerate(every):
        for winner in (OPENER, RESPONDER):
            following = after(rules, position, winner).position
            assert following is None or following in every[:place]


def test_rules_for_penalty_points_have_no_positions() -> None:
    with pytest.raises(RulesError, match="is not played for dice"):
        positions_of(preset("zhaifei"))


def test_values_by_hand() -> None:
    """Openers win 60 % of rounds. With a die each that is the match. Who opens with one against two
    must win, and then again when the other opens: .6 * .4."""
    rounds = dict.fromkeys(positions_of(LOSER_STARTS), 0.2)
    values = match_values(LOSER_STARTS, rounds)
    assert values[1, 1] == pytest.approx(0.6)
    assert values[1, 2] == pytest.approx(0.6 * 0.4)
    # If it is won, the other opens with one die against two, otherwise who opened does.
    assert values[2, 2] == pytest.approx(0.6 * (1.0 - 0.24) + 0.4 * 0.24)


def test_a_round_that_it_is_better_to_lose_is_refused() -> None:
    """In knockout the winner starts. Openers lose every round at two dice against one, and win with
    a die each. A player who wins at two each reaches (2, 1) as opener and loses there. That player
    then loses the match, in which the other opens."""
    with pytest.raises(
        WinningIsWorse, match="with 2 against 2 dice it is better to lose the round"
    ):
        match_values(WINNER_STARTS, {(1, 1): 1.0, (1, 2): 0.0, (2, 1): -1.0, (2, 2): 0.0})


# Best responses, by OpenSpiel, in the match as a whole


@lru_cache
def poor_policy(name: str, passes: int) -> MatchPolicy:
    return poor_match_policy(preset(name, dice=(2, 1), faces=2), passes)


def played(policy: MatchPolicy, state: pyspiel.State) -> dict[int, float]:
    """The policy in the match: who is asked declines as often as the policy raises."""
    seat, now = state.current_player(), state.round
    dice = tuple(map(len, state.hands))
    own = policy.at((dice[now.starter], dice[1 - now.starter]))
    row = own.strategy(now.bids)[hand_index(own.rules, state.hands[seat])]
    legal, calls = state.legal_actions(), row[challenge_action(own.rules)]
    challenge, decline = challenge_action(policy.rules), decline_action(policy.rules)
    if decline in legal:
        return {challenge: calls, decline: 1.0 - calls}
    found = dict.fromkeys(legal, 0.0)
    for bid, share in zip(domain(own.rules), row, strict=False):
        if share > 0.0:
            found[domain(policy.rules).index(bid)] = share
    if challenge in legal:
        found[challenge] = calls
    total = sum(found.values())
    return {a: share / total if total else 1.0 / len(legal) for a, share in found.items()}


@pytest.mark.parametrize("passes", [1, 3, 20])
@pytest.mark.parametrize("name", NAMES)
def test_a_best_response_to_a_match_is_made_of_those_to_its_rounds(name: str, passes: int) -> None:
    policy = poor_policy(name, passes)
    game = load_game(policy.rules, rounds=0)
    table, todo = openspiel_policy.TabularPolicy(game), [game.new_initial_state()]
    while todo:
        state = todo.pop()
        todo += [state.child(action) for action in state.legal_actions()]
        if not state.is_chance_node() and not state.is_terminal():
            row = table.policy_for_key(state.information_state_string())
            for action, share in played(policy, state).items():
                row[action] = share
    whole = openspiel_policy.python_policy_to_pyspiel_policy(table)
    root = game.new_initial_state()
    wins = [
        (1.0 + pyspiel.TabularBestResponse(game, seat, whole).value_from_state(root)) / 2.0
        for seat in range(2)
    ]

    rounds = {
        at: one.abstraction.certified(
            one.rules, one.strategy, full_recall_response(one.tables, one.table)
        ).seats
        for at, one in policy.rounds.items()
    }
    found = match_response(policy.rules, rounds)
    # Seat 0 has two dice; who opens is drawn.
    ours = [
        (found[2, 1][OPENER] + found[1, 2][RESPONDER]) / 2.0,
        (found[1, 2][OPENER] + found[2, 1][RESPONDER]) / 2.0,
    ]
    assert all(inside(won, bounds) for won, bounds in zip(wins, ours, strict=True))
    gain = gain_of(policy.rules, found)
    assert inside(sum(wins) / 2.0 - 0.5, gain)
    if not any(misled for one in policy.rounds.values() for misled in misleading(one)):
        assert gain.gap < 1e-9


def misleading(one: TablePolicy) -> tuple[float, float]:
    return one.abstraction.misled(one.rules, one.strategy)


def inside(value: float, bounds: Bounds) -> bool:
    return bounds.lower - 1e-9 <= value <= bounds.upper + 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_bounds_of_rounds_give_bounds_of_the_match(name: str) -> None:
    rules = preset(name, dice=(2, 2))
    rng, positions = np.random.default_rng(3), positions_of(rules)
    for _ in range(20):
        exact = {at: rng.uniform(-0.1, 0.1, size=2) for at in positions}
        wide = {
            at: [Bounds(end - rng.uniform(0, 0.1), end + rng.uniform(0, 0.1)) for end in ends]
            for at, ends in exact.items()
        }
        points = {at: [Bounds(end, end) for end in ends] for at, ends in exact.items()}
        inner, outer = match_response(rules, points), match_response(rules, wide)
        for at in positions:
            for one, other in zip(inner[at], outer[at], strict=True):
                assert other.lower <= one.lower <= one.upper <= other.upper


def test_a_match_comes_to_what_its_players_may_be_left_with_by_the_same_rules() -> None:
    rules = preset("knockout", dice=(2, 1), faces=3)
    for dice in ((2, 1), (1, 2), (1, 1)):
        assert comes_to(rules, preset("knockout", dice=dice, faces=3))
    for other in (
        preset("knockout", dice=(2, 2), faces=3),
        preset("knockout", dice=(2, 1), faces=4),
        preset("knockout", players=3, dice=1, faces=3),
        preset("classic", dice=(2, 1), faces=3),
        preset("basic", dice=(2, 1), faces=3),
    ):
        assert not comes_to(rules, other)
    assert comes_to(preset("knockout", dice=(2, 2), faces=3), rules)
