"""Prose that is read once: what a test can hold of the rules in CONTRIBUTING."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tests.command_line import ROOT

LONGEST_SENTENCE = 35
"""Words. The aim is 30."""
DIALECT = (
    r"[Ss]o many",
    r"(?<![Tt]here )\b(?:is|are) none\b(?! of)",
    r"\bhangs? on\b",
    r"as good as at random",
    r"\bthat (?:is|are) to be\b",
    r"^What [^.!?]{0,60} does not\b",
    r"(?<![Tt]here )\b(?:is|are) no (?:seed|seat|directory|position|checkpoint)\b",
    r"\bthat tells it\b",
    r"\breplaced? (?:nothing )?by less\b",
    r"\bas (?:it is|they are) dealt\b",
)
"""Phrases that a stranger reads twice."""
ROOMS = ("game", "solver", "policies", "app", "benchmarks", "docs", "tests")
COMMANDS = ROOT / "app" / "terminal" / "commands"
"""Docstrings of commands are help texts, of which the catalogue has the Chinese."""
CATALOGUE = ROOT / "app" / "locale" / "zh_CN" / "LC_MESSAGES" / "zhaifei.po"
SCOPES = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

Prose = tuple[int, str]
"""The line where a docstring or a comment begins, and its text."""


def sources() -> list[Path]:
    found = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return sorted([*ROOT.glob("*.py"), *(one for one in found if "node_modules" not in one.parts)])


def docstrings(tree: ast.Module) -> Iterator[Prose]:
    """Yield each docstring, those of attributes included."""
    for scope in ast.walk(tree):
        body = scope.body if isinstance(scope, SCOPES) else []
        attributes = isinstance(scope, ast.Module | ast.ClassDef)
        for statement in body if attributes else body[:1]:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                yield statement.lineno, str(statement.value.value)


def comments(text: str) -> Iterator[Prose]:
    """Yield each comment; comments on lines that follow each other are one."""
    found: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            found[token.start[0]] = re.sub(r"^#+ ?|# noqa.*|# type:.*", "", token.string)
    while found:
        first = min(found)
        lines = [found.pop(first)]
        while first + len(lines) in found:
            lines.append(found.pop(first + len(lines)))
        yield first, "\n".join(lines)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a docstring or a comment, without tables, examples and formulas. Each
    item of a list, and each term of a NumPy section, begins a new one."""
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.S)
    first, *rest = re.sub(r"``?[^`]+``?", "code", text).splitlines() or [""]
    depth = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    skipped = re.compile(r"\s{4}|\s*[|+]|\s*---")
    lines = [first, *("" if skipped.match(line[depth:]) else line[depth:] for line in rest)]
    new_item = r"\n\s*\n|\n(?=\s*(?:[-*]|\d+[.)]) )|\n(?=\S+\n)"
    for block in re.split(new_item, "\n".join(lines)):
        yield from re.split(r"(?<=[.!?])[\")*]*\s+", " ".join(block.split()))


def words(sentence: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def faults_in(prose: str) -> Iterator[str]:
    for sentence in sentences(prose):
        if words(sentence) > LONGEST_SENTENCE:
            yield f"{words(sentence)} words: {sentence}"
        for phrase in DIALECT:
            if re.search(phrase, sentence):
                yield f"{phrase!r} in: {sentence}"


def faults_of(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    found = [] if path.parent == COMMANDS else [*docstrings(ast.parse(text))]
    for line, prose in found:
        if prose.rstrip().endswith(","):
            yield f"{path}:{line}: the docstring ends in a comma"
    for line, prose in (*found, *comments(text)):
        yield from (f"{path}:{line}: {fault}" for fault in faults_in(prose))


def test_prose_is_read_once() -> None:
    assert [fault for path in sources() for fault in faults_of(path)] == []


def test_messages_have_no_phrase_that_is_read_twice() -> None:
    with CATALOGUE.open("rb") as file:
        texts = [str(message.id) for message in read_po(file)]  # with a plural, both forms
    assert texts
    assert [text for text in texts for phrase in DIALECT if re.search(phrase, text)] == []


def test_each_rule_finds_what_it_is_for(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    long = " ".join(["word"] * (LONGEST_SENTENCE + 1))
    file.write_text(
        f'"""Fine: `a b c`."""\nX = 1\n"""so many,"""\n\n# {long[:90]}\n# {long[90:]}\n'
    )
    comma, phrase, length = faults_of(file)
    assert comma == f"{file}:3: the docstring ends in a comma"
    assert phrase.startswith(f"{file}:3: '[Ss]o many'")
    assert length.startswith(f"{file}:5: {LONGEST_SENTENCE + 1} words")


@pytest.mark.parametrize(
    "prose",
    [
        "What it says does not matter.",
        "So many are left.",
        "The strategy is none.",
        "It hangs on the seed.",
        "Draw as good as at random.",
        "The file that is to be written.",
        "That is no seat.",
        "It is a record: that tells it.",
        "Nothing is replaced by less.",
        "Hands count as they are dealt.",
    ],
)
def test_each_phrase_is_found(prose: str) -> None:
    assert len(list(faults_in(prose))) == 1
    assert list(faults_in("There is none. None of them is none of ours.")) == []
