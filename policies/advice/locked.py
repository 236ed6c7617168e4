"""Advice against an opponent who is assumed to play in some way (`policies.players.locks`).

There are two answers:

- the *best response*: the opponent plays the policy's table wherever nothing is locked, and never
  adapts. Values are exact, of best play from the decision on.
- *solve*: the rest of the round is solved with the locks. Locked actions are played, whatever they
  earn; everywhere else both players adapt, and know the locks.

**The opponent's range** follows from the bids by Bayes' rule. The likelihood of each of their bids
is that of the locks and, for hands and bids that are not locked, that of the policy. Before a
solution, the policy is mixed with plausible bidding, as wherever a position is solved again
(`policies.players.resolving`). If the opponent would never bid like this, all their bids are read
as plausible bidding, and the advice says so. Decisions before the question are not solved again;
they only determine the ranges.

**Own locks**, after bids where it is the asker's turn, bind the asker in a solution: in later
decisions, or in the opponent's beliefs. They are refused for a best response, which has no use for
them, and at the decision itself, where they would leave nothing to answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.advice.advice import Locked
from zhaifei.policies.advice.values import Beliefs, BestResponse, Rest, Solution
from zhaifei.policies.players.locks import Lock, Locks, lock_error
from zhaifei.policies.players.resolving import OWN_TREMBLE, TREMBLE, known_solution, resolving
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.resolving.subgame import Effort, Ranges, solve
from zhaifei.solver.response.held_replies import HeldReplies

Floats = NDArray[np.float64]


class LockAnswer(Enum):
    """What is answered."""

    BEST_RESPONSE = "best-response"
    SOLVE = "solve"


def verify_locks_fit(policy: TablePolicy, locks: Locks) -> None:
    """Raise ZhaifeiError unless the rounds of `policy` can be locked by `locks`."""
    if resolving(policy) is None:
        raise ZhaifeiError("only policies of two players that remember all bids can be locked")
    if locks.rules != policy.rules:
        raise ZhaifeiError(
            "the locks of {file} are for {its}, but the policy is for {rules}",
            file=locks.source,
            its=locks.rules,
            rules=policy.rules,
        )


def locked_beliefs(
    policy: TablePolicy, bids: tuple[Bid, ...], locks: Locks, answer: LockAnswer, effort: Effort
) -> Iterator[Beliefs]:
    """Yield what is believed after `bids` if the `locks` hold: once for a best response, or with
    ever better solutions of this `effort`.

    Raises LockError for a lock that the question forbids.
    """
    yield from _Decision(policy, bids, locks, answer).beliefs(effort)


class _Decision:
    """The decision after some bids, and the locks about them."""

    def __init__(
        self, policy: TablePolicy, said: tuple[Bid, ...], locks: Locks, answer: LockAnswer
    ) -> None:
        self._policy, self._locks = policy, locks
        self._said, self._history = said, policy.read(said)
        self._answer, self._tables = answer, policy.tables
        self._bids = tuple(policy.actions(said).tolist())
        self._seat = len(said) % 2
        self._about = locks.about(self._bids)
        for lock in self._about:
            self._verify_allowed(lock)
        held = locks.held(policy, self._about)
        self._held = {one.history: one for one in held}
        self._later = [one for one in held if len(one.history) > len(self._bids)]

    def _verify_allowed(self, lock: Lock) -> None:
        """Raise LockError for an own lock that the answer has no use for."""
        if len(lock.history) % 2 != self._seat:
            return
        if lock.history == self._said:
            raise lock_error(
                self._locks.source,
                lock.line,
                ZhaifeiError(
                    "a lock after the very bids that you ask about leaves nothing to answer"
                ),
            )
        if self._answer is LockAnswer.BEST_RESPONSE:
            raise lock_error(
                self._locks.source,
                lock.line,
                ZhaifeiError(
                    "after these bids it is your own turn: a best response is free there, only "
                    "with the answer solve can a lock hold you"
                ),
            )

    def beliefs(self, effort: Effort) -> Iterator[Beliefs]:
        """Yield what is believed: once for a best response, or with better and better solutions of
        this `effort`."""
        rules = self._policy.rules
        tremble = 0.0 if self._answer is LockAnswer.BEST_RESPONSE else TREMBLE
        other, read = self._range(1 - self._seat, tremble)
        if self._answer is LockAnswer.BEST_RESPONSE:
            replies = HeldReplies(self._tables, self._policy.below(self._bids), self._later)
            yield self._believed(other, BestResponse(rules, replies), read=read, gap=None)
            return
        ranges = Ranges(self._range(self._seat, OWN_TREMBLE)[0], other)
        for solution in solve(
            rules, self._bids, ranges, None, effort, self._later, self._policy.abstraction
        ):
            replies = HeldReplies(self._tables, solution.table, self._later)
            rest = Solution(rules, self._tables, known_solution(solution, replies), self._bids)
            yield self._believed(other, rest, read=read, gap=solution.gap)

    def _believed(self, other: Floats, rest: Rest, *, read: bool, gap: float | None) -> Beliefs:
        lines = tuple(sorted({lock.line for lock in self._about}))
        ground = Locked(self._locks.source, lines, self._answer.value, read, gap)
        return Beliefs(self._history, other[np.newaxis], ground, rest)

    def _range(self, seat: int, tremble: float) -> tuple[Floats, bool]:
        """Return [hand] what the player in `seat` holds, summing to 1, and whether it is read from
        bids that they would never make. Where nothing is locked, a share of `tremble` is plausible
        bidding."""
        range_ = self._likely(seat, lambda made, bid: self._played(made, bid, tremble))
        if range_.sum() > 0.0:
            return range_ / range_.sum(), False
        range_ = self._likely(seat, lambda made, bid: self._locks.plausible(made)[:, bid])
        return range_ / range_.sum(), True

    def _likely(self, seat: int, likelihood: Callable[[History, int], Floats]) -> Floats:
        """Return [hand] the range of the player in `seat` before the round times the likelihood of
        each of their bids, which follows from the bids before it."""
        range_: Floats = self._tables.prior[seat].astype(np.float64)
        for place in range(seat, len(self._bids), 2):
            range_ *= likelihood(self._bids[:place], self._bids[place])
        return range_

    def _played(self, made: History, bid: int, tremble: float) -> Floats:
        """Return [hand] the likelihood of `bid` after the bids `made`."""
        played = self._policy.strategy(self._history[: len(made)])[:, bid]
        if tremble > 0.0:
            plausible = self._locks.plausible(made)[:, bid]
            played = (1.0 - tremble) * played + tremble * plausible
        held = self._held.get(made)
        return played if held is None else np.where(held.hands, held.played[:, bid], played)
