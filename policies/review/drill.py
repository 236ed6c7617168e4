"""A session of drill: which cards come, and what an answer is worth."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from game.errors import ZhaifeiError
from policies.play.records import dated_matches, read_match
from policies.review.decisions import ReviewedDecision, Reviewer
from policies.review.deck import Card, Deck, add_all, changing, read_deck
from policies.review.hard import hard_positions, mistakes
from policies.review.reviewing import review_match

ROUNDS = 100
"""Rounds of the policy that are searched for hard decisions, at most."""
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}T")


@dataclass
class Drill:
    """A session with the cards of one policy's rules. The deck in the file `path` is changed at
    once; several sessions may share it. Raise DeckError if it cannot be read."""

    reviewer: Reviewer
    path: Path
    tell: Callable[[str, int], object] = lambda source, cards: None
    """Called while cards are sought, with what is being looked at and how many are due."""
    deck: Deck = field(init=False)
    """As it was when this session changed it last."""

    def __post_init__(self) -> None:
        self.deck = read_deck(self.path)

    def begin(self, count: int, seed: int) -> list[Card]:
        """Begin the next session, and return its cards, at most `count`: those that are due; if
        they are too few, new ones from matches not looked at yet, and then hard decisions of the
        policy, drawn with `seed`. Raise StorageError if the deck cannot be written."""
        with changing(self.path) as self.deck:
            self.deck.session += 1
        self._seek_mistakes(count)
        self._seek_hard(count, np.random.default_rng(seed))
        return self.deck.due(self.reviewer.rules)[:count]

    def answer(self, card: Card, action: int) -> ReviewedDecision:
        """Return what an answer costs, and move its card: it is right unless it is an error. Raise
        StorageError if the deck cannot be written."""
        seat = len(card.history) % card.rules.players
        found = self.reviewer.decision(seat, card.hand, card.history, action)
        with changing(self.path) as self.deck:
            self.deck.answer(card, right=not found.grade.is_error)
        return found

    def _due(self) -> int:
        return len(self.deck.due(self.reviewer.rules))

    def _seek_mistakes(self, count: int) -> None:
        """Take the mistakes of kept matches that were not looked at, oldest first, until enough
        cards are due. What cannot be read of a record is passed over: `review` tells of it."""
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
        """Return the records that were written to after the last one looked at, and when."""
        last = self.deck.reviewed.get(self.reviewer.rules, "")
        if not _DATED.match(last):  # an earlier version has taken any name for a date
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
