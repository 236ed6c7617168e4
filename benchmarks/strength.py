"""Strength after fixed work, compared with the committed figures; or of one policy against another.

    python -m benchmarks.strength
    python -m benchmarks.strength --against old.safetensors new.safetensors

**Fixed work.** Every engine runs a fixed number of iterations on a small game of two players, and
best responses measure the exploitability of the strategy exactly. Figures are means over seeds. An
engine that does not sample depends on the seed too: after its first step all regrets are changed by
up to a millionth. Where regrets are equal the change decides which action is played, as the
rounding of another processor does.

A mean over some seeds may exceed the committed mean by TOLERATED standard deviations of a single
run, not of a mean, because the seeds of one machine share its rounding. With code for SSE2 instead
of AVX-512 the mean of four runs with 3 dice was 5.7 % larger, which is 2.4 deviations. After an
intended change, commit the figures of:

    python -m benchmarks.strength --seeds 40

With more players NashConv varies by half its mean over seeds, whatever the work; compare policies.

**One policy against another.** Both play the same deals in all seats, NEW alone among copies of OLD
and OLD alone among copies of NEW. A sequential test stops when it accepts that NEW gains nothing,
or that it gains at least `--points` a round: see `benchmarks._sprt`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks._arguments import new_parser
from benchmarks._sprt import LOWER, UPPER, Verdict, log_likelihood_ratio, verdict
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.known import load_any
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.anytime import last_of
from zhaifei.policies.measure.arena import play_arena
from zhaifei.policies.measure.comparison import Estimate
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.training.engines import EngineName, Setup
from zhaifei.policies.training.run import end_of
from zhaifei.policies.training.solver_run import SolverRun
from zhaifei.solver.tables.recall import FULL

TOLERATED = 4.0
"""The number of standard deviations by which a mean may exceed the committed one."""
SEEDS = 4
"""The default number of seeds."""
LEAST_TOLERANCE = 1.01
_JITTER = 1e-6
"""The largest relative change of a regret by a seed: a few steps of single precision."""


@dataclass(frozen=True)
class Figure:
    """A measured strength: the mean and the standard deviation over `seeds` seeds, in penalty
    points per round."""

    mean: float
    deviation: float
    seeds: int


@dataclass(frozen=True)
class Work:
    """Fixed work for an engine."""

    setup: Setup
    passes: int
    """Iterations in units of all pairs of hands."""
    committed: Figure


def _setup(rules: Rules, engine: EngineName, recall: str = FULL) -> Setup:
    return Setup(rules, engine, recall, seed=0, threads=1)


FIXED: Mapping[str, Work] = {
    "exact, liars_dice": Work(
        _setup(preset("liars_dice", faces=4), "exact"), 100, Figure(0.0007900, 0.00000001, 40)
    ),
    "tree, 2 dice": Work(_setup(Rules.of(dice=2), "tree"), 100, Figure(0.0004996, 0.0000433, 40)),
    "tree, 3 dice": Work(_setup(Rules.of(dice=3), "tree"), 60, Figure(0.022722, 0.000543, 40)),
    "mccfr, 2 dice": Work(
        _setup(Rules.of(dice=2), "mccfr", "bid,bid"), 200, Figure(0.015274, 0.001070, 40)
    ),
}


def measure(work: Work, seed: int) -> float:
    """Return the exploitability after the work with this seed."""
    setup = replace(work.setup, seed=seed)
    run = SolverRun(setup, setup.build(), work.passes * len(hands(setup.rules)) ** 2)
    while end_of(run) is None:
        first = run.done == 0
        run.advance()
        if first and setup.engine != "mccfr":
            regret = run.engine.state()["regret"]  # the array itself, not a copy
            noise = np.random.default_rng(seed).uniform(-_JITTER, _JITTER, regret.shape)
            regret *= (1.0 + noise).astype(regret.dtype)
    policy = run.result()
    assert isinstance(policy, TablePolicy)
    bounds = last_of(Evaluation(policy).refine(), lambda so_far: None)
    return (bounds.exploitability.lower + bounds.exploitability.upper) / 2.0


def figure(work: Work, seeds: int) -> Figure:
    """Return the strength over the first `seeds` seeds, at least two."""
    found = [measure(work, seed) for seed in range(seeds)]
    return Figure(float(np.mean(found)), float(np.std(found, ddof=1)), seeds)


def tolerance(committed: Figure) -> float:
    """Return the largest allowed ratio of a mean to the committed mean. It is at least
    LEAST_TOLERANCE, because engines in double precision hardly depend on the seed."""
    return max(LEAST_TOLERANCE, 1.0 + TOLERATED * committed.deviation / committed.mean)


@dataclass(frozen=True)
class Duel:
    """The state of a sequential test."""

    deals: int
    gain: Estimate
    """Penalty points per round that NEW saves against OLD."""
    ratio: float
    """The log likelihood ratio."""
    verdict: Verdict


def duel(
    old: BatchPlayer, new: BatchPlayer, points: float, rounds: int, seed: int
) -> Iterator[Duel]:
    """Yield the state of the test of `new` against `old` after each batch of deals, until it has
    decided, or about `rounds` rounds have been played at each table."""
    for standings in play_arena([new, old], new.rules, rounds, seed):
        gain, deals = standings.cells[0][1], standings.deals
        variance = (gain.margin / DEVIATIONS) ** 2 * (deals - 1)
        ratio = float(log_likelihood_ratio(deals, gain.mean, variance, points))
        state = Duel(deals, gain, ratio, verdict(deals, ratio))
        yield state
        if state.verdict != "undecided":
            return


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--against", nargs=2, metavar=("OLD", "NEW"), help="policies to compare")
    parser.add_argument("--points", type=float, default=0.002, help="the gain a round that counts")
    parser.add_argument("--rounds", type=int, default=20_000_000, help="the most to play")
    parser.add_argument("--seed", type=int, default=0, help="of the deals")
    arguments = parser.parse_args()
    if arguments.against:
        old, new = map(str, arguments.against)
        rules = load_any(Path(new), None).policy.rules
        _compare(load_player(old, rules), load_player(new, rules), arguments)
        return
    names = [*FIXED][:1] if arguments.smallest else [*FIXED]
    seeds = 2 if arguments.smallest else arguments.seeds
    print("| work | committed | found | deviation | ratio | tolerated | |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        committed, found = FIXED[name].committed, figure(FIXED[name], seeds)
        ratio, most = found.mean / committed.mean, tolerance(committed)
        print(
            f"| {name}, {FIXED[name].passes} passes | {committed.mean:.7f} | {found.mean:.7f} | "
            f"{found.deviation:.7f} | {ratio:.3f} | {most:.3f} | "
            f"{'as strong' if ratio <= most else 'WEAKER'} |",
            flush=True,
        )
    if arguments.smallest:
        three = Rules.of(players=3, dice=1, faces=3)
        _compare(load_player("random", three), load_player("honest", three), arguments)


def _compare(old: BatchPlayer, new: BatchPlayer, options: argparse.Namespace) -> None:
    print(f"\nOLD {old}, NEW {new}: {new.rules}")
    print(f"H0: NEW gains nothing; H1: it gains {options.points:g} points a round or more")
    for state in duel(old, new, options.points, options.rounds, options.seed):
        print(
            f"{state.deals:,} deals: gain {state.gain.mean:+.5f} +- {state.gain.margin:.5f}, "
            f"ratio {state.ratio:.2f} in [{LOWER:.2f}, {UPPER:.2f}]",
            flush=True,
        )
    print(f"NEW is {state.verdict}" if state.verdict != "undecided" else "undecided")


if __name__ == "__main__":
    main()
