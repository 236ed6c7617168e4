"""Hints at a table: advice of one policy in rounds for points, or in all rounds of a match for
dice."""

from __future__ import annotations

from typing import NamedTuple

from zhaifei.game.positions import rules_of_round
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.advice.advice import Advice
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.players.match_policy import MatchPolicy, PlaceInMatch, Stakes, position_of
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.resolving import MEMORY, PLAYING, resolving
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.resolving.subgame import Effort
from zhaifei.solver.value.matches import start_of


class Hint(NamedTuple):
    """Advice on a decision at a table."""

    advice: Advice
    stakes: Stakes | None = None
    """The stakes of the round in a match in which dice are lost."""


class Advisers:
    """The advisers of one policy: one for each position of a match. They solve positions again
    where that is possible, with this `effort` (None: never), and keep `memory` bytes of
    solutions."""

    def __init__(
        self,
        policy: TablePolicy | MatchPolicy,
        effort: Effort | None = PLAYING,
        memory: int = MEMORY,
    ) -> None:
        self.policy, self._effort, self._memory = policy, effort, memory
        self._advisers: dict[Rules, Adviser] = {}

    def place(self, rules: Rules) -> PlaceInMatch | None:
        """Return the place in a match of rounds by `rules` (`game.positions.round_rules`); None for
        rounds that decide only their points."""
        if not isinstance(self.policy, MatchPolicy):
            return None
        return PlaceInMatch(self.policy, start_of(rules))

    def of_rounds(self, rules: Rules) -> Adviser:
        """Return the adviser for rounds by `rules`. Raise ZhaifeiError if no match of the policy
        has such rounds."""
        if rules not in self._advisers:
            place = self.place(rules)
            policy = self.policy if place is None else place.policy.at(place.position)
            assert isinstance(policy, TablePolicy)
            again = self._effort and resolving(policy, effort=self._effort, memory=self._memory)
            self._advisers[rules] = Adviser(again or as_played(policy))
        return self._advisers[rules]

    def hint(self, view: View) -> Hint:
        """Return a hint for the player to move."""
        rules = view.rules
        if rules.loses_dice:
            rules = rules_of_round(rules, position_of(view))
        place, bids = self.place(rules), view.bids
        advice = self.of_rounds(rules).advise(view.dice, bids)
        return Hint(advice, None if place is None else place.stakes(len(bids)))
