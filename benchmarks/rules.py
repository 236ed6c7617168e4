"""What each rule takes to solve, and what it changes for a player: a row for each of them.

    python -m benchmarks.rules
    python -m benchmarks.rules --players 3
    python -m benchmarks.rules --only southern doubles=2-4 --seconds 20

Rows are presets and single switches. Each is solved by `zhaifei solve` in a process of its own,
whose time and peak memory are shown. It ends shortly before TARGETS is reached, or after SECONDS.
For two players the figure is the certified exploitability of the file, for more the NashConv, both
in penalty points per round and as upper bounds.

The other columns describe rounds in which everybody plays the solved policy. They are what the
opener earns, the mean number of bids, and the share of bids that are 斋. Then come the share of
rounds in which somebody doubles, and how often the settled bid is true.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._arguments import new_parser
from zhaifei.game.bids import Bid, domain, mover_after, settled_by
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.house import NUMBER, STAKES, SWITCHES
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import PRESETS, Rules, preset
from zhaifei.policies.catalogue.solving import solve_command
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.solver.value.self_play import self_play

SECONDS = {2: 180.0}
"""The longest training, in seconds, by the number of players."""
_SECONDS_OF_MORE = 300.0
TARGETS = {2: 0.05}
"""Penalty points that the figure of each row is to be at most, by the number of players."""
_TARGET_OF_MORE = 0.06
_SHORT = 0.9
"""Training ends at this share of the target, because a file holds a little less than the tree."""
GAP = 0.0002
"""Penalty points; bounds this close are narrow enough for the table. NashConv adds up the bounds of
all seats."""
_LONGEST_SEARCH = 120.0
"""Seconds after which the search for best responses stops."""
ROUNDS = 5_000
"""The number of rounds that are sampled for habits."""
_STAKES = "2", "2-4", "2-8"
_NEEDS = {
    "fei-to-zhai=half": ["zhai-to-fei=double-plus-one"],
    "zhai-to-fei=double": ["fei-to-zhai=more-than-half"],
    "zhai-to-fei=plus-two": ["fei-to-zhai=flat"],
    "zhai-to-fei=plus-players": ["fei-to-zhai=flat"],
    "giving-up=half": ["doubles=2-4"],
    "giving-up=forbidden": ["doubles=2-4"],
}
"""Other house rules without which one is refused."""


@dataclass(frozen=True)
class Habits:
    """What players of one policy do."""

    bids: float
    """The mean number of bids of a round, without doubles."""
    zhai: float
    """The share of bids that are 斋."""
    doubled: float
    """The share of rounds in which somebody doubles."""
    true: float
    """The share of settled bids that are true."""


def rows(players: int) -> Iterator[tuple[str, Rules]]:
    """Yield the rules of each row by its name: all presets for penalty points, then all switches.
    Rules that this number of players cannot have are left out, and those that are equal to the
    rules of an earlier row: with two players, 跳开 changes nothing."""
    seen: set[Rules] = set()
    for name, rules in _named(players):
        if rules not in seen:
            seen.add(rules)
            yield name, rules


def _named(players: int) -> Iterator[tuple[str, Rules]]:
    """Yield the rules of all presets and switches by their names."""
    for name in PRESETS:
        rules = preset(name, players=players)
        if not rules.loses_dice:
            yield name, rules
    if players > 2:
        yield "跳开", preset("zhaifei", players=players, jump_challenge=True)
    for switch in SWITCHES:
        for name in _spelled(switch, players):
            house = [name, *_NEEDS.get(name, [])]
            jump = switch.startswith("jump-cost")
            try:
                yield (
                    " ".join(house),
                    preset("zhaifei", players=players, jump_challenge=jump, house=house),
                )
            except ZhaifeiError:
                continue


def _spelled(switch: str, players: int) -> list[str]:
    """Return the names of a house rule with numbers in them."""
    if STAKES in switch:
        return [switch.replace(STAKES, stakes) for stakes in _STAKES]
    return [switch.replace(NUMBER, str(players))]


def solved(rules: Rules, seconds: float, directory: Path) -> tuple[TablePolicy, float, float]:
    """Return the policy that `zhaifei solve` computes in at most some `seconds` of training, the
    seconds that the whole command takes, and its peak memory in gigabytes."""
    path, began = directory / "policy.safetensors", time.monotonic()
    target = _SHORT * TARGETS.get(rules.players, _TARGET_OF_MORE)
    options = solve_command(rules).split()[1:]
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "zhaifei", *options),
            *("--target", f"{target:g}", "--time-limit", f"{seconds:g}s"),
            *("--out", str(path), "--overwrite"),
        ],
        stdout=subprocess.DEVNULL,
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _peak_of(process.pid))
        time.sleep(0.1)
    if process.returncode:
        raise SystemExit(process.returncode)
    return load_policy(path), time.monotonic() - began, peak


def _peak_of(process: int) -> float:
    """Return the peak memory of a process so far, in gigabytes. What the system tells once it has
    ended may be the peak of the process that started it."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:  # it has just ended
        return 0.0
    kilobytes = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
    return sum(kilobytes) / 1e6


def figure(policy: TablePolicy) -> float:
    """Return the upper bound of exploitability, or of NashConv for more than two players."""
    evaluation = Evaluation(policy, os.cpu_count() or 1)
    *_, result = evaluation.refine(gap=GAP, seconds=_LONGEST_SEARCH)
    if policy.rules.players == 2:
        return result.exploitability.upper
    return sum(gain.upper for gain in evaluation.gains(result, _LONGEST_SEARCH))


def habits(policy: TablePolicy, rounds: int) -> Habits:
    """Return the habits of players of `policy`, from sampled `rounds`."""
    rules, random = policy.rules, np.random.default_rng(0)
    bids, priors = domain(rules), [probabilities(rules, seat) for seat in range(rules.players)]
    known: dict[tuple[Bid, ...], np.ndarray] = {}
    lengths = zhai = doubled = true = shown = 0
    for _ in range(rounds):
        dealt = [int(random.choice(prior.size, p=prior / prior.sum())) for prior in priors]
        history: tuple[Bid, ...] = ()
        while True:
            if history not in known:
                known[history] = np.asarray(policy.strategy(history), dtype=np.float64)
            row = known[history][dealt[mover_after(rules, history)]]
            action = int(random.choice(row.size, p=row / row.sum()))
            if action >= len(bids):
                break
            history = (*history, bids[action])
        plain = [bid for bid in history if not bid.doubled]
        lengths, zhai = lengths + len(plain), zhai + sum(bid.mode is Mode.ZHAI for bid in plain)
        doubled += len(history) > len(plain)
        ended = settled_by(rules, history, action - len(bids))
        assert ended is not None
        if ended.claimed:
            counted = count_dice(rules, history[-ended.back], [hands(rules)[one] for one in dealt])
            shown, true = shown + 1, true + (counted >= ended.claimed)
    return Habits(lengths / rounds, zhai / lengths, doubled / rounds, true / max(1, shown))


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--players", type=int, default=2, choices=range(2, 6))
    parser.add_argument("--only", nargs="+", help="rows, by the beginning of their names")
    parser.add_argument("--seconds", type=float, help="of training, at most, for each row")
    arguments = parser.parse_args()
    players, rounds = arguments.players, 50 if arguments.smallest else ROUNDS
    seconds = arguments.seconds or SECONDS.get(players, _SECONDS_OF_MORE)
    chosen = list(rows(players))
    if arguments.smallest:
        chosen, seconds = [("zhaifei", preset("zhaifei", dice=1, faces=3))], 0.5
    else:  # so that no row has to compile the kernels
        with TemporaryDirectory() as directory:
            solved(preset("zhaifei", players=players, dice=1, faces=3), 1.0, Path(directory))
    called = "exploitability" if players == 2 else "NashConv"
    print(f"| rule | {called} | seconds | GB | opener earns | bids | 斋 | doubled | true |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name, rules in chosen:
        if arguments.only and not name.startswith(tuple(arguments.only)):
            continue
        with TemporaryDirectory() as directory:
            policy, took, gigabytes = solved(rules, seconds, Path(directory))
        found, earned = habits(policy, rounds), self_play(policy.tables, policy.table)[0]
        print(
            f"| {name} | {figure(policy):.4f} | {took:.0f} | {gigabytes:.1f} | "
            f"{(earned.lower + earned.upper) / 2:+.4f} | {found.bids:.2f} | {found.zhai:.0%} | "
            f"{found.doubled:.0%} | {found.true:.0%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
