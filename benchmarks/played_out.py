"""How true played-out advice is: whether intervals hold the value, and what choices fall short of.

    python -m benchmarks.played_out
    python -m benchmarks.played_out --players 3 --positions 50

Positions come from rounds of five dice each: in one half everybody plays the shipped policy, in the
other half anybody makes any of the lowest bids, which leaves the lines of the policy. At every
position the player to move asks for advice. Then the actions that were played out at first are
judged by JUDGED other rounds each.

The rows are the steps of the advice. The first columns are the share of its intervals that hold
the judged value, and the mean half width of an interval. Then come how often the action advised is
within CLOSE of the best one as judged, and the penalty points by which it falls short of that one
on the average. The same two columns follow for the policy's own choice, and the seconds that the
answer took.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import numpy as np

from benchmarks._arguments import new_parser
from zhaifei.game.bids import challenge_action
from zhaifei.game.rules import preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.players.intervals import margin_of
from zhaifei.policies.players.playing_out import SEED
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rollouts import Rollouts

POSITIONS, JUDGED, CLOSE = 200, 20_000, 0.02
_LOWEST = 12
"""The number of lowest bids from which the other half of the rounds draws."""
_LONGEST = 12
"""The number of bids after which a round is broken off."""


def positions(policy: ReadingPolicy) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield hands, and the bids after which their players decide, without end."""
    rules, random = policy.rules, np.random.default_rng(policy.rules.players)
    player, tables, number = PolicyPlayer(policy), bid_tables(policy.rules), 0
    while True:
        dealt = random.integers(tables.hands, size=rules.players)
        bids: tuple[int, ...] = ()
        number += 1
        while len(bids) < _LONGEST:
            hand = dealt[len(bids) % rules.players : len(bids) % rules.players + 1]
            yield int(hand[0]), bids
            made = np.array([bids], dtype=np.int64)
            action = int(player.act(hand, made, random.random(1))[0])
            if number % 2:
                low = np.flatnonzero(tables.legal[bids[-1] + 1 if bids else 0])[:_LOWEST]
                action = int(random.choice(low)) if low.size else challenge_action(rules)
            if action >= challenge_action(rules):
                break
            bids = (*bids, action)


def measure(policy: ReadingPolicy, number: int, judged: int) -> None:
    """Print the rows."""
    rollouts, judge = Rollouts(policy), Rollouts(policy, SEED + 1)
    found: dict[int, list[tuple[float, ...]]] = defaultdict(list)
    held: dict[int, list[bool]] = defaultdict(list)
    widths: dict[int, list[float]] = defaultdict(list)
    next(rollouts.refine(0, ()))  # so that no position has to compile the kernels
    for hand, bids in islice(positions(policy), number):
        began, true = time.perf_counter(), dict[int, tuple[float, float]]()
        for tried in rollouts.refine(hand, bids):
            seconds = time.perf_counter() - began
            if not true:
                earned = judge.earned(hand, bids, tried.actions.tolist(), judged)
                figures = zip(earned.mean(axis=1), margin_of(earned), strict=True)
                true = dict(zip(tried.actions.tolist(), figures, strict=True))
                began = time.perf_counter() - seconds
            best, rounds = max(value for value, _ in true.values()), tried.earned.shape[1]
            chosen, usual = tried.actions[tried.chosen.argmax()], tried.actions[tried.usual]
            short = [best - true[int(one)][0] for one in (chosen, usual)]
            found[rounds].append(
                (short[0] <= CLOSE, short[0], short[1] <= CLOSE, short[1], seconds)
            )
            own = zip(tried.actions.tolist(), tried.values, margin_of(tried.earned), strict=True)
            for action, value, margin in own:
                widths[rounds].append(margin)
                off = abs(value - true[action][0])
                held[rounds].append(off <= np.hypot(margin, true[action][1]))
    print("| rounds | held | ± | close | short | policy close | policy short | s |")
    print("|---|---|---|---|---|---|---|---|")
    for rounds, rows in found.items():
        close, short, policy_close, policy_short, seconds = np.mean(rows, axis=0)
        print(
            f"| {rounds} | {np.mean(held[rounds]):.1%} | {np.mean(widths[rounds]):.3f} | "
            f"{close:.1%} | {short:.4f} | {policy_close:.1%} | {policy_short:.4f} | {seconds:.2f} |"
        )


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--players", type=int, default=5, choices=range(3, 9))
    parser.add_argument("--positions", type=int, default=POSITIONS)
    arguments = parser.parse_args()
    number = 2 if arguments.smallest else arguments.positions
    judged = 100 if arguments.smallest else JUDGED
    plain, _ = load_known(None, preset("zhaifei", players=arguments.players))
    measure(ReadingPolicy(plain), number, judged)


if __name__ == "__main__":
    main()
