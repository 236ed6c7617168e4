"""What decisions of the rule-based players cost, and how much of the variance of results is luck.

    python -m benchmarks.review --players 2
    python -m benchmarks.review --players 5 --rounds 40

At each table one rule-based player sits among copies of the shipped policy, which reviews the
player's decisions (`policies.review`). For each player the benchmark prints the share of decisions
of each grade, and quantiles of the costs that are beyond doubt. Last come the figures for all
players together, from which the limits of `policies/review/grades.py` are set. It then prints the
standard deviation per round of the player's utility, and of the estimate of their skill after luck
is removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from statistics import stdev

import numpy as np

from benchmarks._arguments import new_parser
from benchmarks._trained import SMALLEST, trained
from zhaifei.game.hands import Hand
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, played_round
from zhaifei.policies.play.table import LiveTable, sit_down
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy, rule_based
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.review.decisions import ReviewedDecision, Reviewer, reviewer_of
from zhaifei.policies.review.grades import Grade
from zhaifei.policies.review.luck import RoundLuck, Shares
from zhaifei.policies.review.reviewing import review_round

PLAYERS = [name for name in NAMES if name != "random"]
"""The players that know their dice."""
_QUANTILES = (0.25, 0.5, 0.75, 0.9)
_SECONDS = 60.0
"""Seconds to solve a position again: enough for all passes."""


class Keeper:
    """An Onlooker that keeps the rounds."""

    def __init__(self) -> None:
        self.rounds: list[PlayedRound] = []
        self._actions: list[int] = []

    def begin(
        self, number: int, starter: int, points: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        """See Onlooker."""
        self._actions = []

    def act(self, view: View, action: int) -> None:
        """See Onlooker."""
        self._actions.append(action)

    def settle(self, round_: Round, points: Sequence[int]) -> None:
        """See Onlooker."""
        hands = [tuple(hand) for hand in round_.hands]
        found = played_round(round_.rules, round_.starter, hands, self._actions)
        self.rounds.append(found)


def played_match(players: Sequence[BatchPlayer], rounds: int, seed: int) -> PlayedMatch:
    """Return a match between `players` [seat]."""
    match, seats = sit_down(players, seed)
    keeper = Keeper()
    LiveTable(match, seats, keeper).play(rounds)
    names = tuple(map(str, players))
    return PlayedMatch(match.rules, names, 0, seed, None, version("zhaifei"), tuple(keeper.rounds))


def player_named(name: str, rules: Rules) -> BatchPlayer:
    """Return a rule-based player."""
    policy = rule_based(name, rules)
    return policy if isinstance(policy, RandomPolicy) else PolicyPlayer(policy, name)


def measure(
    reviewer: Reviewer, name: str, rounds: int, seed: int
) -> tuple[list[ReviewedDecision], list[RoundLuck]]:
    """Return the decisions of a rule-based player, and the luck of each round."""
    playing = as_played(reviewer.policy)
    others = [PolicyPlayer(playing)] * (reviewer.rules.players - 1)
    match = played_match([player_named(name, reviewer.rules), *others], rounds, seed)
    known = dict.fromkeys(range(1, reviewer.rules.players), playing)
    shares = Shares()
    decisions: list[ReviewedDecision] = []
    told: list[RoundLuck] = []
    for one in match.rounds:
        found = review_round(reviewer, one, 0, known=known, share=shares.next)
        assert found.luck is not None, "all rounds have ended"
        shares.learn(found.luck)
        decisions += found.decisions
        told.append(found.luck)
    return decisions, told


def print_costs(name: str, decisions: Sequence[ReviewedDecision]) -> None:
    """Print the grades of decisions, and quantiles of the costs that are beyond doubt."""
    grades = "  ".join(
        f"{grade} {sum(one.grade is grade for one in decisions) / len(decisions):.2f}"
        for grade in Grade
    )
    costs = [one.charged for one in decisions if one.charged > 0.0] or [0.0]
    quantiles = "  ".join(f"{cost:.3f}" for cost in np.quantile(costs, _QUANTILES))
    print(f"{name:14} {len(decisions):4} decisions: {grades};  {len(costs)} costs {quantiles}")


def print_spread(name: str, rounds: Sequence[RoundLuck]) -> None:
    """Print the standard deviations of utility and of skill."""
    earned = stdev(one.earned - one.value for one in rounds)
    skill = stdev(one.skill for one in rounds)
    times = (earned / skill) ** 2 if skill > 0.0 else float("inf")
    print(
        f"{name:14} {len(rounds):4} rounds: standard deviation {earned:.3f} -> {skill:.3f}; "
        f"the plain estimate needs {times:.1f} times as many rounds"
    )


def main() -> None:
    parser = new_parser(__doc__)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=20, help="for each rule-based player")
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--no-resolve", action="store_true", help="by the policy's table alone")
    arguments = parser.parse_args()
    names, rounds = PLAYERS, arguments.rounds
    if arguments.smallest:
        policy: TablePolicy = trained(SMALLEST, 50)
        names, rounds = PLAYERS[:1], 3
    else:
        policy = load_known(None, preset("zhaifei", players=arguments.players)).policy
    reviewer = reviewer_of(policy, 0.0 if arguments.no_resolve else _SECONDS)
    decisions, lucks = [], []
    for name in names:
        own, luck = measure(reviewer, name, rounds, arguments.seed)
        print_costs(name, own)
        print_spread(name, luck)
        decisions += own
        lucks += luck
    print_costs("all", decisions)
    print_spread("all", lucks)


if __name__ == "__main__":
    main()
