"""The legs of a run: what it solves one after another, and how their results become one policy.

A round for penalty points is a run of one leg. In a match of two in which dice are lost, each
position has a leg, or one leg for each player, and those with the fewest dice come first.
`solver.value.matches` shows that the rounds can be solved separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from zhaifei.game.hands import hands
from zhaifei.game.positions import is_match
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.record import measure_of
from zhaifei.policies.players.match_policy import (
    MatchPolicy,
    SolvedRound,
    position_name,
    solved_round,
)
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.abstraction import WHOLE, solved_alone
from zhaifei.solver.cfr.tree_strategy import joined_by_player
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.value.matches import positions_of

SolvedPolicy = TablePolicy | MatchPolicy
"""What a run makes: the policy of a round, or of all rounds of a match."""


class Leg(NamedTuple):
    """A unit of solving: a round, or the strategy of one of its players."""

    position: tuple[int, ...]
    """[player] the dice, from the opener on."""
    round: SolvedRound
    least_played: float
    """Actions that a hand takes with a smaller probability are left out of the policy. With 0.0 the
    policy holds what the engine makes of them."""
    pairs: int
    """The number of (own hand, opponent hand) pairs: the iterations of one pass."""
    all_pairs: int
    """The iterations of one pass over all legs of the run."""

    @property
    def player(self) -> int | None:
        """The player who is solved, in turn order; None for all players."""
        return self.round.abstraction.spares

    @property
    def name(self) -> str:
        """The name of the leg in a checkpoint."""
        player = "" if self.player is None else (" opener", " other")[self.player]
        return position_name(self.position) + player


_LEAST_PLAYED = 1e-5
"""The least probability in matches. Leaving out less raises exploitability by a few
hundred-thousandths of a point, and makes files ten times smaller."""
_LEAST_PLAYED_BY_ONE = 2e-5
"""_LEAST_PLAYED for rounds whose players are solved separately, which have the largest files."""


def legs_of(rules: Rules) -> list[Leg]:
    """Return the legs of a run for `rules`, in the order in which they are solved. Raise RulesError
    if such matches are not solved."""
    rounds = [(rules.dice_by_player, SolvedRound(rules, WHOLE), 0.0)]
    if is_match(rules):
        rounds = [
            (position, SolvedRound(its, one), least)
            for position in positions_of(rules)
            for its, whole in [solved_round(rules, position)]
            for one in solved_alone(whole)
            for least in [_LEAST_PLAYED if one is whole else _LEAST_PLAYED_BY_ONE]
        ]
    pairs = [len(hands(solved.rules)) ** 2 for _, solved, _ in rounds]
    return [Leg(*round_, own, sum(pairs)) for round_, own in zip(rounds, pairs, strict=True)]


def positions_in(legs: Sequence[Leg]) -> list[tuple[int, ...]]:
    """Return the positions of `legs`, each once and in their order."""
    return list(dict.fromkeys(leg.position for leg in legs))


def whole_passes(rules: Rules, iterations: int) -> int:
    """Return the goal of a run for `rules` that is asked for `iterations`. All legs of a match get
    as many whole passes, at least one; an engine that solves a round alone stops where it can."""
    if not is_match(rules):
        return iterations
    a_pass = legs_of(rules)[0].all_pairs
    return a_pass * max(1, round(iterations / a_pass))


def joined(
    rules: Rules, solved: Mapping[Leg, TablePolicy], training: Mapping[str, Any]
) -> SolvedPolicy:
    """Return the policy for `rules` whose legs were `solved`. The `training` record is that of a
    match; the policy of a round has its own."""
    if not is_match(rules):
        (policy,) = solved.values()
        return policy
    rounds = {
        position: _round([one for leg, one in solved.items() if leg.position == position])
        for position in positions_of(rules)
    }
    match = MatchPolicy(rules, rounds, training)
    return replace(match, training={**training, measure_of(rules): match.trained_gain})


def _round(legs: Sequence[TablePolicy]) -> TablePolicy:
    """Return the policy of the round that was solved in these legs: each player follows the table
    of their own leg."""
    if len(legs) == 1:
        return legs[0]
    opener, other = legs
    rules, abstraction = opener.rules, replace(opener.abstraction, spares=None)
    table = joined_by_player(recall_tables(rules, FULL), [one.table for one in legs])
    # The value of a best response to a player comes from the leg in which that player is solved.
    against_other = other.training["exploitability"] + other.training["value"]
    against_opener = opener.training["exploitability"] - opener.training["value"]
    training = {
        **opener.training,
        "value": (against_other - against_opener) / 2,
        "exploitability": (against_other + against_opener) / 2,
    } | {
        name: sum(one.training[name] for one in legs) for name in ("iterations", "information_sets")
    }
    return TablePolicy(rules, FULL, table, training, abstraction=abstraction)
