"""Load players by name: rule-based players, players of one variant, and players in files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules, preset_name
from zhaifei.policies.catalogue import increment
from zhaifei.policies.catalogue.kept import kept_descriptions, kept_or_path
from zhaifei.policies.catalogue.record import Measure, measure_of
from zhaifei.policies.catalogue.shipped import (
    SHIPPED,
    for_rules,
    is_match,
    shipped_description,
    shipped_names,
    shipped_path,
    shipped_player_path,
)
from zhaifei.policies.players import reader
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.match_policy import MatchPlayer, load_match
from zhaifei.policies.players.network import load_weights
from zhaifei.policies.players.player import PLAIN, BatchPlayer, Player, verify_rules
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.q_player import q_player
from zhaifei.policies.players.reading_policy import ReadingPolicy, as_played
from zhaifei.policies.players.resolving import PLAYING, resolving, unsolvable
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy, descriptions, rule_based
from zhaifei.policies.players.rule_based_decider import rule_based_decider
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.solver.files.storage import kind_of

RESOLVE = "+resolve"
"""The ending of the name of a policy that re-solves positions."""
PLAY_OUT = "+playout"
"""The ending of the name of a policy of several players that plays rounds out."""
LEARN = "+learn"
"""The ending of the name of a policy that learns how the others play."""


def player_names(rules: Rules) -> list[str]:
    """Return the names of the players for `rules`, which `load_player` or, where dice are lost,
    `load_decider` accepts."""
    return [*NAMES, *_reader_names(rules), *increment.names_for(rules), *shipped_names(rules)]


def _reader_names(rules: Rules) -> list[str]:
    return [] if rules.loses_dice else [reader.NAME]


def described_players() -> dict[Message, dict[str, Message]]:
    """Return a one-line description of each named player, grouped by the rules that it plays."""
    return {
        Message("all rules"): descriptions(),
        Message("all rules for penalty points"): {reader.NAME: reader.description()},
        Message("zhaifei, two players with five dice each"): _shipped("exploitability", "zhaifei"),
        Message("ktv and southern, two players with five dice each"): _shipped(
            "exploitability", "ktv", "southern"
        ),
        Message("zhaifei, more players with five dice each"): _shipped("nash_conv", "zhaifei"),
        Message("matches of two in which dice are lost, five dice each"): _shipped(
            "match_gain", "knockout", "classic"
        ),
        Message("increment and published only"): increment.descriptions(),
        Message("solved or trained by yourself"): kept_descriptions(),
    }


def _shipped(measure: Measure, *presets: str) -> dict[str, Message]:
    """Return a one-line description of the shipped players that are compared by `measure` and play
    by these presets."""
    return {
        name: shipped_description(name)
        for name, its in SHIPPED.items()
        if measure_of(its) == measure and preset_name(its) in presets
    }


def load_player(name: str, rules: Rules) -> BatchPlayer:
    """Load the player of this name for `rules`, or the player in the policy, weights or strategy
    file at this path.

    A policy plays `as_played`; if PLAIN stands before its name or path, its table plays unchanged.
    With RESOLVE after the name of a policy of two players, it re-solves positions; with PLAY_OUT
    after the name of a policy of more players, it plays rounds out. A name with LEARN is refused:
    see `player_named`.

    Raise ZhaifeiError if there is no such player or it does not play by these rules, PlugInError
    for a strategy file that cannot be used, and StorageError if the file is of another kind.
    """
    if name.endswith(RESOLVE):
        return _resolving(name, rules)
    if name.endswith(PLAY_OUT):
        return _playing_out(name, rules)
    if name.endswith(LEARN):
        raise ZhaifeiError(
            "{name} remembers earlier rounds: it plays in arena, play and watch alone", name=name
        )
    if name in NAMES:
        policy = rule_based(name, rules)
        return policy if isinstance(policy, RandomPolicy) else PolicyPlayer(policy, name)
    if name == reader.NAME:
        return PolicyPlayer(reader.Reader(rules), name)
    path = _path(name, rules)
    if path.suffix == ".py":
        return PlugInPlayer(PlugIn(path, rules))
    found = PolicyPlayer(_policy_in(path, plain=name.startswith(PLAIN)), name)
    verify_rules(found, rules)
    return found


def _resolving(name: str, rules: Rules) -> BatchPlayer:
    """Return the player whose name ends with RESOLVE. Raise as `load_player` does."""
    plain = _before(RESOLVE, name, rules)
    again = resolving(plain.policy, effort=PLAYING) if isinstance(plain, PolicyPlayer) else None
    if again is None:
        raise unsolvable()
    return PolicyPlayer(again, name)


def _playing_out(name: str, rules: Rules) -> BatchPlayer:
    """Return the player whose name ends with PLAY_OUT. Raise as `load_player` does."""
    plain = _before(PLAY_OUT, name, rules)
    if not (isinstance(plain, PolicyPlayer) and isinstance(plain.policy, ReadingPolicy)):
        raise ZhaifeiError(
            "only policies of three players or more that remember all bids play rounds out"
        )
    from zhaifei.policies.players.rollouts import RolloutPlayer  # noqa: PLC0415  # few play out

    return RolloutPlayer(plain.policy, name)


def _learning(name: str, rules: Rules) -> Player:
    """Return the player whose name ends with LEARN. Raise as `load_player` does."""
    plain = _before(LEARN, name, rules)
    policy = plain.policy if isinstance(plain, PolicyPlayer) else None
    if isinstance(policy, ReadingPolicy):
        policy = policy.plain
    if not isinstance(policy, TablePolicy):
        raise ZhaifeiError("only solved policies learn how the others play")
    from zhaifei.policies.learning.player import learning_player  # noqa: PLC0415  # few learn

    return learning_player(policy, name)


def _before(ending: str, name: str, rules: Rules) -> BatchPlayer:
    """Return the player whose name stands before the `ending`. The shipped policy for `rules` may
    be called by the name of its file."""
    named, shipped = name.removesuffix(ending), shipped_path(rules)
    if shipped is not None and named == shipped.stem:
        named = str(shipped)
    return load_player(named, rules)


def _policy_in(path: Path, *, plain: bool) -> Policy:
    if plain:
        return load_policy(path)
    return load_weights(path) if kind_of(path) == "weights" else as_played(load_policy(path))


def policy_of(one: BatchPlayer) -> Policy:
    """Return the policy of a named player, or of the player of a policy or weights file."""
    if isinstance(one, PolicyPlayer):
        return one.policy
    assert isinstance(one, RandomPolicy), "all other players of this kind are PolicyPlayers"
    return one


@dataclass(frozen=True)
class LoadedPlayer:
    """The player called `name` in matches by `rules`, in which dice are lost. It is loaded for each
    seat anew."""

    rules: Rules
    name: str

    def __str__(self) -> str:
        return self.name

    def sit(self, random: np.random.Generator) -> Decider:
        """See Player. Raise as `load_decider` does."""
        return load_decider(self.name, self.rules, random)


def player_named(name: str, rules: Rules) -> Player:
    """Return the player of this name or file for `rules`. With LEARN after the name of a policy, it
    learns how the others play. Raise as `load_player` does; where dice are lost, a player other
    than a policy is loaded when it sits down."""
    if not rules.loses_dice:
        return _learning(name, rules) if name.endswith(LEARN) else load_player(name, rules)
    return _of_match(name, rules) if is_match(name) else LoadedPlayer(rules, name)


def _of_match(name: str, rules: Rules) -> MatchPlayer:
    """Return the player of a policy of whole matches."""
    path = _path(name, rules)
    return MatchPlayer(rules, for_rules(load_match(path), path, rules), name)


def load_decider(name: str, rules: Rules, random: np.random.Generator) -> Decider:
    """Load the player of this name for `rules`, in which dice are lost. The name may also be the
    path of a strategy file, a file of action values or a policy file of whole matches. The player
    draws from `random`.

    Raise ZhaifeiError if there is no such player or it does not play by these rules, PlugInError
    for a strategy file that cannot be used, and StorageError if the file is of another kind.
    """
    if name in NAMES:
        return rule_based_decider(name, random)
    if name in increment.names_for(rules):
        return increment.increment_decider(name, rules, random)
    path = _path(name, rules)
    if path.suffix == ".py":
        return PlugIn(path, rules, random)
    if kind_of(path) == "match":
        return _of_match(name, rules).sit(random)
    return q_player(path, rules, random, name)


def _path(name: str, rules: Rules) -> Path:
    """Return the file of a shipped player or the path itself, without a leading PLAIN. Raise
    ZhaifeiError if there is no such file."""
    path = name.removeprefix(PLAIN)
    return shipped_player_path(path, rules) if path in SHIPPED else _file(path, name, rules)


def _file(path: str, name: str, rules: Rules) -> Path:
    """Return `path`, or the file of the user's policy of this name. Raise ZhaifeiError, which
    quotes the given `name`, if nothing is there."""
    found = kept_or_path(path)
    if not path.strip() or not os.path.exists(found):  # False also if it is too long
        raise _unknown(name, rules)
    return found


def _unknown(name: str, rules: Rules) -> ZhaifeiError:
    names = ", ".join(player_names(rules))
    if name in (*increment.NAMES, *SHIPPED, reader.NAME):
        return ZhaifeiError(
            "{name} does not play by these rules: there are {names}", name=name, names=names
        )
    return ZhaifeiError(
        "no player is called {name!r}: there are {names}, and any policy or strategy file",
        name=name,
        names=names,
    )
