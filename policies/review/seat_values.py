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
    (3, 63504000, 195116796): SeatValues((0.0044, -0.0664, 0.0621), 0.0092),
    (4, 109226880, 10865988): SeatValues((0.0095, -0.0118, -0.0400, 0.0423), 0.0076),
    (5, 90048672, 7432236): SeatValues((0.0621, -0.0011, -0.0751, -0.0033, 0.0174), 0.0069),
    (6, 130056192, 14817348): SeatValues(
        (0.0779, 0.0220, -0.1107, -0.0629, 0.0157, 0.0581), 0.0067
    ),
    (3, 31053456, 65780820): SeatValues((-0.0604, 0.0037, 0.0566), 0.01),
    (4, 24639552, 19410300): SeatValues((0.0729, -0.0205, -0.1023, 0.0499), 0.0081),
    (5, 38102400, 9761724): SeatValues((0.0545, 0.0792, 0.0212, -0.0898, -0.0651), 0.01),
    (6, 26100144, 9024624): SeatValues((0.0254, 0.0837, 0.0151, -0.0752, -0.0782, 0.0292), 0.0099),
}
"""By the number of players, and the iterations and information sets of the training."""


def key_of(policy: TablePolicy) -> tuple[int, object, object]:
    """Return the key of a policy in SHIPPED."""
    training = policy.training
    return policy.rules.players, training.get("iterations"), training.get("information_sets")
