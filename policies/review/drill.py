"""A session of drill: which cards come, and what an answer is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from game.errors import ZhaifeiError
from policies.play.records import kept_matches, read_match
from policies.review.decisions import ReviewedDecision, Reviewer
from policies.review.deck import Card, Deck, add_all, write_deck
from policies.review.hard import hard_positions, mistakes
from policies.review.reviewing import review_match

ROUNDS = 100
"""Rounds of the policy that are searched for hard decisions, at most."""


@dataclass
class Drill:
    """A session with the cards of one policy's rules. Whatever changes the deck is written to
    `path` at once."""

    reviewer: Reviewer
    deck: Deck
    path: Path
    tell: Callable[[str, int], object] = lambda source, cards: None
    """Called while cards are sought, with what is being looked at and how many are due."""

    def begin(self, count: int, seed: int) -> list[Card]:
        """Begin the next session, and return its cards, at most `count`: those that are due; if
        they are too few, new ones from matches not looked at yet, and then hard decisions of the
        policy, drawn with `seed`. Raise StorageError if the deck cannot be written."""
        self.deck.session += 1
        self._seek_mistakes(count)
        self._seek_hard(count, np.random.default_rng(seed))
        self._write()
        return self.deck.due(self.reviewer.rules)[:count]

    def answer(self, card: Card, action: int) -> ReviewedDecision:
        """Return what an answer costs, and move its card: it is right unless it is an error. Raise
        StorageError if the deck cannot be written."""
        seat = len(card.history) % card.rules.players
        found = self.reviewer.decision(seat, card.hand, card.history, action)
        self.deck.answer(card, right=not found.grade.is_error)
        self._write()
        return found

    def _write(self) -> None:
        write_deck(self.path, self.deck)

    def _due(self) -> int:
        return len(self.deck.due(self.reviewer.rules))

    def _seek_mistakes(self, count: int) -> None:
        """Take the mistakes of kept matches that were not looked at, oldest first, until enough
        cards are due. Records that cannot be read are passed over: `review` tells of them."""
        for path in self._new_matches():
            if self._due() >= count:
                return
            self.tell(path.name, self._due())
            try:
                match = read_match(path)
            except ZhaifeiError:
                continue
            if match.rules == self.reviewer.rules and match.you is not None:
                add_all(self.deck, mistakes(review_match(self.reviewer, match, luck=False)))
                self.deck.reviewed[match.rules] = path.name
                self._write()

    def _new_matches(self) -> Sequence[Path]:
        last = self.deck.reviewed.get(self.reviewer.rules, "")
        return [path for path in kept_matches() if path.name > last]

    def _seek_hard(self, count: int, random: np.random.Generator) -> None:
        """Add hard decisions of the policy until enough cards are due."""
        if self._due() >= count:
            return
        for card in hard_positions(self.reviewer, random, ROUNDS):
            if card is not None:
                add_all(self.deck, [card])
                self.tell("", self._due())
            if self._due() >= count:
                return
