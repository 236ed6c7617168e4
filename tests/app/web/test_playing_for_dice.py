"""A match in which dice are lost, without any page."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.app.web.test_playing import Others, begun
from zhaifei.app.web.bid_pad import BidChoice
from zhaifei.app.web.library import Kept
from zhaifei.app.web.match_review import MatchReview
from zhaifei.app.web.playing import Playing
from zhaifei.app.web.reviewed import decisions_of
from zhaifei.app.web.settings import GAMES, Settings, game_of, verified
from zhaifei.app.web.table_talk import seat_line, status
from zhaifei.game.bids import START, Bid, IllegalBid, State
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.legal import IllegalChallenge
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import RulesError
from zhaifei.game.public_state import DECLINE, FORFEIT
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.play.played import PlayedMatch
from zhaifei.policies.play.records import read_match

TWO, THREE = preset("knockout", players=2, dice=2), preset("knockout", players=3, dice=2)
LOW, NEXT = parse_bid("飞1x2", TWO), parse_bid("飞1x3", TWO)


def test_the_person_is_asked_out_of_turn() -> None:
    playing = begun(1, THREE)
    Others(THREE, ["飞1x2", "pass"]).decide(playing)
    assert playing.may_let_stand
    assert (playing.raises, [*playing.distances]) == ((), [1])
    assert status(playing) == "飞1×2: challenge, or let it stand?"
    with pytest.raises(IllegalBid):
        playing.bid(NEXT)
    playing.let_stand()
    assert not playing.is_yours
    Others(THREE, ["飞1x3", "pass"]).decide(playing)
    assert playing.turn == 0, "asked again"


def test_who_is_not_asked_cannot_let_a_bid_stand() -> None:
    playing = begun(0, THREE)
    assert not playing.may_let_stand
    with pytest.raises(IllegalChallenge, match="nobody is asked"):
        playing.let_stand()
    with pytest.raises(ZhaifeiError, match="not your turn"):
        begun(1, THREE).let_stand()


def test_everybody_who_declined_leaves_no_challenge() -> None:
    playing = begun(2, THREE)
    Others(THREE, ["飞1x2"]).decide(playing)
    playing.let_stand()
    Others(THREE, ["pass"]).decide(playing)
    assert playing.is_yours
    assert not playing.distances
    assert NEXT in playing.raises


@pytest.mark.parametrize("practice", [False, True])
def test_of_two_letting_a_bid_stand_and_raising_is_one_decision(practice: bool) -> None:
    playing = begun(1, TWO, practice=practice)
    Others(TWO, ["飞1x2"]).decide(playing)
    assert not playing.may_let_stand
    assert (NEXT in playing.raises, [*playing.distances]) == (True, [1])
    with pytest.raises(IllegalChallenge):
        playing.let_stand()
    playing.bid(NEXT)
    assert [one.bid for one in playing.history] == [LOW, NEXT]
    if practice:
        playing.undo()
        assert [one.bid for one in playing.history] == [LOW]
        assert playing.is_yours


def test_the_loser_loses_a_die_and_is_out_in_the_end() -> None:
    playing = Playing(THREE, 0, "honest")
    forfeits(playing, 1)
    assert playing.match.score == [2, 1, 2]
    assert "one die lost by seat 2" in status(playing)
    assert seat_line(playing, 1) == "seat 2 (honest): dice left 1"
    forfeits(playing, 1)
    assert playing.match.score == [2, 0, 2]
    assert status(playing).endswith("out of the match: seat 2")
    assert playing.opened is not None
    assert seat_line(playing, 1) == "out of the match: seat 2 (honest)"
    assert playing.may_go_on


def forfeits(playing: Playing, seat: int) -> None:
    """A round in which the player in `seat` loses a die by an invalid first bid."""
    playing.match.starter = seat
    playing.next_round()
    if seat == playing.you:
        playing._take(FORFEIT)
    else:
        Others(THREE, ["forfeit"]).decide(playing)


def test_who_is_out_sees_the_others_play_to_the_end() -> None:
    playing = Playing(THREE, 0, "honest")
    for _ in range(2):
        forfeits(playing, 0)
    assert (playing.match.score[0], playing.may_go_on) == (0, True)
    assert status(playing).endswith("out of the match: you")
    playing.next_round()
    assert (playing.dice, playing.dice_counts) == ((), (0, 2, 2))
    others = Others(THREE, ["飞1x2", "飞1x3", "c"])
    others.decide(playing)
    assert {view.seat for view, _ in others.asked} == {1, 2}
    assert playing.opened is not None
    assert playing.opened.hands[0] == ()
    while playing.may_go_on:
        forfeits(playing, 2)
    assert playing.match.winner == 1
    assert status(playing).endswith("the match is won by seat 2")
    assert [one.seat for one in playing.standings] == [1, 2, 0]
    with pytest.raises(ZhaifeiError, match="the match has ended"):
        playing.next_round()


@pytest.mark.usefixtures("places")
def test_a_match_is_recorded_with_bids_that_stand() -> None:
    seed = begun(1, THREE).seed
    playing = Playing(THREE, seed, "honest")
    playing.record("honest")
    playing.next_round()
    Others(THREE, ["飞1x2", "pass"]).decide(playing)
    playing.let_stand()
    Others(THREE, ["飞1x3"]).decide(playing)
    playing.challenge()
    forfeits(playing, 1)
    playing.close()
    assert playing.recorder is not None
    match = read_match(Path(playing.recorder.path))
    assert match.rounds == tuple(playing.rounds)
    assert match.rounds[0].actions.count(DECLINE) == 2
    assert match.score == playing.match.score


# The rules, the pad and the reviews


def test_the_rules_are_chosen() -> None:
    settings = Settings("127.0.0.1", 0, None, None, 1, None)
    found = [settings.rules_for(game, 3, jump_challenge=True) for game in GAMES]
    # Where stakes are doubled, or dice lost, nobody jumps.
    assert [one.stakes.jump_challenge for one in found] == [True] * 2 + [False] * 4
    assert [bool(one.stakes.doubled) for one in found] == [False] * 2 + [True] * 2 + [False] * 2
    assert found[-2:] == [preset("knockout", players=3), preset("classic", players=3)]
    assert found[1] == preset("ktv", players=3, jump_challenge=True)
    assert [game_of(one) for one in found] == [*GAMES]


def test_a_policy_of_whole_matches_may_be_named() -> None:
    settings = verified("127.0.0.1", 0, Path("knockout-2p"), 1)
    rules = settings.rules_for("knockout", 2, jump_challenge=False)
    assert settings.policy_for(rules) == Path("knockout-2p")
    assert settings.policy_for(settings.rules_for("classic", 2, jump_challenge=False)) is None


def test_the_pad_offers_no_more_dice_than_are_left() -> None:
    choice = BidChoice(TWO)
    choice.follow(START, 3)
    assert choice.legal_count(3)
    with pytest.raises(IllegalBid):
        choice.choose_count(4)
    choice.follow(State(Bid(LOW.mode, 3, 6)), 3)
    assert not choice.legal_face(6)


def played(rules: Rules) -> Playing:
    """A match whose first round the person opens, and the next player challenges."""
    playing = begun(0, rules)
    playing.bid(LOW)
    Others(rules, ["c"]).decide(playing)
    return playing


def test_decisions_are_those_of_the_round_for_a_point() -> None:
    (one,) = decisions_of(TWO, played(TWO).rounds[0], 0, 1)
    assert not one.rules.loses_dice
    assert one.rules.dice_by_player == (2, 2)
    assert one.history == ()
    with pytest.raises(RulesError, match="matches for 3 players"):
        decisions_of(THREE, played(THREE).rounds[0], 0, 1)


def test_a_match_that_no_policy_reviews_says_so() -> None:
    playing = played(THREE)
    match = PlayedMatch(THREE, playing.names, 0, None, None, "1", tuple(playing.rounds))
    workers: Any = None
    review = MatchReview(Kept("x.jsonl", match), None, workers)
    assert "matches for 3 players are not solved" in str(review.trouble)
    asyncio.run(review.run())
    assert (review.progress, review.done) == ((0, 0), False)
    assert review.curve == [[2, one] for one in playing.match.score]
