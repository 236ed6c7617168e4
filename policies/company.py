"""Who sits down at a table: the policy that it is about, and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from game.errors import ZhaifeiError
from game.rules import Rules
from policies.advice import Adviser
from policies.player import Player, PolicyPlayer
from policies.players import player
from policies.table import TablePolicy, load_policy

FALLBACK = "probabilistic"
"""The rule-based player that takes the place of a policy where there is none."""


@dataclass(frozen=True)
class Company:
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

    def adviser(self) -> Adviser:
        """Gives hints as the policy has them."""
        return Adviser(self.policy)


def gather(rules: Rules | None, policy: Path | None, opponents: Sequence[str]) -> Company:
    """The policy of a file, or else FALLBACK, and the named opponents. Without `rules` the policy
    says what they are. Raises ZhaifeiError, as `policies.players.player` does."""
    if rules is None:
        assert policy is not None
        main = PolicyPlayer(load_policy(policy), str(policy))
    else:
        found = player(FALLBACK if policy is None else str(policy), rules)
        assert isinstance(found, PolicyPlayer)
        main = found
    assert isinstance(main.policy, TablePolicy)
    named = tuple(player(name, main.rules) for name in opponents)
    return Company(main.policy, main, named)


def short_name(one: Player) -> str:
    """What a player is called at the table: files without their directories."""
    return Path(str(one)).name.removesuffix(".safetensors")
