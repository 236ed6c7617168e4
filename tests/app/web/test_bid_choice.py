"""A bid that is tapped, without any page: what cannot be chosen is what the rules forbid."""

import pytest

from zhaifei.app.web.bid_pad import COUNTS, BidChoice
from zhaifei.game.bids import Bid, IllegalBid, State, can_bid, domain, legal_bids, state_after
from zhaifei.game.notation import parse_bid, parse_history
from zhaifei.game.rules import Rules, preset

TWO, EIGHT = preset("zhaifei"), preset("zhaifei", players=8)


def chosen(rules: Rules, state: State, bid: Bid) -> BidChoice:
    choice = BidChoice(rules)
    choice.follow(state)
    choice.choose_mode(bid.mode)
    choice.choose_count(bid.count)
    choice.choose_face(bid.face)
    return choice


@pytest.mark.parametrize("last", [None, "飞3x4", "斋2x5", "飞10x5"])
def test_just_the_legal_bids_can_be_tapped(last: str | None) -> None:
    before = None if last is None else parse_bid(last, TWO)
    for bid in domain(TWO):
        if can_bid(TWO, bid, before):
            assert chosen(TWO, State(before), bid).bid == bid
        else:
            with pytest.raises(IllegalBid):
                chosen(TWO, State(before), bid)


def test_a_face_alone_chooses_the_lowest_count() -> None:
    choice = BidChoice(TWO)
    choice.choose_face(6)
    assert str(choice.bid) == "飞3×6"


def test_another_count_forgets_a_face_that_does_not_go_with_it() -> None:
    choice = BidChoice(TWO)
    choice.follow(State(parse_bid("飞3x4", TWO)))
    choice.choose_count(4)
    choice.choose_face(2)
    choice.choose_count(3)
    assert choice.bid is None


def test_if_one_mode_has_no_bids_left_the_other_is_chosen() -> None:
    last = legal_bids(TWO, parse_bid("飞10x6", TWO))[0]
    choice = BidChoice(TWO)
    choice.follow(State(last))
    assert choice.legal_mode(choice.mode)


def test_counts_begin_where_the_legal_ones_do() -> None:
    choice = BidChoice(EIGHT)
    assert len(choice.counts) == COUNTS
    assert choice.counts[1] == EIGHT.bidding.first_count
    choice.turn(100)
    assert choice.counts[-1] == EIGHT.total_dice
    choice.turn(-100)
    assert choice.counts[0] == 1
    choice.choose_shown(9)
    assert choice.count == 10


@pytest.mark.parametrize("history", ["飞5x4", "飞5x4 斋3x1", "飞5x4 斋3x1 斋4x4"])
def test_what_is_tapped_after_ones_is_the_bid_that_is_legal_there(history: str) -> None:
    rules = preset("zhaifei", house=["ones-end-fei"])
    state = state_after(rules, parse_history(rules, history))
    for bid in legal_bids(rules, *state):
        assert chosen(rules, state, bid).bid == bid
    if "斋" in history:
        with pytest.raises(IllegalBid, match="ones have been named"):
            chosen(rules, state, parse_bid("飞10x6"))
