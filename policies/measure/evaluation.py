"""How exploitable a policy is, and what policies earn against each other: in the fastest way that
there is for each kind of policy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from game.errors import ZhaifeiError
from game.tables import bid_tables
from policies.players.policy import Policy
from policies.players.rule_based import RandomPolicy
from policies.players.table_policy import TablePolicy
from solver.bounds import BestResponse, Bounds, Strategies
from solver.response.gains import Decision, Decisions, extract
from solver.response.query_search import AskedSearch
from solver.response.several_players import refine_general
from solver.response.table_search import ResponseSearch
from solver.tables.strategy_table import StrategyTable
from solver.value.expected_value import refine_values

_RESPONSE_CUT = 4e-4
"""How finely a response is looked at once more to tell what it does: seconds, for the full game."""


class Evaluation:
    """What best responses earn against a policy in every other seat."""

    def __init__(self, policy: Policy, threads: int = 1) -> None:
        """Raises BestResponseError if the policy breaks its rules. Only tables of two players make
        use of threads."""
        self.policy = policy
        self._tables = bid_tables(policy.rules)
        self._search: ResponseSearch | None = None
        if policy.rules.players == 2:
            table = policy.tabulated() if isinstance(policy, RandomPolicy) else policy
            if isinstance(table, TablePolicy):
                self._search = ResponseSearch(self._tables, table.table, threads)

    def refine(self, *, gap: float = 0.0, seconds: float = np.inf) -> Iterator[BestResponse]:
        """What best responses earn in each seat, as intervals that only get tighter, until
        exploitability is known to `gap` or exactly, or about `seconds` have passed.

        Raises BestResponseError or IllegalStrategy if the policy breaks its rules.
        """
        if self._search is not None:
            return self._search.refine(gap=gap, seconds=seconds)
        if self.policy.rules.players == 2:
            return AskedSearch(self._tables, self.policy.strategies).refine(
                gap=gap, seconds=seconds
            )
        return refine_general(self._tables, self.policy.strategies, gap=gap, seconds=seconds)

    def verify_shows_decisions(self) -> None:
        """Raises ZhaifeiError if there are none for this policy."""
        if self._search is None:
            raise ZhaifeiError(
                "what a best response does is shown for policy files of two players only; "
                "these rules are for {players}",
                players=self.policy.rules.players,
            )

    def decisions(self, count: int) -> list[Decision]:
        """By which decisions the best response found so far gains most, best first.

        Raises ZhaifeiError as `verify_shows_decisions` does.
        """
        self.verify_shows_decisions()
        assert self._search is not None
        response = extract(self._tables, self._search, _RESPONSE_CUT)
        return Decisions(self._tables, self._search, response).best(count)

    def gains(self, result: BestResponse, seconds: float) -> tuple[Bounds, ...]:
        """By how much a best response earns more, in each seat, than the policy itself does there;
        about `seconds` go into what that is."""
        seats = (_side(self.policy),) * self.policy.rules.players
        *_, own = refine_values(self._tables, seats, seconds=seconds)
        return tuple(
            # The policy itself is one of the responses.
            Bounds(max(0.0, best.lower - value.upper), best.upper - value.lower)
            for best, value in zip(result.seats, own.seats, strict=True)
        )


def refine_duel(
    policy: Policy, other: Policy, *, gap: float = 0.0, seconds: float = np.inf
) -> Iterator[tuple[Bounds, Bounds]]:
    """What `policy` earns against `other` in a round, as opener and as responder, as intervals that
    only get tighter, until both are at most `gap` wide or exact, or about `seconds` have passed.

    Raises ZhaifeiError if the two do not play the same rules, or not for two players.
    """
    if policy.rules != other.rules:
        raise ZhaifeiError(
            "the policies play different rules: {one} and {other}",
            one=policy.rules, other=other.rules,
        )  # fmt: skip
    if policy.rules.players != 2:
        raise ZhaifeiError(
            "duels are for 2 players; these rules are for {players}",
            players=policy.rules.players,
        )
    tables, sides = bid_tables(policy.rules), (_side(policy), _side(other))
    opening = refine_values(tables, sides, gap=gap, seconds=seconds)
    responding = refine_values(tables, sides[::-1], gap=gap, seconds=seconds)
    first, second = next(opening), next(responding)
    while True:
        yield first.seats[0], second.seats[1]
        one, two = next(opening, first), next(responding, second)
        if one is first and two is second:
            return
        first, second = one, two


def _side(policy: Policy) -> Strategies | StrategyTable:
    return policy.table if isinstance(policy, TablePolicy) else policy.strategies
