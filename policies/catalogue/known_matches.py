"""Find the policy for whole matches by given rules, among the user's own policies and the shipped
ones."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import Known, default_path, load_known
from zhaifei.policies.catalogue.record import PolicyRecord, record_of
from zhaifei.policies.catalogue.shipped import POLICIES, shipped_player_path
from zhaifei.policies.catalogue.solving import solve_command
from zhaifei.policies.players.match_policy import MatchPolicy, load_match_for
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.files.storage import kind_of, load_header
from zhaifei.solver.machine.user_directories import NoUserDirectory, user_directory
from zhaifei.solver.value.matches import comes_to, positions_of


class KnownMatch(NamedTuple):
    """A policy for whole matches and its record."""

    policy: MatchPolicy
    record: PolicyRecord


def match_asked(path: Path | None, rules: Rules | None) -> Rules | None:
    """Return the rules of the match that a question is about, or None if it is about a round for
    penalty points.

    These are `rules`, if dice are lost by them. If `rules` is None, they are the rules of the
    policy of whole matches at `path` or of that name. Raise StorageError.
    """
    if rules is not None:
        return rules if rules.loses_dice else None
    file = None if path is None else _match_file(str(path))
    return None if file is None else load_header(file, "match").rules()


def named_match_record(name: str) -> PolicyRecord | None:
    """Return the record of the policy of whole matches with this name or path, or None if `name` is
    another player. Raise StorageError."""
    file = _match_file(name)
    return None if file is None else _record(name, file)


def _match_file(name: str) -> Path | None:
    """Return the policy file of whole matches with this name or path, or None if `name` is not such
    a file. Raise StorageError."""
    if name in POLICIES:
        return shipped_player_path(name, None) if POLICIES[name].loses_dice else None
    if name.endswith(".py") or not os.path.exists(name):
        return None
    return Path(name) if kind_of(Path(name)) == "match" else None


def known_match_record(rules: Rules) -> PolicyRecord | None:
    """Return the record of the policy with the lowest known gain of a best response, among policies
    whose matches reach the start of `rules`; None if there is no such policy."""
    return min(_records(rules), key=_rank, default=None)


def load_known_match(path: Path | None, rules: Rules) -> KnownMatch:
    """Load the policy at `path` or of that name.

    Without a path, load the policy of `known_match_record`. Raise RulesError for matches that are
    not solved, and ZhaifeiError if there is no policy, or if it is for other rules.
    """
    positions_of(rules)  # raises for matches that are not solved
    if path is not None:
        file = shipped_player_path(str(path), None) if str(path) in POLICIES else path
        record = _record(str(path), file)
    else:
        found = known_match_record(rules)
        if found is None:
            raise ZhaifeiError(
                "no policy is known for these rules: {command} makes one, which goes to {path}",
                command=f"'{solve_command(rules)}'",
                path=default_path(rules),
            )
        record, file = found, Path(found.name)
    return KnownMatch(load_match_for(file, rules), record)


def load_for(path: Path | None, rules: Rules) -> Known[TablePolicy] | KnownMatch:
    """Load the policy for rounds or matches by `rules` at `path` or of that name, or the known one.
    Raise as `load_known` and `load_known_match` do."""
    return load_known_match(path, rules) if rules.loses_dice else load_known(path, rules)


def _records(rules: Rules) -> Iterator[PolicyRecord]:
    """Yield the records of the policies whose matches reach the start of `rules`. Skip files that
    cannot be read."""
    files = [shipped_player_path(name, None) for name, its in POLICIES.items() if its.loses_dice]
    with suppress(NoUserDirectory):
        files += sorted(user_directory("data").glob("*.safetensors"))
    for file in files:
        try:
            if comes_to(load_header(file, "match").rules(), rules):
                yield _record(str(file), file)
        except ZhaifeiError:
            continue


def _record(name: str, file: Path) -> PolicyRecord:
    header = load_header(file, "match")
    return record_of(name, file, header.rules(), header.record("training"))


def _rank(record: PolicyRecord) -> float:
    return math.inf if record.figure is None else record.figure
