"""A match of a person against policies, without any page."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.policies.play.attacks import computed
from zhaifei.app.web.library import find
from zhaifei.app.web.playing import Playing
from zhaifei.game.bids import START, Bid, IllegalBid, action_of, challenge_action, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.notation import parse_bid, parse_step
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.play.record_lines import format_match
from zhaifei.policies.play.records import read_match
from zhaifei.policies.play.seeds import MOST_SEED, drawn_seed

RULES = preset("zhaifei", players=3, jump_challenge=True)
FOR_DICE = preset("knockout", players=3)
FIRST, SECOND = parse_bid("飞4x2", RULES), parse_bid("飞4x3", RULES)


class Others:
    """Take these actions in turn, by their notation, and remember what they were shown."""

    def __init__(self, rules: Rules, actions: Iterable[str | ZhaifeiError] = ()) -> None:
        self.rules, self.actions = rules, [*actions]
        self.asked: list[tuple[View, float]] = []

    async def ask(self, view: View, drawn: float) -> int:
        self.asked.append((view, drawn))
        action = self.actions.pop(0) if self.actions else "c"
        if isinstance(action, ZhaifeiError):
            raise action
        return parse_step(self.rules, action)

    async def pause(self) -> None:
        await asyncio.sleep(0)

    def decide(self, playing: Playing) -> None:
        asyncio.run(playing.let_others_decide(self.ask, self.pause))


def begun(starter: int, rules: Rules = RULES, **options: bool) -> Playing:
    """A match whose first round this seat begins."""
    seeds = range(1000)
    playing = next(
        one
        for one in (Playing(rules, seed, "honest", **options) for seed in seeds)
        if one.match.starter == starter
    )
    playing.next_round()
    return playing


def test_others_decide_until_it_is_the_persons_turn() -> None:
    playing, others = begun(1), Others(RULES, ["飞4x2", "飞4x3"])
    others.decide(playing)
    assert playing.is_yours
    assert [str(one.bid) for one in playing.history] == ["飞4×2", "飞4×3"]
    assert [view.seat for view, _ in others.asked] == [1, 2]
    assert [*playing.distances] == [1, 2]


def test_others_see_their_own_dice_only() -> None:
    playing, others = begun(1), Others(RULES, ["飞4x2", "飞4x3"])
    round_ = playing.match.round
    assert round_ is not None
    others.decide(playing)
    assert [view.dice for view, _ in others.asked] == [tuple(round_.hands[seat]) for seat in (1, 2)]


def test_a_round_is_settled_with_all_dice() -> None:
    playing = begun(0)
    hands = [tuple(hand) for hand in playing.match.round.hands] if playing.match.round else []
    assert playing.opened is None
    playing.bid(FIRST)
    Others(RULES, ["c"]).decide(playing)
    assert playing.opened is not None
    assert [*playing.opened.hands] == hands
    faces = [{1, 2} & {*hand} and {1, 2} for hand in hands]
    assert [{*counting} for counting in playing.opened.counting] == faces
    assert playing.rounds[0].losses == tuple(playing.match.score)
    assert sum(playing.match.score) == 1


def test_a_jump_costs_more() -> None:
    playing = begun(1)
    Others(RULES, ["飞4x2", "飞4x3"]).decide(playing)
    playing.challenge(2)
    assert playing.opened is not None
    assert playing.opened.settlement.cost == 2


@pytest.mark.parametrize("act", ["bid", "challenge"])
def test_nobody_decides_out_of_turn(act: str) -> None:
    playing = begun(1)
    with pytest.raises(ZhaifeiError, match="it is not your turn"):
        playing.bid(FIRST) if act == "bid" else playing.challenge()
    assert playing.history == ()


def test_what_is_illegal_changes_nothing() -> None:
    playing = begun(1)
    Others(RULES, ["飞4x3", "飞4x4"]).decide(playing)
    before = playing.history
    with pytest.raises(IllegalBid):
        playing.bid(SECOND)
    for distance in (0, -5, 3, 100):
        with pytest.raises(ZhaifeiError):
            playing.challenge(distance)
    with pytest.raises(ZhaifeiError):
        playing.act(10**9)
    assert playing.history == before
    with pytest.raises(ZhaifeiError, match="not ended"):
        playing.next_round()


def test_nothing_is_decided_between_rounds() -> None:
    playing = begun(0)
    playing.bid(FIRST)
    Others(RULES).decide(playing)
    with pytest.raises(ZhaifeiError):
        playing.challenge()
    assert playing.turn is None
    assert not playing.distances


def test_a_failure_of_an_opponent_is_told_and_the_same_number_is_drawn_again() -> None:
    playing, others = begun(1), Others(RULES, [ZhaifeiError("broken"), "飞4x2", "飞4x3"])
    others.decide(playing)
    assert str(playing.trouble) == "broken"
    others.decide(playing)
    assert playing.trouble is None
    assert playing.is_yours
    assert others.asked[0] == others.asked[1]


def test_decisions_are_taken_back_in_practice_only() -> None:
    assert not begun(0).can_undo
    with pytest.raises(ZhaifeiError, match="nothing to take back"):
        begun(0).undo()
    playing = begun(0, practice=True)
    dice = playing.dice
    playing.bid(FIRST)
    others = Others(RULES, ["c"])
    others.decide(playing)
    assert len(playing.rounds) == 1
    playing.undo()
    assert (playing.history, playing.rounds, sum(playing.match.score)) == ((), [], 0)
    assert (playing.dice, playing.is_yours, playing.can_undo) == (dice, True, False)


def test_after_an_undo_the_same_is_drawn() -> None:
    playing, others = begun(0, practice=True), Others(RULES, ["c", "c"])
    playing.bid(FIRST)
    others.decide(playing)
    playing.next_round()
    dice = playing.dice
    playing.undo()
    playing.bid(FIRST)
    others.decide(playing)
    playing.next_round()
    assert playing.dice == dice
    assert others.asked[0] == others.asked[1]


def test_an_answer_that_comes_after_an_undo_is_dropped() -> None:
    playing = begun(0, practice=True)
    playing.bid(FIRST)

    async def ask(view: View, drawn: float) -> int:
        playing.undo()
        return challenge_action(RULES)

    asyncio.run(playing.let_others_decide(ask, Others(RULES).pause))
    assert playing.is_yours
    assert playing.history == ()


def test_nobody_decides_in_a_match_that_was_closed() -> None:
    playing, others = begun(1), Others(RULES)
    playing.close()
    others.decide(playing)
    assert others.asked == []
    with pytest.raises(ZhaifeiError):
        begun_and_closed().bid(FIRST)


def begun_and_closed() -> Playing:
    playing = begun(0)
    playing.close()
    return playing


@pytest.mark.usefixtures("places")
def test_a_match_is_recorded_as_play_does() -> None:
    playing = begun(0)
    playing = Playing(RULES, playing.seed, "honest")
    playing.record("honest")
    playing.next_round()
    playing.bid(FIRST)
    Others(RULES).decide(playing)
    playing.close()
    assert playing.recorder is not None
    match = read_match(Path(playing.recorder.path))
    assert (match.seats, match.you) == (("you", "honest", "honest"), 0)
    assert match.rounds == tuple(playing.rounds)


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize("rules", [RULES, FOR_DICE], ids=["points", "dice"])
def test_nothing_that_is_kept_tells_hidden_dice_while_a_match_goes_on(rules: Rules) -> None:
    """The seed is a number that no text has for another reason."""
    playing = Playing(rules, 987_654_321, "honest")
    playing.record("honest")
    own, left = [], []
    for _ in range(3):
        playing.next_round()
        assert playing.match.round is not None
        hands = playing.match.round.hands
        own.append(hands[0])
        left.append(playing.dice_counts)

        def reached() -> set[tuple[Hand | None, ...]]:
            return computed(rules, own, *texts_within_reach(playing), scores=left)

        while playing.match.round is not None:
            Others(rules, [str(highest(playing)) if not playing.history else "c"]).decide(playing)
            if playing.match.round is None:
                break
            found = reached()
            assert (hands[0], None, None) in found
            assert [one for one in found if one[1] == hands[1] or one[2] == hands[2]] == []
            playing.challenge() if playing.history else playing.bid(highest(playing))
        assert hands in reached(), "they were shown"


def highest(playing: Playing) -> Bid:
    return legal_bids_with(playing.rules, START, sum(playing.dice_counts))[-1]


def texts_within_reach(playing: Playing) -> list[str]:
    """The record in the file, and as the page lists and exports it."""
    assert playing.recorder is not None
    path = playing.recorder.path
    kept = find(None, path.name)
    return [path.read_text(encoding="utf-8"), format_match(kept.match), repr(kept)]


def test_seeds_of_matches_are_not_found_by_trying_all() -> None:
    seeds = {drawn_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert max(seeds) > 2**100
    assert max(seeds) <= MOST_SEED


@pytest.mark.usefixtures("places")
def test_a_match_without_a_decision_leaves_no_record() -> None:
    playing = Playing(RULES, 1, "honest")
    playing.record("honest")
    playing.next_round()
    playing.close()
    assert playing.recorder is not None
    assert not playing.recorder.path.exists()


def test_each_change_is_told() -> None:
    playing, told = begun(0), []
    playing.listeners.append(lambda: told.append(playing.turn))
    playing.bid(FIRST)
    Others(RULES).decide(playing)
    assert told == [1, None]


def test_doubles_and_giving_up_are_offered_when_they_are_legal() -> None:
    rules = preset("southern")
    playing = begun(1, rules)
    assert (playing.double, playing.may_give_up) == (None, False)
    Others(rules, ["飞4x2"]).decide(playing)
    assert str(playing.double) == "劈"
    with pytest.raises(ZhaifeiError, match="gives up only after 劈"):
        playing.give_up()
    assert playing.double is not None
    playing.bid(playing.double)
    others = Others(rules)
    others.actions = ["challenge"]
    others.decide(playing)
    assert playing.opened is not None
    assert playing.opened.settlement.cost == 2


def test_whoever_is_doubled_may_give_up() -> None:
    rules = preset("southern")
    playing = begun(0, rules)
    playing.bid(legal_bids(rules, None)[0])
    asked = []

    class Doubling(Others):
        async def ask(self, view: View, drawn: float) -> int:
            asked.append(view)
            assert view.double is not None
            return action_of(rules, view.double)

    Doubling(rules).decide(playing)
    assert len(asked) == 1
    assert playing.may_give_up
    playing.give_up()
    assert playing.opened is not None
    assert playing.opened.settlement.challenge is not None
    assert playing.opened.settlement.challenge.given_up_by == playing.you
    assert sum(playing.match.score) == 1
