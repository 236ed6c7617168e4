"""Advise: from a question over beliefs and values to advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, can_bid, mover_after, verify_can_arise, verify_history
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index, verify_hand
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advice import (
    Advice,
    Believed,
    PlayedOut,
    RangeAdvice,
    Rows,
    joined,
    of_range,
)
from zhaifei.policies.advice.answering import OnStrategy, rows_under
from zhaifei.policies.advice.beliefs import PolicyBeliefs, solved_beliefs
from zhaifei.policies.advice.locked import LockAnswer, locked_beliefs, verify_locks_fit
from zhaifei.policies.advice.values import Part, numbers, true_with
from zhaifei.policies.players.locks import Locks
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.resolving import Caution, ResolvingPolicy, Standing, resolving
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.resolving.subgame import Effort

if TYPE_CHECKING:
    from zhaifei.policies.players.rollouts import Rollouts

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Question(NamedTuple):
    """A question about a decision."""

    bid: Bid | None = None
    """The bid that is faced. Without a history, a bid that may open a round is taken to have opened
    it; before any other bid the history is unknown."""
    history: Sequence[Bid] = ()
    """All bids of the round, which may end with `bid`. Without both, one asks how to open."""
    seconds: float = 0.0
    """Where possible, positions that the policy's own bids do not reach are solved again for about
    this many seconds; with 0 the table answers alone."""
    caution: str = Caution.NORMAL.value
    """The value of a Caution."""
    locks: Locks | None = None
    """What the opponent is supposed to play, if anything."""
    answer: LockAnswer = LockAnswer.BEST_RESPONSE
    work: float = inf
    """The work that a solution takes at most, as in `solver.resolving.subgame.Effort`."""

    def bids(self, rules: Rules) -> tuple[Bid, ...] | None:
        """Return the bids of the round, or None if those before `bid` are unknown. Raises
        IllegalBid."""
        if self.bid is not None and not self.history and not can_bid(rules, self.bid, None):
            return None
        bids = tuple(self.history)
        if self.bid is not None and bids[-1:] != (self.bid,):
            bids = (*bids, self.bid)
        verify_history(rules, bids)
        return bids


class Adviser:
    """Gives advice from one policy, and keeps scratch memory and solutions between questions. A
    policy that solves positions again answers from its table where it does not."""

    def __init__(
        self,
        policy: TablePolicy | ReadingPolicy | ResolvingPolicy,
        on_strategy: OnStrategy = lambda played: None,
    ) -> None:
        self.rules, self._on_strategy = policy.rules, on_strategy
        self._again = policy if isinstance(policy, ResolvingPolicy) else None
        self.policy = policy.plain if isinstance(policy, ResolvingPolicy) else policy
        self.beliefs = PolicyBeliefs(self.policy)

    @cached_property
    def rollouts(self) -> Rollouts | None:
        """What plays rounds out, among several players who may follow a table."""
        if not isinstance(self.policy, ReadingPolicy):
            return None
        from zhaifei.policies.players.rollouts import Rollouts  # noqa: PLC0415  # not for two

        return Rollouts(self.policy)

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Return advice to the player to move after `history`. Raises IllegalBid or IllegalHand."""
        *_, advice = self.refine(hand, history)
        return advice

    def refine(self, hand: Hand, history: Sequence[Bid]) -> Iterator[Advice]:
        """Yield advice to the player to move after `history`, better and better. Raises IllegalBid
        or IllegalHand."""
        verify_hand(self.rules, hand, mover_after(self.rules, history))
        own = hand_index(self.rules, hand)
        for standing in self._standings(history, own):
            advice = self.rows(np.array([own]), history, standing).row(0)
            yield advice
        if self.rollouts is not None:
            from zhaifei.policies.advice.played_out import play_out  # noqa: PLC0415  # not for two

            yield from play_out(self.rollouts, advice)

    def refine_range(self, history: Sequence[Bid]) -> Iterator[RangeAdvice]:
        """Yield advice for every hand of the player to move after `history`, better and better: at
        last for the hands with which they would hardly have bid so. With several players, the range
        is played out at last. Raises IllegalBid."""
        every = np.arange(self.beliefs.table.tables.hands)
        for standing in self._standings(history):
            found = self._of_range(self.rows(every, history, standing), history, standing)
            yield found
        if self.rollouts is not None:
            from zhaifei.policies.advice.played_out import play_out_range  # noqa: PLC0415  # not for two

            yield from play_out_range(self.rollouts, found)
        for strange, standing in self._strange(history):
            others = found.at(np.delete(every, strange))
            yield joined(others, self.rows(strange, history, standing))

    def advise_range(self, history: Sequence[Bid]) -> RangeAdvice:
        """Return advice for every hand of the player to move after `history`. Raises IllegalBid."""
        *_, advice = self.refine_range(history)
        return advice

    def advise_on_last(self, hand: Hand, bid: Bid) -> Advice:
        """Return advice for a player who faces `bid` and does not know the bids before it: the
        average over the ways to `bid`. Nothing is solved again. Raises IllegalBid or
        IllegalHand."""
        verify_hand(self.rules, hand)
        part, told = self.beliefs.facing(hand, bid), self._on_strategy
        return rows_under(self.rules, part, (bid,), on_strategy=told, earlier_unknown=True).row(0)

    def chances(self, hand: Hand, history: Sequence[Bid]) -> Floats:
        """Return [bid] the probability that each bid is true, for the player to move with `hand`
        after `history`, if nothing is solved again. Raises IllegalBid."""
        own = hand_index(self.rules, hand)
        (part,) = self.beliefs.parts(np.array([own]), self.beliefs.table.read(tuple(history)))
        ranges, bids = part.beliefs[0].ranges, bid_tables(self.rules)
        every = range(len(bids.claimed))
        return np.array([true_with(bids, bid, ranges)[own] for bid in every])

    def earned(self, advice: Advice, actions: Sequence[str]) -> Floats:
        """Return [action, round] what each of the `actions`, in the notation of `game.notation`,
        earns in penalty points in the rounds in which `advice` was played out. All actions meet the
        same hands and random numbers."""
        assert self.rollouts is not None, "the adviser has played the actions out"
        assert isinstance(advice.ground, PlayedOut), "the adviser has played the actions out"
        last = advice.history[-1] if advice.history else None
        taken = [parse_action(self.rules, one, last) for one in actions]
        hand, bids = hand_index(self.rules, advice.hand), numbers(self.rules, advice.history)
        return self.rollouts.earned(hand, bids, taken, advice.ground.rounds)

    def rows(self, own: Ints, history: Sequence[Bid], standing: Standing | None = None) -> Rows:
        """Return advice for the hands `own` [place], ascending, after `history`, where `standing`
        is known. Raises IllegalBid."""
        table, said = self.beliefs.table, tuple(history)
        read = table.read(said)
        if self._again is not None and standing is not None:
            solved = solved_beliefs(self._again, read, standing)
            if solved is not None:
                return rows_under(self.rules, Part(own, [solved]), said, table.abstraction)
        parts, told = self.beliefs.parts(own, read), self._on_strategy
        return joined(
            *(rows_under(self.rules, part, said, table.abstraction, told) for part in parts)
        )

    def _standings(
        self, history: Sequence[Bid], own: int | None = None
    ) -> Iterator[Standing | None]:
        """Yield what is known after `history`, for the hand `own` if that is not None: once None if
        nothing is solved again."""
        if self._again is None:
            yield None
            return
        bids = tuple(self.beliefs.table.actions(history).tolist())
        yield from self._again.refine(bids, len(bids) % 2, own)

    def _strange(self, history: Sequence[Bid]) -> Iterator[tuple[Ints, Standing | None]]:
        """Yield the hands with which the player to move would hardly have bid like this, if there
        are any, and what is known if they are held."""
        if self._again is None:
            return
        bids = tuple(self.beliefs.table.actions(history).tolist())
        strange = np.flatnonzero(self._again.strange(bids, len(bids) % 2))
        for standing in self._standings(history, int(strange[0])) if strange.size else ():
            yield strange, standing

    def _of_range(
        self, rows: Rows, history: Sequence[Bid], standing: Standing | None
    ) -> RangeAdvice:
        """Return the advice in `rows` for all hands as advice for the range."""
        if standing is not None and standing.known.solution is not None:
            believed, others = Believed.TREMBLING, standing.other[np.newaxis]
            return of_range(rows, standing.own, believed, others)
        weights, believed = self.beliefs.own_range(history)
        likeliest = np.array([weights.argmax()])
        (part,) = self.beliefs.parts(likeliest, self.beliefs.table.read(history))
        return of_range(rows, weights, believed, part.beliefs[0].ranges)


def advise(
    policy: TablePolicy,
    hand: Hand,
    question: Question,
    on_strategy: OnStrategy = lambda played: None,
) -> Iterator[Advice]:
    """Yield ever better advice of `policy` with `hand`. Where the table answers, `on_strategy` gets
    its strategy first. Raises IllegalBid or IllegalHand, LockError for a lock that the question
    forbids, and ZhaifeiError if nothing can be locked."""
    bids = question.bids(policy.rules)
    if question.locks is not None:
        yield from _against_locks(policy, hand, question, question.locks)
    elif bids is not None:
        yield from _adviser(policy, question, on_strategy).refine(hand, bids)
    else:
        assert question.bid is not None
        yield _adviser(policy, question, on_strategy).advise_on_last(hand, question.bid)


def _against_locks(
    policy: TablePolicy, hand: Hand, question: Question, locks: Locks
) -> Iterator[Advice]:
    verify_locks_fit(policy, locks)
    bids = question.bids(policy.rules)
    if bids is None:
        raise ZhaifeiError(
            "the bids before {bid} are unknown: with locks, give all bids as the history",
            bid=question.bid,
        )
    verify_hand(policy.rules, hand, mover_after(policy.rules, bids))
    own, effort = (
        np.array([hand_index(policy.rules, hand)]),
        Effort(seconds=question.seconds, work=question.work),
    )
    for beliefs in locked_beliefs(policy, bids, locks, question.answer, effort):
        yield rows_under(policy.rules, Part(own, [beliefs]), bids, policy.abstraction).row(0)


def advise_range(policy: TablePolicy, question: Question) -> Iterator[RangeAdvice]:
    """Yield ever better advice of `policy` with every hand: for each hand as `advise` does, but
    with several players only the range as a whole is played out.

    Raises IllegalBid, and ZhaifeiError if the bids before the one that is faced are unknown: then
    each hand has ranges of its own.
    """
    bids = question.bids(policy.rules)
    if bids is None:
        assert question.bid is not None
        verify_can_arise(policy.rules, question.bid)
        raise ZhaifeiError(
            "{bid} cannot open a round: give the bids before it, or a hand", bid=question.bid
        )
    yield from _adviser(policy, question).refine_range(bids)


def _adviser(
    policy: TablePolicy, question: Question, on_strategy: OnStrategy = lambda played: None
) -> Adviser:
    again = None
    if question.seconds > 0.0:
        effort = Effort(seconds=question.seconds, work=question.work)
        again = resolving(policy, Caution(question.caution), effort)
    return Adviser(again or as_played(policy), on_strategy)
