"""Certified bounds of a policy's exploitability and of what two policies earn against each other,
by the fastest engine for each kind of policy.

The engines are those of `solver.response` and `solver.value`: strategy tables are read, any other
policy is queried. Results are iterators of ever narrower intervals that the caller may leave at any
time; `policies.measure.timed_evaluation` adds a time limit, stages, progress and Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.policies.players.policy import Policy, strategies_of
from zhaifei.policies.players.rule_based import RandomPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.abstraction import WHOLE
from zhaifei.solver.bounds import BestResponse, Bounds, Strategies
from zhaifei.solver.response.full_recall import FullRecallResponse
from zhaifei.solver.response.gaining_decisions import Decision, Decisions, extract
from zhaifei.solver.response.query_search import QuerySearch
from zhaifei.solver.response.several_players import refine_several_players
from zhaifei.solver.response.table_search import ResponseSearch
from zhaifei.solver.tables.strategy_table import StrategyTable
from zhaifei.solver.value.expected_value import refine_values

_SHOWN_GAP = 1e-3
"""How closely best responses must be known for their decisions to be shown, in penalty points: it
takes the search a minute in the full game."""
_RESPONSE_CUT = 4e-4
"""The cut of the walk that extracts a response's decisions, in penalty points: it takes seconds in
the full game."""


class Evaluation:
    """Searches for best responses to one policy that holds all other seats."""

    def __init__(self, policy: Policy, threads: int = 1) -> None:
        """Prepare the search. `threads` are used for strategy tables with full recall, and for all
        of two players.

        Raises BestResponseError or StrategyTableError if a table breaks its rules.
        """
        self.policy = policy
        self._threads = threads
        two = policy.rules.players == 2
        self._known = policy.tabulated() if two and isinstance(policy, RandomPolicy) else policy
        self._tables = _tables(self._known)
        self._walk: FullRecallResponse | None = None
        if isinstance(self._known, TablePolicy) and self._known.remembers_all:
            self._walk = FullRecallResponse(self._tables, self._known.table, threads)

    @cached_property
    def _search(self) -> ResponseSearch | None:
        """What finds the response itself, for a table of two players."""
        table = self._searchable
        return None if table is None else ResponseSearch(self._tables, table.table, self._threads)

    @property
    def _searchable(self) -> TablePolicy | None:
        """The policy as a table of two players, if it is one."""
        two = self.policy.rules.players == 2
        return self._known if two and isinstance(self._known, TablePolicy) else None

    @property
    def walks(self) -> bool:
        """Whether the result is exact after one walk of all that the policy stores: it is a table
        with full recall."""
        return self._walk is not None

    def refine(self, *, gap: float = 0.0, seconds: float = np.inf) -> Iterator[BestResponse]:
        """Yield what best responses earn in each seat, in penalty points per round, as intervals
        that never widen, until the bounds of exploitability are exact or at most `gap` apart, or
        about `seconds` have passed.

        Raises BestResponseError, StrategyTableError or IllegalStrategy if the policy breaks its
        rules.
        """
        if self._walk is not None:
            return map(self._certified, self._walk.refine(gap=gap, seconds=seconds))
        if self._search is not None:
            return map(self._certified, self._search.refine(gap=gap, seconds=seconds))
        if self.policy.rules.players == 2:
            search = QuerySearch(self._tables, strategies_of(self.policy))
            return search.refine(gap=gap, seconds=seconds)
        return refine_several_players(
            self._tables, strategies_of(self.policy), gap=gap, seconds=seconds
        )

    def _certified(self, response: BestResponse) -> BestResponse:
        """Return the bounds in the whole game, given those in the abstraction of a table."""
        assert isinstance(self._known, TablePolicy)
        its = self._known
        return its.abstraction.certified(its.rules, its.strategy, response)

    def verify_shows_decisions(self) -> None:
        """Raise ZhaifeiError if `decisions` does not work for this kind of policy: it needs a
        strategy table of two players."""
        if self._searchable is None:
            raise ZhaifeiError(
                "a best response's decisions are shown only for policy files of two players; "
                "these rules are for {players}",
                players=self.policy.rules.players,
            )

    def decisions(self, count: int, seconds: float = np.inf) -> list[Decision]:
        """Return the `count` decisions by which a best response gains most, largest gain first: the
        response that is found in at most about `seconds`.

        Raises ZhaifeiError as `verify_shows_decisions` does.
        """
        self.verify_shows_decisions()
        assert self._search is not None
        *_, _found = self._search.refine(gap=_SHOWN_GAP, seconds=seconds)
        response = extract(self._tables, self._search, _RESPONSE_CUT)
        return Decisions(self._tables, self._search, response).best(count)

    def gains(self, result: BestResponse, seconds: float) -> tuple[Bounds, ...]:
        """Return [seat] bounds of what a best response gains, in penalty points per round: what
        it earns, as `result` has it, minus what the policy itself earns in that seat.

        The latter is computed in about `seconds`, or exactly where the policy `walks`.
        """
        return tuple(
            # The policy itself is one of the responses.
            Bounds(max(0.0, best.lower - value.upper), best.upper - value.lower)
            for best, value in zip(result.seats, self._own(seconds), strict=True)
        )

    def _own(self, seconds: float) -> tuple[Bounds, ...]:
        """Return [seat] bounds of what the policy itself earns."""
        if self._walk is not None:
            return self._walk.own()
        seats = (_side(self.policy),) * self.policy.rules.players
        *_, own = refine_values(self._tables, seats, seconds=seconds)
        return own.seats


def refine_duel(
    policy: Policy, other: Policy, *, gap: float = 0.0, seconds: float = np.inf
) -> Iterator[tuple[Bounds, Bounds]]:
    """Yield what `policy` earns against `other` as opener and as responder, in penalty points per
    round, as intervals that never widen, until both are exact or at most `gap` wide, or about
    `seconds` have passed.

    Raises ZhaifeiError if the policies have different rules or the rules are not for two players,
    and IllegalStrategy if a policy that is queried breaks its rules.
    """
    if policy.rules != other.rules:
        raise ZhaifeiError(
            "the policies are for different rules: {one} and {other}",
            one=policy.rules,
            other=other.rules,
        )
    if policy.rules.players != 2:
        raise ZhaifeiError(
            "only two-player policies can be compared; these rules are for {players} players",
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


def _tables(policy: Policy) -> BidTables:
    return policy.tables if isinstance(policy, TablePolicy) else bid_tables(policy.rules)


def _side(policy: Policy) -> Strategies | StrategyTable:
    if isinstance(policy, TablePolicy) and policy.abstraction == WHOLE:
        return policy.table
    return strategies_of(policy)
