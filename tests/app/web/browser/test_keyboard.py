"""Pages without a mouse: few presses of Tab, arrows within grids, and a ring around the focus."""

from __future__ import annotations

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.app.web.browser.chromium import LOOKS, Screen, name_of
from tests.app.web.browser.conftest import Visit
from tests.app.web.browser.journeys import begin, open_round, sit_down, tap_dice

_RING = """
const style = getComputedStyle(document.activeElement);
if (document.activeElement === document.body) return true;
return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
"""


def press(screen: Screen, key: str) -> str:
    """Press a key, and return what is in focus then; it has a ring."""
    screen.driver.switch_to.active_element.send_keys(key)
    focused = screen.driver.switch_to.active_element
    assert screen.driver.execute_script(_RING), focused.get_attribute("outerHTML")
    return name_of(focused)


def focus(screen: Screen, css: str) -> None:
    """Come to an element by Tab."""
    for _ in range(40):
        if screen.driver.execute_script("return document.activeElement.matches(arguments[0])", css):
            return
        press(screen, Keys.TAB)
    raise AssertionError(css)


def test_a_bid_takes_few_keys(visit: Visit) -> None:
    screen = visit(LOOKS[2])
    begin(screen)
    open_round(screen)
    focus(screen, ".z-modes button")
    assert press(screen, Keys.ARROW_RIGHT) == "斋"
    screen.driver.switch_to.active_element.send_keys(Keys.SPACE)
    screen.until(lambda: screen.find("斋").get_attribute("aria-pressed") == "true")  # type: ignore[union-attr]
    count = press(screen, Keys.TAB)
    assert count.startswith("count ")
    assert press(screen, Keys.ARROW_RIGHT) == f"count {int(count.split()[1]) + 1}"
    assert press(screen, Keys.ARROW_LEFT) == count
    below = press(screen, Keys.ARROW_DOWN)
    assert press(screen, Keys.ARROW_UP) == count != below
    assert press(screen, Keys.TAB).startswith("face ")
    press(screen, Keys.ARROW_RIGHT)
    screen.driver.switch_to.active_element.send_keys(Keys.ENTER)
    screen.until(lambda: name_of(screen.shown("button.z-make")[0]).startswith("bid 斋"))
    assert press(screen, Keys.TAB).startswith("bid 斋")


def test_the_grid_at_the_table_is_one_stop(visit: Visit) -> None:
    screen = visit(LOOKS[0])
    sit_down(screen)
    tap_dice(screen)
    focus(screen, ".z-bid-grid button")
    grid = screen.driver.find_element(By.CSS_SELECTOR, ".z-bid-grid")
    inside = "return arguments[0].contains(document.activeElement)"
    seen = {press(screen, key) for key in (Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)}
    assert len(seen) == 3
    assert screen.driver.execute_script(inside, grid)
    press(screen, Keys.TAB)
    assert not screen.driver.execute_script(inside, grid)


def test_dice_of_others_stay_open_while_they_are_added(visit: Visit) -> None:
    screen = visit(LOOKS[0])
    sit_down(screen)
    tap_dice(screen)
    screen.tap_at('[data-tap^="bid "]')
    screen.tap_at('[data-tap="challenge 1"]')
    screen.tap_at("details summary")
    for number in range(1, 4):
        screen.tap_at('[data-tap^="die 1 "]')
        screen.until(lambda number=number: len(screen.shown('[data-tap^="drop 1 "]')) == number)
    screen.tap_at('[data-tap^="lost "]')
    screen.until(lambda: screen.shown('[data-tap="next"]'))
    assert screen.shown('[data-tap^="die 1 "]'), "the dice can still be added"
