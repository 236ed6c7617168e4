"""The value of each seat under the policies that come with the package, if all play them.

`python -m benchmarks.seat_values` measures the values. Their keys describe how a policy was
trained, so that another policy never gets the values of a shipped one.
"""

from __future__ import annotations

from typing import NamedTuple

from zhaifei.policies.players.table_policy import TablePolicy


class SeatValues(NamedTuple):
    """The value of each seat in a round, in penalty points; seat 0 opens."""

    values: tuple[float, ...]
    error: float
    """The largest error of the values: a bound, or half a 95% confidence interval."""


SHIPPED: dict[tuple[int, object, object], SeatValues] = {
    (2, 60011280, 868926492): SeatValues((-0.0087592, 0.0087592), 1e-6),
    (3, 63504000, 195116796): SeatValues((-0.0096, -0.0591, 0.0686), 0.0092),
    (4, 109226880, 10865988): SeatValues((0.0074, -0.0191, -0.0382, 0.0499), 0.0076),
    (5, 90048672, 7432236): SeatValues((0.0446, 0.0154, -0.0640, -0.0141, 0.0181), 0.0069),
    (6, 130056192, 14817348): SeatValues(
        (0.0382, 0.0288, -0.0549, -0.0367, -0.0012, 0.0258), 0.0062
    ),
    (3, 31053456, 65780820): SeatValues((-0.0599, 0.0044, 0.0555), 0.01),
    (4, 24639552, 19410300): SeatValues((0.0742, -0.0154, -0.1032, 0.0443), 0.008),
    (5, 38102400, 9761724): SeatValues((0.0490, 0.0511, 0.0096, -0.0655, -0.0442), 0.0095),
    (6, 26100144, 9024624): SeatValues((0.0283, 0.0313, -0.0166, -0.0421, -0.0362, 0.0352), 0.0076),
}
"""By the number of players, and the iterations and information sets of the training."""


def key_of(policy: TablePolicy) -> tuple[int, object, object]:
    """Return the key of a policy in SHIPPED."""
    training = policy.training
    return policy.rules.players, training.get("iterations"), training.get("information_sets")
