"""Rounds and matches in which dice are lost: cases worked out by hand, a plain twin that knows the
rules as prose tells them, and random play.

Where hands are given, seat 1 of the prose is seat 0 here.
"""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zhaifei.game.bids import Bid, IllegalBid, domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import IllegalHand
from zhaifei.game.legal import IllegalChallenge
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode, Raising, RulesError
from zhaifei.game.positions import round_rules
from zhaifei.game.public_state import FORFEIT
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset

KNOCKOUT, INCREMENT = preset("knockout"), preset("increment")
PUBLISHED = preset("published")
VARIANTS = pytest.mark.parametrize("name", ["knockout", "increment"])
OUT = ""


def deal(rules: Rules, *hands: str, starter: int = 0) -> Round:
    """A round with dice written like 11346."""
    return Round(rules, [tuple(map(int, hand)) for hand in hands], starter)


def three(name: str, *hands: str, starter: int = 0) -> Round:
    return deal(preset(name, players=3), *hands, starter=starter)


def bids(state: Round, *said: str) -> Round:
    """Each player in turn bids, after everybody else has declined to challenge."""
    for text in said:
        while state.is_asked:
            state.decline()
        state.bid(parse_bid(text))
    return state


# bidding


def test_a_round_is_bid_in_turn_from_the_starter_on() -> None:
    state = deal(INCREMENT, "1", "2", "3", "4", starter=2)
    turns = []
    for count in range(1, 5):
        turns.append(state.turn)
        state.bid(Bid(Mode.ZHAI, count, 3))
    assert turns == [2, 3, 0, 1]
    assert [state.bidder(place) for place in range(5)] == [2, 3, 0, 1, 2]


def test_who_is_out_is_passed_over() -> None:
    state = deal(INCREMENT, "1", OUT, "3", OUT, starter=2)
    assert state.seats == [2, 0]
    assert state.dice == (1, 0, 1, 0)
    bids(state, "z1x3")
    assert state.turn == 0
    bids(state, "z2x3")
    assert state.turn == 2


@pytest.mark.parametrize(
    ("name", "legal"),
    [
        ("knockout", "飞1×2 飞1×3 飞1×4 飞1×5 飞1×6 飞2×2 飞2×3 飞2×4 飞2×5 飞2×6"),
        ("increment", "斋1×1 斋1×2 斋1×3 斋1×4 斋1×5 斋1×6"),
    ],
)
def test_what_may_open_with_two_dice_on_the_table(name: str, legal: str) -> None:
    state = three(name, "3", "4", OUT)
    assert " ".join(map(str, state.legal_bids())) == legal


@pytest.mark.parametrize(
    ("name", "last", "legal"),
    [
        ("knockout", "f1x4", "飞1×5 飞1×6 飞2×4 飞2×5 飞2×6 飞3×4 飞3×5 飞3×6"),
        ("knockout", "f2x6", "飞3×6"),
        ("knockout", "f3x6", ""),
        ("increment", "z1x4", "斋2×1 斋2×2 斋2×3 斋2×4 斋2×5 斋2×6"),
        ("increment", "z2x6", "斋3×1 斋3×2 斋3×3 斋3×4 斋3×5 斋3×6"),
    ],
)
def test_what_may_follow_with_three_dice_on_the_table(name: str, last: str, legal: str) -> None:
    state = bids(three(name, "3", "4", "5"), *(["z1x1"] * (last == "z2x6")), last)
    while state.is_asked:
        state.decline()
    assert " ".join(map(str, state.legal_bids())) == legal


@VARIANTS
def test_nobody_bids_more_dice_than_there_are_left(name: str) -> None:
    state = three(name, "3", "4", OUT)
    mode = state.rules.bidding.modes[0]
    for count in (1, 2):
        bids(state, f"{mode.name[0]}{count}x4")
    while state.is_asked:
        state.decline()
    with pytest.raises(IllegalBid, match="3×4 is too high: there are only 2 dice on the table"):
        state.verify_bid(Bid(mode, 3, 4))


def test_where_no_raise_is_left_the_next_player_challenges() -> None:
    state = bids(three("increment", "3", "4", OUT), "z1x3", "z2x4")
    assert state.legal_bids() == ()
    assert state.can_challenge()
    state = bids(three("knockout", "3", "4", OUT), "f2x6")
    state.decline()
    assert (state.is_asked, state.legal_bids(), state.turn) == (False, (), 1)
    assert state.can_challenge()
    outcome = state.challenge()
    assert (outcome.loser, outcome.forfeiter) == (0, None)


def test_without_forfeits_an_invalid_bid_changes_nothing() -> None:
    state = bids(three("increment", "3", "4", "5"), "z1x3")
    with pytest.raises(
        IllegalBid, match="斋3×3 is not allowed here: the next bid must have a count of 2"
    ):
        state.bid(parse_bid("z3x3"))
    assert (len(state.history), state.turn, state.settlement) == (1, 1, None)


# where the dice make the first bid, and counts are unbounded


@pytest.mark.parametrize(
    ("hand", "opening"),
    [
        ("1", "z2x1"),
        ("345", "z2x3"),  # one of each: the lowest face
        ("1566", "z3x6"),
        ("223355", "z3x2"),  # two of three faces: the lowest
        ("144466", "z4x4"),
        ("666666", "z7x6"),
    ],
)
def test_the_dice_of_the_starter_make_the_first_bid(hand: str, opening: str) -> None:
    """On the face that it holds most of, the lowest of several, and one die more."""
    state = deal(PUBLISHED, "11", hand, OUT, "2", starter=1)
    assert state.history == (parse_bid(opening),)
    assert (state.bidder(0), state.turn) == (1, 3)


def test_a_round_with_another_first_bid_than_that_of_the_dice_is_refused() -> None:
    hands = [(1, 1), (2, 6, 6), (), ()]
    for history in ((parse_bid("z3x6"),), (parse_bid("z3x6"), parse_bid("z4x1"))):
        assert Round(PUBLISHED, hands, 1, history).history == history
    for first in ("z2x6", "z3x2", "z1x1", "z4x6"):
        with pytest.raises(IllegalBid, match="the dice of the starter make the first bid, 斋3×6"):
            Round(PUBLISHED, hands, 1, (parse_bid(first),))


def test_who_answers_the_first_bid_of_the_dice_raises_by_one_or_challenges_it() -> None:
    state = deal(PUBLISHED, "266", "3", OUT, OUT)
    assert " ".join(map(str, state.legal_bids())) == "斋4×1 斋4×2 斋4×3 斋4×4 斋4×5 斋4×6"
    outcome = state.challenge()
    assert (outcome.loser, outcome.winner) == (0, 1)  # there are two sixes
    assert deal(PUBLISHED, "266", "6", OUT, OUT).challenge().loser == 1  # there are three


def test_where_counts_are_unbounded_there_is_always_a_raise_and_it_is_by_one() -> None:
    state = deal(PUBLISHED, "1", "2", OUT, OUT)
    for count in range(3, 30):
        assert {(bid.count, bid.face) for bid in state.legal_bids()} == {
            (count, face) for face in range(1, 7)
        }
        for wrong in (count - 1, count + 1):
            with pytest.raises(IllegalBid, match=f"the next bid must have a count of {count}"):
                state.bid(Bid(Mode.ZHAI, wrong, 1))
        state.bid(Bid(Mode.ZHAI, count, 1))


@pytest.mark.parametrize("over", range(5))
def test_who_challenges_more_dice_than_there_are_wins(over: int) -> None:
    """Three ones, all that there are: three of them are there, and more are not."""
    state = deal(PUBLISHED, "11", "1", OUT, OUT)
    assert state.history == (parse_bid("z3x1"),)
    for count in range(4, 4 + over):
        state.bid(Bid(Mode.ZHAI, count, 1))
    bidder, challenger = over % 2, (over + 1) % 2
    outcome = state.challenge()
    assert outcome.challenge is not None
    assert (outcome.challenge.bid.count, outcome.counted) == (3 + over, 3)
    assert (outcome.challenge.bidder, outcome.challenge.challenger) == (bidder, challenger)
    assert outcome.loser == (challenger if over == 0 else bidder)


def test_above_99_there_is_no_bid() -> None:
    state = deal(PUBLISHED, "1", "2", OUT, OUT)
    for count in range(3, 100):
        state.bid(Bid(Mode.ZHAI, count, 1))
    assert state.legal_bids() == ()
    with pytest.raises(IllegalBid, match=r"斋100×1 is not a bid in these rules: .* be 1 to 99"):
        state.bid(Bid(Mode.ZHAI, 100, 1))
    assert state.challenge().loser == 1


# challenges


@pytest.mark.parametrize(
    ("hands", "bid", "loser", "winner", "counted"),
    [
        (("14", "44", "25"), "f4x4", 1, 0, 4),  # the 1 counts: true
        (("14", "44", "25"), "f5x4", 0, 1, 4),
        (("66", "22", "33"), "f1x5", 0, 1, 0),
        (("11", "22", "33"), "f2x5", 1, 0, 2),
    ],
)
def test_knockout_ones_are_wild_and_who_was_wrong_loses(
    hands: tuple[str, ...], bid: str, loser: int, winner: int, counted: int
) -> None:
    outcome = bids(three("knockout", *hands), bid).challenge()
    assert outcome.challenge is not None
    assert (outcome.loser, outcome.winner, outcome.counted) == (loser, winner, counted)
    assert outcome.forfeiter is None


@pytest.mark.parametrize(("last", "loser", "counted"), [("z2x4", 2, 2), ("z2x3", 1, 1)])
def test_increment_ones_are_ones(last: str, loser: int, counted: int) -> None:
    state = bids(three("increment", "14", "43", "12"), "z1x6", last)
    outcome = state.challenge()
    assert outcome.challenge is not None
    assert (outcome.challenge.challenger, outcome.challenge.bidder) == (2, 1)
    assert (outcome.loser, outcome.winner) == (loser, 3 - loser)
    assert outcome.counted == counted


def test_an_opening_cannot_be_challenged_before_it_is_made() -> None:
    for name in ("knockout", "increment"):
        with pytest.raises(IllegalChallenge, match="there is no bid to challenge"):
            three(name, "1", "2", "3").challenge()


def test_after_the_end_nothing_can_be_done() -> None:
    state = bids(three("knockout", "1", "2", "3"), "f1x2")
    state.challenge()
    with pytest.raises(IllegalBid, match="comes too late"):
        state.bid(parse_bid("f2x2"))
    with pytest.raises(IllegalChallenge, match="the round has ended"):
        state.challenge()
    with pytest.raises(IllegalChallenge, match="the round has ended"):
        state.decline()
    with pytest.raises(IllegalBid, match="the round has ended"):
        state.forfeit()
    assert state.legal_bids() == ()


# challenges out of turn


def test_after_each_bid_everybody_else_is_asked_once_in_turn_order() -> None:
    state = deal(KNOCKOUT, "1", "2", "3", "4", starter=1)
    assert (state.turn, state.is_asked, state.is_out_of_turn) == (1, False, False)
    asked = []
    for text in ("f1x2", "f1x3", "f2x4"):
        state.bid(parse_bid(text))
        asked.append([])
        while state.is_asked:
            asked[-1].append((state.turn, state.is_out_of_turn))
            state.decline()
    # The next to bid is asked first, and only that challenge would be in turn.
    assert asked == [
        [(2, False), (3, True), (0, True)],
        [(3, False), (0, True), (1, True)],
        [(0, False), (1, True), (2, True)],
    ]
    assert (state.turn, state.is_asked) == (0, False)


def test_of_those_who_are_out_nobody_is_asked() -> None:
    state = bids(deal(KNOCKOUT, "1", OUT, "3", "4"), "f1x2")
    asked = []
    while state.is_asked:
        asked.append(state.turn)
        state.decline()
    assert asked == [2, 3]
    assert state.turn == 2


@pytest.mark.parametrize(("declining", "challenger"), [(0, 1), (1, 2), (2, 3)])
def test_who_challenges_out_of_turn_is_who_loses_or_wins(declining: int, challenger: int) -> None:
    for bid, true in (("f2x2", True), ("f3x2", False)):
        state = bids(deal(KNOCKOUT, "1", "2", "3", "4"), bid)
        for _ in range(declining):
            state.decline()
        outcome = state.challenge()
        assert (outcome.loser, outcome.winner) == ((challenger, 0) if true else (0, challenger))


def test_who_is_asked_cannot_bid_before_the_others_are_asked() -> None:
    state = bids(three("knockout", "1", "2", "3"), "f1x2")
    for _ in range(2):
        assert state.legal_bids() == ()
        with pytest.raises(IllegalBid, match="飞2×2 comes too early: others are asked first"):
            state.bid(parse_bid("f2x2"))
        state.decline()
    state.bid(parse_bid("f2x2"))
    assert len(state.history) == 2


def test_who_declined_must_bid() -> None:
    state = bids(three("knockout", "1", "2", "3"), "f1x2")
    state.decline()
    state.decline()
    assert not state.can_challenge()
    with pytest.raises(IllegalChallenge, match="everybody has declined to challenge"):
        state.challenge()
    with pytest.raises(IllegalChallenge, match="nobody is asked"):
        state.decline()


def test_in_increment_nobody_is_asked_out_of_turn() -> None:
    state = bids(three("increment", "1", "2", "3"), "z1x2")
    assert (state.turn, state.is_asked, state.is_out_of_turn) == (1, False, False)
    assert state.can_challenge()
    with pytest.raises(IllegalChallenge, match="nobody is asked"):
        state.decline()


# forfeits


@pytest.mark.parametrize("invalid", ["f1x2", "f1x1", "f2x2", "f4x3", "z2x3", "f0x3"])
@pytest.mark.parametrize(
    ("last", "loser", "winner"), [("f1x3", 1, 0), ("f3x3", 0, 1)], ids=["true", "false"]
)
def test_an_invalid_bid_challenges_the_one_before(
    invalid: str, last: str, loser: int, winner: int
) -> None:
    """It is the bidder who challenges, though everybody has declined. 飞2×2 has a lower face."""
    state = bids(three("knockout", "3", "1", "4"), last)
    state.decline()
    state.decline()
    with pytest.raises(IllegalBid):
        state.bid(parse_bid(invalid))
    state.take(FORFEIT)
    assert state.settlement is not None
    assert state.history == (parse_bid(last),)
    assert state.settlement.challenge == (parse_bid(last), 0, 1, 1, None)
    assert state.settlement[:2] == (loser, winner)
    assert state.settlement.forfeiter == 1


def test_an_invalid_first_bid_costs_a_die_and_the_next_player_counts_as_winner() -> None:
    state = deal(KNOCKOUT, "3", "1", OUT, "4", starter=1)
    with pytest.raises(IllegalBid):
        state.bid(parse_bid("f4x3"))  # of three dice
    state.take(FORFEIT)
    assert state.settlement == (1, 3, None, 0, 1)


def test_a_forfeit_while_asked_is_to_decline() -> None:
    state = bids(three("knockout", "1", "2", "3"), "f1x2")
    state.forfeit()
    assert (state.declined, state.turn, state.settlement) == (1, 2, None)


def test_where_invalid_bids_are_refused_who_makes_no_decision_forfeits_all_the_same() -> None:
    state = bids(three("increment", "3", "1", "4"), "z1x3")
    state.forfeit()
    assert state.settlement is not None
    assert (state.settlement.loser, state.settlement.forfeiter) == (1, 1)
    state = three("increment", "3", "1", "4")
    state.forfeit()
    assert state.settlement == (0, 1, None, 0, 0)


# who may sit down


@pytest.mark.parametrize(
    ("hands", "error", "message"),
    [
        (("1", "2"), ZhaifeiError, "2 hands for 3 players"),
        (("1", OUT, OUT), ZhaifeiError, "a round needs at least two players with dice"),
        (("123456", "1", "2"), IllegalHand, "hand 123456 has 6 dice; it may have at most 5"),
        (("1", "7", "2"), IllegalHand, "hand 7 shows a 7; faces must be 1 to 6"),
        ((OUT, "1", "2"), ZhaifeiError, "the player in seat 1 is out"),
    ],
)
def test_hands_that_make_no_round_are_refused(
    hands: tuple[str, ...], error: type[ZhaifeiError], message: str
) -> None:
    with pytest.raises(error, match=message):
        three("knockout", *hands)


def test_where_rounds_cost_points_no_die_is_missing_and_no_decision_forfeits() -> None:
    with pytest.raises(ZhaifeiError, match="hand 1111 has 4 dice; it must have 5"):
        deal(Rules(), "1111", "22222")
    state = deal(Rules(), "11111", "22222")
    with pytest.raises(IllegalBid, match="the player chooses again"):
        state.forfeit()


# matches


def match_of(rules: Rules, dice: list[int], starter: int, seed: int = 0) -> Match:
    """A match in which these dice are left."""
    match = Match(rules, np.random.default_rng(seed))
    match.score, match.starter = dice, starter
    return match


def lose(match: Match, loser: int) -> None:
    """A round in which the player in turn bids what is likely false, or certainly true, so that a
    challenge of the next player makes `loser` lose; it must be one of the two."""
    state = match.deal()
    bidder, challenger = state.bidder(0), state.bidder(1)
    assert loser in (bidder, challenger)
    mode, table = match.rules.bidding.modes[0], sum(state.dice)
    # Counts of one are true with a face that somebody has; and of all dice, false.
    face = next(face for hand in state.hands for face in hand if face > 1)
    state.bid(Bid(mode, 1 if loser == challenger else table, face))
    outcome = state.challenge()
    assert outcome.loser == loser
    match.settle()


def test_the_winner_starts_the_next_round_of_knockout() -> None:
    for loser, starter in ((2, 3), (3, 2)):
        match = match_of(KNOCKOUT, [2, 2, 2, 2], 2)
        lose(match, loser)
        assert (match.score[loser], sum(match.score), match.starter) == (1, 7, starter)


def test_the_loser_starts_the_next_round_of_increment() -> None:
    match = match_of(INCREMENT, [2, 2, 2, 2], 2)
    lose(match, 3)
    assert (match.score, match.starter) == ([2, 2, 2, 1], 3)


def test_a_loser_who_is_out_leaves_the_start_to_the_next_with_dice() -> None:
    match = match_of(INCREMENT, [2, 0, 2, 1], 2)
    lose(match, 3)
    assert (match.score, match.starter) == ([2, 0, 2, 0], 0)
    match = match_of(INCREMENT, [1, 0, 2, 2], 3)
    lose(match, 0)
    assert (match.score, match.starter) == ([0, 0, 2, 2], 2)


def test_after_an_invalid_first_bid_the_next_player_starts_in_knockout() -> None:
    match = match_of(KNOCKOUT, [2, 0, 2, 1], 3)
    match.deal().forfeit()
    match.settle()
    assert (match.score, match.starter) == ([2, 0, 2, 0], 0)


def test_the_last_one_with_dice_has_won() -> None:
    match = match_of(KNOCKOUT, [0, 1, 0, 1], 1)
    assert match.winner is None
    lose(match, 3)
    assert match.winner == 1
    with pytest.raises(ZhaifeiError, match="the match has ended: only one player has dice left"):
        match.deal()


def test_rounds_are_played_one_after_the_other() -> None:
    match = Match(KNOCKOUT, np.random.default_rng(0))
    with pytest.raises(ZhaifeiError, match="the round has not ended yet"):
        match.settle()
    state = match.deal()
    with pytest.raises(ZhaifeiError, match="the round has not ended yet"):
        match.deal()
    state.bid(parse_bid("f1x2"))
    with pytest.raises(ZhaifeiError, match="the round has not ended yet"):
        match.settle()
    state.challenge()
    assert match.settle() == match.settled[0]


def test_starters_are_drawn() -> None:
    drawn = [Match(KNOCKOUT, np.random.default_rng(seed)).starter for seed in range(400)]
    # Of 400 draws each of four seats has 100, give or take four times 8.7.
    assert min(np.bincount(drawn, minlength=4)) >= 65


@VARIANTS
def test_dice_do_not_depend_on_who_has_lost_how_many(name: str) -> None:
    rules = preset(name)
    full = match_of(rules, [rules.dice] * 4, 0, seed=5)
    less = match_of(rules, [2, 0, rules.dice, 1], 2, seed=5)
    for _ in range(3):
        whole, part = full.deal(), less.deal()
        for dice, left, hand in zip(whole.hands, part.hands, [2, 0, rules.dice, 1], strict=True):
            assert len(left) == hand
            # What is left is part of what would be there.
            assert all(left.count(face) <= dice.count(face) for face in left)
        assert part.hands[2] == whole.hands[2]
        for match in (full, less):
            match.round = None


def test_dice_are_fair() -> None:
    match = Match(INCREMENT, np.random.default_rng(0))
    counted = np.zeros(7, dtype=np.int64)
    for _ in range(500):
        counted += np.bincount(np.concatenate(match.deal().hands), minlength=7)
        match.round = None
    expected = 500 * 24 / 6
    assert counted[0] == 0
    assert (abs(counted[1:] - expected) < 4.5 * np.sqrt(expected * 5 / 6)).all()


# a twin, and random play


def raises_in_prose(name: str, last: Bid | None, table: int) -> set[tuple[int, int]]:
    """(count, face) of what may be bid, from the words of the rules."""
    faces = range(2, 7) if name == "knockout" else range(1, 7)
    found = {(count, face) for count in range(1, table + 1) for face in faces}
    if name == "increment":
        return {(count, face) for count, face in found if count == (last.count if last else 0) + 1}
    if last is None:
        return found
    more = {(count, face) for count, face in found if count > last.count and face >= last.face}
    higher = {(count, face) for count, face in found if count == last.count and face > last.face}
    return more | higher


def play_at_random(match: Match, draw: random.Random) -> None:
    """Anything that may be done, and sometimes what may not; checks each state on the way."""
    name = "knockout" if match.rules.stakes.out_of_turn else "increment"
    before = sum(match.score)
    state = match.deal()
    for _ in range(1000):
        if state.settlement is not None:
            break
        assert match.score[state.turn] > 0
        legal = state.legal_bids()
        if state.is_asked:
            assert legal == ()
            assert state.history
            assert state.turn != state.bidder(len(state.history) - 1)
        else:
            table = sum(match.score)
            expected = raises_in_prose(name, state.last, table)
            assert {(bid.count, bid.face) for bid in legal} == expected
            assert [bid for bid in domain(match.rules) if passes(state, bid)] == list(legal)
        if state.can_challenge() and (draw.random() < 0.1 or not (state.is_asked or legal)):
            state.challenge()
        elif state.is_asked:
            state.decline()
        elif match.rules.stakes.forfeits and draw.random() < 0.02:
            state.forfeit()
        else:
            state.bid(draw.choice(legal[:4]))
    outcome = match.settle()
    assert sum(match.score) == before - 1
    assert outcome.loser != outcome.winner
    assert match.score[match.starter] > 0


def passes(state: Round, bid: Bid) -> bool:
    try:
        state.verify_bid(bid)
    except IllegalBid:
        return False
    return True


@settings(max_examples=40)
@given(
    st.sampled_from(["knockout", "increment"]),
    st.integers(2, 8),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_a_match_costs_a_die_each_round_until_one_is_left(
    name: str, players: int, dice: int, draw: random.Random
) -> None:
    rules = preset(name, players=players, dice=dice)
    match = Match(rules, np.random.default_rng(draw.randrange(2**32)))
    while match.winner is None:
        play_at_random(match, draw)
    assert sum(map(bool, match.score)) == 1
    assert match.score[match.winner] == sum(match.score)
    assert len(match.settled) == players * dice - match.score[match.winner]


@VARIANTS
def test_equal_generators_and_decisions_make_equal_matches(name: str) -> None:
    played = []
    for _ in range(2):
        match, draw = Match(preset(name), np.random.default_rng(3)), random.Random(4)
        while match.winner is None:
            play_at_random(match, draw)
        played.append((match.winner, match.settled))
    assert played[0] == played[1]


# rounds of matches of two, as games for a point


def test_a_round_of_a_match_of_two_is_a_game_for_a_point() -> None:
    rules = round_rules(preset("knockout", players=2), (5, 3))
    assert rules.dice_by_player == (5, 3)
    assert (rules.bidding.modes, rules.bidding.raising) == ((Mode.FEI,), Raising.FACE_OR_COUNT)
    assert (rules.bidding.first_count, rules.highest_count) == (1, 8)
    rules.verify_costs_points()
    assert round_rules(preset("classic", players=2), (2, 2)) == preset("basic", dice=2).changed(
        first_count=1
    )


@pytest.mark.parametrize("name", ["knockout", "increment", "classic", "classic_plain"])
@given(dice=st.tuples(st.integers(1, 3), st.integers(1, 3)), seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_round_for_a_point_allows_and_costs_what_that_of_the_match_does(name, dice, seed) -> None:
    """Exceptions: declining and then raising is one decision, and an invalid bid is not a
    decision."""
    chance = random.Random(seed)
    match, rules = preset(name, players=2), round_rules(preset(name, players=2), dice)
    hands = [[chance.randint(1, 6) for _ in range(number)] for number in dice]
    state, twin = Round(match, hands, starter=0), Round(rules, hands)
    while True:
        twins = legal_bids(rules, twin.last)
        assert state.turn == twin.turn
        assert state.can_challenge() == twin.can_challenge()
        if twin.can_challenge() and (not twins or chance.random() < 0.2):
            break
        if state.is_asked:
            state.decline()
        assert state.turn == twin.turn
        assert state.legal_bids() == twins
        bid = chance.choice(twins[:3])
        state.bid(bid)
        twin.bid(bid)
    assert state.challenge().loser == twin.challenge().loser


@pytest.mark.parametrize("name", ["published", "knockout", "zhaifei"])
def test_a_round_that_is_no_game_of_two_for_a_point_is_refused(name: str) -> None:
    rules = preset(name, players=2 if name == "published" else 3)
    with pytest.raises(RulesError):
        round_rules(rules, (1,) * rules.players)
