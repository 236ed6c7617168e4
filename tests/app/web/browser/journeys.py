"""What a person does on the pages, step by step."""

from __future__ import annotations

from selenium.webdriver.common.by import By

from tests.app.web.browser.chromium import Screen, name_of
from zhaifei.game.bids import Bid, action_of
from zhaifei.game.parts import Mode
from zhaifei.game.rules import preset

THREE = preset("zhaifei", players=3)
DICE = (1, 1, 3, 4, 6)
CELLS = ".heat-map [data-tap^='hand ']"


# Play


def begin(screen: Screen) -> None:
    screen.open("/")
    screen.tap_said("start")
    screen.tap_said("at once")
    screen.until(lambda: is_turn(screen))


def is_turn(screen: Screen) -> bool:
    return screen.say("your turn") in screen.words or opens(screen)


def is_over(screen: Screen) -> bool:
    return screen.find(screen.say("next round")) is not None


def challenges(screen: Screen) -> list[str]:
    start = screen.say("challenge {bid}", bid="")
    return [
        name for one in screen.shown("button.z-act") if (name := name_of(one)).startswith(start)
    ]


def bid(screen: Screen, mode: str, count: int, face: int) -> None:
    screen.tap(mode)
    screen.tap_said("count {count}", count=count)
    screen.tap_said("face {face}", face=face)
    screen.tap_said("bid {bid}", bid=f"{mode}{count}×{face}")


def opens(screen: Screen) -> bool:
    return screen.say("you open: bid a count of at least {count}", count=3) in screen.words


def has_gone_on(screen: Screen, before: list[str]) -> bool:
    """Whether the person's turn is over, with `before` what they could challenge then."""
    return is_over(screen) or not is_turn(screen) or challenges(screen) != before


def finish(screen: Screen) -> None:
    """Play the round to its end: challenge, or open with the highest bid there is for two, so that
    whoever is asked challenges."""
    while True:
        screen.until(lambda: is_over(screen) or is_turn(screen))
        if is_over(screen):
            return
        before = challenges(screen)
        if opens(screen):
            bid(screen, "斋", 10, 6)
        else:
            screen.until(
                lambda: is_over(screen) or any(map(screen.tap_if_there, challenges(screen)[:1]))
            )
        # Who is quick has raised already, and it is the person's turn again.
        screen.until(lambda before=before: has_gone_on(screen, before))


def open_round(screen: Screen) -> None:
    """Play rounds until one begins with the person."""
    while not opens(screen):
        next_round(screen)


def next_round(screen: Screen) -> None:
    finish(screen)
    screen.tap_said("next round")
    screen.until(lambda: is_turn(screen))


def hint_shown(screen: Screen) -> None:
    """Ask for a hint, and wait until it is there."""
    screen.tap_said("hint")
    screen.until(lambda: screen.driver.find_elements(By.CSS_SELECTOR, ".z-bar > div"))


# At the table


def sit_down(screen: Screen) -> None:
    screen.open("/table")
    tap(screen, "players 3")
    screen.until(lambda: pressed(screen, "players 3"))


def tap_dice(screen: Screen) -> None:
    """Sit down, tap all own dice, and wait until it is said what to do."""
    tap(screen, "sit")
    for number, face in enumerate(DICE, 1):
        tap(screen, f"die 0 {face}")
        screen.until(lambda number=number: len(screen.shown('[data-tap^="drop 0 "]')) == number)
    advised(screen)


def tap(screen: Screen, name: str) -> None:
    screen.tap_at(f'[data-tap="{name}"]')


def pressed(screen: Screen, name: str) -> bool:
    (found,) = screen.shown(f'[data-tap="{name}"]')
    return found.get_attribute("aria-pressed") == "true"


def table_bid(screen: Screen, mode: Mode, count: int, face: int) -> None:
    """One tap makes a bid: it is in the list of bids."""
    one = Bid(mode, count, face)
    tap(screen, f"bid {action_of(THREE, one)}")
    screen.until(lambda: any(str(one) in row.text for row in screen.shown(".z-bid-list li")))


def advised(screen: Screen) -> None:
    """Wait until it is said what to do."""
    screen.until(lambda: screen.shown(".z-advised"))


def at_the_table(screen: Screen) -> None:
    """A round at the table, until it is the person's turn again."""
    sit_down(screen)
    tap_dice(screen)
    for count, face in ((5, 4), (6, 3), (7, 3)):
        table_bid(screen, Mode.FEI, count, face)
    advised(screen)


# The explorer


def explored(screen: Screen) -> None:
    """Wait until the map of all hands is there."""
    screen.until(lambda: screen.driver.find_elements(By.CSS_SELECTOR, CELLS))


def room_opened(screen: Screen) -> str:
    """Open a room for friends in the new page, and return its code."""
    screen.tap_said("New page")
    screen.tap_at("a[href='#/friends']")
    screen.until(lambda: screen.shown("button[type=submit]"))
    screen.driver.find_element(By.CSS_SELECTOR, "input").send_keys("Ann")
    screen.tap_at("button[type=submit]")
    (code,) = screen.until(lambda: screen.shown(".room-code b"))
    found: str = code.text
    return found
