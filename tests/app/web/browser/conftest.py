"""A server and a browser that the tests of a process share; each test is a visitor of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.app.web.browser.chromium import PICTURES, Look, Screen, chromium, programs
from tests.app.web.browsing import Served

Visit = Callable[[Look], Screen]


@pytest.fixture(scope="session")
def driver() -> Iterator[webdriver.Chrome]:
    with chromium(programs()) as found:
        yield found


@pytest.fixture(scope="session")
def shipped(driver: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the policies that come with the package; there is none without a browser."""
    with Served(data=tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture
def visit(
    driver: webdriver.Chrome,
    shipped: Served,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Visit]:
    """Opens pages as a new visitor; in the end all that the browser asked for is checked."""
    screens: list[Screen] = []
    pictures = Path(os.environ.get(PICTURES) or tmp_path_factory.getbasetemp() / "screenshots")

    def visit(look: Look) -> Screen:
        screens.append(Screen(driver, shipped, look, pictures))
        return screens[-1]

    failed = request.session.testsfailed
    yield visit
    if request.session.testsfailed > failed:
        screens[-1].picture(f"failed-{request.node.originalname}")
    screens[-1].look_at_traffic()
    driver.get("about:blank")
    faults = [fault for screen in screens for fault in screen.faults]
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)
