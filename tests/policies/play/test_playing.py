"""What players are asked and what they see, decision by decision, and how matches are driven."""

import numpy as np
import pytest

from zhaifei.game.bids import Bid
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import SeatBid, View
from zhaifei.policies.play.playing import play_match, play_round, take_turn
from zhaifei.policies.players.decider import Decider, TwoStepDecider

KNOCKOUT, INCREMENT = preset("knockout", players=3), preset("increment", players=3)


class Scripted(TwoStepDecider):
    """Does what it is told, in order, and notes when it was asked what."""

    def __init__(self, challenges: str = "", *bids: object) -> None:
        """`challenges` has y or n for each time it is asked."""
        self.challenges, self.bids = iter(challenges), iter(bids)
        self.asked: list[tuple[str, View]] = []

    def challenge_bid(self, seen: View) -> bool:
        self.asked.append(("challenge", seen))
        return next(self.challenges) == "y"

    def make_bid(self, seen: View) -> Bid | None:
        self.asked.append(("bid", seen))
        bid = next(self.bids)
        return parse_bid(bid) if isinstance(bid, str) else bid  # type: ignore[return-value]


def knockout(*hands: str, starter: int = 0) -> Round:
    return Round(KNOCKOUT, [tuple(map(int, hand)) for hand in hands], starter)


def increment(*hands: str, starter: int = 0) -> Round:
    return Round(INCREMENT, [tuple(map(int, hand)) for hand in hands], starter)


def calls(players: list[Scripted]) -> list[list[str]]:
    return [[what for what, _ in player.asked] for player in players]


# what is asked


def test_in_knockout_all_are_asked_whether_to_challenge_and_then_the_next_bids() -> None:
    players = [Scripted("y", "f1x2"), Scripted("n", "f2x3"), Scripted("nn")]
    outcome = play_round(knockout("22", "33", "44"), players)
    assert calls(players) == [
        ["bid", "challenge"],
        ["challenge", "bid"],
        ["challenge", "challenge"],
    ]
    assert outcome[:2] == (0, 1)  # 飞2×3 is true; it was challenged out of turn


def test_after_a_challenge_nobody_else_is_asked() -> None:
    players = [Scripted("", "f1x2"), Scripted("y"), Scripted()]
    assert play_round(knockout("22", "33", "44"), players)[:2] == (1, 0)
    assert calls(players) == [["bid"], ["challenge"], []]


def test_in_increment_only_who_is_in_turn_is_asked() -> None:
    players = [Scripted("n", "z1x2", "z4x2"), Scripted("n", "z2x3"), Scripted("n", "z3x3")]
    players[1].challenges = iter("ny")
    outcome = play_round(increment("222", "33", "44"), players)
    assert calls(players) == [
        ["bid", "challenge", "bid"],
        ["challenge", "bid", "challenge"],
        ["challenge", "bid"],
    ]
    assert outcome[:2] == (0, 1)  # there are three twos, not four


def test_who_has_no_raise_left_challenges_without_being_asked() -> None:
    players = [Scripted("", "z1x2"), Scripted("n", "z2x3"), Scripted()]
    outcome = play_round(increment("2", "3", ""), players)
    assert calls(players) == [["bid"], ["challenge", "bid"], []]
    assert outcome[:2] == (1, 0)
    assert outcome.forfeiter is None
    players = [Scripted("n", "f2x6"), Scripted("n")]
    outcome = play_round(knockout("6", "6", ""), players)
    assert calls(players) == [["bid"], ["challenge"]]
    assert outcome[:2] == (1, 0)
    assert outcome.forfeiter is None


@pytest.mark.parametrize("bid", [None, "f1x2", "f9x2", "z2x3", Bid(Mode.FEI, 2, 1), "not a bid", 7])
def test_what_is_no_legal_bid_forfeits_the_decision(bid: object) -> None:
    """It challenges the bid before, 飞1×2, which is true. The answer need not even be a bid."""
    made = bid if not isinstance(bid, str) or bid == "not a bid" else parse_bid(bid)

    class Lawless(Scripted):
        def make_bid(self, seen: View) -> Bid | None:
            return made  # type: ignore[return-value]

    players = [Scripted("", "f1x2"), Lawless("n"), Scripted("n")]
    outcome = play_round(knockout("22", "33", "44"), players)
    assert (outcome.loser, outcome.winner, outcome.forfeiter) == (1, 0, 1)
    if made == parse_bid("f1x2"):
        return  # which may open a round
    outcome = play_round(knockout("22", "33", "44"), [Lawless(), *players[1:]])
    assert (outcome.loser, outcome.challenge, outcome.forfeiter) == (0, None, 0)


def test_forfeits_are_the_same_in_increment() -> None:
    players = [Scripted("", "z1x3"), Scripted("n", "z3x3"), Scripted()]
    outcome = play_round(increment("22", "33", "44"), players)
    assert (outcome.loser, outcome.forfeiter) == (1, 1)


# what is seen


def test_everything_that_is_public_and_the_own_dice_are_seen() -> None:
    state = knockout("22", "53", "4", starter=1)
    state.bid(parse_bid("f1x2"))
    assert state.view() == View(
        KNOCKOUT, 2, (4,), (2, 2, 1), (SeatBid(1, parse_bid("f1x2")),), (), 0, out_of_turn=False
    )
    state.decline()
    found = state.view()
    assert (found.seat, found.dice, found.turns_until_own) == (0, (2, 2), 1)
    assert (found.out_of_turn, found.legal_bids) == (True, ())
    assert found.current_bid == parse_bid("f1x2")


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=["knockout", "increment"])
def test_a_view_says_whether_its_player_may_challenge(rules: Rules) -> None:
    """Wherever a player has a choice, the view agrees with the round."""
    random, checked = np.random.default_rng(0), 0
    for _ in range(30):
        hands = random.integers(1, 7, size=(3, 2)).tolist()
        state = Round(rules, hands, starter=int(random.integers(3)))
        while state.is_asked or state.legal_bids():
            assert state.view().can_challenge == state.can_challenge()
            checked += 1
            if state.is_asked:
                state.decline()
            else:
                state.bid(state.legal_bids()[random.integers(min(3, len(state.legal_bids())))])
    assert checked > 150


def test_dice_are_seen_in_order() -> None:
    assert knockout("62", "1", "1").view().dice == (2, 6)


def test_bids_are_seen_with_who_made_them_though_some_are_out() -> None:
    state = increment("22", "", "44", starter=2)
    for text in ("z1x4", "z2x4", "z3x4"):
        state.bid(parse_bid(text))
    made = [(2, "斋1×4"), (0, "斋2×4"), (2, "斋3×4")]
    found = state.view()
    assert [(seat, str(bid)) for seat, bid in found.history] == made
    assert (found.seat, found.turns_until_own, found.out_of_turn) == (0, 0, False)
    assert [str(bid) for bid in found.legal_bids] == [f"斋4×{face}" for face in range(1, 7)]


def test_probabilities_go_by_the_dice_that_are_left() -> None:
    state = knockout("26", "33", "4")
    assert (state.view().current_bid, state.view().probability) == (None, None)
    state.bid(parse_bid("f2x3"))
    found = state.view()
    assert found.seat == 1
    assert found.probability == 1.0  # both own dice
    assert found.chance(parse_bid("f3x3")) == pytest.approx(1 - (2 / 3) ** 3)
    state.decline()
    assert state.view().probability == pytest.approx(1 - (2 / 3) ** 4 - 4 * (2 / 3) ** 3 / 3)


def test_the_turns_until_ones_own_bid_are_those_of_others() -> None:
    state = Round(preset("knockout"), [(1,), (2,), (3,), (4,)], 3)
    state.bid(parse_bid("f1x2"))
    seen = []
    while state.is_asked:
        seen.append((state.view().seat, state.view().turns_until_own, state.view().out_of_turn))
        state.decline()
    assert seen == [(0, 0, False), (1, 1, True), (2, 2, True)]
    assert (state.view().seat, state.view().turns_until_own) == (0, 0)


# matches


class Weakest(TwoStepDecider):
    """Challenges from some count on."""

    def __init__(self, count: int) -> None:
        self.count = count

    def challenge_bid(self, seen: View) -> bool:
        assert seen.current_bid is not None
        return seen.current_bid.count >= self.count

    def make_bid(self, seen: View) -> Bid:
        return seen.legal_bids[0]


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=["knockout", "increment"])
def test_a_match_is_its_rounds_one_after_the_other(rules: object) -> None:
    players: list[Decider] = [Weakest(2), Weakest(3), Weakest(4)]
    match, told = Match(rules, np.random.default_rng(0)), []  # type: ignore[arg-type]
    winner = play_match(match, players, told.append)
    assert winner == match.winner
    assert [state.settlement for state in told] == match.settled
    by_hand = Match(rules, np.random.default_rng(0))  # type: ignore[arg-type]
    for state in told:
        again = by_hand.deal()
        assert (again.hands, again.starter) == (state.hands, state.starter)
        while not again.is_over:
            take_turn(again, players[again.turn])
        assert (again.history, again.settlement) == (state.history, state.settlement)
        by_hand.settle()
    assert by_hand.winner == winner


def test_nobody_need_be_told_of_rounds() -> None:
    match = Match(KNOCKOUT, np.random.default_rng(1))
    assert play_match(match, [Weakest(1), Weakest(2), Weakest(3)]) == match.winner
