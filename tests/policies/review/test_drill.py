"""Sessions of drill: which matches are looked at, and what several sessions make of one deck."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from zhaifei.game.bids import challenge_action
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import new_record, write_match
from zhaifei.policies.review import drill
from zhaifei.policies.review.deck import Card, Deck, Source, read_deck, write_deck
from zhaifei.policies.review.drill import Drill

MATCH = parse_rounds("2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n")
RULES = MATCH.rules
HANDS = ((1,), (2,), (3,))
LONG_AGO = 1_700_000_000


class Judge:
    """Calls every challenge good, and every bid an error."""

    rules = RULES

    def decision(self, seat: int, hand: Any, history: Any, action: int) -> Any:
        is_error = action != challenge_action(RULES)
        return SimpleNamespace(grade=SimpleNamespace(is_error=is_error))


@pytest.fixture
def looked_at(places: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the records in which mistakes were sought: each has one, and all the same."""
    found: list[str] = []
    monkeypatch.setattr(drill, "hard_positions", lambda *_: iter(()))
    monkeypatch.setattr(drill, "review_match", lambda *_, **__: None)
    monkeypatch.setattr(drill, "mistakes", lambda _: [])
    read = drill.read_match
    monkeypatch.setattr(
        drill, "read_match", lambda path, tell: found.append(path.name) or read(path, tell)
    )
    return found


def session(path: Path) -> Drill:
    judge: Any = Judge()
    return Drill(judge, path)


def kept(name: str, hours: int) -> None:
    """Keep a match that was played `hours` hours after a time long ago."""
    path = new_record().with_name(name)
    write_match(path, MATCH)
    os.utime(path, (LONG_AGO + 3600 * hours,) * 2)


def test_matches_are_looked_at_in_the_order_in_which_they_were_played_whatever_they_are_called(
    tmp_path: Path, looked_at: list[str]
) -> None:
    kept("friday.jsonl", 2)
    kept("2026-01-02T00-00-00.000000Z.jsonl", 3)
    kept("2026-01-03T00-00-00.000000Z.jsonl", 1)
    session(tmp_path / "drill.json").begin(10, 0)
    assert [name[:10] for name in looked_at] == ["2026-01-03", "friday.jso", "2026-01-02"]
    looked_at.clear()
    kept("2026-01-01T00-00-00.000000Z.jsonl", 4)
    kept("also played then.jsonl", 4)
    kept(os.fsdecode(b"caf\xe9.jsonl"), 5)
    session(tmp_path / "drill.json").begin(10, 0)
    assert looked_at == [
        "2026-01-01T00-00-00.000000Z.jsonl",
        "also played then.jsonl",
        "caf\udce9.jsonl",
    ]
    looked_at.clear()
    session(tmp_path / "drill.json").begin(10, 0)
    assert looked_at == []


def test_a_match_that_went_on_after_it_was_looked_at_is_looked_at_again(
    tmp_path: Path, looked_at: list[str]
) -> None:
    """And so is one that was played in between."""
    kept("going on.jsonl", 1)
    session(tmp_path / "drill.json").begin(10, 0)
    kept("in between.jsonl", 2)
    kept("going on.jsonl", 3)
    session(tmp_path / "drill.json").begin(10, 0)
    assert looked_at == ["going on.jsonl", "in between.jsonl", "going on.jsonl"]


def test_a_record_from_the_future_hides_none_that_comes_later(
    tmp_path: Path, looked_at: list[str]
) -> None:
    kept("future.jsonl", 24 * 365 * 1000)
    session(tmp_path / "drill.json").begin(10, 0)
    write_match(new_record(), MATCH)
    session(tmp_path / "drill.json").begin(10, 0)
    assert looked_at.count("future.jsonl") == 2
    assert len(looked_at) == 3


@pytest.mark.parametrize("before", ["friday.jsonl", "2023-11-14T23-00-00.000000Z.jsonl"])
def test_decks_of_earlier_versions_are_read_which_knew_names_alone(
    before: str, tmp_path: Path, looked_at: list[str]
) -> None:
    write_deck(tmp_path / "drill.json", Deck(1, {RULES: before}))
    kept("late.jsonl", 24)
    session(tmp_path / "drill.json").begin(10, 0)
    assert looked_at == ["late.jsonl"]


@pytest.mark.usefixtures("looked_at")
def test_two_sessions_at_once_keep_the_answers_of_both(tmp_path: Path) -> None:
    path = tmp_path / "drill.json"
    cards = [Card(RULES, hand, (), Source.HARD) for hand in HANDS]
    write_deck(path, Deck(0, {}, {card.position: card for card in cards}))
    first, second = session(path), session(path)
    first.begin(3, 0)
    second.begin(3, 0)
    first.answer(cards[0], 0)
    second.answer(cards[1], 0)
    first.answer(cards[2], challenge_action(RULES))
    second.answer(cards[2], challenge_action(RULES))
    deck = read_deck(path)
    assert deck.session == 2
    found = [deck.cards[card.position] for card in cards]
    assert [(one.box, one.wrong) for one in found] == [(0, 1), (0, 1), (2, 0)]
