"""Charts of the report as SVG. They need matplotlib: `pip install 'zhaifei[report]'`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from zhaifei.game.errors import ZhaifeiError

_INCHES_WIDE, _INCHES_A_ROW, _INCHES_AROUND = 7.5, 0.3, 0.9
_STYLE: dict[Any, Any] = {
    # Keep text as text, and make equal charts equal files.
    "svg.fonttype": "none",
    "svg.hashsalt": "zhaifei",
    "font.size": 10,
}


class ChartRow(NamedTuple):
    """One player's interval in a chart."""

    name: str
    lower: float
    upper: float


class NoCharts(ZhaifeiError):
    """Raised if matplotlib is not installed."""


def verify_can_draw() -> None:
    """Raise NoCharts if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401, PLC0415
    except ImportError as error:
        raise NoCharts(
            "charts need matplotlib, which is not installed: pip install 'zhaifei[report]'"
        ) from error


def interval_chart(
    rows: Sequence[ChartRow], label: str, *, logarithmic: bool = False, mark: float | None = None
) -> str:
    """Return an SVG chart of one interval per row with its midpoint, the first row at the top.
    `label` names the quantity; `mark` is a reference value. Raise NoCharts."""
    verify_can_draw()
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with rc_context(_STYLE):
        figure = Figure(
            (_INCHES_WIDE, _INCHES_AROUND + _INCHES_A_ROW * len(rows)), layout="constrained"
        )
        axes = figure.add_subplot()
        middles = [(row.lower + row.upper) / 2.0 for row in rows]
        widths = [(row.upper - row.lower) / 2.0 for row in rows]
        axes.errorbar(middles, range(len(rows)), xerr=widths, fmt="o", capsize=3)
        if mark is not None:
            axes.axvline(mark, color="gray", linewidth=1)
        if logarithmic:
            axes.set_xscale("log")
        axes.set_yticks(range(len(rows)), [row.name for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.grid(axis="x", linewidth=0.5)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
