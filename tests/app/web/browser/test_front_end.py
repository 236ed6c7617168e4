"""The front end that the server serves beside its own pages."""

from tests.app.web.browser.chromium import LOOKS
from tests.app.web.browser.conftest import Visit
from tests.app.web.browser.journeys import room_opened


def test_it_opens_from_every_page_and_has_rooms(visit: Visit) -> None:
    screen = visit(LOOKS[0])
    screen.open("/")
    code = room_opened(screen)
    assert screen.driver.current_url.endswith(f"/pocket/#/friends/{code}")
