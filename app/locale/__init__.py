"""Texts on screen, in English or Chinese.

Texts are written in English where they are used, `say("seat {seat} starts", seat=1)`; the catalogue
`zh_CN/LC_MESSAGES/zhaifei.po` maps each English text to the Chinese one. gettext reads the compiled
catalogue, zhaifei.mo. Without it, as in a checkout where nothing has been installed or tested, all
texts are in English. Libraries and files speak only English: only the command line and the page set
a language.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message, shown
from zhaifei.game.rules import Rules

LANGUAGES = ("zh", "en")
DOMAIN = "zhaifei"
"""The name of our catalogues in gettext."""
_CATALOGUES = Path(__file__).parent
_LOCALES = {"zh": "zh_CN"}
"""The locale whose catalogue has the texts of a language; English texts need no catalogue."""
_OF_CLICK = "messages"
"""The domain in which gettext looks by default; there click's texts stay English."""
_chosen = "en"
_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)
"""The language spoken to one of several visitors; None for the chosen language."""


def choose(language: str) -> None:
    """Make `say` speak `language`, one of LANGUAGES, from now on. gettext without a domain speaks
    it too: click uses it for its own texts."""
    global _chosen  # noqa: PLW0603  # there is one screen
    _chosen = language
    if language in _LOCALES:
        os.environ["LANGUAGE"] = _LOCALES[language]  # gettext reads it before the locale
        gettext.bindtextdomain(DOMAIN, str(_CATALOGUES))
        gettext.textdomain(DOMAIN)
    else:
        gettext.textdomain(_OF_CLICK)


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """Return the texts of `language`, one of LANGUAGES, by their English texts. A text without a
    translation stands for itself."""
    if language not in _LOCALES:
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, _CATALOGUES, [_LOCALES[language]], fallback=True)


def chosen() -> str:
    """Return the language, one of LANGUAGES, that `say` speaks."""
    return _spoken.get() or _chosen


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """In the block, make `say` speak `language`, one of LANGUAGES, in the current task only."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def of_locale(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language, one of LANGUAGES, of the locale: by POSIX of LC_ALL, else LC_MESSAGES,
    else LANG; English if none of them is set."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return "zh" if environment[name].lower().startswith("zh") else "en"
    return "en"


def say(text: str, /, **values: Any) -> str:
    """Return `text` in the chosen language, with `values` in place of the names in braces."""
    language = chosen()
    if text and language in _LOCALES:  # under "" gettext has the header of the catalogue
        text = catalogue(language).gettext(text)
    if not values:
        return text
    return text.format(**{name: _in_language(value) for name, value in values.items()})


def say_message(message: Message) -> str:
    """Return `message`, and the messages and errors among its values, in the chosen language. Long
    values are cut."""
    cut = {
        name: value if isinstance(value, Rules) else shown(value)
        for name, value in message.values.items()
    }
    return say(message.text, **cut)


def explain(error: ZhaifeiError) -> str:
    """Return the message of `error`, and of the errors that it quotes, in the chosen language."""
    return say_message(error.message)


def say_rules(rules: Rules) -> str:
    """Return the rules, the number of players and the dice, in the chosen language."""
    return say_message(rules.description)


def say_action(action: str) -> str:
    """Return an action, as formatted by `format_action`, in the chosen language; `parse_action`
    reads the result too."""
    from zhaifei.game.notation import CHALLENGE, GIVE_UP  # most help and errors name no action

    if action == GIVE_UP:
        return say("give up")
    word, _, distance = action.partition(" ")
    if word != CHALLENGE:
        return action
    return say("challenge {distance}", distance=distance) if distance else say("challenge")


def unwrapped(text: str) -> str:
    """Return a help text with each paragraph on one line, as in the catalogue; click breaks the
    lines itself."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _in_language(value: object) -> object:
    if isinstance(value, Message):
        return say_message(value)
    if isinstance(value, ZhaifeiError):
        return explain(value)
    return say_rules(value) if isinstance(value, Rules) else value
