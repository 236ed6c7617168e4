"""How exploitable a policy is that solves positions again after every odd bid, nested.

    python -m benchmarks.resolve_safety --dice 2 --passes 150
    python -m benchmarks.resolve_safety --dice 3 --passes 120 --deepest 3 --least 1e-3
    python -m benchmarks.resolve_safety --policy zhaifei-2p --likeliest 300

A policy is trained. Then all positions that a re-solving player can meet, whatever the other player
bids, are walked and written down as one table. An exact best response measures the table in the
whole game. Positions that the player reaches with a probability below `--least` are left unchanged:
each changes a best response's value by at most twice that probability.

With `--policy`, the most probable positions are solved, as in play. Rounds are against a uniformly
drawn player: a rule-based one, or one who makes odd bids (`benchmarks._opponents`). The
probabilities are exact. The solution's strategy then replaces the strategy in the table.

The requirement: exploitability exceeds that of the policy alone by at most .001 if caution is
certified, and by at most .005 if it is normal.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks._arguments import new_parser
from benchmarks._likeliest import likeliest
from benchmarks._opponents import opponents
from benchmarks._trained import SMALLEST, trained
from tests.policies.players.splicing import overlaid, spliced
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.players.resolving import PLAYING, Caution, ResolvingPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.resolving.subgame import Effort
from zhaifei.solver.response.full_recall import full_recall_response
from zhaifei.solver.tables.strategy_table import StrategyTable

_MEMORY = 4_000_000_000
"""Bytes of results to keep: positions come in an order in which no earlier result may be
forgotten."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each caution."""
    parser = new_parser(__doc__)
    parser.add_argument("--dice", type=int, default=2)
    parser.add_argument("--passes", type=int, default=150, help="of the policy's training")
    parser.add_argument("--deepest", type=int, help="solve again after so many bids at most")
    parser.add_argument("--least", type=float, default=1e-4)
    parser.add_argument("--gap", type=float, default=1e-3, help="of each position, if one trains")
    parser.add_argument("--solving", type=int, default=400, help="passes for each at most")
    parser.add_argument("--policy", type=Path, help="a policy file or its name")
    parser.add_argument("--likeliest", type=int, default=300, help="how many positions of it")
    cautions = [one.value for one in Caution]
    parser.add_argument("--caution", nargs="+", default=cautions, choices=cautions)
    given = parser.parse_args(arguments)
    plain = blueprint(given)
    before = exploitability(plain, plain.table)
    named = given.policy or f"trained for {given.passes} passes"
    print(f"{named}: exploitability {before:.5f}", flush=True)
    print("caution      exploitability     more  solved      s")
    for caution in given.caution:
        began = time.monotonic()
        effort = PLAYING if given.policy else Effort(given.gap, given.solving)
        policy = ResolvingPolicy(plain, Caution(caution), effort, given.deepest, _MEMORY)
        table, solved = solved_again(policy, given)
        after = exploitability(plain, table)
        seconds = time.monotonic() - began
        print(
            f"{caution:<12}{after:>15.5f}{after - before:>+9.5f}{solved:>8}{seconds:>7.0f}",
            flush=True,
        )


def blueprint(given: Namespace) -> TablePolicy:
    """Return the policy that solves again."""
    if given.policy is not None:
        return load_known(given.policy, None).policy
    return trained(SMALLEST if given.smallest else Rules.of(dice=given.dice), given.passes)


def solved_again(policy: ResolvingPolicy, given: Namespace) -> tuple[StrategyTable, int]:
    """Return the table of the policy's strategy, and the number of positions that were solved for
    it."""
    if given.policy is None:
        found = spliced(policy, given.least)
        return found.table, len(found.solved)
    positions = [*islice(likeliest(policy, opponents(policy.plain)), given.likeliest)]
    gaps = [one.known.solution.gap for one in positions if one.known.solution is not None]
    print(
        f"probabilities {positions[0].probability:.1e} to {positions[-1].probability:.1e}, "
        f"gaps {median(gaps):.4f} in the median, {max(gaps):.4f} at most",
        flush=True,
    )
    table = overlaid(policy.plain, {one.history: one.known for one in positions})
    return table, len(positions)


def exploitability(plain: TablePolicy, table: StrategyTable) -> float:
    """Return an upper bound of the exploitability in the whole game."""
    return full_recall_response(bid_tables(plain.rules), table).exploitability.upper


if __name__ == "__main__":
    main()
