"""The questions for a visitor's own rules, and rules in plain words, as HTML for taps."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from zhaifei.app.locale import explain, say_message
from zhaifei.app.rules_questions import Answers, Choice, Count, counts, questions
from zhaifei.app.rules_told import rules_told
from zhaifei.app.web.games import rules_of
from zhaifei.app.web.taps import button
from zhaifei.game.errors import ZhaifeiError

_BELOW, _ABOVE = 2, 3
"""Counts below and above the usual one that can be tapped."""


def answer(answers: Answers, tap: str) -> None:
    """Answer a question with a tap that `questions_html` offers."""
    what, name, value = tap.split()
    if what == "count":
        answers.counts[name] = int(value)
        return
    question = next(one for one in questions(answers) if one.name == name)
    chosen, before = question.options[int(value)][0], answers.chosen.get(name, ())
    if not question.many:
        answers.chosen[name] = (chosen,)
    elif chosen in before:
        answers.chosen[name] = tuple(one for one in before if one != chosen)
    else:
        answers.chosen[name] = (*before, chosen)


def is_answer(tap: str) -> bool:
    """Return whether a tap answers a question."""
    return tap.startswith(("count ", "choose "))


def questions_html(answers: Answers) -> str:
    """Return the questions, and the answers as buttons, as HTML."""
    asked = [_count_html(one, answers) for one in counts(answers)]
    return "".join([*asked, *(_choice_html(one, answers) for one in questions(answers))])


def rules_html(game: str, players: int, answers: Answers, *, jump: bool) -> str:
    """Return the chosen rules in plain words as HTML, or why they cannot be played."""
    return "".join(f"<p>{escape(line)}</p>" for line in _told(game, players, answers, jump=jump))


def _told(game: str, players: int, answers: Answers, *, jump: bool) -> Iterator[str]:
    try:
        rules = rules_of(game, players, answers, jump=jump)
    except ZhaifeiError as error:
        yield explain(error)
        return
    yield say_message(rules.description)
    yield from rules_told(rules)


def _count_html(question: Count, answers: Answers) -> str:
    given = answers.counts.get(question.name, question.usual)
    lowest, highest = question.usual - _BELOW, question.usual + _ABOVE
    near = range(max(1, lowest), min(question.most, highest) + 1)
    buttons = "".join(
        button(f"count {question.name} {count}", str(count), pressed=count == given)
        for count in sorted({*near, given})
    )
    return _row(question.asked, buttons, "z-row z-touch-row")


def _choice_html(question: Choice, answers: Answers) -> str:
    usual = () if question.many else question.options[:1]
    given = answers.chosen.get(question.name, tuple(one for one, _ in usual))
    buttons = "".join(
        button(
            f"choose {question.name} {place}", escape(text), "z-touch-small", pressed=one in given
        )
        for place, (one, text) in enumerate(question.options)
    )
    return _row(question.asked, buttons, "z-row")


def _row(asked: str, buttons: str, classes: str) -> str:
    return f'<h2>{escape(asked)}</h2><div class="{classes}">{buttons}</div>'
