"""Information state tensors for many decisions at once.

They equal the `information_state_tensor` of the OpenSpiel game `python_zhaifei` (see
`game.openspiel.observer`), but are computed without states of that game.

A tensor has three pieces: `player`, one-hot; `hand`, one-hot for each die, ascending; and
`history`, a bit for each action taken. `information_state_tensors` computes whole tensors.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding, legal_endings, states_after
from zhaifei.game.bids import action_count
from zhaifei.game.hands import hands
from zhaifei.game.legal import can_give_up
from zhaifei.game.rules import Rules

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]
Floats = NDArray[np.float32]


def tensor_size(rules: Rules) -> int:
    """Return the length of an information state tensor."""
    return rules.players + rules.dice * rules.faces + action_count(rules)


@lru_cache(maxsize=4)
def hand_bits(rules: Rules) -> Floats:
    """Return [hand, dice * faces] float32, the piece `hand`. Read-only."""
    dice = np.array(hands(rules)) - 1
    bits: Floats = np.eye(rules.faces, dtype=np.float32)[dice].reshape(len(dice), -1)
    bits.setflags(write=False)
    return bits


def history_bits(rules: Rules, history: Ints) -> Bits:
    """Return [round, action] whether an action was taken, given the actions `history` [round,
    bid]."""
    bits: Bits = np.zeros((len(history), action_count(rules)), dtype=np.bool_)
    np.put_along_axis(bits, history, True, axis=1)
    return bits


@lru_cache(maxsize=4)
def legal_actions(rules: Rules) -> Bits:
    """Return [state, action] whether an action is legal. Read-only."""
    automaton = bidding(rules)
    challenge = np.arange(len(automaton.states)) > 0
    gives_up = [
        [can_give_up(rules, () if state.last is None else (state.last,))] * (rules.endings - 1)
        for state in automaton.states
    ]
    endings = gives_up if rules.stakes.doubled else [[]] * len(gives_up)
    legal: Bits = np.column_stack([automaton.legal, challenge, np.array(endings, dtype=np.bool_)])
    legal.setflags(write=False)
    return legal


def legal_after_bids(rules: Rules, history: Ints) -> Bits:
    """Return [round, action] whether an action is legal after `history` [round, bid]."""
    bids = bidding(rules).legal[states_after(rules, history)]
    legal: Bits = np.column_stack([bids, legal_endings(rules, history)])
    return legal


def information_state_tensors(rules: Rules, seat: Ints, hand: Ints, made: Bits) -> Floats:
    """Return [decision, bit] float32, the tensor of the player in `seat` [decision] with `hand`
    [decision] after the actions `made` [decision, action]."""
    tensors: Floats = np.zeros((len(hand), tensor_size(rules)), dtype=np.float32)
    tensors[np.arange(len(hand)), seat] = 1.0
    dice = rules.players + rules.dice * rules.faces
    tensors[:, rules.players : dice] = hand_bits(rules)[hand]
    tensors[:, dice:] = made
    return tensors
