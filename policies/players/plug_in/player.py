"""Strategy files as players of rounds for penalty points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_of, challenge_action, domain, gives_up_action, mover_of
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.game.views import View, view_of
from zhaifei.policies.players.player import Batched
from zhaifei.policies.players.plug_in.answers import MIXING, Shares
from zhaifei.policies.players.plug_in.plug_in import Answer, PlugIn, Question
from zhaifei.policies.players.plug_in.worker import METHODS


@dataclass(frozen=True)
class PlugInPlayer(Batched):
    """A BatchPlayer that asks a strategy file. It never jumps (跳开): a file can only challenge the
    last bid.

    If a decision is lost, the player challenges the last bid or, at the start of a round, makes the
    weakest bid.
    """

    plug_in: PlugIn

    def __str__(self) -> str:
        return str(self.plug_in)

    @property
    def rules(self) -> Rules:
        """See BatchPlayer."""
        return self.plug_in.rules

    def copy(self, number: int) -> PlugInPlayer:
        """Return a player that asks the copy of the file with this number: see PlugIn."""
        return PlugInPlayer(self.plug_in.copy(number))

    def forget(self) -> None:
        """Restart the file: see PlugIn."""
        self.plug_in.forget()

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See BatchPlayer. The seeds of the file's random numbers are computed from `uniform`."""
        calls = METHODS if history.shape[1] else METHODS[1:]
        seeds = (uniform * 2.0**32).astype(np.int64).tolist()
        questions = [
            _question(self._view(own, bids), calls, seed)
            for own, bids, seed in zip(hand.tolist(), history.tolist(), seeds, strict=True)
        ]
        # Where no raise is left, and nobody may give up, a challenge is the only action.
        choices = [question for question in questions if _has_choice(question.view)]
        answers = iter(self.plug_in.ask(choices))
        actions = [
            self._action(question.view, next(answers) if _has_choice(question.view) else True)
            for question in questions
        ]
        return np.array(actions, dtype=np.int64)

    def mixes(self) -> bool:
        """Return whether the class in the file has the method `probabilities`."""
        (shares,) = self.shares(np.zeros(1, dtype=np.int64), ())
        return shares is None or bool(shares)  # a method that fails is there

    def shares(self, hand: NDArray[np.int64], history: Sequence[int]) -> list[Shares | None]:
        """Return, for each of `hand` [place], the probability of each action after a history of
        actions; None where the answer is lost. Where there is no choice, it is the challenge."""
        questions = [
            Question(self._view(own, [*history]), (MIXING,), seed=0) for own in hand.tolist()
        ]
        if questions and not _has_choice(questions[0].view):
            return [{challenge_action(self.rules): 1.0} for _ in questions]
        return self.plug_in.ask_shares(questions)

    def _view(self, hand: int, history: list[int]) -> View:
        """Return the view of the player in turn, in a round that seat 0 began."""
        rules = self.rules
        bids = tuple(domain(rules)[bid] for bid in history)
        return view_of(rules, mover_of(rules, history), hands(rules)[hand], 0, bids)

    def _action(self, view: View, answer: Answer) -> int:
        if isinstance(answer, Bid):
            return action_of(self.rules, answer)
        if answer is False and view.can_give_up:
            return gives_up_action(self.rules)
        if view.history:
            return challenge_action(self.rules)
        return action_of(self.rules, view.legal_bids[0])


def _has_choice(view: View) -> bool:
    return bool(view.legal_bids) or view.can_give_up


def _question(view: View, calls: Sequence[str], seed: int) -> Question:
    """Return the question whether to show the dice, where the player cannot double again."""
    return Question(view, calls if view.legal_bids else METHODS[:1], seed)
