"""A visitor of the static page in a real browser: what can be seen, tapped and typed."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from tests.web.chromium import PATIENCE

Found = TypeVar("Found")

SIZES = {"phone": (360, 640), "tablet": (768, 1024), "desktop": (1280, 800)}
"""Widths and heights in pixels."""
THUMB = 36
"""The least width and height of what is tapped on a phone, in pixels; dice and bids have 44."""
WITHOUT_SERVICE_WORKER = "delete Navigator.prototype.serviceWorker;"
"""A script after which a page keeps no files for offline: that takes two seconds of a processor."""
_GRAVE = {"serious", "critical"}
_OVER = ".round-end .main:enabled, .match-over"
"""What a finished round shows."""


class Visitor:
    """One visitor, who has kept nothing of the page."""

    def __init__(self, driver: webdriver.Chrome, address: str, pictures: Path) -> None:
        self.driver, self.address, self.pictures = driver, address, pictures
        self.faults: list[str] = []
        self.size = "phone"
        self.wear("phone", dark=False)

    # Pages

    def wear(self, size: str, *, dark: bool) -> None:
        """Give the page a size and the colours of the system."""
        self.size = size
        self.resize(*SIZES[size])
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}
        self._command("Emulation.setEmulatedMedia", features=[colours, motion])

    def resize(self, width: int, height: int) -> None:
        """Give the page a size in pixels."""
        self._command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=self.size == "phone",
        )

    def open(self, path: str = "", *, language: str | None = None) -> None:
        """Open a screen as a page of its own."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}#/{path}")
        if language is not None:
            settings = f'{{"language": "{language}", "sound": false, "vibration": false}}'
            self.run("localStorage.setItem('zhaifei.settings', arguments[0])", settings)
            self.driver.refresh()
        self.until(lambda: self.find("h1"))

    def go(self, path: str) -> None:
        """Go to a screen of the page that is open."""
        self.run("location.hash = arguments[0]", f"#/{path}")

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, holds: Callable[[], Found]) -> Found:
        return WebDriverWait(self.driver, PATIENCE, 0.03).until(lambda _: holds())

    def _command(self, name: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, parameters)

    def block(self, *addresses: str) -> None:
        """Let these addresses fail from now on, and no others; * stands for anything."""
        self._command("Network.enable")
        self._command("Network.setBlockedURLs", urls=list(addresses))

    def saves_to(self, directory: Path) -> None:
        """Let files that are saved go to a directory."""
        self._command("Page.setDownloadBehavior", behavior="allow", downloadPath=str(directory))

    @contextmanager
    def before_loading(self, script: str) -> Iterator[None]:
        """Let each page that is opened run a script before its own."""
        added = self._command("Page.addScriptToEvaluateOnNewDocument", source=script)
        yield
        self._command("Page.removeScriptToEvaluateOnNewDocument", **added)

    # What is seen and tapped

    def find(self, css: str) -> WebElement | None:
        found: WebElement | None = self.run("return document.querySelector(arguments[0])", css)
        return found

    def number(self, css: str) -> int:
        """Return how many elements a selector finds."""
        found: int = self.run("return document.querySelectorAll(arguments[0]).length", css)
        return found

    def says(self, text: str) -> bool:
        """Return whether a text is seen."""
        return text in self.run("return document.body.innerText")

    def until_rules_are_offered(self) -> None:
        """Wait until there is something to choose wherever the page asks."""
        self.until(lambda: self.run(_ALL_OFFERED))

    def tap(self, css: str, place: int = 0) -> None:
        """Tap an element, as soon as it is there."""
        script = "const one = document.querySelectorAll(arguments[0])[arguments[1]];"
        script += "if (one) one.click(); return Boolean(one);"
        self.until(lambda: self.run(script, css, place))

    def tap_text(self, text: str) -> None:
        """Tap the button or link with this text."""
        script = "const one = [...document.querySelectorAll('button, a')].find("
        script += "one => one.innerText.trim() === arguments[0]);"
        script += "if (one) one.click(); return Boolean(one);"
        self.until(lambda: self.run(script, text))

    def press(self, *keys: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    # Matches

    def sit_down(self, players: int) -> None:
        """Begin a match with the usual rules."""
        self.go("new")
        self.until_rules_are_offered()
        self.tap_text(str(players))
        self.tap(".stuck .main")
        self.until(lambda: self.find(".ring"))

    def until_asked(self) -> bool:
        """Wait for your turn, and return whether it came before the end of the round."""
        asked = ".grid .cell.legal, .challenges button:enabled"
        self.until(lambda: self.find(f"{asked}, {_OVER}"))
        return self.find(_OVER) is None

    def play_round(self) -> None:
        """Challenge what there is to challenge, or open with the lowest bid."""
        while self.until_asked():
            before = self.run("return localStorage.getItem('zhaifei.match')")
            enabled = ".challenges .main:enabled"
            self.tap(enabled if self.find(enabled) else ".cell.legal")
            self.until(
                lambda before=before: (
                    self.run("return localStorage.getItem('zhaifei.match')") != before
                )
            )

    def play_match(self) -> None:
        while True:
            self.play_round()
            if self.find(".match-over"):
                return
            self.tap(".round-end .main:enabled")

    # What must hold of every screen

    def look_at(self, name: str, language: str) -> None:
        """Take pictures of the screen in all sizes, by day in one language and by night in the
        other, and note what is wrong with it."""
        dark = language == "zh"
        how = f"{language}-{'dark' if dark else 'light'}"
        for size in SIZES:
            self.wear(size, dark=dark)
            self.picture(f"{name}-{SIZES[size][0]}-{how}")
            self.faults += [f"{name}-{size}-{language}: {one}" for one in self.too_wide()]
        self.faults += [f"{name}-{how}: {one}" for one in self.grave()]
        self.wear("phone", dark=False)
        self.faults += [f"{name}-{language}: {one}" for one in self.too_small()]

    def picture(self, name: str) -> None:
        """Keep a picture of what is seen."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        (self.pictures / f"web-{name}.png").write_bytes(self.shot(optimizeForSpeed=True))

    def shot(self, kind: str = "png", **how: object) -> bytes:
        """Return a picture of what is seen."""
        taken = self._command("Page.captureScreenshot", format=kind, **how)
        return base64.b64decode(taken["data"])

    def grave(self) -> Iterator[str]:
        """Yield what keeps people from using the page, as axe-core finds it."""
        found = Axe().run(self.driver, options={"resultTypes": ["violations"]})
        for one in found["violations"]:
            if one["impact"] in _GRAVE:
                for node in one["nodes"]:
                    yield f"{one['help']}: {node['html'][:160]} {node['failureSummary']}"

    def too_wide(self) -> list[str]:
        found: list[str] = self.run(_TOO_WIDE)
        return found

    def too_small(self) -> list[str]:
        found: list[str] = self.run(_TOO_SMALL, THUMB)
        return found

    def hidden(self) -> list[str]:
        """Return what is not wholly on the screen, and seats that lie over each other."""
        found: list[str] = self.run(_HIDDEN)
        return found

    def errors(self) -> list[str]:
        """Return what the browser complains of, but for a network that was off and addresses that
        were blocked."""
        entries = self.driver.get_log("browser")
        severe = [one["message"] for one in entries if one["level"] == "SEVERE"]
        off = "ERR_CONNECTION_REFUSED", "ERR_FAILED", "ERR_BLOCKED_BY_CLIENT"
        return [one for one in severe if not any(reason in one for reason in off)]


_ALL_OFFERED = """
const choices = [...document.querySelectorAll(".choice")];
return choices.length > 0 && choices.every((one) => one.querySelector("button"));
"""
_TOO_WIDE = """
const wide = document.documentElement.clientWidth, found = [];
if (document.documentElement.scrollWidth > wide)
  found.push(`the page is ${document.documentElement.scrollWidth} of ${wide} wide`);
for (const one of document.querySelectorAll("main button, main a, .seat, .paper")) {
  if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
    found.push(`cut off: ${one.innerText.slice(0, 40)} in ${one.outerHTML.slice(0, 100)}`);
}
return found;
"""
_TOO_SMALL = """
return [...document.querySelectorAll("button, a[href]")].flatMap((one) => {
  const box = one.getBoundingClientRect();
  const small = box.width > 0 && Math.min(box.width, box.height) < arguments[0] - 0.5;
  return small ? [`${box.width} x ${box.height}: ${one.outerHTML.slice(0, 120)}`] : [];
});
"""
_HIDDEN = """
const found = [], root = document.documentElement;
if (root.scrollHeight > innerHeight) found.push(`scrolls: ${root.scrollHeight} of ${innerHeight}`);
const main = document.querySelector("main");
if (main.scrollHeight > main.clientHeight + 1)
  found.push(`cut off: ${main.scrollHeight} of ${main.clientHeight}`);
const seats = [...document.querySelectorAll(".seat, .middle > *")];
for (const one of [...seats, ...document.querySelectorAll("button, .own, .status")]) {
  const box = one.getBoundingClientRect();
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight + 1 || box.right > innerWidth + 1)
    found.push(`outside: ${one.outerHTML.slice(0, 120)}`);
}
seats.forEach((one, place) => {
  const a = one.getBoundingClientRect();
  for (const other of seats.slice(place + 1)) {
    const b = other.getBoundingClientRect();
    const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    if (!apart) found.push(`overlap: ${one.innerText} and ${other.innerText}`);
  }
});
return found;
"""
