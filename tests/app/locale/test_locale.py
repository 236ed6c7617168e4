"""The language of the screen, and that the catalogue and the sources agree."""

import ast
import gettext
import os
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from string import Formatter

import click
import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from tests.command_line import ROOT as CHECKOUT
from zhaifei.app.locale import catalogue, choose, chosen, compiling, explain, of_locale, say
from zhaifei.app.locale.extraction import (
    ROOT,
    calls_with_texts,
    error_classes,
    extract,
    help_texts,
    name_of,
    parse,
    sources,
    subclasses_of,
    texts_in,
)
from zhaifei.game.errors import ZhaifeiError

SHOWING = {
    "print",
    "echo",
    "line",
    "Text",
    "add_row",
    "add_column",
    "add_task",
    "Status",
    "fail",
    "UsageError",
    "ClickException",
    "BadParameter",
}
"""What shows a text to a user."""
PASSING_ON = {
    ROOT / name
    for name in (
        "app/locale/__init__.py",
        "app/terminal/help_texts.py",
        "game/errors.py",
        "game/messages.py",
    )
}
"""Who says texts that others have written."""
SOURCE = read_po(
    (CHECKOUT / "app/locale/zh_CN/LC_MESSAGES/zhaifei.po").open("rb"), abort_invalid=True
)
CHINESE: dict[str | tuple[str, str], str] = {
    message.id: message.string[0] if isinstance(message.id, tuple) else message.string
    for message in SOURCE
    if message.id
}
"""By the English text, or by the pair of texts for one and for several."""


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
def test_click_finds_its_texts_where_ours_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the locale: --lang overrules it."""
    for locale in ("C", "de_DE.UTF-8"):
        monkeypatch.setenv("LC_ALL", locale)
        assert gettext.gettext("Options") == CHINESE["Options"]
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    choose("en")
    assert gettext.gettext("Options") == "Options"


@pytest.mark.usefixtures("in_chinese")
def test_no_text_is_no_text() -> None:
    """gettext has the header of the catalogue under it."""
    assert say("") == ""


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


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: parse(path) for path in sources()}


@cache
def calls() -> list[tuple[str, ast.Call]]:
    return [
        (f"{path.relative_to(ROOT)}:{call.lineno}", call)
        for path, tree in trees().items()
        if path not in PASSING_ON
        for call in calls_with_texts(tree, error_classes())
    ]


@cache
def extracted() -> dict[str | tuple[str, str], str]:
    """The texts that `pybabel extract` finds with the mapping of pyproject.toml, those with a
    plural as a pair, and the file in which each is found."""
    with (CHECKOUT / "pyproject.toml").open("rb") as file:
        mappings = tomllib.load(file)["tool"]["babel"]["mappings"]
    methods = [(pattern, one["method"]) for one in mappings for pattern in one["pattern"]]
    found = extract_from_dir(CHECKOUT, methods, directory_filter=lambda path: ".venv" not in path)
    return {text: name for name, _, text, _, _ in found}


def test_the_sources_are_read_as_meant() -> None:
    source = (
        "class NoDice(ZhaifeiError): pass\n"
        "class Lost(errors.NoDice): pass\n"
        "raise ZhaifeiError('lost {it}' if it else 'all lost', it=it)\n"
        "language.say('said')\n"
        "say(f'computed {it}')\n"
        "print('not said')\n"
        "ngettext('one', 'several', 2)\n"
        "@cli.command()\n"
        "@click.option('--one', help='two  words')\n"
        "def command():\n"
        "    '''The\n"
        "    help.\n"
        "\n"
        "    More.'''\n"
        "@group\n"
        "def several():\n"
        "    '''Commands.'''\n"
    )
    tree = ast.parse(source)
    assert subclasses_of("ZhaifeiError", [tree]) == {"ZhaifeiError", "NoDice", "Lost"}
    said = [text for _, _, text, _ in extract(BytesIO(source.encode()), None, None, None)]
    assert set(said) == {
        "lost {it}",
        "all lost",
        "said",
        ("one", "several"),
        "two words",
        "The help.\n\nMore.",
        "Commands.",
    }
    assert fields("{a} {b!r} {c:.1%} {{d}}") == {("a", "", ""), ("b", "r", ""), ("c", "", ".1%")}


def test_what_is_shown_is_said() -> None:
    tree = ast.parse("print(f'lost {it}'); table.add_row('1', 'one' + it); echo(f'zhaifei: {it}')")
    assert list(shown_unsaid(tree)) == [(1, "lost "), (1, "one")]
    shown = {
        str(path.relative_to(ROOT)): list(shown_unsaid(tree)) for path, tree in trees().items()
    }
    assert {name: words for name, words in shown.items() if words} == {}


def test_what_is_said_is_a_literal_text() -> None:
    """Or it could not be looked up."""
    assert [place for place, call in calls() if not texts_in(call.args[0])] == []


def test_what_is_said_names_the_values_that_it_gets() -> None:
    wrong = []
    for place, call in calls():
        given = {keyword.arg for keyword in call.keywords}
        for text in texts_in(call.args[0]):
            names = {name for name, _, _ in fields(text)} if given else set()
            unpacked = None in given
            if given - {None} - names or (names - given and not unpacked) or "" in names:
                wrong.append((place, text))
    assert wrong == []


# the catalogue


def test_everything_said_has_a_chinese_text() -> None:
    assert [text for text in extracted() if text not in CHINESE] == []
    assert [text for text, chinese in CHINESE.items() if not chinese] == []


def test_every_chinese_text_is_of_something_said() -> None:
    """None is left over of a text that has changed, nor in doubt."""
    assert [text for text in CHINESE if text not in extracted()] == []
    assert [message.id for message in SOURCE if message.id and message.fuzzy] == []
    assert list(SOURCE.obsolete) == []


def test_texts_of_click_are_those_that_it_looks_up() -> None:
    methods = [(f"{name}.py", "python") for name in ("*", "**/*")]
    of_click = {text for _, _, text, _, _ in extract_from_dir(Path(click.__file__).parent, methods)}
    listed = {text for text, name in extracted().items() if name == "app/locale/click_words.py"}
    assert len(listed) > 10
    assert listed - of_click == set()


def test_chinese_texts_name_the_same_values_in_the_same_formats() -> None:
    """Where there is a plural, those of the text for one or those of the text for several."""
    wrong = []
    helps = {text for tree in trees().values() for _, text in help_texts(tree)}
    for text, chinese in CHINESE.items():
        alike = [fields(one) for one in (text if isinstance(text, tuple) else [text])]
        if text not in helps and fields(chinese) not in alike:
            wrong.append(text)
    assert wrong == []


def test_chinese_texts_are_chinese() -> None:
    assert [text for text in CHINESE.values() if not re.search(r"[\u4e00-\u9fff]", text)] == []


def test_chinese_texts_have_chinese_punctuation() -> None:
    """After a Chinese character, that is; click sets "Usage:" before a space of its own."""
    western = re.compile(r"[\u4e00-\u9fff][,;:?!()]")
    found = {english for english, chinese in CHINESE.items() if western.search(chinese)}
    assert found <= {"Usage:"}


@pytest.mark.parametrize(
    ("never", "instead"),
    [
        ("局长", "每局叫数"),
        ("久居不下", "居高不下"),
        ("严格更大", "叫得更大"),
        ("由好到坏", "收益由高到低"),
        ("叫真", "被开时为真"),
        ("开对", "开中率"),
        ("持平", "均势"),
        ("± 95%", "± 为 95% 置信区间"),
        ("证明可剥削度", "给出可剥削度的严格上下界"),
        ("逐位", "逐比特一致"),
        ("近似纳什策略", "近似纳什均衡策略"),
        ("检验", "开"),
        ("擂台", "竞技场"),
        ("比赛", "场"),
        ("诈唬", "吹牛"),
    ],
)
def test_chinese_texts_use_the_words_of_players(never: str, instead: str) -> None:
    found = [text for text, chinese in CHINESE.items() if never in chinese.replace(instead, "")]
    assert found == []


def test_what_gettext_reads_is_what_the_source_says() -> None:
    compiled = catalogue("zh")
    for text, chinese in CHINESE.items():
        if isinstance(text, tuple):
            assert [compiled.ngettext(*text, number) for number in (1, 2)] == [chinese, chinese]
        else:
            assert compiled.gettext(text) == chinese


def test_a_catalogue_is_compiled_again_when_its_source_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "zh_CN" / "LC_MESSAGES" / "zhaifei.po"
    source.parent.mkdir(parents=True)
    monkeypatch.setattr(compiling, "CATALOGUES", tmp_path)

    def compiled() -> str:
        compiling.compile_catalogues()
        with source.with_suffix(".mo").open("rb") as file:
            return GNUTranslations(file).gettext("dice")

    source.write_text('msgid "dice"\nmsgstr "骰子"\n', encoding="utf-8")
    os.utime(source, (1e9, 1e9))
    assert compiled() == "骰子"
    before = source.with_suffix(".mo").stat()
    assert compiled() == "骰子"
    assert source.with_suffix(".mo").stat() == before
    source.write_text('msgid "dice"\nmsgstr "色子"\n', encoding="utf-8")
    os.utime(source, ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert compiled() == "色子"
    assert [path.name for path in sorted(source.parent.iterdir())] == ["zhaifei.mo", "zhaifei.po"]
