"""A drill session: the choice of cards, and the grading of answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from zhaifei.game.bids import mover_after
from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.play.records import dated_matches, read_match
from zhaifei.policies.review.decisions import ReviewedDecision, Reviewer
from zhaifei.policies.review.deck import Card, Deck, add_all, changing, read_deck
from zhaifei.policies.review.hard import hard_positions, mistakes
from zhaifei.policies.review.reviewing import review_match

ROUNDS = 100
"""The most rounds of the policy that are searched for hard decisions."""
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}T")


@dataclass
class Drill:
    """A session with the cards for one policy's rules. Changes are written at once to the deck in
    the file `path`, which several sessions may share. Raise DeckError if it cannot be read."""

    reviewer: Reviewer
    path: Path
    tell: Callable[[str, int], object] = lambda source, cards: None
    """Called during the search for cards with the record being searched and the number of cards
    that are due."""
    deck: Deck = field(init=False)
    """The deck after the last change by this session."""

    def __post_init__(self) -> None:
        self.deck = read_deck(self.path)

    def begin(self, count: int, seed: int) -> list[Card]:
        """Begin the next session, and return its cards, at most `count`. They are the cards that
        are due; if these are too few, also new mistakes from matches not searched yet, and then
        hard decisions of the policy, drawn with `seed`. Raise StorageError if the deck cannot be
        written."""
        with changing(self.path) as self.deck:
            self.deck.session += 1
        self._seek_mistakes(count)
        self._seek_hard(count, np.random.default_rng(seed))
        return self.deck.due(self.reviewer.rules)[:count]

    def answer(self, card: Card, action: int) -> ReviewedDecision:
        """Return the decision for an answer, and move its card. The answer is right unless its
        grade is an error. Raise StorageError if the deck cannot be written."""
        seat = mover_after(card.rules, card.history)
        found = self.reviewer.decision(seat, card.hand, card.history, action)
        with changing(self.path) as self.deck:
            self.deck.answer(card, right=not found.grade.is_error)
        return found

    def _due(self) -> int:
        return len(self.deck.due(self.reviewer.rules))

    def _seek_mistakes(self, count: int) -> None:
        """Add the mistakes of kept matches that were not searched yet, oldest first, until enough
        cards are due. Unreadable lines of a record are skipped; `review` reports them."""
        for played, path in self._new_matches():
            if self._due() >= count:
                return
            self.tell(path.name, self._due())
            try:
                match = read_match(path, lambda error: None)
            except ZhaifeiError:
                continue
            if match.rules == self.reviewer.rules and match.you is not None:
                found = mistakes(review_match(self.reviewer, match, luck=False))
                with changing(self.path) as self.deck:
                    add_all(self.deck, found)
                    self.deck.reviewed[match.rules] = played

    def _new_matches(self) -> Sequence[tuple[str, Path]]:
        """Return (date, path) of the records written to after the last record that was searched."""
        last = self.deck.reviewed.get(self.reviewer.rules, "")
        if not _DATED.match(last):  # an earlier version accepted any name as a date
            last = ""
        return [(played, path) for played, path in dated_matches() if played > last]

    def _seek_hard(self, count: int, random: np.random.Generator) -> None:
        """Add hard decisions of the policy until enough cards are due."""
        if self._due() >= count:
            return
        for card in hard_positions(self.reviewer, random, ROUNDS):
            if card is not None:
                with changing(self.path) as self.deck:
                    add_all(self.deck, [card])
                self.tell("", self._due())
            if self._due() >= count:
                return
