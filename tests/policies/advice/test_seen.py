"""What records show of the people at a table."""

import functools

import pytest

from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.people import learned, person_of
from zhaifei.policies.advice.seen import Record, people_seen, seat_after
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, played_round

RULES = preset("zhaifei", players=3)
DICE = preset("classic", players=2)
HANDS: tuple[Hand, ...] = (1, 1, 3, 4, 6), (2, 2, 3, 3, 4), (1, 6, 6, 6, 6)


@functools.cache
def adviser(rules: Rules) -> PeopleAdviser:
    return PeopleAdviser(rules, None)


def match(
    *rounds: PlayedRound, rules: Rules = RULES, you: int = 0, names: str = "abc"
) -> PlayedMatch:
    return PlayedMatch(rules, tuple(names), you, None, None, "0", rounds)


def round_(bids: str, starter: int, hands: tuple[Hand | None, ...] = HANDS) -> PlayedRound:
    actions = [action_of(RULES, bid) for bid in parse_history(RULES, bids)]
    return played_round(RULES, starter, hands, [*actions, challenge_action(RULES)], None)


def test_people_are_those_after_you_as_all_rounds_show_them() -> None:
    one, other = round_("f4x6 f5x6", 1), round_("f6x6", 2)
    found = people_seen(adviser, RULES, [Record("it", match(one, other), 0)])
    assert [its.name for its in found] == ["b", "c"]
    for seat, its in enumerate(found, 1):
        shown = [adviser(RULES).shown(RULES, played)[seat] for played in (one, other)]
        assert its.person == learned(person_of(RULES), shown)
        assert its.person.rounds > 0


def test_the_order_of_turns_counts_and_not_the_seat() -> None:
    at_zero = match(round_("f4x6 f5x6", 1))
    turned = (HANDS[1], HANDS[2], HANDS[0])
    at_two = match(round_("f4x6 f5x6", 0, turned), you=2, names="bca")
    one = people_seen(adviser, RULES, [Record("it", at_zero, 0)])
    other = people_seen(adviser, RULES, [Record("it", at_two, 2)])
    assert one == other
    both = [Record("it", at_zero, 0), Record("it", at_two, 2)]
    assert [its.person.rounds for its in people_seen(adviser, RULES, both)] == [
        2 * its.person.rounds for its in one
    ]


def test_rounds_with_unknown_dice_show_nothing() -> None:
    unknown = match(round_("f4x6 f5x6", 1, (HANDS[0], None, HANDS[2])))
    one, other = people_seen(adviser, RULES, [Record("it", unknown, 0)])
    assert one.person.rounds == 0
    assert other.person.rounds == 1


def test_matches_for_dice_show_their_rounds_of_even_dice() -> None:
    hands = (1, 2, 3, 4, 6), (2, 2, 3, 3, 4)
    actions = [action_of(DICE, bid) for bid in parse_history(DICE, "f4x3 f5x3")]
    played = played_round(DICE, 1, hands, [*actions, challenge_action(DICE)])
    whole = match(played, rules=DICE, names="ab")
    (other,) = people_seen(adviser, DICE, [Record("it", whole, 0)])
    assert other.person.rounds == 1


def test_records_of_other_rules_are_refused_with_both_named() -> None:
    both = r"it is a match by zhaifei: 3 players.*zhaifei: 4"
    with pytest.raises(ZhaifeiError, match=both):
        people_seen(adviser, preset("zhaifei", players=4), [Record("it", match(), 0)])


def test_seats_count_from_the_opener() -> None:
    history = parse_history(RULES, "f4x6 f5x6")
    assert [seat_after(RULES, history, ahead) for ahead in (1, 2)] == [0, 1]
    assert [seat_after(RULES, (), ahead) for ahead in (1, 2)] == [1, 2]
