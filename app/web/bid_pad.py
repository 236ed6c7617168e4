"""Draw the pad on which a bid is tapped: mode, count, face. A tap on an illegal choice changes
nothing and says why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from zhaifei.app.locale import say
from zhaifei.app.web.dice import die
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.bids import MODE_SIGNS, START, Bid, State
from zhaifei.game.legal import legal_bids_with, verify_bid_with
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules

COUNTS = 10
"""Number of counts that are shown at a time."""


class BidChoice:
    """The choices tapped so far, as a model without a page."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.state = START
        self.mode, self.count, self.face = rules.bidding.modes[0], 0, 0
        """0 means nothing is chosen."""
        self.first_count = 1
        """The lowest count that is shown."""
        self.follow(START)

    def follow(self, state: State, dice: int | None = None) -> None:
        """Begin a bid that follows in `state`. `dice` are on the table, by default those of the
        rules."""
        self.state, self.count, self.face = state, 0, 0
        self._dice = self.rules.total_dice if dice is None else dice
        legal = legal_bids_with(self.rules, state, self._dice)
        self._legal = tuple(bid for bid in legal if not bid.doubled)
        if not self.legal_mode(self.mode):
            self.mode = next(
                (one for one in self.rules.bidding.modes if self.legal_mode(one)), self.mode
            )
        self._show_lowest()

    @property
    def bid(self) -> Bid | None:
        """The bid, once mode, count and face are chosen; before, None."""
        if not (self.count and self.face):
            return None
        return Bid(self.mode, self.count, self.face)

    @property
    def counts(self) -> range:
        """The counts that are shown."""
        return range(self.first_count, min(self.first_count + COUNTS, self.rules.highest_count + 1))

    def legal_mode(self, mode: Mode) -> bool:
        """Return whether any bid of this mode may follow."""
        return any(one.mode is mode for one in self._legal)

    def legal_count(self, count: int) -> bool:
        """Return whether a bid of this count may follow in the chosen mode."""
        return any(one.mode is self.mode and one.count == count for one in self._legal)

    def legal_face(self, face: int) -> bool:
        """Return whether a bid of this face may follow, with the chosen count if there is one."""
        return any(
            one.mode is self.mode and one.face == face and self.count in (0, one.count)
            for one in self._legal
        )

    def choose_mode(self, mode: Mode) -> None:
        """Choose a mode. Raise IllegalBid if no bid of this mode may follow."""
        if not self.legal_mode(mode):
            self._why(mode, self.count or self.rules.highest_count, self.face or self.rules.faces)
        if mode is not self.mode:
            self.mode, self.count, self.face = mode, 0, 0
            self._show_lowest()

    def choose_count(self, count: int) -> None:
        """Choose a count. Raise IllegalBid if no bid of this count may follow."""
        if not self.legal_count(count):
            self._why(self.mode, count, self.rules.faces)
        self.count = count
        if self.face and not self.legal_face(self.face):
            self.face = 0

    def choose_shown(self, place: int) -> None:
        """Choose the count that is shown at this place, from 0. Raise as `choose_count` does."""
        self.choose_count(self.counts[place])

    def choose_face(self, face: int) -> None:
        """Choose a face, and the lowest count that goes with it if no count is chosen. Raise
        IllegalBid if no such bid may follow."""
        if not self.legal_face(face):
            self._why(self.mode, self.count or self.rules.highest_count, face)
        if not self.count:
            fitting = (one for one in self._legal if one.mode is self.mode)
            self.count = next(one.count for one in fitting if one.face == face)
        self.face = face

    def turn(self, by: int) -> None:
        """Shift the counts that are shown up by `by`, or down if it is negative."""
        highest = max(1, self.rules.highest_count - COUNTS + 1)
        self.first_count = min(max(1, self.first_count + by), highest)

    def _why(self, mode: Mode, count: int, face: int) -> None:
        verify_bid_with(self.rules, Bid(mode, count, face), self.state, self._dice)

    def _show_lowest(self) -> None:
        lowest = next((one.count for one in self._legal if one.mode is self.mode), 1)
        self.first_count = 1
        self.turn(lowest - 2)  # one illegal count shows where the legal ones begin


class _Tap:
    """A button whose looks change in place, and only if they differ."""

    def __init__(self, text: str, tap: Callable[[], object], classes: str) -> None:
        self.button = (
            ui.button(on_click=tap, color=None).props("flat no-caps").classes(f"z-tap {classes}")
        )
        with self.button:
            self.inside = ui.html(text, sanitize=False)
        self._looks: tuple[object, ...] = ()
        self._text = text

    def show(self, label: str, *, legal: bool, chosen: bool, text: str | None = None) -> None:
        if text is not None and text != self._text:
            self._text = text
            self.inside.set_content(text)
        looks = label, legal, chosen
        if looks == self._looks:
            return
        self._looks = looks
        self.button.classes(
            add=" ".join(["z-chosen"] * chosen + ["z-illegal"] * (not legal)),
            remove=" ".join(["z-chosen"] * (not chosen) + ["z-illegal"] * legal),
        )
        self.button.props(
            f'aria-label="{label}" aria-pressed="{str(chosen).lower()}" '
            f'aria-disabled="{str(not legal).lower()}"'
        )


class BidPad:
    """Buttons for mode, count and face, and a button that calls `on_bid` with the bid.

    With `at_once` a tap on a face makes the bid, with the chosen count.
    """

    def __init__(
        self,
        visitor: Visitor,
        rules: Rules,
        on_bid: Callable[[Bid], object],
        *,
        at_once: bool = False,
    ) -> None:
        self.choice, self._on_bid, self._at_once = BidChoice(rules), on_bid, at_once
        self._visitor, self._enabled = visitor, True
        self._follows: tuple[State, int | None, bool] = START, None, True
        with ui.element("div").classes("z-pad").props(f'role="group" aria-label="{say("bid")}"'):
            self._draw()
        self.refresh()

    def follow(self, state: State, dice: int | None = None, *, enabled: bool = True) -> None:
        """Begin a bid as `BidChoice.follow` does; unless `enabled`, taps do nothing."""
        follows = state, dice, enabled
        if follows != self._follows:
            self._follows, self._enabled = follows, enabled
            self.choice.follow(state, dice)
            self.refresh()

    def refresh(self) -> None:
        """Show the choices made, and which choices are legal."""
        choice, enabled = self.choice, self._enabled
        for mode, tap in self._modes.items():
            tap.show(
                MODE_SIGNS[mode],
                legal=enabled and choice.legal_mode(mode),
                chosen=mode is choice.mode,
            )
        for count, tap in zip(choice.counts, self._counts, strict=False):
            tap.show(
                say("count {count}", count=count),
                legal=enabled and choice.legal_count(count),
                chosen=count == choice.count,
                text=str(count),
            )
        for face, tap in self._faces.items():
            tap.show(
                say("face {face}", face=face),
                legal=enabled and choice.legal_face(face),
                chosen=face == choice.face,
            )
        bid = choice.bid
        label = say("bid") if bid is None else say("bid {bid}", bid=bid)
        if self._make is not None:
            self._make.show(label, legal=enabled and bid is not None, chosen=False, text=label)

    def _draw(self) -> None:
        choice, rules = self.choice, self.choice.rules
        with ui.element("div").classes("z-row z-modes").props("data-keys"):
            self._modes = {
                mode: self._tap(MODE_SIGNS[mode], partial(choice.choose_mode, mode))
                for mode in rules.bidding.modes
            }
        with ui.element("div").classes("z-row z-counts-row").props("data-keys"):
            self._counts = [
                self._tap(str(count), partial(choice.choose_shown, place))
                for place, count in enumerate(choice.counts)
            ]
            if rules.highest_count > COUNTS:
                for sign, name, by in (
                    ("−", say("lower counts"), -COUNTS),
                    ("+", say("higher counts"), COUNTS),
                ):
                    tap = self._tap(sign, partial(choice.turn, by), always=True)
                    tap.show(name, legal=True, chosen=False)
        with ui.element("div").classes("z-row z-faces").props("data-keys"):
            self._faces = {
                face: self._tap(die(face), partial(self._face, face), "z-face")
                for face in range(1, rules.faces + 1)
            }
        self._make = None
        if not self._at_once:
            self._make = _Tap(say("bid"), self._visitor.handler(self._bid), "z-make")

    def _tap(
        self, text: str, choose: Callable[[], object], classes: str = "", *, always: bool = False
    ) -> _Tap:
        async def tapped() -> None:
            if self._enabled or always:
                chosen = choose()
                if isinstance(chosen, Awaitable):
                    await chosen
                self.refresh()

        return _Tap(text, self._visitor.handler(tapped), classes)

    async def _face(self, face: int) -> None:
        self.choice.choose_face(face)
        if self._at_once:
            await self._bid()

    async def _bid(self) -> None:
        bid = self.choice.bid
        if bid is not None and self._enabled:
            made = self._on_bid(bid)
            if isinstance(made, Awaitable):
                await made
