"""A person at the table: what can be typed, and what is answered."""

import io
import sys
from collections.abc import Callable

import pytest
from rich.console import Console

from app.terminal.person import Person, folded, read_line
from app.terminal.screen import Screen
from game.bids import Bid, challenge_action
from game.errors import ZhaifeiError
from game.hands import Hand
from game.notation import parse_action, parse_history
from game.rounds import view_of
from game.rules import preset
from game.texts import LONGEST
from policies.measure.advice import ActionAdvice, Advice
from policies.play.table import Leaves

RULES = preset("zhaifei", players=3, dice=2, jump_challenge=True)
HISTORY = parse_history(RULES, "f4x2 f4x3")
VIEW = view_of(RULES, 2, (1, 4), starter=0, history=HISTORY)


class Adviser:
    """Advises to challenge, or says why it does not."""

    def __init__(self, fault: ZhaifeiError | None = None) -> None:
        self.fault, self.asked = fault, 0

    def advise(self, hand: Hand, history: tuple[Bid, ...]) -> Advice:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        actions = (
            ActionAdvice("飞5×6", 0.25, -0.5, 0.0),
            ActionAdvice("challenge", 0.75, 0.5, 0.0),
        )
        return Advice(
            hand, history, earlier_unknown=False, p_true=0.125, earlier_true=(0.5,),
            actions=actions, on_path=True, own_on_path=True,
        )  # fmt: skip


class Game:
    """A person who types these lines."""

    def __init__(self, *lines: str, adviser: Adviser | None = None) -> None:
        self.file, self.prompts = io.StringIO(), list[str]()
        self._lines = iter(lines)
        screen = Screen(Console(file=self.file, width=100), ["one", "two", "three"], you=2)
        self.person = Person(screen, self._ask, adviser)  # type: ignore[arg-type]

    def _ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return next(self._lines)

    @property
    def shown(self) -> str:
        return self.file.getvalue()


@pytest.mark.parametrize(
    "text",
    ["飞5x4", "f5x4", "fei 5 4", "z3x4", "54", "5 4", "五个四", "3个4斋", "5个1", "飞五x4", "c",
     "challenge", "开", "检验", "不信", "c2", "跳开2", "跳开二", "challenge 2"],
)  # fmt: skip
def test_whatever_the_notation_reads_can_be_typed(text: str) -> None:
    assert Game(text).person.decide(VIEW) == parse_action(RULES, text)


@pytest.mark.parametrize(
    ("text", "bid"), [("54", "飞5×4"), ("５个四", "飞5×4"), ("6 4", "飞6×4"), ("5个1", "斋5×1")]
)
def test_what_was_read_without_a_mode_is_said(text: str, bid: str) -> None:
    game = Game(text)
    assert game.person.decide(VIEW) == parse_action(RULES, bid)
    assert game.shown.endswith(f"no mode given: read as {bid}\n")


@pytest.mark.parametrize("text", ["飞54", "5个4飞", "斋五个一", "c", "不信", "c2"])
def test_what_says_all_is_not_said_again(text: str) -> None:
    game = Game(text)
    game.person.decide(VIEW)
    assert "read as" not in game.shown


def test_what_the_rules_refuse_is_named_as_it_was_read() -> None:
    game = Game("七个四", "劈", "45", "c")
    game.person.decide(VIEW)
    assert "飞7×4 is out of the domain" in game.shown
    assert "'劈' is neither a bid" in game.shown
    assert game.shown.endswith("no mode given: read as 飞4×5\n")


def test_the_screen_shows_what_there_is_to_go_by_before_it_asks() -> None:
    game = Game("c")
    game.person.decide(VIEW)
    assert "your dice: 1 4" in game.shown
    assert "type c to challenge 飞4×3 by seat 2 (two)" in game.shown
    assert "type c2 to challenge 飞4×2 by seat 1 (one)" in game.shown
    assert game.prompts == ["your turn (? for help, q to leave) > "]


@pytest.mark.parametrize("word", ["?", "help", "帮助"])
def test_help_says_the_rules_and_asks_again(word: str) -> None:
    game = Game(word, "f5x4")
    assert game.person.decide(VIEW) == parse_action(RULES, "f5x4")
    assert "a count of at least 4" in game.shown
    assert len(game.prompts) == 2


def test_what_cannot_be_read_is_explained_and_asked_again() -> None:
    game = Game("hello", "f5x1", "", "c")
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert "'hello' is neither a bid" in game.shown
    assert "飞5×1 is out of the domain" in game.shown
    assert len(game.prompts) == 4
    assert game.shown.count("your dice") == 1, "the situation is shown once"


def test_an_illegal_action_is_explained_without_showing_everything_again() -> None:
    adviser = Adviser()
    game = Game("4 2", "c3", "c", "f5x4", adviser=adviser)
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert game.shown.endswith(
        "no mode given: read as 飞4×2\n"
        "飞4×2 is not stronger than 飞4×3: strength (4, 2) against (4, 3)\n"
        "the bid made 3 bids ago may not be challenged now, only 1 to 2 bids ago\n"
    )
    assert game.shown.count("your dice") == 1
    assert adviser.asked == 1
    # The next turn may look the same, and is shown all the same.
    game.person.decide(VIEW)
    assert game.shown.count("your dice") == 2
    assert adviser.asked == 2


def test_hints_show_probabilities_and_values() -> None:
    game = Game("c", adviser=Adviser())
    game.person.decide(VIEW)
    assert "飞4×3 is true with probability 12.5%" in game.shown
    assert "飞4×2 is true with probability 50.0%" in game.shown
    assert "飞5×6" in game.shown
    assert "75.0%" in game.shown
    assert "+0.500 ±0.000" in game.shown


def test_an_adviser_that_cannot_advise_says_so_once() -> None:
    adviser = Adviser(ZhaifeiError("advice is for {players} players", players=2))
    game = Game("c", "c", adviser=adviser)
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert game.shown.count("no hints: advice is for 2 players") == 1
    assert adviser.asked == 1


# typing


TypeIn = Callable[[str], None]


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> TypeIn:
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_lines_are_read_and_repeated_where_nobody_sees_what_is_typed(
    type_in: TypeIn, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in("  f5x4 \nc\n")
    assert read_line("first > ") == "f5x4"
    assert read_line("second > ") == "c"
    assert capsys.readouterr().out == "first >   f5x4 \nsecond > c\n"


def test_full_width_signs_are_plain_ones(type_in: TypeIn) -> None:
    type_in("飞５ｘ４\n？\n")
    assert read_line("") == "飞5x4"
    assert read_line("") == "?"


@pytest.mark.parametrize("text", ["q\n", "Q\n", " quit \n", "ｑ\n", "退出", ""])
def test_leaving_is_said_or_is_the_end_of_input(type_in: TypeIn, text: str) -> None:
    type_in(text)
    with pytest.raises(Leaves):
        read_line("> ")


def test_the_prompt_ends_its_line_where_input_ends(
    type_in: TypeIn, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in("")
    with pytest.raises(Leaves):
        read_line("> ")
    assert capsys.readouterr().out == "> \n"


def test_what_is_too_long_is_said_so_and_asked_again() -> None:
    game = Game("4" * (LONGEST + 1), "c")
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert "is too long: it has 10,001 characters, and at most 10,000 are read" in game.shown
    assert len(game.shown) < 3000


def test_what_is_too_long_is_not_folded() -> None:
    """Folding takes time quadratic in the number of combining characters."""
    assert folded("ｆ４ｘ６ ") == "f4x6"
    long = "a" + "\u0301\u0323" * LONGEST
    assert folded(long) is long
