"""A scored match with a player who answers in text."""

import pytest

from tests.policies.small_policies import random_policy
from zhaifei.app.agents.scored_play import play_scored, prompt
from zhaifei.app.agents.text_game import legal_actions
from zhaifei.game.notation import format_action
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules
from zhaifei.policies.review.scoring import ScoredMatch

RULES = Rules.of(dice=1, faces=3, modes=(Mode.FEI,))


def match(rounds: int = 6) -> ScoredMatch:
    return ScoredMatch(random_policy(RULES), rounds, 0)


def test_the_score_so_far_is_told_after_each_round() -> None:
    told = [*play_scored(match(), lambda text: legal(text)[0])]
    assert told[-1] == 6
    assert told == sorted(set(told))


def test_rounds_in_which_nobody_asks_the_player_count_too() -> None:
    """Among three, a round may end before the last player's turn."""
    rules = Rules.of(players=3, dice=1, faces=3, modes=(Mode.FEI,))
    for seed in range(20):
        playing = ScoredMatch(random_policy(rules), 1, seed)
        assert [*play_scored(playing, lambda text: legal(text)[0])] == [1]
        assert playing.score().rounds == 1


def legal(text: str) -> list[str]:
    """The actions that a prompt lists."""
    lines = text.splitlines()
    listed = [line for line in lines if line.startswith(("You may bid", "Instead of a bid"))]
    return ", ".join(line.partition(": ")[2] for line in listed).split(", ")


def test_an_illegal_answer_is_told_why_and_asked_once_more() -> None:
    asked: list[str] = []

    def stubborn(text: str) -> str:
        asked.append(text)
        return "f9x9" if len(asked) == 1 else legal(text)[0]

    playing = match()
    assert [*play_scored(playing, stubborn)]
    assert playing.score().illegal == 1
    assert "Your last answer does not count: 飞9×9 is not a bid" in asked[1]
    assert asked[1].startswith(asked[0]), "the position is the same"


def test_after_a_second_illegal_answer_the_bid_is_challenged() -> None:
    playing = match()
    assert [*play_scored(playing, lambda text: "hello")]
    last = playing.score()
    assert last.illegal == 2 * last.decisions
    for number, played in enumerate(playing.ended):
        seat = -number % 2
        for history, action in played.decisions(RULES, seat):
            weakest = played.begun(RULES).legal_bids()[0]
            expected = "challenge" if history else str(weakest)
            assert format_action(RULES, action) == expected


def test_the_prompt_has_the_rules_and_every_legal_action() -> None:
    view = match().view
    assert view is not None
    text = prompt(view)
    assert "A bid claims how many" in text
    assert legal(text) == legal_actions(view)


def test_what_the_player_raises_goes_up() -> None:
    def broken(text: str) -> str:
        raise RuntimeError("away")

    with pytest.raises(RuntimeError, match="away"):
        list(play_scored(match(), broken))
