"""Values from another kind of method: linear programmes (`tests.solver.sequence_form`)."""

from functools import lru_cache

import numpy as np
import pyspiel
import pytest

from tests.solver import measured, plain_game
from tests.solver.sequence_form import (
    SMALL,
    SOLVED,
    History,
    Strategy,
    best_plan_value,
    equilibrium,
)
from tests.solver.written_down import both, written_down
from zhaifei.game.bids import challenge_action
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.response.several_players import best_response_in
from zhaifei.solver.response.table_search import best_response

CUTS = [0.3, 0.03, 0.003, 0.0]


# Best responses


any_tables = pytest.mark.parametrize("variant", measured.VARIANTS)
any_kind = pytest.mark.parametrize("kind", measured.KINDS)


@lru_cache
def lp_values(variant: str, kind: str) -> list[float]:
    """[seat] what the best plan against a table earns."""
    case = measured.case(variant, kind)
    return [
        best_plan_value(case.rules, seat, lambda history: measured.strategy_at(case, history))
        for seat in (0, 1)
    ]


def general(rules: Rules, strategy: Strategy, cut: float) -> list[Bounds]:
    """[seat] what the search for any policy says."""
    return [
        best_response_in(bid_tables(rules), seat, lambda asked: [strategy(h) for h in asked], cut)
        for seat in range(rules.players)
    ]


def inside(value: float, bounds: Bounds, margin: float = SOLVED) -> bool:
    return bounds.lower - margin <= value <= bounds.upper + margin


@any_kind
@any_tables
def test_at_every_cut_both_searches_hold_the_value_of_the_best_plan(variant, kind):
    case = measured.case(variant, kind)
    for cut in CUTS:
        of_tables = best_response(case.tables, case.table, cut).seats
        of_any = general(case.rules, lambda history: measured.strategy_at(case, history), cut)
        for seat, value in enumerate(lp_values(variant, kind)):
            assert inside(value, of_tables[seat]), cut
            assert inside(value, of_any[seat]), cut
            if cut == 0.0:
                assert max(of_tables[seat].gap, of_any[seat].gap) < 1e-9


@pytest.mark.parametrize("name", ["zhaifei", "liars_dice"])
def test_at_every_cut_the_value_of_the_best_plan_among_three_is_held(name):
    rules = preset(name, players=3, dice=1, faces=2)

    def strategy(history: History) -> np.ndarray:
        rng = np.random.default_rng([11, *history])
        result = np.zeros((len(hands(rules)), challenge_action(rules) + 1))
        actions = plain_game.legal_actions(rules, history)
        result[:, actions] = rng.dirichlet(np.full(len(actions), 0.5), len(result))
        return result

    exact = [best_plan_value(rules, seat, strategy) for seat in range(3)]
    for cut in CUTS:
        for value, bounds in zip(exact, general(rules, strategy, cut), strict=True):
            assert inside(value, bounds), cut
    assert all(bounds.gap < 1e-9 for bounds in general(rules, strategy, 0.0))


# Equilibria


LIARS_DICE = preset("liars_dice")
any_small = pytest.mark.parametrize("rules", SMALL.values(), ids=SMALL)


def test_the_value_of_liars_dice_with_one_die_is_the_known_one():
    assert equilibrium(LIARS_DICE, 0)[0] == pytest.approx(-7 / 258, abs=SOLVED)


@any_small
def test_what_both_seats_can_make_sure_of_sums_to_nothing(rules):
    assert equilibrium(rules, 0)[0] == pytest.approx(-equilibrium(rules, 1)[0], abs=SOLVED)


@pytest.mark.parametrize("rules", [*SMALL.values(), LIARS_DICE], ids=[*SMALL, "6 faces"])
def test_an_equilibrium_is_certified_not_to_be_exploitable(rules):
    tables, table = bid_tables(rules), written_down(rules, both(rules))
    result = best_response(tables, table)
    assert result.exact
    assert result.exploitability.upper < 1e-6
    assert result.exploitability.lower > -1e-6
    assert inside(equilibrium(rules, 0)[0], result.seats[0], margin=1e-6)


@any_small
def test_at_every_cut_both_searches_hold_the_value_of_the_game(rules):
    """What best responses to an equilibrium earn is what the game is worth."""
    value = equilibrium(rules, 0)[0]
    tables, table = bid_tables(rules), written_down(rules, both(rules))
    for cut in CUTS:
        of_tables = best_response(tables, table, cut).seats
        for bounds in (of_tables, general(rules, both(rules), cut)):
            assert inside(value, bounds[0], margin=1e-6), cut
            assert inside(-value, bounds[1], margin=1e-6), cut
            if cut == 0.0:
                assert bounds[0].upper + bounds[1].upper < 2e-6


def test_the_best_plan_is_the_best_response_of_openspiel():
    """Of what OpenSpiel's own game calls the uniform policy."""
    game_ = pyspiel.load_game("liars_dice(dice_sides=4)")
    uniform = pyspiel.UniformRandomPolicy(game_)
    rules, root = SMALL["liar's dice"], game_.new_initial_state()

    def strategy(history: History) -> np.ndarray:
        actions = plain_game.legal_actions(rules, history)
        result = np.zeros((len(hands(rules)), challenge_action(rules) + 1))
        result[:, actions] = 1 / len(actions)
        return result

    for seat in (0, 1):
        theirs = pyspiel.TabularBestResponse(game_, seat, uniform).value_from_state(root)
        assert best_plan_value(rules, seat, strategy) == pytest.approx(theirs, abs=SOLVED)
