"""Reviews of decisions: the answer is shown only after a try, or if it was asked for."""

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from zhaifei.app.web import library, thinking
from zhaifei.app.web.library import (
    Entry,
    Kept,
    find,
    read_entry,
    remembered,
    shown,
    visible,
)
from zhaifei.app.web.match_review import MOST_ROUNDS, MatchReview
from zhaifei.app.web.reviewed import MOST_TRIES, Decision, decisions_of
from zhaifei.app.web.workers import Failed
from zhaifei.game.bids import Bid, IllegalBid, action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import write_match
from zhaifei.policies.review.decisions import ReviewedDecision
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.luck import RoundLuck

ROUND = "2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n"
TWO_ROUNDS = "2人 1骰 3面 先手1: f1x2 f1x3 c; me=1: 1; 2: 2\n先手1: f1x2 f1x3; me=1: 3; 2: 2\n"
MATCH = parse_rounds(ROUND)
RULES = MATCH.rules
CHALLENGE = challenge_action(RULES)


async def judge(decision: object, action: int) -> ReviewedDecision:
    """A bid is a blunder, a challenge is best."""
    grade = Grade.BEST if action == CHALLENGE else Grade.BLUNDER
    found: Any = SimpleNamespace(grade=grade)
    return found  # type: ignore[no-any-return]


def decision(action: int) -> Decision:
    return Decision(RULES, 1, 1, (2,), (Bid(RULES.bidding.modes[0], 1, 2),), action)


def reviewed(action: int) -> Decision:
    one = decision(action)
    asyncio.run(one.review(judge))
    return one


RAISE = action_of(RULES, Bid(RULES.bidding.modes[0], 1, 3))


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
        asyncio.run(one.retry(action_of(RULES, Bid(RULES.bidding.modes[0], 1, 2)), judge))
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
    assert [path.name[:10] for path in visible(None)] == ["2026-01-03", "2026-01-02", "2026-01-01"]
    assert [one is not None and isinstance(one, Entry) for one in listed(None)] == [
        False,
        True,
        True,
    ]


def listed(own: list[str] | None) -> list[Entry | ZhaifeiError | None]:
    """What the records page lists, after all has been read."""
    for path in visible(own):
        read_entry(path)
    return [remembered(path) for path in visible(own)]


def test_a_record_is_read_once_as_long_as_it_stays_as_it_is(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _, third = sorted(kept.iterdir())
    assert remembered(first) is None, "nothing is read to find that out"
    before = listed(None)
    with monkeypatch.context() as closed:
        closed.setattr(library, "read_match", None)
        assert [remembered(path) for path in visible(None)] == before
    assert str(before[0]).startswith(f"{third.name}, line 1: this is not a JSON object")
    write_match(third, parse_rounds(TWO_ROUNDS))
    assert remembered(third) is None
    read_entry(third)
    assert remembered(third) == Entry(RULES, 2, 0, [1, 0], 2, is_whole=True)
    third.unlink()
    assert "cannot read it" in str(remembered(third))
    read_entry(third)


def test_only_so_many_records_are_remembered(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_MOST_REMEMBERED", 2)
    assert [one is None for one in listed(None)] == [True, False, False]


@pytest.mark.usefixtures("kept")
def test_names_that_are_no_text_are_listed_and_found_as_text(kept: Path) -> None:
    path = kept / os.fsdecode(b"caf\xe9?#%2e.jsonl")
    write_match(path, MATCH)
    assert path in visible(None)
    found = find(None, r"caf\xdce9?#%2e.jsonl")
    assert found.match.rules == RULES
    json.dumps(found.name).encode()
    found.name.encode()


def test_of_a_damaged_record_the_rest_is_shown_and_what_is_missing_is_said(kept: Path) -> None:
    path = kept / "2026-01-02T00-00-00.000000Z.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:3], "spilt coffee\n", *lines[4:]]), encoding="utf-8")
    found = find(None, path.name)
    assert [len(one.actions) for one in found.match.rounds] == [1, 2]
    said = f"{path.name}, line 4: this is not a JSON object: lines 4 to 6 are left out"
    assert [*map(str, found.left_out)] == [said]
    read_entry(path)
    entry = remembered(path)
    assert isinstance(entry, Entry)
    assert not entry.is_whole


def test_others_matches_are_not_seen(kept: Path) -> None:
    own = ["2026-01-01T00-00-00.000000Z.jsonl"]
    assert [path.name for path in visible(own)] == own
    assert find(own, own[0]).match.rules == RULES
    with pytest.raises(ZhaifeiError, match="there is no record"):
        find(own, "2026-01-02T00-00-00.000000Z.jsonl")


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("name", ["", ".", "../x", "/etc/passwd", "x" * 5000, "\0", "..%2f"])
def test_nothing_but_records_is_read(name: str) -> None:
    with pytest.raises(ZhaifeiError, match="there is no record"):
        find(None, name)


def test_dice_of_a_round_that_is_still_played_stay_hidden() -> None:
    match = shown(replace(parse_rounds(TWO_ROUNDS), seed=5))
    assert match.seed is None
    assert match.rounds[0].hands == ((1,), (2,))
    assert match.rounds[1].hands == ((3,), None)


def test_points_and_rank() -> None:
    assert MATCH.score in ([0, 1], [1, 0])
    assert {one.rank for one in MATCH.standings()} == {1, 2}


def test_a_directory_that_is_not_there_has_no_matches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(library, "kept_matches", list)
    assert visible(None) == []


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
            return await judge(None, arguments[-1])
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


def test_a_page_reviews_only_so_many_rounds() -> None:
    match = parse_rounds(TWO_ROUNDS)
    long, workers = replace(match, rounds=match.rounds[:1] * (MOST_ROUNDS + 1)), Workers()
    kept, judge = Kept("x.jsonl", long), workers
    found = MatchReview(kept, None, judge)  # type: ignore[arg-type]
    assert (len(found.rounds), len(found.reviewed.rounds)) == (MOST_ROUNDS,) * 2
    assert found.kept.match == long, "all of it can be exported"


def _points(found: MatchReview, seat: int) -> list[int]:
    points = found.match.rounds[0].losses
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
