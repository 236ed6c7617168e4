"""Show many small buttons as one element: a grid of bids or a map of hands changes as one text."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from nicegui import ui

from zhaifei.app.web.visitor import Visitor

_PRESSED = """(event) => {
  const one = event.target.closest('[data-tap]');
  event.currentTarget.pressed = one && event.button === 0 ? one : null;
}"""
_TELLING = """
  box.tapped = one.dataset.tap;
  box.watching ??= new MutationObserver(() => {
    if (document.activeElement !== document.body) return;
    const all = [...box.querySelectorAll('button[data-tap]')];
    const next = all.find((each) => each.dataset.tap === box.tapped)
      ?? box.querySelector('.z-advised') ?? all.find((each) => !/^drop/.test(each.dataset.tap));
    next?.focus({preventScroll: true});
  });
  box.watching.observe(box, {childList: true, subtree: true});
  emit(one.dataset.tap);
}"""
_RELEASED = (
    """(event) => {
  const box = event.currentTarget, one = box.pressed;
  box.pressed = null;
  if (!one || (one.isConnected && event.target.closest('[data-tap]') !== one)) return;"""
    + _TELLING
)
_BY_KEY = (
    """(event) => {
  const box = event.currentTarget, one = event.target.closest('[data-tap]');
  if (!one || event.detail !== 0) return;"""
    + _TELLING
)
"""The browser's side of a tap: it tells the server. When the text is replaced, it keeps the
keyboard's focus on the tapped button, or near it. A finger or a mouse counts where it went down: no
click comes from a button whose text is replaced before the finger goes up."""


def offered_in(html: str) -> frozenset[str]:
    """Return the names that can be tapped in `html`."""
    return frozenset(part.partition('"')[0] for part in html.split('data-tap="')[1:])


def button(
    name: str, text: str, classes: str = "", *, label: str = "", pressed: bool | None = None
) -> str:
    """Return a button for Taps; `text` is HTML."""
    said = f' aria-label="{escape(label)}"' if label else ""
    state = "" if pressed is None else f' aria-pressed="{str(pressed).lower()}"'
    chosen = " z-chosen" if pressed else ""
    return (
        f'<button type="button" class="z-touch {classes}{chosen}" data-tap="{name}"{said}{state}>'
        f"{text}</button>"
    )


class Taps(ui.html, default_classes="z-taps"):
    """HTML in which a tap on an element with `data-tap` calls `on_tap` with its text. Taps that are
    not offered do nothing, whoever sends them."""

    def __init__(self, visitor: Visitor, on_tap: Callable[[str], Any]) -> None:
        super().__init__("", sanitize=False)
        self._offered: frozenset[str] = frozenset()
        self._shown = ""
        self._on_tap = on_tap
        tapped = visitor.handler(self._tapped)
        self.on("pointerdown", js_handler=_PRESSED)
        self.on("pointerup", tapped, js_handler=_RELEASED)
        self.on("click", tapped, js_handler=_BY_KEY)

    def show(self, html: str) -> None:
        """Show `html`, and offer its taps."""
        if html != self._shown:
            self._shown, self._offered = html, offered_in(html)
            self.set_content(html)

    def tap(self, name: object) -> Any:
        """Handle a tap."""
        if isinstance(name, str) and name in self._offered:
            return self._on_tap(name)
        return None

    async def _tapped(self, event: Any) -> None:
        done = self.tap(event.args)
        if done is not None:
            await done
