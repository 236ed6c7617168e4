"""Likelihoods of bids by players who mostly follow a policy, and of different ones by seat."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.small_policies import random_policy
from zhaifei.game.bids import action_of, domain
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules
from zhaifei.policies.players.mixed_bidding import MixedBidding, SeatedBidding
from zhaifei.policies.players.reading import PlausibleBidding

RULES = Rules.of(players=3, dice=1, faces=2)
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def turns(*texts: str) -> tuple[Ints, Ints]:
    """The bids before the last of each text, and the last."""
    histories = [parse_history(RULES, text) for text in texts]
    actions = np.array([[action_of(RULES, bid) for bid in one] for one in histories])
    return actions[:, :-1], actions[:, -1]


@pytest.mark.parametrize("surprise", [0.0, 0.05, 1.0])
def test_bids_count_as_the_policy_makes_them_but_for_surprises(surprise: float) -> None:
    policy, plausible = random_policy(RULES), PlausibleBidding(RULES)
    history, bid = turns("f1x2 f2x2", "f1x2 f3x2", "f2x2 z2x1")
    found = MixedBidding(policy, surprise, plausible)(history, bid)
    for turn in range(len(bid)):
        made = [domain(RULES)[one] for one in history[turn]]
        played = policy.strategy(made)[:, bid[turn]]
        likely = plausible(history, bid)[turn]
        assert found[turn] == pytest.approx((1.0 - surprise) * played + surprise * likely)


def test_openings_have_no_bids_before_them() -> None:
    policy = random_policy(RULES)
    history, bid = turns("f1x2")
    assert history.shape == (1, 0)
    found = MixedBidding(policy, 0.0, PlausibleBidding(RULES))(history, bid)
    assert found[0] == pytest.approx(policy.strategy(())[:, bid[0]])


@pytest.mark.parametrize("starter", range(3))
def test_each_seat_bids_in_its_own_way(starter: int) -> None:
    def of(seat: int):  # type: ignore[no-untyped-def]
        return lambda history, bid: np.full((len(bid), 2), float(seat))

    seated = SeatedBidding(RULES, starter, [of(seat) for seat in range(3)])
    for made in range(7):
        history, bid = np.zeros((4, made), dtype=np.int64), np.zeros(4, dtype=np.int64)
        assert (seated(history, bid) == (starter + made) % 3).all()
