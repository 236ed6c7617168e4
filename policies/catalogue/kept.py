"""The policies that the user has solved, and the networks that the user has trained, which are
kept in the user's data under names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.policies.catalogue.record import PolicyRecord, record_of
from zhaifei.policies.catalogue.replacing import names_against
from zhaifei.policies.catalogue.shipped import SHIPPED
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import kind_of, load_header
from zhaifei.solver.machine.user_directories import NoUserDirectory, user_directory

_ENDING = ".safetensors"


def policy_header(path: Path) -> Header:
    """Return the header of the policy file at `path`. Raise StorageError."""
    return load_header(path, "match" if kind_of(path) == "match" else "policy")


def header_record(name: str, path: Path) -> PolicyRecord:
    """Return the record of the policy file at `path`. Raise StorageError."""
    return _record(name, path, policy_header(path))


def _record(name: str, path: Path, header: Header) -> PolicyRecord:
    training = header.get("training")
    return record_of(name, path, header.rules(), training if isinstance(training, dict) else {})


def kept_or_path(name: str) -> Path:
    """Return the file of the user's policy of this name; `name` as a path if something is there, or
    if there is no such policy."""
    if not name.strip() or os.path.exists(name):
        return Path(name)
    return _kept_files().get(name, Path(name))


def kept_descriptions() -> dict[str, Message]:
    """Return a one-line description of each of the user's policies and networks, by name. Files
    that cannot be read are left out."""
    return dict(_described())


def _kept_files() -> dict[str, Path]:
    """Return the files in the user's data by the names of the policies in them, without those whose
    names are players that come with the package."""
    try:
        directory = user_directory("data")
    except NoUserDirectory:
        return {}
    files = {path.name.removesuffix(_ENDING): path for path in directory.glob(f"*{_ENDING}")}
    return {name: files[name] for name in sorted(files) if name not in SHIPPED}


def _of_network(header: Header) -> Message:
    """Return the description of a network. Raise ZhaifeiError if its header cannot be read."""
    training = header.record("training")
    algorithm, rules = training.text("algorithm"), header.rules().description
    against = ", ".join(names_against(training))
    if against:
        return Message(
            "learnt by {algorithm} against {others}, for {rules}",
            algorithm=algorithm,
            others=against,
            rules=rules,
        )
    return Message("learnt by {algorithm} for {rules}", algorithm=algorithm, rules=rules)


def _described() -> Iterator[tuple[str, Message]]:
    for name, path in _kept_files().items():
        try:
            if kind_of(path) == "weights":
                yield name, _of_network(load_header(path, "weights"))
                continue
            header = policy_header(path)
            rules, record = header.rules(), _record(name, path, header)
        except ZhaifeiError:
            continue
        if record.figure is None:
            yield name, Message("solved for {rules}", rules=rules.description)
        elif record.measure == "exploitability":
            yield (
                name,
                Message(
                    "solved for {rules}; exploitability {figure:.4f} when last measured",
                    rules=rules.description,
                    figure=record.figure,
                ),
            )
        elif record.measure == "nash_conv":
            yield (
                name,
                Message(
                    "solved for {rules}; NashConv {figure:.4f} when last measured",
                    rules=rules.description,
                    figure=record.figure,
                ),
            )
        else:
            yield (
                name,
                Message(
                    "solved for {rules}; a best response gained {figure:.3%} of matches when last "
                    "measured",
                    rules=rules.description,
                    figure=record.figure,
                ),
            )
