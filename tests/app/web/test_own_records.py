"""Where visitors come with a token, each sees the records of their own matches and no others."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.app.web.drawn_pages import Answers, DrawnPage, Show, new_visitor, on_page
from zhaifei.app.web import records_page, review_page
from zhaifei.app.web.play_page import seat_of
from zhaifei.app.web.visitor import Visitor
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import new_record, write_match

MATCH = parse_rounds("2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n")
NOT_THERE = "there is no record"


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the one record that is kept."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = new_record()
    write_match(path, MATCH)
    return path.name


def seen(show: Show, visitor: Visitor) -> str:
    """All that a page says to a visitor."""
    found: list[str] = []

    async def look(page: DrawnPage) -> None:
        found.append(f"{page.html} {page.words}")

    on_page(show, "/", look, visitor)
    return found[0]


def visitor(token: str | None, records: tuple[str, ...] = ()) -> Visitor:
    one = new_visitor(Answers({}), token=token)
    seat_of(one).records.extend(records)
    return one


def test_others_records_are_not_listed(record: str) -> None:
    assert record not in seen(records_page.show, visitor("a-token"))
    assert record not in seen(records_page.show, visitor("a-token", ("another.jsonl",)))
    assert record in seen(records_page.show, visitor("a-token", (record,)))


def test_others_records_cannot_be_reviewed(record: str) -> None:
    show = partial(review_page.show, record)
    assert NOT_THERE in seen(show, visitor("a-token"))
    assert NOT_THERE not in seen(show, visitor("a-token", (record,)))


def test_without_a_token_all_records_are_this_persons(record: str) -> None:
    assert record in seen(records_page.show, visitor(None))
    assert NOT_THERE not in seen(partial(review_page.show, record), visitor(None))
