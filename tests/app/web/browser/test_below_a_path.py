"""Pages that a proxy shows below a path of its host."""

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.app.web.browser.chromium import LOOKS, Screen
from tests.app.web.browser.journeys import room_opened
from tests.app.web.browsing import Served
from tests.app.web.reverse_proxy import ReverseProxy, proxying
from tests.command_line import Solved

PATH, TOKEN = "/zhaifei", "a-token-that-nobody-guesses"
KEPT = "return caches.keys().then(names => names.some(one => one.startsWith('zhaifei-')))"
RULED = "return navigator.serviceWorker.controller !== null"


@pytest.mark.parametrize("strips", [True, False], ids=["removed", "left"])
def test_all_pages_work_below_a_path(
    driver: webdriver.Chrome, one_die: Solved, tmp_path: Path, strips: bool
) -> None:
    with proxying() as proxy:
        url = f"http://localhost:{proxy.port}{PATH}"
        asked = ("--public-url", url, "--token", TOKEN, "--policy", one_die.policy)
        with Served(*asked, data=tmp_path) as served:
            proxy.does = ReverseProxy(served.behind_proxy, PATH, strips, "http")
            screen = Screen(driver, served, LOOKS[0], tmp_path)
            screen.open(f"/?token={TOKEN}")
            assert driver.current_url == f"{url}/"
            for name in ("At the table", "Explorer", "Records", "Play"):
                screen.tap_said(name)
                screen.until(lambda name=name: screen.say(name) in driver.title)  # type: ignore[misc]
                screen.connected()
                assert driver.current_url.startswith(f"{url}/")
            opens_a_room(screen, url)
            screen.until(lambda: driver.execute_script(RULED) and driver.execute_script(KEPT))
            enters_again(screen, url)
            screen.look_at_traffic()
            assert screen.faults == []
            driver.get("about:blank")


def opens_a_room(screen: Screen, url: str, token: str | None = TOKEN) -> None:
    code = room_opened(screen)
    (link,) = screen.until(lambda: screen.shown(".room-link"))
    screen.until(lambda: screen.shown(".qr"))
    entry = "" if token is None else f"?token={token}"
    assert link.text == f"{url}/pocket/{entry}#/friends/{code}"


def enters_again(screen: Screen, url: str) -> None:
    """A page that is kept in the browser lets nobody in; an address with the token does."""
    driver = screen.driver
    room = driver.find_element(By.CSS_SELECTOR, ".room-link").text
    driver.get("about:blank")
    driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    driver.get(room)
    screen.until(lambda: screen.shown(".qr"))
    assert driver.current_url == room.replace(f"?token={TOKEN}", "")
