"""`zhaifei query` without a hand."""

import csv
import io
import json
import re
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

import zhaifei
from tests.command_line import refused, succeeds
from tests.policies.resolving_policies import RULES, blueprint, odd_history
from zhaifei.app.locale import choose
from zhaifei.app.terminal.printed.range_advice import _shown, print_range
from zhaifei.game.bids import domain
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import format_hand
from zhaifei.policies.advice.advice import RangeAdvice
from zhaifei.policies.players.table_policy import save_policy

Asked = tuple[object, ...]
EVERY = [format_hand(hand) for hand in hands(RULES)]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """What asks about a bid that a policy never makes."""
    path = tmp_path_factory.mktemp("policies") / "small.safetensors"
    save_policy(path, blueprint(200))
    history = " ".join(str(domain(RULES)[bid]) for bid in odd_history(blueprint(200)))
    return ("query", "--policy", path, "--history", history, "--time-limit", "60m")


def answer(*arguments: object) -> dict[str, Any]:
    return dict(json.loads(succeeds(*arguments, "--json")))


def table(*arguments: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(succeeds(*arguments, "--csv"))))


def test_json_has_what_each_hand_is_told_alone(odd: Asked) -> None:
    found = answer(*odd)
    assert [one["hand"] for one in found["hands"]] == EVERY
    assert sum(one["weight"] for one in found["hands"]) == pytest.approx(1.0)
    assert sum(one["share"] for one in found["actions"]) == pytest.approx(1.0)
    assert (found["seat"], found["believed"]) == (1, "trembling")
    for one in (found["hands"][0], found["hands"][-1]):
        alone = answer(*odd, "--hand", one["hand"])
        for together, apart in zip(one["actions"], alone["actions"], strict=True):
            assert together.pop("action") == apart.pop("action")
            assert together == pytest.approx(apart, abs=1e-12)
        assert one["p_true"] == pytest.approx(alone["p_true"])
        assert one["solved_again"] == alone["solved_again"] is not None


def test_csv_has_the_same_figures_as_json(odd: Asked) -> None:
    lines = iter(table(*odd))
    for one in answer(*odd)["hands"]:
        for action in one["actions"]:
            line = next(lines)
            assert (line["hand"], line["action"]) == (one["hand"], action["action"])
            expected = {"weight": one["weight"], "p_true": one["p_true"], **action}
            for name in ("weight", "p_true", "probability", "value", "value_error"):
                assert float(line[name]) == expected[name]
    assert next(lines, None) is None


def test_openings_have_no_bid_that_may_be_true(odd: Asked) -> None:
    opening = (*odd[:3], "--no-resolve")
    assert {line["p_true"] for line in table(*opening)} == {""}
    found = answer(*opening)
    assert (found["history"], found["p_true"]) == ("", [])
    weights = [one["weight"] for one in found["hands"]]
    assert weights == pytest.approx([(2 if len({*hand}) > 1 else 1) / 9 for hand in EVERY])
    assert "your range: every hand, with its probability before any bid" in succeeds(*opening)


def test_the_screen_says_which_ranges_are_believed(odd: Asked) -> None:
    shown = succeeds(*odd)
    assert "the whole range, after" in shown
    assert "The policy would not bid like this: solved again from here" in shown
    assert "assumed: the opponent bids like the policy" in shown
    assert "your range: you bid like the policy, or now and then what your dice" in shown
    chinese = succeeds(*odd, "--lang", "zh")
    assert "整个范围，叫过" in chinese
    assert "你的范围：你多半像策略那样叫" in chinese
    alone = succeeds(*odd, "--no-resolve")
    assert "your range: the hands with which the policy bids as you did" in alone
    assert "the policy never bids like this" in alone


def screen(advice: RangeAdvice, **options: Any) -> str:
    """What `print_range` prints."""
    out = io.StringIO()
    console = Console(file=out, highlight=False, markup=False, **options)
    print_range(console, RULES, advice, assumed=False)
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_screen_shows_every_hand_with_what_it_does_most(language: str, width: int) -> None:
    choose(language)
    advice = zhaifei.advise_range(blueprint(200))
    grid = screen(advice, width=width)
    assert all(cell_len(line) <= width for line in grid.split("\n\n")[1].splitlines()[1:])
    cells = re.findall(r"\b(\d\d) ([A-Z+])([a-z+]?)", grid)
    assert sorted(hand for hand, *_ in cells) == EVERY
    letters = re.findall(r"^([A-Z]) +(\S+) +(\d+\.\d)%", grid, re.M)
    names = {letter: action for letter, action, _ in letters}
    assert [float(share) for *_, share in letters] == sorted(
        (float(share) for *_, share in letters), reverse=True
    )
    actions = [action.action for action in advice.actions]
    for hand, letter, also in cells:
        played = advice.strategy[EVERY.index(hand)]
        assert played[actions.index(names[letter])] == played.max()
        if also:
            assert played[actions.index(names[also.upper()])] >= 0.1


def test_colours_say_no_more_than_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    advice = zhaifei.advise_range(blueprint(200))
    plain = screen(advice, width=80)
    coloured = screen(advice, width=80, force_terminal=True, color_system="standard")
    assert "\x1b[32m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    without = screen(advice, width=80, force_terminal=True)
    assert not re.search(r"\x1b\[(?:[0-9;]*;)?3[0-9]", without)


def test_hands_that_hardly_bid_so_are_counted(odd: Asked) -> None:
    weights = np.array([one["weight"] for one in answer(*odd, "--no-resolve")["hands"]])
    likely = weights / probabilities(RULES)
    shown = succeeds(*odd, "--no-resolve")
    (hidden,) = re.findall(r"^(\d+) hands that would hardly have bid so", shown, re.M)
    listed = re.findall(r"\b(\d\d) [A-Z+]", shown.split("\n\n")[1])
    left = np.array([hand not in listed for hand in EVERY])
    assert 0 < int(hidden) == left.sum() == left.size - len(listed)
    assert (likely[left] < 0.01 * likely.max()).all()
    assert likely[left].max() <= likely[~left].min()
    assert weights[left].sum() <= 0.01


def test_what_is_hidden_is_little_of_the_range() -> None:
    likely = np.array([1.0, *[0.005] * 20, 0.0])
    weights = likely / likely.sum()
    hidden = ~_shown(weights, likely)
    assert hidden.tolist() == [False, True, True] + [False] * 18 + [True]
    assert _shown(weights, np.ones(22)).all()


def test_what_cannot_be_answered_is_refused(odd: Asked) -> None:
    refused(*odd, "--json", "--csv", says=("--json and --csv cannot be combined",))
    refused(*odd, "--csv", "--hand", "23", says=("--csv is for the whole range",))
    refused(*odd[:3], "--bid", "z1x3", says=("斋1×3 can never be made",))
    weak = "斋2×3"
    refused(*odd[:3], "--bid", weak, says=(f"{weak} cannot open a round: give the bids before",))
    refused(*odd[:3], "--history", weak, says=("may not open a round",))
