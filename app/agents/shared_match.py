"""A match between agents, all of whom play by text, as arenas hold it: the dice depend on a seed
alone."""

from __future__ import annotations

import numpy as np

from zhaifei.app.agents.text_game import read_action
from zhaifei.game.bids import action_of
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.policies.play.played import PlayedRound, played_round
from zhaifei.policies.play.playing import only_choice
from zhaifei.policies.play.simulation import utilities_of


class SharedMatch:
    """A match of some rounds for penalty points. A player who can only challenge does so without
    being asked."""

    def __init__(self, rules: Rules, rounds: int, seed: int) -> None:
        """Deal the first round. Raise RulesError for rules under which dice are lost."""
        rules.verify_costs_points()
        self.match, self._rounds = Match(rules, np.random.default_rng(seed)), rounds
        self.ended: list[PlayedRound] = []
        """The rounds that have ended, oldest first, with all dice."""
        self._actions: list[int] = []
        self._deal()

    @property
    def round(self) -> Round | None:
        """The round in progress; None once the match is over."""
        return self.match.round

    def act(self, text: str) -> None:
        """Take the answer of the player in turn. Raise ZhaifeiError for an illegal answer, which
        changes nothing."""
        its = self._in_progress
        self._take(read_action(its.view(), text))
        while not its.is_over and (action := only_choice(its)) is not None:
            self._take(action)
        if its.is_over:
            self.ended.append(played_round(its.rules, its.starter, its.hands, self._actions))
            self.match.settle()
            if self.match.played < self._rounds:
                self._deal()

    def rewards(self, offender: int | None = None) -> list[float]:
        """Return [seat] what the players earned a round: each pays the own penalty points and gets
        an equal share of the others'. An `offender` also pays a point for each round that is
        left."""
        points = np.array(self.match.score)
        if offender is not None:
            points[offender] += self._rounds - self.match.played
        earned: list[float] = (utilities_of(points) / self._rounds).tolist()
        return earned

    @property
    def _in_progress(self) -> Round:
        assert self.match.round is not None, "the match is not over"
        return self.match.round

    def _take(self, action: int) -> None:
        self._in_progress.take(action)
        self._actions.append(action)

    def _deal(self) -> None:
        round_ = self.match.deal()
        self._actions = [action_of(round_.rules, bid) for bid in round_.history]
