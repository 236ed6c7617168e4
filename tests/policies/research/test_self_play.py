"""Rounds in step, against rounds that are played one by one."""

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.hands import hands
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.play.simulation import play_rounds
from zhaifei.policies.players.encoding import legal_after_bids
from zhaifei.policies.research.self_play import Situations, play

Ints = NDArray[np.int64]
VARIANTS = [
    preset("zhaifei"),
    preset("basic", dice=2),
    preset("liars_dice"),
    preset("zhaifei", players=3, dice=2),
    preset("zhaifei", players=5),
    preset("zhaifei", players=4, dice=2, jump_challenge=True),
]
SMALL = preset("zhaifei", players=3, dice=2, faces=3)


class Wild:
    """Any legal action, the weak ones more often, so that rounds get long."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.random = rules, np.random.default_rng(5)

    def __call__(self, now: Situations) -> Ints:
        legal = legal_after_bids(self.rules, now.history)
        drawn = (self.random.random(now.hand.size) ** 3 * legal.sum(axis=1)).astype(np.int64)
        action: Ints = (legal.cumsum(axis=1) <= drawn[:, np.newaxis]).sum(axis=1)
        return action


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_rounds_in_step_go_as_rounds_one_by_one(rules: Rules) -> None:
    """Every decision of every seat is replayed in a round of its own: what was seen, and what the
    round paid."""
    wild = Wild(rules)
    hand_of: dict[tuple[int, int], int] = {}
    numbers: list[Ints] = []

    def noting(now: Situations) -> Ints:
        numbers.append(now.round)
        for number, hand in zip(now.round.tolist(), now.hand.tolist(), strict=True):
            hand_of[number, now.seat] = hand
        return wild(now)

    rounds = 300
    played = play(rules, rounds, noting, np.random.default_rng(2))
    number = np.concatenate(numbers)[played.taken]
    for one in range(rounds):
        rows = {
            seat: np.flatnonzero((number == one) & (played.seat == seat)).tolist()
            for seat in range(rules.players)
        }
        # The hand of a seat that never had a turn is not seen: the bids tell who must lose.
        dealt = [hands(rules)[hand_of.get((one, seat), 0)] for seat in range(rules.players)]
        table, turns = Round(rules, dealt), dict.fromkeys(rows, 0)
        ended = sum(map(len, rows.values()))
        for turn in range(ended):
            seat = turn % rules.players
            row = rows[seat][turns[seat]]
            bids = [action_of(rules, bid) for bid in table.history]
            assert (table.turn, played.hand[row]) == (seat, hand_of[one, seat])
            assert np.flatnonzero(played.made[row]).tolist() == bids
            assert played.last[row] == (bids[-1] if bids else -1)
            assert played.final[row] == (row == rows[seat][-1])
            assert played.final[row] or played.reward[row] == 0.0
            turns[seat] += 1
            table.take(int(played.action[row]))
        distance = int(played.action[row]) - challenge_action(rules) + 1  # with 跳开, the points
        assert table.settlement is not None
        if all(rows.values()):
            for seat, its in rows.items():
                share = -1.0 if seat == table.settlement.loser else 1.0 / (rules.players - 1)
                expected = np.float32(share * distance)
                assert played.reward[its[-1]] == expected


def test_the_loser_pays_and_the_others_share_it_alike() -> None:
    """Seats without a turn earn too, but have no decision to learn from."""
    rules = preset("zhaifei", players=5)
    played = play(rules, 500, Wild(rules), np.random.default_rng(3))
    paid, count = np.unique(played.reward[played.final], return_counts=True)
    np.testing.assert_allclose(paid, [-1.0, 0.25])
    assert count[0] == 500  # whoever loses has had a turn


def test_one_seat_of_each_round_learns_among_others() -> None:
    rounds = 3000
    honest, bold = (load_player(name, SMALL) for name in ("honest", "aggressive"))
    counted: list[Ints] = []

    def decide(now: Situations) -> Ints:
        counted.append(np.column_stack([now.round, np.full(now.hand.size, now.seat)]))
        return Wild(SMALL)(now)

    played = play(SMALL, rounds, decide, np.random.default_rng(7), [honest, bold])
    sat = np.unique(np.concatenate(counted), axis=0)
    assert len(np.unique(sat[:, 0])) == len(sat) == np.count_nonzero(played.final)
    # The opener always decides: of 3,000 rounds a third, within four standard deviations.
    deviation = (rounds * 2 / 9) ** 0.5
    assert abs(np.count_nonzero(sat[:, 1] == 0) - rounds / 3) < 4 * deviation


def test_the_others_play_as_they_do_elsewhere() -> None:
    """With one other player, who also decides for the learner, rounds cost all seats alike what
    they cost among that player's copies."""
    honest = load_player("honest", SMALL)
    uniform = np.random.default_rng(1)

    def decide(now: Situations) -> Ints:
        return honest.act(now.hand, now.history, uniform.random(now.hand.size))

    played = play(SMALL, 20_000, decide, np.random.default_rng(2), [honest])
    points = play_rounds([honest] * 3, SMALL, 20_000, seed=4)
    for seat in range(3):
        lost = played.reward[played.final & (played.seat == seat)] < 0
        # A seat loses only rounds in which it had a turn.
        expected = points[:, seat].mean() * 20_000 / 3
        assert abs(np.count_nonzero(lost) - expected) < 4 * (2 * 20_000 / 3) ** 0.5


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
