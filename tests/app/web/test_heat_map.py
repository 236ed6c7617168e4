"""The map of all hands: each has a place of its own, next to hands that are like it."""

from html.parser import HTMLParser

import numpy as np
import pytest

from zhaifei.app.web.heat_map import ACROSS, Ink, best_face, drawn, heat, layout
from zhaifei.game.hands import hand_index, hands, probabilities, with_dice
from zhaifei.game.rules import Rules, preset

FULL = preset("zhaifei")


@pytest.mark.parametrize(
    "rules",
    [FULL, preset("zhaifei", dice=3, faces=4), preset("liars_dice"), preset("zhaifei", faces=2)],
    ids=str,
)
def test_each_hand_has_a_place_of_its_own(rules: Rules) -> None:
    its = layout(rules)
    assert len({*its.cells}) == len(hands(rules))
    assert all(0 <= row < its.rows and 0 <= column < its.columns for row, column in its.cells)


def test_the_full_game_fits_on_a_phone() -> None:
    its = layout(FULL)
    assert (its.rows, its.columns) == (22, 25)
    assert [(one.wild, one.rows) for one in its.sections] == [
        (0, 9),
        (1, 5),
        (2, 4),
        (3, 2),
        (4, 1),
        (5, 1),
    ]


def test_hands_stand_by_their_ones_and_under_their_best_face() -> None:
    its = layout(FULL)
    for place, hand in enumerate(hands(FULL)):
        section = next(one for one in its.sections if one.wild == hand.count(1))
        assert section.first <= its.cells[place].row < section.first + section.rows
        if best_face(FULL, hand) != 1:
            assert its.faces[its.cells[place].column // ACROSS] == best_face(FULL, hand)


def test_more_dice_of_the_best_face_are_higher() -> None:
    its = layout(FULL)
    order = ["66666", "36666", "23666", "23466"]
    rows = [its.cells[hand_index(FULL, map(int, hand))].row for hand in order]
    assert rows == sorted({*rows})


@pytest.mark.parametrize(
    ("hand", "face"), [((2, 2, 3, 3, 4), 3), ((1, 1, 1, 1, 1), 1), ((1, 2, 3, 4, 5), 5)]
)
def test_the_best_face(hand: tuple[int, ...], face: int) -> None:
    assert best_face(FULL, hand) == face


def test_hands_that_hold_some_dice() -> None:
    held = with_dice(FULL, [1, 6, 6])
    assert held[hand_index(FULL, [1, 2, 3, 6, 6])]
    assert not held[hand_index(FULL, [1, 2, 3, 4, 6])]
    assert with_dice(FULL, []).all()


def test_heat_is_how_much_is_left_of_each_hand() -> None:
    weights = np.array(probabilities(FULL))
    assert heat(FULL, weights) == pytest.approx(1.0)
    half = hand_index(FULL, [1, 1, 3, 4, 6])
    weights[half] /= 2.0
    found = heat(FULL, weights)
    assert found[half] == pytest.approx(0.5)
    assert np.delete(found, half) == pytest.approx(1.0)
    assert not heat(FULL, np.zeros(weights.size)).any()


class Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "i":
            self.found.append(dict(attrs))


def test_what_is_drawn() -> None:
    number = len(hands(FULL))
    colours = np.linspace(0.0, 1.0, number)
    ink = Ink(colours, tuple(f'"{place}" <b>' for place in range(number)))
    html = drawn(FULL, ink, label="a & b", corner="ones", chosen=with_dice(FULL, [6]))
    cells = Cells()
    cells.feed(html)
    assert [one["data-tap"] for one in cells.found[:2]] == ["hand 11111", "hand 11112"]
    assert cells.found[3]["title"] == '"3" <b>'
    assert "--heat:1.000" in str(cells.found[-1]["style"])
    faint = ["heat-faint" in str(one["class"]) for one in cells.found]
    assert faint == [not one for one in with_dice(FULL, [6])]
    assert 'aria-label="a &amp; b"' in html
