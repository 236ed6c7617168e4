"""Penalty shares of a player among copies of each of some others, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from policies.catalogue.names import load_player
from policies.play.simulation import PenaltyShare, penalty_share
from policies.players.player import Player
from policies.players.rule_based import NAMES


class Shares(NamedTuple):
    """Penalty shares at tables where one player sits among copies of another.

    With two players the two shares add up to 1. With more, an equilibrium strategy guarantees
    nothing to one player who follows it among others who do not; but if all others follow it, the
    one who does not gains nothing.
    """

    own: PenaltyShare
    """Of the measured player among copies of the other."""
    other: PenaltyShare
    """Of the other player among copies of the measured one."""


def penalty_shares(
    one: Player, rounds: int, seed: int, names: Sequence[str] = NAMES
) -> Iterator[dict[str, Shares]]:
    """Yield {name: shares} of `one` and of each of the players `names`, by default the rule-based
    ones, done so far: first an empty dict, then one more after each player.

    About `rounds` rounds are played for each of the two shares. Raises IllegalAction if `one`
    breaks the rules.
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
