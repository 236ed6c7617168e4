"""Rounds and matches in which one seat is played from outside, a step at a time; deciders play the
others in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zhaifei.game.bids import action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.views import View
from zhaifei.policies.play.played import PlayedRound, played_round
from zhaifei.policies.play.playing import only_choice, take_turn
from zhaifei.policies.players.decider import Decider, Remembers


class SteppedRound:
    """A round in which `seat` is played from outside, wherever it has a choice. `deciders` is
    [seat]; the one of `seat` is not asked."""

    def __init__(self, round_: Round, deciders: Sequence[Decider], seat: int) -> None:
        """Let the others play up to the first decision of `seat`. Raise as `take_turn` does."""
        self.round, self.seat, self._deciders = round_, seat, deciders
        self._actions = [action_of(round_.rules, bid) for bid in round_.history]
        self._advance()

    @property
    def view(self) -> View | None:
        """The view of `seat`, which decides now; None once the round is over."""
        return None if self.round.is_over else self.round.view(self.seat)

    @property
    def played(self) -> PlayedRound:
        """The round as far as it went, with all dice."""
        its = self.round
        return played_round(its.rules, its.starter, its.hands, self._actions, dice=its.dice)

    def act(self, action: int) -> None:
        """Take the action for `seat` as `Round.take` does, and let the others play on. Raise
        IllegalBid or IllegalChallenge without changing anything."""
        self.round.take(action)
        self._actions.append(action)
        self._advance()

    def _advance(self) -> None:
        while not self.round.is_over:
            turn = self.round.turn
            if turn == self.seat and only_choice(self.round) is None:
                return
            self._actions.append(take_turn(self.round, self._deciders[turn]))


class SteppedMatch:
    """A match in which `seat` is played from outside, until `reached` says that it is over or no
    more rounds follow."""

    def __init__(
        self,
        match: Match,
        deciders: Sequence[Decider],
        seat: int,
        reached: Callable[[Match], bool],
    ) -> None:
        """Let the others play up to the first decision of `seat`. Raise as `take_turn` does."""
        self.match, self.seat, self._deciders, self._reached = match, seat, deciders, reached
        self.ended: list[PlayedRound] = []
        """The rounds that have ended, oldest first, with all dice."""
        self._round: SteppedRound | None = None
        self._advance()

    @property
    def view(self) -> View | None:
        """The view of `seat`, which decides now; None once the match is over."""
        return None if self._round is None else self._round.view

    def act(self, action: int) -> None:
        """Take the action for `seat`, and let the others play up to its next decision. Raise
        IllegalBid or IllegalChallenge without changing anything, and ZhaifeiError once the match is
        over."""
        if self._round is None:
            raise ZhaifeiError("the match is over")
        self._round.act(action)
        self._advance()

    def _advance(self) -> None:
        """Settle the round if it has ended, and deal until `seat` decides or the match is over."""
        while self.view is None:
            if self._round is not None:
                self._settle(self._round)
            if self.match.is_over or self._reached(self.match):
                self._round = None
                return
            self._round = SteppedRound(self.match.deal(), self._deciders, self.seat)

    def _settle(self, stepped: SteppedRound) -> None:
        self.match.settle()
        self.ended.append(stepped.played)
        for seat, decider in enumerate(self._deciders):
            if seat != self.seat and isinstance(decider, Remembers):
                decider.remember(stepped.round, seat)
