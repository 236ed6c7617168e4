"""What learners see, against the information state tensors of the OpenSpiel game."""

import numpy as np
import pyspiel
import pytest

import zhaifei.game.openspiel  # noqa: F401  # registers python_zhaifei
from zhaifei.game.bids import action_of, challenge_action, domain, legal_bids
from zhaifei.game.hands import hand_index
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.players.encoding import (
    history_bits,
    information_state_tensors,
    legal_actions,
    tensor_size,
)


@pytest.mark.parametrize("params", [{}, {"dice": 2, "faces": 4}, {"rules": "liars_dice"}], ids=str)
def test_tensors_are_those_of_openspiel_in_random_states(params: dict[str, object]) -> None:
    spiel = pyspiel.load_game("python_zhaifei", params)
    random = np.random.default_rng(1)
    assert tensor_size(spiel.rules) == spiel.information_state_tensor_size()
    checked = 0
    for _ in range(60):
        state = spiel.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                rules, current = spiel.rules, state.round
                bids = [action_of(rules, bid) for bid in current.bids]
                made = history_bits(rules, np.array([bids, bids], dtype=np.int64).reshape(2, -1))
                places = np.array([hand_index(rules, hand) for hand in current.hands])
                ours = information_state_tensors(rules, np.array([0, 1]), places, made)
                theirs = [state.information_state_tensor(player) for player in (0, 1)]
                np.testing.assert_array_equal(ours, np.array(theirs, dtype=np.float32))
                checked += 1
            # Raises that leave room for more, so that histories get long.
            legal = state.legal_actions()
            state.apply_action(int(random.choice(legal[: 1 + len(legal) // 4])))
    assert checked > 120


@pytest.mark.parametrize(
    "rules", [preset("zhaifei"), preset("basic", dice=2), preset("liars_dice")], ids=str
)
def test_legal_actions_are_those_of_the_rules(rules: Rules) -> None:
    legal, challenge = legal_actions(rules), challenge_action(rules)
    for last in (None, *domain(rules)):
        expected = {action_of(rules, bid) for bid in legal_bids(rules, last)}
        expected |= set() if last is None else {challenge}
        row = 0 if last is None else action_of(rules, last) + 1
        assert set(np.flatnonzero(legal[row])) == expected
