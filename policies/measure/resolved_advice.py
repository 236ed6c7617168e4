"""Advice of a policy that solves positions again: strategy and values come from one solution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid
from game.hands import Hand, hand_index
from game.notation import format_action
from game.tables import bid_tables
from policies.measure.advice import ActionAdvice, Advice, Adviser, Solved, faced_bids
from policies.players.reading_policy import ReadingPolicy, as_played
from policies.players.resolving import PLAYING, Caution, ResolvingPolicy, Standing, resolving
from policies.players.table_policy import TablePolicy
from solver.bounds import History
from solver.resolving.subgame import Effort
from solver.showdown import matching_dice, probability_true
from solver.value.action_values import Line, action_values, empty_line

DOMINATED = 0.01
"""What loses more than this to the best action, by the values shown beside it, is not advised."""
_CUT = 1e-6
"""Lines of a solution that are less probable are not followed."""


class ResolvingAdviser:
    """Gives advice from a policy that solves positions again; where it does not, that of its
    table."""

    def __init__(self, policy: ResolvingPolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self._plain = Adviser(policy.plain)
        self._bids = bid_tables(policy.rules)
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
        own, bids = hand_index(self.rules, hand), tuple(self.policy.plain.actions(history).tolist())
        for standing in self.policy.refine(bids, len(bids) % 2, own):
            if standing.known.solution is None:
                yield self._plain.advise(hand, history)
            else:
                yield self.solved(hand, tuple(history), standing)

    def solved(self, hand: Hand, history: tuple[Bid, ...], standing: Standing) -> Advice:
        """Return the advice of a solution after `history`: that of `standing`."""
        own, solution = hand_index(self.rules, hand), standing.known.solution
        bids = tuple(self.policy.plain.actions(history).tolist())
        assert solution is not None
        values = standing.known.replies.by_action(bids, standing.expected)[:, own]
        played = advised(self.policy.played(standing.known, bids)[own], values)
        errors = self._short(own, bids, standing, values, played)
        return Advice(
            hand=hand,
            history=history,
            earlier_unknown=False,
            p_true=self.p_true(own, bids, standing.expected),
            earlier_true=(),
            actions=tuple(
                ActionAdvice(
                    format_action(self.rules, action), *map(float, (played[action], value, error))
                )
                for action, (value, error) in enumerate(zip(values, errors, strict=True))
                if not np.isnan(value)
            ),
            on_path=True,
            own_on_path=True,
            solved=Solved(solution.gap, self.policy.caution.value),
        )

    def _short(
        self,
        own: int,
        bids: History,
        standing: Standing,
        values: NDArray[np.float64],
        played: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return [action] what playing the solution after each action falls short of `values`; for
        actions that it does not take, what it falls short of them on the average."""
        followed = action_values(
            self._bids, standing.known.table, self._line, np.array(bids, dtype=np.int64),
            standing.expected[np.newaxis], own, _CUT,
        )[0]  # fmt: skip
        short: NDArray[np.float64] = np.maximum(values - followed, 0.0)
        short[played == 0.0] = float(played @ np.nan_to_num(short))
        return short

    def p_true(self, own: int, bids: History, other: NDArray[np.float64]) -> float | None:
        """Return the probability that the last of `bids` is true with the hand `own`, if the other
        player holds `other` [hand]; None if there is no bid."""
        if not bids:
            return None
        matches = self._bids.matches[bids[-1]]
        counts = matching_dice(matches, other[np.newaxis], self.rules.dice)
        return probability_true(int(self._bids.claimed[bids[-1]]), int(matches[own]), counts)


def advised(played: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return [action] what is `played` without what loses more than DOMINATED by the `values`,
    which are NaN for illegal actions; the best action if nothing is left."""
    kept = np.where(values >= np.nanmax(values) - DOMINATED, played, 0.0)
    if kept.sum() < 1e-3:
        kept = np.zeros(played.size)
        kept[np.nanargmax(values)] = 1.0
    kept /= kept.sum()
    return kept


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
) -> Iterator[Advice]:
    """Yield what `policy` advises with `hand` facing `bid` after `history`, better and better, as
    `Adviser.advise_facing` does. Where it can, it solves again what its own bids do not lead to,
    for about so many seconds; with 0 its table answers alone."""
    again = resolving(policy, Caution(caution), Effort(seconds=seconds)) if seconds > 0.0 else None
    if again is None:
        yield Adviser(as_played(policy)).advise_facing(hand, bid, history)
    else:
        yield from ResolvingAdviser(again).refine_facing(hand, bid, history)
