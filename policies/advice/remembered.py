"""People by name, as all records that were kept show them, and whom to forget.

Nothing is stored about people but the records and, in the data directory, a small JSON file with
the time at which somebody was last forgotten:

    {"people": 1, "forgotten": {"老王": "2026-11-26T20-15-00.000000Z"}}

Records that were written before that time count no longer for that person.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.people import Person, learned, person_of
from zhaifei.policies.advice.seen import Advisers, SeenPerson
from zhaifei.policies.advice.shown import PlayShown
from zhaifei.policies.play.played import UNNAMED, YOU, PlayedMatch, for_points
from zhaifei.policies.play.records import TIME
from zhaifei.solver.files.atomic_files import write_text
from zhaifei.solver.files.strict_json import StrictJsonError, parse_object
from zhaifei.solver.machine.user_directories import make_data_directory, user_directory

VERSION = 1
_NAME = "people.json"
Dated = tuple[str, PlayedMatch]
"""A match, and a text that begins with the time when its record was written, by which it sorts."""


def shown_by_name(
    advisers: Advisers, matches: Iterable[Dated], forgotten: dict[str, str]
) -> dict[str, list[PlayShown]]:
    """Return {name: what each round has shown, oldest first} of everybody with a name but the
    person, as far as they were not forgotten since."""
    found: dict[str, list[PlayShown]] = {}
    for written, match in matches:
        names = {
            seat: name
            for seat, name in enumerate(match.seats)
            if seat != match.you and written > forgotten.get(name, "")
        }
        names = {seat: name for seat, name in names.items() if name not in (YOU, UNNAMED)}
        for name in names.values():
            found.setdefault(name, [])
        for rules, played in (for_points(match.rules, one) for one in match.rounds if names):
            shown = advisers(rules).shown(rules, played)
            for seat, name in names.items():
                its = shown[seat]
                if its is not None:
                    found[name].append(its)
    return found


def people_among(
    rules: Rules, names: Sequence[str], shown: dict[str, list[PlayShown]]
) -> list[SeenPerson]:
    """Return the others at a table, in the order of turns after the player who asks, by their
    `names`; UNNAMED is anybody. Raise ZhaifeiError for somebody who is not remembered, and for a
    wrong number of names."""
    if len(names) != rules.players - 1:
        raise ZhaifeiError(
            "{number} people were named; there are {others} others, in the order of turns",
            number=len(names),
            others=rules.players - 1,
        )
    return [SeenPerson(name, person_named(rules, name, shown)) for name in names]


def person_named(rules: Rules, name: str, shown: dict[str, list[PlayShown]]) -> Person:
    """Return what is believed about a person at a table of these rules. Raise ZhaifeiError if
    nobody has this name."""
    if name == UNNAMED:
        return person_of(rules)
    if name not in shown:
        known = ", ".join(sorted(shown)) or UNNAMED
        raise ZhaifeiError("no kept record has {name}; known are {known}", name=name, known=known)
    return learned(person_of(rules), shown[name])


# Whom to forget


def read_forgotten() -> dict[str, str]:
    """Return {name: the time at which they were forgotten}. Raise ZhaifeiError if the file cannot
    be read."""
    path = user_directory("data") / _NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ZhaifeiError("cannot read {path}: {why}", path=path, why=error) from error
    try:
        fields = parse_object(text)
    except StrictJsonError as error:
        raise _damaged(path) from error
    forgotten = fields.get("forgotten")
    if fields.get("people") != VERSION or not isinstance(forgotten, dict):
        raise _damaged(path)
    if not all(isinstance(time, str) for time in forgotten.values()):
        raise _damaged(path)
    return {str(name): str(time) for name, time in forgotten.items()}


def forget(names: Iterable[str]) -> None:
    """Forget what records that were written up to now show of these people. Raise ZhaifeiError."""
    now = f"{datetime.now(UTC):{TIME}}"
    forgotten = {**read_forgotten(), **dict.fromkeys(names, now)}
    fields = {"people": VERSION, "forgotten": forgotten}
    write_text(make_data_directory() / _NAME, json.dumps(fields, ensure_ascii=False) + "\n")


def _damaged(path: Path) -> ZhaifeiError:
    return ZhaifeiError("{path} is damaged: remove it to remember everybody again", path=path)
