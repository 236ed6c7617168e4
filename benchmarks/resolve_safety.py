"""How exploitable a policy is that solves positions again after every odd bid, nested.

    python -m benchmarks.resolve_safety --dice 2 --passes 150
    python -m benchmarks.resolve_safety --dice 3 --passes 120 --deepest 3 --least 1e-3

A policy is trained. Then all that a player can meet who solves again is walked, whatever the other
one bids, and written down as one table, which an exact best response measures in the whole game.
Positions that the player comes to with a probability below `--least` are left as they were: a best
response earns at most twice that more or less by each. Wanted: not above the trained policy by more
than .001 where caution is certified, by more than .005 where it is normal.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks._arguments import new_parser
from benchmarks._trained import SMALLEST, trained
from game.rules import Rules
from game.tables import bid_tables
from policies.players.resolving import Caution, ResolvingPolicy
from solver.resolving.subgame import Effort
from solver.response.full_recall import full_recall_response
from tests.policies.players.splicing import spliced


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each caution."""
    parser = new_parser(__doc__)
    parser.add_argument("--dice", type=int, default=2)
    parser.add_argument("--passes", type=int, default=150, help="of the policy's training")
    parser.add_argument("--deepest", type=int, help="solve again after so many bids at most")
    parser.add_argument("--least", type=float, default=1e-4)
    parser.add_argument("--gap", type=float, default=1e-3, help="of each position that is solved")
    parser.add_argument("--solving", type=int, default=400, help="passes for each at most")
    cautions = [one.value for one in Caution]
    parser.add_argument("--caution", nargs="+", default=cautions, choices=cautions)
    given = parser.parse_args(arguments)
    plain = trained(SMALLEST if given.smallest else Rules(dice=given.dice), given.passes)
    tables = bid_tables(plain.rules)
    before = full_recall_response(tables, plain.table).exploitability.upper
    print(f"trained for {given.passes} passes: exploitability {before:.5f}", flush=True)
    print("caution      exploitability     more  solved      s")
    for caution in given.caution:
        began = time.monotonic()
        effort = Effort(given.gap, given.solving)
        policy = ResolvingPolicy(plain, Caution(caution), effort, given.deepest)
        found = spliced(policy, given.least)
        after = full_recall_response(tables, found.table).exploitability.upper
        seconds = time.monotonic() - began
        print(
            f"{caution:<12}{after:>15.5f}{after - before:>+9.5f}{found.solved:>8}{seconds:>7.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
