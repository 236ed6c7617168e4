"""Read the others' hands: how the likelihood was chosen, and its effect at tables.

    python -m benchmarks.reading --choose
    python -m benchmarks.reading
    python -m benchmarks.reading --policy three.safetensors

**The choice** (`--choose`). The player `reader` sits alone among N - 1 copies of each player in
CHOSEN_ON, with different settings of `PlausibleBidding`. With `--policy` the policy does, with
different settings of `ReadingPolicy`. All other players are only reported on.

**The tables** give penalty shares; 1 / N is fair, less is better. `±` is half the 95 % confidence
interval. The measured player is the reader, or the policy and its plain table:

- the measured player alone among N - 1 copies of each other player;
- each other player alone among N - 1 copies of the measured player;
- with `--policy` also the policy alone among copies of its plain table and of each file after
  `--against`, and each of these alone among copies of the policy.

**Mixed tables** have N - 1 different players, in all combinations: rule-based players and `reader`,
and then the same with at least one network for as many players. The order of the players matters:
whoever follows an aggressive player gets the bids that are false. So each deal has an order drawn
at random, and is played in all rotations of it. Shown are the penalty shares over all tables, and
the number of tables at which nobody takes fewer points than the policy, in all and beyond the 95 %
confidence interval.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

from benchmarks._arguments import new_parser
from benchmarks._opponents import STRATEGY_FILES
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.mixed_tables import mixed_tables
from zhaifei.policies.measure.several_players import MIXED_WITH, networks_for
from zhaifei.policies.play.simulation import PenaltyShare, penalty_share
from zhaifei.policies.players.player import BatchPlayer, short_name
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.reading import FLOOR, POWER
from zhaifei.policies.players.reading_policy import TIMES, ReadingPolicy
from zhaifei.policies.players.rule_based import RULES
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.players.table_reading import FOLLOWS, SURPRISE

CHOSEN_ON = ("honest", "aggressive", "face-by-face")
REPORTED_ON = (
    *(name for name in RULES if name not in CHOSEN_ON),
    "random",
    *map(str, STRATEGY_FILES),
)
"""The players that are only reported on. The files are strategies of other kinds."""
_SLOWER = 5
"""The factor by which fewer rounds are played among strategies in files."""

POWERS, FLOORS = (1.0, 2.0, POWER, 4.0, 5.0), (0.02, FLOOR, 0.1)
FOLLOWING, LIKELIER = (0.2, FOLLOWS, 0.8, 0.95), (1.0, TIMES, 10.0)
SURPRISES = (0.01, SURPRISE, 0.2)


def main() -> None:
    """Print the choice or the tables."""
    parser = new_parser(__doc__)
    parser.add_argument("--choose", action="store_true", help="compare settings")
    parser.add_argument("--policy", type=Path, help="a policy file of three players or more")
    parser.add_argument("--against", type=Path, nargs="*", default=[], help="other policy files")
    parser.add_argument("--players", type=int, nargs="*", default=[2, 3, 4, 5, 6])
    parser.add_argument("--rounds", type=int, default=30_000, help="a table")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.smallest:
        arguments.players, arguments.rounds = [3], 30
    if arguments.policy:
        _with_policy(arguments)
    elif arguments.choose:
        _choose(
            {
                f"power {power:g} floor {floor:g}": [
                    _reader(preset("zhaifei", players=players), power, floor)
                    for players in arguments.players
                ]
                for power, floor in product(POWERS, FLOORS)
            },
            arguments,
        )
    else:
        for players in arguments.players:
            _tables([load_player("reader", preset("zhaifei", players=players))], arguments)


def _reader(rules: Rules, power: float, floor: float) -> BatchPlayer:
    return PolicyPlayer(Reader(rules, power, floor), "reader")


def _with_policy(arguments: argparse.Namespace) -> None:
    plain = load_policy(arguments.policy)

    def reading(**settings: float) -> BatchPlayer:
        return PolicyPlayer(ReadingPolicy(plain, **settings), "reading")

    others = [PolicyPlayer(load_policy(path), str(path)) for path in arguments.against]
    table = PolicyPlayer(plain, "plain")
    if not arguments.choose:
        _tables([reading(), table], arguments, [table, *others])
        return
    settings = [
        *(dict(follows=follows, times=times) for follows, times in product(FOLLOWING, LIKELIER)),
        *(dict(surprise=surprise) for surprise in SURPRISES),
    ]
    named = {
        " ".join(f"{name} {one:g}" for name, one in each.items()): [reading(**each)]
        for each in settings
    }
    _choose(named, arguments, table)


def _choose(
    settings: dict[str, list[BatchPlayer]],
    arguments: argparse.Namespace,
    plain: BatchPlayer | None = None,
) -> None:
    """Print the mean share among players in CHOSEN_ON by setting and number of players, and the
    share alone among copies of `plain`."""
    for name, players in settings.items():
        means = [
            fmean(
                _alone(one, load_player(other, one.rules), arguments).share for other in CHOSEN_ON
            )
            for one in players
        ]
        fair = fmean(mean * one.rules.players for mean, one in zip(means, players, strict=True))
        row = " ".join(f"{mean:.4f}" for mean in means)
        against = "" if plain is None else _shown(_alone(players[0], plain, arguments))
        print(f"{name:28} {row}  times fair: {fair:.4f}  {against}", flush=True)


def _tables(
    players: Sequence[BatchPlayer],
    arguments: argparse.Namespace,
    tables: Sequence[BatchPlayer] = (),
) -> None:
    """Print the shares of `players`, side by side, and the share of the first among copies of each
    of `tables`."""
    rules = players[0].rules
    print(f"{rules}; fair: {1.0 / rules.players:.3f}")
    print(f"{'':20} {'alone among them':>32} {'one of them among copies of it':>34}")
    # Each file is a process, which takes longer to start than its rounds.
    without = {*map(str, STRATEGY_FILES[1:])} if arguments.smallest else set()
    names = [name for name in (*CHOSEN_ON, *REPORTED_ON) if name not in without]
    means: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        other = load_player(name, rules)
        alone = [_alone(one, other, arguments) for one in players]
        among = [_alone(other, one, arguments) for one in players]
        means[name] = [share.share for share in alone]
        row = "  ".join(map(_shown, [*alone, *among]))
        print(f"{short_name(name):20} {row}", flush=True)
    for label, kinds in (("three chosen on", CHOSEN_ON), ("all six", RULES)):
        mean = [fmean(means[name][place] for name in kinds) for place in range(len(players))]
        print(f"{label:20} {'  '.join(f'{one:.4f}' for one in mean)}")
    for table in tables:
        pairs = ((players[0], table), (table, players[0]))
        row = "  ".join(_shown(_alone(*pair, arguments)) for pair in pairs)
        print(f"{short_name(table):20} {row}", flush=True)
    for one in players:
        _mixed(one, arguments)


def _mixed(player: BatchPlayer, arguments: argparse.Namespace) -> None:
    """Print the penalty shares of `player` and of the others over all mixed tables, and then over
    those with networks. Print also the number of tables at which nobody has fewer points than
    `player`."""
    rules, rounds = player.rules, arguments.rounds
    others = [load_player(name, rules) for name in MIXED_WITH if name != str(player)]
    networks = [load_player(name, rules) for name in networks_for(rules)]
    kinds = {"mixed tables": [], **({"with networks": networks} if networks else {})}
    for label, featured in kinds.items():
        *_, found = mixed_tables(player, others, rounds, arguments.seed, featured)
        shown = "  ".join(f"{short_name(name)} {_shown(one)}" for name, one in found.shares.items())
        least = f"least at {found.least} of {found.tables}, clearly at {found.clearly}"
        print(f"{label}, {least}: {shown}", flush=True)


def _alone(one: BatchPlayer, other: BatchPlayer, arguments: argparse.Namespace) -> PenaltyShare:
    files = any(str(player).endswith(".py") for player in (one, other))
    rounds = arguments.rounds // (_SLOWER if files else 1)
    return penalty_share(one, other, one.rules, rounds, arguments.seed)


def _shown(share: PenaltyShare) -> str:
    return f"{share.share:.4f} ±{share.margin:.4f}"


if __name__ == "__main__":
    main()
