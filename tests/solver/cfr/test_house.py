"""Games with house rules: what is solved is worth what a linear programme and OpenSpiel say."""

import pytest
from open_spiel.python.algorithms.exploitability import exploitability

import zhaifei
from tests.solver.sequence_form import equilibrium
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.openspiel import to_openspiel
from zhaifei.policies.players.rule_based import rule_based

SMALL = {"dice": 2, "faces": 2}
GAMES = [
    *(
        preset("zhaifei", **SMALL, house=[*house, "first-count=3"])
        for house in (
            ["ones-highest"],
            ["fei-to-zhai=half", "zhai-to-fei=double-plus-one"],
            ["fei-to-zhai=more-than-half", "zhai-to-fei=double"],
            ["fei-to-zhai=flat", "zhai-to-fei=plus-two"],
            ["fei-to-zhai=one-less", "zhai-to-fei=plus-players"],
            ["fei-to-zhai=forbidden", "first-zhai=2"],
            ["zhai-to-fei=forbidden", "first-ones=4"],
            ["zhai-to-fei=forbidden", "ones-highest"],
            ["ones-end-fei"],
            ["ones-end-fei", "ones-highest"],
        )
    ),
    preset("ktv", **SMALL),
    preset("basic", dice=3, faces=3, house=["straight=nothing", "first-count=5"]),
    preset("basic", dice=3, faces=3, house=["straight=rolled-again", "first-count=5"]),
    preset("basic", dice=2, faces=2, house=["five-alike", "first-count=2"]),
    preset("basic", dice=2, faces=2, house=["first-count=2"]),
]

PASSES = 300

any_game = pytest.mark.parametrize("rules", GAMES, ids=str)


@any_game
def test_what_is_solved_with_a_house_rule_is_worth_what_a_linear_programme_says(
    rules: Rules,
) -> None:
    policy = zhaifei.solve(rules, iterations=PASSES * len(hands(rules)) ** 2, threads=1)
    *_, last = Evaluation(policy).refine()
    value = equilibrium(rules, 0)[0]
    assert last.exact
    assert last.exploitability.upper < 0.02
    # A best response to the opener earns at least what the game is worth to who replies.
    assert last.seats[0].lower >= value - 1e-6
    assert last.seats[1].lower >= -value - 1e-6
    theirs = to_openspiel(policy, 0)
    ours = last.exploitability.lower
    assert exploitability(theirs.game, theirs) == pytest.approx(ours, abs=1e-6)


@pytest.mark.parametrize("house", ["straight=nothing", "straight=rolled-again"])
def test_straights_that_do_not_count_change_what_the_game_is_worth(house: str) -> None:
    """Otherwise the test above could not tell that the rule is played."""
    with_it, without = (
        equilibrium(preset("basic", dice=3, faces=3, house=[*more, "first-count=5"]), 0)[0]
        for more in ([house], [])
    )
    assert abs(with_it - without) > 1e-4


def test_what_random_play_loses_where_ones_end_fei_is_what_openspiel_says() -> None:
    """Optimal play of games this small is worth the same with the rule and without. Random play
    makes every bid there is, and loses another amount."""
    found = []
    for house in ([], ["ones-end-fei"]):
        policy = rule_based("random", preset("zhaifei", dice=1, faces=2, house=house))
        *_, last = Evaluation(policy).refine()
        theirs = to_openspiel(policy, 0)
        assert last.exact
        found.append(last.exploitability.lower)
        assert exploitability(theirs.game, theirs) == pytest.approx(found[-1], abs=1e-6)
    assert abs(found[0] - found[1]) > 1e-3
