"""A learner who is brought through a written match decides as one who sat through it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.policies.learning.tiny_rounds import solved
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.learning.player import SeatedLearner, learning_player
from zhaifei.policies.play.playing import play_round
from zhaifei.policies.play.sat_through import Played, SatThrough
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.player import Player
from zhaifei.policies.players.rule_based import RandomPolicy
from zhaifei.policies.players.table_policy import opening_policy

SEAT, SEED, ROUNDS = 1, 7, 12
TWO = learning_player(solved(), "two")
THREE = learning_player(opening_policy(Rules.of(players=3, dice=2, faces=3)), "three")


class Asked:
    """Sits through a match, and keeps every question with the answer."""

    def __init__(self, player: Player) -> None:
        decider = player.sit(np.random.default_rng([SEED, SEAT]))
        assert isinstance(decider, SeatedLearner)
        self.decider, self.rounds = decider, list[Played]()
        self.found: list[tuple[tuple[Played, ...], View, int]] = []

    def decide(self, view: View) -> int:
        action = self.decider.decide(view)
        self.found.append(((*self.rounds,), view, action))
        return action


def sat_through(player: Player, seed: int) -> Asked:
    """Return who sat through a match of ROUNDS rounds against a player who raises and challenges by
    chance."""
    asked, match = Asked(player), Match(player.rules, np.random.default_rng(seed))
    other = RandomPolicy(player.rules).sit(np.random.default_rng(seed))
    seats: list[Decider] = [other] * player.rules.players
    seats[SEAT] = asked
    for _ in range(ROUNDS):
        round_, actions = match.deal(), list[int]()
        play_round(round_, seats, lambda _, action, made=actions: made.append(action))
        match.settle()
        asked.decider.remember(round_, SEAT)
        asked.rounds.append(Played(round_.starter, round_.hands, tuple(actions)))
    return asked


@pytest.mark.parametrize("player", [TWO, THREE], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_decision_is_that_of_who_sat_through_the_match(player: Player, seed: int) -> None:
    asked = sat_through(player, seed)
    assert len({len(view.history) for _, view, _ in asked.found}) > 1
    going_on = SatThrough(player, SEAT, SEED)
    for rounds, view, action in asked.found:
        assert SatThrough(player, SEAT, SEED).decide(rounds, view) == action
        assert going_on.is_before(rounds, view)
        assert going_on.decide(rounds, view) == action
        assert not going_on.is_before(rounds, view)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_account_of_two_players_is_the_same(seed: int) -> None:
    asked, again = sat_through(TWO, seed), SatThrough(TWO, SEAT, SEED)
    *_, (rounds, view, _) = asked.found
    again.decide(rounds, view)
    again._live_through(Round(view.rules, *asked.rounds[-1][1::-1]), asked.rounds[-1].actions)
    assert len(asked.rounds) == len(rounds) + 1
    assert account(again._decider) == account(asked.decider) != 1.0


def account(decider: Decider) -> float:
    """Return the penalty points that a learner may risk."""
    assert isinstance(decider, SeatedLearner)
    return float(decider._learning.budget.account[0])
