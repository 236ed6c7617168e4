"""The page of `zhaifei web`, behind a proxy that shows it below a path, in a real browser."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.app.server.reverse_proxy import ReverseProxy, proxying
from tests.app.server.served import Served
from tests.command_line import Solved
from tests.web.chromium import PICTURES
from tests.web.test_friends import write
from tests.web.visitor import Visitor

TOKEN = "a-token-that-nobody-guesses"
LINK = "return document.querySelector('.room-link').innerText.trim()"
READY = "return navigator.serviceWorker.ready.then(() => true)"


@pytest.fixture
def proxy() -> Iterator[ReverseProxy]:
    with proxying(ReverseProxy("/zhaifei", "http")) as found:
        yield found


@pytest.fixture
def guest(browser: webdriver.Chrome, proxy: ReverseProxy, tmp_path: Path) -> Iterator[Visitor]:
    """Somebody who opens the page; in the end no script has failed, and the browser has refused
    nothing."""
    pictures = Path(os.environ.get(PICTURES) or tmp_path)
    guest = Visitor(browser, f"http://127.0.0.1:{proxy.port}/zhaifei/", pictures)
    yield guest
    away = "502 (Bad Gateway)"  # while the server is started again
    browser.get("about:blank")  # a page that still asked would leave errors to the next test
    faults = [*guest.faults, *(one for one in guest.errors() if away not in one)]
    assert faults == []


def test_the_page_works_below_a_path_and_goes_on_after_a_restart(
    one_die: Solved, proxy: ReverseProxy, guest: Visitor, tmp_path: Path
) -> None:
    asked = "--public-url", guest.address, "--token", TOKEN, "--policy", one_die.policy
    with Served(*asked, data=tmp_path) as served:
        proxy.server = served.behind_proxy
        guest.driver.get(f"{guest.address}?token={TOKEN}")
        guest.until(lambda: guest.find("h1"))
        assert TOKEN not in guest.driver.current_url
        guest.open(language="en")
        guest.sit_down(2)
        if guest.until_asked():
            guest.tap(".hint")
            guest.until(lambda: guest.find(".hint-line"))
        guest.go("friends")
        guest.until(lambda: guest.find(".field input"))
        write(guest, ".field input", "Ann")
        guest.tap("form .main")
        link = guest.until(lambda: guest.find(".qr") and guest.run(LINK))
        assert link.startswith(f"{guest.address}?token={TOKEN}#/friends/")
        assert guest.run(READY)
        served.send(signal.SIGINT)
    with Served(*asked, data=tmp_path) as served:
        proxy.server = served.behind_proxy
        guest.driver.refresh()
        guest.until(lambda: guest.find(".waiting-room"))
        served.send(signal.SIGINT)
