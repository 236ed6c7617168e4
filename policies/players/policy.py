"""The Policy interface: a strategy for all hands. Players, advice and measurements use it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, domain
from zhaifei.game.positions import Position
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bounds import History, Strategies
from zhaifei.solver.tables.queries import query


class Policy(Protocol):
    """A strategy for every information set of one variant.

    Strategies are [hand, action] float64, hands as in `game.hands.hands`, actions as in
    `game.bids`: the bids, then the challenges. Rows sum to 1 and are 0 for illegal actions.
    """

    @property
    def rules(self) -> Rules:
        """The variant that the policy plays."""

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """Return the strategy of every hand after the bids in `history`, oldest first. Raise
        IllegalBid for an illegal history."""

    def strategies(self, histories: Sequence[History]) -> Sequence[NDArray[np.float64]]:
        """Return the strategy after each of several histories of actions. Solvers use it to query
        many histories at once (`solver.bounds.Strategies`). SingleQueries implements it by
        `strategy`, and `strategies_of` does so for a policy that does not have it."""


@runtime_checkable
class DrawingPolicy(Policy, Protocol):
    """A Policy that draws actions in many rounds at once, without computing the strategies of all
    hands."""

    def draw(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """Return [round] int64, actions drawn from the strategies, and NO_ACTION where a hand has
        no strategy; arguments as for `policies.players.player.BatchPlayer.act`."""


class SingleQueries:
    """Base class of policies for rounds for points, which answer the queries of solvers one by one.

    Like a policy for matches (`policies.players.match_policy`), it is asked for the policy `at` a
    position. Rounds for points have a single position.
    """

    def at(self, position: Position) -> Self:
        """Return the policy of rounds at `position`, which is that of the rules: this policy."""
        return self

    def stakes(self, position: Position, bids_made: int) -> None:
        """Return None: such rounds decide only their points."""

    def strategies(self: Policy, histories: Sequence[History]) -> list[NDArray[np.float64]]:
        """See Policy."""
        bids = domain(self.rules)
        return [self.strategy([bids[bid] for bid in history]) for history in histories]


def strategies_of(policy: Policy) -> Strategies:
    """Return the function that answers the queries of solvers: the policy's own `strategies` or, if
    it has only `strategy`, one that calls it for each history."""
    own: Strategies | None = getattr(policy, "strategies", None)
    return partial(SingleQueries.strategies, policy) if own is None else own


def drawn_by_query(
    policy: Policy,
    hand: NDArray[np.int64],
    history: NDArray[np.int64],
    uniform: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return actions as `DrawingPolicy.draw` does, by querying `policy` once for each different
    history. Raise ZhaifeiError if it returns an invalid strategy."""
    action = np.empty(hand.size, dtype=np.int64)
    different, group = np.unique(history, axis=0, return_inverse=True)
    histories = [tuple(bids_made) for bids_made in different.tolist()]
    answers = query(bid_tables(policy.rules), strategies_of(policy), histories)
    for place, strategy in enumerate(answers):
        rounds = np.flatnonzero(group == place)
        upto = strategy[hand[rounds]].cumsum(axis=1)
        # Take the first action whose cumulative probability exceeds the number drawn.
        drawn = uniform[rounds, np.newaxis] * upto[:, -1:]
        action[rounds] = (upto <= drawn).sum(axis=1)
    return action
