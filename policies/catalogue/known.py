"""Find the policy for given rules, among the user's own policies and the shipped ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.kept import header_record, kept_or_path, policy_header
from zhaifei.policies.catalogue.names import load_player, policy_of
from zhaifei.policies.catalogue.record import PolicyRecord, record_of
from zhaifei.policies.catalogue.shipped import (
    POLICIES,
    SHIPPED,
    for_rules,
    plays,
    policy_name,
    shipped_player_path,
)
from zhaifei.policies.catalogue.solving import how_to_solve, verify_solved
from zhaifei.policies.players.match_policy import MatchPolicy, SolvedPolicy, load_match
from zhaifei.policies.players.network import LearnedPolicy, load_weights
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn
from zhaifei.policies.players.plug_in.policy import PlugInPolicy
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.solver.files.storage import Kind, kind_of
from zhaifei.solver.machine.user_directories import (
    NoUserDirectory,
    make_data_directory,
    user_directory,
)

AnyPolicy_co = TypeVar("AnyPolicy_co", bound=Policy | MatchPolicy, covariant=True)


def default_path(rules: Rules, *, make: bool = False) -> Path:
    """Return the file that `solve` writes, and other commands read, if the user names no file. With
    `make`, create its directory. Raise NoUserDirectory if there is no such directory."""
    directory = make_data_directory() if make else user_directory("data")
    return directory / f"{policy_name(rules)}.safetensors"


def known_record(rules: Rules) -> PolicyRecord | None:
    """Return the record of the policy that answers for these rules unless the user names another
    policy.

    It is the policy with the lowest recorded figure among the shipped ones and all policy files in
    the user's data. Policies without a figure come last; among equals the latest file wins. A
    policy for matches also answers for matches that start from fewer dice.

    Return None if there is no policy. Raise StorageError if the file that `solve` writes by default
    cannot be read; skip other files that cannot be read.
    """
    shipped = [
        shipped_player_path(name, None) for name, its in POLICIES.items() if plays(its, rules)
    ]
    found = [*_solved(rules), *(header_record(str(path), path) for path in shipped)]
    return min(found, key=_rank, default=None)


def _solved(rules: Rules) -> Iterator[PolicyRecord]:
    """Yield the records of the policies for `rules` in the user's data."""
    try:
        default = default_path(rules)
    except NoUserDirectory:
        return
    for path in sorted(default.parent.glob("*.safetensors")):
        try:
            fits = plays(policy_header(path).rules(), rules)
        except ZhaifeiError:
            if path == default:
                _read(path)  # raises the error that describes the fault
            continue
        if fits:
            yield header_record(str(path), path)


def _rank(record: PolicyRecord) -> tuple[float, float]:
    """Return a sort key; the best policy has the least key."""
    figure = math.inf if record.figure is None else record.figure
    try:
        return figure, -Path(record.name).stat().st_mtime
    except OSError:  # another process has just removed it
        return figure, 0.0


class Known(NamedTuple, Generic[AnyPolicy_co]):
    """A policy and its record."""

    policy: AnyPolicy_co
    record: PolicyRecord


def load_any(name: Path | None, rules: Rules | None) -> Known[Policy | MatchPolicy]:
    """Load the policy at `name` or of the player of this name, of any kind.

    Without a name, load the policy whose record `known_record` returns for the rules (None: the
    full game of two players). Raise ZhaifeiError if there is no policy, or if it is for other
    rules, and RulesError for matches that are not solved.
    """
    if rules is not None:
        verify_solved(rules)
    named = _known_name(rules or preset("zhaifei")) if name is None else str(name)
    if named in (*NAMES, READER):
        asked = rules or preset("zhaifei")
        asked.verify_costs_points()
        player = load_player(named, asked)
        return Known(policy_of(player), record_of(named, Path(named), player.rules, {}))
    path = shipped_player_path(named, rules) if named in SHIPPED else kept_or_path(named)
    if path.suffix == ".py":
        return _of_file(path, rules or preset("zhaifei"))
    policy = for_rules(_read(path), path, rules)
    return Known(policy, record_of(named, path, policy.rules, policy.training))


def _of_file(path: Path, rules: Rules) -> Known[Policy | MatchPolicy]:
    """Return the policy of a strategy file. Raise PlugInError, and RulesError if dice are lost."""
    rules.verify_costs_points()
    policy = PlugInPolicy(PlugInPlayer(PlugIn(path, rules)))
    return Known(policy, record_of(str(path), path, rules, {}))


def _known_name(rules: Rules) -> str:
    """Return the name of the known policy for `rules`. Raise ZhaifeiError if there is none."""
    record = known_record(rules)
    if record is None:
        raise ZhaifeiError(
            "no policy is known for these rules: {command} makes one, which goes to {path}",
            command=how_to_solve(rules),
            path=default_path(rules),
        )
    return record.name


def _read(path: Path) -> SolvedPolicy | LearnedPolicy:
    """Read the policy file or the weights at `path`. Raise StorageError."""
    return _READERS.get(kind_of(path), load_policy)(path)


_READERS: dict[Kind, Callable[[Path], SolvedPolicy | LearnedPolicy]] = {
    "match": load_match,
    "weights": load_weights,
}


def load_for(name: Path | None, rules: Rules | None) -> Known[SolvedPolicy]:
    """Load the policy at `name` or of the player of this name, for rounds or for matches. Raise
    ZhaifeiError as `load_any` does, and if the policy is not of tables."""
    policy, record = load_any(name, rules)
    if not isinstance(policy, SolvedPolicy):
        raise ZhaifeiError(
            "{name} is not a table of strategies: it can only be evaluated, or be an opponent",
            name=name,
        )
    return Known(policy, record)


def load_known(name: Path | None, rules: Rules | None) -> Known[TablePolicy]:
    """Load a policy as `load_for` does, for rounds for penalty points. Raise ZhaifeiError if it is
    for matches."""
    policy, record = load_for(name, rules)
    if isinstance(policy, MatchPolicy):
        raise ZhaifeiError(
            "{name} is a policy of whole matches, but you asked for rounds", name=record.name
        )
    return Known(policy, record)
