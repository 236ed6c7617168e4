"""Debian's Chromium without a window, driven by selenium."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from tests.command_line import LONG

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
PATIENCE = LONG / 15
"""Seconds that a browser waits for what does not come: many times what anything there takes, with
kernels to compile."""


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
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
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
