"""The states of the OpenSpiel game."""

from __future__ import annotations

from math import fsum

import pyspiel

from game.bids import Bid
from game.errors import ZhaifeiError
from game.hands import Hand, hands
from game.notation import format_action, format_hand
from game.openspiel.round import RoundSoFar
from game.openspiel.text import actions_text, dice_text, match_text
from game.rounds import Settlement, utilities
from game.rules import Rules


class ZhaifeiState(pyspiel.State):  # type: ignore[misc]
    """A match in progress, of one round or of several."""

    def __init__(self, game: pyspiel.Game, rules: Rules, rounds: int) -> None:
        """Called only by `ZhaifeiGame.new_initial_state`, with its own `rules` and `rounds`."""
        super().__init__(game)
        self._rounds = rounds
        self._earlier: tuple[RoundSoFar, ...] = ()
        self._round = RoundSoFar(rules, starter=None if rounds > 1 else 0)

    @property
    def rules(self) -> Rules:
        return self._round.rules

    @property
    def earlier(self) -> tuple[RoundSoFar, ...]:
        """Return the rounds before the current one, oldest first."""
        return self._earlier

    @property
    def round(self) -> RoundSoFar:
        """Return the current round; after the end of the match the last one."""
        return self._round

    @property
    def hands(self) -> tuple[Hand, ...]:
        """Return [seat]: the hands dealt so far in the current round."""
        return self._round.hands

    @property
    def actions(self) -> tuple[int, ...]:
        """Return the actions of the players in the current round, oldest first."""
        return self._round.actions

    @property
    def bids(self) -> tuple[Bid, ...]:
        """Return the bids made so far in the current round, oldest first."""
        return self._round.bids

    @property
    def settled(self) -> list[Settlement]:
        """Return the settlements of the rounds that have ended, oldest first."""
        ends = (played.settlement for played in (*self._earlier, self._round))
        return [end for end in ends if end is not None]

    @property
    def points(self) -> list[int]:
        """Return [seat]: penalty points so far."""
        points = [0] * self.rules.players
        for end in self.settled:
            points[end.loser] += end.points
        return points

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's id of chance or of a terminal state."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        turn = self._round.turn
        return int(pyspiel.PlayerId.CHANCE) if turn is None else turn

    def is_terminal(self) -> bool:
        """Return whether the last round has ended."""
        # A round that has ended stays current only if no other follows.
        return self._round.settlement is not None

    def returns(self) -> list[float]:
        """Return [seat]: utility in penalty points, summed over rounds; zero before the end."""
        if not self.is_terminal():
            return [0.0] * self.rules.players
        payoffs = [utilities(self.rules, end) for end in self.settled]
        return [fsum(payoff) for payoff in zip(*payoffs, strict=True)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return (action, probability) of each hand, or of each seat if the starter is drawn."""
        return self._round.chance_outcomes()

    def _legal_actions(self, player: int) -> list[int]:
        return self._round.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.is_terminal():
            raise ZhaifeiError("the round has ended")
        self._round = self._round.after(action)
        end = self._round.settlement
        if end is not None and len(self.settled) < self._rounds:
            self._earlier = (*self._earlier, self._round)
            self._round = RoundSoFar(self.rules, starter=end.loser)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            if self._round.starter is None:
                return f"p{action} starts"
            return f"deal {format_hand(hands(self.rules)[action])}"
        return format_action(self.rules, action)

    def __str__(self) -> str:
        """Return earlier rounds (in a match), the hands by seat and the actions of the players."""
        before = match_text(self.earlier, self.points, self.round) if self._rounds > 1 else []
        return " ".join([*before, dice_text(self._round), *actions_text(self._round)])
