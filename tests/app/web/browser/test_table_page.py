"""At a table with real dice, in a real browser: one tap for each bid."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.action_chains import ActionChains

from tests.app.web.browser.chromium import LOOKS, PLAYED, Look
from tests.app.web.browser.conftest import Visit
from tests.app.web.browser.journeys import (
    THREE,
    advised,
    pressed,
    sit_down,
    table_bid,
    tap,
    tap_dice,
)
from zhaifei.game.bids import Bid, action_of
from zhaifei.game.parts import Mode


@pytest.mark.parametrize("look", PLAYED, ids=str)
def test_a_round_at_the_table(visit: Visit, look: Look) -> None:
    screen = visit(look)
    sit_down(screen)
    screen.look_at("table-setup")
    tap_dice(screen)
    screen.look_at("table-advice")
    tap(screen, "tell 1")
    table_bid(screen, Mode.FEI, 5, 4)
    table_bid(screen, Mode.FEI, 6, 3)
    table_bid(screen, Mode.FEI, 7, 3)
    advised(screen)
    screen.look_at("table-bids")
    tap(screen, "challenge 1")
    screen.until(lambda: screen.shown('[data-tap="lost 2"]'))
    screen.look_at("table-end")
    tap(screen, "lost 2")
    tap(screen, "next")
    screen.until(lambda: screen.say("none yet") in screen.words)
    tap(screen, "keep")
    screen.until(lambda: pressed(screen, "keep"))
    screen.tap_said("Records")
    screen.sees("points or dice left")


@pytest.mark.parametrize("look", PLAYED, ids=str)
def test_a_bar_is_told_in_ten_taps(visit: Visit, look: Look) -> None:
    screen = visit(look)
    screen.open("/table")
    taps = (
        *("players 2", "game own", "count first_zhai 2", "choose fei_to_zhai 1"),
        *("choose zhai_to_fei 1", "choose doubles 2", "choose giving_up 1"),
    )
    for name in taps:
        tap(screen, name)
        screen.until(lambda name=name: pressed(screen, name))
    screen.tap(screen.say("the rules in words"))
    double = "劈: instead of challenging, play for {points} points; then the bidder decides."
    screen.until(lambda: screen.say(double, points=2) in screen.words)
    screen.look_at("table-own-rules")
    tap_dice(screen)


_REDRAW = """
const box = arguments[0].closest('.z-taps');
for (const each of [...box.children]) each.replaceWith(each.cloneNode(true));
"""


def test_a_tap_counts_though_the_grid_is_redrawn_under_the_finger(visit: Visit) -> None:
    screen = visit(LOOKS[0])
    sit_down(screen)
    tap_dice(screen)
    one = Bid(Mode.FEI, 5, 4)
    (cell,) = screen.shown(f'[data-tap="bid {action_of(THREE, one)}"]')
    screen.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", cell)
    finger = ActionChains(screen.driver)
    finger.click_and_hold(cell).perform()
    screen.driver.execute_script(_REDRAW, cell)
    finger.reset_actions()
    ActionChains(screen.driver).release().perform()
    screen.until(lambda: any(str(one) in row.text for row in screen.shown(".z-bid-list li")))
    assert len(screen.shown(".z-bid-list li")) == 1
