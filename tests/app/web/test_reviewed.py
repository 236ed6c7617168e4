"""Reviews of decisions: the answer is shown only after a try, or if it was asked for."""

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.web import library, thinking
from app.web.library import Kept, find, listed, rank_of, shown
from app.web.match_review import MatchReview
from app.web.reviewed import MOST_TRIES, Decision, decisions_of
from app.web.workers import Failed
from game.bids import Bid, IllegalBid, action_of, challenge_action
from game.errors import ZhaifeiError
from game.hands import Hand
from policies.play.record_text import parse_rounds
from policies.play.records import write_match
from policies.review.decisions import ReviewedDecision
from policies.review.grades import Grade
from policies.review.luck import RoundLuck

ROUND = "2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n"
TWO_ROUNDS = "2人 1骰 3面 先手1: f1x2 f1x3 c; me=1: 1; 2: 2\n先手1: f1x2 f1x3; me=1: 3; 2: 2\n"
MATCH = parse_rounds(ROUND)
RULES = MATCH.rules
CHALLENGE = challenge_action(RULES)


async def judge(seat: int, hand: Hand, history: tuple[Bid, ...], action: int) -> ReviewedDecision:
    """A bid is a blunder, a challenge is best."""
    grade = Grade.BEST if action == CHALLENGE else Grade.BLUNDER
    found: Any = SimpleNamespace(grade=grade)
    return found  # type: ignore[no-any-return]


def decision(action: int) -> Decision:
    return Decision(RULES, 1, 1, (2,), (Bid(RULES.modes[0], 1, 2),), action)


def reviewed(action: int) -> Decision:
    one = decision(action)
    asyncio.run(one.review(judge))
    return one


RAISE = action_of(RULES, Bid(RULES.modes[0], 1, 3))


def test_nothing_is_shown_before_the_review() -> None:
    one = decision(RAISE)
    assert (one.is_open, one.is_puzzle) == (False, False)
    with pytest.raises(ZhaifeiError, match="nothing to try"):
        asyncio.run(one.retry(CHALLENGE, judge))


def test_a_good_decision_is_shown_at_once() -> None:
    one = reviewed(CHALLENGE)
    assert (one.is_open, one.is_puzzle) == (True, False)


def test_an_error_is_a_puzzle_until_a_try_is_good() -> None:
    one = reviewed(RAISE)
    assert (one.is_open, one.is_puzzle) == (False, True)
    asyncio.run(one.retry(RAISE, judge))
    assert one.is_puzzle
    asyncio.run(one.retry(CHALLENGE, judge))
    assert one.is_open


def test_or_until_the_answer_is_asked_for() -> None:
    one = reviewed(RAISE)
    one.give_up()
    assert one.is_open


def test_an_illegal_try_is_refused() -> None:
    one = reviewed(RAISE)
    with pytest.raises(IllegalBid):
        asyncio.run(one.retry(action_of(RULES, Bid(RULES.modes[0], 1, 2)), judge))
    assert one.tried == []


def test_nobody_tries_without_end() -> None:
    one = reviewed(RAISE)
    for _ in range(MOST_TRIES):
        asyncio.run(one.retry(RAISE, judge))
    with pytest.raises(ZhaifeiError):
        asyncio.run(one.retry(RAISE, judge))


def test_the_decisions_of_a_seat() -> None:
    match = parse_rounds(TWO_ROUNDS)
    (one, two) = (decisions_of(match.rules, match.rounds[0], 0, 1) for _ in range(2))
    assert [len(one), len(two)] == [2, 2]
    assert [len(each.history) for each in one] == [0, 2]
    unknown = replace(match.rounds[0], hands=(None, (2,)))
    assert decisions_of(match.rules, unknown, 0, 1) == []


# Kept matches


@pytest.fixture
def kept(places: Path) -> Path:
    """Two matches in the user's data directory, of which one is still played."""
    directory = places / "zhaifei" / "matches"
    directory.mkdir(parents=True)
    write_match(directory / "2026-01-01T00-00-00.000000Z.jsonl", MATCH)
    write_match(directory / "2026-01-02T00-00-00.000000Z.jsonl", parse_rounds(TWO_ROUNDS))
    (directory / "2026-01-03T00-00-00.000000Z.jsonl").write_text("no record")
    return directory


@pytest.mark.usefixtures("kept")
def test_matches_are_listed_newest_first() -> None:
    assert [one.name[:10] for one in listed(None)] == ["2026-01-02", "2026-01-01"]


def test_others_matches_are_not_seen(kept: Path) -> None:
    own = ["2026-01-01T00-00-00.000000Z.jsonl"]
    assert [one.name for one in listed(own)] == own
    assert find(own, own[0]).match.rules == RULES
    with pytest.raises(ZhaifeiError, match="there is no record"):
        find(own, "2026-01-02T00-00-00.000000Z.jsonl")


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("name", ["", ".", "../x", "/etc/passwd", "x" * 5000, "\0", "..%2f"])
def test_nothing_but_records_is_read(name: str) -> None:
    with pytest.raises(ZhaifeiError, match="there is no record"):
        find(None, name)


def test_dice_of_a_round_that_is_still_played_stay_hidden() -> None:
    match = shown(parse_rounds(TWO_ROUNDS))
    assert match.rounds[0].hands == ((1,), (2,))
    assert match.rounds[1].hands == ((3,), None)


def test_points_and_rank() -> None:
    assert MATCH.points in ((0, 1), (1, 0))
    assert {rank_of(MATCH, 0), rank_of(MATCH, 1)} == {1, 2}


def test_a_directory_that_is_not_there_has_no_matches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(library, "kept_matches", list)
    assert listed(None) == []


# Reviews of matches


class Workers:
    """Answers in this process."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.fails = False

    async def run_behind(self, function: object, *arguments: Any) -> Any:
        self.asked.append(function)
        if self.fails:
            raise Failed("that took too long, or failed; try again")
        if function is thinking.review:
            return await judge(*arguments[2:])
        return thinking.Told(RoundLuck(0.0, 0.25, 0.0, 1.0, -1.0), 0.01)


def review() -> tuple[MatchReview, Workers]:
    workers: Any = Workers()
    match = shown(parse_rounds(TWO_ROUNDS))
    return MatchReview(Kept("x.jsonl", match), None, workers), workers


def test_a_match_is_reviewed_decision_by_decision() -> None:
    found, workers = review()
    progress: list[tuple[int, int]] = []
    found.listeners.append(lambda: progress.append(found.progress))
    asyncio.run(found.run())
    assert found.done
    assert progress[:3] == [(1, 3), (2, 3), (3, 3)]
    assert workers.asked.count(thinking.tell_luck) == 1  # one round has ended
    assert [luck is not None for luck in found.luck] == [True, False]
    assert found.curve == [[0, *_points(found, 0)], [0, *_points(found, 1)]]
    asyncio.run(found.run())
    assert len(workers.asked) == 4


def _points(found: MatchReview, seat: int) -> list[int]:
    points = found.match.rounds[0].points
    assert points is not None
    return [points[seat]] * 2


def test_a_review_that_failed_goes_on_later() -> None:
    found, workers = review()
    workers.fails = True
    asyncio.run(found.run())
    assert found.trouble is not None
    workers.fails = False
    asyncio.run(found.run())
    assert found.trouble is None
    assert found.done
