import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.strategies import POINT_PRESETS, any_rules, calls_of, histories_of
from zhaifei.game.bidding import bidding
from zhaifei.game.bids import Bid, IllegalBid, counts_for, domain, plain_bids, verify_bid
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import parse_bid
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import NO_BID, bid_tables

SOME_RULES = [
    Rules(),
    Rules.of(players=5, dice=2),
    Rules.of(players=8, dice=1, jump_challenge=True),
    Rules.of(dice=2, faces=4, wild=3),
    Rules.of(dice=3, fei_to_zhai="flat", zhai_to_fei="double", first_count=1),
    preset("basic", players=3, dice=3),
    preset("liars_dice", dice=2, faces=3),
    preset("zhaifei", dice=(1, 3)),
    *(
        round_rules(preset(name, players=2), dice)
        for name, dice in (("knockout", (2, 1)), ("increment", (2, 2)), ("classic", (1, 3)))
    ),
]


def allowed(rules: Rules, bid: Bid, last: Bid | None) -> bool:
    try:
        verify_bid(rules, bid, last)
    except IllegalBid:
        return False
    return True


def legal_by_tables(rules: Rules, last: int) -> list[int]:
    """The legal raises as a kernel reads them."""
    tables = bid_tables(rules)
    raises = range(tables.first_raise[last + 1], len(tables.claimed))
    return [bid for bid in raises if tables.legal[last + 1, bid]]


@pytest.mark.parametrize("rules", SOME_RULES)
def test_tables_say_what_the_rules_say(rules):
    bids, tables = domain(rules), bid_tables(rules)
    assert tables.claimed.tolist() == [bid.count for bid in bids]
    assert (tables.players, tables.dice) == (rules.players, rules.dice)
    assert tables.endings == (rules.players - 1 if rules.stakes.jump_challenge else 1)
    for last in range(NO_BID, len(bids)):
        after = None if last == NO_BID else bids[last]
        slow = [place for place, bid in enumerate(bids) if allowed(rules, bid, after)]
        assert legal_by_tables(rules, last) == slow, after
    for place, bid in enumerate(bids):
        slow = [sum(counts_for(rules, bid, die) for die in hand) for hand in hands(rules)]
        assert tables.matches[place].tolist() == slow, bid
    assert tables.first_raise[len(bids)] == len(bids)
    priors = [probabilities(rules, player) for player in range(rules.players)]
    np.testing.assert_allclose(tables.prior, priors, rtol=1e-6)


@settings(max_examples=30)
@given(any_rules(max_dice=2))
def test_bids_are_of_one_kind_exactly_when_they_are_of_one_mode_and_face(rules):
    tables, bids = bid_tables(rules), plain_bids(rules)
    kind, named = tables.kind[: len(bids)], [(bid.mode, bid.face) for bid in bids]
    of_kind = dict(zip(kind.tolist(), named, strict=True))
    assert [of_kind[number] for number in kind.tolist()] == named
    assert sorted(of_kind) == list(range(len(set(named))))
    for number in of_kind:
        claimed = tables.claimed[: len(bids)][kind == number]
        assert (np.diff(claimed) > 0).all()
    times = len(domain(rules)) // len(bids)
    assert tables.kind.tolist() == kind.tolist() * times, "a double is of the kind of its bid"


@settings(max_examples=30)
@given(st.data(), any_rules(max_dice=2))
def test_any_legal_raise_is_in_the_tables(data, rules):
    last, bid = data.draw(histories_of(rules, min_size=1))[-1], data.draw(calls_of(rules))
    place, after = domain(rules).index(bid), domain(rules).index(last)
    assert (place in legal_by_tables(rules, after)) == allowed(rules, bid, last)
    assert (place in legal_by_tables(rules, NO_BID)) == allowed(rules, bid, None)


def test_tables_of_the_full_game_by_example():
    rules = Rules()
    tables, bids = bid_tables(rules), domain(rules)

    def place(text):
        return bids.index(parse_bid(text))

    hand = hands(rules).index((1, 1, 3, 4, 6))
    assert tables.matches[place("f4x6"), hand] == 3
    assert tables.matches[place("z4x6"), hand] == 1
    assert tables.matches[place("z4x1"), hand] == 2
    assert tables.matches[place("f4x2"), hand] == 2
    # 斋2×5 is level with 飞4×5, so after either the next is 飞4×6.
    assert tables.first_raise[place("f4x5") + 1] == place("f4x6")
    assert tables.first_raise[place("z2x5") + 1] == place("f4x6")
    assert tables.first_raise[place("z10x6") + 1] == len(bids) == 110
    # 飞3×2 opens; so does 斋3×1, while the stronger 斋2×5 does not.
    assert tables.first_raise[NO_BID + 1] == place("f3x2")
    assert [bool(tables.legal[0, place(text)]) for text in ("f3x2", "z3x1", "z2x5")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("name", POINT_PRESETS)
def test_tables_have_the_shapes_and_types_that_kernels_are_compiled_for(name):
    rules = preset(name, players=3, dice=2)
    tables, bids, number = bid_tables(rules), len(domain(rules)), len(hands(rules))
    states = len(bidding(rules).states)
    expected = {
        "prior": ((3, number), np.float32),
        "matches": ((bids, number), np.int8),
        "kind": ((bids,), np.int64),
        "claimed": ((bids,), np.int64),
        "first_raise": ((states,), np.int64),
        "legal": ((states, bids), np.bool_),
    }
    for field, (shape, dtype) in expected.items():
        array = getattr(tables, field)
        assert (array.shape, array.dtype) == (shape, dtype), field
        assert array.flags.c_contiguous, field
        assert not array.flags.writeable, field


def test_tables_are_built_once():
    assert bid_tables(Rules()) is bid_tables(Rules.of(players=2))
