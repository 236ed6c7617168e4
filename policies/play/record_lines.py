"""The lines of a record: JSON objects, one for every event of a match.

The first line is the header: the rules, the seats, the seed, the policy and the version. Then comes
a line for each roll, each bid or challenge, and each result:

    {"record": 1, "zhaifei": "0.1.0", "rules": {...}, "seats": ["you", "zhaifei-2p"], "you": 1,
     "seed": 3, "policy": "zhaifei-2p"}
    {"round": 1, "starter": 2, "dice": ["12446", "33456"]}
    {"seat": 2, "action": "飞3×2"}
    {"seat": 1, "action": "challenge"}
    {"loser": 1, "points": 1}

Seats count from 1. `record` is the version of the format. Dice that nobody knows are null, or
`dice` is left out; so may `you`, `seed` and `policy` be. A round that ends before its challenge has
no result; one that begins again under its number replaces what there was of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from game.bids import domain
from game.errors import ZhaifeiError
from game.hands import Hand
from game.notation import format_action, format_hand, parse_action, parse_hand
from game.rules import Rules
from policies.play.played import PlayedMatch, PlayedRound, played_round, verify_next
from solver.header import Header
from solver.strict_json import StrictJsonError, parse_object

VERSION = 1
"""Of the format: files of this version and earlier ones are read."""
LONGEST_LINE = 100_000
"""The most bytes of a line."""
_MOST_LINES = 200_000
_CUT_OFF = ZhaifeiError("the line is cut off: it is left out")

Line = Mapping[str, Any]
Tell = Callable[[ZhaifeiError], object]
"""Receives what is worth telling and no reason to stop."""


class RecordError(ZhaifeiError):
    """Raised for a record that cannot be read; the message names the file and the line."""


def record_error(source: str, line: int, why: ZhaifeiError) -> RecordError:
    """Return the error that says what is wrong on a line, counted from 1."""
    return RecordError("{file}, line {line}: {why}", file=source, line=line, why=why)


# Writing


def header_line(match: PlayedMatch) -> Line:
    """Return the header of a match."""
    return {
        "record": VERSION,
        "zhaifei": match.version,
        "rules": match.rules.to_dict(),
        "seats": [_printable(name) for name in match.seats],
        "you": None if match.you is None else match.you + 1,
        "seed": match.seed,
        "policy": None if match.policy is None else _printable(match.policy),
    }


def round_line(number: int, starter: int, hands: Iterable[Hand | None]) -> Line:
    """Return the line of a roll: the number of the round from 1, who starts and [seat] the
    dice."""
    dice = [None if hand is None else format_hand(hand) for hand in hands]
    return {"round": number, "starter": starter + 1, "dice": dice}


def action_line(rules: Rules, seat: int, action: int) -> Line:
    """Return the line of a bid or a challenge by the player in `seat`, from 0."""
    return {"seat": seat + 1, "action": format_action(rules, action)}


def result_line(loser: int, points: int) -> Line:
    """Return the line of a result; `loser` is a seat from 0."""
    return {"loser": loser + 1, "points": points}


def as_text(line: Line) -> str:
    """Return a line as it stands in a file."""
    return json.dumps(line, ensure_ascii=False) + "\n"


def format_match(match: PlayedMatch) -> str:
    """Return a whole record: the inverse of `parse_match`."""
    rounds = enumerate(match.rounds, 1)
    lines = [line for number, played in rounds for line in _lines(match.rules, number, played)]
    return "".join(map(as_text, [header_line(match), *lines]))


def _lines(rules: Rules, number: int, played: PlayedRound) -> Iterator[Line]:
    yield round_line(number, played.starter, played.hands)
    for place, action in enumerate(played.actions):
        yield action_line(rules, (played.starter + place) % rules.players, action)
    if played.points is not None and played.loser is not None:
        yield result_line(played.loser, max(played.points))


def _printable(name: str) -> str:
    """Return a name, which may be that of any file, without what no line may contain."""
    return "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in name)


# Reading


def parse_match(
    lines: Iterable[bytes], source: str = "record", tell: Tell = lambda error: None
) -> PlayedMatch:
    """Return the match in the lines of a record, which messages call `source`.

    A last line that was cut off, as a crash may do, is left out; `tell` is then called with an
    error that says so. Raise RecordError, which names the line, for anything else.
    """
    reading: _Reading | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        try:
            if number > _MOST_LINES or len(line) > LONGEST_LINE:
                raise ZhaifeiError("the record is too long")
            fields = _fields(line)
        except StrictJsonError as why:
            if reading is None or line.endswith(b"\n"):
                raise record_error(source, number, why) from why
            tell(record_error(source, number, _CUT_OFF))
            break
        except ZhaifeiError as why:
            raise record_error(source, number, why) from why
        try:
            if fields is None:
                continue
            if reading is None:
                reading = _Reading(fields)
            else:
                reading.take(fields)
        except ZhaifeiError as why:
            raise record_error(source, number, why) from why
    if reading is None:
        raise record_error(source, number + 1, _no_header())
    return reading.match()


def _fields(line: bytes) -> Header | None:
    """Return what is on a line, None if it is blank. Raise StrictJsonError."""
    if not line.strip():
        return None
    try:
        return Header(parse_object(line.decode("utf-8-sig")))
    except (UnicodeDecodeError, StrictJsonError) as error:
        raise StrictJsonError("this is not a JSON object") from error


def _no_header() -> ZhaifeiError:
    return ZhaifeiError("this is not a record: its header is missing")


def _verify_names(line: Header, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Raise ZhaifeiError unless the line has these fields."""
    for name in needed:
        if name not in line:
            raise ZhaifeiError("{name!r} is missing here", name=name)
    for name in line:
        if name not in (*needed, *optional):
            raise ZhaifeiError(
                "{name!r} is unknown here; known are {names}",
                name=name, names=", ".join((*needed, *optional)),
            )  # fmt: skip


def _verify_as_many(found: tuple[Any, ...], rules: Rules, name: str) -> None:
    if len(found) != rules.players:
        raise ZhaifeiError(
            "{name} has {found} elements for {players} players",
            name=name, found=len(found), players=rules.players,
        )  # fmt: skip


@dataclass
class _Begun:
    """A round as far as it has been read."""

    starter: int
    hands: tuple[Hand | None, ...]
    actions: list[int] = field(default_factory=list)
    loser: int | None = None


class _Reading:
    """What has been read of a record. Every method raises ZhaifeiError for what cannot be."""

    def __init__(self, header: Header) -> None:
        if "record" not in header:
            raise _no_header()
        found = header.whole("record", least=1)
        if found > VERSION:
            raise ZhaifeiError(
                "the record has format version {version}; this zhaifei reads up to {latest}",
                version=found, latest=VERSION,
            )  # fmt: skip
        _verify_names(header, ("record", "zhaifei", "rules", "seats"), ("you", "seed", "policy"))
        self._rules = header.rules()
        self._rules.verify_costs_points()
        names = header.elements("seats")
        _verify_as_many(names, self._rules, "seats")
        self._rounds: list[_Begun] = []
        self._match = PlayedMatch(
            self._rules,
            tuple(Header({"seats": name}).text("seats") for name in names),
            None if header.get("you") is None else self._seat(header, "you"),
            None if header.get("seed") is None else header.whole("seed"),
            None if header.get("policy") is None else header.text("policy"),
            header.text("zhaifei"),
            rounds=(),
        )

    def take(self, line: Header) -> None:
        """Take the next line."""
        if "round" in line:
            self._begin(line)
        elif not self._rounds:
            raise ZhaifeiError("no round has begun")
        elif "action" in line:
            self._act(line, self._rounds[-1])
        else:
            self._end(line, self._rounds[-1])

    def match(self) -> PlayedMatch:
        """Return the match as far as it has been read."""
        rounds = tuple(
            played_round(self._rules, one.starter, one.hands, one.actions, one.loser)
            for one in self._rounds
        )
        return replace(self._match, rounds=rounds)

    def _seat(self, line: Header, name: str) -> int:
        return line.whole(name, 1, self._rules.players) - 1

    def _begin(self, line: Header) -> None:
        _verify_names(line, ("round", "starter"), ("dice",))
        begun = len(self._rounds)
        number = line.whole("round", max(1, begun), begun + 1)
        hands: tuple[Hand | None, ...] = (None,) * self._rules.players
        if line.get("dice") is not None:
            _verify_as_many(line.elements("dice"), self._rules, "dice")
            hands = tuple(map(self._hand, line.elements("dice")))
        self._rounds[number - 1 :] = [_Begun(self._seat(line, "starter"), hands)]

    def _hand(self, dice: Any) -> Hand | None:
        return (
            None if dice is None else parse_hand(self._rules, Header({"dice": dice}).text("dice"))
        )

    def _act(self, line: Header, begun: _Begun) -> None:
        _verify_names(line, ("seat", "action"))
        turn = (begun.starter + len(begun.actions)) % self._rules.players
        bids = domain(self._rules)
        last = next((bids[one] for one in reversed(begun.actions) if one < len(bids)), None)
        action = parse_action(self._rules, line.text("action"), last)
        verify_next(self._rules, begun.actions, action)
        if self._seat(line, "seat") != turn:
            raise ZhaifeiError("it is the turn of seat {seat}", seat=turn + 1)
        begun.actions.append(action)

    def _end(self, line: Header, begun: _Begun) -> None:
        _verify_names(line, ("loser", "points"))
        loser = self._seat(line, "loser")
        if begun.loser is not None:
            raise ZhaifeiError("the round has ended")
        played = played_round(self._rules, begun.starter, begun.hands, begun.actions, loser)
        most = max(played.points or (0,))
        line.whole("points", most, most)
        begun.loser = loser
