"""Pages of both languages correspond, links lead somewhere, and figures have a source."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from docs.hooks import expanded
from docs.shown import FIGURES, README, ROOT, fences, pages, shown, with_tables
from zhaifei.app.terminal.group import VERBS
from zhaifei.policies.catalogue.shipped import SOLVED
from zhaifei.solver.files.storage import load_header

DOCS = ROOT / "docs"
FIGURE = re.compile(r"(?<![\w.,-])[+-]?(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)+)(?![\w,]*\d)")
"""Numbers with decimals or thousands."""


def _english() -> list[Path]:
    return sorted(page for page in DOCS.rglob("*.md") if not page.name.endswith(".zh.md"))


def _chinese_of(page: Path) -> Path:
    return page.with_name(page.name.replace(".md", ".zh.md"))


PAIRS = [(README["en"], README["zh"]), *((page, _chinese_of(page)) for page in _english())]
ALL = [page for pair in PAIRS for page in pair] + [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


def _name(value: object) -> str:
    return value.relative_to(ROOT).as_posix() if isinstance(value, Path) else str(value)


def _text(page: Path) -> str:
    """A page as the site has it."""
    text = page.read_text(encoding="utf-8")
    return expanded(text, page.relative_to(DOCS).as_posix()) if DOCS in page.parents else text


def _prose(text: str) -> str:
    """Text without fences, code and what links lead to."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]+`|\]\([^)]*\)", "", text)


def _headings(text: str) -> list[str]:
    return re.findall(r"^(#+) .+", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)


def _figures(text: str) -> set[str]:
    return {match[1] for match in FIGURE.finditer(text)}


def test_every_page_exists_in_both_languages() -> None:
    chinese = {page for page in DOCS.rglob("*.zh.md")}
    assert chinese == {_chinese_of(page) for page in _english()}


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    navigation = set(re.findall(r": ([\w/-]+\.md)$", text.split("\nnav:\n")[1], re.M))
    assert navigation == {page.relative_to(DOCS).as_posix() for page in _english()}


def test_every_command_has_a_page() -> None:
    verbs = {page.stem for page in (DOCS / "commands").glob("*.md") if ".zh" not in page.name}
    assert verbs == set(VERBS)


def _commands(page: Path) -> list[str]:
    return re.findall(r"^\$ (.+)", _text(page), re.M)


def _code(page: Path) -> list[str]:
    """The Python of a page without comments and texts."""
    lines = [line for _, found in fences(page.read_text("utf-8"), "python") for line in found]
    return [re.sub(r"\s*#.*|(?<=f)\".*\"", "", line) for line in lines]


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=_name)
def test_both_languages_have_the_same_headings_commands_figures_and_python(
    english: Path, chinese: Path
) -> None:
    assert _headings(_text(english)) == _headings(_text(chinese))
    assert _commands(english) == _commands(chinese)
    assert _figures(_prose(_text(english))) == _figures(_prose(_text(chinese)))
    assert _code(english) == _code(chinese)


def test_the_readme_is_short() -> None:
    for page in README.values():
        assert len(page.read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", ALL, ids=_name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for target, anchor in _links(page.read_text(encoding="utf-8")):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in _anchors(file.read_text(encoding="utf-8")), anchor


def _links(text: str) -> list[tuple[str, str]]:
    text = re.sub(r"^```.*?^```$|`[^`\n]+`", "", text, flags=re.M | re.S)
    return re.findall(r"\]\(([^)#\s:]*)#?([^)\s]*)\)", text)


def _anchors(text: str) -> set[str]:
    """As GitHub names headings."""
    found = re.findall(r"^#+ (.+)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", [page for page in ALL if ".zh" in page.name], ids=_name)
def test_chinese_pages_link_to_chinese_pages(page: Path) -> None:
    for target, _ in _links(page.read_text(encoding="utf-8").replace("[English](README.md)", "")):
        other = (page.parent / target).resolve()
        assert other.suffix != ".md" or not _chinese_of(other).exists(), target
        assert other != README["en"]


_EXAMPLES = r"dice\.example\.org|127\.0\.0\.1:8765"
"""Hosts that are nobody's."""


def test_no_page_names_a_machine() -> None:
    for page in ALL:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"/(?:work|tmp|root|opt|home|mnt|Users)/", text) == [], page
        assert re.findall(rf"https?://(?!{_EXAMPLES})", text) == [], page


# Figures


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    return tomllib.loads(FIGURES.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def known(figures: dict[str, Any]) -> set[str]:
    """All numbers that some source file holds, or the catalogue of shipped policies."""
    sources = [FIGURES, ROOT / "RESULTS.md", ROOT / "benchmarks/tried.md"]
    written = {number for file in sources for number in _figures(file.read_text("utf-8"))}
    certified = {f"{one.figure:.4f}" for one in SOLVED.values()}
    return written | certified | set(figures["explained"])


@pytest.mark.parametrize("page", ALL, ids=_name)
def test_figures_stand_in_a_source_and_tables_are_those_of_the_figures(
    page: Path, known: set[str]
) -> None:
    text = page.read_text(encoding="utf-8")
    assert _figures(_prose(text)) - known == set()
    assert with_tables(text, "zh" if ".zh" in page.name else "en") == text


def test_every_table_of_figures_is_shown(figures: dict[str, Any]) -> None:
    tables = {name for name, entry in figures.items() if "columns" in entry}
    for language in README:
        texts = "".join(page.read_text(encoding="utf-8") for page in pages(language))
        assert set(re.findall(r"<!-- table: (\w+) -->", texts)) == tables


def test_figures_name_commands_that_pages_show(figures: dict[str, Any]) -> None:
    commands = {one.command for page in pages("en") for one in shown(page)}
    texts = "".join(page.read_text(encoding="utf-8") for page in pages("en"))
    for entry in figures.values():
        command = entry.get("command", "")
        assert command in commands or command in texts


def test_explained_numbers_stand_in_the_file_that_is_named(figures: dict[str, Any]) -> None:
    for number, (pattern, words) in figures["explained"].items():
        texts = [file.read_text(encoding="utf-8") for file in ROOT.glob(pattern)]
        assert any(words in text for text in texts), number


def test_figures_of_the_shipped_policy_are_those_of_its_file(figures: dict[str, Any]) -> None:
    shipped = figures["shipped"]
    training = load_header(ROOT / "policies/data/zhaifei-2p.safetensors", "policy")["training"]
    hands = 252
    assert f"{training['iterations']:,}" == shipped["iterations"]
    assert f"{training['iterations'] // hands**2:,}" == shipped["passes"]
    size = (ROOT / "policies/data/zhaifei-2p.safetensors").stat().st_size
    assert f"{size / 1e6:.0f} MB" == shipped["file"]


def test_the_exploitability_is_that_of_the_results(figures: dict[str, Any]) -> None:
    shipped = figures["shipped"]
    lower, upper = float(shipped["lower"]), float(shipped["upper"])
    assert f"{lower:.4f}" == shipped["exploitability"] == f"{upper:.4f}"
    results = (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    assert f"| zhaifei-2p | {lower:.4f} | {upper:.4f} |" in results
    assert f"{1000 * (1 + lower) / 2:.0f}" == shipped["wins_of_1000"]
    for language in README:
        text = README[language].read_text(encoding="utf-8")
        assert f"**{shipped['exploitability']}**" in text
        assert f"[{shipped['lower']}, {shipped['upper']}]" in text
        assert shipped["wins_of_1000"] in text


@pytest.mark.parametrize("language", README)
def test_three_numbers_of_the_readme_are_those_of_the_results(language: str) -> None:
    results = (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    text = README[language].read_text(encoding="utf-8")
    earned, error = re.search(r"\| ppo \| (\S+) ±(\S+) \|", results).groups()  # type: ignore[union-attr]
    assert f"**{earned}** ±{error}" in text
    least = re.search(r"^\| ppo \| (\d\.\d+) \| \d\.\d+ \|$", results, re.M)[1]  # type: ignore[index]
    assert least in text
    exploitable = re.findall(r"^\| (\S+) \| (\d\.\d+) \| \d\.\d+ \|$", results, re.M)
    rule_based = {"random", "honest", "probabilistic", "conservative", "aggressive"}
    assert min(figure for name, figure in exploitable if name in rule_based) in text
