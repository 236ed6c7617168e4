"""Pages that are open while the server ends and is started again."""

from __future__ import annotations

import signal
from pathlib import Path

from selenium import webdriver

from tests.app.web.browser.chromium import LOOKS, Screen
from tests.app.web.browser.test_below_a_path import opens_a_room
from tests.app.web.browsing import Served
from tests.command_line import Solved

ANEW = (
    "the server was started again: scores and finished rounds are kept, and the dice of this round "
    "were rolled anew"
)
LOST = "the server was started again: open its address with the token"


def restarted(first: Served, *more: object) -> Served:
    """End a server, and start another at the same port."""
    first.send(signal.SIGKILL)
    return Served("--port", first.address.rpartition(":")[2], *more, data=first.data)


def test_pages_connect_again_by_themselves_or_say_what_to_do(
    driver: webdriver.Chrome, one_die: Solved, tmp_path: Path
) -> None:
    with Served("--policy", one_die.policy, data=tmp_path / "data") as first:
        screen = Screen(driver, first, LOOKS[1], tmp_path)
        screen.open("/")
        screen.tap_said("start")
        screen.until(lambda: screen.say("round {number}", number=1) in screen.words)
        with restarted(first, "--policy", one_die.policy) as second:
            screen.served = second
            screen.sees(ANEW)
            screen.tap_said("Explorer")
            screen.connected()
            for file in (tmp_path / "data").rglob("visitors/*"):
                file.unlink()
            # As on a phone, whose visitors need the token.
            with restarted(second, "--host", "0.0.0.0") as third:
                screen.served = third
                screen.sees(LOST)
    driver.get("about:blank")
    for kind in ("browser", "performance"):  # it asked a server that was not there
        driver.get_log(kind)


def test_an_open_room_goes_on(driver: webdriver.Chrome, one_die: Solved, tmp_path: Path) -> None:
    asked = ("--policy", one_die.policy)
    with Served(*asked, data=tmp_path / "data") as first:
        screen = Screen(driver, first, LOOKS[0], tmp_path)
        screen.open("/")
        opens_a_room(screen, first.address, token=None)
        with restarted(first, *asked) as second:
            screen.served = second
            screen.tap_said("Start")
            screen.until(lambda: screen.shown("main.play"))
            driver.get("about:blank")
    for kind in ("browser", "performance"):  # it asked a server that was not there
        driver.get_log(kind)
