"""A whole match for dice in a real browser, on a phone."""

from __future__ import annotations

import pytest

from tests.app.web.browser.chromium import LOOKS, Look, Screen, name_of
from tests.app.web.browser.conftest import Visit
from tests.app.web.browser.journeys import challenges, hint_shown, is_over, is_turn


@pytest.mark.parametrize("look", LOOKS[:2], ids=str)
def test_a_knockout_match_is_played_to_its_end_and_reviewed(visit: Visit, look: Look) -> None:
    screen = visit(look)
    screen.open("/")
    screen.tap_said("knockout: lose dice")
    screen.look_at("dice-setup")
    screen.tap_said("start")
    screen.tap_said("at once")
    screen.until(lambda: decides(screen) or is_over(screen))
    if decides(screen):
        hint_shown(screen)
    screen.look_at("dice-hint")
    while not has_ended(screen):
        play_round(screen)
    screen.look_at("dice-over")
    screen.tap_said("review of the match")
    screen.connected()
    screen.sees("luck and skill")
    screen.look_at("dice-review")
    screen.tap_said("Play")
    screen.tap_said("new match")
    screen.sees("a new match")


def test_who_is_asked_out_of_turn_lets_a_bid_stand(visit: Visit) -> None:
    screen = visit(LOOKS[1])
    screen.open("/")
    screen.tap_said("knockout: lose dice")
    screen.tap("4")
    screen.tap_said("start")
    screen.tap_said("at once")
    while True:
        screen.until(lambda: decides(screen) or is_over(screen))
        if may_let_stand(screen):
            break
        play_round(screen)
    screen.look_at("dice-asked")
    before = screen.words
    screen.tap_said("let it stand")
    screen.until(lambda: screen.words != before)


def play_round(screen: Screen) -> None:
    """Play on until the round has ended, and begin the next: let bids stand, challenge, or open
    with the lowest bid that follows a tap on a face."""
    while True:
        screen.until(lambda: decides(screen) or is_over(screen) or has_ended(screen))
        if has_ended(screen):
            return
        if is_over(screen):
            number = heading(screen)
            screen.tap_said("next round")
            screen.until(lambda number=number: heading(screen) != number)
            return
        before = screen.words
        screen.until(lambda: has_acted(screen) or is_over(screen) or has_ended(screen))
        screen.until(
            lambda before=before: screen.words != before or is_over(screen) or has_ended(screen)
        )


def has_acted(screen: Screen) -> bool:
    """Whether a tap let a bid stand, challenged, or made the lowest bid. Parts of a page may still
    show that it was the person's turn."""
    answers = [screen.say("let it stand"), *challenges(screen)[:1]]
    if any(map(screen.tap_if_there, answers)):
        return True
    screen.tap_if_there(screen.say("face {face}", face=6))
    return any(map(screen.tap_if_there, bids_to_make(screen)))


def bids_to_make(screen: Screen) -> list[str]:
    """The name of the button that makes the bid that was chosen."""
    names = map(name_of, screen.shown("button.z-make"))
    return [name for name in names if name.startswith(screen.say("bid {bid}", bid=""))]


def may_let_stand(screen: Screen) -> bool:
    return screen.find(screen.say("let it stand")) is not None


def decides(screen: Screen) -> bool:
    opens = screen.say("you open: bid a count of at least {count}", count=1)
    return is_turn(screen) or opens in screen.words or may_let_stand(screen)


def has_ended(screen: Screen) -> bool:
    """Whether somebody has won the match."""
    won = screen.say("the match is won by {who}", who="\0").split("\0")
    return all(part in screen.words for part in won)


def heading(screen: Screen) -> str:
    return screen.shown("h2")[0].text
