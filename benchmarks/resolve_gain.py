"""What solving again after odd bids gains against other players: exact, not sampled.

    python -m benchmarks.resolve_gain [--policy FILE] [--caution normal] [--players NAME ...]
    python -m benchmarks.resolve_gain --players dqn nfsp ppo --drop 1e-5

One player plays the policy's table, or the policy that solves again. The other is a rule-based
player, or any other player that has a policy, in both seats. All public histories that the two
reach are walked with the ranges of both, and each challenge is settled for all pairs of hands. Once
the likelihood of a history falls below `--least` nothing is solved again below it: both continue
with their strategies, so the gain remains achievable. Lines less likely than `--drop` are dropped;
the most that they could be worth is printed.

The power of plausible bidding was chosen on `aggressive`, `face-by-face` and `honest`; the other
players test the choice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks._arguments import new_parser
from benchmarks._trained import SMALLEST, trained
from zhaifei.game.bids import domain
from zhaifei.game.tables import BidTables, bid_tables
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.catalogue.names import load_player, policy_of
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.resolving import Caution, Known, ResolvingPolicy
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.solver.bounds import History
from zhaifei.solver.resolving.subgame import Effort

Floats = NDArray[np.float64]


class Found(NamedTuple):
    """The value of one player's rounds."""

    table: float
    """Points per round with the table."""
    again: float
    """Points per round with re-solving."""
    dropped: float
    """The largest error of `table` and `again` because of dropped lines."""
    odd: float
    """The expected number of positions solved in a round."""
    positions: int
    """The number of different positions solved."""


class Walk:
    """The rounds of one policy against one opponent."""

    def __init__(
        self, policy: ResolvingPolicy, opponent: Policy, least: float, drop: float
    ) -> None:
        self.policy, self.opponent, self.least, self.drop = policy, opponent, least, drop
        self.tables: BidTables = bid_tables(policy.rules)
        self.bids = domain(policy.rules)
        self.start = policy.standing((), 0).known
        self.odd, self.positions, self.dropped = 0.0, 0, 0.0
        dice = self.tables.matches.astype(np.int64)
        self.true = [
            np.add.outer(one, one) >= claimed
            for one, claimed in zip(dice, self.tables.claimed, strict=True)
        ]

    def earned(self, seat: int, *, again: bool) -> float:
        """Return the policy's value in `seat`."""
        prior = self.tables.prior[0].astype(np.float64)
        return self._walk((), seat, prior, prior, self.start, again)

    def _walk(
        self, history: History, seat: int, mine: Floats, theirs: Floats, known: Known, again: bool
    ) -> float:
        own = len(history) % 2 == seat
        if own:
            played = self.policy.played(known, history)
        else:
            played = self.opponent.strategy([self.bids[bid] for bid in history])
        count, total = self.tables.claimed.size, 0.0
        for action in np.flatnonzero(played.any(axis=0)).tolist():
            part = (mine if own else theirs) * played[:, action]
            mass = float(part.sum() * (theirs if own else mine).sum())
            if mass < self.drop:
                self.dropped += mass / 4.0  # averaged over two seats and two ways to play
                continue
            if action >= count:
                true = self.true[history[-1]]
                held = part @ true @ theirs if own else mine @ true @ part
                total += (mass - 2.0 * held) if own else (2.0 * held - mass)
                continue
            after, next_known, still = (*history, action), known, again and mass >= self.least
            if still:
                next_known = self.policy.standing(after, seat).known
                if next_known is not known and not own:
                    self.odd, self.positions = self.odd + mass, self.positions + 1
            arrays = (part, theirs) if own else (mine, part)
            total += self._walk(after, seat, *arrays, next_known, still)
        return total


def measure(policy: ResolvingPolicy, opponent: Policy, least: float, drop: float) -> Found:
    """Return the value of `policy` per round against `opponent`, the mean of both seats."""
    walk = Walk(policy, opponent, least, drop)
    table, again = (
        float(np.mean([walk.earned(seat, again=again) for seat in (0, 1)]))
        for again in (False, True)
    )
    return Found(table, again, walk.dropped, walk.odd / 2.0, walk.positions)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each player."""
    parser = new_parser(__doc__)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--caution", default="normal", choices=[one.value for one in Caution])
    parser.add_argument("--passes", type=int, default=40)
    parser.add_argument("--least", type=float, default=1e-3)
    parser.add_argument("--drop", type=float, default=1e-6)
    parser.add_argument("--players", nargs="+", default=list(NAMES))
    given = parser.parse_args(arguments)
    plain = trained(SMALLEST, 50) if given.smallest else load_known(given.policy, None).policy
    policy = ResolvingPolicy(plain, Caution(given.caution), Effort(passes=given.passes))
    print("player              table    again     gain  dropped  odd a round  solved      s")
    for name in given.players:
        began = time.monotonic()
        opponent = policy_of(load_player(name, plain.rules))
        found = measure(policy, opponent, given.least, given.drop)
        gain, seconds = found.again - found.table, time.monotonic() - began
        print(
            f"{name:<18}{found.table:>+9.4f}{found.again:>+9.4f}{gain:>+9.4f}{found.dropped:>9.5f}"
            f"{found.odd:>13.4f}{found.positions:>8}{seconds:>7.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
