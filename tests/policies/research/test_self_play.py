"""Rounds in step, against rounds that are played one by one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.game.bids import action_of
from zhaifei.game.hands import hands
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.encoding import legal_actions
from zhaifei.policies.research.self_play import Situations, play

Ints = NDArray[np.int64]
VARIANTS = [preset("zhaifei"), preset("basic", dice=2), preset("liars_dice")]


class Wild:
    """Any legal action, the weak ones more often, so that rounds get long."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.random = rules, np.random.default_rng(5)

    def __call__(self, now: Situations) -> Ints:
        legal = legal_actions(self.rules)[now.last + 1]
        drawn = (self.random.random(now.hand.size) ** 3 * legal.sum(axis=1)).astype(np.int64)
        action: Ints = (legal.cumsum(axis=1) <= drawn[:, np.newaxis]).sum(axis=1)
        return action


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_rounds_in_step_go_as_rounds_one_by_one(rules: Rules) -> None:
    """Every decision is replayed in a round of its own: what was seen, and who won."""
    rounds = 300
    played = play(rules, rounds, Wild(rules), np.random.default_rng(2))
    ends = np.flatnonzero(played.final) + 1
    assert ends.size == 2 * rounds
    rows = np.split(np.arange(played.action.size), ends[:-1])
    for opener, responder in zip(rows[::2], rows[1::2], strict=True):
        dealt = [int(played.hand[row[0]]) for row in (opener, responder)]
        table = Round(rules, [hands(rules)[place] for place in dealt])
        for turn in range(opener.size + responder.size):
            one = (opener, responder)[turn % 2][turn // 2]
            bids = [action_of(rules, bid) for bid in table.history]
            assert (played.seat[one], played.hand[one]) == (table.turn, dealt[turn % 2])
            assert np.flatnonzero(played.made[one]).tolist() == bids
            assert played.last[one] == (bids[-1] if bids else -1)
            table.take(int(played.action[one]))
        assert table.settlement is not None
        won = [1.0, -1.0] if table.settlement.loser == 1 else [-1.0, 1.0]
        assert [played.reward[row[-1]] for row in (opener, responder)] == won
        assert not played.reward[opener[:-1]].any()
        assert not played.reward[responder[:-1]].any()


def test_decisions_know_when_they_were_taken() -> None:
    asked: list[Ints] = []

    def decide(now: Situations) -> Ints:
        asked.append(now.hand)
        return Wild(preset("zhaifei"))(now)

    played = play(preset("zhaifei"), 50, decide, np.random.default_rng(0))
    np.testing.assert_array_equal(np.concatenate(asked)[played.taken], played.hand)


def test_dice_depend_on_the_random_numbers_alone() -> None:
    rules = preset("zhaifei")
    one, same, other = (
        play(rules, 50, Wild(rules), np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.hand, same.hand)
    assert one.hand.tolist() != other.hand.tolist()
