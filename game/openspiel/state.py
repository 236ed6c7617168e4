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
        """Called by `ZhaifeiGame.new_initial_state` only: `rules` and `rounds` are the game's."""
        super().__init__(game)
        self._rounds = rounds
        self._earlier: tuple[RoundSoFar, ...] = ()
        self._round = RoundSoFar(rules, starter=None if rounds > 1 else 0)

    @property
    def rules(self) -> Rules:
        return self._round.rules

    @property
    def earlier(self) -> tuple[RoundSoFar, ...]:
        """The rounds before the current one, oldest first."""
        return self._earlier

    @property
    def round(self) -> RoundSoFar:
        """The current round; after the end of the match the last one."""
        return self._round

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The hands dealt so far in the current round, by seat."""
        return self._round.hands

    @property
    def actions(self) -> tuple[int, ...]:
        """What the players did in the current round, oldest first."""
        return self._round.actions

    @property
    def bids(self) -> tuple[Bid, ...]:
        """The bids made so far in the current round, oldest first."""
        return self._round.bids

    @property
    def settled(self) -> list[Settlement]:
        """How each round ended that has ended, oldest first."""
        ends = (played.settlement for played in (*self._earlier, self._round))
        return [end for end in ends if end is not None]

    @property
    def points(self) -> list[int]:
        """[seat] penalty points so far."""
        points = [0] * self.rules.players
        for end in self.settled:
            points[end.loser] += end.points
        return points

    def current_player(self) -> int:
        """The seat whose turn it is, or the pseudo-player of chance or of the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        turn = self._round.turn
        return int(pyspiel.PlayerId.CHANCE) if turn is None else turn

    def is_terminal(self) -> bool:
        """Whether the last round has ended."""
        # A round that has ended stays the current one only if no other follows.
        return self._round.settlement is not None

    def returns(self) -> list[float]:
        """[seat] penalty points saved, the sum over the rounds; zero until the match has ended."""
        if not self.is_terminal():
            return [0.0] * self.rules.players
        payoffs = [utilities(self.rules, end) for end in self.settled]
        return [fsum(payoff) for payoff in zip(*payoffs, strict=True)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Each hand and its probability; where the first starter is drawn, each seat and its."""
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
        """In a match what went before; the hands by seat; what the players did."""
        before = match_text(self.earlier, self.points, self.round) if self._rounds > 1 else []
        return " ".join([*before, dice_text(self._round), *actions_text(self._round)])
