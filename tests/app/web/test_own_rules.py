"""Rules that a visitor taps together."""

import pytest

from zhaifei.app.rules_questions import Answers, questions
from zhaifei.app.web.games import OWN_RULES, POINTS, game_of, point_games, rules_of
from zhaifei.app.web.own_rules import answer, is_answer, questions_html, rules_html
from zhaifei.app.web.real_table import Setup
from zhaifei.app.web.settings import GAMES, Settings
from zhaifei.app.web.taps import offered_in
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset

SETTINGS = Settings("127.0.0.1", 0, None, None, 1, None)


def tapped(players: int, *taps: str) -> Answers:
    """The answers after taps, each of which is offered."""
    answers = Answers(players)
    for tap in taps:
        assert tap in offered_in(questions_html(answers))
        assert is_answer(tap)
        answer(answers, tap)
    return answers


def test_without_a_tap_ones_own_rules_are_the_usual_ones() -> None:
    assert tapped(2).rules() == Rules()
    assert tapped(4).rules() == Rules.of(players=4)


def test_from_taps_come_the_rules_of_ktv() -> None:
    answers = tapped(
        *(2, "count first_zhai 2", "choose fei_to_zhai 1", "choose zhai_to_fei 1"),
        *("choose ones 0", "choose hands 1"),
    )
    assert answers.rules() == preset("ktv")
    assert SETTINGS.rules_for(OWN_RULES, 2, answers, jump_challenge=False) == preset("ktv")


def test_from_taps_come_doubles_and_what_it_costs_to_give_up() -> None:
    asked = [one.name for one in questions(tapped(2))]
    assert "giving_up" not in asked
    answers = tapped(2, "choose doubles 2", "choose giving_up 1")
    assert answers.rules() == Rules.of(doubled=(2, 4), giving_up="half")
    answer(answers, "choose doubles 0")
    assert answers.rules() == Rules(), "what is no longer asked does not count"


def test_among_three_and_more_earlier_bids_may_be_challenged_instead() -> None:
    answers = tapped(4, "choose jump 2")
    assert answers.rules() == Rules.of(players=4, jump_challenge=True, jump_cost="one")
    assert "doubles" not in [one.name for one in questions(answers)]
    answers = tapped(4, "choose doubles 2", "choose giving_up 1")
    assert answers.rules() == Rules.of(players=4, doubled=(2, 4), giving_up="half")


def test_a_second_tap_takes_an_answer_back_where_several_may_hold() -> None:
    answers = tapped(2, "choose hands 0", "choose hands 2", "choose hands 0")
    assert answers.rules() == Rules.of(five_alike="one_more")
    other = tapped(2, "choose fei_to_zhai 5", "choose fei_to_zhai 0")
    assert other.rules() == Rules()


def test_answers_that_contradict_each_other_are_told_and_refused() -> None:
    answers = tapped(2, "choose fei_to_zhai 3", "choose zhai_to_fei 1")
    assert "bids could go round for ever" in rules_html(OWN_RULES, 2, answers, jump=False)
    with pytest.raises(ZhaifeiError, match="bids could go round for ever"):
        rules_of(OWN_RULES, 2, answers, jump=False)


@pytest.mark.parametrize("game", POINTS)
def test_every_named_game_is_offered_and_told_in_words(game: str) -> None:
    assert game in GAMES
    assert game in point_games()
    for players in (2, 3):
        rules = SETTINGS.rules_for(game, players, jump_challenge=False)
        assert rules == preset(game, players=players)
        assert game_of(rules) == game
        said = rules_html(game, players, Answers(players), jump=False)
        assert f"{game}: {players} players" in said
        assert ("劈" in said) == bool(rules.stakes.doubled)


def test_a_table_with_real_dice_has_the_rules_that_were_tapped() -> None:
    setup = Setup()
    setup.set_players(3)
    setup.game = "ktv"
    assert setup.table().rules == preset("ktv", players=3)
    setup.set_players(2)
    setup.game = "southern"
    assert setup.table().rules == preset("southern")
    setup.set_players(3)
    setup.game = OWN_RULES
    answer(setup.answers, "choose jump 1")
    assert setup.table().rules == Rules.of(players=3, jump_challenge=True)
