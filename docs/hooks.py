"""What the site does with pages beyond Markdown, without anything from the net.

- A line `--8<-- "FILE"` or `--8<-- "FILE:N"` stands for that file of the repository, from line N.
- Formulas are written as GitHub reads them, $`...$` for one in a line and a fence ```math for one
  of its own, and become MathML.
- Pictures that lie outside docs/ are part of the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
OUTSIDE = ("LICENSE", "benchmarks/*.svg", "results/*.svg")
"""Files of the repository that pages link to."""
PAGES = {
    "README.md": "index.md",
    "README.zh-CN.md": "index.md",
    "RESULTS.md": "results.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/tried.md": "tried.md",
}
"""Where links in included files lead on the site; `docs/NAME.md` leads to NAME.md. What is there in
both languages is called as in English; the site takes the one of the page's language."""
_SNIPPET = re.compile(r'^--8<-- "(?P<file>[^":]+)(?::(?P<line>\d+))?"\n?', re.MULTILINE)
_LINK = re.compile(r"\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)]*)?\)")
_OTHER_README = re.compile(r"^\[(中文|English)\]\(README\S*\)\n\n?", re.MULTILINE)
_FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>\w*)[^\n]*\n(?P<body>.*?)^(?P=fence)$", re.M | re.S)
_FORMULA = re.compile(r"\$`(?P<tex>[^`]+)`\$")


def expanded(text: str, page: str) -> str:
    """Return the text of a page, a path in docs/, with the files that it includes and links that
    lead to pages of the site."""

    def included(match: re.Match[str]) -> str:
        lines = (ROOT / match["file"]).read_text(encoding="utf-8").splitlines(keepends=True)
        body = _OTHER_README.sub("", "".join(lines[int(match["line"] or 1) - 1 :]))
        return _on_site(body, match["file"], page)

    return _SNIPPET.sub(included, _on_site(text, f"docs/{page}", page))


def _on_site(text: str, file: str, page: str) -> str:
    """Return text of a file of the repository with links as they are on a page."""

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), match["target"]))
        target = PAGES.get(target, target.removeprefix("docs/").replace(".zh.", "."))
        target = posixpath.relpath(target, posixpath.dirname(page) or ".")
        return f"]({target}{match['anchor'] or ''})"

    return _LINK.sub(link, text)


def with_mathml(text: str) -> str:
    """Return a page with MathML in the place of formulas; code stays as it is."""
    result, end = [], 0
    for fence in _FENCE.finditer(text):
        result.append(_FORMULA.sub(_in_line, text[end : fence.start()]))
        result.append(_mathml(fence["body"], "block") if fence["kind"] == "math" else fence[0])
        end = fence.end()
    return "".join((*result, _FORMULA.sub(_in_line, text[end:])))


def _in_line(match: re.Match[str]) -> str:
    return f"<span>{_mathml(match['tex'], 'inline')}</span>"


def _mathml(tex: str, display: str) -> str:
    mathml: str = convert(" ".join(tex.split()), display=display)
    return mathml


def on_files(files: Any, config: Any) -> Any:
    """See mkdocs: add the files that lie outside docs/."""
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """See mkdocs: expand what a page includes, and set formulas."""
    return with_mathml(expanded(markdown, page.file.src_uri))
