"""House rules, a test for each sentence of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from tests.game.strategies import HOUSES, spelled
from zhaifei.game.bidding import bidding
from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    can_bid,
    counted,
    domain,
    legal_bids,
    settled_by,
    state_after,
    verify_bid,
    verify_can_arise,
)
from zhaifei.game.chances import chance
from zhaifei.game.hands import IllegalHand, hands, probabilities, verify_hand
from zhaifei.game.house import SWITCHES, HouseError, read_house
from zhaifei.game.match import Match
from zhaifei.game.notation import (
    parse_bid,
    parse_history,
)
from zhaifei.game.openspiel import load_game
from zhaifei.game.parts import FeiToZhai, FiveAlike, GivingUp, Mode, RulesError, Straight, ZhaiToFei
from zhaifei.game.raising import face_needed
from zhaifei.game.rounds import Round, count_dice
from zhaifei.game.rules import PRESETS, Rules, house_of, preset, preset_name, with_dice
from zhaifei.game.tables import bid_tables

NAMES = [spelled(name, 2 if "ones" in name else 4) for name in SWITCHES]


def follows(rules: Rules, bid: str, last: str) -> bool:
    return can_bid(rules, parse_bid(bid), parse_bid(last))


# The order of bids


def test_without_house_rules_ones_are_the_lowest_face():
    assert not follows(Rules(), "z3x1", "z3x6")
    assert follows(Rules(), "z3x2", "z3x1")


def test_ones_highest_ranks_ones_above_all_other_faces_of_the_same_count():
    rules = Rules.of(ones_highest=True)
    assert follows(rules, "z3x1", "z3x6")
    assert not follows(rules, "z3x6", "z3x1")
    assert not follows(rules, "z2x1", "z3x2")
    assert follows(rules, "z3x1", "f6x6")
    assert legal_bids(rules, parse_bid("z3x1"))[0] == parse_bid("f7x2")


def test_ones_highest_ranks_ones_above_others_where_a_raise_is_of_face_or_count():
    rules = preset("classic_plain", house=["ones-highest"])
    assert follows(rules, "z3x1", "z3x6")
    ladder = Rules.of(modes=(Mode.ZHAI,), raising="face_or_count", ones_highest=True)
    assert follows(ladder, "z4x1", "z3x6")
    assert not follows(ladder, "z4x6", "z3x1")


@pytest.mark.parametrize(
    ("fei_to_zhai", "after_7", "not_after_7", "after_8", "not_after_8"),
    [
        # The least 斋 that follows 飞7×5 and 飞8×5, and the next one below.
        ("strength", "z4x1", "z3x6", "z4x6", "z4x5"),
        ("flat", "z7x6", "z7x5", "z8x6", "z8x5"),
        ("one_less", "z6x1", "z5x6", "z7x1", "z6x6"),
        ("half", "z4x1", "z3x6", "z4x1", "z3x6"),
        ("more_than_half", "z4x1", "z3x6", "z5x1", "z4x6"),
    ],
)
def test_zhai_follows_fei_as_the_reading_says(
    fei_to_zhai, after_7, not_after_7, after_8, not_after_8
):
    rules = Rules.of(fei_to_zhai=fei_to_zhai, zhai_to_fei="forbidden")
    assert follows(rules, after_7, "f7x5")
    assert not follows(rules, not_after_7, "f7x5")
    assert follows(rules, after_8, "f8x5")
    assert not follows(rules, not_after_8, "f8x5")


@pytest.mark.parametrize(
    ("zhai_to_fei", "players", "fei", "fei_not"),
    [
        # The least 飞 that follows 斋3×5, and the next one below.
        ("strength", 2, "f6x6", "f6x5"),
        ("double", 2, "f6x2", "f5x6"),
        ("double_plus_one", 2, "f7x2", "f6x6"),
        ("plus_two", 4, "f5x2", "f4x6"),
        ("plus_players", 2, "f5x2", "f4x6"),
        ("plus_players", 4, "f7x2", "f6x6"),
    ],
)
def test_fei_follows_zhai_as_the_reading_says(zhai_to_fei, players, fei, fei_not):
    rules = Rules.of(players=players, fei_to_zhai="flat", zhai_to_fei=zhai_to_fei)
    assert follows(rules, fei, "z3x5")
    assert not follows(rules, fei_not, "z3x5")


def test_where_a_change_of_mode_is_forbidden_players_stay_in_it():
    zhai, fei = Rules.of(zhai_to_fei="forbidden"), Rules.of(fei_to_zhai="forbidden")
    assert {bid.mode for bid in legal_bids(zhai, parse_bid("z3x2"))} == {Mode.ZHAI}
    assert {bid.mode for bid in legal_bids(zhai, parse_bid("f4x2"))} == {*Mode}
    assert {bid.mode for bid in legal_bids(fei, parse_bid("f4x2"))} == {Mode.FEI}
    assert {bid.mode for bid in legal_bids(fei, parse_bid("z3x2"))} == {*Mode}
    assert {bid.mode for bid in legal_bids(zhai, None)} == {*Mode}
    with pytest.raises(IllegalBid, match="飞9×6 may not follow 斋3×2: after a 斋 bid only 斋 bids"):
        verify_bid(zhai, parse_bid("f9x6"), parse_bid("z3x2"))
    with pytest.raises(IllegalBid, match="斋9×6 may not follow 飞4×2: after a 飞 bid only 飞 bids"):
        verify_bid(fei, parse_bid("z9x6"), parse_bid("f4x2"))


@pytest.mark.parametrize("to_zhai", FeiToZhai)
@pytest.mark.parametrize("to_fei", ZhaiToFei)
@pytest.mark.parametrize("players", [2, 3])
def test_rules_by_which_bids_go_in_circles_are_refused_and_no_others(to_zhai, to_fei, players):
    """Whether a round can last for ever is found out by following all bids."""
    size = {"players": players, "dice": 4 if players == 2 else 3, "faces": 3}
    allowed = Rules.of(**size, fei_to_zhai=to_zhai, zhai_to_fei="forbidden")
    bidding = replace(allowed.bidding, zhai_to_fei=to_fei)
    bids = [
        Bid(mode, count, face)
        for mode in Mode
        for count in range(1, allowed.highest_count + 1)
        for face in allowed.nameable_faces(mode)
    ]

    def may_follow(last: Bid, bid: Bid) -> bool:
        modes = (last.mode, last.count), (bid.mode, bid.count)
        return face_needed(bidding, players, *modes).allows(bid.face, last.face)

    # [last, bid] whether the bid may come later than the last.
    later = np.array([[may_follow(last, bid) for bid in bids] for last in bids])
    for _ in range(8):
        later |= later @ later
    opening = np.array([bid.count >= bidding.first_count for bid in bids])
    can_be_made = opening | later[opening].any(axis=0)
    if (later.diagonal() & can_be_made).any():
        with pytest.raises(RulesError, match="bids could go round for ever"):
            Rules.of(**size, fei_to_zhai=to_zhai, zhai_to_fei=to_fei)
    else:
        rules = Rules.of(**size, fei_to_zhai=to_zhai, zhai_to_fei=to_fei)
        assert {*domain(rules)} == {*bids}


def test_the_longest_round_changes_to_zhai_once_where_it_stays():
    rules = preset("zhaifei", dice=2, faces=3, house=["zhai-to-fei=forbidden"])

    def left(last: Bid | None) -> int:
        return max((1 + left(bid) for bid in legal_bids(rules, last)), default=0)

    assert load_game(rules).max_game_length() == left(None) + 1


# 叫一破飞

NO_FEI_AFTER_ONES = Rules.of(ones_end_fei=True)


def said(text: str) -> tuple[Bid, ...]:
    """What players say, one bid after the other, whatever is legal."""
    return tuple(map(parse_bid, text.split()))


def rounds(rules: Rules, history: tuple[Bid, ...] = ()) -> Iterator[tuple[Bid, ...]]:
    """Every history that the rules allow."""
    yield history
    for bid in legal_bids(rules, *state_after(rules, history)):
        yield from rounds(rules, (*history, bid))


@pytest.mark.parametrize(
    ("history", "fei"),
    [
        ("f4x3", True),
        ("f4x3 z3x2", True),
        ("f4x3 z3x1", False),
        ("z3x1", False),
        ("f4x3 z3x1 z4x4", False),
        ("f4x3 z4x4", True),
        ("f4x3 z4x4 f9x2", True),
        ("f4x3 z3x1 z4x4 z4x5 z5x2", False),
        ("f4x3 z3x6 f7x2 z4x1 z4x2", False),
    ],
)
def test_fei_may_follow_until_ones_have_been_named(history, fei):
    rules = NO_FEI_AFTER_ONES
    state = state_after(rules, parse_history(rules, history))
    assert can_bid(rules, parse_bid("f10x6"), *state) == fei
    assert {bid.mode for bid in legal_bids(rules, *state)} == ({*Mode} if fei else {Mode.ZHAI})
    if not fei:
        why = (
            f"飞10×6 may not follow {state.last}: ones have been named, so only 斋 bids may follow"
        )
        with pytest.raises(IllegalBid, match=why):
            parse_history(rules, f"{history} f10x6")


def test_where_dice_are_lost_ones_end_fei_until_the_next_round():
    rules = Rules.of(players=3, dice=2, ones_end_fei=True, first_count=1, loses_dice=True)
    match = Match(rules, np.random.default_rng(0))
    for _ in range(2):
        round_ = match.deal()
        assert {bid.mode for bid in round_.legal_bids()} == {*Mode}
        for bid in said("f1x3 z1x1"):
            round_.bid(bid)
        assert {bid.mode for bid in round_.legal_bids()} == {Mode.ZHAI}
        assert not round_.can_bid(parse_bid("f4x6"))
        round_.challenge()
        match.settle()


def test_after_ones_zhai_bids_follow_as_they_always_do():
    rules = NO_FEI_AFTER_ONES
    after = state_after(rules, parse_history(rules, "f4x3 z3x1 z4x4"))
    spoken = {*legal_bids(rules, *after)}
    always = {bid for bid in legal_bids(Rules(), parse_bid("z4x4")) if bid.mode is Mode.ZHAI}
    assert spoken == always
    assert parse_bid("z5x1") in spoken
    assert parse_bid("z4x3") not in spoken


def test_a_bid_after_ones_is_counted_and_shown_as_zhai_and_earlier_ones_as_they_were_made():
    rules = Rules.of(players=3, dice=3, jump_challenge=True, ones_end_fei=True)
    hands_ = [(1, 1, 4), (1, 4, 6), (2, 3, 4)]
    round_ = Round(rules, hands_)
    for bid in said("f4x4 z3x1 z3x4"):
        assert round_.can_bid(bid)
        round_.bid(bid)
    assert not round_.can_bid(parse_bid("f9x6"))
    assert str(round_.last) == "斋3×4"
    assert count_dice(rules, round_.history[0], hands_) == 6, "ones were wild then"
    assert count_dice(rules, round_.history[1], hands_) == 3
    assert count_dice(rules, round_.history[2], hands_) == 3
    assert round_.challenge().bid_was_true


def arises(rules: Rules, bid: Bid) -> bool:
    try:
        verify_can_arise(rules, bid)
    except IllegalBid:
        return False
    return True


def test_the_bids_that_can_arise_are_those_of_all_rounds_where_ones_end_fei():
    rules = preset("zhaifei", dice=1, faces=3, house=["ones-end-fei"])
    arise = {bid for history in rounds(rules) for bid in history}
    assert {bid for bid in domain(rules) if arises(rules, bid)} == arise


@pytest.mark.parametrize("house", [["ones-end-fei"], ["ones-end-fei", "ones-highest"]])
def test_the_longest_round_where_ones_end_fei_is_the_longest_there_is(house):
    rules = preset("zhaifei", dice=1, faces=3, house=house)
    assert load_game(rules).max_game_length() == max(map(len, rounds(rules))) + 1


@pytest.mark.parametrize("count", [1, 2, 4, 10])
def test_a_round_opens_with_the_least_count_that_the_house_wants(count):
    rules = preset("zhaifei", house=[f"first-count={count}"])
    assert min(bid.count for bid in legal_bids(rules, None)) == count
    assert rules.bidding.first_count == count


# What hands count

FEI_FIVES, ZHAI_FIVES = parse_bid("f4x5"), parse_bid("z2x5")


@pytest.mark.parametrize("bid", [FEI_FIVES, ZHAI_FIVES])
def test_a_straight_counts_nothing_where_it_is_worth_nothing(bid):
    assert counted(Rules(), bid, (1, 2, 3, 4, 5)) == (2 if bid is FEI_FIVES else 1)
    rules = Rules.of(straight="nothing")
    assert counted(rules, bid, (5, 1, 3, 4, 2)) == 0
    assert counted(rules, bid, (2, 3, 4, 5, 6)) == 0
    assert counted(rules, bid, (1, 1, 3, 4, 5)) == counted(Rules(), bid, (1, 1, 3, 4, 5))
    hands_ = [(1, 2, 3, 4, 5), (5, 5, 5, 2, 2)]
    assert count_dice(rules, bid, hands_) == 3


def test_a_straight_is_no_hand_where_it_is_rolled_again():
    rules = Rules.of(straight="rolled_again")
    assert len(hands(rules)) == 252 - 6
    assert {hand for hand in hands(rules) if len({*hand}) == 5} == set()
    # 7776 rolls, of which 6 straights in 120 orders each are rolled again.
    places = {hand: place for place, hand in enumerate(hands(rules))}
    shares = probabilities(rules)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[places[5, 5, 5, 5, 5]] == pytest.approx(1 / (7776 - 720))
    assert shares[places[1, 1, 2, 3, 4]] == pytest.approx(60 / (7776 - 720))
    with pytest.raises(IllegalHand, match="hand 12346 is a straight, which is rolled again"):
        verify_hand(rules, (4, 1, 2, 3, 6))


def test_straights_rolled_again_by_wish_are_refused_with_the_reason():
    why = "cannot be played yet: nobody here decides anything before the bidding"
    with pytest.raises(RulesError, match=why):
        preset("zhaifei", house=["straight=by-wish"])


def test_five_alike_count_one_more_towards_what_they_count_for():
    rules = Rules.of(five_alike="one_more")
    assert counted(rules, FEI_FIVES, (5,) * 5) == 6
    assert counted(rules, ZHAI_FIVES, (5,) * 5) == 6
    assert counted(rules, FEI_FIVES, (1,) * 5) == 6, "ones are wild"
    assert counted(rules, ZHAI_FIVES, (1,) * 5) == 0
    assert counted(rules, FEI_FIVES, (2,) * 5) == 0
    assert counted(rules, FEI_FIVES, (1, 5, 5, 5, 5)) == 5, "two faces"


@pytest.mark.parametrize(
    ("bid", "hand", "counts"),
    [
        ("f1x5", (5, 5, 5, 5, 5), 7),  # pure
        ("z1x5", (5, 5, 5, 5, 5), 7),
        ("f1x5", (1, 5, 5, 5, 5), 6),  # with a wild one
        ("f1x5", (1, 1, 1, 1, 5), 6),
        ("f1x5", (1, 1, 1, 1, 1), 6),  # five ones stand for fives
        ("z1x1", (1, 1, 1, 1, 1), 7),  # and are pure where ones are named
        ("z1x5", (1, 5, 5, 5, 5), 4),  # ones are not wild under 斋
        ("z1x1", (1, 5, 5, 5, 5), 1),
        ("z1x5", (1, 1, 1, 1, 1), 0),
        ("f1x4", (1, 5, 5, 5, 5), 1),
        ("f1x5", (1, 4, 5, 5, 5), 4),
        ("f1x5", (2, 2, 2, 2, 2), 0),
    ],
)
def test_two_more_if_pure_count_seven_without_wild_ones_and_six_with_them(bid, hand, counts):
    rules = Rules.of(five_alike="two_if_pure")
    assert counted(rules, parse_bid(bid), hand) == counts


def told(rules: Rules, bid: Bid, hand: tuple[int, ...]) -> int:
    """What a hand counts, as people say it: first its dice, then whether it is 豹子."""
    dice = sum(
        die == bid.face or (die == rules.counting.wild and bid.mode is Mode.FEI) for die in hand
    )
    has_wild = rules.counting.wild in hand and bid.face != rules.counting.wild
    if dice < len(hand):
        return dice
    if rules.counting.five_alike == "two_if_pure":
        return dice + (1 if has_wild else 2)
    alike = all(die == hand[0] for die in hand)
    return dice + (rules.counting.five_alike == "one_more" and alike)


@pytest.mark.parametrize("reading", FiveAlike)
@pytest.mark.parametrize("wild", [1, 3])
def test_every_hand_counts_as_people_say(reading, wild):
    rules = Rules.of(
        dice=3, faces=4, wild=wild, wild_may_be_named=True, five_alike=reading, first_count=1
    )
    for bid in domain(rules):
        for hand in product(range(1, 5), repeat=3):
            assert counted(rules, bid, hand) == told(rules, bid, hand)


def test_two_more_if_pure_allow_bids_of_two_more_for_each_player():
    rules = Rules.of(five_alike="two_if_pure")
    assert (rules.total_dice, rules.highest_count, rules.most_counted) == (10, 14, 7)
    round_ = Round(rules, [(6,) * 5, (6,) * 5], 0, (Bid(Mode.FEI, 14, 6),))
    assert round_.challenge().bid_was_true
    wild = Round(rules, [(6,) * 5, (1, 6, 6, 6, 6)], 0, (Bid(Mode.FEI, 14, 6),))
    assert wild.challenge().counted == 13


@pytest.mark.parametrize(("written", "reading"), [(False, "nothing"), (True, "one_more")])
def test_files_say_whether_five_alike_count_more_with_false_or_true(written, reading):
    header = Rules().to_dict() | {"five_alike": written}
    assert Rules.from_dict(header) == Rules.of(five_alike=reading)


def test_with_five_alike_a_bid_may_count_one_more_for_each_player():
    rules = Rules.of(five_alike="one_more")
    assert (rules.total_dice, rules.highest_count, rules.most_counted) == (10, 12, 6)
    assert domain(rules)[-1] == Bid(Mode.ZHAI, 12, 6)
    round_ = Round(rules, [(6,) * 5, (6,) * 5], 0, (Bid(Mode.ZHAI, 12, 6),))
    assert round_.challenge().bid_was_true
    with pytest.raises(IllegalBid, match="the count must be 1 to 12"):
        verify_bid(rules, Bid(Mode.FEI, 13, 2), None)


@pytest.mark.parametrize(
    "house",
    [
        ["straight=nothing"],
        ["straight=rolled-again"],
        ["five-alike"],
        ["five-alike=pure"],
        ["straight=nothing", "five-alike"],
    ],
)
@pytest.mark.parametrize("players", [2, 3])
def test_a_bid_is_true_as_often_as_rolls_of_others_make_it(house, players):
    """In fractions, over all rolls of all others."""
    rules = preset("zhaifei", players=players, dice=3, faces=3, house=house)
    again = rules.counting.straight is Straight.ROLLED_AGAIN
    rolls = [roll for roll in product(range(1, 4), repeat=3) if not (again and len({*roll}) == 3)]
    tables = list(product(rolls, repeat=players - 1))
    for bid in {Bid(bid.mode, 1, bid.face) for bid in domain(rules)}:
        shown = Counter(count_dice(rules, bid, others) for others in tables)
        for own in hands(rules)[::3]:
            for count in (1, 3, 5, rules.highest_count):
                needed = count - counted(rules, bid, own)
                ways = sum(ways for number, ways in shown.items() if number >= needed)
                found = chance(rules, Bid(bid.mode, count, bid.face), own, 3 * (players - 1))
                assert found == float(Fraction(ways, len(tables)))


@pytest.mark.parametrize(
    "house", [["straight=nothing"], ["straight=rolled-again"], ["five-alike"], ["five-alike=pure"]]
)
def test_tables_count_hands_as_the_rules_do(house):
    rules = preset("zhaifei", house=house)
    tables = bid_tables(rules)
    assert tables.dice == rules.most_counted
    for place, bid in enumerate(domain(rules)[::7]):
        slow = [counted(rules, bid, hand) for hand in hands(rules)]
        assert tables.matches[7 * place].tolist() == slow


# What a round costs


@pytest.mark.parametrize(
    ("reading", "costs"),
    [("distance", [1, 2, 3]), ("one", [1, 1, 1]), ("two", [1, 2, 2])],
)
def test_jump_costs_the_distance_one_point_or_two_as_the_rules_say(reading, costs):
    rules = Rules.of(players=4, jump_challenge=True, jump_cost=reading)
    bids = tuple(map(parse_bid, ("f5x4", "f6x5", "f7x6")))
    settled = [settled_by(rules, bids, ending) for ending in range(rules.endings)]
    assert [one and one.cost for one in settled] == costs
    assert [one and one.back for one in settled] == [1, 2, 3]
    assert bidding(rules).cost.tolist() == [costs] * len(domain(rules))
    assert bid_tables(rules).most_cost == max(costs)


def test_with_three_players_two_points_are_the_distance_and_with_two_nobody_jumps():
    three = Rules.of(players=3, jump_challenge=True)
    assert three == Rules.of(players=3, jump_challenge=True, jump_cost="two")
    assert three != Rules.of(players=3, jump_challenge=True, jump_cost="one")
    assert Rules.of(jump_challenge=True, jump_cost="one") == Rules()
    four = Rules.of(players=4, jump_challenge=True, jump_cost="one")
    assert four.changed(jump_challenge=False) == Rules.of(players=4)
    doubled = Rules.of(jump_challenge=True, doubled=(2, 4))
    assert doubled == Rules.of(doubled=(2, 4))
    with pytest.raises(RulesError, match="劈 cannot be combined with 跳开"):
        Rules.of(players=3, jump_challenge=True, doubled=(2, 4))
    with pytest.raises(RulesError, match="jump_cost requires 跳开"):
        Rules.of(players=3, jump_cost="one")


@pytest.mark.parametrize("name", ["doubles-by=anybody", "doubles_by:Anybody"])
def test_doubles_out_of_turn_are_refused_with_the_reason(name):
    with pytest.raises(HouseError, match="only the next player doubles"):
        preset("zhaifei", players=3, house=["doubles=2-4", name])


@pytest.mark.parametrize("reading", ["one", "two"])
def test_a_cost_of_jumps_is_named(reading):
    house = [f"jump-cost={reading}"]
    rules = preset("zhaifei", players=4, jump_challenge=True, house=house)
    assert rules == Rules.of(players=4, jump_challenge=True, jump_cost=reading)
    assert [*house_of(rules)] == house
    assert preset_name(rules) == "zhaifei"
    assert Rules.from_dict(rules.to_dict()) == rules


@pytest.mark.parametrize(
    ("house", "doubled"),
    [
        ("doubles=2", (2,)),
        ("doubles=2-4", (2, 4)),
        ("doubles=2-8", (2, 8)),
        ("doubles=2-4-8", (2, 4, 8)),
    ],
)
@pytest.mark.parametrize("giving_up", GivingUp)
def test_doubles_and_the_cost_of_giving_up_are_named(house, doubled, giving_up):
    names = [house, *([] if giving_up == "one" else [f"giving-up={giving_up}"])]
    rules = preset("zhaifei", house=names)
    assert rules == Rules.of(doubled=doubled, giving_up=giving_up)
    assert [*house_of(rules)] == names
    assert Rules.from_dict(rules.to_dict()) == rules


@pytest.mark.parametrize(
    ("players", "house", "why"),
    [
        (2, ["doubles=4-2"], "doubled is .*; it must be up to 3 ascending stakes of 2 to 16"),
        (2, ["doubles=1"], "ascending stakes of 2 to 16 points"),
        (2, ["doubles=2-99"], "ascending stakes of 2 to 16 points"),
        (2, ["doubles=3", "giving-up=half"], "half the stakes is no whole number of points"),
        (2, ["giving-up=half"], "giving_up requires stakes that may be doubled"),
    ],
)
def test_doubles_that_no_table_allows_are_refused_with_a_reason(players, house, why):
    with pytest.raises(RulesError, match=why):
        preset("zhaifei", players=players, house=house)


# Names and combinations


@pytest.mark.parametrize("house", HOUSES, ids=lambda house: house[0])
def test_each_house_rule_changes_the_game_and_is_named(house):
    rules = preset("zhaifei", house=house)
    assert rules != preset("zhaifei")
    assert {*house_of(rules)} == {*house}
    assert preset_name(rules) == "zhaifei"
    assert Rules.from_dict(rules.to_dict()) == rules
    assert load_game(rules).rules == rules
    assert str(rules).startswith("zhaifei with ")


def test_rules_are_described_with_all_their_house_rules():
    rules = preset("zhaifei", players=3, house=["first-count=5", "ones-highest"])
    assert str(rules) == (
        "zhaifei with ones highest, openings from a count of 5: 3 players, 5 dice of 6 faces each"
    )
    assert house_of(rules) == ("ones-highest", "first-count=5")


def made(name: str, house: list[str]) -> Rules | str:
    """The rules, or why there are none."""
    try:
        return preset(name, players=2, house=house)
    except (RulesError, HouseError) as error:
        return str(error)


REASONS = "requires", "changes nothing", "twice", "must be", "for ever", "cannot be played yet"


@pytest.mark.parametrize("name", PRESETS)
def test_each_combination_works_or_is_refused_with_a_reason(name):
    """What is not refused can be opened, and is named again."""
    for house in combinations_with_replacement(NAMES, 2):
        rules = made(name, sorted({*house}))
        if isinstance(rules, str):
            assert any(why in rules for why in REASONS), house
            continue
        assert legal_bids(rules, None), house
        called = preset_name(rules)
        assert called is not None, house
        assert preset(called, players=2, dice=rules.dice, house=house_of(rules)) == rules, house


@pytest.mark.parametrize(
    ("name", "house", "why"),
    [
        ("basic", "ones-highest", "ones_highest requires bids that name ones"),
        ("basic", "fei-to-zhai=flat", "fei_to_zhai requires both 飞 and 斋"),
        ("basic", "zhai-to-fei=forbidden", "zhai_to_fei requires both 飞 and 斋"),
        ("basic", "ones-end-fei", "ones_end_fei requires both 飞 and 斋"),
        ("classic", "ones-end-fei", "ones_end_fei requires both 飞 and 斋"),
        ("increment", "ones-highest", "ones_highest changes nothing where raising is one_more"),
        ("increment", "first-count=2", "first_count changes nothing where raising is one_more"),
        (
            "liars_dice",
            "straight=nothing",
            "straight requires 3 to 6 dice, each with a face of its",
        ),
        ("liars_dice", "five-alike", "five_alike requires hands of more than one die"),
        ("classic", "five-alike", "five_alike requires hands of one size"),
        ("classic", "straight=rolled-again", "straight requires hands of one size"),
    ],
)
def test_a_house_rule_that_the_variant_cannot_have_is_refused(name, house, why):
    with pytest.raises(RulesError, match=why):
        preset(name, house=[house])


def test_that_ones_end_fei_is_refused_where_it_changes_nothing():
    with pytest.raises(RulesError, match="ones_end_fei changes nothing where no 飞 follows 斋"):
        preset("zhaifei", house=["zhai-to-fei=forbidden", "ones-end-fei"])


def test_rules_about_whole_hands_are_refused_where_players_have_different_numbers_of_dice():
    with pytest.raises(RulesError, match="straight requires hands of one size"):
        with_dice(Rules.of(straight="nothing"), (5, 3))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["aces"], "'aces' is not a house rule; there are ones-highest, fei-to-zhai=flat"),
        (["zhai-to-fei=third"], "'zhai-to-fei=third' is not a house rule"),
        (["first-count=N"], "'first-count=N' is not a house rule"),
        (["first-count=-1"], "'first-count=-1' is not a house rule"),
        (["straight"], "'straight' is not a house rule"),
        (["doubles=N-N"], "'doubles=N-N' is not a house rule"),
        (["doubles=2-"], "'doubles=2-' is not a house rule"),
        (["five-alike", "five-alike=pure"], "is given twice"),
        (["straight=nothing", "straight=rolled-again"], "is given twice"),
    ],
)
def test_names_that_are_no_house_rules_are_refused(names, why):
    with pytest.raises(HouseError, match=why):
        read_house(names)


def test_house_rules_may_be_spelled_like_fields_and_like_openspiel_has_them():
    assert read_house(["Ones_Highest", "straight:rolled_again"]) == read_house(
        ["ones-highest", "straight=rolled-again"]
    )
