"""House rules, a test for each sentence of them."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import pytest

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    can_bid,
    counted,
    domain,
    legal_bids,
    state_after,
    verify_bid,
    verify_can_arise,
)
from zhaifei.game.chances import chance
from zhaifei.game.hands import IllegalHand, hands, probabilities, verify_hand
from zhaifei.game.house import SWITCHES, Conversion, HouseError, Straight, read_house
from zhaifei.game.notation import (
    parse_bid,
    parse_history,
)
from zhaifei.game.openspiel import load_game
from zhaifei.game.parts import Mode, RulesError
from zhaifei.game.rounds import Round, count_dice
from zhaifei.game.rules import PRESETS, Rules, house_of, preset, preset_name, with_dice
from zhaifei.game.tables import bid_tables

NAMES = ["first-count=4" if name == "first-count=N" else name for name in SWITCHES]


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
    ("conversion", "zhai", "zhai_not", "fei", "fei_not"),
    [
        # After 飞7×5 the least 斋 that follows and the next one below; after 斋3×5 the same of 飞.
        (Conversion.BY_FACE, "z4x1", "z3x6", "f6x6", "f6x5"),
        (Conversion.HALF, "z4x1", "z3x6", "f7x2", "f6x6"),
        (Conversion.DOUBLE, "z4x1", "z3x6", "f6x2", "f5x6"),
    ],
)
def test_after_an_odd_count_and_after_zhai(conversion, zhai, zhai_not, fei, fei_not):
    rules = Rules.of(conversion=conversion)
    assert follows(rules, zhai, "f7x5")
    assert not follows(rules, zhai_not, "f7x5")
    assert follows(rules, fei, "z3x5")
    assert not follows(rules, fei_not, "z3x5")


def test_with_half_zhai_of_half_an_even_count_follows_whatever_the_face():
    assert follows(Rules.of(conversion="half"), "z4x1", "f8x6")
    assert not follows(Rules.of(conversion="half"), "z3x6", "f8x2")
    assert not follows(Rules.of(conversion="half"), "f8x6", "z4x1")
    assert follows(Rules.of(conversion="half"), "f9x2", "z4x6")


def test_with_double_zhai_takes_more_than_half_and_fei_the_double_whatever_the_face():
    assert not follows(Rules.of(conversion="double"), "z4x6", "f8x2")
    assert follows(Rules.of(conversion="double"), "z5x1", "f8x6")
    assert follows(Rules.of(conversion="double"), "f8x2", "z4x6")


@pytest.mark.parametrize("house", [[name] for name in NAMES[:3]])
def test_bids_have_one_order_so_that_no_two_may_follow_each_other(house):
    rules = preset("zhaifei", dice=3, house=house)
    for one, other in combinations(domain(rules), 2):
        assert not can_bid(rules, one, other), "the weaker comes first"
    same = {(a, b) for a, b in combinations(domain(rules), 2) if not can_bid(rules, b, a)}
    assert bool(same) == (rules.bidding.conversion is Conversion.BY_FACE)


def test_after_zhai_only_zhai_follows_where_it_stays():
    rules = Rules.of(zhai_stays=True)
    assert {bid.mode for bid in legal_bids(rules, parse_bid("z3x2"))} == {Mode.ZHAI}
    assert {bid.mode for bid in legal_bids(rules, parse_bid("f4x2"))} == {*Mode}
    assert {bid.mode for bid in legal_bids(rules, None)} == {*Mode}
    with pytest.raises(IllegalBid, match="飞9×6 may not follow 斋3×2: after a 斋 bid only 斋 bids"):
        verify_bid(rules, parse_bid("f9x6"), parse_bid("z3x2"))


def test_the_longest_round_changes_to_zhai_once_where_it_stays():
    rules = preset("zhaifei", dice=2, faces=3, house=["zhai-stays"])

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


def test_five_alike_count_one_more_towards_what_they_count_for():
    rules = Rules.of(five_alike=True)
    assert counted(rules, FEI_FIVES, (5,) * 5) == 6
    assert counted(rules, ZHAI_FIVES, (5,) * 5) == 6
    assert counted(rules, FEI_FIVES, (1,) * 5) == 6, "ones are wild"
    assert counted(rules, ZHAI_FIVES, (1,) * 5) == 0
    assert counted(rules, FEI_FIVES, (2,) * 5) == 0
    assert counted(rules, FEI_FIVES, (1, 5, 5, 5, 5)) == 5, "two faces"


def test_with_five_alike_a_bid_may_count_one_more_for_each_player():
    rules = Rules.of(five_alike=True)
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


@pytest.mark.parametrize("house", [["straight=nothing"], ["straight=rolled-again"], ["five-alike"]])
def test_tables_count_hands_as_the_rules_do(house):
    rules = preset("zhaifei", house=house)
    tables = bid_tables(rules)
    assert tables.dice == rules.most_counted
    assert tables.having.shape[1] == rules.most_counted + 1
    for place, bid in enumerate(domain(rules)[::7]):
        slow = [counted(rules, bid, hand) for hand in hands(rules)]
        assert tables.matches[7 * place].tolist() == slow


# Names and combinations


@pytest.mark.parametrize("name", NAMES)
def test_each_house_rule_changes_the_game_and_is_named(name):
    rules = preset("zhaifei", house=[name])
    assert rules != preset("zhaifei")
    assert house_of(rules) == (name,)
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


@pytest.mark.parametrize("one", NAMES)
@pytest.mark.parametrize("other", NAMES)
@pytest.mark.parametrize("name", PRESETS)
def test_each_combination_works_or_is_refused_with_a_reason(name, one, other):
    """What is not refused can be opened, and is named again."""
    rules = made(name, sorted({one, other}))
    if isinstance(rules, str):
        assert any(why in rules for why in ("requires", "changes nothing", "twice", "must be"))
        return
    assert legal_bids(rules, None)
    if rules != preset(name, players=2):
        assert preset(name, players=2, house=house_of(rules)) == rules


@pytest.mark.parametrize(
    ("name", "house", "why"),
    [
        ("basic", "ones-highest", "ones_highest requires bids that name ones"),
        ("basic", "conversion=half", "conversion requires both 飞 and 斋"),
        ("basic", "zhai-stays", "zhai_stays requires both 飞 and 斋"),
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


def test_that_ones_end_fei_is_refused_where_it_changes_nothing_and_where_dice_are_lost():
    with pytest.raises(RulesError, match="ones_end_fei changes nothing where zhai_stays"):
        preset("zhaifei", house=["zhai-stays", "ones-end-fei"])
    with pytest.raises(RulesError, match="ones_end_fei requires penalty points"):
        Rules.of(ones_end_fei=True, loses_dice=True)


def test_rules_about_whole_hands_are_refused_where_players_have_different_numbers_of_dice():
    with pytest.raises(RulesError, match="straight requires hands of one size"):
        with_dice(Rules.of(straight="nothing"), (5, 3))


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["aces"], "'aces' is not a house rule; there are ones-highest, conversion=half"),
        (["conversion=third"], "'conversion=third' is not a house rule"),
        (["first-count=N"], "'first-count=N' is not a house rule"),
        (["first-count=-1"], "'first-count=-1' is not a house rule"),
        (["straight"], "'straight' is not a house rule"),
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
