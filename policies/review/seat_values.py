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
    (3, 60011280, 174369384): SeatValues((-0.0079, -0.0266, 0.0345), 0.0091),
    (4, 76014288, 16202340): SeatValues((0.0667, 0.0181, -0.0348, -0.0501), 0.0076),
    (5, 90048672, 7432236): SeatValues((0.0621, -0.0011, -0.0751, -0.0033, 0.0174), 0.0069),
    (6, 130056192, 14817348): SeatValues(
        (0.0779, 0.0220, -0.1107, -0.0629, 0.0157, 0.0581), 0.0067
    ),
    (3, 22035888, 82331172): SeatValues((-0.0711, -0.0198, 0.0909), 0.0098),
    (4, 38483424, 53976636): SeatValues((0.0207, 0.0037, -0.0714, 0.0471), 0.0083),
    (5, 62551440, 59695020): SeatValues((-0.0374, 0.0674, -0.0276, -0.0009, -0.0016), 0.0081),
    (6, 53406864, 30377844): SeatValues(
        (0.0066, 0.0375, -0.0323, -0.0217, 0.0121, -0.0024), 0.0091
    ),
}
"""By the number of players, and the iterations and information sets of the training."""


def key_of(policy: TablePolicy) -> tuple[int, object, object]:
    """Return the key of a policy in SHIPPED."""
    training = policy.training
    return policy.rules.players, training.get("iterations"), training.get("information_sets")
