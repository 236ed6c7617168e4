"""Find the texts of the sources that are shown to people, and so need a translation.

`extract` is a method for `pybabel extract`, named in pyproject.toml. These are texts:

- the first argument of `say`, `Message`, `gettext`, `ZhaifeiError` or a subclass of it;
- both arguments of `ngettext`;
- the docstring of a click command or group, and the help of an option or argument.

In the front end's JavaScript they are the literals in `say("...")` and in
`sayNumber("...", "...", ...)`. `extract_page` is the method for its files.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import IO

from zhaifei.app.locale import unwrapped

ROOT = Path(__file__).parents[2]
SAYING = frozenset({"say", "Message", "gettext"})
"""The functions and classes besides errors whose first argument is a text."""
_PARAMETERS = frozenset({"option", "argument", "version_option", "help_option"})
_COMMANDS = frozenset({"command", "group"})


def extract(
    file: IO[bytes], keywords: object, comment_tags: object, options: object
) -> Iterator[tuple[int, str | None, str | tuple[str, ...], list[str]]]:
    """Yield line, function, text and comments of each text in a Python file, the interface of
    Babel's extraction methods. The function is None unless the text has a plural."""
    tree = ast.parse(file.read())
    for call in calls_with_texts(tree, error_classes()):
        for text in texts_in(call.args[0]):
            yield call.lineno, None, text, []
    for call in calls_of(tree, {"ngettext"}):
        one, several = (text for argument in call.args[:2] for text in texts_in(argument))
        yield call.lineno, "ngettext", (one, several), []
    for line, text in help_texts(tree):
        yield line, None, text, []


def extract_page(
    file: IO[bytes], keywords: object, comment_tags: object, options: object
) -> Iterator[tuple[int, str | None, str | tuple[str, str], list[str]]]:
    """Yield what `extract` does for each text in a JavaScript file of the front end."""
    for line, text, several in texts_of_page(file.read().decode()):
        if several is None:
            yield line, None, text, []
        else:
            yield line, "ngettext", (text, several), []


def texts_of_page(source: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield for each text in JavaScript the line, the text, and the text for several or None.

    A regular expression finds them, since Babel's own lexer does not know nested templates.
    """
    for found in _SAID.finditer(source):
        text, several = (part and json.loads(part) for part in (found[1] or found[2], found[3]))
        yield source.count("\n", 0, found.start()) + 1, text, several


_LITERAL = r'("(?:[^"\\\n]|\\.)*")'
_SAID = re.compile(rf"\bsay\(\s*{_LITERAL}|\bsayNumber\(\s*{_LITERAL},\s*{_LITERAL}")


def sources() -> Iterator[Path]:
    """Yield every Python file of the project that is not a test or a benchmark."""
    yield from sorted(ROOT.glob("*.py"))
    for place in ("app", "game", "policies", "solver"):
        yield from sorted((ROOT / place).rglob("*.py"))


@cache
def error_classes() -> frozenset[str]:
    """Return the names of ZhaifeiError and its subclasses in the sources."""
    return subclasses_of("ZhaifeiError", map(parse, sources()))


def subclasses_of(base: str, trees: Iterable[ast.Module]) -> frozenset[str]:
    """Return `base` and the names of the classes that inherit from it, over any number of steps."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found = {base}
    while True:
        more = {one.name for one in classes if found & {name_of(parent) for parent in one.bases}}
        if more <= found:
            return frozenset(found)
        found |= more


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(node: ast.expr) -> str:
    """Return the last part of a dotted name, or the empty string if `node` is not a name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def calls_of(tree: ast.Module, names: Iterable[str]) -> Iterator[ast.Call]:
    """Yield the calls, with at least one argument, of functions with one of these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and name_of(node.func) in names:
            yield node


def calls_with_texts(tree: ast.Module, errors: frozenset[str]) -> Iterator[ast.Call]:
    """Yield the calls whose first argument is a text without a plural."""
    return calls_of(tree, SAYING | errors)


def texts_in(node: ast.expr) -> list[str]:
    """Return a literal text, both texts of a conditional expression, or an empty list for a
    computed text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        one, other = texts_in(node.body), texts_in(node.orelse)
        return one + other if one and other else []
    return []


def help_texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of the docstrings of commands and of the `help` of parameters, as
    `app.terminal.help_texts` looks them up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func) in _PARAMETERS:
            for keyword in node.keywords:
                if keyword.arg == "help":
                    yield from ((node.lineno, unwrapped(text)) for text in texts_in(keyword.value))
        elif isinstance(node, ast.FunctionDef) and _COMMANDS & set(_decorators(node)):
            yield node.lineno, unwrapped(ast.get_docstring(node) or "")


def _decorators(function: ast.FunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        yield name_of(decorator.func if isinstance(decorator, ast.Call) else decorator)
