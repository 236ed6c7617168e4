"""What is on screen, in English or Chinese.

Texts are written in English where they are used, `say("seat {seat} starts", seat=1)`; the English
text is the key under which `app.locale.chinese` has the Chinese one. Libraries and files speak
English only: nothing but the command line sets a language.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from game.errors import ZhaifeiError
from game.messages import Message
from game.notation import CHALLENGE
from game.rules import Rules

LANGUAGES = ("zh", "en")
_chosen = "en"


def choose(language: str) -> None:
    """From now on `say` speaks this one of LANGUAGES."""
    global _chosen  # noqa: PLW0603  # there is one screen
    _chosen = language


def chosen() -> str:
    """The one of LANGUAGES that `say` speaks."""
    return _chosen


def of_locale(environment: Mapping[str, str] = os.environ) -> str:
    """The one of LANGUAGES that the locale asks for: as POSIX has it, LC_ALL, else LC_MESSAGES,
    else LANG; English if it is neither."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return "zh" if environment[name].lower().startswith("zh") else "en"
    return "en"


def say(text: str, /, **values: Any) -> str:
    """Return `text` in the chosen language, with `values` in place of the names in braces."""
    return _translate(text, values)


def say_message(message: Message) -> str:
    """Return `message`, and the messages and errors among its values, in the chosen language."""
    return _translate(message.text, message.values)


def explain(error: ZhaifeiError) -> str:
    """Return the message of `error`, and of the errors that it quotes, in the chosen language."""
    return say_message(error.message)


def say_rules(rules: Rules) -> str:
    """Return which rules, how many players, and what dice, in the chosen language."""
    return say_message(rules.description)


def say_action(action: str) -> str:
    """Return what `format_action` wrote, in the chosen language; `parse_action` reads that too."""
    word, _, distance = action.partition(" ")
    if word != CHALLENGE:
        return action
    return say("challenge {distance}", distance=distance) if distance else say("challenge")


def _in_language(value: object) -> object:
    if isinstance(value, Message):
        return say_message(value)
    if isinstance(value, ZhaifeiError):
        return explain(value)
    return say_rules(value) if isinstance(value, Rules) else value


def _translate(text: str, values: Mapping[str, Any]) -> str:
    if _chosen == "zh":
        from app.locale.chinese import CHINESE  # noqa: PLC0415  # English needs no catalogue

        text = CHINESE.get(text, text)
    if not values:
        return text
    return text.format(**{name: _in_language(value) for name, value in values.items()})
