"""How pages are read and written."""

from pathlib import Path

import pytest

from docs.hooks import expanded, with_mathml
from docs.shown import Shown, abridged, fences, refreshed, run, shown, steady

PAGE = """# Title

```console
$ zhaifei players
old
...
end
$ zhaifei report
```

```python
1 + 1
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with two commands and something else."""
    page = tmp_path / "page.zh.md"
    page.write_text(PAGE, encoding="utf-8")
    return page


def test_commands_and_their_output_are_read(page: Path) -> None:
    first, second = shown(page)
    assert (first.command, first.output) == ("zhaifei players", ("old", "...", "end"))
    assert (second.command, second.output) == ("zhaifei report", ())
    assert first.language == "zh"
    assert first.compared
    assert not second.compared


def test_fences_of_one_kind_are_found_with_their_lines() -> None:
    assert list(fences(PAGE, "python")) == [(11, ["1 + 1"])]


def test_output_is_written_as_long_as_it_was(page: Path) -> None:
    def printed(one: Shown) -> list[str]:
        return abridged(["new", "2", "3", "last"], one.output)

    assert refreshed(page, printed) == PAGE.replace("old", "new").replace("end", "last")


def test_what_is_shown_in_full_is_compared_in_full() -> None:
    assert abridged(["a", "b"], ("x",)) == ["a", "b"]
    assert abridged(["a", "b", "c"], ("x", "...")) == ["a", "..."]
    assert abridged(["a", "b", "c"], ("...", "x", "x")) == ["...", "b", "c"]


def test_durations_and_rates_do_not_matter() -> None:
    assert steady(["5 rounds, 0:49", "1,234/s"]) == steady(["5 rounds, 1:02", "99/s"])
    assert steady(["5 rounds"]) != steady(["6 rounds"])


def test_a_command_that_fails_says_why() -> None:
    ended = run("zhaifei query --hand 123", "en")
    assert ended.code == 2
    assert "zhaifei: " in ended.errors


def test_only_our_commands_are_run() -> None:
    with pytest.raises(ValueError, match="ELSEWHERE"):
        run("rm nothing", "en")


def test_links_of_included_files_lead_to_pages() -> None:
    text = expanded('--8<-- "README.zh-CN.md"', "index.zh.md")
    assert "](rules.md)" in text
    assert "](results.md)" in text
    assert "](benchmarks/strength.svg)" in text
    assert "[English]" not in text


def test_links_of_pages_that_leave_docs_stay_on_the_site() -> None:
    text = expanded(
        "[a](../../README.md#x) ![b](../../results/b.svg) [c](d.zh.md)", "commands/e.md"
    )
    assert text == "[a](../index.md#x) ![b](../results/b.svg) [c](d.md)"


def test_files_are_included_from_a_line_on() -> None:
    text = expanded('# A\n\n--8<-- "RESULTS.md:3"\n', "results.md")
    assert text.startswith("# A\n\nWritten by `zhaifei report")


def test_formulas_become_mathml_but_code_stays() -> None:
    text = with_mathml("a $`x_1`$\n\n```math\n\\frac{1}{2}\n```\n\n```console\n$ `x`$\n```\n")
    assert text.count("<math") == 2
    assert "<mfrac>" in text
    assert "$ `x`$" in text
