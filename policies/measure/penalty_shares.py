"""Penalty shares of a player among copies of other players, and of those among copies of the
player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.play.simulation import PenaltyShare, penalty_share
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.rule_based import NAMES


class Shares(NamedTuple):
    """Penalty shares at tables where one player sits among copies of another.

    With two players the two shares add up to 1. With more, an equilibrium strategy guarantees
    nothing to a single player who follows it among others who do not. But if all others follow it,
    a player who deviates gains nothing.
    """

    own: PenaltyShare
    """The share of the measured player among copies of the other."""
    other: PenaltyShare
    """The share of the other player among copies of the measured one."""


def penalty_shares(
    one: BatchPlayer, rounds: int, seed: int, names: Sequence[str] = NAMES
) -> Iterator[dict[str, Shares]]:
    """Yield {name: shares} of `one` and the players done so far: first an empty dict, then one more
    player each time. The players are `names`, by default the rule-based ones.

    About `rounds` rounds are played for each of the two shares. Raise IllegalAction if `one` breaks
    the rules.
    """
    found: dict[str, Shares] = {}
    yield found
    for name in names:
        other = load_player(name, one.rules)
        own, others = (
            penalty_share(*pair, one.rules, rounds, seed) for pair in ((one, other), (other, one))
        )
        found = {**found, name: Shares(own, others)}
        yield found
