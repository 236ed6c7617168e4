"""劈, 反劈 and 认输, by the rule that each test names."""

from __future__ import annotations

import pytest

from zhaifei.game.bids import IllegalBid, action_count, domain, endings_after, gives_up_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.legal import IllegalChallenge
from zhaifei.game.notation import (
    NotationError,
    format_action,
    format_actions,
    format_history,
    parse_action,
    parse_actions,
    parse_bid,
    parse_history,
)
from zhaifei.game.public_state import Challenge, PublicState
from zhaifei.game.rounds import Round, Settlement, utilities
from zhaifei.game.rules import Rules
from zhaifei.game.views import verify_action

DOUBLED = Rules.of(doubled=(2, 4))
HALF = Rules.of(doubled=(2, 4, 8), giving_up="half")
SHOWN = Rules.of(doubled=(2,), giving_up="forbidden")
HANDS = ((1, 1, 3, 4, 6), (2, 2, 5, 6, 6))
"""Five dice count towards 飞 sixes: two ones and three sixes."""


def played(rules: Rules, said: str, starter: int = 0) -> Round:
    round_ = Round(rules, HANDS, starter)
    for action in parse_actions(rules, said):
        round_.take(action)
    return round_


def settled(rules: Rules, said: str, starter: int = 0) -> Settlement:
    end = played(rules, said, starter).settlement
    assert end is not None
    return end


@pytest.mark.parametrize(
    ("rules", "said", "loser", "cost"),
    [
        (DOUBLED, "f5x6 c", 1, 1),  # as without doubles
        (DOUBLED, "f6x6 c", 0, 1),
        (DOUBLED, "f5x6 劈 c", 1, 2),  # the bidder shows a true bid: who doubled pays
        (DOUBLED, "f6x6 劈 c", 0, 2),
        (DOUBLED, "f5x6 劈 反劈 c", 1, 4),  # who doubled first asks to see
        (DOUBLED, "f6x6 劈 反劈 c", 0, 4),
        (DOUBLED, "f5x6 劈 认输", 0, 1),  # who gives up pays, whatever the dice show
        (DOUBLED, "f6x6 劈 认输", 0, 1),
        (DOUBLED, "f5x6 劈 反劈 认输", 1, 1),
        (DOUBLED, "f6x6 劈 反劈 认输", 1, 1),
        (HALF, "f6x6 劈 认输", 0, 1),
        (HALF, "f6x6 劈 反劈 认输", 1, 2),
        (HALF, "f6x6 劈 反劈 反反劈 认输", 0, 4),
        (HALF, "f6x6 劈 反劈 反反劈 c", 0, 8),
        (SHOWN, "f5x6 劈 c", 1, 2),
        (DOUBLED, "f3x6 f5x6 劈 c", 0, 2),  # seat 1 bid
    ],
)
@pytest.mark.parametrize("starter", [0, 1])
def test_who_pays_and_how_much(
    rules: Rules, said: str, loser: int, cost: int, starter: int
) -> None:
    end = settled(rules, said, starter)
    assert (end.loser, end.cost) == (loser ^ starter, cost)
    assert end.winner == 1 - end.loser
    assert end.counted == 5
    assert end.bid_was_true == ("f5x6" in said)
    payoffs = utilities(rules, end)
    assert payoffs[end.loser] == -cost == -payoffs[end.winner]


def test_the_doubter_is_the_challenger_whoever_ends_the_bidding() -> None:
    bid = parse_bid("f5x6")
    for said, given_up_by in {"c": None, "认输": 0}.items():
        cost = 2 if given_up_by is None else 1
        challenge = settled(DOUBLED, f"f5x6 劈 {said}").challenge
        assert challenge == Challenge(bid, 0, 1, cost, given_up_by)
    assert settled(DOUBLED, "f5x6 劈 反劈 认输").challenge == Challenge(bid, 0, 1, 1, 1)


def test_after_a_double_the_other_player_shows_doubles_again_or_gives_up() -> None:
    round_ = played(DOUBLED, "f5x6")
    assert not round_.can_give_up()
    assert round_.legal_bids()[-1].doubled == 1
    assert str(round_.view().double) == "劈"
    round_.take(parse_action(DOUBLED, "劈", round_.last))
    assert (round_.turn, round_.can_challenge(), round_.can_give_up()) == (0, True, True)
    assert [str(bid) for bid in round_.legal_bids()] == ["反劈"]
    assert round_.view().can_give_up
    round_.take(parse_action(DOUBLED, "反劈", round_.last))
    assert (round_.turn, round_.legal_bids(), round_.view().double) == (1, (), None)
    assert round_.can_challenge()
    assert round_.can_give_up()
    assert not round_.can_challenge(2)


def test_where_giving_up_is_forbidden_the_dice_are_shown() -> None:
    round_ = played(SHOWN, "f5x6 劈")
    assert round_.legal_bids() == ()
    assert not round_.can_give_up()
    assert round_.can_challenge()
    assert endings_after(SHOWN, round_.history) == [action_count(SHOWN) - 1]
    with pytest.raises(IllegalChallenge, match="after 劈 the dice are shown"):
        round_.give_up()


def test_each_illegal_call_says_why_and_changes_nothing() -> None:
    for said, text, why in [
        ("", "劈", "there is no bid to double"),
        ("", "认输", "only after 劈"),
        ("f5x6", "认输", "only after 劈"),
        ("f5x6", "反劈", "it doubles another bid"),
        ("f5x6 劈", "f6x6", "no bid follows a double"),
        ("f5x6 劈 反劈", "反反劈", "stakes are doubled up to 2 times"),
        ("f5x6 劈 c", "劈", "the round has ended"),
        ("f5x6 劈 c", "认输", "the round has ended"),
    ]:
        round_ = played(DOUBLED, said)
        before = (round_.history, round_.challenged)
        with pytest.raises(ZhaifeiError, match=why):
            round_.take(parse_action(DOUBLED, text, round_.last))
        assert (round_.history, round_.challenged) == before


def test_asking_and_doing_agree_after_every_history_of_a_small_game() -> None:
    rules = Rules.of(dice=1, faces=3, doubled=(2, 4))
    waiting = [PublicState(rules, (1, 1))]
    for state in waiting:
        endings = endings_after(rules, state.history)
        view = state.view_with((1,), state.turn)
        for action in range(action_count(rules)):
            after = PublicState(rules, (1, 1), history=state.history)
            try:
                after.take(action)
            except (IllegalBid, IllegalChallenge) as error:
                assert action not in endings
                assert state.taken_as(action) == action
                with pytest.raises(type(error)):
                    verify_action(view, action)
                continue
            verify_action(view, action)
            if action >= len(domain(rules)):
                assert action in endings
                assert after.is_over
            else:
                assert domain(rules)[action] in state.legal_bids()
                waiting.append(after)
    assert len(waiting) == 1 + sum(bool(state.history) for state in waiting) > 100


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("f4x6 劈", "飞4×6 劈"),
        ("四个六劈，反劈，认输", "飞4×6 劈 反劈 give up"),
        ("f4x6 pi redouble GIVE UP", "飞4×6 劈 反劈 give up"),
        ("4 6 double 开", "飞4×6 劈 challenge"),
        ("f4x6 劈認輸", "飞4×6 劈 give up"),
    ],
)
def test_doubles_and_giving_up_are_read_and_written(said: str, written: str) -> None:
    actions = parse_actions(DOUBLED, said)
    assert format_actions(DOUBLED, actions) == written
    assert parse_actions(DOUBLED, written) == actions


def test_a_history_with_doubles_round_trips() -> None:
    history = parse_history(HALF, "f4x6 z3x2 劈 反劈 反反劈")
    assert [bid.doubled for bid in history] == [0, 0, 1, 2, 3]
    assert {bid.claim for bid in history[1:]} == {parse_bid("z3x2")}
    assert parse_history(HALF, format_history(history)) == history


@pytest.mark.parametrize("text", ["劈", "pi", "double", "反劈", "redouble"])
def test_rules_without_doubles_refuse_them_and_say_why(text: str) -> None:
    with pytest.raises(IllegalBid, match="they do not let players double the stakes"):
        parse_action(Rules(), text, parse_bid("f4x6"))
    with pytest.raises(IllegalBid, match="they do not let players double the stakes"):
        parse_history(Rules(), f"f4x6 {text}")


def test_giving_up_is_refused_by_rules_without_it() -> None:
    assert parse_action(DOUBLED, "认输") == gives_up_action(DOUBLED)
    assert format_action(DOUBLED, gives_up_action(DOUBLED)) == "give up"
    for rules, why in {Rules(): "they are without 劈", SHOWN: "the dice are shown"}.items():
        with pytest.raises(IllegalChallenge, match=why):
            parse_action(rules, "give up")


def test_a_double_is_no_bid_by_itself() -> None:
    with pytest.raises(NotationError, match="is not a bid"):
        parse_bid("劈", DOUBLED)


# Three and more players: only the bidder and the next player go on


THREE = DOUBLED.changed(players=3)
FOUR = HALF.changed(players=4)
OF_MANY = (*HANDS, (2, 2, 3, 3, 4), (3, 3, 4, 4, 5))
"""As in HANDS, five dice count towards 飞 sixes."""


def played_by_many(rules: Rules, said: str, starter: int = 0) -> Round:
    hands = OF_MANY[: rules.players]
    round_ = Round(rules, hands[-starter:] + hands[:-starter], starter)
    for action in parse_actions(rules, said):
        round_.take(action)
    return round_


@pytest.mark.parametrize(
    ("rules", "said", "turns"),
    [
        (THREE, "f4x6 f5x6 劈 反劈", [0, 1, 2, 1, 2]),
        (THREE, "f4x6 劈 反劈", [0, 1, 0, 1]),
        (THREE, "f4x6 f5x6 f6x6 劈 反劈", [0, 1, 2, 0, 2, 0]),
        (FOUR, "f5x6 劈 反劈 反反劈", [0, 1, 0, 1, 0]),
        (FOUR, "f5x6 f6x6 f7x6 f8x6 劈 反劈 反反劈", [0, 1, 2, 3, 0, 3, 0, 3]),
    ],
)
@pytest.mark.parametrize("starter", [0, 1, 2])
def test_the_bidder_and_who_doubled_answer_each_other(
    rules: Rules, said: str, turns: list[int], starter: int
) -> None:
    in_turn = [(starter + turn) % rules.players for turn in turns]
    history = parse_history(rules, said)
    for made, turn in enumerate(in_turn):
        round_ = played_by_many(rules, format_history(history[:made]), starter)
        assert round_.turn == turn
        assert [one.seat for one in round_.view().history] == in_turn[:made]
        for seat in range(rules.players):
            view = round_.view(seat)
            assert view.turns_until_own == (seat - turn) % rules.players
            assert bool(view.legal_bids) == (seat == turn and bool(round_.legal_bids()))


@pytest.mark.parametrize(
    ("rules", "said", "loser", "winner", "cost"),
    [
        (THREE, "f4x6 f5x6 c", 2, 1, 1),  # as without doubles
        (THREE, "f4x6 f5x6 劈 c", 2, 1, 2),
        (THREE, "f4x6 f6x6 劈 c", 1, 2, 2),
        (THREE, "f4x6 f6x6 劈 认输", 1, 2, 1),
        (THREE, "f4x6 f5x6 劈 反劈 c", 2, 1, 4),
        (THREE, "f4x6 f6x6 劈 反劈 c", 1, 2, 4),
        (THREE, "f4x6 f5x6 劈 反劈 认输", 2, 1, 1),
        (FOUR, "f5x6 劈 反劈 反反劈 认输", 0, 1, 4),
        (FOUR, "f5x6 劈 反劈 反反劈 c", 1, 0, 8),
        (FOUR, "f5x6 f6x6 劈 反劈 认输", 2, 1, 2),
    ],
)
@pytest.mark.parametrize("starter", [0, 1, 2])
def test_one_of_the_two_pays_and_the_others_share(
    rules: Rules, said: str, loser: int, winner: int, cost: int, starter: int
) -> None:
    end, players = played_by_many(rules, said, starter).settlement, rules.players
    assert end is not None
    assert end.challenge is not None
    seats = {(starter + loser) % players: -cost}
    assert (end.loser, end.cost) == next(iter((seat, -paid) for seat, paid in seats.items()))
    assert end.winner == (starter + winner) % players
    assert {end.challenge.bidder, end.challenge.challenger} == {end.loser, end.winner}
    share = cost / (players - 1)
    assert utilities(rules, end) == [seats.get(seat, share) for seat in range(players)]


def test_bystanders_may_not_speak_after_a_double() -> None:
    round_ = played_by_many(THREE, "f4x6 劈")
    assert round_.turn == 0
    bystander = round_.view(2)
    assert (bystander.legal_bids, bystander.double) == ((), None)
    with pytest.raises(IllegalBid, match="no bid follows a double"):
        round_.take(parse_action(THREE, "f5x6", round_.last))
