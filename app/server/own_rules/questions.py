"""The questions for the rules of a bar, with the answers so far, and the rules they lead to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zhaifei.app.locale import explain, say_message
from zhaifei.app.pocket.rules_named import sizes_of
from zhaifei.app.pocket.rules_tables import BETWEEN, PRESETS, name_of
from zhaifei.app.rules_questions import Answers, Choice, Count, counts, questions
from zhaifei.app.rules_told import rules_told
from zhaifei.app.server.asked import Fields
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import verify_players

_BELOW, _ABOVE = 2, 3
"""Counts below and above the usual one that can be tapped."""
_OPENING = f"{BETWEEN}first-"
"""Begins the house rules on openings. Their counts are meant for one number of players."""


def answers_of(players: int, given: object, chosen: object) -> Answers:
    """Return the answers in a question: `given` counts and `chosen` answers by question. Answers to
    questions that are not asked count for nothing. Raise ZhaifeiError for answers that cannot be.
    """
    verify_players(players)
    answers = Answers(players)
    answers.counts = _counts(answers, given)
    answers.chosen = _chosen(answers, chosen)
    return answers


def _counts(answers: Answers, given: object) -> dict[str, int]:
    most = {one.name: one.most for one in counts(answers)}
    for name, count in _items(given, "counts"):
        if type(count) is not int or not 1 <= count <= most.get(name, 0):
            raise _no_answer("counts")
    return dict(_items(given, "counts"))


def _chosen(answers: Answers, given: object) -> dict[str, tuple[str, ...]]:
    chosen: dict[str, tuple[str, ...]] = {}
    for name, ones in _items(given, "chosen"):
        if not isinstance(ones, list) or not all(isinstance(one, str) for one in ones):
            raise _no_answer("chosen")
        chosen[name] = tuple(dict.fromkeys(ones))
    answers.chosen = chosen
    asked = {one.name: one for one in questions(answers)}
    for name in asked.keys() & chosen.keys():
        options = {value for value, _ in asked[name].options}
        one_of = not asked[name].many and len(chosen[name]) != 1
        if one_of or not options.issuperset(chosen[name]):
            raise _no_answer("chosen")
    return {name: ones for name, ones in chosen.items() if name in asked}


def _items(given: object, name: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(given, dict):
        raise ZhaifeiError("{name} is an object", name=name)
    return iter(given.items())


def _no_answer(name: str) -> ZhaifeiError:
    return ZhaifeiError("{name} holds an answer that is not offered", name=name)


def asked(answers: Answers) -> Fields:
    """Return the questions with their answers so far, and the rules that these make, as
    `web/own/asking.js` describes it, in the language spoken."""
    return {
        "counts": [_count(one, answers) for one in counts(answers)],
        "questions": [_choice(one, answers) for one in questions(answers)],
        **_rules(answers),
    }


def _count(question: Count, answers: Answers) -> Fields:
    given = answers.counts.get(question.name, question.usual)
    near = range(max(1, question.usual - _BELOW), min(question.most, question.usual + _ABOVE) + 1)
    return {
        "name": question.name,
        "asked": question.asked,
        "options": sorted({*near, given}),
        "given": given,
    }


def _choice(question: Choice, answers: Answers) -> Fields:
    usual = () if question.many else (question.options[0][0],)
    return {
        "name": question.name,
        "asked": question.asked,
        "many": question.many,
        "options": [{"value": value, "text": text} for value, text in question.options],
        "given": list(answers.chosen.get(question.name, usual)),
    }


def _rules(answers: Answers) -> Fields:
    """Return the name of the rules, for which numbers of players there are such, and the rules in
    words; or why the answers contradict each other."""
    try:
        rules = answers.rules()
    except ZhaifeiError as error:
        return {"rules": None, "wrong": explain(error), "sizes": [], "told": []}
    name = name_of(rules)
    return {
        "rules": name,
        "is_preset": name in PRESETS,
        "wrong": None,
        "sizes": [rules.players] if _OPENING in name else sizes_of(name),
        "description": say_message(rules.description),
        "told": [line.strip() for line in rules_told(rules)],
    }
