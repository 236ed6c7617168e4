"""The explorer in a real browser."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.by import By

from tests.app.web.browser.chromium import LOOKS, PLAYED, Look
from tests.app.web.browser.conftest import Visit
from tests.app.web.browser.journeys import CELLS, explored
from zhaifei.app.locale.__init__ import say_action
from zhaifei.app.said import say_figure
from zhaifei.game.rules import preset
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.players.reading_policy import as_played

HANDS = 252


@pytest.mark.parametrize("look", PLAYED, ids=str)
def test_walk_from_the_opening(visit: Visit, look: Look) -> None:
    screen = visit(look)
    screen.open("/explorer")
    explored(screen)
    assert len(screen.driver.find_elements(By.CSS_SELECTOR, CELLS)) == HANDS
    screen.look_at("explorer-start")
    screen.tap_at('[data-tap="hold 1"]')
    screen.tap_at('[data-tap^="paint "]')
    screen.until(lambda: screen.shown('[data-tap="lock 100"]'))
    screen.until(lambda: screen.shown('[data-tap="drop 1"]'))
    screen.tap_at('[data-tap="lock 100"]')
    locks = screen.driver.find_element(By.CSS_SELECTOR, ".z-locks textarea")
    screen.until(lambda: locks.get_attribute("value"))
    screen.look_at("explorer-locked")
    first = screen.shown(".z-table tbody a")[0]
    bid, address = first.text, first.get_attribute("href")
    screen.tap_at(".z-table tbody a")
    screen.until(lambda: screen.driver.current_url == address)
    screen.connected()
    explored(screen)
    assert bid in screen.shown(".z-path")[0].text
    screen.look_at("explorer-reply")
    other = visit(look)
    other.open(address.removeprefix(other.served.address))
    explored(other)
    assert bid in other.shown(".z-path")[0].text


def test_an_address_that_is_no_position_says_so(visit: Visit) -> None:
    screen = visit(LOOKS[1])
    screen.open("/explorer?history=f99x9")
    screen.until(lambda: screen.shown("[role=alert]"))
    screen.tap_said("to the start")
    explored(screen)


def test_a_link_to_a_double_opens_it(visit: Visit) -> None:
    screen = visit(LOOKS[1])
    screen.open("/explorer?rules=southern&history=f3x6,劈")
    explored(screen)
    assert screen.shown(".z-path")[0].text.split()[-2:] == ["飞3×6", "劈"]
    assert [one.text for one in screen.shown(".z-table tbody a")] == ["反劈"]
    screen.look_at("explorer-doubled")


def test_a_whole_hand_of_several_players_is_told_what_query_tells(visit: Visit) -> None:
    policy, _ = load_known(None, preset("zhaifei", players=5))
    best = Adviser(as_played(policy)).advise((3, 4, 5, 6, 6), ()).ranked[0]
    screen = visit(LOOKS[0])
    screen.open("/explorer?players=5&hand=34566")
    explored(screen)
    said = say_action(best.action), " ".join(say_figure(best.value, best.value_error))
    screen.until(lambda: all(one in screen.shown(".z-table tbody tr")[0].text for one in said))
    assert f"{best.probability:.1%}" in screen.shown(".z-table tbody tr")[0].text
    screen.look_at("explorer-hand")
