"""The positions that a person drills, spaced by how often they were wrong (Leitner 1972).

A card lies in a box, 0 at first. A right answer moves it one box up, a wrong one back to box 0. A
card in box `b` comes again after 2 ** b sessions. The deck is a small JSON file:

    {"drill": 1, "session": 4, "rules": [{...}],
     "reviewed": ["2026-11-22T20-15-00.000000Z friday.jsonl"],
     "cards": [{"rules": 0, "hand": "11346", "history": "飞4×6", "source": "mistake",
                "box": 1, "due": 6, "wrong": 2}]}

`reviewed` has, for each of the `rules`, when the last match that mistakes were taken from was
played and the name of its record, or ""; `rules` of a card is the place among `rules`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import format_hand, format_history, parse_hand, parse_history
from zhaifei.game.rules import Rules
from zhaifei.solver.files.atomic_files import write_text
from zhaifei.solver.files.file_locks import lock, open_lock
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.strict_json import MOST_CHARACTERS, parse_object
from zhaifei.solver.machine.user_directories import make_data_directory, user_directory

VERSION = 1
TOP = 6
"""The highest box."""
MOST_CARDS = 2000
"""The most cards of a deck, so that its file stays below the largest size that is read."""
_NAME = "drill.json"


class DeckError(ZhaifeiError):
    """Raised for a deck that cannot be read."""


class Source(StrEnum):
    """Where a card comes from."""

    MISTAKE = "mistake"
    """A mistake of the person."""
    HARD = "hard"
    """A hard decision of the policy."""


Position = tuple[Rules, Hand, tuple[Bid, ...]]


@dataclass(frozen=True)
class Card:
    """A position to drill."""

    rules: Rules
    hand: Hand
    history: tuple[Bid, ...]
    source: Source
    box: int = 0
    due: int = 0
    """The session in which it comes again."""
    wrong: int = 0
    """How often it was answered wrongly."""

    def answered(self, session: int, *, right: bool) -> Card:
        """Return the card after an answer in this session."""
        box = min(self.box + 1, TOP) if right else 0
        return replace(self, box=box, due=session + 2**box, wrong=self.wrong + (not right))

    @property
    def position(self) -> Position:
        """The position of the card; a deck has each position once."""
        return self.rules, self.hand, self.history


@dataclass
class Deck:
    """All cards. Methods change it in place."""

    session: int = 0
    """How many sessions there were."""
    reviewed: dict[Rules, str] = field(default_factory=dict)
    """When the last match that mistakes were taken from was played and the name of its record, as
    `policies.play.records.dated_matches` returns them, by its rules."""
    cards: dict[Position, Card] = field(default_factory=dict)

    def add(self, card: Card) -> bool:
        """Add a card, unless the deck has the position, or is full. Return whether it did."""
        if len(self.cards) >= MOST_CARDS or card.position in self.cards:
            return False
        self.cards[card.position] = card
        return True

    def due(self, rules: Rules) -> list[Card]:
        """Return the cards for `rules` that are due in this session: those of low boxes first, of
        those the ones that were wrong most often."""
        cards = self.cards.values()
        found = [one for one in cards if one.rules == rules and one.due <= self.session]
        return sorted(found, key=lambda one: (one.box, -one.wrong, one.due))

    def answer(self, card: Card, *, right: bool) -> None:
        """Move a card of the deck to its next box, from where it is now."""
        now = self.cards.get(card.position, card)
        self.cards[card.position] = now.answered(self.session, right=right)


def format_deck(deck: Deck) -> str:
    """Return the text of a deck: the inverse of `parse_deck`."""
    rules = list(dict.fromkeys([*deck.reviewed, *(card.rules for card in deck.cards.values())]))
    found = {
        "drill": VERSION,
        "session": deck.session,
        "rules": [one.to_dict() for one in rules],
        "reviewed": [deck.reviewed.get(one, "") for one in rules],
        "cards": [_as_fields(card, rules) for card in deck.cards.values()],
    }
    return json.dumps(found, ensure_ascii=False)


def _as_fields(card: Card, rules: Sequence[Rules]) -> dict[str, object]:
    return {
        "rules": rules.index(card.rules),
        "hand": format_hand(card.hand),
        "history": format_history(card.history),
        "source": card.source.value,
        "box": card.box,
        "due": card.due,
        "wrong": card.wrong,
    }


def parse_deck(text: str) -> Deck:
    """Return the deck that `format_deck` wrote. Raise ZhaifeiError."""
    header = Header(parse_object(text))
    found = header.whole("drill", least=1)
    if found > VERSION:
        raise DeckError(
            "format version {version}; this zhaifei reads up to {latest}",
            version=found,
            latest=VERSION,
        )
    rules = [Header({"rules": one}).rules() for one in header.elements("rules")]
    for one in rules:
        one.verify_costs_points()
    cards = header.elements("cards")
    if len(cards) > MOST_CARDS:
        raise DeckError("there are more than {most} cards", most=MOST_CARDS)
    names = [Header({"reviewed": one}).text("reviewed") for one in header.elements("reviewed")]
    if len(names) != len(rules) or len({*rules}) != len(rules):
        raise DeckError("there must be one name of a record for each of different rules")
    reviewed = {one: name for one, name in zip(rules, names, strict=True) if name}
    deck = Deck(header.whole("session"), reviewed)
    for card in cards:
        if not deck.add(_card(Header({"card": card}).record("card"), rules)):
            raise DeckError("a position is there twice")
    return deck


def _card(fields: Header, rules: Sequence[Rules]) -> Card:
    if not rules:
        raise DeckError("the rules are missing")
    its = rules[fields.whole("rules", 0, len(rules) - 1)]
    return Card(
        its,
        parse_hand(its, fields.text("hand")),
        parse_history(its, fields.text("history")),
        Source(fields.choice("source", [one.value for one in Source])),
        fields.whole("box", 0, TOP),
        fields.whole("due"),
        fields.whole("wrong"),
    )


def deck_path(*, make: bool = False) -> Path:
    """Return the file of the user's deck. With `make`, create its directory. Raise
    NoUserDirectory."""
    return (make_data_directory() if make else user_directory("data")) / _NAME


def read_deck(path: Path) -> Deck:
    """Return the deck in a file; an empty one if there is none. Raise DeckError."""
    try:
        with path.open(encoding="utf-8") as file:
            return parse_deck(file.read(MOST_CHARACTERS + 1))
    except FileNotFoundError:
        return Deck()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise DeckError("cannot read {path}: {why}", path=path, why=why) from error
    except ZhaifeiError as error:
        raise DeckError("{path} is not a drill deck: {error}", path=path, error=error) from error


def write_deck(path: Path, deck: Deck) -> None:
    """Write a deck atomically. Raise StorageError."""
    write_text(path, format_deck(deck) + "\n")


@contextmanager
def changing(path: Path) -> Iterator[Deck]:
    """Yield the deck in a file, so that the block changes it, and write it afterwards. Others who
    change the deck at the same time wait meanwhile, so that no change is lost. Raise DeckError, or
    StorageError if the deck cannot be written."""
    with _locked(path):
        deck = read_deck(path)
        yield deck
        write_deck(path, deck)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which is a file beside it. Systems without such locks go on."""
    with open_lock(path.with_name(f"{path.name}.lock")) as file:
        with suppress(OSError):
            lock(file, wait=True)
        yield


def add_all(deck: Deck, cards: Iterable[Card]) -> int:
    """Add cards, each due at once, and return how many the deck did not have."""
    return sum(deck.add(replace(card, due=deck.session)) for card in cards)
