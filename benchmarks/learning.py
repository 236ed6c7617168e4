"""What learning how the others play is worth: matches of a policy that learns.

    python -m benchmarks.learning
    python -m benchmarks.learning --players 4
    python -m benchmarks.learning --against honest benchmarks/opponents/bluffs.py --matches 100
    python -m benchmarks.learning --players 5 --mixed --matches 12
    python -m benchmarks.learning --turning
    python -m benchmarks.learning --players 3 --alone --against attacker.safetensors

The policy `zhaifei-Np+learn` plays matches of ROUNDS rounds among copies of each other player. It
knows nothing of them before each match. With two players a row shows what it earns in penalty
points a round, with more players its share of the penalty points: in all rounds, and in the rounds
from number LATE on. `±` is half the 95 % confidence interval, over matches. Strategy files are slow
and play fewer matches.

With `--mixed`, all players at a table are different: rule-based players and the reader, in every
choice of them and in an order that is drawn. Shown are the shares of the player who learns and of
the same policy without learning, over all tables.

With `--alone`, each named player sits alone among copies of the player who learns, and alone among
copies of the same policy without learning. Shown is the share of this one player, in the rounds
that begin with each number of PARTS. An attacker (`zhaifei train ppo --against`) gains where it
takes less than the fair share.

With `--turning`, the other one of two changes, or feigns to be weak and then strikes. They play
like one player at first, and like another from round TURN on. Shown are the points of a whole
match, of the player who learns and of the same policy without learning.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from benchmarks._arguments import new_parser
from benchmarks._opponents import STRATEGY_FILES
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.names import load_player, player_named
from zhaifei.policies.learning.player import ROUNDS, LearningPlayer
from zhaifei.policies.measure.learners import Turning, play_matches
from zhaifei.policies.play.simulation import share_of
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.player import PLAIN, short_name
from zhaifei.policies.players.rule_based import RULES

LATE = 21
PARTS = (1, 3, 6, 21)
TURN = 26
TURNING = (
    ("honest", "zhaifei-2p"),
    ("honest", "ppo"),
    ("honest", "aggressive"),
    ("aggressive", "conservative"),
    ("reader", "zhaifei-2p"),
    ("random", "reader"),
    ("zhaifei-2p", "honest"),
)
"""Whom the other player plays like, before the turn and after it."""
_SLOWER = 10
"""The factor by which fewer matches are played against strategy files."""


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--players", type=int, default=2, choices=range(2, 9))
    parser.add_argument("--against", nargs="+", help="players, by name or file")
    parser.add_argument("--mixed", action="store_true", help="meet different players at a table")
    parser.add_argument("--alone", action="store_true", help="what one among learners takes")
    parser.add_argument("--turning", action="store_true", help="meet players of two who change")
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    players, matches = arguments.players, 4 if arguments.smallest else arguments.matches
    rules = preset("zhaifei", players=players)
    learner = player_named(f"zhaifei-{players}p+learn", rules)
    assert isinstance(learner, LearningPlayer), "its name says so"
    if arguments.mixed:
        _print_mixed(learner, matches, arguments.seed)
        return
    if arguments.alone:
        _print_alone(learner, arguments.against or ["reader"], matches, arguments.seed)
        return
    if arguments.turning:
        _print_turning(learner, matches, arguments.seed)
        return
    print("| against | rounds 1-50 | rounds 21-50 |\n|---|---|---|", flush=True)
    for name in arguments.against or _names(players, smallest=arguments.smallest):
        other = load_player(name, rules)
        number = max(4, matches // (_SLOWER if name.endswith(".py") else 1))
        points = play_matches([learner, *[other] * (players - 1)], number, ROUNDS, arguments.seed)
        cells = [_cell(points[:, first:]) for first in (0, LATE - 1)]
        print(f"| {short_name(other)} | {cells[0]} | {cells[1]} |", flush=True)


def _names(players: int, *, smallest: bool) -> list[str]:
    """Return the players that are met if nobody is named."""
    if smallest:
        return ["honest"]
    learned = ["dqn", "nfsp", "ppo"] if players == 2 else []
    files = [str(one) for one in STRATEGY_FILES]
    table = f"zhaifei-{players}p"
    tables = [table] if players == 2 else [table, f"{PLAIN}{table}"]
    return [*RULES, "reader", *learned, *tables, *files]


def _print_mixed(learner: LearningPlayer, matches: int, seed: int) -> None:
    """Print the shares at all tables of different players, in `matches` at each table."""
    rules, random = learner.rules, np.random.default_rng(seed)
    others = [load_player(name, rules) for name in (*RULES, "reader")]
    tables = [*combinations(others, rules.players - 1)]
    orders = [random.permutation(rules.players - 1) for _ in tables]
    print("| at mixed tables | rounds 1-50 | rounds 21-50 |\n|---|---|---|", flush=True)
    for one in (learner, load_player(f"zhaifei-{rules.players}p", rules)):
        played = [
            play_matches([one, *[table[place] for place in order]], matches, ROUNDS, seed)
            for table, order in zip(tables, orders, strict=True)
        ]
        cells = [_cell(np.concatenate(played)[:, first:]) for first in (0, LATE - 1)]
        print(f"| {one} | {cells[0]} | {cells[1]} |", flush=True)


def _print_alone(learner: LearningPlayer, names: list[str], matches: int, seed: int) -> None:
    """Print what each of the named players takes alone among copies of the player who learns, and
    of the same policy without learning."""
    rules = learner.rules
    if rules.players == 2:
        raise SystemExit("--alone is for three players or more")
    parts = [*pairwise((*PARTS, ROUNDS + 1))]
    heads = " | ".join(f"rounds {first}-{after - 1}" for first, after in parts)
    print(f"| alone | among | {heads} |\n|---|---|{'---|' * len(parts)}", flush=True)
    for name in names:
        one = load_player(name, rules)
        for other in (learner, load_player(f"zhaifei-{rules.players}p", rules)):
            players = [one, *[other] * (rules.players - 1)]
            points = play_matches(players, matches, ROUNDS, seed)
            cells = [_cell(points[:, first - 1 : after - 1]) for first, after in parts]
            print(f"| {short_name(one)} | {other} | {' | '.join(cells)} |", flush=True)


def _print_turning(learner: LearningPlayer, matches: int, seed: int) -> None:
    """Print what a match is worth against players who change."""
    rules = learner.rules
    if rules.players != 2:
        raise SystemExit("--turning is for two players")
    plain = load_player("zhaifei-2p", rules)
    print("| the other one | learns | does not | gains |\n|---|---|---|---|", flush=True)
    for names in TURNING:
        before, after = (load_player(name, rules) for name in names)
        other = Turning(before, after, TURN - 1)
        both = [play_matches([one, other], matches, ROUNDS, seed) for one in (learner, plain)]
        earned = [(its[:, :, 1] - its[:, :, 0]).sum(axis=1) for its in both]
        cells = [_points(one) for one in (*earned, earned[0] - earned[1])]
        print(f"| {other} | {' | '.join(cells)} |", flush=True)


def _points(earned: np.ndarray) -> str:
    """Return the mean of the points of each match, with its margin."""
    margin = DEVIATIONS * earned.std(ddof=1) / earned.size**0.5
    return f"{earned.mean():+.2f} ±{margin:.2f}"


def _cell(points: np.ndarray) -> str:
    """Return what the learner earns, or its share, from penalty points [match, round, seat]."""
    taken = points.sum(axis=1)
    if points.shape[2] > 2:
        share = share_of(taken[:, 0], taken.sum(axis=1), rounds=points.shape[0] * points.shape[1])
        return f"{share.share:.4f} ±{share.margin:.4f}"
    earned = (taken[:, 1] - taken[:, 0]) / points.shape[1]
    margin = DEVIATIONS * earned.std(ddof=1) / earned.size**0.5
    return f"{earned.mean():+.3f} ±{margin:.3f}"


if __name__ == "__main__":
    main()
