"""What networks of several players see, against the bids and dice of rounds."""

import numpy as np
import pytest

from tests.policies.players.seat_features_twin import seat_features_of
from zhaifei.game.bids import action_count, action_of
from zhaifei.game.hands import hand_index
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.encoding import legal_after_bids
from zhaifei.policies.players.seat_features import seat_feature_sizes, seat_features

VARIANTS = [
    preset("zhaifei", players=3),
    preset("zhaifei", players=6),
    preset("zhaifei", players=4, dice=2, faces=3),
    preset("zhaifei", players=3, dice=2, jump_challenge=True),
    preset("basic", players=5, dice=2),
]


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_features_are_those_of_the_round(rules: Rules) -> None:
    """In rounds that get long, of the player in turn."""
    random, checked = np.random.default_rng(4), 0
    for _ in range(12):
        hands = np.sort(random.integers(1, rules.faces + 1, size=(rules.players, rules.dice)))
        table = Round(rules, hands.tolist())
        while table.settlement is None:
            history = np.array([[action_of(rules, bid) for bid in table.history]], dtype=np.int64)
            history = history.reshape(1, -1)
            hand = tuple(hands[table.turn].tolist())
            found = seat_features(rules, np.array([hand_index(rules, hand)]), history)
            expected = seat_features_of(rules, hand, tuple(history[0].tolist()))
            np.testing.assert_allclose(found[0], expected, atol=1e-6)
            legal = np.flatnonzero(legal_after_bids(rules, history)[0])
            table.take(int(random.choice(legal[: 1 + len(legal) // 4])))  # room for more
            checked += 1
    assert checked > 24


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_a_network_of_the_full_game_fits_in_half_a_megabyte(players: int) -> None:
    """In float16, with two hidden layers of the units that training gives it."""
    units, rules = 192, preset("zhaifei", players=players)
    inputs, actions = sum(seat_feature_sizes(rules)), action_count(rules)
    weights = (inputs + 1) * units + (units + 1) * units + (units + 1) * actions
    assert 2 * weights < 490_000
