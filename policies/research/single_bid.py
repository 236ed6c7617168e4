"""CFR for two players who remember only the last bid, and never switch between 飞 and 斋.

The game is small, because its public states are the last bids. A pass carries every pair of hands
through all of them, forwards for probabilities and backwards for values, and samples nothing. The
resulting strategy answers every last bid, so it also plays the whole game, in which others may
switch modes and remember.

- Regrets are those of CFR+ (Tammelin 2014); the average weighs pass t by t^2.
- Both players play one strategy: they forget, among other things, who opened.
- Histories with the same last bid are one information set (Lanctot et al. 2012). Each history is
  weighted by the reach of *both* players. With perfect recall the own reach is the same for all
  histories of an information set and makes no difference. Here it does: without it, a hand would
  weigh histories in which it made bids that it never makes, and training would not converge to an
  equilibrium.
- Some bids come up only after a switch of mode, as 斋2 does after 飞3. They are answered as if they
  had opened the round: an imaginary opener may also open with them and learns when to. No other
  answer depends on the imaginary opener.

An equilibrium of strategies that forget need not exist, and regrets need not vanish, so the
distance of a strategy from an equilibrium must be measured.

Single precision throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.solver.cfr.infosets import verify_sampled
from zhaifei.solver.files.state import SAFE, array_of, verify_between, verify_names
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.machine.memory import lengthen
from zhaifei.solver.showdown import ONE, ZERO, holds
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_table

RECALL = "bid"
LEAST_PLAYED = 0.005
"""Average probabilities below this share of the largest are set to zero, to store fewer rows."""


class SingleBidGame(NamedTuple):
    """The game and the current strategy. With N bids, decision 0 is the opening, decision b + 1
    comes after bid b, and decision N + 1 is the imaginary opener's. Actions are the bids, then the
    challenge."""

    bids: BidTables
    legal: NDArray[np.bool_]
    """[decision, action] whether the action is legal."""
    made: NDArray[np.bool_]
    """[bid] whether the bid can come up without a switch of mode."""
    strategy: NDArray[np.float32]
    """[decision, action, hand] the current strategy."""
    reach: NDArray[np.float32]
    """[bid, mover's hand, bidder's hand] the probability that two players with these hands bid up
    to `bid`."""
    worth: NDArray[np.float32]
    """[bid, bidder's hand, mover's hand] what play after `bid` earns the mover."""
    gain: NDArray[np.float32]
    """[decision, action, hand] what the action earns, times `likely`."""
    likely: NDArray[np.float32]
    """[decision, hand] the probability that the decision comes up for the hand."""


@kernel
def spread(play: SingleBidGame) -> None:
    """Compute `reach` from `strategy`, forwards."""
    bids, hands = play.reach.shape[:2]
    row = np.zeros(hands, dtype=np.float32)
    for bid in range(bids):
        opening = 0 if play.made[bid] else bids + 1
        for bidder in range(hands):
            row[:] = play.strategy[opening, bid, bidder]
            for last in range(bid):
                share = play.strategy[last + 1, bid, bidder]
                if share > 0.0 and play.made[last]:
                    before = play.reach[last, bidder]
                    for mover in range(hands):
                        row[mover] += share * before[mover]
            play.reach[bid, :, bidder] = row


@kernel
def settle(play: SingleBidGame) -> None:
    """Compute `worth`, `gain` and `likely` from `strategy` and `reach`, backwards."""
    matches, prior = play.bids.matches, play.bids.prior[0]
    bids, hands = play.reach.shape[:2]
    weight = np.zeros(hands, dtype=np.float32)
    worth = np.zeros(hands, dtype=np.float32)
    for last in range(bids - 1, -1, -1):
        for mover in range(hands):
            missing = play.bids.claimed[last] - matches[last, mover]
            challenged = play.strategy[last + 1, bids, mover]
            likely, earned = ZERO, ZERO
            for other in range(hands):
                pays = -ONE if holds(missing, matches[last, other]) else ONE
                weight[other] = play.reach[last, mover, other] * prior[other]
                worth[other] = challenged * pays
                likely += weight[other]
                earned += weight[other] * pays
            play.likely[last + 1, mover] = likely
            play.gain[last + 1, bids, mover] = earned
            for bid in range(last + 1, bids):
                if play.legal[last + 1, bid]:
                    share = play.strategy[last + 1, bid, mover]
                    to_other, earned = play.worth[bid, mover], ZERO
                    for other in range(hands):
                        earned -= weight[other] * to_other[other]
                        worth[other] -= share * to_other[other]
                    play.gain[last + 1, bid, mover] = earned
            play.worth[last, :, mover] = worth
        for opening in (0, bids + 1):
            if play.legal[opening, last]:
                for hand in range(hands):
                    earned = ZERO
                    for other in range(hands):
                        earned -= prior[other] * play.worth[last, hand, other]
                    play.gain[opening, last, hand] = earned


@kernel
def improve(
    play: SingleBidGame, regret: NDArray[np.float32], average: NDArray[np.float32], weight: float
) -> None:
    """Add the results of a pass to `regret` and `average`, both [decision, action, hand], and set
    `strategy` for the next pass.

    Where no regret is positive, the player challenges the last bid, or opens with the weakest bid.
    """
    decisions, actions, hands = regret.shape
    value = np.zeros(hands, dtype=np.float32)
    total = np.zeros(hands, dtype=np.float32)
    for decision in range(decisions):
        legal = np.flatnonzero(play.legal[decision])
        value[:] = ZERO
        total[:] = ZERO
        for action in legal:
            for hand in range(hands):
                share = play.strategy[decision, action, hand]
                value[hand] += share * play.gain[decision, action, hand]
                average[decision, action, hand] += (
                    np.float32(weight) * play.likely[decision, hand] * share
                )
        for action in legal:
            for hand in range(hands):
                more = regret[decision, action, hand] + play.gain[decision, action, hand]
                kept = max(more - value[hand], ZERO)
                regret[decision, action, hand] = kept
                total[hand] += kept
        fallback = actions - 1 if play.legal[decision, actions - 1] else legal[0]
        for action in legal:
            for hand in range(hands):
                if total[hand] > 0.0:
                    share = regret[decision, action, hand] / total[hand]
                else:
                    share = ONE if action == fallback else ZERO
                play.strategy[decision, action, hand] = share


def new_play(rules: Rules) -> SingleBidGame:
    """Return the game of `rules`. Its first strategy opens with the weakest bid and challenges
    every bid. Raises ZhaifeiError for more than two players, and OutOfMemory for too many hands."""
    if rules.players != 2:
        raise ZhaifeiError(
            "single-bid training is for two players; these rules are for {players}",
            players=rules.players,
        )
    tables = bid_tables(rules)
    verify_sampled(tables)
    number, hands = tables.claimed.size, tables.hands
    modes = np.array([bid.mode for bid in domain(rules)])
    raises = tables.legal[1:] & (modes[:, np.newaxis] == modes)
    legal = np.zeros((number + 2, number + 1), dtype=np.bool_)
    legal[0, :number] = tables.legal[0]
    legal[1:-1, :number] = raises
    legal[1:-1, number] = True
    legal[-1, tables.first_raise[0] : number] = True
    opens = tables.legal[0]
    reach, worth = (np.zeros((0, hands, hands), dtype=np.float32) for _ in range(2))
    lengthen(
        [reach, worth],
        [number, number],
        ZhaifeiError(
            "{hands} hands of each player make too many pairs to fit into memory", hands=hands
        ),
    )
    strategy = np.zeros((*legal.shape, hands), dtype=np.float32)
    strategy[0, tables.first_raise[0]] = 1.0
    strategy[1:-1, number] = 1.0
    strategy[-1, tables.first_raise[0]] = 1.0
    return SingleBidGame(
        tables,
        legal,
        opens | raises[opens].any(axis=0),
        strategy,
        reach,
        worth,
        gain=np.zeros_like(strategy),
        likely=np.ones((number + 2, hands), dtype=np.float32),
    )


class SingleBidCFR:
    """Training for one variant. The result depends on the rules alone. Raises as `new_play`
    does."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.play = new_play(rules)
        self.passes = 0
        self._regret = np.zeros_like(self.play.strategy)
        self._average = np.zeros_like(self.play.strategy)
        self._opener_value = np.zeros(2)

    @property
    def value(self) -> float:
        """The value of the round for the opener, averaged over passes with the weights of the
        strategies; NaN before the first pass."""
        total, weight = self._opener_value
        return float(total / weight) if weight else float("nan")

    def advance(self) -> None:
        """Run one pass."""
        self.passes += 1
        weight = float(self.passes**2)
        spread(self.play)
        settle(self.play)
        earned = (self.play.strategy[0] * self.play.gain[0]).sum(axis=0) @ self.play.bids.prior[0]
        self._opener_value += weight * earned, weight
        improve(self.play, self._regret, self._average, weight)

    def strategy(self) -> StrategyTable:
        """Return the average strategy. At a decision that never came up, every hand challenges."""
        recall, sums = recall_tables(self.rules, RECALL), self._average[:-1]
        known = sums.sum(axis=1, keepdims=True) > 0.0
        shares = np.where(known, sums, self.play.strategy[:-1])
        shares[shares < LEAST_PLAYED * shares.max(axis=1, keepdims=True)] = 0.0
        shares /= shares.sum(axis=1, keepdims=True)
        decision, action = np.nonzero(shares.any(axis=2))
        return strategy_table(
            recall,
            recall.code[0].copy(),
            np.searchsorted(decision, np.arange(len(shares) + 1)),
            action.astype(np.int16),
            shares[decision, action],
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that training needs to continue, as the arrays themselves, not
        copies."""
        return {
            "passes": np.array([self.passes]),
            "opener_value": self._opener_value,
            "regret": self._regret,
            "average": self._average,
            "strategy": self.play.strategy,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` of the same rules. If it is invalid, raise StateError and change
        nothing."""
        targets = self.state()
        verify_names(state, targets)
        arrays = {
            name: array_of(state, name, target.dtype, *target.shape)
            for name, target in targets.items()
        }
        passes = arrays.pop("passes")
        verify_between("passes", passes, 0, _MOST_PASSES)
        _verify_sums(self.play, int(passes[0]), **arrays)
        self.passes = int(passes[0])
        for name, array in arrays.items():
            targets[name][:] = array


_MOST_PASSES = 10**9
"""More passes take years; the sum of their weights is less than SAFE."""
_ROUNDING = 1e-3


def _verify_sums(
    play: SingleBidGame,
    passes: int,
    opener_value: NDArray[np.float64],
    regret: NDArray[np.float32],
    average: NDArray[np.float32],
    strategy: NDArray[np.float32],
) -> None:
    """Raise StateError unless `passes` passes can have left these arrays: no number is negative, no
    illegal action is played, and every strategy is a distribution."""
    weight = passes * (passes + 1) * (2 * passes + 1) / 6
    verify_between("opener_value", opener_value[1], 0.99 * weight, 1.01 * weight)
    verify_between("opener_value", opener_value[0], -2.0 * weight, 2.0 * weight)
    verify_between("strategy", strategy, 0.0, 1.0 + _ROUNDING)
    verify_between("strategy", strategy.sum(axis=1), 1.0 - _ROUNDING, 1.0 + _ROUNDING)
    for name, array in (("regret", regret), ("average", average)):
        verify_between(name, array, 0.0, SAFE)
    for name, array in (("regret", regret), ("average", average), ("strategy", strategy)):
        verify_between(name, array[~play.legal], 0.0, 0.0)
