"""Find the policy for given rules, among the user's own policies and the shipped ones."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player, policy_of
from zhaifei.policies.catalogue.record import PolicyRecord, record_of
from zhaifei.policies.catalogue.shipped import (
    LEARNED,
    POLICIES,
    SHIPPED,
    policy_name,
    shipped_path,
    shipped_player_path,
)
from zhaifei.policies.catalogue.solving import how_to_solve
from zhaifei.policies.players.network import load_weights
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import kind_of, load_header
from zhaifei.solver.machine.user_directories import (
    NoUserDirectory,
    make_data_directory,
    user_directory,
)

AnyPolicy_co = TypeVar("AnyPolicy_co", bound=Policy, covariant=True)


def default_path(rules: Rules, *, make: bool = False) -> Path:
    """Return the file that `solve` writes, and other commands read, if the user names no file. With
    `make`, create its directory. Raise NoUserDirectory if there is no such directory."""
    directory = make_data_directory() if make else user_directory("data")
    return directory / f"{policy_name(rules)}.safetensors"


def known_record(rules: Rules) -> PolicyRecord | None:
    """Return the record of the policy that answers for these rules unless the user names another
    policy.

    It is the policy with the lowest recorded figure among the shipped one and all policy files in
    the user's data. Policies without a figure come last; among equals the latest file wins.

    Return None if there is no policy. Raise StorageError if the file that `solve` writes by default
    cannot be read; skip other files that cannot be read.
    """
    found = [*_solved(rules)]
    shipped = shipped_path(rules)
    if shipped is not None:
        found.append(_file_record(shipped, load_header(shipped, "policy")))
    return min(found, key=_rank, default=None)


def _solved(rules: Rules) -> Iterator[PolicyRecord]:
    """Yield the records of the policies for `rules` in the user's data."""
    try:
        default = default_path(rules)
    except NoUserDirectory:
        return
    for path in sorted(default.parent.glob("*.safetensors")):
        try:
            header = load_header(path, "policy")
            same_rules = header.rules() == rules
        except ZhaifeiError:
            if path == default:
                load_policy(path)  # raises the error that describes the fault
            continue
        if same_rules:
            yield _file_record(path, header)


def _file_record(path: Path, header: Header) -> PolicyRecord:
    training = header.get("training")
    training = training if isinstance(training, dict) else {}
    return record_of(str(path), path, header.rules(), training)


def _rank(record: PolicyRecord) -> tuple[float, float]:
    """Return a sort key; the best policy has the least key."""
    figure = math.inf if record.figure is None else record.figure
    try:
        return figure, -Path(record.name).stat().st_mtime
    except OSError:  # another process has just removed it
        return figure, 0.0


_PLAYERS = (*NAMES, READER, *LEARNED)
"""The players that are found by name and are not policy files."""


class Known(NamedTuple, Generic[AnyPolicy_co]):
    """A policy and its record."""

    policy: AnyPolicy_co
    record: PolicyRecord


def load_any(name: Path | None, rules: Rules | None) -> Known[Policy]:
    """Load the policy at `name` or of the player of this name, of any kind. Raise ZhaifeiError as
    `load_known` does, and if the player does not play by the rules."""
    known = str(name) in _PLAYERS
    if name is None or not (known or (os.path.exists(name) and kind_of(name) == "weights")):
        return _load_table(name, rules)
    rules = rules or (preset("zhaifei") if known else load_weights(name).rules)
    policy = policy_of(load_player(str(name), rules))
    path = shipped_player_path(str(name), rules) if str(name) in SHIPPED else name
    return Known(policy, record_of(str(name), path, rules, getattr(policy, "training", {})))


def load_known(path: Path | None, rules: Rules | None) -> Known[TablePolicy]:
    """Load the policy at `path` or of the player of this name.

    Without a path, load the policy whose record `known_record` returns for the rules (None: the
    full game of two players). Raise ZhaifeiError if there is no policy, if it is for other rules,
    or if it is not a table.
    """
    if str(path) not in _PLAYERS:
        return _load_table(path, rules)
    named, record = load_any(path, rules)
    if not isinstance(named, TablePolicy):
        raise ZhaifeiError(
            "{name} is not a table of strategies: it can only be evaluated, or be an opponent",
            name=path,
        )
    return Known(named, record)


def _load_table(path: Path | None, rules: Rules | None) -> Known[TablePolicy]:
    """Load the policy file at `path`, of the shipped policy of this name, or without a path of the
    best policy known for the rules. Raise ZhaifeiError as `load_known` does."""
    wanted = rules or preset("zhaifei")
    if path is None and (known := known_record(wanted)) is not None:
        path = Path(known.name)
    if path is None:
        raise ZhaifeiError(
            "no policy is known for these rules: {command} makes one, which goes to {path}",
            command=how_to_solve(wanted),
            path=default_path(wanted),
        )
    name = str(path)
    if name in POLICIES:
        path = shipped_player_path(name, rules)
    policy = load_policy(path)
    if rules is not None and policy.rules != rules:
        raise ZhaifeiError(
            "{file} is for {its}, but you asked for {rules}",
            file=path,
            its=policy.rules,
            rules=rules,
        )
    return Known(policy, record_of(name, path, policy.rules, policy.training))
