"""The lines of a record: JSON objects, one for every event of a match.

The first line is the header: the rules, the seats, the policy and the version. Then comes a line
for each roll, each action and each result; the last line of a match that is over may tell its
seed:

    {"record": 2, "zhaifei": "0.1.0", "rules": {...}, "seats": ["you", "zhaifei-2p"], "you": 1,
     "policy": "zhaifei-2p"}
    {"round": 1, "starter": 2, "dice": ["12446", null]}
    {"seat": 2, "action": "飞3×2"}
    {"seat": 1, "action": "challenge"}
    {"loser": 1, "points": 1, "dice": ["12446", "33456"]}
    {"seed": 3}

A record in progress tells no dice that the table has not seen: a roll has the dice that are shown
during the round, a result those that the challenge showed. All dice follow from the seed, so it
comes after the last round. Version 1 had the seed in the header, and all dice in the roll.

Where dice are lost, `points` are dice. `left` in a roll has the numbers of dice, and may be left
out while nobody has lost any; the dice of a player who is out are "". A player who is asked whether
to challenge may `pass`, and a player who takes no legal action does `forfeit`.

Seats count from 1. `record` is the version of the format. Dice that nobody knows are null, or
`dice` is left out; so may `you` and `policy` be. A round that ends before its challenge has no
result; one that begins again under its number replaces what there was of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import format_action, format_hand
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import full_dice
from zhaifei.policies.play.played import PlayedMatch, PlayedRound

VERSION = 2
"""The version of the format; files of this version and of earlier ones are read."""

Line = Mapping[str, Any]
Tell = Callable[[ZhaifeiError], object]
"""A callback that receives non-fatal errors."""


class RecordError(ZhaifeiError):
    """Raised for a record that cannot be read; the message names the file and the line."""


def record_error(source: str, line: int, why: ZhaifeiError) -> RecordError:
    """Return the error that says what is wrong on a line, counted from 1."""
    return RecordError("{file}, line {line}: {why}", file=source, line=line, why=why)


def header_line(match: PlayedMatch) -> Line:
    """Return the header of a match."""
    return {
        "record": VERSION,
        "zhaifei": match.version,
        "rules": match.rules.to_dict(),
        "seats": [printable(name) for name in match.seats],
        "you": None if match.you is None else match.you + 1,
        "policy": None if match.policy is None else printable(match.policy),
    }


def round_line(number: int, played: PlayedRound, rules: Rules) -> Line:
    """Return the line of the roll that begins a round: its number, from 1, who starts, [seat] the
    dice, as far as the table may see them, and their numbers if dice have been lost."""
    fewer = played.dice != full_dice(rules, played.starter)
    left = {"left": [*played.dice]} if fewer else {}
    return {"round": number, "starter": played.starter + 1, **left, "dice": _dice(played.hands)}


def action_line(rules: Rules, seat: int, action: int) -> Line:
    """Return the line of an action of the player in `seat`, from 0."""
    return {"seat": seat + 1, "action": format_action(rules, action)}


def result_line(loser: int, cost: int, hands: Iterable[Hand | None] | None = None) -> Line:
    """Return the line of a result: the loser, a seat from 0, and the penalty points or dice that
    the round cost. `hands` are [seat] the dice that the challenge has shown, if the roll does not
    tell them."""
    shown = {} if hands is None else {"dice": _dice(hands)}
    return {"loser": loser + 1, "points": cost, **shown}


def seed_line(seed: int) -> Line:
    """Return the last line of a match that is over."""
    return {"seed": seed}


def _dice(hands: Iterable[Hand | None]) -> list[str | None]:
    return [None if hand is None else format_hand(hand) for hand in hands]


def as_text(line: Line) -> str:
    """Return a line as it stands in a file."""
    return json.dumps(line, ensure_ascii=False) + "\n"


def format_match(match: PlayedMatch) -> str:
    """Return a whole record: the inverse of `policies.play.record_reading.parse_match`."""
    rounds = enumerate(match.rounds, 1)
    lines = [line for number, played in rounds for line in _lines(match.rules, number, played)]
    end = [] if match.seed is None else [seed_line(match.seed)]
    return "".join(map(as_text, [header_line(match), *lines, *end]))


def _lines(rules: Rules, number: int, played: PlayedRound) -> Iterator[Line]:
    yield round_line(number, played, rules)
    for state, action in played.steps(rules):
        yield action_line(rules, state.turn, action)
    if played.loser is not None:
        yield result_line(played.loser, played.cost)


def printable(name: str) -> str:
    """Return a name, which may be that of any file, as a line may contain it: control characters,
    and bytes that are not text, are escaped."""
    return "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in name)
