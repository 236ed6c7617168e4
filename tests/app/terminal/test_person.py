"""A person at the table: what can be typed, and what is answered."""

import io
import sys
from collections.abc import Callable

import pytest
from rich.console import Console

from zhaifei.app.terminal.person import Person, folded, read_line
from zhaifei.app.terminal.screen import Screen
from zhaifei.game.bids import Bid, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.notation import parse_action, parse_history
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import preset
from zhaifei.game.texts import LONGEST
from zhaifei.game.views import View, view_of
from zhaifei.policies.advice.advice import ActionAdvice, Advice, Source
from zhaifei.policies.advice.hints import Hint
from zhaifei.policies.play.playing import take_turn
from zhaifei.policies.play.table import Leaves

RULES = preset("zhaifei", players=3, dice=2, jump_challenge=True)
HISTORY = parse_history(RULES, "f4x2 f4x3")
VIEW = view_of(RULES, 2, (1, 4), starter=0, history=HISTORY)


class Adviser:
    """Advises to challenge, or says why it does not."""

    def __init__(self, fault: ZhaifeiError | None = None) -> None:
        self.fault, self.asked = fault, 0

    def hint(self, view: View) -> Hint:
        return Hint(self._advise(view.dice, view.bids))

    def _advise(self, hand: Hand, history: tuple[Bid, ...]) -> Advice:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        actions = (
            ActionAdvice("飞5×6", 0.25, -0.5, 0.0),
            ActionAdvice("challenge", 0.75, 0.5, 0.0),
        )
        true = tuple(zip(reversed(history), (0.125, 0.5), strict=False))
        return Advice(hand, history, actions, true, Source.POLICY)


class Game:
    """A person who types these lines."""

    def __init__(self, *lines: str, adviser: Adviser | None = None) -> None:
        self.file, self.prompts = io.StringIO(), list[str]()
        self._lines = iter(lines)
        screen = Screen(Console(file=self.file, width=100), ["one", "two", "three"], you=2)
        self.person = Person(screen, self._ask, None if adviser is None else adviser.hint)

    def _ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return next(self._lines)

    @property
    def shown(self) -> str:
        return self.file.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "飞5x4",
        "f5x4",
        "fei 5 4",
        "z3x4",
        "54",
        "5 4",
        "五个四",
        "3个4斋",
        "5个1",
        "飞五x4",
        "c",
        "challenge",
        "开",
        "检验",
        "不信",
        "c2",
        "跳开2",
        "跳开二",
        "challenge 2",
    ],
)
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
    assert "飞7×4 is not a bid in these rules" in game.shown
    assert "劈 is no call in these rules" in game.shown
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
    assert "飞5×1 is not a bid in these rules" in game.shown
    assert len(game.prompts) == 4
    assert game.shown.count("your dice") == 1, "the situation is shown once"


def test_an_illegal_action_is_explained_without_showing_everything_again() -> None:
    adviser = Adviser()
    game = Game("4 2", "c3", "c", "f5x4", adviser=adviser)
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert game.shown.endswith(
        "no mode given: read as 飞4×2\n"
        "飞4×2 is not stronger than 飞4×3: 飞 takes 5 or more, or 4 of a higher face\n"
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
    assert "+0.500  ±0.000" in game.shown


def test_an_adviser_that_cannot_advise_says_so_once() -> None:
    adviser = Adviser(ZhaifeiError("advice is for {players} players", players=2))
    game = Game("c", "c", adviser=adviser)
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert game.person.decide(VIEW) == challenge_action(RULES)
    assert game.shown.count("no hints: advice is for 2 players") == 1
    assert adviser.asked == 1


# where dice are lost


PROMPT = "your turn (? for help, q to leave) > "
OUT_OF_TURN = "challenge, or n to let it stand (? for help, q to leave) > "


def facing(*bids: str, hands: tuple[str, ...], rules: str = "knockout") -> Round:
    """A round that seat 1 began and in which these bids were made; nobody challenged one before the
    last. The person sits in seat 3."""
    variant = preset(rules, players=3, dice=2)
    state = Round(variant, [tuple(map(int, hand)) for hand in hands], 0)
    for bid in bids:
        while state.is_asked:
            state.decline()
        state.bid(parse_history(variant, bid)[0])
    return state


def test_between_two_one_question_asks_to_challenge_or_to_raise() -> None:
    state, game = facing("f1x2", hands=("22", "", "33")), Game("f2x2")
    assert take_turn(state, game.person) == DECLINE
    take_turn(state, game.person)
    assert (state.last, state.turn) == (Bid(RULES.bidding.modes[0], 2, 2), 0)
    assert game.prompts == [PROMPT]
    state, game = facing("f1x2", hands=("22", "", "33")), Game("c")
    take_turn(state, game.person)
    assert state.settlement is not None
    assert state.settlement.loser == 2
    assert game.prompts == [PROMPT]


def test_between_two_an_illegal_raise_is_explained_and_asked_again() -> None:
    """Though invalid bids forfeit in knockout: 飞1×2 would challenge, and cost a die."""
    state, game = facing("f1x3", hands=("22", "", "33")), Game("f1x2", "f5x3", "n", "f2x3")
    take_turn(state, game.person)
    take_turn(state, game.person)
    assert state.settlement is None
    assert str(state.last) == "飞2×3"
    assert "飞1×2 may not follow 飞1×3" in game.shown
    assert "飞5×3 is too high: there are only 4 dice on the table" in game.shown
    assert "'n' is neither a bid" in game.shown
    assert game.prompts == [PROMPT] * 4


def test_between_two_a_person_without_a_raise_challenges_unasked() -> None:
    state, game = facing("f4x6", hands=("22", "", "33")), Game()
    take_turn(state, game.person)
    assert state.settlement is not None
    assert (state.settlement.loser, game.prompts, game.shown) == (0, [], "")


@pytest.mark.parametrize("word", ["n", "N", "no", "过", "不开"])
def test_out_of_turn_a_person_lets_a_bid_stand(word: str) -> None:
    state, game = facing("f1x2", hands=("22", "44", "33")), Game(word)
    state.decline()
    assert take_turn(state, game.person) == DECLINE
    assert (state.settlement, state.is_asked) == (None, False)
    assert game.prompts == [OUT_OF_TURN]
    assert "type c to challenge 飞1×2 by seat 1 (one)" in game.shown


def test_out_of_turn_a_person_challenges_but_does_not_bid() -> None:
    state, game = facing("f3x2", hands=("22", "44", "33")), Game("f4x2", "c2", "c")
    state.decline()
    take_turn(state, game.person)
    assert "飞4×2 comes too early: others are asked first" in game.shown
    assert "only the last bid may be challenged" in game.shown
    assert state.settlement is not None
    assert (state.settlement.loser, state.settlement.winner) == (0, 2), "there are only two twos"


def test_who_has_declined_and_is_next_must_bid() -> None:
    state, game = facing("f1x2", "f1x3", hands=("22", "44", "33")), Game("n", "c", "f2x3")
    assert take_turn(state, game.person) == DECLINE
    state.decline()
    take_turn(state, game.person)
    assert "everybody has declined to challenge: the next player must bid" in game.shown
    assert game.shown.count("type c to challenge") == 1, "only while the person may"
    assert str(state.last) == "飞2×3"
    assert game.prompts == [OUT_OF_TURN, PROMPT, PROMPT]


def test_a_person_in_turn_is_asked_where_nobody_challenges_out_of_turn() -> None:
    state = facing("f1x2", "f1x3", hands=("22", "44", "33"), rules="classic")
    game = Game("f1x2", "f1x4")
    take_turn(state, game.person)
    assert "飞1×2 is not stronger than 飞1×3" in game.shown
    assert str(state.last) == "飞1×4"
    assert game.prompts == [PROMPT] * 2


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
    assert "is too long: it has 10,001 characters, and the limit is 10,000" in game.shown
    assert len(game.shown) < 3000


def test_what_is_too_long_is_not_folded() -> None:
    """Folding takes time quadratic in the number of combining characters."""
    assert folded("ｆ４ｘ６ ") == "f4x6"
    long = "a" + "\u0301\u0323" * LONGEST
    assert folded(long) is long


def test_a_bid_typed_after_ones_is_the_one_that_is_legal_there() -> None:
    rules = preset("zhaifei", players=3, dice=2, house=["ones-end-fei"])
    view = view_of(rules, 2, (1, 4), starter=0, history=parse_history(rules, "f4x2 z3x1"))
    game = Game("f6x6", "z3x4")
    assert game.person.decide(view) == parse_action(rules, "z3x4")
    assert "only 斋 bids may follow" in game.shown
