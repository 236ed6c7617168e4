import copy
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.game.strategies import any_rules, calls_of, dice_of, histories_of, rounds_of
from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    challenge_action,
    challengeable,
    domain,
    gives_up,
    legal_bids,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import IllegalHand
from zhaifei.game.legal import IllegalChallenge
from zhaifei.game.notation import parse_action, parse_bid, parse_history
from zhaifei.game.parts import Mode, Points
from zhaifei.game.public_state import Challenge
from zhaifei.game.rounds import Round, Settlement, count_dice, utilities
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import verify_action, view_of

DUEL = """\
seat 0 holds 64131
seat 1 holds 22563
seat 0: z2x6 -> 斋2×6 may not open a round: as the first bid, it must have a count of at least 3
seat 0: challenge -> there is no bid to challenge: the first player must bid
seat 0: f3x4
seat 1: f3x3 -> 飞3×3 is not stronger than 飞3×4: 飞 takes 4 or more, or 3 of a higher face
seat 1: z2x2
seat 0: f4x2 -> 飞4×2 is not stronger than 斋2×2: 飞 takes 5 or more, or 4 of a higher face
seat 0: f4x6
seat 1: challenge -> 飞4×6 was true: 4 dice count, seat 1 loses 1
seat 1: f5x6 -> 飞5×6 comes too late: the round has ended
seat 1: challenge -> the round has ended
"""


JUMP = """\
seat 0 holds 64131
seat 1 holds 22563
seat 2 holds 66646
seat 0: c2 -> there is no bid to challenge: the first player must bid
seat 0: f4x4
seat 1: c2 -> the bid made 2 bids ago may not be challenged now, only 1 to 1 bids ago
seat 1: f5x2
seat 2: c3 -> the bid made 3 bids ago may not be challenged now, only 1 to 2 bids ago
seat 2: f7x6
seat 0: f7x6 -> 飞7×6 is not stronger than 飞7×6: 飞 takes 8 or more, or 7 of a higher face
seat 0: c2 -> 飞5×2 was false: 4 dice count, seat 1 loses 2
seat 0: c2 -> the round has ended
"""


def replay(transcript: str, rules: Rules) -> str:
    """Plays the moves of a transcript and writes down what really happened."""
    lines = transcript.splitlines()
    hands = [line.split()[-1] for line in lines if "holds" in line]
    state = Round(rules, [[int(die) for die in hand] for hand in hands])
    written = [f"seat {seat} holds {hand}" for seat, hand in enumerate(hands)]
    for line in lines[len(hands) :]:
        said = line.split(": ")[1].split(" ->")[0]
        happened = f"seat {state.turn}: {said}"
        try:
            state.take(parse_action(rules, said))
            end = state.settlement
            if end is not None:
                verdict = "true" if end.bid_was_true else "false"
                happened += (
                    f" -> {end.challenge.bid} was {verdict}: {end.counted} dice count, "
                    f"seat {end.loser} loses {end.cost}"
                )
        except ZhaifeiError as error:
            happened += f" -> {error}"
        written.append(happened)
    return "\n".join(written) + "\n"


@pytest.mark.parametrize(
    ("transcript", "rules"), [(DUEL, Rules()), (JUMP, Rules.of(players=3, jump_challenge=True))]
)
def test_golden_playthroughs(transcript, rules):
    assert replay(transcript, rules) == transcript


def settle(
    rules: Rules, hands: list[str], bids: str, starter: int = 0, distance: int = 1
) -> Settlement:
    state = Round(rules, [[int(die) for die in hand] for hand in hands], starter)
    for bid in parse_history(rules, bids):
        state.bid(bid)
    return state.challenge(distance)


def test_a_true_bid_costs_the_challenger():
    end = settle(Rules(), ["11346", "22566"], "f5x6")
    assert (end.counted, end.bid_was_true) == (5, True)
    assert (end.challenge.bidder, end.challenge.challenger, end.loser, end.cost) == (0, 1, 1, 1)


def test_a_false_bid_costs_the_bidder():
    end = settle(Rules(), ["11346", "22566"], "f6x6")
    assert (end.counted, end.bid_was_true) == (5, False)
    assert (end.challenge.bidder, end.challenge.challenger, end.loser, end.cost) == (0, 1, 0, 1)


def test_zhai_leaves_the_ones_out():
    assert settle(Rules(), ["11346", "22566"], "z3x6").counted == 3
    assert settle(Rules(), ["11346", "22566"], "z3x1").counted == 2


def test_the_last_bid_is_the_one_that_counts():
    end = settle(Rules(), ["11346", "22566"], "f3x4 z2x5 f4x6 f6x2")
    assert end.challenge[:3] == (Bid(Mode.FEI, 6, 2), 1, 0)
    assert (end.counted, end.loser) == (4, 1)


def test_any_seat_may_start_and_turns_go_round():
    state = Round(Rules.of(players=3), [(1, 2, 3, 4, 5)] * 3, starter=2)
    turns = [state.turn]
    for bid in parse_history(state.rules, "f4x2 f4x3 f4x4 f4x5"):
        state.bid(bid)
        turns.append(state.turn)
    assert turns == [2, 0, 1, 2, 0]
    end = state.challenge()
    assert (end.challenge.bidder, end.challenge.challenger, end.counted, end.loser) == (2, 0, 6, 0)


def seats_of(rules: Rules, starter: int, history: tuple[Bid, ...]) -> list[int]:
    """The seats that made the bids and doubles, and the seat in turn after them. A bid passes the
    turn on; after a double it is the turn of whoever was before."""
    seats = [starter]
    for bid in history:
        seats.append(seats[-2] if bid.doubled else (seats[-1] + 1) % rules.players)
    return seats


def count_by_hand(rules: Rules, bid: Bid, hands: list[tuple[int, ...]]) -> int:
    table = [die for hand in hands for die in hand]
    wild = (
        table.count(rules.counting.wild)
        if bid.mode is Mode.FEI and bid.face != rules.counting.wild
        else 0
    )
    return table.count(bid.face) + wild


@given(st.data(), any_rules())
def test_settling_agrees_with_counting_the_dice_by_hand(data, rules):
    hands = data.draw(dice_of(rules))
    history = data.draw(histories_of(rules, min_size=1))
    starter = data.draw(st.integers(0, rules.players - 1))
    distance = data.draw(st.sampled_from(challengeable(rules, len(history))))
    state = Round(rules, hands, starter)
    for bid in history:
        state.bid(bid)
    end = state.challenge(distance)
    claims = [bid for bid in history if not bid.doubled]
    seats = [(starter + k) % rules.players for k in range(len(claims) + 1)]
    bidder, bid = seats[:-1][-distance], claims[-distance]
    counted = count_by_hand(rules, bid, hands)
    assert end.counted == count_dice(rules, bid, hands) == counted
    assert end.challenge[:3] == (bid, bidder, seats[-1])
    assert end.loser == (end.challenge.challenger if counted >= bid.count else end.challenge.bidder)
    stakes = (distance, *rules.stakes.doubled)
    assert end.cost == stakes[history[-1].doubled]
    assert state.settlement == end


JUMPS = Rules.of(players=3, jump_challenge=True)
TABLE = ["11346", "22566", "23455"]
"""Two ones; of 2 three, of 3 two, of 4 two, of 5 three, of 6 three."""


@pytest.mark.parametrize(
    ("bids", "distance", "bid", "bidder", "challenger", "loser"),
    [
        ("f4x4 f6x5", 2, "f4x4", 0, 2, 2),  # Four dice count: true.
        ("f5x4 f6x5", 2, "f5x4", 0, 2, 0),
        ("f5x4 f5x5 f7x6", 2, "f5x5", 1, 0, 0),
        ("f5x4 f6x5 f7x6", 2, "f6x5", 1, 0, 1),
        ("f5x4 f6x5 f7x6", 1, "f7x6", 2, 0, 2),
        ("f4x2 f4x3 f4x4 z3x4", 2, "f4x4", 2, 1, 1),
        ("f4x2 f4x3 f4x4 z3x4", 1, "z3x4", 0, 1, 0),
    ],
)
def test_jump_challenge_is_settled_between_challenger_and_that_bidder(
    bids, distance, bid, bidder, challenger, loser
):
    end = settle(JUMPS, TABLE, bids, distance=distance)
    assert end.challenge[:3] == (parse_bid(bid), bidder, challenger)
    assert (end.loser, end.cost) == (loser, distance)
    payoffs = [1.0 * distance / 2] * 3
    payoffs[loser] = -float(distance)
    assert utilities(JUMPS, end) == payoffs


@given(st.data(), any_rules())
def test_each_challenge_is_of_another_player_and_with_jump_challenge_of_everyone_who_bid(
    data, rules
):
    state = data.draw(rounds_of(rules))
    bidders = []
    for distance in challengeable(rules, len(state.history)):
        twin = copy.copy(state)
        bidders.append(twin.challenge(distance).challenge.bidder)
    claims = [bid for bid in state.history if not bid.doubled]
    last_bids = [(state.starter + k) % rules.players for k in range(len(claims))]
    if len(claims) == len(state.history):
        assert state.turn not in bidders
    others = {seat for seat in last_bids if seat != state.turn}
    if rules.stakes.jump_challenge:
        assert len(bidders) == len(set(bidders))
        assert set(bidders) == others
    else:
        assert bidders == last_bids[-1:]


@given(st.data(), any_rules(), st.integers(-2, 10))
def test_a_challenge_out_of_reach_changes_nothing(data, rules, distance):
    state = data.draw(rounds_of(rules))
    assume(not state.can_challenge(distance))
    before = copy.deepcopy(state)
    with pytest.raises(IllegalChallenge):
        state.challenge(distance)
    assert state == before


@pytest.mark.parametrize(
    ("rules", "bids", "distance", "message"),
    [
        (JUMPS, "", 2, "there is no bid to challenge: the first player must bid"),
        (
            JUMPS,
            "f4x2",
            2,
            "the bid made 2 bids ago may not be challenged now, only 1 to 1 bids ago",
        ),
        (
            JUMPS,
            "f4x2 f4x3 f4x4",
            3,
            "made 3 bids ago may not be challenged now, only 1 to 2 bids ago",
        ),
        (JUMPS, "f4x2", 0, "the bid made 0 bids ago may not be challenged"),
        (
            Rules.of(players=3),
            "f4x2 f4x3",
            2,
            "only the last bid may be challenged: these rules are",
        ),
        (Rules.of(jump_challenge=True), "f4x2 f4x3", 2, "these rules are without 跳开"),
    ],
)
def test_a_challenge_out_of_reach_is_told_what_may_be_challenged(rules, bids, distance, message):
    with pytest.raises(IllegalChallenge, match=message):
        settle(rules, TABLE[: rules.players], bids, distance=distance)


@given(st.data(), any_rules())
def test_with_two_players_a_forced_switch_opens_no_further_challenge(data, rules):
    rules = rules.changed(players=2, first_count=0, doubled=(), giving_up="one")
    state = data.draw(rounds_of(rules))
    forced = Rules.from_dict(rules.to_dict())
    object.__setattr__(forced, "stakes", Points(jump_challenge=True))
    twin = Round(forced, state.hands, state.starter, state.history)
    for distance in range(-1, 12):
        assert twin.can_challenge(distance) == state.can_challenge(distance)
    assert [twin.can_bid(bid) for bid in domain(forced)] == [
        state.can_bid(bid) for bid in domain(rules)
    ]


@given(st.data(), any_rules())
def test_taking_an_action_is_bidding_or_challenging(data, rules):
    state = data.draw(rounds_of(rules))
    bids, action = domain(rules), data.draw(st.integers(0, len(domain(rules)) + 9))
    if gives_up(rules, action):
        verify_giving_up_is_taken(state, action)
        return
    one, other = copy.copy(state), copy.copy(state)
    errors = []
    for do in (
        lambda: one.take(action),
        lambda: (
            other.bid(bids[action])
            if action < len(bids)
            else other.challenge(action - len(bids) + 1)
        ),
    ):
        try:
            do()
        except ZhaifeiError as error:
            errors.append((type(error), str(error)))
    assert one == other
    assert len(errors) == (2 if one == state else 0)
    assert len(set(errors)) <= 1


def verify_giving_up_is_taken(state, action):
    """Giving up ends the round where it is allowed, and changes nothing elsewhere."""
    taken = copy.copy(state)
    if state.can_give_up():
        taken.take(action)
        assert taken.challenged is not None
        assert taken.challenged.given_up_by == state.turn
    else:
        with pytest.raises(IllegalChallenge):
            taken.take(action)
        assert taken == state


def test_giving_up_after_a_double_is_taken():
    """Few rounds of the test above come to this."""
    rules = Rules.of(doubled=(2,))
    bids = tuple(bid for bid in domain(rules) if str(bid.claim) == "飞5×6")
    state = Round(rules, [(1, 1, 3, 4, 6), (2, 2, 5, 6, 6)], history=bids)
    assert [bid.doubled for bid in bids] == [0, 1]
    assert state.can_give_up()
    action = next(a for a in range(len(domain(rules)) + 9) if gives_up(rules, a))
    verify_giving_up_is_taken(state, action)


def test_a_negative_action_is_no_bid():
    state = Round(Rules(), [(1, 1, 3, 4, 6), (2, 2, 5, 6, 6)])
    with pytest.raises(IllegalBid, match="no bid has the action -3"):
        state.take(-3)
    assert state.history == ()


@given(st.data(), any_rules())
def test_an_illegal_bid_changes_nothing(data, rules):
    state = Round(rules, data.draw(dice_of(rules)), history=data.draw(histories_of(rules)))
    bid = data.draw(calls_of(rules) | st.builds(Bid, st.sampled_from(Mode), *[st.integers()] * 2))
    assume(not state.can_bid(bid))
    before = copy.deepcopy(state)
    with pytest.raises(IllegalBid):
        state.bid(bid)
    assert state == before
    assert state.turn == before.turn


@given(st.data(), any_rules())
def test_asking_and_doing_agree_on_bids(data, rules):
    state = data.draw(rounds_of(rules))
    bid = data.draw(calls_of(rules))
    if state.can_bid(bid):
        state.bid(bid)
        assert state.last == bid
        assert state.turn == seats_of(rules, state.starter, state.history)[-1]
    else:
        with pytest.raises(IllegalBid):
            state.bid(bid)


@given(st.data(), any_rules(), st.integers(-2, 10))
def test_asking_and_doing_agree_on_challenges(data, rules, distance):
    state = data.draw(rounds_of(rules))
    claims = [bid for bid in state.history if not bid.doubled]
    doubter = (state.starter + len(claims)) % rules.players
    assert state.can_challenge() == bool(state.history)
    if state.can_challenge(distance):
        end = state.challenge(distance)
        assert end.challenge.challenger == doubter
        assert not any(state.can_challenge(d) for d in range(1, 9))
        assert not any(state.can_bid(bid) for bid in domain(rules))
    else:
        with pytest.raises(IllegalChallenge):
            state.challenge(distance)
        assert state.settlement is None


def test_the_first_player_must_bid():
    state = Round(Rules(), [(1, 1, 3, 4, 6), (2, 2, 5, 6, 6)])
    assert not state.can_challenge()
    with pytest.raises(IllegalChallenge, match="the first player must bid"):
        state.challenge()
    assert state.settlement is None


def test_nothing_may_be_done_once_the_round_has_ended():
    state = Round(Rules(), [(1, 1, 3, 4, 6), (2, 2, 5, 6, 6)])
    state.bid(parse_bid("f3x4"))
    end = state.challenge()
    assert not state.can_bid(parse_bid("f4x4"))
    assert not state.can_challenge()
    with pytest.raises(IllegalBid, match="the round has ended"):
        state.bid(parse_bid("f4x4"))
    with pytest.raises(IllegalChallenge, match="the round has ended"):
        state.challenge()
    assert state.settlement == end
    assert len(state.history) == 1


def test_with_no_stronger_bid_left_challenge_is_the_only_action():
    state = Round(Rules(), [(6, 6, 6, 6, 6), (6, 6, 6, 6, 6)])
    state.bid(parse_bid("z10x6"))
    assert not any(state.can_bid(Bid(mode, 10, face)) for mode in Mode for face in range(1, 7))
    assert state.can_challenge()
    assert state.challenge().loser == 1


@pytest.mark.parametrize("players", range(2, 9))
def test_utilities_sum_to_zero_and_the_loser_pays_the_points(players):
    rules = Rules.of(players=players)
    for loser in range(players):
        for points in range(1, players):
            other = (loser + 1) % players
            challenge = Challenge(Bid(Mode.FEI, 9, 4), loser, other, cost=points)
            settlement = Settlement(loser, other, challenge, counted=0)
            payoffs = utilities(rules, settlement)
            assert payoffs[loser] == -points
            assert sum(payoffs) == pytest.approx(0, abs=1e-12)
            others = payoffs[:loser] + payoffs[loser + 1 :]
            assert others == [float(Fraction(points, players - 1))] * (players - 1)


def test_two_players_win_or_lose_one():
    end = settle(Rules(), ["11346", "22566"], "f5x6")
    assert utilities(Rules(), end) == [1.0, -1.0]


@given(st.data(), any_rules())
def test_a_view_depends_on_no_other_hand(data, rules):
    hands, others = data.draw(dice_of(rules)), data.draw(dice_of(rules))
    history = data.draw(histories_of(rules))
    seat = data.draw(st.integers(0, rules.players - 1))
    others[seat] = hands[seat]
    view = Round(rules, hands, history=history).view(seat)
    assert view == Round(rules, others, history=history).view(seat)
    assert view == view_of(rules, seat, tuple(sorted(hands[seat])), 0, history)
    assert view.dice == tuple(sorted(hands[seat]))
    assert view.dice_counts == (rules.dice,) * rules.players


@given(st.data(), any_rules())
def test_a_view_names_the_bidders_and_the_legal_bids(data, rules):
    players, history = rules.players, data.draw(histories_of(rules))
    starter = data.draw(st.integers(0, players - 1))
    state = Round(rules, data.draw(dice_of(rules)), starter, history)
    last = history[-1] if history else None
    for seat in range(players):
        view = state.view(seat)
        assert (view.bids, view.current_bid) == (history, last)
        assert [*(bidder for bidder, _ in view.history), state.turn] == seats_of(
            rules, starter, history
        )
        assert view.legal_bids == (legal_bids(rules, last) if seat == state.turn else ())
        assert (state.turn + view.turns_until_own) % players == seat
        assert view.can_challenge == bool(history)
        assert not view.out_of_turn


@given(st.data(), any_rules())
def test_verify_action_refuses_what_a_round_refuses(data, rules):
    """With the same reason: asking and doing share one verify."""
    state = Round(rules, data.draw(dice_of(rules)), history=data.draw(histories_of(rules)))
    view, reasons = state.view(state.turn), []
    action = data.draw(st.integers(0, challenge_action(rules) + 2))
    for attempt in (lambda: verify_action(view, action), lambda: state.take(action)):
        try:
            attempt()
        except (IllegalBid, IllegalChallenge) as error:
            reasons.append(str(error))
        else:
            reasons.append("legal")
    assert reasons[0] == reasons[1]


def test_every_seat_has_one_hand_of_the_right_size():
    with pytest.raises(ZhaifeiError, match="3 hands for 2 players"):
        Round(Rules(), [(1, 2, 3, 4, 5)] * 3)
    with pytest.raises(IllegalHand, match="hand 1234 has 4 dice; it must have 5"):
        Round(Rules(), [(1, 2, 3, 4, 5), (1, 2, 3, 4)])


def test_liars_dice_counts_sixes_as_wild():
    rules = preset("liars_dice")
    assert settle(rules, ["6", "3"], "f1x1 f2x3").counted == 2
    assert settle(rules, ["6", "3"], "f2x6").counted == 1
