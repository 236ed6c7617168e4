"""Certified figures of strategies that others have described, written here after the descriptions.

    python -m benchmarks.peers
    python -m benchmarks.peers --seconds 60

All know their own dice and the last bid only, as most public programs for Liar's Dice do. The
probability rules take the other player's dice as fair. They challenge a bid that is less likely
than a limit, and otherwise make a raise chosen by likelihood. The solved one is the equilibrium
among players who remember only the last bid and never switch between 飞 and 斋 (`zhaifei solve
--single-bid`). Each line has the interval in which a best response's earnings lie, averaged over
both seats, in the full game of two players. Then comes what the strategy loses to the shipped
policy, also as an interval without sampling error. Both are in penalty points a round.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks._arguments import new_parser
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player, policy_of
from zhaifei.policies.measure.evaluation import Evaluation, refine_duel
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.rule_based import CHALLENGE, Rule, Situation, rule_based, tabulate

SECONDS = 120.0
"""The most seconds for the interval of one strategy."""


def likeliest(limit: float) -> Rule:
    """Return the rule that challenges below `limit` and otherwise makes the likeliest raise."""
    return lambda seen: _unless(seen, limit, seen.raises.argmax(axis=0))


def weakest_likely(limit: float) -> Rule:
    """Return the rule that challenges below `limit`. Otherwise it makes the weakest raise that is
    at least as likely as `limit`, or the likeliest raise if all are less likely."""

    def rule(seen: Situation) -> NDArray[np.int64]:
        likely = seen.raises >= limit
        first, best = likely.argmax(axis=0), seen.raises.argmax(axis=0)
        return _unless(seen, limit, np.where(likely.any(axis=0), first, best))

    return rule


def most_held(limit: float) -> Rule:
    """Return the rule that challenges below `limit` and otherwise makes the weakest raise of a face
    of which the hand holds most, ones included where they are wild."""
    return lambda seen: _unless(seen, limit, seen.own.argmax(axis=0))


def smaller_risk(seen: Situation) -> NDArray[np.int64]:
    """Challenge where the last bid is less likely than the likeliest raise is to be challenged in
    vain: where it is the smaller risk. Otherwise make the likeliest raise."""
    return _unless(seen, 1.0 - seen.raises.max(axis=0), seen.raises.argmax(axis=0))


def _unless(
    seen: Situation, limit: float | NDArray[np.float64], raised: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return [hand] the raise, or CHALLENGE where the last bid is less likely than `limit`."""
    return np.where(seen.last < limit, CHALLENGE, raised)


RULES: dict[str, Rule] = {
    "challenges below 50 %, makes the likeliest raise": likeliest(0.5),
    "takes the smaller risk of the two": smaller_risk,
    "challenges below 50 %, makes the weakest raise above 50 %": weakest_likely(0.5),
    "challenges below 50 %, raises the face it holds most of": most_held(0.5),
}


def peers(rules: Rules) -> Iterator[tuple[str, Policy]]:
    """Yield the strategies by name; the solved one only where it comes with the package."""
    for name, rule in RULES.items():
        yield name, tabulate(rules, rule)
    if rules == preset("zhaifei"):
        yield "CFR that remembers the last bid only", policy_of(load_player("single-bid", rules))


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    arguments = parser.parse_args()
    small = bool(arguments.smallest)
    rules = preset("zhaifei", dice=1, faces=3) if small else preset("zhaifei")
    reference = (
        rule_based("honest", rules) if small else policy_of(load_player("zhaifei-2p", rules))
    )
    for name, policy in peers(rules):
        *_, found = Evaluation(policy, threads=2).refine(gap=1e-4, seconds=arguments.seconds)
        *_, (first, second) = refine_duel(reference, policy, gap=1e-4, seconds=arguments.seconds)
        bounds, lost = found.exploitability, (first + second) / 2.0
        print(
            f"{name}: [{bounds.lower:.4f}, {bounds.upper:.4f}]; "
            f"loses [{lost.lower:+.4f}, {lost.upper:+.4f}] to the shipped policy",
            flush=True,
        )


if __name__ == "__main__":
    main()
