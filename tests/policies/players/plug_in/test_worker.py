"""What a strategy file is asked, and how its answers are read: without a process."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zhaifei.game.bids import Bid
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import SeatBid, View
from zhaifei.policies.players.plug_in.worker import (
    InvalidAnswer,
    as_bid,
    as_bool,
    decide,
    describe_error,
    read_view,
    strategies_in,
    write_view,
)

FULL = preset("zhaifei")
KNOCKOUT, INCREMENT = preset("knockout", players=3), preset("increment", players=3)
FEI, ZHAI = Mode


def seen_after(*bids: Bid) -> View:
    made = tuple(SeatBid(place % 2, bid) for place, bid in enumerate(bids))
    return View(FULL, len(bids) % 2, (1, 2, 2, 3, 6), (5, 5), made, (Bid(FEI, 9, 6),), 0, False)


# questions


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=["knockout", "increment"])
@given(seed=st.integers(0, 1000), moves=st.integers(0, 8))
def test_what_is_seen_comes_through_as_json(rules: Rules, seed: int, moves: int) -> None:
    chance = random.Random(seed)
    hands = [[chance.randint(1, 6) for _ in range(chance.randint(1, 5))] for _ in range(3)]
    state = Round(rules, hands, starter=chance.randrange(3))
    for _ in range(moves):
        if state.is_asked:
            state.decline()
        elif state.legal_bids():
            state.bid(chance.choice(state.legal_bids()[:3]))
    seen = state.view()
    assert read_view(rules, json.loads(json.dumps(write_view(seen)))) == seen


# answers


@pytest.mark.parametrize("returned", [True, False, np.True_, np.False_])
def test_true_and_false_say_whether_to_challenge(returned: object) -> None:
    assert as_bool(returned) is (str(returned) == "True")


@pytest.mark.parametrize("returned", [None, 0, 1, 0.3, "no", [], np.array([True])])
def test_nothing_else_says_whether_to_challenge(returned: object) -> None:
    with pytest.raises(InvalidAnswer):
        as_bool(returned)


@pytest.mark.parametrize(
    "returned",
    [
        Bid(ZHAI, 5, 4),
        (ZHAI, 5, 4),
        [ZHAI, 5, 4],
        (1, 5, 4),
        ("斋", 5, 4),
        ("zhai", 5, 4),
        "斋5×4",
        "z5x4",
        "zhai 5 4",
        (ZHAI, np.int64(5), np.int8(4)),
    ],
    ids=repr,
)
def test_a_bid_may_be_written_in_several_ways(returned: object) -> None:
    assert as_bid(returned, seen_after()) == Bid(ZHAI, 5, 4)


def test_a_bid_without_a_mode_keeps_that_of_the_current_bid() -> None:
    assert as_bid((6, 3), seen_after(Bid(FEI, 4, 2), Bid(ZHAI, 4, 4))) == Bid(ZHAI, 6, 3)
    assert as_bid((6, 3), seen_after(Bid(FEI, 4, 2))) == Bid(FEI, 6, 3)


def test_an_opening_without_a_mode_is_in_the_first_of_the_rules() -> None:
    assert as_bid((6, 3), seen_after()) == Bid(FEI, 6, 3)
    opening = Round(INCREMENT, [[1], [2], [3]], starter=0).view()
    assert as_bid([1, 3], opening) == Bid(ZHAI, 1, 3)


def decided_after_returning(returned: object) -> dict[str, Any]:
    """What is answered for a strategy whose bid is this."""

    class Returns:
        def challenge_bid(self, seen: View) -> bool:
            return False

        def make_bid(self, seen: View) -> object:
            return returned

    return decide(Returns(), Path(__file__), seen_after(), ["make_bid"], 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "returned",
    [
        None,
        True,
        5,
        5.4,
        "",
        "5x4",
        "飞",
        "challenge",
        (),
        (5,),
        (FEI, 5, 4, 1),
        (5.0, 4),
        (2, 5, 4),
        ("wild", 5, 4),
        (None, 5, 4),
        (FEI, "5", 4),
        {5, 4},
        np.array([5, 4]),
        Bid(FEI, None, 4),
        Bid("neither", 5, 4),
        pytest.param(object(), id="object"),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_nothing_else_is_a_bid(returned: object) -> None:
    found = decided_after_returning(returned)
    assert found["call"] == "make_bid"
    assert found["returned"] == repr(returned)


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ((0, 5, 10**400), r"\(0, 5, 10+\.\.\.0+\)"),
        ((0, 5, 10**5000), "<tuple without a text>"),  # Python converts no such number to digits
        ((0, 2**31, 4), r"\(0, 2147483648, 4\)"),
        ("飞" + "9" * 4000 + "x4", "'飞9+.*x4'"),
        ((0, float("nan"), 4), r"\(0, nan, 4\)"),
        ((0, 2.0, 4), r"\(0, 2\.0, 4\)"),
    ],
    ids=lambda value: None,
)
def test_numbers_that_no_bid_has_are_not_bids(returned: object, told: str) -> None:
    with pytest.raises(InvalidAnswer):
        as_bid(returned, seen_after())

    found = decided_after_returning(returned)
    assert re.fullmatch(told, found["returned"])
    json.dumps(found)


def test_hostile_names_and_texts_are_told_in_one_line() -> None:
    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise OSError

    class Own(Exception, metaclass=Meta):
        def __str__(self) -> str:
            raise OSError

    named = type("a\nb" * 1000, (Exception,), {})
    no_text = "<Own without a text>"
    assert describe_error(Own(), Path("any")) == {"type": "Own", "text": no_text, "line": None}
    assert describe_error(named(), Path("any"))["type"] == ("a b" * 21)[:59] + "…"
    error = SyntaxError(None, ("any", "x" * 10**6, 3, ""))
    assert describe_error(error, Path("any")) == {"type": "SyntaxError", "text": "None", "line": 0}


def test_what_is_returned_is_told_in_short() -> None:
    class Returns:
        def challenge_bid(self, seen: View) -> object:
            return [self] * 1000

        def make_bid(self, seen: View) -> object:
            return "5x4" * 1000

        def __repr__(self) -> str:
            raise ValueError

    for method in ("challenge_bid", "make_bid"):
        found = decide(Returns(), Path(__file__), seen_after(), [method], 0)  # type: ignore[arg-type]
        assert found["call"] == method
        assert 20 < len(found["returned"]) <= 201


def test_methods_are_called_until_one_decides() -> None:
    class Counts:
        def __init__(self, challenges: bool) -> None:
            self.challenges, self.calls = challenges, list[str]()

        def challenge_bid(self, seen: View) -> bool:
            self.calls.append("challenge_bid")
            return self.challenges

        def make_bid(self, seen: View) -> Bid:
            self.calls.append("make_bid")
            return Bid(FEI, 9, 6)

    both, here = ["challenge_bid", "make_bid"], Path(__file__)
    bids, challenges = Counts(False), Counts(True)
    assert decide(bids, here, seen_after(), both, 0) == {"bid": [FEI, 9, 6, 0]}
    assert bids.calls == both
    assert decide(challenges, here, seen_after(), both, 0) == {"challenge": True}
    assert challenges.calls == both[:1]
    assert decide(bids, here, seen_after(), both[:1], 0) == {"challenge": False}


def test_an_error_is_told_with_its_type_its_text_and_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import json\n"
        "class Own:\n"
        "    def challenge_bid(self, seen):\n"
        "        return self.deeper()\n"
        "    def deeper(self):\n"
        "        return json.loads('{')\n"
        "    def make_bid(self):\n"
        "        pass\n"
    )
    own = strategies_in(path)[0]()
    found = decide(own, path, seen_after(), ["challenge_bid"], 0)
    raised = found["raised"]
    assert (found["call"], raised["type"], raised["line"]) == (
        "challenge_bid",
        "JSONDecodeError",
        6,
    )
    assert "line 1 column 2" in raised["text"]
    found = decide(own, path, seen_after(), ["make_bid"], 0)
    assert (found["raised"]["type"], found["raised"]["line"]) == ("TypeError", None)


def test_what_an_error_says_is_short_and_can_be_printed() -> None:
    text = describe_error(ValueError("one\ntwo\x1b[31m\ud800" + "x" * 10_000), Path("any"))["text"]
    assert text.startswith("one two?[31m?xxx")
    assert len(text) < 300
    text.encode()


# files


def classes(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "some.py"
    path.write_text(text, encoding="utf-8")
    return [one.__name__ for one in strategies_in(path)]


METHODS = "    def challenge_bid(self, seen): ...\n    def make_bid(self, seen): ...\n"


def test_strategies_are_the_classes_of_the_file_with_both_methods(tmp_path: Path) -> None:
    text = (
        "from zhaifei.policies.players.decider import TwoStepDecider\n"
        "from zhaifei.policies.players.rule_based_decider import RuleBasedDecider\n"
        "class Half:\n    def make_bid(self, seen): ...\n"
        f"class One:\n{METHODS}"
        "Alias, number = One, 1\n"
    )
    assert classes(tmp_path, text) == ["One"]
    assert classes(tmp_path, f"{text}class Two(One): ...\n") == ["One", "Two"]
    assert classes(tmp_path, "class Half:\n    def make_bid(self, seen): ...\n") == []


def test_a_file_may_use_what_lies_beside_it_and_dataclasses(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("LIMIT = 0.4\n")
    text = (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from beside_it import LIMIT\n"
        f"@dataclass\nclass 策略:\n    limit: float = LIMIT\n{METHODS}"
    )
    assert classes(tmp_path, text) == ["策略"]


def test_the_examples_are_one_strategy_each() -> None:
    for path in (Path(__file__).parent / "examples").glob("*.py"):
        (one,) = strategies_in(path)
        assert re.fullmatch(r"[A-Z]\w+", one.__name__)
