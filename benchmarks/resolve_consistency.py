"""How much the advice at odd positions loses by a solution of ten times the work.

    python -m benchmarks.resolve_consistency [--policy FILE] [--positions 500] [--seed 16]

Rounds are drawn in which one player plays the policy. The other is a rule-based player, or plays
the policy except for one bid in five, which is drawn from the weakest third of the legal bids. If
the policy must decide after an odd bid, the hand and the history are kept.

Each position is then solved as `zhaifei query` does, but limited by `--passes` passes instead of by
time, so that it can be repeated. It is solved once more from the same beliefs, until the first of
three limits: ten times the passes, a tenth of the gap, or ten times the seconds of `query`. Without
the last limit some openings would take many minutes. The loss is the advice's value below the best
action's, by best play against the second solution.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._arguments import new_parser
from benchmarks._opponents import opponents
from benchmarks._trained import SMALLEST, trained
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands, probabilities
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.players.resolving import Caution, ResolvingPolicy
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.resolving.subgame import Effort

_SECONDS = 20.0
"""Ten times the seconds for which `query` solves by default."""
_SHOWN = 20
"""The number of positions after which intermediate results are shown."""


def rounds(plain: TablePolicy, rng: np.random.Generator) -> Iterator[tuple[int, History]]:
    """Yield, without end, the own hand and the bids at each turn of the policy."""
    bids, prior = domain(plain.rules), np.array(probabilities(plain.rules))
    others = opponents(plain)
    while True:
        other, seat = others[int(rng.integers(len(others)))], int(rng.integers(2))
        dealt = rng.choice(prior.size, 2, p=prior)
        history: History = ()
        while True:
            turn = len(history) % 2
            if turn == seat and history:
                yield int(dealt[turn]), history
            player = plain if turn == seat else other
            played = player.strategy([bids[bid] for bid in history])[dealt[turn]]
            action = int(rng.choice(played.size, p=played / played.sum()))
            if action >= len(bids):
                break
            history = (*history, action)


def losses(
    plain: TablePolicy, seed: int, passes: int
) -> Iterator[tuple[float, float, float, float]]:
    """Yield, without end, four figures for each position: the loss of the advice, its loss by the
    values printed beside it, the loss of the table, and the seconds that solving took."""
    policy = ResolvingPolicy(plain, Caution.NORMAL, Effort(passes=passes))
    effort = Effort(gap=Effort().gap / 10.0, passes=10 * passes, seconds=_SECONDS)
    adviser, table = Adviser(policy), Adviser(plain)
    bids = domain(plain.rules)
    for hand, history in rounds(plain, np.random.default_rng(seed)):
        began = time.monotonic()
        standing = policy.standing(history, len(history) % 2)
        if standing.known.solution is None or standing.known.solution.made != history:
            continue
        made, held = [bids[bid] for bid in history], hands(plain.rules)[hand]
        advice = adviser.advise(held, made)
        seconds = time.monotonic() - began
        longer = policy.again(history, len(history) % 2, hand, effort)
        (values,) = adviser.rows(np.array([hand]), made, longer).values
        played = np.array([one.probability for one in advice.actions])
        printed = np.array([one.value for one in advice.actions])
        asked = np.array([one.probability for one in table.advise(held, made).actions])
        best = float(values.max())
        by_printed = float(printed.max() - played @ printed)
        yield best - float(played @ values), by_printed, best - float(asked @ values), seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Print means, percentiles and the worst."""
    parser = new_parser(__doc__)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--passes", type=int, default=150)
    given = parser.parse_args(arguments)
    if given.smallest:
        plain, number = trained(SMALLEST, 50), 5
    else:
        plain, number = load_known(given.policy, None).policy, given.positions
    found = []
    for loss in islice(losses(plain, given.seed, given.passes), number):
        found.append(loss)
        if len(found) % _SHOWN == 0 or len(found) == number:
            show(np.array(found))


def show(found: NDArray[np.float64]) -> None:
    """Print the results `found` [position, 4]."""
    print(f"{f'{len(found)} odd positions':<34}    mean  median 99th percentile    most")
    lines = ("advice", "advice, by the values beside it", "table", "seconds")
    for name, column in zip(lines, found.T, strict=True):
        middle, worst = np.percentile(column, [50, 99])
        shown = f"{column.mean():>8.4f}{middle:>8.4f}{worst:>16.4f}{column.max():>8.4f}"
        print(f"{name:<34}{shown}", flush=True)


if __name__ == "__main__":
    main()
