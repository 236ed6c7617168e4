"""Leaving out what policies for several players hardly ever do, where that makes them stronger.

With three players or more, regret matching may cycle, and the average keeps a little of all that
was tried on the way. Without small shares NashConv is often lower; with eight players it falls to a
fifth. See Ganzfried, Sandholm & Waugh (2012), "Strategy purification and thresholding".
"""

from __future__ import annotations

from zhaifei.policies.catalogue.record import LEAST_SHARE, measure_of
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.response.full_recall import FullRecallResponse
from zhaifei.solver.tables.trimming import Thresholds, trimmed

SHARES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
"""The least shares that are tried, in order."""
_KEPT = Thresholds(weight=0.0, hand=0.0, share=0.0, fine=1e-3, steps=256)


def thresholded(policy: TablePolicy, nash_conv: float, threads: int = 1) -> TablePolicy:
    """Return a policy for three players or more without the actions that a hand takes with less
    than the least share. Larger shares of `SHARES` are tried as long as NashConv falls. If even the
    first does not lower it below `nash_conv`, that of the policy, return the policy itself.

    The training record has the least share, and the NashConv as an upper bound in points a round.
    """
    found = policy
    for share in SHARES:
        table = trimmed(policy.tables, policy.table, _KEPT._replace(share=share))
        *_, response = FullRecallResponse(policy.tables, table, threads).refine()
        lower = response.nash_conv.upper
        if lower >= nash_conv:
            break
        nash_conv = lower
        training = {**policy.training, measure_of(policy.rules): lower, LEAST_SHARE: share}
        found = TablePolicy(policy.rules, policy.recall, table, training)
    return found
