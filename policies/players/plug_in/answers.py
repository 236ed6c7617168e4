"""Read what a worker writes: each line is strictly converted to a typed value, or raises a Fault.

A strategy file may do anything in its process, so nothing about a line is trusted. The length of a
line is bounded. A line must be an object with exactly the expected members, whose values have the
expected types and sizes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NoReturn

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import MOST_DOUBLES, Mode

LONGEST_LINE = 16384
"""The most bytes of a line, including the end of the line. There is room for two texts in which
each character has its longest form in JSON, and for probabilities of all actions of eight
players."""
LONGEST_NAME, LONGEST_TEXT = 60, 200
"""The most characters of the name of a class and of any other text."""
MOST_CLASSES = 4
"""The most classes whose names are reported."""
MIXING = "probabilities"
"""The method by which a class may say how likely it takes each action."""
LARGEST = 2**31 - 1
"""The largest count, face, or line number."""

Decision = bool | Bid
"""Whether to challenge, or a bid, which may be illegal."""


Shares = Mapping[int, float]
"""{action: its probability}, as a file returned them: neither legal nor a distribution for sure."""


class Fault(ZhaifeiError):
    """The reason why a decision could not be obtained."""


class ProcessFault(Fault):
    """A fault after which the process cannot answer further questions."""


def read_classes(line: bytes, number: int) -> tuple[str, ...]:
    """Return the names of the classes that a worker found in its file. Raise Fault if the file
    could not be loaded, ProcessFault if the line is not answer `number`."""
    match _read_members(line, number):
        case {"classes": list(names), **rest} if not rest and len(names) <= MOST_CLASSES:
            return tuple(_as_text(name, LONGEST_NAME) for name in names)
        case {"raised": raised, **rest} if not rest:
            values = _as_raised(raised)
            if values["line"] is None:
                raise Fault("{type}: {text}", type=values["type"], text=values["text"])
            raise Fault("{type} in line {line}: {text}", **values)
    _refuse()


def read_decision(
    line: bytes, number: int, calls: Sequence[str], *, may_give_up: bool = False
) -> Decision:
    """Return the decision; False also stands for giving up if the player may.

    Raise Fault if a method in `calls` raised or returned an invalid value, ProcessFault if the line
    is not answer `number` to a question that calls these methods.
    """
    match _read_members(line, number):
        case {"challenge": True, **rest} if not rest and "challenge_bid" in calls:
            return True
        case {"challenge": False, **rest} if not rest and (may_give_up or "make_bid" not in calls):
            return False
        case {"bid": [mode, count, face, doubled], **rest} if not rest and "make_bid" in calls:
            return Bid(
                Mode(_as_number(mode, max(Mode))),
                _as_number(count, LARGEST, least=-LARGEST),
                _as_number(face, LARGEST, least=-LARGEST),
                _as_number(doubled, MOST_DOUBLES),
            )
        case {"call": call, "returned": returned, **rest} if not rest and call in calls:
            text = _as_text(returned, LONGEST_TEXT)
            if call == "make_bid":
                raise Fault(
                    "{call} returned {returned}, which is not a bid", call=call, returned=text
                )
            raise Fault("{call} returned {returned}, not True or False", call=call, returned=text)
        case {"call": str(call), "raised": raised, **rest} if not rest and call in calls:
            _raise_again(call, raised)
    _refuse()


def read_shares(line: bytes, number: int) -> Shares | None:
    """Return the probabilities that a strategy gives to actions, or None if its class has no method
    for this. Raise Fault if the method raised or returned an invalid value, ProcessFault if the
    line is not answer `number` to such a question."""
    match _read_members(line, number):
        case {"shares": None, **rest} if not rest:
            return None
        case {"shares": list(pairs), **rest} if not rest:
            return dict(map(_as_share, pairs))
        case {"call": "probabilities", "returned": returned, **rest} if not rest:
            text = _as_text(returned, LONGEST_TEXT)
            raise Fault(
                "{call} returned {returned}, not probabilities of bids and of challenge",
                call=MIXING,
                returned=text,
            )
        case {"call": "probabilities", "raised": raised, **rest} if not rest:
            _raise_again(MIXING, raised)
    _refuse()


def _as_share(pair: object) -> tuple[int, float]:
    match pair:
        case [action, int() | float() as share] if (
            not isinstance(share, bool) and abs(share) <= LARGEST
        ):
            return _as_number(action, LARGEST), float(share)
    _refuse()


def _raise_again(call: str, raised: object) -> NoReturn:
    """Raise the Fault that a method raised."""
    values = _as_raised(raised)
    if values["line"] is None:
        raise Fault(
            "{call} raised {type}: {text}", call=call, type=values["type"], text=values["text"]
        )
    raise Fault("{call} raised {type} in line {line}: {text}", call=call, **values)


def _read_members(line: bytes, number: int) -> dict[str, object]:
    """Return the members of the object in `line` without its number. The number must be `number`,
    because a process that has been forked answers twice."""
    try:
        found = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        _refuse()
    if not isinstance(found, dict) or _as_number(found.pop("number", None), LARGEST) != number:
        _refuse()
    return found


def _as_raised(value: object) -> dict[str, str | int | None]:
    """Return the type, text and line of an exception."""
    match value:
        case {"type": name, "text": text, "line": line, **rest} if not rest:
            return {
                "type": _as_text(name, LONGEST_NAME),
                "text": _as_text(text, LONGEST_TEXT),
                "line": None if line is None else _as_number(line, LARGEST),
            }
    _refuse()


def _as_text(value: object, longest: int) -> str:
    if isinstance(value, str) and len(value) <= longest and value.isprintable():
        return value
    _refuse()


def _as_number(value: object, largest: int, *, least: int = 0) -> int:
    # JSON's true and false are not numbers, although Python's are.
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= largest:
        return value
    _refuse()


def _refuse() -> NoReturn:
    raise ProcessFault("its process wrote something that is not an answer")
