"""The lineup of a table: a policy and its opponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.known import (
    known_record,
    load_known,
    match_asked,
    named_match_record,
)
from zhaifei.policies.catalogue.names import player_named
from zhaifei.policies.catalogue.record import PolicyRecord
from zhaifei.policies.catalogue.shipped import is_shipped
from zhaifei.policies.players.player import Player
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.resolving import MEMORY, PLAYING, resolving
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.policies.players.table_policy import TablePolicy

FALLBACK = "probabilistic"
"""The rule-based player that stands in if no policy is known."""


@dataclass(frozen=True)
class Lineup:
    """The players of one table."""

    player: Player
    """The player of every seat for which no other player is named: the policy, or its stand-in. It
    re-solves positions if it can."""
    named: tuple[Player, ...]
    """The opponents that the user named."""
    record: PolicyRecord | None = None
    """The record of the policy; None if a rule-based player stands in for the policy."""
    policy: TablePolicy | None = None
    """The policy that gives the hints in rounds for penalty points; None where dice are lost."""

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self.player.rules

    @property
    def policy_name(self) -> str:
        """The policy in a form that `--policy` accepts in any directory: a name, or an absolute
        path."""
        if self.record is None:
            return str(self.player) if self.policy is None else FALLBACK
        path = Path(self.record.name)
        if not path.exists():
            return self.record.name
        return path.stem if is_shipped(path) else str(path.absolute())

    def opponents(self, count: int) -> list[Player]:
        """Return `count` opponents, the named ones in turn. Raise ZhaifeiError if more are
        named."""
        if len(self.named) > count:
            raise ZhaifeiError(
                "{named} opponents are named, but there are seats for {count}",
                named=len(self.named),
                count=count,
            )
        players = self.named or (self.player,)
        return [players[place % len(players)] for place in range(count)]


def choose_lineup(policy: Path | None, rules: Rules | None, opponents: Sequence[str]) -> Lineup:
    """Return the lineup of a table, with the policy at this path or of the player of this name. If
    it is None, take the known policy for `rules` (None: the full game of two players), or else
    FALLBACK.

    Raise ZhaifeiError for a policy of other rules, and as `policies.catalogue.names.player_named`
    does.
    """
    of_match = match_asked(policy, rules)
    if of_match is not None:
        return _lineup_for_dice(None if policy is None else str(policy), of_match, opponents)
    wanted = rules or preset("zhaifei")
    if policy is None and known_record(wanted) is None:
        return line_up(stand_in(wanted), FALLBACK, opponents)
    found, record = load_known(policy, rules)
    return replace(line_up(found, record.name, opponents), record=record)


def _lineup_for_dice(name: str | None, rules: Rules, opponents: Sequence[str]) -> Lineup:
    record = known_record(rules) if name is None else named_match_record(name)
    player = player_named(name or (FALLBACK if record is None else record.name), rules)
    return Lineup(player, tuple(player_named(one, rules) for one in opponents), record)


def line_up(
    policy: TablePolicy, name: str, opponents: Sequence[str], memory: int = MEMORY
) -> Lineup:
    """Return the lineup of a policy, called `name`, and the named opponents. A policy that solves
    again keeps `memory` bytes of results. Raise ZhaifeiError as
    `policies.catalogue.names.player_named` does."""
    named = tuple(player_named(opponent, policy.rules) for opponent in opponents)
    again = resolving(policy, effort=PLAYING, memory=memory)
    player = PolicyPlayer(again or as_played(policy), name)
    return Lineup(player, named, policy=policy)


def stand_in(rules: Rules) -> TablePolicy:
    """Return the policy of the rule-based player FALLBACK."""
    policy = rule_based(FALLBACK, rules)
    assert isinstance(policy, TablePolicy)
    return policy


def verify_seat(rules: Rules, seat: int) -> None:
    """Raise ZhaifeiError unless there is a seat with this number, counted from 1."""
    if not 1 <= seat <= rules.players:
        raise ZhaifeiError(
            "there is no seat {seat}: seats are 1 to {players}", seat=seat, players=rules.players
        )
