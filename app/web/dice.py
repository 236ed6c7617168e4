"""Dice, drawn as SVG."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nicegui import ui

from zhaifei.app.locale import say

_PLACES = {
    "a": (7, 7),
    "b": (21, 7),
    "c": (7, 14),
    "d": (14, 14),
    "e": (21, 14),
    "f": (7, 21),
    "g": (21, 21),
}
"""Centres of dots, on a die of 28 by 28."""
_DOTS = {1: "d", 2: "bf", 3: "bdf", 4: "abfg", 5: "abdfg", 6: "abcefg"}


def die(face: int | None, *, counting: bool = False) -> str:
    """Return a die as SVG; None is a covered die. Dice of more than six faces show digits."""
    if face is None:
        inside = '<text x="14" y="20" text-anchor="middle" class="z-hidden">?</text>'
    elif face in _DOTS:
        inside = "".join(
            f'<circle cx="{x}" cy="{y}" r="{3.6 if face == 1 else 2.6}"/>'
            for x, y in (_PLACES[name] for name in _DOTS[face])
        )
    else:
        inside = f'<text x="14" y="20" text-anchor="middle">{face}</text>'
    kind = "z-die" + (" z-counts" if counting else "") + (" z-one" if face == 1 else "")
    return (
        f'<svg class="{kind}" viewBox="0 0 28 28" aria-hidden="true">'
        f'<rect x="1" y="1" width="26" height="26" rx="6"/>{inside}</svg>'
    )


def spoken(faces: Sequence[int], counting: Collection[int] = ()) -> str:
    """Return dice as a screen reader says them."""
    text = say("dice {faces}", faces=" ".join(map(str, faces)))
    if not counting:
        return text
    number = sum(face in counting for face in faces)
    return f"{text}, {say('{number} count', number=number)}"


class Dice(ui.html):
    """Some dice in a row; `show` changes them in place."""

    def __init__(self) -> None:
        super().__init__("", sanitize=False)
        self.classes("z-dice")  # an image only once it has a name
        self._shown: tuple[object, ...] | None = None

    def show(self, faces: Sequence[int], counting: Collection[int] = ()) -> None:
        """Show dice, and mark those with a face in `counting`."""
        what = tuple(faces), frozenset(counting)
        if what == self._shown:
            return
        self._shown = what
        self.props(f'role="img" aria-label="{spoken(faces, counting)}"')
        self.set_content("".join(die(face, counting=face in counting) for face in faces))

    def cover(self, number: int) -> None:
        """Show `number` covered dice."""
        if self._shown == (number,):
            return
        self._shown = (number,)
        self.props(f'role="img" aria-label="{say("{number} covered dice", number=number)}"')
        self.set_content(die(None) * number)
