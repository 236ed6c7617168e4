"""The players that can be named: those with simple rules, those shipped, and policy files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from game.errors import ZhaifeiError
from game.rules import Rules
from policies.network import load_weights
from policies.player import Player, PolicyPlayer, verify_rules
from policies.rule_based import NAMES, RandomPolicy, descriptions, rule_based
from policies.shipped import SHIPPED, shipped_descriptions, shipped_names, shipped_player_path
from policies.simulation import PenaltyShare, penalty_share
from policies.table import load_policy
from solver.storage import kind_of


def named_players(rules: Rules) -> list[str]:
    """The names that `player` knows, of those who play by `rules`."""
    return [*NAMES, *shipped_names(rules)]


def described_players() -> dict[str, str]:
    """What each player that has a name does, in one line for the screen."""
    return {**descriptions(), **shipped_descriptions()}


def player(name: str, rules: Rules) -> Player:
    """The player of this name for `rules`, or that of the policy or weights file at this path.

    Raises ZhaifeiError if it is neither, or does not play by these rules, and StorageError if the
    file is neither.
    """
    if name in NAMES:
        policy = rule_based(name, rules)
        return policy if isinstance(policy, RandomPolicy) else PolicyPlayer(policy, name)
    path = shipped_player_path(name, rules) if name in SHIPPED else Path(name)
    if not path.exists():
        raise ZhaifeiError(
            "no player is called {name!r}: there are {names}, and any policy file",
            name=name, names=", ".join(named_players(rules)),
        )  # fmt: skip
    load = load_weights if kind_of(path) == "weights" else load_policy
    found = PolicyPlayer(load(path), name)
    verify_rules(found, rules)
    return found


class Shares(NamedTuple):
    """Shares of the penalty points at tables where all but one are of a kind. Of two players they
    add up to 1; among more, an equilibrium promises nothing to one against many, but many of it
    give nothing away to one."""

    own: PenaltyShare
    """Of the one among copies of the other,"""
    other: PenaltyShare
    """and of the other among copies of the one."""


def penalty_shares(one: Player, rounds: int, seed: int) -> Iterator[dict[str, Shares]]:
    """The shares of `one` and each rule-based player, by its name: yielded as it grows, at first
    empty. `rounds` are those at each kind of table. Raises IllegalAction."""
    found: dict[str, Shares] = {}
    yield found
    for name in NAMES:
        other = player(name, one.rules)
        own, others = (
            penalty_share(*pair, one.rules, rounds, seed) for pair in ((one, other), (other, one))
        )
        found = {**found, name: Shares(own, others)}
        yield found
