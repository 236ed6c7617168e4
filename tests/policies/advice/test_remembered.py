"""People by name, as all kept records show them."""

import functools
from pathlib import Path

import pytest

from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.people import learned, person_of
from zhaifei.policies.advice.remembered import (
    forget,
    people_among,
    person_named,
    read_forgotten,
    shown_by_name,
)
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.play.played import UNNAMED, PlayedMatch, played_round

THREE, TWO = preset("zhaifei", players=3), preset("zhaifei")
HANDS: tuple[Hand, ...] = (1, 1, 3, 4, 6), (2, 2, 3, 3, 4), (1, 6, 6, 6, 6)


@functools.cache
def adviser(rules: Rules) -> PeopleAdviser:
    return PeopleAdviser(rules, None)


def match(rules: Rules, names: str, you: int | None, rounds: int = 1) -> PlayedMatch:
    """Everybody bids once in each round, and the opener challenges."""
    bids = "f4x6 f5x6 f6x6" if rules.players == 3 else "f4x6 f5x6"
    actions = [action_of(rules, bid) for bid in parse_history(rules, bids)]
    hands = HANDS[: rules.players]
    played = played_round(rules, 0, hands, [*actions, challenge_action(rules)])
    return PlayedMatch(rules, tuple(names), you, None, None, "0", (played,) * rounds)


def test_people_are_known_by_name_in_every_seat_and_by_all_rules() -> None:
    one, other = match(THREE, "abc", 0, rounds=2), match(TWO, "cd", 1)
    found = shown_by_name(adviser, [("2026 x", one), ("2027 y", other)], {})
    assert {name: len(its) for name, its in found.items()} == {"b": 2, "c": 3}
    shown = adviser(THREE).shown(THREE, one.rounds[0])[2]
    last = adviser(TWO).shown(TWO, other.rounds[0])[0]
    assert person_named(THREE, "c", found) == learned(person_of(THREE), [shown, shown, last])


def test_nobody_is_known_who_has_no_name_or_is_you() -> None:
    records = [("2026 x", match(THREE, "a?b", 0)), ("2026 y", match(TWO, "ab", None))]
    found = shown_by_name(adviser, records, {})
    assert {name: len(its) for name, its in found.items()} == {"b": 2, "a": 1}


def test_what_was_forgotten_counts_no_longer() -> None:
    old, new = ("2026-01 x", match(TWO, "ab", 0)), ("2026-03 y", match(TWO, "ab", 0, rounds=2))
    assert len(shown_by_name(adviser, [old, new], {"b": "2026-02"})["b"]) == 2
    assert shown_by_name(adviser, [old, new], {"b": "2026-04"}) == {}
    assert len(shown_by_name(adviser, [old, new], {"c": "2026-04"})["b"]) == 3


def test_the_others_are_named_in_the_order_of_turns() -> None:
    found = shown_by_name(adviser, [("2026 x", match(THREE, "abc", 0))], {})
    one, other = people_among(THREE, ["c", UNNAMED], found)
    assert (one.name, one.person.rounds) == ("c", 1)
    assert other.person == person_of(THREE)
    with pytest.raises(ZhaifeiError, match="1 people were named; there are 2 others"):
        people_among(THREE, ["c"], found)
    with pytest.raises(ZhaifeiError, match="no kept record has d; known are b, c"):
        people_among(THREE, ["c", "d"], found)


def test_who_was_forgotten_is_kept_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert read_forgotten() == {}
    forget(["老王"])
    first = read_forgotten()["老王"]
    forget(["阿明", "老王"])
    again = read_forgotten()
    assert {*again} == {"老王", "阿明"}
    assert again["老王"] >= first


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"people": 2, "forgotten": {}}',
        '{"people": 1}',
        '{"people": 1, "forgotten": {"a": 1}}',
    ],
)
def test_damaged_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    forget(["a"])
    (path,) = tmp_path.rglob("people.json")
    path.write_text(text)
    with pytest.raises(ZhaifeiError, match="is damaged: remove it"):
        read_forgotten()
