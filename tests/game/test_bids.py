from dataclasses import replace
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.strategies import any_rules, bids_of, calls_of, histories_of
from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    action_count,
    action_of,
    can_bid,
    challenge_action,
    challengeable,
    counts_for,
    domain,
    gives_up_action,
    legal_bids,
    verify_bid,
    verify_history,
)
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import GivingUp, Mode
from zhaifei.game.rules import Rules, preset

FEI, ZHAI = Mode.FEI, Mode.ZHAI
TWO = Rules()


def reachable(rules: Rules) -> set[Bid]:
    """Every bid that some legal history contains, found by playing them all."""
    found, open_ends = set(), list(legal_bids(rules, None))
    while open_ends:
        bid = open_ends.pop()
        if bid not in found:
            found.add(bid)
            open_ends += legal_bids(rules, bid)
    return found


@pytest.mark.parametrize(
    ("players", "in_domain", "first", "ever"),
    [
        (2, 110, 88, 94),
        (3, 165, 132, 142),
        (4, 220, 176, 188),
        (5, 275, 220, 236),
        (6, 330, 264, 282),
        (7, 385, 308, 330),
        (8, 440, 352, 376),
    ],
)
def test_how_many_bids_there_are(players, in_domain, first, ever):
    rules = Rules.of(players=players)
    assert len(domain(rules)) == len(set(domain(rules))) == in_domain
    assert len(legal_bids(rules, None)) == first
    assert len(reachable(rules)) == ever


def stronger_in_prose(bid: Bid, last: Bid) -> bool:
    """The comparison as the rules tell it, case by case."""
    if bid.mode == last.mode:  # more dice; or as many, of a higher face
        return bid.count > last.count or (bid.count == last.count and bid.face > last.face)
    if bid.mode is ZHAI:  # a 斋 die is worth two 飞 dice
        fei_dice = bid.count + bid.count
        return fei_dice > last.count or (fei_dice == last.count and bid.face > last.face)
    fei_dice = last.count + last.count  # and 飞 must make up for that
    return bid.count > fei_dice or (bid.count == fei_dice and bid.face > last.face)


def test_every_ordered_pair_of_bids_compares_as_the_rules_tell():
    pairs = list(product(domain(TWO), repeat=2))
    assert len(pairs) == 110 * 110
    for last, bid in pairs:
        assert can_bid(TWO, bid, last) == stronger_in_prose(bid, last), (last, bid)


@pytest.mark.parametrize(
    ("bid", "last", "needs"),
    [
        ("z2x5", "f4x5", "斋 takes 3 or more, or 2 of a higher face"),
        ("f4x5", "z2x5", "飞 takes 5 or more, or 4 of a higher face"),
        ("f3x6", "z2x2", "飞 takes 5 or more, or 4 of a higher face"),
        ("f4x4", "f4x5", "飞 takes 5 or more, or 4 of a higher face"),
        ("z2x6", "f5x2", "斋 takes 3 or more"),
    ],
)
def test_a_bid_that_is_not_stronger_may_not_follow_and_what_would_is_said(bid, last, needs):
    bid, last = parse_bid(bid), parse_bid(last)
    with pytest.raises(IllegalBid) as error:
        verify_bid(TWO, bid, last)
    assert str(error.value) == f"{bid} is not stronger than {last}: {needs}"
    assert str(error.value.why) == needs


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("mode", Mode)
def test_the_first_bid_counts_more_dice_than_players_in_both_modes(players, mode):
    rules = Rules.of(players=players)
    for count in range(1, 5 * players + 1):
        assert can_bid(rules, Bid(mode, count, 4), None) == (count > players)


def test_a_first_bid_that_is_too_small_is_told_the_minimum():
    with pytest.raises(IllegalBid) as error:
        verify_bid(TWO, Bid(ZHAI, 2, 6), None)
    assert str(error.value) == (
        "斋2×6 may not open a round: as the first bid, it must have a count of at least 3"
    )


@pytest.mark.parametrize("face", range(1, 7))
def test_later_bids_may_count_fewer_dice_than_a_first_bid_must(face):
    assert can_bid(TWO, Bid(ZHAI, 2, face), Bid(FEI, 3, 4))


@pytest.mark.parametrize(
    ("rules", "bid", "message"),
    [
        (TWO, Bid(FEI, 0, 4), "飞0×4 is not a bid in these rules: the count must be 1 to 10"),
        (TWO, Bid(ZHAI, 11, 4), "斋11×4 is not a bid in these rules: the count must be 1 to 10"),
        (
            TWO,
            Bid(FEI, 4, 1),
            "飞4×1 is not a bid in these rules: a 飞 bid names a face from 2 to 6",
        ),
        (
            TWO,
            Bid(ZHAI, 4, 7),
            "斋4×7 is not a bid in these rules: a 斋 bid names a face from 1 to 6",
        ),
        (
            TWO,
            Bid(ZHAI, 4, 0),
            "斋4×0 is not a bid in these rules: a 斋 bid names a face from 1 to 6",
        ),
        (
            preset("basic"),
            Bid(ZHAI, 4, 4),
            "斋4×4 is not a bid in these rules: they allow 飞 bids only",
        ),
    ],
)
def test_a_bid_outside_the_domain_is_refused_everywhere(rules, bid, message):
    for attempt in (
        lambda: verify_bid(rules, bid, None),
        lambda: verify_bid(rules, bid, Bid(FEI, 3, 2)),
        lambda: action_of(rules, bid),
    ):
        with pytest.raises(IllegalBid) as error:
            attempt()
        assert message in str(error.value)


@given(st.data(), any_rules(plain=True))
def test_strength_is_a_strict_weak_order(data, rules):
    a, b, c = (data.draw(bids_of(rules)) for _ in range(3))

    def beats(x, y):
        return can_bid(rules, x, y)

    assert not beats(a, a)
    for x, y in permutations((a, b, c), 2):
        assert not (beats(x, y) and beats(y, x))
    for x, y, z in permutations((a, b, c)):
        assert beats(x, z) or not (beats(x, y) and beats(y, z))
        # If x beats z, no y is level with both: that makes being level an equivalence.
        assert not beats(x, z) or beats(x, y) or beats(y, z)


@given(st.data(), any_rules())
def test_raises_leave_fewer_raises_and_have_higher_actions(data, rules):
    history = data.draw(histories_of(rules, min_size=1))
    legal, last = {*domain(rules)}, -1
    for bid in history:
        assert action_of(rules, bid) > last
        after, last = {*legal_bids(rules, bid)}, action_of(rules, bid)
        again = {replace(bid, doubled=bid.doubled + 1)} & {*domain(rules)}
        assert again <= after
        assert after - again < legal
        legal = after


@given(st.data(), any_rules())
def test_legal_bids_are_exactly_the_bids_that_may_be_made(data, rules):
    last = data.draw(st.none() | calls_of(rules))
    assert {*legal_bids(rules, last)} == {bid for bid in domain(rules) if can_bid(rules, bid, last)}


# knockout and increment

KNOCKOUT, INCREMENT = preset("knockout"), preset("increment")


@pytest.mark.parametrize(
    ("last", "bid", "legal"),
    [
        ("f2x4", "f2x5", True),
        ("f2x4", "f2x4", False),
        ("f2x4", "f2x3", False),
        ("f2x4", "f3x4", True),
        ("f2x4", "f3x6", True),
        ("f2x4", "f9x4", True),
        ("f2x4", "f3x3", False),
        ("f2x4", "f1x6", False),
        ("f2x6", "f3x6", True),
        ("f2x6", "f3x2", False),
    ],
)
def test_in_knockout_neither_count_nor_face_falls_and_one_rises(last, bid, legal):
    assert can_bid(KNOCKOUT, parse_bid(bid), parse_bid(last)) == legal


def test_who_bids_otherwise_in_knockout_is_told_what_a_raise_is():
    with pytest.raises(IllegalBid) as error:
        verify_bid(KNOCKOUT, Bid(FEI, 3, 3), Bid(FEI, 2, 4))
    assert str(error.value) == (
        "飞3×3 may not follow 飞2×4: a raise needs a higher count and a face no lower, or the "
        "same count and a higher face"
    )


def test_every_pair_of_bids_in_knockout_and_increment_is_as_the_rules_tell():
    for last, bid in product(domain(KNOCKOUT), repeat=2):
        rises = (bid.count, bid.face) != (last.count, last.face)
        legal = rises and bid.count >= last.count and bid.face >= last.face
        assert can_bid(KNOCKOUT, bid, last) == legal, (last, bid)
    for last, bid in product(domain(INCREMENT), repeat=2):
        assert can_bid(INCREMENT, bid, last) == (bid.count - last.count == 1), (last, bid)


@pytest.mark.parametrize(("rules", "modes"), [(KNOCKOUT, FEI), (INCREMENT, ZHAI)], ids=str)
def test_knockout_knows_wild_ones_only_and_increment_none(rules, modes):
    assert {bid.mode for bid in domain(rules)} == {modes}
    faces = {bid.face for bid in domain(rules)}
    assert faces == set(range(2, 7) if modes is FEI else range(1, 7))


def test_knockout_opens_with_anything_and_increment_with_one_die():
    assert legal_bids(KNOCKOUT, None) == domain(KNOCKOUT)
    assert [bid.count for bid in legal_bids(INCREMENT, None)] == [1] * 6
    with pytest.raises(
        IllegalBid, match="斋2×3 is not allowed here: the next bid must have a count of 1"
    ):
        verify_bid(INCREMENT, Bid(ZHAI, 2, 3), None)
    with pytest.raises(
        IllegalBid, match="斋4×3 is not allowed here: the next bid must have a count of 3"
    ):
        verify_bid(INCREMENT, Bid(ZHAI, 4, 3), Bid(ZHAI, 2, 3))


@pytest.mark.parametrize("last", [Bid(ZHAI, 10, 6)])
def test_nothing_follows_the_strongest_bid(last):
    assert legal_bids(TWO, last) == ()
    assert domain(TWO)[-1] == last


@given(any_rules(), st.integers(0, 12))
def test_with_jump_challenge_each_bid_since_ones_own_last_may_be_challenged(rules, made):
    reach = rules.players - 1 if rules.stakes.jump_challenge else 1
    expected = [distance for distance in range(1, made + 1) if distance <= reach]
    assert list(challengeable(rules, made)) == expected


@given(any_rules())
def test_actions_are_the_bids_then_the_challenges_by_distance_then_giving_up(rules):
    bids = domain(rules)
    assert [action_of(rules, bid) for bid in bids] == list(range(len(bids)))
    assert challenge_action(rules) == len(bids)
    numbers = [challenge_action(rules, distance) for distance in challengeable(rules, 99)]
    if rules.stakes.doubled and rules.stakes.giving_up is not GivingUp.FORBIDDEN:
        numbers.append(gives_up_action(rules))
    assert [*range(len(bids)), *numbers] == list(range(action_count(rules)))


def test_the_first_actions_of_the_full_game():
    assert " ".join(map(str, domain(TWO)[:12])) == (
        "飞1×2 飞1×3 飞1×4 飞1×5 飞1×6 斋1×1 飞2×2 斋1×2 飞2×3 斋1×3 飞2×4 斋1×4"
    )


@given(st.data(), any_rules())
def test_a_history_is_legal_up_to_its_first_illegal_bid(data, rules):
    history = data.draw(histories_of(rules, min_size=1))
    verify_history(rules, history)
    why = "no bid follows a double" if history[-1].doubled else "is not stronger than"
    with pytest.raises(IllegalBid, match=why):
        verify_history(rules, (*history, history[-1]))
    if len(history) > 1:
        with pytest.raises(IllegalBid):
            verify_history(rules, history[::-1])


def test_ones_are_wild_under_fei_and_only_ones_under_zhai():
    assert [face for face in range(1, 7) if counts_for(TWO, Bid(FEI, 3, 4), face)] == [1, 4]
    assert [face for face in range(1, 7) if counts_for(TWO, Bid(ZHAI, 3, 4), face)] == [4]
    assert [face for face in range(1, 7) if counts_for(TWO, Bid(ZHAI, 3, 1), face)] == [1]


def test_sixes_are_wild_in_liars_dice():
    rules = preset("liars_dice")
    assert [face for face in range(1, 7) if counts_for(rules, Bid(FEI, 1, 3), face)] == [3, 6]
    assert [face for face in range(1, 7) if counts_for(rules, Bid(FEI, 1, 6), face)] == [6]


def test_what_may_open_where_the_dice_make_the_first_bid_is_one_die_more_than_may_be_held():
    rules = preset("published", dice=2, faces=3)
    assert {(bid.count, bid.face) for bid in legal_bids(rules, None)} == {
        (count, face) for count in (2, 3) for face in (1, 2, 3)
    }
    for count in (1, 4):
        with pytest.raises(IllegalBid, match="one die more than its bidder holds, 2 to 3"):
            verify_bid(rules, Bid(Mode.ZHAI, count, 1), None)
