"""The values of the shipped policies in each seat if all play them.

    python -m benchmarks.seat_values --players 5

Prints the line for `policies/review/seat_values.py` of the shipped policy: for two players by the
exact walk of `solver.value.self_play`, for more from many rounds.
"""

from __future__ import annotations

from benchmarks._arguments import new_parser
from benchmarks._trained import SMALLEST, trained
from zhaifei.game.rules import preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.luck import sampled_seat_values
from zhaifei.policies.review.seat_values import SeatValues, key_of
from zhaifei.solver.value.self_play import self_play

_PRINTED = 1e-6
"""The least error that is printed."""


def worth(policy: TablePolicy, rounds: int) -> SeatValues:
    """Return the value of each seat."""
    if policy.rules.players > 2:
        return sampled_seat_values(policy, rounds)
    seats = self_play(bid_tables(policy.rules), policy.table)
    middles = tuple((seat.lower + seat.upper) / 2.0 for seat in seats)
    return SeatValues(middles, max(seat.gap for seat in seats) / 2.0)


def main() -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--jump-challenge", action="store_true", help="with 跳开")
    parser.add_argument("--rounds", type=int, default=24_000)
    arguments = parser.parse_args()
    if arguments.smallest:
        policy = trained(SMALLEST, 50)
    else:
        rules = preset(
            "zhaifei", players=arguments.players, jump_challenge=arguments.jump_challenge
        )
        policy = load_known(None, rules).policy
    found = worth(policy, arguments.rounds)
    error = max(found.error, _PRINTED)
    values = ", ".join(f"{value:.7f}" for value in found.values)
    print(f"{key_of(policy)}: SeatValues(({values}), {error:.2g}),")


if __name__ == "__main__":
    main()
