"""Which share of the penalty points a player takes among copies of each rule-based player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from policies.catalogue.names import load_player
from policies.play.simulation import PenaltyShare, penalty_share
from policies.players.player import Player
from policies.players.rule_based import NAMES


class Shares(NamedTuple):
    """Shares of the penalty points at tables where all but one player are of a kind.

    Of two players they add up to 1. Among more, an equilibrium promises nothing to one against
    many, but many of it give nothing away to one.
    """

    own: PenaltyShare
    """Of the one among copies of the other."""
    other: PenaltyShare
    """Of the other among copies of the one."""


def penalty_shares(one: Player, rounds: int, seed: int) -> Iterator[dict[str, Shares]]:
    """Yield the shares of `one` and of each rule-based player met so far, by its name: at first
    none. Each kind of table plays `rounds`. Raises IllegalAction."""
    found: dict[str, Shares] = {}
    yield found
    for name in NAMES:
        other = load_player(name, one.rules)
        own, others = (
            penalty_share(*pair, one.rules, rounds, seed) for pair in ((one, other), (other, one))
        )
        found = {**found, name: Shares(own, others)}
        yield found
