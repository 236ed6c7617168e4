"""Debian's Chromium without a window, driven by selenium: what a person sees, taps and reads."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from tests.app.web.browsing import Served
from tests.command_line import LONG
from zhaifei.app.locale import say, speaking
from zhaifei.game.rules import PRESETS, preset
from zhaifei.policies.catalogue.names import player_names

Found = TypeVar("Found")

NEEDED = "ZHAIFEI_BROWSER"
"""The environment variable that, if it is "required", lets tests fail where no browser is found;
otherwise they are skipped."""
PICTURES = "ZHAIFEI_SCREENSHOTS"
"""The environment variable that names the directory to which screenshots go; else they go to that
of pytest."""
INSTALL = (
    "no browser is found: install Chromium and its driver, for example with "
    "'apt-get install chromium chromium-driver'"
)
PATIENCE = LONG / 6
"""Seconds that a browser waits for what does not come: ten times what anything there takes, with
kernels to compile."""
THUMB = 44
"""The least width and height, in pixels, of what is tapped on a phone."""
SIZES = {"phone": (360, 740), "desktop": (1280, 900)}
_GRAVE = {"serious", "critical"}
_LATER = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
"""What an element that is still on its way may raise."""


@dataclass(frozen=True)
class Look:
    """How a visitor looks at pages."""

    size: str
    """One of SIZES."""
    language: str
    dark: bool = False

    def __str__(self) -> str:
        return f"{self.size}-{self.language}-{'dark' if self.dark else 'light'}"


LOOKS = [
    Look("phone", "en"),
    Look("phone", "zh", dark=True),
    Look("desktop", "en", dark=True),
    Look("desktop", "zh"),
]
"""Both sizes in both languages, each of them light and dark once."""
PLAYED = [LOOKS[0], LOOKS[3]]
"""In which looks scenarios are played: `Screen.look_at` sees their pages in the other looks too."""


@dataclass(frozen=True)
class Programs:
    """The browser and what drives it."""

    browser: str
    driver: str


def programs() -> Programs:
    """Return where they are; without them the test is skipped, or fails if they are required."""
    browsers = ("chromium", "chromium-browser", "google-chrome")
    browser = next(filter(None, map(shutil.which, browsers)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        if os.environ.get(NEEDED) == "required":
            pytest.fail(INSTALL)
        pytest.skip(INSTALL)
    return Programs(browser, driver)


@contextmanager
def chromium(found: Programs) -> Iterator[webdriver.Chrome]:
    """Start a browser; whatever happens, nothing of it is left."""
    options = webdriver.ChromeOptions()
    options.binary_location = found.browser
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--disable-sync",
        "--disable-default-apps",
        "--hide-scrollbars",
    ):
        options.add_argument(argument)
    # In a group of its own, so that all that it has started can be ended.
    service = Service(found.driver, popen_kw={"start_new_session": True})
    driver = None
    try:
        driver = webdriver.Chrome(options=options, service=service)
        driver.set_script_timeout(PATIENCE)
        driver.set_page_load_timeout(PATIENCE)
        yield driver
    finally:
        process = service.process
        if driver is not None:
            with suppress(Exception):
                driver.quit()
        with suppress(ProcessLookupError, AttributeError):
            os.killpg(process.pid, signal.SIGKILL)


class Screen:
    """A visitor's browser."""

    def __init__(
        self, driver: webdriver.Chrome, served: Served, look: Look, pictures: Path
    ) -> None:
        self.driver, self.served, self.pictures = driver, served, pictures
        self.faults: list[str] = []
        self._command("Network.clearBrowserCookies")
        self._command(
            "Network.setUserAgentOverride",
            userAgent=_agent(driver),
            acceptLanguage="zh-CN" if look.language == "zh" else "en-US",
        )
        self._wear(look)

    def _wear(self, look: Look) -> None:
        """Give the page the size and the colours of a look; it stays in its language."""
        self.look = look
        self.resize(*SIZES[look.size])
        colours = {"name": "prefers-color-scheme", "value": "dark" if look.dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}
        self._command("Emulation.setEmulatedMedia", features=[colours, motion])

    def _command(self, name: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, parameters)

    def resize(self, width: int, height: int) -> None:
        """Give the page this size, in pixels."""
        self._command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=self.look.size == "phone",
        )

    def say(self, text: str, /, **values: Any) -> str:
        """Return a message in the language of the page."""
        with speaking(self.look.language):
            return say(text, **values)

    # Pages

    def open(self, path: str = "/") -> None:
        """Open a page, and wait until it is connected to the server."""
        self.driver.get(f"{self.served.address}{path}")
        self.connected()

    def connected(self) -> None:
        """Wait until the page hears the server."""
        script = "return window.socket !== undefined && window.socket.connected"
        self.until(lambda: self.driver.execute_script(script))

    def until(self, holds: Callable[[], Found]) -> Found:
        """Wait until something holds, and return it."""

        def now(_: object) -> Found:
            assert self.served.process.poll() is None, "the server has ended"
            return holds()

        return WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=_LATER).until(now)

    @property
    def words(self) -> str:
        """All that can be read on the page."""
        words: str = self.driver.execute_script("return document.body.innerText")
        return words

    def sees(self, *texts: str) -> None:
        """Wait until these messages can be read."""
        words = [self.say(text) for text in texts]
        self.until(lambda: all(word in self.words for word in words))

    # Taps

    def shown(self, css: str) -> list[WebElement]:
        """Return what is on the page and not hidden."""
        found: list[WebElement] = self.driver.execute_script(f"{_SHOWN} return shown;", css)
        return found

    def find(self, label: str) -> WebElement | None:
        """Return the button or link that is called so."""
        called = (
            "return shown.find(one => (one.ariaLabel || one.innerText).trim() === arguments[1])"
        )
        tapped = "button, a, [role=switch], summary"
        found: WebElement | None = self.driver.execute_script(_SHOWN + called, tapped, label)
        return found

    def tap(self, label: str) -> None:
        """Tap what is called so, as soon as it is there."""
        self.until(lambda: self.tap_if_there(label))

    def tap_if_there(self, label: str) -> bool:
        """Tap what is called so, and return whether it could be tapped now."""
        return self._tapped(self.find(label))

    def tap_said(self, text: str, /, **values: Any) -> None:
        """Tap what is called so in the language of the page."""
        self.tap(self.say(text, **values))

    def tap_at(self, css: str) -> None:
        """Tap the first element that a selector finds."""
        self.until(lambda: self._tapped(next(iter(self.shown(css)), None)))

    def _tapped(self, one: WebElement | None) -> bool:
        if one is None or not one.is_enabled():
            return False
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", one)
        one.click()
        return True

    # What must hold of every page

    def look_at(self, name: str) -> None:
        """Look at the page in this look, and in that of the other size in its language."""
        own = self.look
        others = [one for one in LOOKS if one.language == own.language and one.size != own.size]
        for look in (own, *others):
            self._wear(look)
            self.until(lambda dark=look.dark: self.driver.execute_script(_IS_DARK) == dark)  # type: ignore[misc]
            self._examine(name)
        self._wear(own)

    def _examine(self, name: str) -> None:
        """Take a picture, and note what does not hold that must hold of every page."""
        self.picture(name)
        found = [*self.grave_faults(), *self.too_wide(), *self.untranslated()]
        if self.look.size == "phone":
            found += self.too_small()
        self.faults += [f"{name}-{self.look}: {fault}" for fault in found]

    def picture(self, name: str) -> None:
        """Keep a picture of the whole page."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        (self.pictures / f"{name}-{self.look}.png").write_bytes(self.drawn())

    def drawn(self, kind: str = "png", *, whole: bool = True) -> bytes:
        """Return a picture of the page, or of what is seen of it without scrolling."""
        quality = {} if kind == "png" else {"quality": 90}
        taken = self._command(
            "Page.captureScreenshot", format=kind, captureBeyondViewport=whole, **quality
        )
        return base64.b64decode(taken["data"])

    def grave_faults(self) -> list[str]:
        """Return what keeps people from using the page, as axe-core finds it."""
        found = Axe().run(self.driver, options={"resultTypes": ["violations"]})
        return [
            f"{one['impact']}: {one['help']}: {node['html'][:200]} {node['failureSummary']}"
            for one in found["violations"]
            if one["impact"] in _GRAVE
            for node in one["nodes"]
        ]

    def too_small(self) -> list[str]:
        """Return what is smaller than a thumb."""
        found: list[str] = self.driver.execute_script(_TOO_SMALL, THUMB)
        return found

    def too_wide(self) -> list[str]:
        """Return what reaches beyond the page, or is cut off."""
        found: list[str] = self.driver.execute_script(_TOO_WIDE)
        return found

    def untranslated(self) -> list[str]:
        """Return what a Chinese page says in English."""
        if self.look.language != "zh":
            return []
        rules = preset("zhaifei"), preset("knockout", players=2)
        players = [name for one in rules for name in player_names(one)]
        names = " ".join(("English", *PRESETS, *players))
        return [word for word in re.findall(r"[A-Za-z]{3,}", self.words) if word not in names]

    def look_at_traffic(self) -> None:
        """Note what did not come from the server, and scripts that failed."""
        here = urlsplit(self.served.address).netloc
        self.faults += [
            f"asked elsewhere: {one}"
            for one in self._requested()
            if urlsplit(one).netloc not in ("", here)
        ]
        self.faults += [
            one["message"] for one in self.driver.get_log("browser") if one["level"] == "SEVERE"
        ]

    def _requested(self) -> Iterator[str]:
        """What the browser has asked for since the last time; data within pages aside."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]
            elif message["method"] == "Network.webSocketCreated":
                yield message["params"]["url"]


def name_of(one: WebElement) -> str:
    """Return what an element is called."""
    return (one.get_attribute("aria-label") or one.text or "").strip()


def _agent(driver: webdriver.Chrome) -> str:
    agent: str = driver.execute_script("return navigator.userAgent")
    return agent


_SHOWN = """
const shown = [...document.querySelectorAll(arguments[0])].filter(one => {
  const box = one.getBoundingClientRect();
  return box.width > 0 && box.height > 0
    && one.checkVisibility({opacityProperty: true, visibilityProperty: true});
});
"""
"""One question to the browser for all elements: a question for each takes most of a test."""
_IS_DARK = "return document.body.classList.contains('body--dark')"
_TOO_SMALL = """
const least = arguments[0] - 0.5, found = [];
const tapped =
  "button, a[href], [role=switch], [role=button], [data-tap], summary, input, textarea";
for (const one of document.querySelectorAll(tapped)) {
  if (one.closest("svg, .heat-map, .q-notification") || !one.checkVisibility()) continue;
  // What catches a tap may be around it: the label of a switch, the row of a link.
  const box = (one.closest("label, .q-toggle") || one).getBoundingClientRect();
  if (box.width === 0 || box.height === 0) continue;
  if (box.width < least || box.height < least)
    found.push(`${Math.round(box.width)}x${Math.round(box.height)} ${one.outerHTML.slice(0, 160)}`);
}
return found;
"""
_TOO_WIDE = """
const wide = document.documentElement.clientWidth, found = [];
if (document.documentElement.scrollWidth > wide)
  found.push(`the page is ${document.documentElement.scrollWidth} of ${wide} wide`);
for (const one of document.querySelectorAll("main *, header *")) {
  if (one.closest(".z-scroll, .sr-only, svg, canvas") || !one.checkVisibility()) continue;
  const box = one.getBoundingClientRect();
  if (box.width > 0 && (box.right > wide + 1 || box.left < -1))
    found.push(`${box.left} to ${box.right}: ${one.outerHTML.slice(0, 160)}`);
}
// Texts must stay in what they stand in.
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = new Range();
for (let text = texts.nextNode(); text; text = texts.nextNode()) {
  const around = text.parentElement.closest("button, .z-card, .z-seat, .z-header, td, th");
  if (!around || !text.data.trim() || text.parentElement.closest(".sr-only, svg, .heat-map")
      || !around.checkVisibility()) continue;
  range.selectNodeContents(text);
  const [its, box] = [range.getBoundingClientRect(), around.getBoundingClientRect()];
  if (its.width > 0 && (its.right > box.right + 1 || its.left < box.left - 1))
    found.push(`cut off: ${text.data.trim().slice(0, 60)} in ${around.outerHTML.slice(0, 120)}`);
}
for (const one of document.querySelectorAll(".z-scroll"))
  if (one.scrollWidth > one.clientWidth + 1)
    found.push(`scrolls: ${one.scrollWidth} in ${one.clientWidth} ${one.innerText.slice(0, 60)}`);
return found;
"""
