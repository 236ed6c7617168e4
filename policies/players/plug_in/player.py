"""Strategy files at tables where rounds are played for penalty points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid, action_of, challenge_action, domain, legal_bids
from game.hands import hands
from game.rules import Rules
from policies.players.moves import Made, Seen
from policies.players.plug_in.plug_in import Answer, PlugIn, Question
from policies.players.plug_in.worker import METHODS


@dataclass(frozen=True)
class PlugInPlayer:
    """A Player that asks a strategy file; it is only offered ordinary challenges.

    Points are not lost by what is no decision: whoever has to act challenges the last bid then,
    and makes the weakest bid where there is none.
    """

    plug_in: PlugIn

    def __str__(self) -> str:
        return str(self.plug_in)

    @property
    def rules(self) -> Rules:
        """See Player."""
        return self.plug_in.rules

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See Player. The file decides with random numbers of `uniform` as seed."""
        calls = METHODS if history.shape[1] else METHODS[1:]
        seeds = (uniform * 2.0**32).astype(np.int64).tolist()
        questions = [
            Question(self._seen(own, bids), calls, seed)
            for own, bids, seed in zip(hand.tolist(), history.tolist(), seeds, strict=True)
        ]
        # Where no raise is left, a challenge is the only action.
        choices = [question for question in questions if question.seen.legal_bids]
        answers = iter(self.plug_in.ask(choices))
        actions = [
            self._action(question.seen, next(answers) if question.seen.legal_bids else True)
            for question in questions
        ]
        return np.array(actions, dtype=np.int64)

    def _seen(self, hand: int, history: list[int]) -> Seen:
        rules = self.rules
        made = (domain(rules)[bid] for bid in history)
        return Seen(
            rules,
            len(history) % rules.players,
            hands(rules)[hand],
            (rules.dice,) * rules.players,
            tuple(Made(place % rules.players, bid) for place, bid in enumerate(made)),
            legal_bids(rules, domain(rules)[history[-1]] if history else None),
            turns_until_own=0,
            out_of_turn=False,
        )

    def _action(self, seen: Seen, answer: Answer) -> int:
        if isinstance(answer, Bid):
            return action_of(self.rules, answer)
        if seen.history:
            return challenge_action(self.rules)
        return action_of(self.rules, seen.legal_bids[0])
