"""What the other one of two players gives away in rounds in which the table plays.

Let V(I, a) be the most that the other player can expect to win after the action `a` at their
information set `I`, their hand and the bids, against the table. An action gives away

    max over their actions b of V(I, b)  -  V(I, a)

**Theorem.** Let this player play the table in a round. Whatever the other player does, the expected
payoff is at least what the table secures in this seat, plus the expected sum of what the other
player gives away.

*Proof.* Let I_1, I_2, ..., I_k be the information sets at which the other player acts in the round,
and a_1, ..., a_k the actions. All that lies between two of these is drawn from known probabilities:
hands, and the table's actions. So, by the definition of V, V(I_t, a_t) is the expectation of the
maximum of V(I_{t+1}, b) over b, or of the payoff if the round ends. The differences telescope. The
other player's payoff is expected to be the expected maximum of V at I_1, less the expected sum of
what they give away. The expected maximum of V at I_1 is what a best response earns, and the payoff
of this player is the negative of the other's. ∎

So the theorem also holds for anything between 0 and what is given away. The maximum is taken over
three actions only, whose values are computed by walks (`solver.response.replies`): the action
taken, the one that the table takes most often, and the challenge. The walk of the action taken
leaves lines out that have less than CUT of the probability, and counts them as won by the other
player; so what is given away is never too high. The other walks are exact. Nothing is counted for
the opening of a round, since the walks from there take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.hands import probabilities
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.response.replies import Replies
from zhaifei.solver.tables.lookup import Lookup

Floats = NDArray[np.float64]

CUT = 3e-3
"""The least share of the hands with which the table goes on, for which the line is walked. In one
match of 100 rounds against `probabilistic` it made the walks three times as fast, and left out
0.4 % of what was given away."""
KEPT = 4096
"""The most values that are kept, of 2 kB each with five dice."""


class Gifts:
    """What is given away in rounds of two players in which one of them plays the table `plain`."""

    def __init__(self, plain: TablePolicy) -> None:
        self._plain, self._rules = plain, plain.rules
        self._challenge = challenge_action(plain.rules)
        self._lookup = Lookup(bid_tables(plain.rules), plain.table)
        self._kept: dict[tuple[History, int, bool], Floats] = {}

    @cached_property
    def _replies(self) -> Replies:
        return Replies(self._plain.tables, self._plain.table)

    def given(self, place: int, hand: int, history: Sequence[int], action: int) -> float:
        """Return at least what the player at this `place` in the order of turns gave away in a
        round, with the `hand`. The `action` ended the round after the bids of `history`."""
        line = (*history, action)
        made = range(place or 2, len(line), 2)
        return sum(self._gift(line[:bids], line[bids], hand) for bids in made)

    def _gift(self, made: History, action: int, hand: int) -> float:
        """Return at least what the `action` after the bids `made` gives away."""
        usual = self._plain.strategy([domain(self._rules)[bid] for bid in made])[hand].argmax()
        others = {int(usual), self._challenge} - {action}
        taken = float(self._value(made, action, too_high=True)[hand])
        found = [float(self._value(made, one, too_high=False)[hand]) for one in others]
        return max([taken, *found]) - taken

    def _value(self, made: History, action: int, *, too_high: bool) -> Floats:
        """Return [hand] what the player to move can expect to win by the `action` after the bids
        `made`: V in the theorem, or somewhat more if it may be `too_high`."""
        key = made, action, too_high
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[key] = self._computed(made, action, too_high=too_high)
        return self._kept[key]

    def _computed(self, made: History, action: int, *, too_high: bool) -> Floats:
        """Return what is kept as `_value`. If rounding of the table left no hand that bids like
        this, return zeros."""
        range_ = self._range(made)
        mass = range_.sum()
        if mass == 0.0:
            return np.zeros_like(range_)
        if action < self._challenge:
            line, replies = (*made, action), self._replies
            if too_high:
                won = replies.at_most(line, range_, least=CUT * mass)
            else:
                won = replies.value(line, range_, moves=False)
        else:
            won = self._replies.ended(made, range_, action - self._challenge, moves=True)
        value: Floats = won / mass
        return value

    def _range(self, made: History) -> Floats:
        """Return [hand] the probability that the player not to move has the hand and bids like
        this."""
        place = (len(made) + 1) % 2
        range_: Floats = probabilities(self._rules, place).copy()
        for bids in range(place, len(made), 2):
            before = np.array([made[:bids]], dtype=np.int64)
            range_ *= self._lookup.played(self._lookup.nodes(before), np.array([made[bids]]))[0]
        return range_
