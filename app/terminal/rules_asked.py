"""`zhaifei rules`: ask a person for the rules of their table, and show the page of rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from rich.console import Console

from zhaifei.app.locale import say, say_message
from zhaifei.app.rules_questions import Answers, Choice, counts, questions
from zhaifei.app.rules_told import rules_told
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import known_record
from zhaifei.policies.catalogue.solving import command_for, solve_command

T = TypeVar("T")
_COMMAND = "  zhaifei "
_EXAMPLE = "11346"
"""A hand that is possible wherever there are five dice of six faces."""


class RulesAsked:
    """Asks a person for the rules of their table, a line for each answer that `read` returns after
    a prompt."""

    def __init__(self, console: Console, read: Callable[[str], str]) -> None:
        self._console, self._read = console, read

    def run(self) -> Rules:
        """Return the rules, and show them and what to type next. Raise ZhaifeiError if the answers
        contradict each other."""
        answers = Answers(self._players())
        self._openings(answers)
        for question in questions(answers):  # later ones depend on the answers
            answers.chosen[question.name] = self._choose(question)
        rules = answers.rules()
        print_lines(self._console, rules_page(rules))
        return rules

    def solves_now(self) -> bool:
        """Return whether the person wants the rules to be solved at once."""
        asked = say("Solve them now? It takes a few minutes. y or n, usually n")
        return self._until(asked, lambda text: {"y": True, "n": False}[(text or "n").lower()])

    def _players(self) -> int:
        return self._until(
            say("How many play? 2 to 8, usually 2"), lambda text: _number(text or "2", 2, 8)
        )

    def _openings(self, answers: Answers) -> None:
        """Ask for the counts of the first bid."""
        asked = counts(answers)
        usual = " ".join(str(one.usual) for one in asked)
        found = self._until(
            say(
                "How many must the first bid count, as 飞, as 斋 and on ones? Usually {usual}",
                usual=usual,
            ),
            lambda text: _numbers(text or usual, len(asked)),
        )
        answers.counts = {one.name: count for one, count in zip(asked, found, strict=False)}

    def _choose(self, question: Choice) -> tuple[str, ...]:
        """Return the chosen answers."""
        self._print(question.asked)
        for number, (_, text) in enumerate(question.options, 1):
            self._print(f"  {number}  {text}")
        most = len(question.options)
        if question.many:
            places = self._until(
                say("Numbers, or nothing for none of them"),
                lambda text: [_number(one, 1, most) for one in text.split()],
            )
        else:
            places = self._until(
                say("A number, usually 1"), lambda text: [_number(text or "1", 1, most)]
            )
        return tuple(question.options[place - 1][0] for place in places)

    def _until(self, asked: str, read: Callable[[str], T]) -> T:
        """Ask until the answer can be read."""
        while True:
            try:
                return read(self._read(f"{asked} > "))
            except (ValueError, KeyError):
                self._print(say("this is no answer to the question"))

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False)


def print_lines(console: Console, lines: Iterable[str]) -> None:
    """Print lines; commands are not broken, so that they can be copied."""
    for line in lines:
        command = line.startswith(_COMMAND)
        console.print(line, markup=False, highlight=False, soft_wrap=command)


def rules_page(rules: Rules, *lines: str) -> Iterator[str]:
    """Yield the page of some rules: their description, `lines` about them, the rules in plain
    words, and what to type for them."""
    yield ""
    yield say_message(rules.description)
    yield from lines
    yield from rules_told(rules)
    yield ""
    yield from commands(rules)


def commands(rules: Rules) -> Iterator[str]:
    """Yield what to type for the rules, by what is solved now."""
    play, query = (command_for(f"zhaifei {verb}", rules) for verb in ("play", "query"))
    if rules.loses_dice:
        yield say("To play by these rules, type:")
        yield f"  {play}"
        return
    if known_record(rules) is None:
        yield say("To solve these rules, type:")
        yield f"  {solve_command(rules)}"
        yield say("Then ask about any hand, for example:")
    else:
        yield say("A policy for these rules is there. Ask about any hand, for example:")
    yield f"  {query} --hand {_example(rules)}"


def _example(rules: Rules) -> str:
    """Return a hand of as many dice as the rules have."""
    return _EXAMPLE if rules.dice == len(_EXAMPLE) else "1" * rules.dice


def _number(text: str, least: int, most: int) -> int:
    """Return the number in `text`. Raise ValueError unless it is from `least` to `most`."""
    number = int(text)
    if not least <= number <= most:
        raise ValueError(text)
    return number


def _numbers(text: str, most: int) -> list[int]:
    """Return the numbers in `text`, at most `most` of them. Raise ValueError."""
    numbers = [_number(one, 1, 99) for one in re.split("[ ,，]+", text)]
    if len(numbers) > most:
        raise ValueError(text)
    return numbers
