"""The front end that the server serves beside its own pages."""

from selenium.webdriver.common.by import By

from tests.app.web.browser.chromium import LOOKS
from tests.app.web.browser.conftest import Visit


def test_it_opens_from_every_page_and_has_rooms(visit: Visit) -> None:
    screen = visit(LOOKS[0])
    screen.open("/")
    screen.tap_said("New page")
    screen.tap_at("a[href='#/friends']")
    screen.until(lambda: screen.shown("button[type=submit]"))
    screen.driver.find_element(By.CSS_SELECTOR, "input").send_keys("Ann")
    screen.tap_at("button[type=submit]")
    (code,) = screen.until(lambda: screen.shown(".room-code b"))
    assert screen.driver.current_url.endswith(f"/pocket/#/friends/{code.text}")
