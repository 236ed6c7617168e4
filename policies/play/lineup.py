"""The lineup of a table: a policy and its opponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.known import known_record, load_for
from zhaifei.policies.catalogue.names import load_player, player_named, player_names
from zhaifei.policies.catalogue.record import PolicyRecord
from zhaifei.policies.catalogue.shipped import is_match, is_shipped
from zhaifei.policies.players.match_policy import MatchPlayer, MatchPolicy, SolvedPolicy
from zhaifei.policies.players.player import Player
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.resolving import MEMORY, PLAYING, resolving
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
    policy: SolvedPolicy | None = None
    """The policy that gives the hints; None if a player without tables plays."""

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


def choose_lineup(
    policy: Path | None, rules: Rules | None, opponents: Sequence[str], memory: int = MEMORY
) -> Lineup:
    """Return the lineup of a table, with the policy at this path or of the player of this name. If
    it is None, take the known policy for `rules` (None: the full game of two players), or else
    FALLBACK. A policy that solves again keeps `memory` bytes of results.

    Raise ZhaifeiError for a policy of other rules, and as `policies.catalogue.names.player_named`
    does.
    """
    wanted = rules or preset("zhaifei")
    if policy is None and known_record(wanted) is None:
        return _line_up(player_named(FALLBACK, wanted), opponents)
    if policy is not None and wanted.loses_dice and not is_match(str(policy)):
        return _line_up(player_named(str(policy), wanted), opponents)
    found, record = load_for(policy, rules)
    player = player_of(found, record.name, rules or found.rules, memory)
    return replace(_line_up(player, opponents), record=record, policy=found)


def strongest_lineup(policy: Path | None, rules: Rules, memory: int = MEMORY) -> Lineup:
    """Return the lineup of the policy that was named or is known for `rules`. Where no policy is
    known, the strongest player for any rules plays, and FALLBACK gives the hints if it can. Raise
    as `choose_lineup` does."""
    found = choose_lineup(policy, None if policy else rules, (), memory)
    if found.record is None and READER in player_names(rules):
        return replace(found, player=load_player(READER, rules))
    return found


def _line_up(player: Player, opponents: Sequence[str]) -> Lineup:
    """Return the lineup of a player and the named opponents. The player gives hints if it has a
    table."""
    policy = player.policy if isinstance(player, PolicyPlayer) else None
    named = tuple(player_named(opponent, player.rules) for opponent in opponents)
    return Lineup(player, named, policy=policy if isinstance(policy, TablePolicy) else None)


def player_of(policy: SolvedPolicy, name: str, rules: Rules, memory: int = MEMORY) -> Player:
    """Return the player, called `name`, of a policy at a table with these rules. If it solves
    positions again, it keeps `memory` bytes of results."""
    if isinstance(policy, MatchPolicy):
        return MatchPlayer(rules, policy, name)
    again = resolving(policy, effort=PLAYING, memory=memory)
    return PolicyPlayer(again or as_played(policy), name)


def verify_seat(rules: Rules, seat: int) -> None:
    """Raise ZhaifeiError unless there is a seat with this number, counted from 1."""
    if not 1 <= seat <= rules.players:
        raise ZhaifeiError(
            "there is no seat {seat}: seats are 1 to {players}", seat=seat, players=rules.players
        )
