"""`zhaifei query` where the bids leave the policy."""

import json
from typing import Any

import pytest

from tests.command_line import refused, succeeds
from tests.policies.resolving_policies import RULES, blueprint, odd_history
from zhaifei.game.bids import domain
from zhaifei.policies.players.resolving import Caution
from zhaifei.policies.players.table_policy import save_policy


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """What asks about a bid that a policy never makes."""
    path = tmp_path_factory.mktemp("policies") / "small.safetensors"
    save_policy(path, blueprint(200))
    history = " ".join(str(domain(RULES)[bid]) for bid in odd_history(blueprint(200)))
    return ("query", "--policy", path, "--hand", "23", "--history", history)


def answer(*arguments: object) -> dict[str, Any]:
    return dict(json.loads(succeeds(*arguments, "--json")))


def test_it_says_that_it_solved_again_and_what_it_believes(odd: tuple[object, ...]) -> None:
    shown = succeeds(*odd)
    assert "The policy would not bid like this: solved again from here (gap 0.00" in shown
    assert "assumed: the opponent bids like the policy" in shown
    assert "(--caution normal)" in shown
    assert "the policy never bids like this" not in shown
    chinese = succeeds(*odd, "--lang", "zh")
    assert "已从这里重新求解" in chinese
    assert "假定：对手多半像策略那样叫" in chinese


@pytest.mark.parametrize("caution", [one.value for one in Caution])
def test_caution_is_chosen(odd: tuple[object, ...], caution: str) -> None:
    found = answer(*odd, "--caution", caution)
    assert found["solved_again"]["caution"] == caution
    assert 0.0 <= found["solved_again"]["gap"] <= 0.003
    values = {one["action"]: one["value"] for one in found["actions"]}
    assert found["p_true"] == pytest.approx((1.0 - values["challenge"]) / 2.0)
    got = sum(one["probability"] * one["value"] for one in found["actions"])
    assert got >= max(values.values()) - 0.01


@pytest.mark.parametrize("alone", [("--no-resolve",), ("--time-limit", 0)])
def test_the_table_alone_is_asked(odd: tuple[object, ...], alone: tuple[object, ...]) -> None:
    assert answer(*odd, *alone)["solved_again"] is None
    assert "the policy never bids like this" in succeeds(*odd, *alone)


def test_options_that_are_none(odd: tuple[object, ...]) -> None:
    refused(*odd, "--caution", "reckless", says=("--caution", "reckless"))
    for wrong in ("-1", "soon", "nan"):
        refused(*odd, "--time-limit", wrong, says=("--time-limit", wrong))
