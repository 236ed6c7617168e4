"""Parse and format bids, hands and histories; no other module does.

Output format: a bid is `飞4×6`; a history is its bids, oldest first, separated by spaces; a
challenge is `challenge`, and `challenge 2` is one of the bid made two bids ago (跳开). Doubles are
`劈` and `反劈`, and `give up` answers them.

Input formats, alone or within a history:

| form | examples | rule |
|---|---|---|
| a sign between the numbers | `4x6` `4*6` `4×6` `4个6` `四个六` `九x6` | spaces around it allowed |
| a space between them | `4 6` `十二 六` | the face is one digit |
| nothing between them | `46` `四六` `十二六` `106` | the last digit is the face |
| the mode, before or after | `飞4x6` `斋三个六` `3个6斋` `f46` `fei 4 6` `4x6z` | given once |
| no mode | `46`; `4个1` is 斋 | 飞, or 斋 where only 斋 may name the face; see `read_back` |
| a number | `4` `12` `四` `十二` `三十` `两` `幺` | digits, or Chinese up to 九十九; 幺 is 1 |
| the mode's name | `飞` `f` `fei`, `斋` `z` `zhai` | in either case; 飛 and 齋 are read too |
| a history | `8个6 斋56，飞12x2、13 2` | spaces or commas (`,` `，` `、`) between bids |
| a challenge | `challenge` `c` `开` `检验` `不信` | also challenges, 開 and 檢驗 |
| one of an earlier bid | `challenge 2` `c2` `跳开2` `跳开两` | how many bids ago, one digit |
| a double | `劈` `pi` `double` | where the rules let players double; doubles its last bid |
| a double of a double | `反劈` `redouble` | 〃; a third double is 反反劈 |
| giving up | `give up` `认输` | after a double; showing the dice is a challenge |
| a round | `飞8x4 斋5x4 开` | its bids and, if it has ended, the challenge or giving up |
| a player who is asked declines | `pass` `过` | in rounds and records where dice are lost |
| no legal action is taken | `forfeit` `犯规` | in rounds and records where dice are lost |

Full-width digits, letters and signs are read as plain ones. A single bid has at most one reading. A
history has several only if a mode stands alone between two bids, as in `7个3 斋 15个4`: if exactly
one reading is legal, it is taken; otherwise NotationError names two. Numbers alone are unambiguous,
since a face is one digit: `12 3 45` can only be 12×3 and 4×5. Rules without doubles refuse 劈, as
it raises the stakes at many tables: there a challenge is 开.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from zhaifei.game.bids import (
    Bid,
    State,
    action_of,
    can_bid,
    challenge_action,
    domain,
    ends_fei,
    gives_up,
    gives_up_action,
    state_after,
    verify_bid,
    verify_history,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, verify_hand, verify_hand_left
from zhaifei.game.legal import verify_has_giving_up
from zhaifei.game.messages import Message
from zhaifei.game.parts import Mode
from zhaifei.game.public_state import DECLINE, FORFEIT
from zhaifei.game.rules import Rules
from zhaifei.game.texts import verify_length

CHALLENGE = "challenge"
GIVE_UP = "give up"
_SPOKEN = {DECLINE: "pass", FORFEIT: "forfeit"}
"""The actions that are neither bids nor challenges, as they are written."""
_READ = {"pass": DECLINE, "过": DECLINE, "forfeit": FORFEIT, "犯规": FORFEIT}

_MODES = {
    "飞": Mode.FEI,
    "飛": Mode.FEI,
    "fei": Mode.FEI,
    "f": Mode.FEI,
    "斋": Mode.ZHAI,
    "齋": Mode.ZHAI,
    "zhai": Mode.ZHAI,
    "z": Mode.ZHAI,
}

# Case is folded in ASCII only: in Unicode, "ı" would match "i" and then be no key of _MODES.
_MODE = r"(?P<mode>(?ai:飞|飛|斋|齋|fei|zhai|f|z))"
_UNITS = "一二三四五六七八九"
_VALUES = {unit: place for place, unit in enumerate(_UNITS, 1)} | {"幺": 1, "两": 2}
_NUMBER = rf"(?:[0-9]{{1,3}}|[{_UNITS}]?十[{_UNITS}]?|[{_UNITS}幺两])"
_DIGIT = rf"[1-9{_UNITS}幺]"
# No text matches two of these, or one in two ways: a sign, a space, or nothing separates the
# numbers.
_NUMBERS = (
    rf"(?P<count>{_NUMBER})\s*[xX×*个個]\s*(?P<face>{_NUMBER})",
    rf"(?P<count>{_NUMBER})\s+(?P<face>{_DIGIT})",
    rf"(?P<count>{_NUMBER})(?P<face>{_DIGIT})",
)
_SEPARATOR = r"[\s,，、]"
_GAP = re.compile(f"{_SEPARATOR}*")
_BIDS = [
    re.compile(rf"{form}(?={_SEPARATOR}|\Z|反*劈)")
    for numbers in _NUMBERS
    for form in (rf"{_MODE}\s*{numbers}", rf"{numbers}\s*{_MODE}", numbers)
]
_CHALLENGE = re.compile(
    rf"(?ai:challenges?|c|跳开|跳開|开|開|检验|檢驗|不信)\s*(?P<distance>[1-9{_UNITS}两]?)\Z"
)
_GIVES_UP = re.compile(r"(?ai:give\s?up|认输|認輸)\Z")
_DOUBLES = re.compile(rf"(?ai:(?P<again>反*)劈|(?P<once>pi|double)|redouble)(?={_SEPARATOR}|\Z)")
_READ_IN_ROUNDS = re.compile(rf"(?ai:({'|'.join(_READ)}))")
_PLAIN = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Maps full-width characters to ASCII, one to one, so that positions in a text do not change."""

History = tuple[Bid, ...]


class NotationError(ZhaifeiError):
    """Raised for text that is not valid notation."""


def parse_bid(text: str, rules: Rules | None = None) -> Bid:
    """Return the bid that `text` denotes; without `rules` it must state its mode.

    Does not check whether the bid is legal (see `game.bids`). Raise NotationError or TextTooLong.
    """
    verify_length(text)
    bid = _whole_bid(text, rules)
    if bid is None:
        raise NotationError(
            "{text!r} is not a bid; write it like 飞4x6, f4x6, fei 4 6 or z2x5", text=text
        )
    return bid


def parse_history(rules: Rules, text: str, before: History = ()) -> History:
    """Return the bids that `text` denotes, separated by spaces or commas, which follow the bids
    `before` them.

    Raise NotationError, IllegalBid if the only reading is illegal, or TextTooLong.
    """
    verify_length(text)
    start = state_after(rules, before)
    legal, _ = _readings(rules, text, can_bid, start)
    if len(legal) == 1:
        return legal[0]
    readings, end = _readings(rules, text, lambda *_: True, start)
    if len(legal) > 1 or len(readings) > 1:
        one, other = (format_history(reading) for reading in (legal or readings))
        raise NotationError(
            "{text!r} may mean {one} or {other}; write each mode next to its bid, like 飞3x4",
            text=text,
            one=one,
            other=other,
        )
    if not readings:
        raise NotationError(
            "cannot read the history {text!r} from {unread!r} on; "
            "write bids like 飞3x4 or z2x5, separated by spaces",
            text=text,
            unread=_without_gaps(text[end:]),
        )
    verify_history(rules, (*before, *readings[0]))
    return readings[0]


def read_back(text: str, bids: Iterable[Bid]) -> Message | None:
    """Return a message with the reading `bids` of `text`, or None if `text` states the mode of
    every bid."""
    bids = tuple(bids)
    if len(re.findall(_MODE, text.translate(_PLAIN))) >= sum(not bid.doubled for bid in bids):
        return None
    return Message("no mode given: read as {bids}", bids=format_history(bids))


def format_history(history: Iterable[Bid]) -> str:
    """Return `history` as text: the inverse of `parse_history`."""
    return " ".join(map(str, history))


def parse_hand(rules: Rules, text: str, left: int | None = None) -> Hand:
    """Return the hand whose faces are the digits of `text`, in any order; spaces and commas are
    ignored. `left` is the number of dice of a player who may have lost some. Raise NotationError,
    IllegalHand or TextTooLong."""
    verify_length(text)
    digits = re.sub(r"[\s,]", "", text)
    if not re.fullmatch(r"[0-9]+", digits):
        raise NotationError(
            "{text!r} is not a hand; write the faces of your dice, like 11346", text=text
        )
    full, faces = rules.dice_by_player, map(int, digits)
    if left is None or left in full:
        return verify_hand(rules, faces, None if left is None else full.index(left))
    return verify_hand_left(rules, faces, left)


def format_hand(hand: Hand) -> str:
    """Return `hand` as digits: the inverse of `parse_hand`."""
    return "".join(map(str, hand))


def parse_action(rules: Rules, text: str, last: Bid | None = None) -> int:
    """Return the action of the bid, double or ending that `text` denotes after the bid `last`.

    Does not check how far back a challenge may reach (see `game.rounds`). Raise NotationError,
    IllegalBid for a bid outside the domain, IllegalChallenge for giving up under rules without it,
    or TextTooLong.
    """
    verify_length(text)
    plain = text.translate(_PLAIN).strip()
    match = _CHALLENGE.match(plain)
    if match is not None:
        return challenge_action(rules, _number(match["distance"] or "1"))
    if _GIVES_UP.match(plain):
        verify_has_giving_up(rules)
        return gives_up_action(rules)
    doubled = _DOUBLES.fullmatch(plain)
    if doubled is not None:
        double = _double(rules, doubled, last)
        if last is None:
            verify_bid(rules, double, None)
        return action_of(rules, double)
    bid = _whole_bid(text, rules)
    if bid is None:
        raise NotationError(
            "{text!r} is neither a bid, like 飞4x6 or z2x5, nor a challenge, like challenge or c",
            text=text,
        )
    return action_of(rules, bid)


def parse_step(rules: Rules, text: str, last: Bid | None = None) -> int:
    """Return the action that `text` denotes after the bid `last`, as `parse_action` does.

    Where dice are lost, it may also be DECLINE (`pass`, 过) or FORFEIT (`forfeit`, 犯规) of
    `game.public_state`."""
    spoken = _READ.get(text.strip().lower())
    return parse_action(rules, text, last) if spoken is None else spoken


def format_action(rules: Rules, action: int) -> str:
    """Return `action` as text: the inverse of `parse_step`."""
    if action in _SPOKEN:
        return _SPOKEN[action]
    if gives_up(rules, action):
        return GIVE_UP
    distance = action - challenge_action(rules) + 1
    if distance < 1:
        return str(domain(rules)[action])
    return CHALLENGE if distance == 1 else f"{CHALLENGE} {distance}"


def parse_actions(rules: Rules, text: str) -> tuple[int, ...]:
    """Return the actions of the round that `text` denotes: bids and, if the round has ended, a
    challenge or giving up. Where dice are lost, DECLINE and FORFEIT are read too, as
    `parse_step` does.

    Does not check how far back the challenge may reach, nor whether anybody is asked. Raise as
    `parse_history` does.
    """
    verify_length(text)
    whole = text.translate(_PLAIN).rstrip()
    match = _CHALLENGE.search(whole) or _GIVES_UP.search(whole)
    said = _READ_IN_ROUNDS.split(text[: len(whole) if match is None else match.start()])
    bids: History = ()
    actions: list[int] = []
    for part, spoken in zip_longest(said[::2], said[1::2]):
        made = parse_history(rules, part, bids)
        bids += made
        actions += [action_of(rules, bid) for bid in made]
        actions += [] if spoken is None else [_READ[spoken.lower()]]
    if match is not None:
        actions.append(parse_action(rules, match[0]))
    return tuple(actions)


def format_actions(rules: Rules, actions: Iterable[int]) -> str:
    """Return `actions` as text: the inverse of `parse_actions`."""
    return " ".join(format_action(rules, action) for action in actions)


def _whole_bid(text: str, rules: Rules | None) -> Bid | None:
    text = text.translate(_PLAIN).strip()
    for end, bid in _bids_at(text, 0, rules):
        if end == len(text):
            return bid
    return None


def _bids_at(text: str, place: int, rules: Rules | None) -> Iterator[tuple[int, Bid]]:
    """Yield (end, bid) for each bid that the ASCII-folded `text` may denote from `place` on."""
    for form in _BIDS:
        match = form.match(text, place)
        if match is None:
            continue
        said = match.groupdict()
        count, face = _number(said["count"]), _number(said["face"])
        if "mode" in said:
            yield match.end(), Bid(_MODES[said["mode"].lower()], count, face)
        elif rules is not None:
            yield match.end(), Bid(_default_mode(rules, face), count, face)


def _double(rules: Rules, doubled: re.Match[str], last: Bid | None) -> Bid:
    """Return the double of `last` that a match of `_DOUBLES` denotes."""
    level = 1 if doubled["once"] else 2 if doubled["again"] is None else 1 + len(doubled["again"])
    return replace(last or domain(rules)[0], doubled=level)


def _default_mode(rules: Rules, face: int) -> Mode:
    """Return the mode of a bid that states no mode: the first mode that may name the face."""
    modes = (mode for mode in rules.bidding.modes if face in rules.nameable_faces(mode))
    return next(modes, rules.bidding.modes[0])


class _Reading(NamedTuple):
    """The bids that a text may denote up to some place, as a list linked from its end. Readings
    with equal beginnings share them, so that a bid is added in constant time."""

    before: _Reading | None
    bid: Bid | None

    def history(self) -> History:
        """Return the bids, oldest first."""
        bids: list[Bid] = []
        reading: _Reading | None = self
        while reading is not None and reading.bid is not None:
            bids.append(reading.bid)
            reading = reading.before
        return tuple(reversed(bids))


def _readings(
    rules: Rules,
    text: str,
    allowed: Callable[[Rules, Bid, Bid | None, bool], bool],
    start: State,
) -> tuple[list[History], int]:
    """Return up to two histories that `text` may denote from the state `start` on, in which every
    bid is `allowed` after the bids before it, and the furthest position to which bids can be read.

    The continuations of a reading depend only on its position and its state. So two readings are
    kept for each such pair instead of exponentially many. The time is linear in the length of
    `text`: few bids begin or end at a position, and equal readings are one object, so that they are
    compared by their ids.
    """
    text = text.translate(_PLAIN)
    made: dict[tuple[int, Bid], _Reading] = {}
    begun: dict[int, dict[State, list[_Reading]]] = {
        _past_gap(text, 0): {start: [_Reading(None, None)]}
    }
    furthest = 0
    for place in range(len(text)):
        readings = begun.pop(place, None)
        if readings is None:
            continue
        doubled = _DOUBLES.match(text, place)
        said: list[tuple[int, Bid | re.Match[str]]] = [*_bids_at(text, place, rules)]
        said += [(doubled.end(), doubled)] if doubled else []
        for end, found_here in said:
            furthest = max(furthest, end)
            after = begun.setdefault(_past_gap(text, end), {})
            for state, readings_so_far in readings.items():
                bid = (
                    found_here
                    if isinstance(found_here, Bid)
                    else _double(rules, found_here, state.last)
                )
                if not allowed(rules, bid, *state):
                    continue
                next_ = State(bid, state.fei_ended or ends_fei(rules, bid))
                found = [
                    made.setdefault((id(reading), bid), _Reading(reading, bid))
                    for reading in readings_so_far
                ]
                # Default modes may turn two readings into the same bids, which count once.
                distinct = {id(reading): reading for reading in after.get(next_, []) + found}
                after[next_] = [*distinct.values()][:2]
    whole = [reading for found in begun.get(len(text), {}).values() for reading in found]
    return [reading.history() for reading in whole[:2]], furthest


def _without_gaps(text: str) -> str:
    """Return `text` without the separators at both ends."""
    end = len(text) - _past_gap(text[::-1], 0)
    return text[_past_gap(text, 0) : end]


def _past_gap(text: str, place: int) -> int:
    gap = _GAP.match(text, place)
    assert gap is not None, "the pattern matches the empty string"
    return gap.end()


def _number(text: str) -> int:
    """Return the value of a text that matches `_NUMBER`."""
    if "十" in text:
        tens, units = text.split("十")
        return 10 * _number(tens or "一") + _number(units or "0")
    return _VALUES[text] if text in _VALUES else int(text)
