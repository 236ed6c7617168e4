"""Print the results of `query` without a hand: the strategy of the whole range, and of every hand.

Each of the commoner actions has a letter and a colour. The hands are grouped by how many of their
dice count towards the bid that is faced or, in openings, towards the bid that suits them best. A
bar of letters shows what each group does. Within a group hands are sorted by their main action.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from zhaifei.app.locale import say, say_action
from zhaifei.app.said import say_figure, situation
from zhaifei.app.terminal.printed.advice import print_grounds
from zhaifei.game.bids import action_of, mover_after
from zhaifei.game.hands import probabilities
from zhaifei.game.notation import format_hand
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.advice.advice import Believed, RangeAction, RangeAdvice

_COMMON, _MOST_LETTERS = 0.002, 12
"""Actions with at least the share `_COMMON` have letters, if they are among the `_MOST_LETTERS`
commonest."""
_COLOURS = ("green", "yellow", "cyan", "magenta", "blue", "red")
_REST = "+"
"""The letter that all other actions share."""
_ALSO = 0.1
"""A hand's second action is shown beside its main one if it has at least this probability."""
_HARDLY, _HIDDEN = 0.01, 0.01
"""A hand is hidden if it bids as the player did with less than `_HARDLY` times the probability of
the likeliest hand. The least likely are hidden first, up to the share `_HIDDEN` of the range."""
_BAR, _GROUP_BAR = 20, 40
_GAP = 2


class _Letters(NamedTuple):
    """The actions that have letters."""

    places: list[int]
    """Places of the actions among the legal ones, the commonest action first."""

    def of_range(self, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return [hand, letter] the probabilities of the actions that have letters, and last of the
        rest."""
        named = strategy[:, self.places]
        return np.column_stack([named, np.maximum(strategy.sum(axis=1) - named.sum(axis=1), 0.0)])

    def letter(self, place: int) -> str:
        return ascii_uppercase[place] if place < len(self.places) else _REST

    def style(self, place: int) -> str:
        return _COLOURS[place % len(_COLOURS)] if place < len(self.places) else "dim"


def print_range(console: Console, rules: Rules, advice: RangeAdvice, *, assumed: bool) -> None:
    """Print `advice`; `assumed` says that the bid faced is assumed to have opened the round."""
    where = situation(rules, advice.hands[0], assumed=assumed)
    console.print(say("the whole range, {situation}", situation=where), soft_wrap=True)
    print_grounds(console, advice)
    console.print(_believed(rules, advice), style="dim", soft_wrap=True)
    console.print(
        say(
            "the range earns {value}; each action's value is averaged over the hands that take it",
            value=" ".join(say_figure(advice.value, advice.value_error)),
        ),
        soft_wrap=True,
    )
    letters = _letters(advice)
    console.print(_actions(advice, letters))
    _print_hands(console, rules, advice, letters)


def _believed(rules: Rules, advice: RangeAdvice) -> str:
    """Return the sentence on what is known of the hand of the player to move."""
    if len(advice.history) < rules.players:
        return say("your range: every hand, with its probability before any bid")
    if advice.believed is Believed.POLICY:
        return say("your range: the hands with which the policy bids as you did")
    if advice.believed is Believed.TREMBLING:
        return say("your range: you bid like the policy, or now and then what your dice support")
    if advice.believed is Believed.READ:
        return say("your range: the policy never bids as you did; it is read from your bids")
    return say(
        "your range: the policy never bids as you did; every hand, with its probability "
        "before any bid"
    )


def _letters(advice: RangeAdvice) -> _Letters:
    places = {action.action: place for place, action in enumerate(advice.actions)}
    common = [action for action in advice.ranked if action.share >= _COMMON]
    return _Letters([places[action.action] for action in common[:_MOST_LETTERS]])


def _actions(advice: RangeAdvice, letters: _Letters) -> Table:
    """Return a table of the actions that have letters, and of the rest as one."""
    table = Table(box=None, pad_edge=False)
    table.add_column()
    table.add_column(say("action"))
    table.add_column(say("share"), justify="right")
    table.add_column()
    table.add_column(say("value"), justify="right")
    table.add_column(style="dim")
    for place, action in enumerate(advice.actions[one] for one in letters.places):
        style = letters.style(place)
        table.add_row(
            Text(letters.letter(place), style=style),
            say_action(action.action),
            f"{action.share:.1%}",
            Text("█" * round(_BAR * action.share), style=style),
            *_value(action),
        )
    rest = [one for place, one in enumerate(advice.actions) if place not in letters.places]
    others = [one for one in rest if one.share > 0.0]
    if others:
        share = sum(one.share for one in others)
        table.add_row(_REST, say("others: {number}", number=len(others)), f"{share:.1%}")
    return table


def _value(action: RangeAction) -> tuple[str, str]:
    if action.value is None or action.value_error is None:
        return "", ""
    return say_figure(action.value, action.value_error)


def _print_hands(console: Console, rules: Rules, advice: RangeAdvice, letters: _Letters) -> None:
    """Print the hands that the player may hold, by group."""
    prior = probabilities(rules, mover_after(rules, advice.history))
    ratio = np.divide(advice.weights, prior, out=np.zeros(prior.size), where=prior > 0.0)
    shown = _shown(advice.weights, ratio)
    does = letters.of_range(advice.strategy)
    counting, intro = _counting(rules, advice)
    console.print()
    console.print(intro, soft_wrap=True)
    for dice in np.unique(counting[shown])[::-1].tolist():
        group = np.flatnonzero(shown & (counting == dice))
        weight = float(advice.weights[group].sum())
        shares = advice.weights[group] @ does[group]
        heading = say("{dice} count, {share:.1%}", dice=dice, share=weight)
        console.print(Text.assemble(_padded(heading, 18), *_bar(shares, letters)), no_wrap=True)
        cells = [_cell(advice, hand, does, letters) for hand in _sorted(group, does)]
        for row in _rows(cells, console.width):
            console.print(row, no_wrap=True)
    hidden = int((~shown).sum())
    if hidden:
        console.print(
            say(
                "{number} hands that would hardly have bid so are not shown ({share:.1%}); --json "
                "and --csv have all",
                number=hidden,
                share=float(advice.weights[~shown].sum()),
            ),
            style="dim",
            soft_wrap=True,
        )


def _shown(weights: NDArray[np.float64], likely: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return [hand] which hands of these weights are shown; `likely` is in proportion to the
    probability that each hand bids as the player did."""
    order = np.argsort(likely, kind="stable")
    shown = np.ones(likely.size, dtype=np.bool_)
    shown[order] = np.cumsum(weights[order]) > _HIDDEN
    shown |= likely >= _HARDLY * likely.max()
    return shown


def _counting(rules: Rules, advice: RangeAdvice) -> tuple[NDArray[np.int8], str]:
    """Return [hand] the number of counting dice by which hands are grouped, and a line that says
    so."""
    matches = bid_tables(rules).matches
    if not advice.history:
        return matches.max(axis=0), say(
            "hands by how many of their dice count towards the bid that suits them best; capital: "
            "what a hand does most, small: what it also does"
        )
    last = advice.history[-1]
    return matches[action_of(rules, last)], say(
        "hands by how many of their dice count towards {bid}; capital: what a hand does most, "
        "small: what it also does",
        bid=last.claim,
    )


def _sorted(group: NDArray[np.int64], does: NDArray[np.float64]) -> list[int]:
    """Return the hands of a group sorted by their main action; then in the order of hands, those
    with more ones first."""
    most = does[group].argmax(axis=1)
    return [int(hand) for hand in group[np.argsort(most, kind="stable")]]


def _cell(advice: RangeAdvice, hand: int, does: NDArray[np.float64], letters: _Letters) -> Text:
    """Return a hand with the letter of its main action, and of a second one if it is frequent."""
    first, *others = np.argsort(-does[hand], kind="stable")[:2].tolist()
    also = "".join(letters.letter(one).lower() for one in others if does[hand, one] >= _ALSO)
    text = f"{format_hand(advice.hands[hand].hand)} {letters.letter(first)}{also or ' '}"
    return Text(text, style=letters.style(first))


def _rows(cells: list[Text], width: int) -> Iterator[Text]:
    """Yield lines of as many cells as fit in `width`."""
    across = max(1, (width + _GAP) // (cells[0].cell_len + _GAP))
    for start in range(0, len(cells), across):
        row = Text(" " * _GAP).join(cells[start : start + across])
        row.rstrip()
        yield row


def _bar(shares: NDArray[np.float64], letters: _Letters) -> Iterator[Text]:
    """Yield the letters in proportion to `shares` [letter]."""
    before, total = 0, max(float(shares.sum()), np.finfo(np.float64).tiny)
    for place, end in enumerate(
        np.rint(_GROUP_BAR * np.cumsum(shares) / total).astype(int).tolist()
    ):
        yield Text(letters.letter(place) * (end - before), style=letters.style(place))
        before = end


def _padded(text: str, width: int) -> str:
    return set_cell_size(text, max(width, cell_len(text) + 1))
