"""The game as text: every legal action can be answered, and an answer is found in what is said."""

import copy

import numpy as np
import pytest

from zhaifei.app.agents.text_game import (
    answer_in,
    legal_actions,
    position_json,
    position_text,
    read_action,
    round_text,
    rules_text,
)
from zhaifei.app.locale import speaking
from zhaifei.game.bids import action_count, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.notation import format_action, parse_history
from zhaifei.game.rounds import Round
from zhaifei.game.rules import PRESETS, Rules, preset
from zhaifei.policies.play.played import played_round
from zhaifei.policies.play.playing import only_choice
from zhaifei.policies.play.record_text import parse_rounds

TWO = preset("zhaifei")
HANDS = ((1, 1, 3, 4, 6), (2, 2, 3, 5, 5))


def after(history: str, rules: Rules = TWO) -> Round:
    return Round(rules, HANDS, history=parse_history(rules, history))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("players", [2, 3])
def test_legal_actions_are_those_that_a_round_takes(name: str, players: int) -> None:
    """Along a random line of play: each listed action is taken, and nothing else is legal."""
    rules = preset(name, players=players, dice=1 if name == "liars_dice" else 2)
    random = np.random.default_rng(0)
    match = Match(rules, random)
    for _ in range(2):
        round_ = match.deal()
        while not round_.is_over and only_choice(round_) is None:
            legal = legal_actions(round_.view())
            for action in legal:
                copy.deepcopy(round_).take(read_action(round_.view(), action))
            assert set(legal) == {*_taken(round_)}
            low = legal[: 1 + len(legal) // 4]
            chosen = low[int(random.integers(len(low)))]
            round_.take(read_action(round_.view(), chosen if random.random() < 0.6 else legal[-1]))
        if not round_.is_over:
            round_.take(challenge_action(rules))
        match.settle()


def _taken(round_: Round) -> list[str]:
    """Every action that the round takes, found by trying all of them."""
    found = []
    for action in [*range(action_count(round_.rules)), -1]:
        try:
            copy.deepcopy(round_).take(action)
        except ZhaifeiError:
            continue
        found.append(format_action(round_.rules, action))
    return found


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("challenge", "challenge"),
        ("  f5x4 \n", "f5x4"),
        ("I hold two sixes.\nSo I bid\nf5x6", "f5x6"),
        ("[f4x6] is too low, I say [ f5x6 ]. Good luck!", "f5x6"),
        ("", ""),
        ("\n \n", ""),
        ("[]", ""),
    ],
)
def test_the_answer_stands_in_the_last_brackets_or_on_the_last_line(text: str, answer: str) -> None:
    assert answer_in(text) == answer


@pytest.mark.parametrize("text", ["", "[]", "hello", "f99x2", "[f4x9]", "x" * 10_000_000])
def test_what_is_no_action_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ZhaifeiError) as caught:
        read_action(after("f4x6").view(), text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_position_tells_what_its_player_knows_and_no_more() -> None:
    view = after("f4x6").view()
    text = position_text(view)
    assert "seat 2 of 2" in text
    assert "2 2 3 5 5" in text
    assert "飞4×6 (seat 1)" in text
    assert "challenge" in text
    assert "1 1 3 4 6" not in text
    told = position_json(view)
    assert told["hand"] == "22355"
    assert told["history"] == "飞4×6"
    assert "11346" not in str(told)


def test_a_position_is_short_however_many_bids_are_legal() -> None:
    rules = preset("zhaifei", players=8)
    view = Match(rules, np.random.default_rng(0)).deal().view()
    assert len(view.legal_bids) > 300
    assert len(position_text(view)) < 600
    assert str(view.legal_bids[0]) in position_text(view)


def test_a_round_that_has_ended_is_a_line_of_a_record() -> None:
    actions = [read_action(after("").view(), "f4x6")]
    actions.append(read_action(after("f4x6").view(), "challenge"))
    played = played_round(TWO, 0, HANDS, actions)
    line, cost = round_text(TWO, played).split("\n")
    (read,) = parse_rounds(line).rounds
    assert (read.hands, read.actions) == (played.hands, played.actions)
    assert cost == "one penalty point for seat 1"


def test_texts_speak_chinese_too() -> None:
    with speaking("zh"):
        text = rules_text(TWO) + position_text(after("f4x6").view())
    assert "叫" in text
    assert "You" not in text
