"""The deck: its boxes, worked out by hand, and its file."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_hand, parse_history
from zhaifei.game.rules import Rules
from zhaifei.policies.review.deck import (
    MOST_CARDS,
    TOP,
    Card,
    Deck,
    DeckError,
    Source,
    add_all,
    changing,
    format_deck,
    parse_deck,
    read_deck,
    write_deck,
)
from zhaifei.solver.files.atomic_files import StorageError

RULES = Rules()
OTHER = Rules.of(players=3)


def card(hand: str, history: str = "f4x6", rules: Rules = RULES) -> Card:
    return Card(rules, parse_hand(rules, hand), parse_history(rules, history), Source.MISTAKE)


def test_a_right_answer_moves_a_card_up_and_a_wrong_one_back_to_the_start() -> None:
    one = card("11346").answered(3, right=True)
    assert (one.box, one.due, one.wrong) == (1, 5, 0)
    two = one.answered(5, right=True)
    assert (two.box, two.due, two.wrong) == (2, 9, 0)
    wrong = two.answered(9, right=False)
    assert (wrong.box, wrong.due, wrong.wrong) == (0, 10, 1)


def test_the_highest_box_is_the_last() -> None:
    top = replace(card("11346"), box=TOP).answered(1, right=True)
    assert (top.box, top.due) == (TOP, 1 + 2**TOP)


def test_what_is_due_comes_by_box_and_by_how_often_it_was_wrong() -> None:
    deck = Deck(session=7)
    later = replace(card("11111"), due=8)
    high = replace(card("22222"), box=2, due=3)
    low = replace(card("33333"), box=0, due=7)
    often = replace(card("44444"), box=0, due=7, wrong=3)
    for one in (later, high, low, often, replace(card("55555", "f5x6", OTHER), due=0)):
        assert deck.add(one)
    assert deck.due(RULES) == [often, low, high]


def test_a_position_is_there_once() -> None:
    deck = Deck(session=4)
    assert add_all(deck, [card("11346"), card("11346"), card("11346", "f5x6")]) == 2
    deck.answer(card("11346"), right=True)
    assert add_all(deck, [card("11346")]) == 0
    (found,) = deck.due(RULES)
    assert found.history == parse_history(RULES, "f5x6")


def test_a_deck_is_read_as_it_was_written(tmp_path: Path) -> None:
    deck = Deck(5, {OTHER: "2026-11-22T20-15-00.000000Z.jsonl"})
    add_all(deck, [card("11346"), card("12345", ""), card("12345", "f4x6 f5x6", OTHER)])
    deck.answer(card("11346"), right=False)
    path = tmp_path / "drill.json"
    assert read_deck(path) == Deck()
    write_deck(path, deck)
    assert read_deck(path) == deck


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("", "drill.json is not a drill deck"),
        ("{}", "drill"),
        (format_deck(Deck()).replace('"drill": 1', '"drill": 2'), "format version 2"),
        (format_deck(Deck()).replace('"rules": []', '"rules": [3]'), "rules"),
        (format_deck(Deck(0, {RULES: "a"})).replace('["a"]', "[]"), "one name of a record"),
    ],
)
def test_what_is_no_deck_is_refused(tmp_path: Path, wrong: str, says: str) -> None:
    path = tmp_path / "drill.json"
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(DeckError, match=says):
        read_deck(path)


def test_cards_are_checked() -> None:
    deck = Deck()
    add_all(deck, [card("11346")])
    text = format_deck(deck)
    for good, bad in (
        ("11346", "11347"),
        ("飞4×6", "飞2×6"),
        ('"box": 0', '"box": 7'),
        ('"rules": 0', '"rules": 1'),
        ("mistake", "luck"),
        ('"due": 0', '"due": -1'),
    ):
        assert good in text
        with pytest.raises(ZhaifeiError):
            parse_deck(text.replace(good, bad))


def test_who_changes_a_deck_waits_for_others(tmp_path: Path) -> None:
    """Of a hundred changes by four processes none is lost."""
    path = tmp_path / "drill.json"
    with ProcessPoolExecutor(4, get_context("spawn")) as pool:
        assert [*pool.map(_count, [path] * 4, [25] * 4)] == [None] * 4
    assert read_deck(path).session == 100


def _count(path: Path, number: int) -> None:
    for _ in range(number):
        with changing(path) as deck:
            deck.session += 1


def test_a_change_that_fails_leaves_the_deck_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "drill.json"
    write_deck(path, Deck(3))
    with pytest.raises(ZeroDivisionError), changing(path) as deck:
        deck.session = 1 // 0
    assert read_deck(path) == Deck(3)
    with changing(path) as deck:
        deck.session = 4
    assert read_deck(path) == Deck(4)


def test_a_deck_that_cannot_be_locked_is_told(tmp_path: Path) -> None:
    (tmp_path / "drill.json.lock").mkdir()
    refused = pytest.raises(StorageError, match=r"cannot write .*drill\.json\.lock")
    with refused, changing(tmp_path / "drill.json"):
        pass


def test_a_full_deck_takes_no_more() -> None:
    deck = Deck()
    full = {(RULES, (number,), ()): card("11346") for number in range(MOST_CARDS)}
    deck.cards.update(full)
    assert not deck.add(card("22222"))
