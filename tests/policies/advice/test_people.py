"""What is believed about people, and what their dice show."""

import math

import numpy as np
import pytest

from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.hands import hand_index
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import preset
from zhaifei.policies.advice.people import (
    CHARACTERS,
    Character,
    Manner,
    Person,
    learned,
    people_of,
    person_of,
    portrait_of,
)
from zhaifei.policies.advice.shown import PlayShown
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.play.played import PlayedRound, played_round
from zhaifei.policies.players.kinds import LIMIT_SHARES, LIMITS
from zhaifei.policies.players.manners import SHARES, STYLES

FULL = preset("zhaifei", players=3, jump_challenge=True)
DOUBLES = preset("southern", players=2)


@pytest.fixture(scope="module")
def adviser() -> PeopleAdviser:
    return PeopleAdviser(FULL, None)


def round_of(hand: tuple[int, ...] | None, bids: str) -> PlayedRound:
    """A round that seat 1 opens, of which only the dice of seat 1 are known."""
    actions = [action_of(FULL, bid) for bid in parse_history(FULL, bids)]
    return played_round(FULL, 1, (None, hand, None), actions)


def after(adviser: PeopleAdviser, hand: tuple[int, ...], bids: str, times: int) -> Person:
    shown = adviser.shown(FULL, round_of(hand, bids))[1]
    return learned(person_of(FULL), [shown] * times)


@pytest.mark.parametrize("character", [None, *CHARACTERS])
def test_beliefs_before_the_first_round_are_probabilities(character: Character | None) -> None:
    found = person_of(FULL, character)
    assert sum(found.style) == pytest.approx(1.0)
    assert sum(found.limit) == pytest.approx(1.0)
    assert found.rounds == 0


def test_characters_bid_as_they_are_called() -> None:
    share = {one: dict(zip(STYLES, person_of(FULL, one).style, strict=True)) for one in CHARACTERS}
    careful, bluffs = share[Character.CAREFUL], share[Character.BLUFFS]
    for its, other, styles in (
        (careful, bluffs, ("sharp", "careful")),
        (bluffs, careful, ("flat", "bluffs", "bold")),
    ):
        assert sum(its[one] for one in styles) > 0.5
        assert sum(other[one] for one in styles) < 0.1
    assert person_of(FULL).style == SHARES


def test_people_are_in_the_order_of_turns() -> None:
    one, other = person_of(FULL), person_of(FULL, Character.CAREFUL)
    people = people_of([one, other])
    assert people.odds.tolist() == [[one.odds, other.odds]]
    assert people.style[0].tolist() == [list(one.style), list(other.style)]
    assert people.limit.shape == (1, 2, len(LIMITS))


def test_nothing_is_learned_from_dice_that_nobody_saw(adviser: PeopleAdviser) -> None:
    assert adviser.shown(FULL, round_of(None, "f8x6")) == (None, None, None)
    assert adviser.shown(FULL, round_of((1, 1, 3, 4, 6), "")) == (None, None, None)
    found, before = learned(person_of(FULL), [None, None]), person_of(FULL)
    assert found.rounds == 0
    assert found.odds == pytest.approx(before.odds)
    assert found.style == pytest.approx(before.style)
    assert found.limit == pytest.approx(before.limit)


def test_what_is_shown_is_by_seat(adviser: PeopleAdviser) -> None:
    zero, one, two = adviser.shown(FULL, round_of((1, 1, 6, 6, 6), "f4x6 f5x6 f6x6 f7x6"))
    assert zero is two is None
    assert one is not None
    twin = PeopleAdviser(FULL, None)._player.reading.kinds
    bids = [action_of(FULL, bid) for bid in parse_history(FULL, "f4x6 f5x6 f6x6 f7x6")]
    hand, style = hand_index(FULL, (1, 1, 6, 6, 6)), np.zeros(len(SHARES))
    for place in (0, 3):
        made = np.array([bids[:place]], dtype=np.int64)
        style += np.log(twin.styles(made, np.array([bids[place]]))[0, :, hand])
    np.testing.assert_allclose(one.shown.style[0], style)


def test_bids_without_the_dice_for_them_are_bluffs(adviser: PeopleAdviser) -> None:
    found = portrait_of(after(adviser, (2, 2, 3, 3, 4), "f9x6", 10))
    assert found.manner is Manner.BLUFFS
    assert found.probability > 0.8
    assert found.rounds == 10


def test_bids_with_the_dice_for_them_are_not(adviser: PeopleAdviser) -> None:
    found = portrait_of(after(adviser, (1, 1, 6, 6, 6), "f4x6", 20))
    assert found.manner is Manner.HOLDS
    assert found.rounds == 20


def test_who_lets_unlikely_bids_pass_challenges_late(adviser: PeopleAdviser) -> None:
    # Seat 1 holds no four. So 飞7×4 is true if seven of the ten other dice are: 2 %.
    before = float(np.array(LIMIT_SHARES) @ LIMITS)
    actions = [action_of(FULL, bid) for bid in parse_history(FULL, "f6x4 f7x4 f7x6")]
    played = played_round(FULL, 2, (None, (2, 2, 3, 5, 6), None), actions)
    shown = adviser.shown(FULL, played)[1]
    found = portrait_of(learned(person_of(FULL), [shown] * 5)).limit
    assert found is not None
    assert found < before - 0.1


def test_who_challenges_at_once_challenges_early(adviser: PeopleAdviser) -> None:
    before = float(np.array(LIMIT_SHARES) @ LIMITS)
    actions = [action_of(FULL, bid) for bid in parse_history(FULL, "f5x4")]
    actions.append(challenge_action(FULL))
    played = played_round(FULL, 0, (None, (2, 2, 3, 5, 6), None), actions, 0)
    shown = adviser.shown(FULL, played)[1]
    found = portrait_of(learned(person_of(FULL), [shown] * 5)).limit
    assert found is not None
    assert found > before + 0.05
    assert portrait_of(person_of(FULL)).limit is None


def test_portraits_are_of_the_likeliest_manner() -> None:
    def person(style: dict[str, float], odds: float) -> Person:
        return Person(odds, tuple(style.get(one, 0.0) for one in STYLES), LIMIT_SHARES, ())

    mostly = {"careful": 0.3, "sharp": 0.3, "bold": 0.4}
    assert portrait_of(person(mostly, -9.0)).manner is Manner.HOLDS
    found = portrait_of(person(mostly, math.log(2.0)))
    assert found.manner is Manner.FOLLOWS
    assert found.probability == pytest.approx(2.0 / 3.0)
    for style, manner in (
        ("climbs", Manner.CLIMBS),
        ("stays", Manner.STAYS),
        ("bold", Manner.BOLD),
        ("bluffs", Manner.BLUFFS),
    ):
        assert portrait_of(person({style: 1.0}, -9.0)).manner is manner


def test_doubles_and_answers_to_them_show_nothing() -> None:
    adviser, hand = PeopleAdviser(DOUBLES, None), (2, 2, 3, 4, 6)

    def shown(bids: str, ended: int | None = None) -> PlayShown | None:
        actions = [action_of(DOUBLES, bid) for bid in parse_history(DOUBLES, bids)]
        actions += [] if ended is None else [ended]
        played = played_round(DOUBLES, 0, (hand, None), actions, None if ended is None else 0)
        return adviser.shown(DOUBLES, played)[0]

    plain, doubled = shown("f4x6"), shown("f4x6 劈", challenge_action(DOUBLES))
    assert plain is not None
    assert doubled is not None
    for one, other in zip(plain.shown, doubled.shown, strict=True):
        np.testing.assert_array_equal(one, other)
