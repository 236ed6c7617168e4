"""What version 1 promises, as it was when it was promised: the commands with their options, the
keys of what `--json` and `--csv` print, and the Python API. See docs/compatibility.md.

    python -m tests.promise.promised

adds what is new to the files in this directory. It takes nothing away: to break a promise, edit a
file by hand, and make the next version a major one.
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import zhaifei as api
from tests.command_line import succeeds
from zhaifei.app.terminal.group import VERBS, Commands
from zhaifei.game.views import View
from zhaifei.policies.players.rule_based import NAMES

HERE = Path(__file__).parent
FILES = HERE / "files"
"""A small file of each format, as version 1.0.0 wrote it; records of version 1 are older."""

TWO, MATCH, THREE = (
    ("--policy", FILES / f"{name}.safetensors") for name in ("policy", "match", "three")
)
POSITION = ("--hand", 3, "--bid", "f1x2")
SMALL = ("--dice", 1, "--faces", 3)
BRIEF = ("--json", "--time-limit", 0.5)
RECORD = FILES / "record.jsonl"
AGENT = (
    f"'{sys.executable}' -c "
    "\"import sys; [print('challenge', flush=True) for one in sys.stdin if one == chr(10)]\""
)
"""A program that challenges whatever it is asked."""
PRINTED: dict[str, tuple[object, ...]] = {
    "query": ("query", *TWO, *POSITION, *BRIEF),
    "query all hands": ("query", *TWO, *BRIEF),
    "query --lock": (
        *("query", *TWO, "--hand", 3, "--history", "f1x2 z1x3"),
        *("--lock", FILES / "locks.yaml", "--json"),
    ),
    "query --seen": ("query", *TWO, *POSITION, "--seen", RECORD, "--json"),
    "query of three": ("query", *THREE, *POSITION, "--json"),
    "query of a match": (
        *("query", *MATCH, "--rules", "classic", "--dice", "2,1", "--faces", 3),
        *("--hand", 12, "--json"),
    ),
    "query --csv": ("query", *TWO, "--csv"),
    "evaluate": ("evaluate", TWO[1], "--json", "--show-response", 2),
    "evaluate --against": ("evaluate", TWO[1], "--against", "honest", "--json"),
    "evaluate of three": ("evaluate", THREE[1], *BRIEF),
    "evaluate of a match": ("evaluate", MATCH[1], "--json"),
    "arena": ("arena", "honest", "random", *SMALL, "--rounds", 20, "--json"),
    "arena --csv": ("arena", "honest", "random", *SMALL, "--rounds", 20, "--csv"),
    "review": ("review", RECORD, *TWO, "--people", "--json", "--time-limit", 0),
    "review --csv": ("review", RECORD, *TWO, "--csv", "--time-limit", 0),
    "people": ("people", "--json"),
    "score": ("score", *TWO, "--agent", AGENT, "--rounds", 3, "--seed", 1, "--json"),
}
"""Commands whose output programs read, with little to do."""
FREE = {"training"}
"""Keys of objects that hold what a run noted about itself, which differs from engine to engine."""
BY_NAME = {"penalty_share", "response[].response", "response[].policy"}
"""Paths of objects whose keys are names of players, or actions."""

Shape = dict[str, list[str]]
"""The JSON types at each path: `actions[].value` is a number; keys that are data are `*`."""


def printed(name: str) -> Shape:
    """Return the shape of what a command of PRINTED prints."""
    out = succeeds(*PRINTED[name])
    if "--csv" in PRINTED[name]:
        header = next(csv.reader(io.StringIO(out)))
        columns = [re.sub(rf":({'|'.join(NAMES)})$", ":*", column) for column in header]
        return {column: ["column"] for column in columns}
    shape: dict[str, set[str]] = {}
    for path, kind in _paths(json.loads(out), ""):
        shape.setdefault(path, set()).add(kind)
    return {path: sorted(kinds) for path, kinds in shape.items()}


def _paths(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield path, "object"
        key = path.rpartition(".")[2]
        for name, inner in value.items() if key not in FREE else ():
            data = path in BY_NAME or not re.fullmatch(r"[a-z][a-z_ ]*", name)
            yield from _paths(inner, f"{path}.{'*' if data else name}".lstrip("."))
    elif isinstance(value, list):
        yield path, "array"
        for inner in value:
            yield from _paths(inner, f"{path}[]")
    else:
        kinds = {bool: "boolean", int: "number", float: "number", str: "string"}
        yield path, "null" if value is None else kinds[type(value)]


def options() -> dict[str, dict[str, Any]]:
    """Return {command: {option or argument: the values that it takes}}."""
    return {
        verb: {name: _taken(one) for one in Commands()[verb].params for name in _names(one)}
        for verb in VERBS
    }


def _names(one: click.Parameter) -> list[str]:
    if isinstance(one, click.Argument):
        return [str(one.name)]
    return [*one.opts, *one.secondary_opts]


def _taken(one: click.Parameter) -> str | list[str]:
    if getattr(one, "is_flag", False):
        return "nothing"
    choices = getattr(one.type, "choices", None)
    return "a value" if choices is None else sorted(map(str, choices))


def python() -> dict[str, Any]:
    """Return {public name: its parameters, or the public names of a class}. `seen` is what a
    strategy file gets."""
    public = {name: _of(getattr(api, name)) for name in api.__all__}
    return {"__version__": "text", **public, "seen": _of(View)}


def _of(one: Any) -> Any:
    if inspect.isclass(one):
        ours = [base for base in one.__mro__ if base.__module__.startswith("zhaifei")]
        names = {name for base in ours for name in (*vars(base), *_annotated(base))}
        return sorted(name for name in names if not name.startswith("_"))
    if callable(one):
        parameters = inspect.signature(one).parameters.values()
        return [
            {"name": p.name, "kind": p.kind.name, "required": p.default is p.empty}
            for p in parameters
        ]
    return sorted(one)


def _annotated(base: type) -> list[str]:
    return [*getattr(base, "__annotations__", {})]


@dataclass(frozen=True)
class Promise:
    """A file of this directory."""

    name: str

    @property
    def path(self) -> Path:
        """Where the file is."""
        return HERE / f"{self.name}.json"

    @property
    def made(self) -> Any:
        """What the file says, or {} if it is not there."""
        return json.loads(self.path.read_text("utf-8")) if self.path.exists() else {}


def with_new(promised: Any, found: Any) -> Any:
    """Return what was promised, with what is new in `found` beside it."""
    if isinstance(promised, dict) and isinstance(found, dict):
        both = {name: with_new(promised.get(name, found[name]), found[name]) for name in found}
        return {**promised, **both}
    if isinstance(promised, list) and isinstance(found, list):
        return promised + [one for one in found if one not in promised]
    return promised


def main() -> None:
    """Add what is new to the files."""
    os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp()
    for name, found in (
        ("printed", {one: printed(one) for one in PRINTED}),
        ("options", options()),
        ("python", python()),
    ):
        promise = Promise(name)
        text = json.dumps(with_new(promise.made, found), ensure_ascii=False, indent=1)
        text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: f"[{' '.join(m[1].split())}]", text)
        text = re.sub(r"\{\s+([^\[\]{}]*?)\s+\}", lambda m: f"{{{' '.join(m[1].split())}}}", text)
        promise.path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
