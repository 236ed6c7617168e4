"""Time per pass of the growing tree, and exploitability of the result, for 2 to 5 dice each.

    python -m benchmarks.strength_by_dice --passes 150
    python -m benchmarks.strength_by_dice --passes 60 --dice 6

A pass updates every hand of both players. Exploitability is that of the strategy as stored in a
policy file, certified in the full game.
"""

from __future__ import annotations

import os

from benchmarks._arguments import new_parser
from benchmarks.strength_by_iterations import run
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--dice", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument("--passes", type=int, default=150)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    print("| dice each | hands | MB | ms a pass | ns an iteration | exploitability lies in |")
    print("|---|---|---|---|---|---|")
    passes = 10 if arguments.smallest else arguments.passes
    for dice in [1] if arguments.smallest else arguments.dice:
        rules = Rules.of(dice=dice)
        number = len(hands(rules))
        (point,) = run(rules, arguments.threads, [passes * number**2])
        bounds = point.exploitability
        done = point.iterations // number**2
        print(
            f"| {dice} | {number} | {point.megabytes:.1f} | {1e3 * point.seconds / done:,.1f} | "
            f"{1e9 * point.seconds / point.iterations:,.0f} | "
            f"[{bounds.lower:.4f}, {bounds.upper:.4f}] |",
            flush=True,
        )


if __name__ == "__main__":
    main()
