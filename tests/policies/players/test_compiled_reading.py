"""Decisions in compiled code: those of the numpy forms, which decide for few histories."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.reading_policies import VARIANTS, policy_for
from tests.solver.kernels import in_both_ways
from zhaifei.game.bidding import states_after
from zhaifei.game.bids import domain, plain_bids
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.players import compiled_reading, reader, reading_policy
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.solver.playouts import answers, beliefs, decisions, walk

Ints = NDArray[np.int64]

both_ways = in_both_ways(answers, beliefs, compiled_reading, decisions, walk)
VERY_MANY = 10**9


def some_histories(rules: Rules, number: int, made: int) -> Ints:
    """Random histories of `made` bids: most raises are small, so that rounds go on for long."""
    random, tables = np.random.default_rng(made), bid_tables(rules)
    history = np.zeros((number, 0), dtype=np.int64)
    for _ in range(made):
        legal = tables.legal[states_after(rules, history)]
        weight = legal * 0.7 ** legal.cumsum(axis=1)
        goes_on = legal.any(axis=1)
        history, weight = history[goes_on], weight[goes_on]
        ends = weight.cumsum(axis=1) / weight.sum(axis=1, keepdims=True)
        bid = (ends <= random.random(len(ends))[:, np.newaxis]).sum(axis=1)
        history = np.column_stack([history, bid])
    return history


def in_step(rules: Rules, history: Ints) -> list[Ints]:
    """The histories in groups that end with as many doubles, as players are asked."""
    doubles = history[:, -1] // len(plain_bids(rules))
    return [history[doubles == number] for number in np.unique(doubles)]


def verify_alike(
    player: ReadingPolicy | Reader, history: Ints, monkeypatch: pytest.MonkeyPatch
) -> int:
    """Ask the player in compiled code and in numpy; return how many actions end a round."""
    rules, random = player.rules, np.random.default_rng(history.size)
    hand = random.integers(len(hands(rules)), size=len(history))
    uniform, found = random.random(len(history)), []
    for many in (1, VERY_MANY):
        for module in (reader, reading_policy):
            monkeypatch.setattr(module, "MANY", many)
        found.append(player.draw(hand, history, uniform))
    np.testing.assert_array_equal(*found)
    return int((found[0] >= len(domain(rules))).sum())


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_small_games_are_decided_as_in_numpy(
    rules: Rules, both_ways: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = 30 if both_ways == "python" else 300
    for player in (policy_for(rules), Reader(rules)):
        ending = asked = 0
        for made in range(1, 6):
            for history in in_step(rules, some_histories(rules, number, made)):
                ending += verify_alike(player, history, monkeypatch)
                asked += len(history)
        assert 0 < ending < asked


@pytest.mark.parametrize(
    ("players", "jump"), [(3, False), (3, True), (4, False), (5, False), (6, True)]
)
def test_shipped_policies_and_the_reader_decide_as_in_numpy(
    players: int, jump: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = preset("zhaifei", players=players, jump_challenge=jump)
    plain, _ = load_known(None, rules)
    for player in (ReadingPolicy(plain), Reader(rules)):
        ending = 0
        for made in range(1, 9):
            ending += verify_alike(player, some_histories(rules, 150, made), monkeypatch)
        assert ending
