"""`zhaifei rules --ask`: from what players know of their table to its rules and commands.

Answers name house rules (`game.house`), so that no rule is described a second time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from rich.console import Console

from zhaifei.app.locale import say, say_message
from zhaifei.app.terminal.rules_help import WITHOUT, rules_told
from zhaifei.game.bids import Bid, legal_bids
from zhaifei.game.house import SWITCHES
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, default_first_count, preset
from zhaifei.policies.catalogue.known import known_record
from zhaifei.policies.catalogue.solving import command_for, solve_command

T = TypeVar("T")
_EXAMPLE = "--hand 11346"


class RulesQuestions:
    """Asks a person for the rules of their table, a line for each answer that `read` returns after
    a prompt."""

    def __init__(self, console: Console, read: Callable[[str], str]) -> None:
        self._console, self._read = console, read

    def run(self) -> Rules:
        """Return the rules, and show them and what to type next. Raise ZhaifeiError if the answers
        contradict each other."""
        players = self._players()
        house = [
            *self._openings(players),
            *self._reading("fei_to_zhai", say("Which 斋 bids may follow 飞?"), players),
            *self._reading("zhai_to_fei", say("Which 飞 bids may follow 斋?"), players),
            *self._any_of(("ones_highest", "ones_end_fei"), say("What holds for ones?")),
            *self._any_of(("straight", "five_alike"), say("What holds for whole hands?")),
        ]
        jump = players > 2 and self._jump()
        rules = preset("zhaifei", players=players, jump_challenge=jump, house=house)
        for line in _told(rules):
            self._print(line)
        return rules

    def _players(self) -> int:
        return self._until(
            say("How many play? 2 to 8, usually 2"), lambda text: _number(text or "2", 2, 8)
        )

    def _openings(self, players: int) -> list[str]:
        """Return the house rules on the first bid."""
        usual = default_first_count(players, 5)
        asked = say(
            "How many must the first bid count, as 飞 and as 斋? Usually {usual} {usual}",
            usual=usual,
        )
        fei, zhai = self._until(asked, lambda text: _two_numbers(text or f"{usual} {usual}"))
        first = [f"first-count={fei}"] if fei != usual else []
        return first + ([f"first-zhai={zhai}"] if zhai != fei else [])

    def _reading(self, field: str, asked: str, players: int) -> list[str]:
        """Return the house rule, if any, that says what follows between 飞 and 斋."""
        names = _names((field,))
        texts = [WITHOUT[field], *(SWITCHES[name].does for name in names)]
        values = ["strength", *(SWITCHES[name].value for name in names)]
        examples = [_example(field, value, players) for value in values]
        self._list(asked, map("{}{}".format, map(say_message, texts), examples))
        place = self._until(
            say("A number, usually 1"), lambda text: _number(text or "1", 1, len(values))
        )
        return [names[place - 2]] if place > 1 else []

    def _any_of(self, fields: tuple[str, ...], asked: str) -> list[str]:
        """Return the house rules that hold, of those that set one of the fields."""
        names = _names(fields)
        self._list(asked, (say_message(SWITCHES[name].does) for name in names))
        places = self._until(
            say("Numbers, or nothing for none of them"),
            lambda text: [_number(one, 1, len(names)) for one in text.split()],
        )
        return [names[place - 1] for place in places]

    def _jump(self) -> bool:
        asked = say("May earlier bids be challenged (跳开)? y or n, usually n")
        return self._until(asked, lambda text: {"y": True, "n": False}[(text or "n").lower()])

    def _list(self, asked: str, texts: Iterator[str]) -> None:
        self._print(asked)
        for number, text in enumerate(texts, 1):
            self._print(f"  {number}  {text}")

    def _until(self, asked: str, read: Callable[[str], T]) -> T:
        """Ask until the answer can be read."""
        while True:
            try:
                return read(self._read(f"{asked} > "))
            except (ValueError, KeyError):
                self._print(say("this is no answer to the question"))

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)


def _told(rules: Rules) -> Iterator[str]:
    """Yield the rules, and what to type next."""
    yield ""
    yield say_message(rules.description)
    yield from rules_told(rules)
    yield ""
    if known_record(rules) is None:
        yield say("To solve these rules, type:")
        yield f"  {solve_command(rules)}"
        yield say("Then ask about any hand, for example:")
    else:
        yield say("A policy for these rules is there. Ask about any hand, for example:")
    yield f"  {command_for('zhaifei query', rules)} {_EXAMPLE}"


def _example(field: str, value: str, players: int) -> str:
    """Return the weakest bid that follows another between 飞 and 斋 by this reading, in brackets;
    nothing if no bid follows."""
    last = _BEFORE[field]
    other = {"fei_to_zhai": "forbidden", "zhai_to_fei": "forbidden", field: value}
    rules = Rules.of(
        players=players, fei_to_zhai=other["fei_to_zhai"], zhai_to_fei=other["zhai_to_fei"]
    )
    follow = (bid for bid in legal_bids(rules, last) if bid.mode is not last.mode)
    first = min(follow, key=lambda bid: (bid.count, bid.face), default=None)
    if first is None:
        return ""
    return say(" (after {last} at least {bid})", last=last, bid=first)


_BEFORE = {"fei_to_zhai": Bid(Mode.FEI, 6, 4), "zhai_to_fei": Bid(Mode.ZHAI, 3, 4)}
"""The bids of the examples."""


def _names(fields: tuple[str, ...]) -> list[str]:
    """Return the names of the house rules that set one of the fields to a value."""
    return [name for name, one in SWITCHES.items() if one.field in fields]


def _number(text: str, least: int, most: int) -> int:
    """Return the number in `text`. Raise ValueError unless it is from `least` to `most`."""
    number = int(text)
    if not least <= number <= most:
        raise ValueError(text)
    return number


def _two_numbers(text: str) -> tuple[int, int]:
    """Return the two numbers in `text`; one stands for both. Raise ValueError."""
    numbers = [_number(one, 1, 99) for one in re.split("[ ,，]+", text)]
    if len(numbers) > 2:
        raise ValueError(text)
    return numbers[0], numbers[-1]
