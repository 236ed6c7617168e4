"""What local search gains against a policy among players who remember only the last bid.

    python -m benchmarks.single_bid_gain [FILE]

The gain shows how close the policy is to an equilibrium among players who remember only the last
bid and never switch between 飞 and 斋. One player follows the policy. Local search improves the
other's strategy, one decision after another from the highest bid down. After each bid, every hand
changes to the action that pays best while all its other decisions stay unchanged. The search ends
when a round of improvements gains next to nothing. Values are exact, over all pairs of hands. The
gain is a lower bound of the gain of a best response among such players: changing several decisions
at once may gain more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._arguments import new_parser
from zhaifei.game.rules import Rules
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.policies.research.single_bid import RECALL, SingleBidCFR, new_play
from zhaifei.solver.tables.rows import rows_at

SHIPPED = Path(__file__).parents[1] / "policies" / "data" / "single-bid.safetensors"
LEAST = 1e-5
"""Penalty points; the search ends with the first round of improvements that gains less."""


class Improver:
    """Improves one player against a policy. Matrices over hands are [own hand, other's hand]."""

    def __init__(self, policy: TablePolicy) -> None:
        play = new_play(policy.rules)
        self.legal, self.prior = play.legal, play.bids.prior[0].astype(np.float64)
        matches = play.bids.matches.astype(np.int64)
        counted = matches[:, :, np.newaxis] + matches[:, np.newaxis]
        self.true = np.where(counted >= play.bids.claimed[:, np.newaxis, np.newaxis], 1.0, -1.0)
        self.other = np.zeros(play.strategy.shape)
        """[decision, action, hand] the other player's strategy, which is the policy; indices are
        those of `policies.research.single_bid`."""
        table = policy.table
        for node, decision in enumerate(table.context):
            rows = slice(table.first_row[node], table.end_row[node])
            self.other[decision, table.action[rows]] = rows_at(table, node) * table.unit
        self.other[:-1] /= self.other[:-1].sum(axis=1, keepdims=True)

    def values(self, seat: int) -> list[float]:
        """Return the value of `seat` (0 is the opener), in penalty points per round, with the
        policy and after each round of improvements."""
        self.own = self.other.copy()
        found = [self.improve(seat, change=False)]
        while len(found) == 1 or found[-1] - found[-2] > LEAST:
            found.append(self.improve(seat, change=True))
        return found

    def reach(self, seat: int) -> NDArray[np.float64]:
        """Return [bid, own hand, other's hand] the probability that play reaches this bid of the
        other player."""
        mine, theirs = np.zeros_like(self.true), np.zeros_like(self.true)
        for bid in range(len(self.true)):
            if seat == 0:
                mine[bid] += self.own[0, bid][:, np.newaxis]
            else:
                theirs[bid] += self.other[0, bid]
            for last in np.flatnonzero(self.legal[1:-1, bid]):
                mine[bid] += self.own[last + 1, bid][:, np.newaxis] * theirs[last]
                theirs[bid] += self.other[last + 1, bid] * mine[last]
        return theirs

    def improve(self, seat: int, *, change: bool) -> float:
        """Return the value of `seat`, in penalty points per round; if `change`, after a round of
        improvements."""
        bids, weight = len(self.true), self.reach(seat) * self.prior
        after_mine, after_theirs = np.zeros((2, *self.true.shape))
        for last in range(bids - 1, -1, -1):
            raises = np.flatnonzero(self.legal[last + 1, :bids])
            reply = self.other[last + 1]
            after_mine[last] = reply[bids] * self.true[last]
            after_mine[last] += np.einsum("bo,bho->ho", reply[raises], after_theirs[raises])
            actions = np.append(raises, bids)
            worth = np.concatenate([after_mine[raises], -self.true[last : last + 1]])
            if change:
                self.choose(last + 1, actions, np.einsum("ho,aho->ah", weight[last], worth))
            after_theirs[last] = np.einsum("ah,aho->ho", self.own[last + 1, actions], worth)
        openings = np.flatnonzero(self.legal[0])
        if seat == 1:
            opened = self.other[0, openings] * self.prior
            return float(self.prior @ np.einsum("bo,bho->h", opened, after_theirs[openings]))
        earned = after_mine[openings] @ self.prior
        if change:
            self.choose(0, openings, earned)
        return float((self.own[0, openings] * earned).sum(axis=0) @ self.prior)

    def choose(
        self, decision: int, actions: NDArray[np.int64], earned: NDArray[np.float64]
    ) -> None:
        """Let each hand play the best of `actions` if it gains by that; `earned` is [action, hand]
        float64."""
        own = self.own[decision, actions]
        better = earned.max(axis=0) > (own * earned).sum(axis=0) + 1e-9
        best = np.eye(len(actions))[earned.argmax(axis=0)].T
        self.own[decision, actions] = np.where(better, best, own)


def small_policy() -> TablePolicy:
    """Return a barely trained policy for one die with three faces each."""
    engine = SingleBidCFR(Rules.of(dice=1, faces=3))
    for _ in range(10):
        engine.advance()
    return TablePolicy(engine.rules, RECALL, engine.strategy())


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=SHIPPED)
    arguments = parser.parse_args()
    policy = small_policy() if arguments.smallest else load_policy(arguments.file)
    if policy.recall != RECALL:
        parser.error(f"the policy's recall is {policy.recall}; it must be {RECALL}")
    improver = Improver(policy)
    for seat, name in enumerate(("opener", "responder")):
        values = improver.values(seat)
        steps = " ".join(f"{value:+.4f}" for value in values)
        print(f"{name}: gains {max(values) - values[0]:.4f}  ({steps})")


if __name__ == "__main__":
    main()
