"""Parts of a page in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are right-aligned."""
    rule = ["---", *["---:"] * (len(headings) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (headings, rule, *rows))


def markdown_cross_table(names: Sequence[str], cell: Callable[[int, int], str]) -> str:
    """Return a Markdown table of `cell(row, column)`; a column is headed by the number of its
    row."""
    places = range(len(names))
    return markdown_table(
        ["", *(str(place + 1) for place in places)],
        [
            [names[row], *("" if row == column else cell(row, column) for column in places)]
            for row in places
        ],
    )


def shell_command(command: str) -> str:
    """Return a block with a command."""
    return f"```sh\n{command}\n```"
