"""Read the lines of a record, which `policies.play.record_lines` describes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import format_hand, parse_hand, parse_step
from zhaifei.game.public_state import PublicState
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import full_dice, verify_dice
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, round_after
from zhaifei.policies.play.record_lines import VERSION, RecordError, Tell, record_error
from zhaifei.policies.play.seeds import MOST_SEED
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.strict_json import StrictJsonError, parse_object

LONGEST_LINE = 100_000
"""The most bytes of a line."""
_MOST_LINES = 200_000
_RECURRING = 80
"""The parsed forms of lines of at most this many bytes are cached."""
_MOST_GAPS = 20
"""How many places that are left out are told one by one."""


def parse_match(
    lines: Iterable[bytes], source: str = "record", tell: Tell | None = None
) -> PlayedMatch:
    """Return the match in the lines of a record, which messages call `source`.

    With `tell`, what is whole is read. A line that cannot be read is left out, with all lines after
    it up to the next roll, and `tell` is called with an error that names them and says why. So it
    is for a last line that was cut off, as a crash may do. Without `tell`, raise RecordError for
    the first such line; always raise it for a header that cannot be read.
    """
    reading: _Reading | None = None
    gaps = _Gaps(source, tell)
    number = 0
    for number, line in enumerate(lines, 1):
        try:
            if number > _MOST_LINES:
                raise ZhaifeiError("the record is too long")
            fields = _fields(line, is_first=reading is None)
            if fields is None:
                continue
            if reading is None:
                reading = _Reading(fields)
            elif not gaps.hides(fields):
                reading.take(fields, gaps.lines_before(number))
                gaps.close(number - 1)
        except ZhaifeiError as why:
            if reading is None or tell is None:
                raise record_error(source, number, why) from why
            gaps.open(number, why)
            if number > _MOST_LINES:
                break
    if reading is None:
        raise record_error(source, number + 1, _no_header())
    gaps.close(number)
    gaps.tell_of_more()
    return reading.match()


class _Gaps:
    """The places of a record that are left out, each from a line that cannot be read."""

    def __init__(self, source: str, tell: Tell | None) -> None:
        self._source, self._tell = source, tell
        self._first, self._number = 0, 0
        self._why: ZhaifeiError | None = None

    def open(self, line: int, why: ZhaifeiError) -> None:
        """Leave out this line, and what follows."""
        if not self._first:
            self._first, self._why, self._number = line, why, self._number + 1

    def hides(self, fields: Header) -> bool:
        """Return whether a line is left out because one before it was."""
        return bool(self._first) and "round" not in fields and "seed" not in fields

    def lines_before(self, line: int) -> int:
        """Return how many lines directly before this one were left out."""
        return line - self._first if self._first else 0

    def close(self, last: int) -> None:
        """Tell what was left out, up to this line."""
        if self._first and self._tell is not None and self._number <= _MOST_GAPS:
            if last > _MOST_LINES:
                why = ZhaifeiError("{why}: from here on it is left out", why=self._why)
            elif last == self._first:
                why = ZhaifeiError("{why}: this line is left out", why=self._why)
            else:
                why = ZhaifeiError(
                    "{why}: lines {first} to {last} are left out",
                    why=self._why,
                    first=self._first,
                    last=last,
                )
            self._tell(record_error(self._source, self._first, why))
        self._first = 0

    def tell_of_more(self) -> None:
        """Tell how many places were left out beyond those that were told."""
        if self._number > _MOST_GAPS and self._tell is not None:
            self._tell(
                RecordError(
                    "{file}: lines are left out in {number} more places",
                    file=self._source,
                    number=self._number - _MOST_GAPS,
                )
            )


def _fields(line: bytes, *, is_first: bool) -> Header | None:
    """Return what is on a line, None if it is blank. Raise ZhaifeiError."""
    if len(line) > LONGEST_LINE:
        raise ZhaifeiError("the line is too long")
    if not line.strip():
        return None
    try:
        return _recurring(line) if len(line) <= _RECURRING else _parsed(line)
    except (UnicodeDecodeError, StrictJsonError) as error:
        if not is_first and not line.endswith(b"\n"):
            raise ZhaifeiError("the line is cut off") from error
        raise ZhaifeiError("this is not a JSON object") from error


def _parsed(line: bytes) -> Header:
    return Header(parse_object(line.decode("utf-8-sig")))


_recurring = lru_cache(4096)(_parsed)
"""Bids, challenges and results are the same again and again: each is parsed once."""


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
                name=name,
                names=", ".join((*needed, *optional)),
            )


def _verify_as_many(found: tuple[Any, ...], rules: Rules, name: str) -> None:
    if len(found) != rules.players:
        raise ZhaifeiError(
            "{name} has {found} elements for {players} players",
            name=name,
            found=len(found),
            players=rules.players,
        )


@dataclass
class _Begun:
    """A round as far as it has been read."""

    state: PublicState
    hands: tuple[Hand | None, ...]
    actions: list[int] = field(default_factory=list)
    ended: PlayedRound | None = None
    """The round with its result; None if the record does not tell the result."""

    def played(self) -> PlayedRound:
        """Return the round as far as it is known."""
        return self.ended or round_after(self.state, self.hands, self.actions)


class _Reading:
    """What has been read of a record. Every method raises ZhaifeiError for what cannot be."""

    def __init__(self, header: Header) -> None:
        if "record" not in header:
            raise _no_header()
        found = header.whole("record", least=1)
        if found > VERSION:
            raise ZhaifeiError(
                "the record has format version {version}; this zhaifei reads up to {latest}",
                version=found,
                latest=VERSION,
            )
        _verify_names(header, ("record", "zhaifei", "rules", "seats"), ("you", "seed", "policy"))
        self._rules = header.rules()
        names = header.elements("seats")
        _verify_as_many(names, self._rules, "seats")
        self._rounds: list[_Begun] = []
        self._number = 0
        """Of the last round, as the record counts."""
        self._is_over = False
        self._actions: dict[str, int] = {}
        """The actions by their text."""
        self._match = PlayedMatch(
            self._rules,
            tuple(Header({"seats": name}).text("seats") for name in names),
            None if header.get("you") is None else self._seat(header, "you"),
            None if header.get("seed") is None else _seed(header),
            None if header.get("policy") is None else header.text("policy"),
            header.text("zhaifei"),
            rounds=(),
        )

    def take(self, line: Header, left_out: int = 0) -> None:
        """Take the next line; directly before it `left_out` lines were left out."""
        if self._is_over:
            raise ZhaifeiError("the match is over")
        if "round" in line:
            self._begin(line, left_out)
        elif "seed" in line:
            self._close(line)
        elif not self._rounds:
            raise ZhaifeiError("no round has begun")
        elif "action" in line:
            self._act(line, self._rounds[-1])
        else:
            self._end(line, self._rounds[-1])

    def match(self) -> PlayedMatch:
        """Return the match as far as it has been read."""
        return replace(self._match, rounds=tuple(one.played() for one in self._rounds))

    def _seat(self, line: Header, name: str) -> int:
        return line.whole(name, 1, self._rules.players) - 1

    def _begin(self, line: Header, left_out: int) -> None:
        """Begin the next round, or the last one again; rolls may be among lines left out."""
        _verify_names(line, ("round", "starter"), ("left", "dice"))
        number = line.whole("round", max(1, self._number), self._number + 1 + left_out)
        starter = self._seat(line, "starter")
        state = PublicState(self._rules, self._left(line, starter), starter)
        begun = _Begun(state, self._hands(line, state.dice))
        if number == self._number:
            self._rounds.pop()
        self._rounds.append(begun)
        self._number = number

    def _close(self, line: Header) -> None:
        _verify_names(line, ("seed",))
        self._match, self._is_over = replace(self._match, seed=_seed(line)), True

    def _left(self, line: Header, starter: int) -> tuple[int, ...]:
        """Return [seat] the numbers of dice that a line tells."""
        full = full_dice(self._rules, starter)
        if line.get("left") is None:
            return full
        found = line.elements("left")
        left = tuple(Header({"left": one}).whole("left") for one in found)
        verify_dice(self._rules, left, starter)
        return left

    def _hands(self, line: Header, left: tuple[int, ...]) -> tuple[Hand | None, ...]:
        """Return [seat] the dice that a line tells, of players who have `left` [seat] dice."""
        if line.get("dice") is None:
            return (None,) * self._rules.players
        _verify_as_many(line.elements("dice"), self._rules, "dice")
        return tuple(map(self._hand, line.elements("dice"), left))

    def _hand(self, dice: Any, left: int) -> Hand | None:
        if dice is None:
            return None
        text = Header({"dice": dice}).text("dice")
        return parse_hand(self._rules, text, left) if text or left else ()

    def _act(self, line: Header, begun: _Begun) -> None:
        _verify_names(line, ("seat", "action"))
        state, turn = begun.state, begun.state.turn
        action = self._action(line.text("action"), state.last)
        if state.is_over:
            raise ZhaifeiError("the round has ended")
        state.take(action)
        if self._seat(line, "seat") != turn:
            raise ZhaifeiError("it is the turn of seat {seat}", seat=turn + 1)
        begun.actions.append(action)

    def _action(self, text: str, last: Bid | None) -> int:
        """Return the action that a text denotes after the bid `last`. Found actions are remembered,
        unless the text may denote a double."""
        if self._rules.stakes.doubled:
            return parse_step(self._rules, text, last)
        if text not in self._actions:
            self._actions[text] = parse_step(self._rules, text)
        return self._actions[text]

    def _end(self, line: Header, begun: _Begun) -> None:
        _verify_names(line, ("loser", "points"), ("dice",))
        loser = self._seat(line, "loser")
        if begun.ended is not None:
            raise ZhaifeiError("the round has ended")
        shown = self._hands(line, begun.state.dice)
        hands = tuple(map(_shown, range(self._rules.players), begun.hands, shown))
        ended = round_after(begun.state, hands, begun.actions, loser)
        line.whole("points", ended.cost, ended.cost)
        begun.ended = ended


def _seed(line: Header) -> int:
    return line.whole("seed", most=MOST_SEED)


def _shown(seat: int, rolled: Hand | None, shown: Hand | None) -> Hand | None:
    """Return the dice of a seat, from what the roll and the challenge tell of them. Raise
    ZhaifeiError if these differ."""
    if rolled is not None and shown is not None and rolled != shown:
        raise ZhaifeiError(
            "seat {seat} rolled {rolled} and cannot have shown {shown}",
            seat=seat + 1,
            rolled=format_hand(rolled),
            shown=format_hand(shown),
        )
    return rolled if shown is None else shown
