"""Small rules and histories that tests of reading share."""

import numpy as np
import pytest

from tests.policies.small_policies import histories
from zhaifei.game.bids import Bid, action_of
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset

COIN = preset("liars_dice", faces=2)
"""One die of two faces each; the twos are wild and may be named."""
SMALL = (
    COIN,
    Rules.of(dice=2, faces=2),
    Rules.of(players=3, dice=1, faces=3, modes=(Mode.FEI,)),
    Rules.of(players=3, dice=1, faces=2, jump_challenge=True),
    Rules.of(players=4, dice=1, faces=2, modes=(Mode.ZHAI,)),
)
each_small = pytest.mark.parametrize("rules", SMALL, ids=str)


def indices(rules: Rules, history: tuple[Bid, ...]) -> np.ndarray:
    return np.array([[action_of(rules, bid) for bid in history]], dtype=np.int64)


def few_histories(rules: Rules) -> list[tuple[Bid, ...]]:
    """All histories, or some if there are many."""
    every = histories(rules)
    return every[:: max(1, len(every) // 60)]
