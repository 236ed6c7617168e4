"""Rounds as people write them down, a line each, from the opening to the challenge:

    5人 先手3: 飞6x4 飞7x4 斋4x4 开; 我=2: 11346; 老王=4: 22335; 输1
    5 players, starter 3: f6x4 f7x4 z4x4 c; me=2: 11346; Wang=4: 22335; loser 1

The words before the first colon describe the table, in any order:

- the number of players, and who starts;
- 跳开 or `jump`, if bids before the last may be challenged;
- the name of other rules, the dice of each player (`3骰`, `3 dice`; `5,3 dice` for two players who
  have different numbers) and their faces (`4面`, `4 faces`);
- `house` and the names of house rules, joined by +, like `house ones-highest+straight=nothing`;
- where dice are lost, the dice left by seat, 0 for players who are out: `剩5,4,0`, `left 5,4,0`.

Then come the actions, in the notation of `game.notation`. After semicolons follow, in any order:
dice, by seat; the names of seats; and the loser, if the written dice do not determine who lost.

Where everybody is asked whether to challenge, `开` is the challenge of the next bidder, `3号开` or
`seat 3 challenges` that of seat 3, and who was asked before has declined. To decline need only be
written, as `过` or `pass`, after the last bid of a round that ends otherwise.

A line may leave out what earlier lines have given: rules, names and `me`. By default a round starts
as the rules say after the last one, with the dice that it left. Chinese and English words may be
mixed. Empty lines, and lines that begin with #, are skipped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import NamedTuple

from zhaifei.game.bids import distance_of, gives_up, gives_up_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.house import read_house
from zhaifei.game.notation import format_action, format_hand, parse_actions, parse_hand
from zhaifei.game.public_state import DECLINE, FORFEIT, PublicState
from zhaifei.game.rules import PRESETS, Rules, house_of, preset, preset_name
from zhaifei.game.stakes import full_dice, verify_dice
from zhaifei.game.texts import verify_length
from zhaifei.policies.play.played import (
    UNNAMED,
    YOU,
    PlayedMatch,
    PlayedRound,
    dice_after,
    played_round,
    round_after,
    starter_after,
)
from zhaifei.policies.play.record_lines import record_error


class Words(NamedTuple):
    """The words of one language in which rounds are written; the words of all languages are
    read."""

    players: str
    dice: str
    faces: str
    starter: str
    loser: str
    jump: str
    house: str
    me: str
    challenge: str
    jump_challenge: str
    out_of_turn: str
    """A challenge by a player who is not the next to bid."""
    left: str
    declines: str
    forfeits: str
    gives_up: str
    gap: str
    """The separator of the words before the first colon."""


ENGLISH = Words(
    "{} players",
    "{} dice",
    "{} faces",
    "starter {}",
    "loser {}",
    "jump",
    "house {}",
    "me",
    "challenge",
    "challenge {}",
    "seat {} challenges",
    "left {}",
    "pass",
    "forfeit",
    "give up",
    ", ",
)
CHINESE = Words(
    "{}人",
    "{}骰",
    "{}面",
    "先手{}",
    "输{}",
    "跳开",
    "规矩 {}",
    "我",
    "开",
    "跳开{}",
    "{}号开",
    "剩{}",
    "过",
    "犯规",
    "认输",
    " ",
)

_ME = frozenset({"我", "me", "i", "you", "你"})
_COLONS, _SEMICOLONS, _EQUALS = ":：", ";；", "=＝"
_DIGITS = {sign: place for place, sign in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_NUMBER = rf"(?P<number>[0-9]{{1,2}}|[{''.join(_DIGITS)}])"
_SEAT = (
    rf"(?:seat\s*)?(?P<seat>[0-9]{{1,2}}|[{''.join(_DIGITS)}]|{'|'.join(sorted(_ME))})(?:号位?)?"
)
_TABLE = {
    "players": (rf"{_NUMBER}\s*(?:人|players?|p(?![a-z]))",),
    "dice": (rf"(?P<several>[0-9],[0-9]|{_NUMBER})\s*(?:骰子?|颗|dice|die)",),
    "faces": (rf"{_NUMBER}\s*(?:面|faces?)",),
    "starter": (
        rf"(?:先手|首叫|starter|first)\s*{_SEAT}",
        rf"{_SEAT}\s*(?:先手|首叫|starts|start|first)",
    ),
    "left": (r"(?:剩|left)\s*(?P<left>[0-9](?:[,、][0-9])+)",),
    "jump": (r"(?P<jump>跳开|跳開|jump)",),
    "house": (r"(?:house|规矩)\s*(?P<house>[a-z0-9=:+_-]+)",),
    "variant": (rf"(?P<variant>{'|'.join(sorted(PRESETS, reverse=True))}|斋飞)",),
}
"""The patterns for each word before the first colon."""
_FORMS = [(name, re.compile(form)) for name, forms in _TABLE.items() for form in forms]
_NUMBERED = re.compile(_SEAT)
_GAP = re.compile(r"[\s,、]*")
_LOST = re.compile(
    r"(?ai:输了?|loser|lost)\s*(?P<before>\S.*)|(?P<after>.*\S)\s*(?ai:输了?|loses?|lost)"
)
_CHALLENGER = re.compile(
    r"(?:(?<=[\s,，、])|^)(?P<who>"
    rf"(?ai:seat)\s*\d{{1,2}}|(?:\d{{1,2}}|[{''.join(_DIGITS)}])号位?|(?ai:{'|'.join(sorted(_ME))}))"
    r"\s*(?=[^\W\d]+\d?\s*\Z)"
)
"""The seat before a challenge that ends a round."""
_DICE = re.compile(r"[0-9\s,，]+")


@dataclass(frozen=True)
class _Table:
    """Facts about the table after some lines."""

    rules: Rules | None = None
    you: int | None = None
    names: Mapping[int, str] = field(default_factory=dict)
    """The name in each seat, from 0."""
    last: PlayedRound | None = None
    """The round on the last line."""

    def seat(self, text: str) -> int:
        """Return the seat, from 0, for a number, a name or `me`. Raise ZhaifeiError."""
        assert self.rules is not None
        plain = _plain(text)
        if (numbered := _NUMBERED.fullmatch(plain)) is not None:
            plain = numbered["seat"]
        if plain in _ME:
            if self.you is None:
                raise ZhaifeiError(
                    "{text!r} has no seat yet; write the number of the seat, like me=2", text=text
                )
            return self.you
        if numbered is not None:
            number = _value(plain)
            if not 1 <= number <= self.rules.players:
                raise ZhaifeiError(
                    "there is no seat {seat}: seats are 1 to {players}",
                    seat=number,
                    players=self.rules.players,
                )
            return number - 1
        found = [seat for seat, name in self.names.items() if name == text]
        if len(found) != 1:
            raise ZhaifeiError(
                "{text!r} is not a seat: write its number, or name it once, like Wang=4", text=text
            )
        return found[0]

    def seated(self, name: str, seat: int) -> _Table:
        """Return the table with the player called `name` in this seat. Raise ZhaifeiError."""
        if _plain(name) in _ME:
            if self.you is not None and self.you != seat:
                raise ZhaifeiError("you sit in seat {seat} already", seat=self.you + 1)
            if seat in self.names:
                raise ZhaifeiError("seat {seat} is taken", seat=seat + 1)
            return replace(self, you=seat)
        possible = name != "" and name.isprintable() and seat != self.you
        if not possible or self.names.get(seat, name) != name:
            raise ZhaifeiError(
                "seat {seat} cannot be called {name!r} now", seat=seat + 1, name=name
            )
        return self if name == UNNAMED else replace(self, names={**self.names, seat: name})


class RoundReader:
    """Reads rounds, a line each, and remembers the facts of earlier lines."""

    def __init__(self) -> None:
        self._table = _Table()
        self._rounds: list[PlayedRound] = []

    def read(self, line: str) -> PlayedRound | None:
        """Return the round on a line, or None if the line has no round. Raise ZhaifeiError for a
        line that cannot be read; such a line changes nothing."""
        verify_length(line)
        if not line.strip() or line.lstrip().startswith("#"):
            return None
        first, *parts = _split(line, _SEMICOLONS)
        head, actions = _first_split(first, _COLONS)
        told = _told(_plain(head))
        rules = self._rules(told)
        table: _Table = replace(self._table, rules=rules)
        table, dice, loser = _with_parts(table, parts)
        state = PublicState(rules, *_opening(table, told))
        played = _round(table, state, actions, dice, loser)
        self._table = replace(table, last=played)
        self._rounds.append(played)
        return played

    def match(self) -> PlayedMatch:
        """Return the match so far. Raise ZhaifeiError if no round has been read."""
        rules, you, names = self._table.rules, self._table.you, self._table.names
        if rules is None:
            raise ZhaifeiError(
                "there is no round; a line is like 5 players, starter 3: f6x4 c; me=2: 11346"
            )
        seats = [names.get(seat, UNNAMED) for seat in range(rules.players)]
        if you is not None:
            seats[you] = YOU
        return PlayedMatch(
            rules, tuple(seats), you, None, None, version("zhaifei"), tuple(self._rounds)
        )

    def _rules(self, told: Mapping[str, str]) -> Rules:
        before = self._table.rules
        if before is None and "players" not in told:
            raise ZhaifeiError("how many play? write it before the bids, like 5 players:")
        sizes = {name: _value(told[name]) for name in ("players", "faces") if name in told}
        dice = tuple(map(_value, told["dice"].split(","))) if "dice" in told else ()
        if before is None:
            name = told.get("variant", "zhaifei").replace("斋飞", "zhaifei")
            rules = preset(
                name,
                players=sizes["players"],
                dice=dice if dice[1:] else sum(dice) or None,
                faces=sizes.get("faces"),
                jump_challenge="jump" in told,
                house=_house_told(told),
            )
            return rules
        if (
            any(getattr(before, name) != size for name, size in sizes.items())
            or (dice and set(dice) != set(before.dice_by_player))
            or ("house" in told and read_house(_house_told(told)) != read_house(house_of(before)))
            or ("jump" in told and not before.stakes.jump_challenge and before.players > 2)
            or (
                "variant" in told
                and preset_name(before) != told["variant"].replace("斋飞", "zhaifei")
            )
        ):
            raise ZhaifeiError("the lines before are for other rules: {rules}", rules=before)
        return before


def _opening(table: _Table, told: Mapping[str, str]) -> tuple[tuple[int, ...], int]:
    """Return [seat] the numbers of dice of a round, and who starts. Raise ZhaifeiError."""
    rules, last = table.rules, table.last
    assert rules is not None
    if "starter" in told:
        starter: int | None = table.seat(told["starter"])
    else:
        starter = None if last is None else starter_after(rules, last)
    if starter is None:
        raise ZhaifeiError("who starts? write it before the bids, like starter 3:")
    if "left" in told:
        left: tuple[int, ...] | None = tuple(map(int, re.split("[,、]", told["left"])))
    else:
        left = full_dice(rules, starter) if last is None else dice_after(rules, last, starter)
    if left is None:
        raise ZhaifeiError(
            "how many dice has everybody left? write it before the bids, like left 5,4:"
        )
    verify_dice(rules, left, starter)
    return left, starter


def parse_rounds(text: str, source: str = "text") -> PlayedMatch:
    """Return the match whose rounds are the lines of `text`. Raise RecordError, which names the
    line and calls the text `source`."""
    return read_rounds(text.split("\n"), source)


def read_rounds(lines: Iterable[str], source: str) -> PlayedMatch:
    """Return the match whose rounds are these lines. Raise as `parse_rounds` does."""
    reader, number = RoundReader(), 0
    for number, line in enumerate(lines, 1):
        try:
            reader.read(line)
        except ZhaifeiError as why:
            raise record_error(source, number, why) from why
    try:
        return reader.match()
    except ZhaifeiError as why:
        raise record_error(source, max(number, 1), why) from why


def format_rounds(match: PlayedMatch, words: Words = ENGLISH) -> str:
    """Return the rounds of a match, a line each. This inverts `parse_rounds`, except for the seed,
    the policy, the version and names that no line can hold. Raise ZhaifeiError for rules that are
    not a preset."""
    return "\n".join(format_round(match, place, words) for place in range(len(match.rounds)))


def format_round(match: PlayedMatch, place: int, words: Words) -> str:
    """Return the line of the round at this place; the first line of a match also gives the rules
    and the names. Raise ZhaifeiError as `format_rounds` does."""
    rules, played, first = match.rules, match.rounds[place], place == 0
    head = [*(_rules_told(rules, words) if first else []), words.starter.format(played.starter + 1)]
    before = None if first else match.rounds[place - 1]
    head += _dice_told(rules, before, played, words)
    parts = [f"{words.gap.join(head)}: {_actions_told(rules, played, words)}".rstrip()]
    for seat, hand in enumerate(played.hands):
        name = words.me if seat == match.you else match.seats[seat]
        named = first and (seat == match.you or _can_be_written(name))
        if named or hand:
            who = f"{name}={seat + 1}" if named else f"{seat + 1}"
            parts.append(f"{who}: {format_hand(hand)}" if hand else who)
    certain = played_round(rules, played.starter, played.hands, played.actions, None, played.dice)
    if certain.losses is None and played.loser is not None:
        parts.append(words.loser.format(played.loser + 1))
    return "; ".join(parts)


def _dice_told(
    rules: Rules, before: PlayedRound | None, played: PlayedRound, words: Words
) -> list[str]:
    """Return the words for the dice left, unless they follow from the round before."""
    starter = played.starter
    usual = full_dice(rules, starter) if before is None else dice_after(rules, before, starter)
    return [] if played.dice == usual else [words.left.format(",".join(map(str, played.dice)))]


def _rules_told(rules: Rules, words: Words) -> list[str]:
    name = preset_name(rules)
    if name is None:
        raise ZhaifeiError(
            "only known rules can be written in a line: {names}", names=", ".join(PRESETS)
        )
    own = preset(name, players=rules.players)
    told = [words.players.format(rules.players)]
    told += [name] if name != "zhaifei" else []
    dice = ",".join(map(str, rules.table.uneven or [rules.dice]))
    told += [words.dice.format(dice)] if rules.table.uneven or rules.dice != own.dice else []
    told += [words.faces.format(rules.faces)] if rules.faces != own.faces else []
    house = house_of(rules)
    told += [words.house.format("+".join(house))] if house else []
    return told + ([words.jump] if rules.stakes.jump_challenge else [])


def _house_told(told: Mapping[str, str]) -> list[str]:
    """Return the names of the house rules in the words before the colon."""
    return [name for name in told.get("house", "").split("+") if name]


def _actions_told(rules: Rules, played: PlayedRound, words: Words) -> str:
    told: list[str] = []
    declined = 0
    """How many have just declined."""
    for state, action in played.steps(rules):
        if state.is_asked and action in (DECLINE, FORFEIT):
            declined += 1
            continue
        ends = action != FORFEIT and not gives_up(rules, action)
        distance = distance_of(rules, action) if ends else 0
        if distance >= 1 and declined and state.is_asked:
            told.append(words.out_of_turn.format(state.turn + 1))
        elif distance >= 1:
            told += [words.declines] * declined
            one = words.challenge if distance == 1 else words.jump_challenge.format(distance)
            told.append(one)
        else:
            spoken = {FORFEIT: words.forfeits, gives_up_action(rules): words.gives_up}
            told.append(spoken[action] if not ends else format_action(rules, action))
        declined = 0
    return " ".join(told + [words.declines] * declined)


def _can_be_written(name: str) -> bool:
    """Return whether a line can hold this name of a player, so that it is read again."""
    if name == UNNAMED or _plain(name) in _ME or name != name.strip() or not name.isprintable():
        return False
    return bool(name) and not any(sign in name for sign in _SEMICOLONS)


# Parts of a line


def _plain(text: str) -> str:
    """Return a text, which is not a name, in lower case and with full-width characters as ASCII."""
    return unicodedata.normalize("NFKC", text).strip().lower()


def _value(number: str) -> int:
    return _DIGITS[number] if number in _DIGITS else int(number)


def _split(text: str, signs: str) -> list[str]:
    return [part.strip() for part in re.split(f"[{signs}]", text)]


def _first_split(text: str, signs: str) -> tuple[str, str]:
    """Return the parts before and after the first of `signs`; without such a sign, the first part
    is empty."""
    parts = re.split(f"[{signs}]", text, maxsplit=1)
    return (parts[0], parts[1]) if len(parts) > 1 else ("", parts[0])


def _last_split(text: str, signs: str) -> tuple[str, str] | None:
    """Return the parts before and after the last of `signs`, or None without such a sign."""
    place = max(text.rfind(sign) for sign in signs)
    return None if place < 0 else (text[:place].strip(), text[place + 1 :].strip())


def _told(head: str) -> dict[str, str]:
    """Return the values of the words before the first colon, by the names in _TABLE. Raise
    ZhaifeiError."""
    told: dict[str, str] = {}
    place = _past_gap(head, 0)
    while place < len(head):
        name, end = "", place
        for one, form in _FORMS:
            if (found := form.match(head, place)) is not None and found.end() > end:
                name, end, value = one, found.end(), found[found.lastgroup or 0]
        if not name:
            raise ZhaifeiError(
                "cannot read {unread!r} before the colon; write like 5 players, starter 3:",
                unread=head[place:],
            )
        if name in told:
            raise ZhaifeiError("{text!r} is given twice", text=head[place:end])
        told[name] = value
        place = _past_gap(head, end)
    return told


def _past_gap(text: str, place: int) -> int:
    gap = _GAP.match(text, place)
    assert gap is not None, "the pattern matches the empty string"
    return gap.end()


def _with_parts(table: _Table, parts: Sequence[str]) -> tuple[_Table, dict[int, str], str | None]:
    """Return the table with the players named in `parts`, {seat: dice as text}, and the loser.
    Raise ZhaifeiError."""
    dice: dict[int, str] = {}
    loser: str | None = None
    for part in filter(None, parts):
        who, hand = _who_and_dice(part)
        named = _last_split(who, _EQUALS)
        if named is not None:
            seat = table.seat(named[1])
            table = table.seated(named[0], seat)
        elif hand is not None:
            seat = table.seat(who)
        elif loser is None and (found := _LOST.fullmatch(part)) is not None:
            loser = found["before"] or found["after"]
        else:
            raise ZhaifeiError(
                "cannot read {part!r}; after semicolons stand dice, like 2: 11346, names, like "
                "Wang=4, and once who lost, like loser 3",
                part=part,
            )
        if hand is not None:
            if seat in dice:
                raise ZhaifeiError("seat {seat} has dice already", seat=seat + 1)
            dice[seat] = hand
    return table, dice, loser


def _who_and_dice(part: str) -> tuple[str, str | None]:
    """Return the seat or the name in a part, and its dice or None."""
    halves = _last_split(part, _COLONS)
    if halves is not None and _DICE.fullmatch(_plain(halves[1])):
        return halves[0], _plain(halves[1])
    return part, None


def _round(
    table: _Table, state: PublicState, text: str, dice: Mapping[int, str], loser: str | None
) -> PlayedRound:
    """Return the round that begins in this public state. Raise ZhaifeiError."""
    rules = state.rules
    hands: list[Hand | None] = [None] * rules.players
    for seat, one in dice.items():
        hands[seat] = parse_hand(rules, one, state.dice[seat])
    actions = _take(table, state, text)
    return round_after(state, hands, actions, None if loser is None else table.seat(loser.strip()))


def _take(table: _Table, state: PublicState, text: str) -> list[int]:
    """Take the actions in `text`, and DECLINE for whoever must have declined in between; return all
    of them. Raise ZhaifeiError."""
    found = _CHALLENGER.search(text)
    challenger = None if found is None else table.seat(found["who"])
    said = text if found is None else text[: found.start()] + text[found.end() :]
    taken: list[int] = []

    def take(action: int) -> None:
        state.take(action)
        taken.append(action)

    for action in parse_actions(state.rules, said):
        is_challenge = action >= 0 and distance_of(state.rules, action) >= 1
        while (
            action != DECLINE
            and state.is_asked
            and not (is_challenge and challenger in (None, state.turn))
        ):
            take(DECLINE)
        if is_challenge and challenger not in (None, state.turn):
            raise ZhaifeiError("it is the turn of seat {seat}", seat=state.turn + 1)
        take(action)
    return taken
