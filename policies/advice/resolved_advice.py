"""Advice of a policy that solves positions again: strategy and values come from one solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid
from zhaifei.game.hands import Hand, hand_index, hands, verify_hand
from zhaifei.policies.advice.advice import (
    Advice,
    Adviser,
    Believed,
    OnStrategy,
    OwnRange,
    Solved,
    action_advice,
    faced_bids,
    spoken,
    true_with,
)
from zhaifei.policies.advice.choice import advised
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.resolving import (
    PLAYING,
    Caution,
    ResolvingPolicy,
    Standing,
    resolving,
)
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.resolving.subgame import Effort
from zhaifei.solver.value.action_values import Line, action_values, empty_line

Ints = NDArray[np.int64]

_CUT = 1e-6
"""Lines of a solution that are less probable than this are not followed."""


class ResolvingAdviser:
    """Gives advice from a policy that solves positions again, and the advice of its table where it
    does not."""

    def __init__(
        self, policy: ResolvingPolicy, on_strategy: OnStrategy = lambda played: None
    ) -> None:
        self.policy, self.rules = policy, policy.rules
        self._plain = Adviser(policy.plain, on_strategy)
        self._bids = policy.plain.tables
        self._line: Line = empty_line(self._bids)

    def advise(self, hand: Hand, history: Sequence[Bid]) -> Advice:
        """Return advice to the player to move after `history`. Raises IllegalBid or IllegalHand."""
        *_, advice = self.refine(hand, history)
        return advice

    def refine_facing(
        self, hand: Hand, bid: Bid | None, history: Sequence[Bid] = ()
    ) -> Iterator[Advice]:
        """Yield advice as `Adviser.advise_facing` gives it, better and better. If the bids before
        the last are unknown, nothing is solved again."""
        bids = faced_bids(self.rules, bid, history)
        if bids is None:
            yield self._plain.advise_facing(hand, bid)
        else:
            yield from self.refine(hand, bids)

    def refine(self, hand: Hand, history: Sequence[Bid]) -> Iterator[Advice]:
        """Yield advice to the player to move after `history`, better and better."""
        verify_hand(self.rules, hand, len(history) % self.rules.players)
        own, bids = hand_index(self.rules, hand), self._actions(history)
        for standing in self.policy.refine(bids, len(bids) % 2, own):
            (advice,) = self._advise_hands(np.array([own]), history, standing)
            yield advice

    def refine_range(self, history: Sequence[Bid]) -> Iterator[tuple[OwnRange, list[Advice]]]:
        """Yield what the player to move after `history` may hold, and by hand what `refine` yields,
        better and better: at last for the hands with which they would hardly have bid so."""
        bids = self._actions(history)
        seat, every = len(bids) % 2, np.arange(self._bids.hands)
        for standing in self.policy.refine(bids, seat):
            own = self._own_range(history, standing)
            advices = self._advise_hands(every, history, standing)
            yield own, advices
        strange = np.flatnonzero(self.policy.strange(bids, seat))
        for standing in self.policy.refine(bids, seat, int(strange[0])) if strange.size else ():
            found = zip(strange, self._advise_hands(strange, history, standing), strict=True)
            advices = [*advices]
            for hand, advice in found:
                advices[hand] = advice
            yield own, advices

    def _actions(self, history: Sequence[Bid]) -> History:
        return tuple(self.policy.plain.actions(history).tolist())

    def _own_range(self, history: Sequence[Bid], standing: Standing) -> OwnRange:
        """Return the range of the player to move, from the solution if the position was solved
        again."""
        if standing.known.solution is None:
            return self._plain.own_range(history)
        return OwnRange(standing.own, Believed.TREMBLING)

    def _advise_hands(self, own: Ints, history: Sequence[Bid], standing: Standing) -> list[Advice]:
        """Return [place] the advice for the hands `own` [place] where `standing` is known."""
        if standing.known.solution is None:
            return self._plain.advise_hands(own, history)
        return self.solved(own, tuple(history), standing)

    def solved(self, own: Ints, history: tuple[Bid, ...], standing: Standing) -> list[Advice]:
        """Return [place] the advice of the solution of `standing` for the hands `own` [place]."""
        said, history = history, self.policy.plain.read(history)
        solution, bids = standing.known.solution, self._actions(history)
        assert solution is not None
        values = standing.known.replies(bids).by_action(bids, standing.expected).T[own]
        strategy = self.policy.played(standing.known, bids)[own]
        played = np.stack([advised(*one) for one in zip(strategy, values, strict=True)])
        errors = self._short(own, bids, standing, values, played)
        p_true = self.p_true(own, bids, standing.expected)
        actions = action_advice(self.rules, played, values, errors)
        found = [
            Advice(
                hand=hands(self.rules)[hand],
                history=history,
                earlier_unknown=False,
                p_true=p_true[place],
                earlier_true=(),
                actions=actions[place],
                on_path=True,
                own_on_path=True,
                solved=Solved(solution.gap, self.policy.caution.value),
            )
            for place, hand in enumerate(own.tolist())
        ]
        ranges = standing.expected[np.newaxis]
        return [spoken(self.policy.plain, one, said, ranges) for one in found]

    def p_true(
        self, own: Ints, bids: History, other: NDArray[np.float64]
    ) -> list[float] | list[None]:
        """Return [place] the probability that the last of `bids` is true with the hands `own`
        [place], if the other player holds `other` [hand]; None where there is no bid."""
        if not bids:
            return [None] * own.size
        chances: list[float] = true_with(self._bids, bids[-1], other[np.newaxis])[own].tolist()
        return chances

    def _short(
        self,
        own: Ints,
        bids: History,
        standing: Standing,
        values: NDArray[np.float64],
        played: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return [place, action] what playing the solution after each action falls short of
        `values`; for actions that it does not take, what it falls short of them on the average."""
        followed = action_values(
            self._bids,
            standing.known.table(bids),
            self._line,
            np.array(bids, dtype=np.int64),
            standing.expected[np.newaxis],
            own,
            _CUT,
        )[0]
        short = np.maximum(values - followed, 0.0)
        average = (played * np.nan_to_num(short)).sum(axis=1, keepdims=True)
        errors: NDArray[np.float64] = np.where(played == 0.0, average, short)
        return errors


def adviser_for(policy: TablePolicy | ReadingPolicy) -> Adviser | ResolvingAdviser:
    """Return what gives hints from `policy`, solving positions again where that is possible."""
    again = resolving(policy, effort=PLAYING)
    return Adviser(policy) if again is None else ResolvingAdviser(again)


def refined_advice(
    policy: TablePolicy,
    hand: Hand,
    bid: Bid | None,
    history: Sequence[Bid],
    *,
    caution: str = Caution.NORMAL.value,
    seconds: float,
    on_strategy: OnStrategy = lambda played: None,
) -> Iterator[Advice]:
    """Yield ever better advice of `policy` with `hand` facing `bid` after `history`, as
    `Adviser.advise_facing` does. Where possible, positions that the policy's own bids do not reach
    are solved again for about `seconds` seconds; with 0 the table answers alone. Where the table
    answers, `on_strategy` gets its strategy first."""
    adviser = adviser_within(policy, caution, seconds, on_strategy)
    if isinstance(adviser, ResolvingAdviser):
        yield from adviser.refine_facing(hand, bid, history)
    else:
        yield adviser.advise_facing(hand, bid, history)


def adviser_within(
    policy: TablePolicy,
    caution: str,
    seconds: float,
    on_strategy: OnStrategy = lambda played: None,
) -> Adviser | ResolvingAdviser:
    """Return an adviser for `policy` that solves positions again for about `seconds` seconds, where
    that is possible; with 0 the table answers alone."""
    again = resolving(policy, Caution(caution), Effort(seconds=seconds)) if seconds > 0.0 else None
    if again is None:
        return Adviser(as_played(policy), on_strategy)
    return ResolvingAdviser(again, on_strategy)
