"""The site builds offline without a warning, and its pages fetch nothing from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import zhaifei
from docs.shown import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the site is built."""
    out = tmp_path_factory.mktemp("site")
    nowhere = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", out],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stdout + built.stderr
    return out


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        html = page.read_text(encoding="utf-8")
        fetching = re.findall(r"<(?:script|link|img|iframe|source)\b[^>]*>", html)
        assert [tag for tag in fetching if re.search(r"=[\"']?(?:https?:)?//", tag)] == []
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", ["", "zh/"])
def test_what_pages_include_is_there(site: Path, language: str) -> None:
    def page(name: str) -> str:
        return (site / f"{language}{name}index.html").read_text(encoding="utf-8")

    assert 'src="../' * bool(language) + "benchmarks/strength.svg" in page("")
    assert (site / "benchmarks/strength.svg").exists()
    assert (site / "results/exploitability.svg").exists()
    assert "exploitability.svg" in page("results/")
    assert "<math" in page("how-it-works/")
    assert "$`" not in page("how-it-works/")
    assert 'id="zhaifei.solve"' in page("python/")
    for name in ("", "changelog/", "contributing/", "tried/"):
        assert "8&lt;--" not in page(name)
        assert len(page(name)) > 10_000


@pytest.mark.parametrize("language", ["", "zh/"])
def test_the_reference_has_each_public_name(site: Path, language: str) -> None:
    html = (site / f"{language}python/index.html").read_text(encoding="utf-8")
    missing = [name for name in zhaifei.__all__ if f'id="zhaifei.{name}"' not in html]
    assert missing == []


def test_tables_beside_comments_are_tables(site: Path) -> None:
    html = (site / "measurements/index.html").read_text(encoding="utf-8")
    source = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
    assert html.count("<table>") == source.count("<!-- table: ") > 4
