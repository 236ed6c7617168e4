"""Matches of two in which dice are lost, solved whole by OpenSpiel, against the values of their
rounds, each solved for itself."""

from functools import lru_cache

import pyspiel
import pytest

from tests.game.openspiel.games import enclosed_by_cfr_plus
from tests.game.openspiel.highs import SOLVED, value
from zhaifei.game.openspiel import load_game
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset

EXACT = 10 * SOLVED
"""A few values of programmes are multiplied and added up."""
DICE = [(2, 1), (1, 2), (1, 1)]

any_variant = pytest.mark.parametrize("name", ["knockout", "increment", "classic"])


def match_rules(name: str, dice: tuple[int, int], faces: int = 2) -> Rules:
    return preset(name, dice=dice, faces=faces)


@lru_cache
def round_value(name: str, faces: int, dice: tuple[int, int]) -> float:
    """What the player who opens it can make sure of in a round for a penalty point."""
    return value(load_game(round_rules(match_rules(name, (2, 2), faces), dice)))


def after(name: str, faces: int, own: int, other: int, won: bool) -> float:
    """The chance of winning the match after a round that one opened, with this many dice."""
    left = (own, other - 1) if won else (own - 1, other)
    if 0 in left:
        return float(won)
    # In knockout the winner starts the next round, in the other games the loser.
    starts = won == match_rules(name, left).stakes.winner_starts
    return chance(name, faces, *left) if starts else 1 - chance(name, faces, *left[::-1])


@lru_cache
def chance(name: str, faces: int, own: int, other: int) -> float:
    """The chance of winning the match if one opens the round, by backward induction."""
    won = (1 + round_value(name, faces, (own, other))) / 2
    ends = [after(name, faces, own, other, end) for end in (True, False)]
    return won * ends[0] + (1 - won) * ends[1]


@pytest.mark.parametrize(
    "name",
    ["knockout", "increment", "classic", pytest.param("classic_plain", marks=pytest.mark.slow)],
)
def test_the_value_of_a_match_is_that_of_its_rounds_by_backward_induction(name: str) -> None:
    """The first starter is drawn. OpenSpiel knows nothing of rounds: it solves all as one game."""
    whole = pyspiel.convert_to_cached_tree(load_game(match_rules(name, (2, 1)), rounds=0))
    wins = (chance(name, 2, 2, 1) + 1 - chance(name, 2, 1, 2)) / 2
    assert value(whole) == pytest.approx(2 * wins - 1, abs=EXACT)


@any_variant
@pytest.mark.parametrize("dice", DICE, ids=str)
def test_to_win_a_round_is_never_worse_than_to_lose_it(name: str, dice: tuple[int, int]) -> None:
    """Under this condition the values of rounds make up that of the match."""
    for faces in (2, 3):
        ends = [after(name, faces, *dice, won=won) for won in (True, False)]
        assert ends[0] >= ends[1] - EXACT


@pytest.mark.parametrize(
    ("dice", "faces"), [((1, 1), 3), ((2, 1), 3), ((1, 2), 3), ((2, 2), 2)], ids=str
)
def test_with_two_players_to_be_asked_changes_no_value(dice: tuple[int, int], faces: int) -> None:
    """Knockout as it is played, with a decision to decline, against the round for a point."""
    asked = match_rules("knockout", dice, faces)
    plain = round_rules(asked, dice)
    assert asked.stakes.out_of_turn
    assert not plain.stakes.out_of_turn
    assert value(load_game(asked)) == pytest.approx(value(load_game(plain)), abs=EXACT)


@any_variant
def test_cfr_plus_encloses_the_value_of_a_match(name: str) -> None:
    game = load_game(match_rules(name, (2, 1)), rounds=0)
    low, high = enclosed_by_cfr_plus(pyspiel.convert_to_cached_tree(game))
    assert low - EXACT <= value(game) <= high + EXACT
    assert high - low < 0.05


def test_a_match_of_two_with_one_die_each_is_one_round_whose_opener_is_drawn() -> None:
    opener = chance("knockout", 3, 1, 1)
    assert opener == pytest.approx((1 + round_value("knockout", 3, (1, 1))) / 2)
    assert opener == pytest.approx(2 / 3, abs=EXACT)
    assert value(load_game(match_rules("knockout", (1, 1), 3), rounds=0)) == pytest.approx(
        0.0, abs=EXACT
    )
