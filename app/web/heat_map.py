"""Draw all hands on one small map, on which similar hands are neighbours.

The map has a section for each number of wild dice (ones, in 斋飞), from 0 at the top. Its columns
are the other faces: a hand stands under the face of which it has the most dice, the higher of two
equally frequent ones. Within a section a hand with more dice of its face stands higher. So hands
that are good for one face make a column, and hands that are good for any face stand at the bottom.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.hands import Hand, hands, probabilities
from zhaifei.game.rules import Rules

Floats = NDArray[np.float64]

ACROSS = 5
"""Hands side by side under one face: with 5 the map of five faces fits on a phone."""


class Cell(NamedTuple):
    """The place of a hand; rows and columns count from 0."""

    row: int
    column: int


class Section(NamedTuple):
    """The rows of the hands with `wild` wild dice."""

    wild: int
    first: int
    rows: int


@dataclass(frozen=True)
class Layout:
    """The places of hands, sections and faces on the map."""

    cells: tuple[Cell, ...]
    """[hand]"""
    sections: tuple[Section, ...]
    """From the top."""
    faces: tuple[int, ...]
    """The faces whose columns stand side by side, each ACROSS hands wide."""

    @property
    def rows(self) -> int:
        """The number of rows of the map."""
        return self.sections[-1].first + self.sections[-1].rows

    @property
    def columns(self) -> int:
        """The number of columns of hands."""
        return ACROSS * len(self.faces)


@lru_cache
def layout(rules: Rules) -> Layout:
    """Return the map of all hands of `rules`."""
    faces = tuple(face for face in range(1, rules.faces + 1) if face != rules.counting.wild)
    cells: dict[int, Cell] = {}
    sections, first = list[Section](), 0
    for wild in range(rules.dice + 1):
        row = first
        for group in _groups(rules, wild):
            for face, members in group.items():
                for place, hand in enumerate(members):
                    line, side = divmod(place, ACROSS)
                    cells[hand] = Cell(row + line, ACROSS * faces.index(face) + side)
            row += max(_lines(members) for members in group.values())
        sections.append(Section(wild, first, row - first))
        first = row
    return Layout(tuple(cells[hand] for hand in range(len(cells))), tuple(sections), faces)


def _groups(rules: Rules, wild: int) -> list[dict[int, list[int]]]:
    """Return the hands with `wild` wild dice by how many dice they have of their best face, most
    first: [group] from face to hands."""
    found: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, hand in enumerate(hands(rules)):
        if hand.count(rules.counting.wild) == wild:
            face = best_face(rules, hand)
            count = hand.count(face) if face != rules.counting.wild else 0
            found[count][face if count else _lowest(rules)].append(place)
    return [found[count] for count in sorted(found, reverse=True)]


def best_face(rules: Rules, hand: Hand) -> int:
    """Return the face of which `hand` has the most dice besides wild ones, the higher of two
    equally frequent ones; the wild face if there is no other."""
    others = [face for face in hand if face != rules.counting.wild]
    return max(others, key=lambda face: (others.count(face), face), default=rules.counting.wild)


def _lowest(rules: Rules) -> int:
    return 2 if rules.counting.wild == 1 else 1


def _lines(members: list[int]) -> int:
    return -(-len(members) // ACROSS)


def heat(rules: Rules, weights: Floats) -> Floats:
    """Return [hand] the part of each hand as dealt that is left in a range with these `weights`.
    The parts are scaled so that the largest is 1."""
    left = weights / probabilities(rules)
    most = float(left.max())
    heated: Floats = left / most if most > 0.0 else np.zeros(left.size)
    return heated


class Ink(NamedTuple):
    """The colours and texts of hands. Both arrays are [hand]."""

    heat: Floats
    """From 0 to 1."""
    words: tuple[str, ...]
    """The tooltip of each hand."""


def drawn(
    rules: Rules,
    ink: Ink,
    *,
    label: str,
    corner: str,
    chosen: NDArray[np.bool_] | None = None,
) -> str:
    """Return the map as HTML, for the classes of `style.css`. `label` tells a screen reader what
    the map shows, and `corner` names the numbers of the sections. Hands that are not `chosen` are
    faint."""
    its = layout(rules)
    heads = f'<span class="heat-face" style="grid-area:1/1">{escape(corner)}</span>' + "".join(
        f'<span class="heat-face" style="grid-area:1/{2 + ACROSS * place}/2/span {ACROSS}">{face}'
        "</span>"
        for place, face in enumerate(its.faces)
    )
    sides = "".join(
        f'<span class="heat-wild" style="grid-area:{2 + one.first}/1/span {one.rows}/2">'
        f"{one.wild}</span>"
        for one in its.sections
    )
    cells = "".join(
        _cell(
            its.cells[place],
            hand,
            float(ink.heat[place]),
            ink.words[place],
            faint=chosen is not None and not chosen[place],
        )
        for place, hand in enumerate(hands(rules))
    )
    return (
        f'<div class="heat-map" role="img" aria-label="{escape(label)}" '
        f'style="--columns:{its.columns}">{heads}{sides}{cells}</div>'
    )


def _cell(cell: Cell, hand: Hand, heat_: float, words: str, *, faint: bool) -> str:
    name = "".join(map(str, hand))
    faded = " heat-faint" if faint else ""
    edge = " heat-edge" if cell.column % ACROSS == 0 else ""
    return (
        f'<i class="heat-cell{faded}{edge}" data-tap="hand {name}" title="{escape(words)}" '
        f'style="grid-area:{cell.row + 2}/{cell.column + 2};--heat:{heat_:.3f}"></i>'
    )
