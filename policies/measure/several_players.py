"""Measurements of a shipped policy for three players or more, for the report: its exact NashConv,
its openings, and its penalty shares among other players."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.shipped import LEARNED_BY_SEVERAL, POLICIES
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.measure.mixed_tables import MixedTables, mixed_tables
from zhaifei.policies.measure.openings import OpeningPlay, opening_play
from zhaifei.policies.measure.penalty_shares import Shares, penalty_shares
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.reading_policy import as_played
from zhaifei.policies.players.rule_based import NAMES, RULES
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import BestResponse, Bounds

FEWER = 2
"""The factor by which fewer rounds are played at each mixed table: there are up to 35 tables."""
FEWER_WITH_NETWORKS = 4
"""The factor by which fewer rounds are played at each mixed table with networks: there are up to
105 tables."""
MIXED_WITH = (*RULES, READER)
"""The players of mixed tables: N - 1 different ones at each."""

OnProgress = Callable[[Message, int, int], None]
"""Called with the current stage, the work done in it, and all of its work."""


@dataclass(frozen=True)
class SeveralResults:
    """Results of one policy, which plays as shipped: it reads hands off its lines."""

    name: str
    rules: Rules
    earned: BestResponse
    """The value of best responses against the table of the policy: exact."""
    gains: tuple[Bounds, ...]
    """[seat] the gain of best responses over the table itself."""
    opening: OpeningPlay
    """Openings if all play the table."""
    shares: Mapping[str, Shares]
    """{player of `others_for`: penalty shares}"""
    mixed: MixedTables
    """Results of tables with players of MIXED_WITH."""
    with_networks: MixedTables | None
    """Results of tables with networks and players of MIXED_WITH, where networks know the game."""


def shipped_for_several() -> list[str]:
    """Return the names of the shipped policies for three players and more, by the number of
    players, with 跳开 last."""
    several = {name: rules for name, rules in POLICIES.items() if rules.players > 2}
    return sorted(
        several, key=lambda name: (several[name].stakes.jump_challenge, several[name].players)
    )


def others_for(rules: Rules) -> list[str]:
    """Return the names of the players among whom the policy for `rules` sits alone, and who sit
    alone among copies of the policy: the networks for these rules come last."""
    return [*NAMES, READER, *networks_for(rules)]


def networks_for(rules: Rules) -> list[str]:
    """Return the names of the networks of three players and more that play by `rules`."""
    return [name for name, its in LEARNED_BY_SEVERAL.items() if its == rules]


def measure_several(
    name: str, policy: TablePolicy, rounds: int, seed: int, on_progress: OnProgress
) -> SeveralResults:
    """Measure `policy`, a table with full recall for three players or more.

    About `rounds` rounds are played for each penalty share, rounds / FEWER at each mixed table, and
    rounds / FEWER_WITH_NETWORKS at each mixed table with networks.
    """
    rules, player = policy.rules, PolicyPlayer(as_played(policy), name)
    evaluation = Evaluation(policy, os.cpu_count() or 1)
    *_, earned = evaluation.refine()
    opening = opening_play(policy, rounds, seed)
    others = others_for(rules)
    for shares in penalty_shares(player, rounds, seed, others):
        on_progress(Message("penalty shares of {player}", player=name), len(shares), len(others))
    mixed = _mixed(player, [], rounds // FEWER, seed, on_progress)
    networks = [load_player(network, rules) for network in networks_for(rules)]
    few = rounds // FEWER_WITH_NETWORKS
    with_networks = _mixed(player, networks, few, seed, on_progress) if networks else None
    gains = evaluation.gains(earned, 0.0)
    return SeveralResults(name, rules, earned, gains, opening, shares, mixed, with_networks)


def _mixed(
    player: PolicyPlayer,
    networks: Sequence[BatchPlayer],
    rounds: int,
    seed: int,
    on_progress: OnProgress,
) -> MixedTables:
    """Return the results of tables with players of MIXED_WITH or, if there are `networks`, of those
    tables that have at least one of these, too."""
    others = [load_player(other, player.rules) for other in MIXED_WITH]
    seats = player.rules.players - 1
    without = comb(len(others), seats)
    planned = comb(len(others) + len(networks), seats) - without if networks else without
    stage = (
        Message("mixed tables of {player} with networks", player=str(player))
        if networks
        else Message("mixed tables of {player}", player=str(player))
    )
    for found in mixed_tables(player, others, rounds, seed, networks):
        on_progress(stage, found.tables, planned)
    return found
