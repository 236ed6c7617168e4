"""Draw advice on a page: bars of probability, values, and how likely the bid is true."""

from __future__ import annotations

from html import escape

from nicegui import ui

from zhaifei.app.locale import say, say_action
from zhaifei.app.said import rests_on, what_it_decides, worth
from zhaifei.policies.advice.advice import ActionAdvice, Advice
from zhaifei.policies.players.match_policy import Stakes

_FEW = 6
"""Number of best-ranked actions that are shown whatever their probability."""
_SHOWN = 0.005
"""Further actions are shown only if they are at least this probable."""


class AdviceView(ui.html):
    """An element that shows advice; `show` changes it in place, and None clears it."""

    def __init__(self) -> None:
        super().__init__("", sanitize=False)
        self.classes("z-scroll").props('aria-live="polite"')

    def show(self, advice: Advice | None, stakes: Stakes | None = None) -> None:
        """Show advice; in a match in which dice are lost, with the stakes of the round."""
        self.set_content("" if advice is None else advice_html(advice, stakes))


def advice_html(advice: Advice, stakes: Stakes | None = None) -> str:
    """Return advice as HTML; in a match in which dice are lost, with the stakes of the round."""
    lines = [
        f"<p>{escape(text)}</p>"
        for text in (
            *([] if stakes is None else [what_it_decides(stakes)]),
            *(
                say("{bid} is true with probability {probability:.1%}", bid=bid, probability=chance)
                for bid, chance in advice.true
            ),
            *rests_on(advice),
        )
    ]
    return f"{''.join(lines)}{actions_html(advice, stakes)}"


def actions_html(advice: Advice, stakes: Stakes | None = None) -> str:
    """Return a table of the actions: those that are played, and the next best."""
    ranked = advice.ranked
    shown = [one for place, one in enumerate(ranked) if place < _FEW or one.probability >= _SHOWN]
    names = (say("action"), say("probability"), "", *filter(None, worth(ranked[0], stakes)))
    head = "".join(
        f'<th scope="col"{_number(place not in (0, 2))}>{escape(name)}</th>'
        for place, name in enumerate(names)
    )
    rows = "".join(_row(one, stakes) for one in shown)
    return f'<table class="z-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(one: ActionAdvice, stakes: Stakes | None) -> str:
    figures = [*worth(one, stakes).values()]
    told = [" ".join(figures)] if stakes is None else figures
    cells = (
        f'<th scope="row">{escape(say_action(one.action))}</th>',
        f"<td{_number(True)}>{one.probability:.1%}</td>",
        f"<td>{bar(one.probability)}</td>",
        *(f"<td{_number(True)}>{figure}</td>" for figure in told),
    )
    return f"<tr>{''.join(cells)}</tr>"


def bar(share: float) -> str:
    """Return a bar whose length is a share, from 0 to 1."""
    return f'<div class="z-bar" aria-hidden="true"><div style="width:{share:.1%}"></div></div>'


def _number(is_number: bool) -> str:
    return ' class="z-number"' if is_number else ""
