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

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index
from zhaifei.policies.advice.advice import Advice, Locked, action_advice, faced_bids
from zhaifei.policies.advice.resolved_advice import ResolvingAdviser
from zhaifei.policies.players.locks import Lock, Locks, lock_error
from zhaifei.policies.players.resolving import (
    OWN_TREMBLE,
    TREMBLE,
    ResolvingPolicy,
    Standing,
    known_solution,
    resolving,
)
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.resolving.subgame import Effort, Ranges, solve
from zhaifei.solver.response.held_replies import HeldReplies

Floats = NDArray[np.float64]


class LockAnswer(Enum):
    """What is answered."""

    BEST_RESPONSE = "best-response"
    SOLVE = "solve"


def locked_advice(
    policy: TablePolicy,
    hand: Hand,
    bid: Bid | None,
    history: Sequence[Bid],
    locks: Locks,
    answer: LockAnswer = LockAnswer.BEST_RESPONSE,
    seconds: float = 2.0,
) -> Iterator[Advice]:
    """Yield advice for `hand` facing `bid` after `history` if the `locks` hold. By `answer`, it is
    one best response, or ever better solutions for about `seconds` seconds.

    Raises IllegalBid or IllegalHand, LockError for a lock that the question forbids, and
    ZhaifeiError if nothing can be locked.
    """
    again = resolving(policy, effort=Effort(seconds=seconds))
    if again is None:
        raise ZhaifeiError("only policies of two players that remember all bids can be locked")
    if locks.rules != policy.rules:
        raise ZhaifeiError(
            "the locks of {file} are for {its}, but the policy is for {rules}",
            file=locks.source,
            its=locks.rules,
            rules=policy.rules,
        )
    bids = faced_bids(policy.rules, bid, history)
    if bids is None:
        raise ZhaifeiError(
            "the bids before {bid} are unknown: with locks, give all bids as the history", bid=bid
        )
    decision = _Decision(again, bids, locks, answer)
    if decision.answer is LockAnswer.BEST_RESPONSE:
        yield decision.best_response(hand)
    else:
        yield from decision.solutions(hand)


class _Decision:
    """The decision after some bids, and the locks about them."""

    def __init__(
        self, policy: ResolvingPolicy, history: tuple[Bid, ...], locks: Locks, answer: LockAnswer
    ) -> None:
        self.answer = answer
        self._policy, self._history, self._locks = policy, history, locks
        self._adviser = ResolvingAdviser(policy)
        self._tables = policy.plain.tables
        self._bids = tuple(policy.plain.actions(history).tolist())
        self._about = locks.about(self._bids)
        for lock in self._about:
            self._verify_allowed(lock)
        held = locks.held(policy.plain, self._about)
        self._held = {one.history: one for one in held}
        self._later = [one for one in held if len(one.history) > len(self._bids)]

    def _verify_allowed(self, lock: Lock) -> None:
        """Raise LockError for an own lock that the answer has no use for."""
        if len(lock.history) % 2 != len(self._history) % 2:
            return
        if lock.history == self._history:
            raise lock_error(
                self._locks.source,
                lock.line,
                ZhaifeiError(
                    "a lock after the very bids that you ask about leaves nothing to answer"
                ),
            )
        if self.answer is LockAnswer.BEST_RESPONSE:
            raise lock_error(
                self._locks.source,
                lock.line,
                ZhaifeiError(
                    "after these bids it is your own turn: a best response is free there, only "
                    "with the answer solve can a lock hold you"
                ),
            )

    def best_response(self, hand: Hand) -> Advice:
        """Return what a best response does with `hand`."""
        own, other = hand_index(self._policy.rules, hand), self._range(self._their_seat, 0.0)
        read = other is None
        if other is None:
            other = self._read(self._their_seat)
        replies = HeldReplies(self._tables, self._policy.plain.below(self._bids), self._later)
        values = replies.by_action(self._bids, other)[np.newaxis, :, own]
        played = np.zeros(values.shape)
        played[0, np.nanargmax(values)] = 1.0
        (actions,) = action_advice(self._policy.rules, played, values, np.zeros(values.shape))
        return Advice(
            hand=hand,
            history=self._history,
            earlier_unknown=False,
            p_true=self._adviser.p_true(np.array([own]), self._bids, other)[0],
            earlier_true=(),
            actions=actions,
            on_path=True,
            own_on_path=True,
            locked=self._locked(read=read, gap=None),
        )

    def solutions(self, hand: Hand) -> Iterator[Advice]:
        """Yield what better and better solutions do with `hand`."""
        own, other = (
            self._range(self._own_seat, OWN_TREMBLE),
            self._range(self._their_seat, TREMBLE),
        )
        read = other is None
        own = self._read(self._own_seat) if own is None else own
        other = self._read(self._their_seat) if other is None else other
        made, effort = self._bids, self._policy.effort
        place = np.array([hand_index(self._policy.rules, hand)])
        for solution in solve(
            self._policy.rules,
            made,
            Ranges(own, other),
            None,
            effort,
            self._later,
            self._policy.plain.abstraction,
        ):
            replies = HeldReplies(self._tables, solution.table, self._later)
            known = known_solution(solution, replies)
            standing = Standing(known, own, own, other, other, np.ones(own.size))
            (found,) = self._adviser.solved(place, self._history, standing)
            yield replace(found, solved=None, locked=self._locked(read=read, gap=solution.gap))

    def _locked(self, *, read: bool, gap: float | None) -> Locked:
        lines = tuple(sorted({lock.line for lock in self._about}))
        return Locked(self._locks.source, lines, self.answer.value, read, gap)

    # Ranges

    @property
    def _own_seat(self) -> int:
        return len(self._bids) % 2

    @property
    def _their_seat(self) -> int:
        return 1 - self._own_seat

    def _range(self, seat: int, tremble: float) -> Floats | None:
        """Return [hand] what the player in `seat` holds, summing to 1, or None if they never bid
        like this. Where nothing is locked, a share of `tremble` is plausible bidding."""
        range_ = self._tables.prior[seat].astype(np.float64)
        for place in range(seat, len(self._bids), 2):
            made, bid = self._bids[:place], self._bids[place]
            played = self._policy.plain.strategy(self._history[:place])[:, bid]
            if tremble > 0.0:
                plausible = self._locks.plausible(made)[:, bid]
                played = (1.0 - tremble) * played + tremble * plausible
            held = self._held.get(made)
            if held is not None:
                played = np.where(held.hands, held.played[:, bid], played)
            range_ *= played
        return _normalised(range_)

    def _read(self, seat: int) -> Floats:
        """Return [hand] what the player in `seat` holds if all their bids are plausible bidding."""
        range_ = self._tables.prior[seat].astype(np.float64)
        for place in range(seat, len(self._bids), 2):
            range_ *= self._locks.plausible(self._bids[:place])[:, self._bids[place]]
        normalised: Floats = range_ / range_.sum()
        return normalised


def _normalised(range_: Floats) -> Floats | None:
    """Return `range_` divided by its sum, or None if that is 0."""
    total = range_.sum()
    return range_ / total if total > 0.0 else None
