"""Who sits at a table: the policy that it is about, and its opponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game.errors import ZhaifeiError
from game.rules import Rules
from policies.catalogue.names import player
from policies.players.player import Player, PolicyPlayer
from policies.players.rule_based import rule_based
from policies.players.table_policy import TablePolicy

FALLBACK = "probabilistic"
"""The rule-based player that takes the place of a policy where there is none."""


@dataclass(frozen=True)
class TableLineup:
    """Players for one table."""

    policy: TablePolicy
    """Gives hints."""
    player: Player
    """Plays the policy, wherever nobody else is named."""
    named: tuple[Player, ...]
    """The opponents that were asked for."""

    @property
    def rules(self) -> Rules:
        """What is played."""
        return self.policy.rules

    def opponents(self, count: int) -> list[Player]:
        """So many of those who were asked for, in turn. Raises ZhaifeiError for more of them."""
        if len(self.named) > count:
            raise ZhaifeiError(
                "{named} opponents are named, but there are seats for {count}",
                named=len(self.named), count=count,
            )  # fmt: skip
        players = self.named or (self.player,)
        return [players[place % len(players)] for place in range(count)]


def line_up(policy: TablePolicy, name: str, opponents: Sequence[str]) -> TableLineup:
    """A policy, called so, and the named opponents. Raises ZhaifeiError, as
    `policies.catalogue.names.player` does."""
    named = tuple(player(opponent, policy.rules) for opponent in opponents)
    return TableLineup(policy, PolicyPlayer(policy, name), named)


def stand_in(rules: Rules) -> TablePolicy:
    """The policy of the rule-based player FALLBACK."""
    policy = rule_based(FALLBACK, rules)
    assert isinstance(policy, TablePolicy)
    return policy
