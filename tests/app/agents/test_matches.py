"""Matches that agents play move by move."""

from typing import Any

import pytest

from zhaifei.app.agents.matches import (
    MOST_MATCHES,
    AgentMatch,
    Matches,
    new_match,
    new_scored_match,
)
from zhaifei.app.server.rooms.room import Goal
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.play.record_text import parse_rounds

SMALL = preset("zhaifei", dice=1, faces=3)
ROUNDS = Goal("rounds", 3)


def begun(rules: Rules = SMALL, goal: Goal = ROUNDS, **more: Any) -> AgentMatch:
    settings = {"opponents": ["honest"], "seat": 1, "seed": 1, **more}
    return new_match(rules, goal=goal, **settings)


def play_on(match: AgentMatch) -> list[dict[str, Any]]:
    """Everything the agent is told, if it challenges wherever it may."""
    told = [match.look()]
    while not told[-1]["over"]:
        match.act(told[-1]["position"]["legal"][-1])
        told.append(match.look())
    return told


@pytest.mark.parametrize(
    ("rules", "goal"),
    [
        (SMALL, ROUNDS),
        (SMALL, Goal("points", 2)),
        (preset("knockout", players=3, dice=2), Goal("dice", 0)),
        (preset("southern", players=3, dice=2), ROUNDS),
    ],
    ids=["rounds", "points", "dice", "doubles"],
)
def test_a_match_is_played_to_its_goal(rules: Rules, goal: Goal) -> None:
    *_, last = play_on(begun(rules, goal))
    assert last["position"] is None
    assert last["players"][0] == "you"
    assert last["seed"] == 1
    if goal.kind == "points":
        assert max(last["score"]) == goal.number
    elif goal.kind == "rounds":
        assert last["rounds_played"] == goal.number
    else:
        assert sum(map(bool, last["score"])) == 1


def test_dice_of_others_are_told_when_their_round_has_ended() -> None:
    match = begun(preset("zhaifei"))
    seen = play_on(match)
    shown = [parse_rounds(text.split("\n")[0]) for told in seen for text in told["ended"]]
    assert [one.rounds[0].hands for one in shown] == [one.hands for one in match.playing.ended]
    for told in seen:
        if told["position"] is not None:
            number = told["rounds_played"]
            (_, other) = match.playing.ended[number].hands
            assert other is not None
            assert "".join(map(str, other)) not in str(told["position"])


def test_the_seed_is_a_secret_until_the_end() -> None:
    match = begun(seed=987654321)
    *before, last = play_on(match)
    assert not any("987654321" in str(told) for told in before)
    assert last["seed"] == 987654321


def test_equal_seeds_and_actions_give_equal_matches() -> None:
    assert play_on(begun()) == play_on(begun())
    assert play_on(begun(preset("zhaifei"))) != play_on(begun(preset("zhaifei"), seed=2))


def test_an_illegal_action_changes_nothing() -> None:
    match = begun()
    before = match.look()
    for text in ("", "hello", "f9x9", "[z9x1]"):
        with pytest.raises(ZhaifeiError):
            match.act(text)
    assert match.look()["position"] == before["position"]


@pytest.mark.parametrize("text", ["/etc/passwd", "my.py", "../x.safetensors", "", "plain:honest"])
def test_opponents_are_names_and_never_files(text: str) -> None:
    with pytest.raises(ZhaifeiError, match="no player for these rules is called") as caught:
        begun(opponents=[text])
    assert "honest" in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seat": 3},
        {"seed": -1},
        {"seed": 2**128},
        {"goal": Goal("rounds", 0)},
        {"goal": Goal("points", 10**9)},
        {"goal": Goal("dice", 0)},
        {"opponents": ["honest", "random"]},
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ZhaifeiError):
        begun(**wrong)


def test_the_longest_untouched_match_gives_way() -> None:
    matches = Matches()
    names = [matches.add(begun()) for _ in range(MOST_MATCHES)]
    assert matches[names[0]]
    new = matches.add(begun())
    assert matches[names[0]]
    assert matches[new]
    with pytest.raises(ZhaifeiError, match=rf"no match is called '{names[1]}': there are"):
        matches[names[1]]


def test_a_scored_match_tells_its_result_at_the_end() -> None:
    match = new_scored_match(preset("zhaifei"), 2, 5)
    with pytest.raises(ZhaifeiError):
        match.act("hello")
    *before, last = play_on(match)
    assert not any("result" in told for told in before)
    result = last["result"]
    assert (result["rounds"], result["seed"], result["illegal_answers"]) == (2, 5, 1)
    assert result["policy"]["source"] == "certified"
    lost = result["points_lost"]
    assert lost["lower"] <= lost["mean"] <= lost["upper"]
    with pytest.raises(ZhaifeiError, match="the match is over"):
        match.act("c")


def test_where_dice_are_lost_nothing_is_scored() -> None:
    with pytest.raises(ZhaifeiError):
        new_scored_match(preset("knockout", players=2), 2, 5)
