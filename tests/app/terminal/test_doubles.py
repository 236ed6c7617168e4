"""劈, 反劈 and 认输 on the terminal: what is shown and typed."""

from __future__ import annotations

import io

from rich.console import Console

from zhaifei.app.locale import choose, say_action
from zhaifei.app.terminal.person import Person
from zhaifei.app.terminal.screen import Screen
from zhaifei.game.bids import action_of, gives_up_action
from zhaifei.game.notation import format_action, parse_action, parse_actions, parse_history
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.game.views import view_of

RULES = Rules.of(doubled=(2, 4))
HANDS = ((1, 1, 3, 4, 6), (2, 2, 5, 6, 6))
ME = 0


def screen() -> tuple[Screen, io.StringIO]:
    file = io.StringIO()
    return Screen(Console(file=file, width=100), ["", "honest"], you=ME), file


def shown_round(said: str) -> str:
    """What the screen shows of a round that seat 1 begins."""
    view, file = screen()
    round_ = Round(RULES, HANDS)
    view.begin(1, 0, [0, 0], {0: HANDS[0]})
    for action in parse_actions(RULES, said):
        before = round_.view()
        round_.take(action)
        view.act(before, action)
    settled = round_.settlement
    assert settled is not None
    view.settle(round_, [settled.cost * (seat == settled.loser) for seat in (0, 1)])
    return file.getvalue()


def test_each_call_is_shown_and_so_is_what_it_costs() -> None:
    text = shown_round("f6x6 劈 反劈 c")
    assert "you: 飞6×6\nseat 2 (honest): 劈\nyou: 反劈\nseat 2 (honest): shows the dice" in text
    assert "飞6×6 is false: 6 claimed, 5 on the table" in text
    assert "4 penalty points for you" in text


def test_who_gives_up_is_shown() -> None:
    text = shown_round("f6x6 劈 反劈 认输")
    assert "seat 2 (honest): gives up (认输)" in text
    assert "seat 2 (honest) gave up" in text
    assert "one penalty point for seat 2 (honest)" in text


def turn(history: str) -> str:
    view, file = screen()
    view.begin(1, 0, [0, 0], {0: HANDS[0]})
    said = parse_history(RULES, history)
    view.turn(view_of(RULES, ME, HANDS[0], len(said) % 2, said))
    return file.getvalue()


def test_a_turn_tells_what_may_be_typed_and_for_how_many_points() -> None:
    assert "type 劈 to play for 2 points" in turn("f4x6")
    assert "give up" not in turn("f4x6")
    after = turn("f4x6 劈")
    assert "type 反劈 to play for 4 points" in after
    assert "type c to show the dice for 2 points" in after
    assert "type 认输 or give up to lose 1 at once" in after
    assert "to challenge" not in after
    last = turn("f4x6 劈 反劈")
    assert "to play for" not in last
    assert "type c to show the dice for 4 points" in last


def test_a_person_types_doubles_and_gives_up() -> None:
    lines = iter(["认输", "反劈", "劈"])
    view, file = screen()
    view.begin(1, 1, [0, 0], {0: HANDS[0]})
    person = Person(view, lambda _: next(lines))
    said = parse_history(RULES, "f4x6")
    action = person.decide(view_of(RULES, ME, HANDS[0], 1, said))
    assert action == parse_action(RULES, "劈", said[-1])
    assert "a player gives up only after 劈" in file.getvalue()
    answer = Person(view, lambda _: "认输")
    doubled = parse_history(RULES, "f4x6 劈")
    assert answer.decide(view_of(RULES, ME, HANDS[0], 0, doubled)) == gives_up_action(RULES)


def test_actions_are_said_in_chinese_and_read_again() -> None:
    last = parse_history(RULES, "f4x6 劈")[-1]
    choose("zh")
    try:
        said = [
            say_action(format_action(RULES, action))
            for action in (action_of(RULES, last), gives_up_action(RULES))
        ]
    finally:
        choose("en")
    assert said == ["劈", "认输"]
    assert parse_action(RULES, said[1]) == gives_up_action(RULES)
