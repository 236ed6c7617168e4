"""`query` for three players, with 跳开: what it prints against hands counted one by one."""

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import succeeds
from zhaifei.app.locale import catalogue
from zhaifei.game.bids import Bid, action_of, can_bid, domain, legal_bids
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import format_hand, format_history
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.cfr.mccfr import MCCFR

RULES = preset("zhaifei", players=3, dice=1, faces=3, jump_challenge=True)


def trained(rules: Rules) -> TablePolicy:
    """By a few passes."""
    engine = MCCFR(rules, "bid,bid", seed=1)
    while engine.iterations < 3000:
        engine.advance()
    return TablePolicy(rules, "bid,bid", engine.strategy())


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TablePolicy]:
    path, policy = tmp_path_factory.mktemp("three") / "policy.safetensors", trained(RULES)
    save_policy(path, policy)
    return path, policy


def usual(policy: TablePolicy, length: int) -> tuple[Bid, ...]:
    """A history of bids that all hands together make most often."""
    history: tuple[Bid, ...] = ()
    while len(history) < length:
        played = probabilities(RULES) @ policy.strategy(history)[:, : len(domain(RULES))]
        history = (*history, domain(RULES)[int(played.argmax())])
    return history


def chance_of(policy: TablePolicy, history: tuple[Bid, ...], own: int, bid: Bid) -> float:
    """Over all hands of the others, as likely as they bid like this with them."""
    players, seat = RULES.players, len(history) % RULES.players
    total, true = 0.0, 0.0
    for dealt in product(range(len(hands(RULES))), repeat=players):
        if dealt[seat] != own:
            continue
        weight = 1.0
        for hand in dealt:
            weight *= float(probabilities(RULES)[hand])
        for place, made in enumerate(history):
            if place % players != seat:
                played = policy.strategy(history[:place])
                weight *= float(played[dealt[place % players], action_of(RULES, made)])
        total += weight
        if count_dice(RULES, bid, [hands(RULES)[hand] for hand in dealt]) >= bid.count:
            true += weight
    return true / total


def ask(path: Path, *arguments: object) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(succeeds("query", "--policy", path, "--json", *arguments))
    return answer


@pytest.mark.parametrize("length", range(4))
def test_every_bid_that_may_be_challenged_has_its_chance(
    policy: tuple[Path, TablePolicy], length: int
) -> None:
    path, loaded = policy
    history = usual(loaded, length)
    for own, hand in enumerate(hands(RULES)):
        answer = ask(path, "--hand", format_hand(hand), "--history", format_history(history))
        assert answer["seat"] == length % 3 + 1
        chances = [answer["p_true"], *answer["p_true_of_earlier"]]
        expected = [
            chance_of(loaded, history, own, history[-distance])
            for distance in range(1, min(2, length) + 1)
        ]
        assert chances == (pytest.approx(expected) if expected else [None])
        named = [each["action"] for each in answer["actions"]]
        challenges = ["challenge", "challenge 2"][: min(2, length)]
        raises = legal_bids(RULES, history[-1] if history else None)
        assert named == [*map(str, raises), *challenges]
        assert sum(each["probability"] for each in answer["actions"]) == pytest.approx(1)
        # A challenge two bids back pays half of its two points to both others.
        bounds = {"challenge": (-1.0, 0.5), "challenge 2": (-2.0, 1.0)}
        for each in answer["actions"]:
            least, most = bounds.get(each["action"], (-2.0, 1.0))
            assert least - 1e-9 <= each["value"] <= most + 1e-9
            if each["action"].startswith("challenge"):
                chance = chances[int(each["action"][-1] == "2")]
                assert each["value"] == pytest.approx(most * (1 - chance) + least * chance)


def test_it_says_who_made_which_bid(policy: tuple[Path, TablePolicy]) -> None:
    path, _ = policy
    history = legal_bids(RULES, None)[:4]
    assert can_bid(RULES, history[3], history[2])
    asked = ("query", "--policy", path, "--hand", "2", "--history", format_history(history))
    shown = " ".join(succeeds(*asked).split())
    seats = " ".join(f"{bid} (seat {place % 3 + 1})" for place, bid in enumerate(history))
    assert f"hand 2, after {seats}" in shown
    assert re.search(rf"{history[-1]} is true with probability \d+\.\d%", shown)
    assert re.search(rf"{history[-2]} is true with probability \d+\.\d%", shown)
    assert f"{history[-3]} is true" not in shown
    in_chinese = " ".join(succeeds("--lang", "zh", *asked).split())
    assert f"{history[3]}（1 号位）" in in_chinese


def test_it_says_when_somebody_bids_as_the_policy_never_does(
    policy: tuple[Path, TablePolicy],
) -> None:
    path, loaded = policy
    note = "the policy never bids like this: the hands of players who did are treated as unknown"
    strange = next(
        (one, two)
        for one in legal_bids(RULES, None)
        for two in legal_bids(RULES, one)
        if not loaded.strategy((one,))[:, action_of(RULES, two)].any()
    )
    asked = ("--policy", path, "--hand", "2", "--history", format_history(strange))
    assert note in " ".join(succeeds("query", *asked).split())
    in_chinese = "".join(succeeds("--lang", "zh", "query", *asked).split())
    assert catalogue("zh").gettext(note) in in_chinese
    usual_ = ("--policy", path, "--hand", "2", "--history", format_history(usual(loaded, 2)))
    assert note not in " ".join(succeeds("query", *usual_).split())


def test_earlier_bids_may_be_unknown(tmp_path: Path) -> None:
    """斋1 is too low a count to open; as a raise of 飞2 it is no weaker than that."""
    rules = Rules.of(players=3, dice=1, faces=3, first_count=2, jump_challenge=True)
    path = tmp_path / "policy.safetensors"
    save_policy(path, trained(rules))
    answer = ask(path, "--hand", "2", "--bid", "z1x3")
    assert answer["earlier_bids_unknown"]
    assert answer["seat"] is None
    assert 0.0 < answer["p_true"] < 1.0
    assert answer["p_true_of_earlier"] == []
    assert "challenge 2" in [each["action"] for each in answer["actions"]]
