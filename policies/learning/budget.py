"""How much a player of two may risk to exploit the other, and still not lose by it.

A table that is nearly an equilibrium secures about the value of the round against everybody. A
strategy that exploits a model of the other player wins more if the model is right, and may lose the
round if it is wrong. A budget decides in how many rounds the model is trusted: what has been won by
trusting it may be risked again (Ganzfried & Sandholm 2015, "Safe opponent exploitation").

**The account.** It begins with `budget` penalty points. Let `v` be the value of the round in this
player's seat. Before a round, the player stakes `q * (1 + v)` of the account, where `q` is the
probability with which they *depart* from the table in this round, and draws whether they do. If
they depart, the account receives `1 + x`. Here `x` is the expected payoff of the round given the
bids and the other player's hand: the own hand is averaged over the hands with which this player
makes the same decisions. If they do not depart, the account may receive some of what the other
player gave away in the round (`policies.learning.gifts`).

**Theorem.** The opponent may know this program, and may adapt to all earlier rounds. The expected
sum of the payoffs is still at least the sum of what the table secures in the same seats, less
`budget`.

*Proof.* A stake is never more than the account, and `x >= -1`, so the account is never negative.
Write `d = 1` if the player departs in a round and `d = 0` otherwise, and `g` for what the account
receives if they do not. The account at the end is

    budget + sum over rounds of (d * (1 + x) + (1 - d) * g - q * (1 + v))  >=  0.

The draw is independent of everything before it, so `E[q] = E[d]`, and thus

    E[sum of d * x + (1 - d) * g]  >=  E[sum of d * v] - budget.

Whether the player departs in a round, and how, is decided by what both players could see before the
round. So `x` is the expected payoff given what happened before, the bids and the other's hand, and
`E[d * payoff] = E[d * x]`. In the other rounds the player plays the table, which earns at least
what it secures plus `g` in expectation, whatever the other does, by the theorem of
`policies.learning.gifts`. It secures at most `v` in each seat, since `v` is what it earns against
itself there, and a best response to it leaves it no more. Adding both kinds of rounds proves the
theorem.

The account stakes as much as it can, up to `1 + v`. If it has less, smaller stakes in more rounds
would make a departure less likely: the chances of all of them add up to no more.

With more than two players nothing is secured, so there is no budget.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]

BUDGET = 1.0
"""Penalty points a match."""


class Budget:
    """The accounts of one player in several matches."""

    def __init__(self, matches: int, budget: float = BUDGET) -> None:
        self.account: Floats = np.full(matches, budget)
        """[match] penalty points, never negative."""

    def stake(self, wants: Bits, value: Floats, uniform: Floats) -> Bits:
        """Return [match] whether the player departs from the table in the next round, and take the
        stakes from the accounts. Nobody departs who does not want to: `wants` [match]. The `value`
        [match] is that of the round in the player's seat; `uniform` [match] has random numbers from
        [0, 1)."""
        loss = 1.0 + value
        chance = np.minimum(1.0, self.account / loss) * wants
        self.account -= chance * loss
        np.maximum(self.account, 0.0, out=self.account)  # rounding
        departs: Bits = uniform < chance
        return departs

    def receive(self, matches: NDArray[np.int64], payoff: Floats) -> None:
        """Credit the expected `payoff` [round] of a round in which the player departed from the
        table, in each of the `matches` [round]."""
        self.account[matches] += 1.0 + payoff

    def credit(self, match: int, given: float) -> None:
        """Credit what the other player gave away in a round in which the table played."""
        self.account[match] += given
