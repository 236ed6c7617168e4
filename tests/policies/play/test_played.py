"""What follows from a round as it was played: who lost, and what is not known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.strategies import any_rules
from tests.policies.play.played_matches import played_rounds
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import parse_actions
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.play.played import PlayedRound, played_round
from zhaifei.policies.play.record_text import parse_rounds

THREE = preset("zhaifei", players=3, dice=2, jump_challenge=True)
MANY, FEW, NOTHING = (2, 2), (2, 6), (5, 6)
"""Hands, by how many dice count for 飞4x2."""


def played(text: str, *hands: Hand | None, loser: int | None = None) -> PlayedRound:
    return played_round(THREE, 1, hands or (None,) * 3, parse_actions(THREE, text), loser)


@pytest.mark.parametrize(
    ("hands", "loser"),
    [
        ((MANY, MANY, MANY), 2),
        ((MANY, MANY, None), 2),
        ((NOTHING, NOTHING, NOTHING), 1),
        ((NOTHING, NOTHING, None), 1),
        ((FEW, FEW, None), None),
        ((None, MANY, None), None),
        ((None, None, None), None),
    ],
)
def test_the_loser_is_known_as_soon_as_the_dice_tell(
    hands: tuple[Hand | None, ...], loser: int | None
) -> None:
    found = played("f4x2 c", *hands)
    assert found.loser == loser
    assert (found.losses is None) == (loser is None)


def test_somebody_may_have_said_who_lost() -> None:
    assert played("f4x2 c", loser=1).losses == (0, 1, 0)
    assert played("f4x2 c", loser=2).losses == (0, 0, 1)
    assert played("f4x2 f4x3 c2", loser=1).losses == (0, 2, 0)
    assert played("f4x2 c", MANY, MANY, MANY, loser=2).losses == (0, 0, 1)


@pytest.mark.parametrize(
    ("text", "hands", "loser", "why"),
    [
        ("f4x2 c", (), 0, "seat 1 cannot have lost: seat 3 challenged a bid of seat 2"),
        ("f4x2 f4x3 c2", (), 2, "seat 3 cannot have lost: seat 1 challenged a bid of seat 2"),
        (
            "f4x2 c",
            (MANY, MANY, None),
            1,
            "seat 2 cannot have lost: the dice show that",
        ),
        ("f4x2 f4x3", (), 0, "nobody has lost yet"),
        ("", (), 0, "nobody has lost yet"),
    ],
)
def test_a_loser_who_cannot_be_one_is_refused(
    text: str, hands: tuple[Hand | None, ...], loser: int, why: str
) -> None:
    with pytest.raises(ZhaifeiError, match=why):
        played(text, *hands, loser=loser)


@pytest.mark.parametrize(
    ("before", "action", "why"),
    [
        ("f4x2", "f4x2", "not stronger"),
        ("", "f2x2", "may not open a round"),
        ("", "c", "no bid to challenge"),
        ("f4x2", "c2", "may not be challenged now"),
        ("f4x2 c", "f4x3", "the round has ended"),
        ("f4x2 c", "c", "the round has ended"),
    ],
)
def test_what_may_not_follow_is_refused(before: str, action: str, why: str) -> None:
    (one,) = parse_actions(Rules.of(players=3, dice=2, first_count=1, jump_challenge=True), action)
    with pytest.raises(ZhaifeiError, match=why):
        played_round(THREE, 1, (None,) * 3, (*parse_actions(THREE, before), one))


@given(any_rules().flatmap(lambda rules: st.tuples(st.just(rules), played_rounds(rules))))
def test_a_round_with_all_dice_is_replayed_to_the_same_loser(
    drawn: tuple[Rules, PlayedRound],
) -> None:
    rules, found = drawn
    again = found.replayed(rules)
    if None in found.hands:
        assert again is None
        return
    assert again is not None
    assert again.history == found.bids(rules)
    assert (again.settlement is None) == (found.losses is None)
    if again.settlement is not None:
        assert found.challenged(rules) == again.settlement.challenge
        assert (found.loser, found.cost) == (again.settlement.loser, again.settlement.cost)


def test_decisions_are_those_of_one_seat_with_the_bids_before_each() -> None:
    match = parse_rounds("3人 1骰 3面 先手2: f1x3 f2x2 f2x3 c; me=1: 1; 2: 2; 3: 2\n")
    rules, (one,) = match.rules, match.rounds
    bids = one.bids(rules)
    assert one.decisions(rules, 1) == [((), one.actions[0]), (bids, one.actions[3])]
    assert one.decisions(rules, 2) == [(bids[:1], one.actions[1])]
    assert one.decisions(rules, 0) == [(bids[:2], one.actions[2])]


def test_points_of_rounds_that_nobody_knows_do_not_count() -> None:
    match = parse_rounds(
        "2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n先手1: f1x2 f1x3; me=1: 3; 2: 2\n"
    )
    assert match.rounds[1].losses is None
    assert match.score == [*(match.rounds[0].losses or ())]
