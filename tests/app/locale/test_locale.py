"""The language of the screen, and that the catalogue and the sources agree."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import click
import pytest

from app.locale import choose, chosen, explain, of_locale, say
from app.locale.chinese import CHINESE
from app.terminal.help_texts import unwrapped
from game.errors import ZhaifeiError

ROOT = Path(__file__).parents[3]
SOURCES = [ROOT / "cli.py"] + [
    path
    for place in ("app", "game", "solver", "policies")
    for path in sorted((ROOT / place).rglob("*.py"))
]
SHOWING = {
    "print", "echo", "line", "Text", "add_row", "add_column", "add_task", "Status",
    "fail", "UsageError", "ClickException", "BadParameter",
}  # fmt: skip
"""What shows a text to a user."""
PASSING_ON = {
    ROOT / name for name in ("app/terminal/help_texts.py", "game/errors.py", "game/messages.py")
}
"""Who says texts that others have written."""


@pytest.fixture
def in_chinese() -> Iterator[None]:
    choose("zh")
    yield
    choose("en")


# the language


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "zh_CN.UTF-8", "LC_MESSAGES": "en_US", "LANG": "en_US"}, "zh"),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN", "LANG": "zh_CN"}, "en"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LC_MESSAGES": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_CTYPE": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_language_is_that_of_the_first_variable_that_is_set(
    environment: dict[str, str], expected: str
) -> None:
    assert of_locale(environment) == expected


def test_libraries_speak_english() -> None:
    assert chosen() == "en"
    assert say("the round has ended") == "the round has ended"


@pytest.mark.usefixtures("in_chinese")
def test_texts_are_said_in_the_chosen_language() -> None:
    assert say("the round has ended") == CHINESE["the round has ended"]
    assert say("seed {seed}", seed=7) == CHINESE["seed {seed}"].format(seed=7)
    choose("en")
    assert say("seed {seed}", seed=7) == "seed 7"


@pytest.mark.usefixtures("in_chinese")
def test_a_text_without_an_entry_is_said_in_english() -> None:
    assert say("nobody {ever} says this", ever="once") == "nobody once says this"


@pytest.mark.parametrize("chinese", [True, False])
def test_braces_in_values_are_left_alone(request: pytest.FixtureRequest, chinese: bool) -> None:
    if chinese:
        request.getfixturevalue("in_chinese")
    assert say("seed {seed}", seed="{seed}{}").endswith("{seed}{}")
    assert say("{ without values") == "{ without values"
    assert explain(ZhaifeiError("seed {seed}", seed="{0}")).endswith("{0}")


@pytest.mark.usefixtures("in_chinese")
def test_errors_are_explained_with_those_that_they_quote() -> None:
    inner = ZhaifeiError("{bid} comes too late: the round has ended", bid="飞4×5")
    outer = ZhaifeiError("{path} does not describe a run: {error}", path="file", error=inner)
    assert explain(outer) == "file 里不是一次求解：叫 飞4×5 晚了：这一局已经结束"
    english = "file does not describe a run: 飞4×5 comes too late: the round has ended"
    assert str(outer) == english


# the sources


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(node: ast.expr) -> str:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def errors_in(trees: list[ast.Module]) -> set[str]:
    """The names of ZhaifeiError and its subclasses."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found: set[str] = {ZhaifeiError.__name__}
    while True:
        more = {one.name for one in classes if found & {name_of(base) for base in one.bases}}
        if more <= found:
            return found
        found |= more


def said_in(tree: ast.Module, errors: set[str]) -> Iterator[ast.Call]:
    """The calls whose first argument is a text to be said."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and node.args
            and name_of(node.func) in {"say", "Message", *errors}
        ):
            yield node


def texts_of(node: ast.expr) -> list[str]:
    """A literal text, or both of a conditional expression; nothing if it is computed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        one, other = texts_of(node.body), texts_of(node.orelse)
        return one + other if one and other else []
    return []


def helps_in(tree: ast.Module) -> Iterator[str]:
    """Docstrings of commands and `help` of options, as app.terminal.help_texts looks them up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func) in ("option", "argument"):
            for keyword in node.keywords:
                if keyword.arg == "help":
                    yield from map(unwrapped, texts_of(keyword.value))
        elif isinstance(node, ast.FunctionDef):
            decorators = [name_of(one.func) for one in node.decorator_list if type(one) is ast.Call]
            if {"command", "group"} & set(decorators):
                yield unwrapped(ast.get_docstring(node) or "")


def literals_in(node: ast.expr) -> Iterator[str]:
    """The literal parts of a text that is put together."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr | ast.BinOp | ast.IfExp):
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from literals_in(part)


def shown_unsaid(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Words that are shown to a user without having been said: lines, and the words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func) in SHOWING:
            for argument in node.args if name_of(node.func) == "add_row" else node.args[:1]:
                for text in literals_in(argument):
                    if re.search(r"[A-Za-z]{2}", text.replace("zhaifei", "")):
                        yield node.lineno, text


def fields(text: str) -> set[tuple[str, str, str]]:
    """Names in braces, how they are converted, and their formats."""
    return {
        (name, conversion or "", specification or "")
        for _, name, specification, conversion in Formatter().parse(text)
        if name is not None
    }


TREES = {path: parsed(path) for path in SOURCES}
ERRORS = errors_in(list(TREES.values()))
CALLS = [
    (f"{path.relative_to(ROOT)}:{call.lineno}", call)
    for path, tree in TREES.items()
    if path not in PASSING_ON
    for call in said_in(tree, ERRORS)
]
TEXTS = {text for _, call in CALLS for text in texts_of(call.args[0])}
HELPS = {text for tree in TREES.values() for text in helps_in(tree)}
CLICK = {
    node.value
    for path in Path(inspect.getfile(click)).parent.glob("*.py")
    for node in ast.walk(parsed(path))
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}


def test_the_sources_are_read_as_meant() -> None:
    tree = ast.parse(
        "class NoDice(ZhaifeiError): pass\n"
        "class Lost(errors.NoDice): pass\n"
        "raise Lost('lost {it}' if it else 'all lost', it=it)\n"
        "language.say('said')\n"
        "say(f'computed {it}')\n"
        "print('not said')\n"
        "@cli.command()\n"
        "@click.option('--one', help='two  words')\n"
        "def command():\n"
        "    '''The\n"
        "    help.\n"
        "\n"
        "    More.'''\n"
    )
    errors = errors_in([tree])
    assert errors == {"ZhaifeiError", "NoDice", "Lost"}
    said = [texts_of(call.args[0]) for call in said_in(tree, errors)]
    assert sorted(said) == [[], ["lost {it}", "all lost"], ["said"]]
    assert set(helps_in(tree)) == {"two words", "The help.\n\nMore."}
    assert fields("{a} {b!r} {c:.1%} {{d}}") == {("a", "", ""), ("b", "r", ""), ("c", "", ".1%")}


def test_what_is_shown_is_said() -> None:
    tree = ast.parse("print(f'lost {it}'); table.add_row('1', 'one' + it); echo(f'zhaifei: {it}')")
    assert list(shown_unsaid(tree)) == [(1, "lost "), (1, "one")]
    shown = {str(path.relative_to(ROOT)): list(shown_unsaid(tree)) for path, tree in TREES.items()}
    assert {name: words for name, words in shown.items() if words} == {}


def test_what_is_said_is_a_literal_text() -> None:
    """Or it could not be looked up."""
    assert [place for place, call in CALLS if not texts_of(call.args[0])] == []


def test_what_is_said_names_the_values_that_it_gets() -> None:
    wrong = []
    for place, call in CALLS:
        given = {keyword.arg for keyword in call.keywords}
        for text in texts_of(call.args[0]):
            names = {name for name, _, _ in fields(text)} if given else set()
            unpacked = None in given
            if given - {None} - names or (names - given and not unpacked) or "" in names:
                wrong.append((place, text))
    assert wrong == []


def test_everything_said_has_a_chinese_text() -> None:
    assert sorted((TEXTS | HELPS) - set(CHINESE)) == []


def test_every_chinese_text_is_of_something_said() -> None:
    assert sorted(set(CHINESE) - TEXTS - HELPS - CLICK) == []


def test_chinese_texts_name_the_same_values_in_the_same_formats() -> None:
    said = {english: chinese for english, chinese in CHINESE.items() if english not in HELPS}
    assert [one for one, other in said.items() if fields(one) != fields(other)] == []


def test_chinese_texts_are_chinese() -> None:
    assert [text for text in CHINESE.values() if not re.search(r"[\u4e00-\u9fff]", text)] == []


def test_chinese_texts_have_chinese_punctuation() -> None:
    """After a Chinese character, that is."""
    western = re.compile(r"[\u4e00-\u9fff][,;:?!()]")
    found = {text for text in CHINESE.values() if western.search(text)}
    assert found <= {CHINESE["Usage:"]}
