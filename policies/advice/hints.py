"""Hints at a table, by one policy at every position."""

from __future__ import annotations

from typing import NamedTuple

from zhaifei.game.positions import Position, position_of
from zhaifei.game.views import View
from zhaifei.policies.advice.advice import Advice
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.players.match_policy import SolvedPolicy, Stakes
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.resolving import MEMORY, PLAYING, resolving
from zhaifei.solver.resolving.subgame import Effort


class Hint(NamedTuple):
    """Advice on a decision at a table."""

    advice: Advice
    stakes: Stakes | None = None
    """What the round decides; None if it decides only its points."""


class Advisers:
    """The advisers of one policy: one for each position. They solve positions of the bidding again
    where that is possible, with this `effort` (None: never), and keep `memory` bytes of
    solutions."""

    def __init__(
        self, policy: SolvedPolicy, effort: Effort | None = PLAYING, memory: int = MEMORY
    ) -> None:
        self.policy, self._effort, self._memory = policy, effort, memory
        self._advisers: dict[Position, Adviser] = {}

    def at(self, position: Position) -> Adviser:
        """Return the adviser for rounds at `position`. Raise ZhaifeiError if the policy has no such
        rounds."""
        if position not in self._advisers:
            policy = self.policy.at(position)
            again = self._effort and resolving(policy, effort=self._effort, memory=self._memory)
            self._advisers[position] = Adviser(again or as_played(policy))
        return self._advisers[position]

    def hint(self, view: View) -> Hint:
        """Return a hint for the player to move."""
        position, bids = position_of(view), view.bids
        advice = self.at(position).advise(view.dice, bids)
        return Hint(advice, self.policy.stakes(position, len(bids)))
