"""The states of the OpenSpiel game."""

from __future__ import annotations

from math import fsum

import pyspiel

from zhaifei.game import stakes
from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.match import next_starter, winner_of
from zhaifei.game.notation import format_hand
from zhaifei.game.openspiel.round import RoundSoFar
from zhaifei.game.openspiel.text import action_text, actions_text, dice_text, match_text
from zhaifei.game.rounds import Settlement, utilities
from zhaifei.game.rules import Rules

WHOLE_MATCH = 0
"""The value of `rounds` for a match until only one player has dice."""


def draws_starter(rules: Rules, rounds: int) -> bool:
    """Return whether chance draws the first starter: in a match, unless seat 0 starts every
    round."""
    return rounds != 1 and (rules.loses_dice or not rules.table.uneven)


def most_rounds(rules: Rules, rounds: int) -> int:
    """Return the number of rounds of a game. For a whole match, in which each round costs a die,
    return the largest possible number."""
    most = stakes.most_rounds(rules)
    return most if rounds == WHOLE_MATCH and most is not None else rounds


class ZhaifeiState(pyspiel.State):  # type: ignore[misc]
    """A match in progress, of one round or of several."""

    def __init__(self, game: pyspiel.Game, rules: Rules, rounds: int) -> None:
        """Called only by `ZhaifeiGame.new_initial_state`, with its own `rules` and `rounds`."""
        super().__init__(game)
        self._rounds = rounds
        self._earlier: tuple[RoundSoFar, ...] = ()
        self._round = RoundSoFar(rules, starter=None if draws_starter(rules, rounds) else 0)

    @property
    def rules(self) -> Rules:
        return self._round.rules

    @property
    def earlier(self) -> tuple[RoundSoFar, ...]:
        """Return the rounds before the current one, oldest first."""
        return self._earlier

    @property
    def round(self) -> RoundSoFar:
        """Return the current round; after the end of the match, the last round."""
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
        """Return [seat]: penalty points so far; where dice are lost, one for each die lost."""
        points = [0] * self.rules.players
        for end in self.settled:
            points[end.loser] += end.cost
        return points

    @property
    def dice(self) -> tuple[int, ...]:
        """Return [seat]: the dice left after the rounds that have ended."""
        start = self.rules.dice_by_player
        if not self.rules.loses_dice:
            return start
        return tuple(full - lost for full, lost in zip(start, self.points, strict=True))

    @property
    def standing(self) -> tuple[str, list[int]]:
        """Return the unit of a match, dice left or penalty points, and [seat] their number."""
        return ("dice", [*self.dice]) if self.rules.loses_dice else ("points", self.points)

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's id of chance or of a terminal state."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        turn = self._round.turn
        return int(pyspiel.PlayerId.CHANCE) if turn is None else turn

    def is_terminal(self) -> bool:
        """Return whether the last round has ended."""
        # A round that has ended stays current only if no other round follows.
        return self._round.settlement is not None

    def returns(self) -> list[float]:
        """Return [seat] the utility in penalty points, summed over rounds. In a whole match in
        which dice are lost, it is 1 for the winner and an equal share of -1 for each other player.
        Zero before the end."""
        players = self.rules.players
        if not self.is_terminal():
            return [0.0] * players
        if self._rounds == WHOLE_MATCH:
            winner = winner_of(self.dice)
            return [1.0 if seat == winner else -1 / (players - 1) for seat in range(players)]
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
        if end is not None and not self._was_last():
            following = self._following(end)
            self._earlier = (*self._earlier, self._round)
            self._round = following

    def _was_last(self) -> bool:
        """Return whether no round follows the current one, which has ended."""
        if self._rounds == WHOLE_MATCH:
            return winner_of(self.dice) is not None
        return len(self.settled) == self._rounds

    def _following(self, end: Settlement) -> RoundSoFar:
        """Return the round that follows the current one, which has ended with the settlement
        `end`."""
        starter = next_starter(self.rules, self.dice, end.loser, end.winner)
        return RoundSoFar(self.rules, starter, self.dice if self.rules.loses_dice else ())

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            if self._round.starter is None:
                return f"p{action} starts"
            return f"deal {format_hand(self._round.hands_to_roll()[action])}"
        return action_text(self.rules, action)

    def __str__(self) -> str:
        """Return earlier rounds (in a match), the hands by seat and the actions of the players."""
        before = match_text(self.earlier, self.standing, self.round) if self._rounds != 1 else []
        return " ".join([*before, dice_text(self._round), *actions_text(self._round)])
