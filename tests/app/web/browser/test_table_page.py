"""At a table with real dice, in a real browser: one tap for each bid."""

from __future__ import annotations

import pytest

from tests.app.web.browser.chromium import LOOKS, Look, Screen
from tests.app.web.browser.conftest import Visit
from game.bids import Bid, action_of
from game.rules import Mode, preset

RULES = preset("zhaifei", players=3)
DICE = (1, 1, 3, 4, 6)


def sit_down(screen: Screen) -> None:
    screen.open("/table")
    tap(screen, "players 3")
    screen.until(lambda: pressed(screen, "players 3"))


def tap(screen: Screen, name: str) -> None:
    screen.tap_at(f'[data-tap="{name}"]')


def pressed(screen: Screen, name: str) -> bool:
    (found,) = screen.shown(f'[data-tap="{name}"]')
    return found.get_attribute("aria-pressed") == "true"


def bid(screen: Screen, mode: Mode, count: int, face: int) -> None:
    """One tap makes a bid: it is in the list of bids."""
    one = Bid(mode, count, face)
    tap(screen, f"bid {action_of(RULES, one)}")
    screen.until(lambda: any(str(one) in row.text for row in screen.shown(".z-bid-list li")))


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_a_round_at_the_table(visit: Visit, look: Look) -> None:
    screen = visit(look)
    sit_down(screen)
    screen.look_at("table-setup")
    tap(screen, "sit")
    for face in DICE:
        before = len(held(screen))
        tap(screen, f"die 0 {face}")
        screen.until(lambda before=before: len(held(screen)) == before + 1)
    advised(screen)
    screen.look_at("table-advice")
    tap(screen, "tell 1")
    bid(screen, Mode.FEI, 5, 4)
    bid(screen, Mode.FEI, 6, 3)
    bid(screen, Mode.FEI, 7, 3)
    advised(screen)
    screen.look_at("table-bids")
    tap(screen, "challenge 1")
    screen.until(lambda: screen.shown('[data-tap="lost 2"]'))
    screen.look_at("table-end")
    tap(screen, "lost 2")
    screen.until(lambda: screen.say("none yet") in screen.words)
    tap(screen, "keep")
    screen.until(lambda: pressed(screen, "keep"))
    screen.tap_said("Records")
    screen.sees("penalty points")


def held(screen: Screen) -> list[object]:
    return [*screen.shown('[data-tap^="drop 0 "]')]


def advised(screen: Screen) -> None:
    """Wait until it is said what to do."""
    screen.until(lambda: screen.shown(".z-advised"))
