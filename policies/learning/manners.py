"""More styles of bidding, for players who are met again.

The few bids of one round cannot tell many styles apart; the bids of several rounds can, once all
hands have been shown. So `Manners` has more styles than `policies.players.kinds`:

    sharp, flat:  plausible bidding with another power
    bluffs:       the bids of plausible bidding, but with any hand
    careful:      the weakest raise that is at least LIKELY, given the own hand
    bold:         the strongest raise that is at least BOLD, given the own hand

A careful player stops at each such raise with the probability `kinds.STOP`, the weakest first; a
bold player does the same from the strongest down. A share `kinds.SLIP` of their bids is plausible
instead, and so are all bids with a hand that has no such raise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding, states_after
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.policies.players.kinds import SLIP, STOP, Kinds
from zhaifei.policies.players.reading import FLOOR, PlausibleBidding
from zhaifei.policies.players.rule_based import chances

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SHARES = (0.5, 0.08, 0.07, 0.1, 0.05, 0.05, 0.08, 0.07)
"""[style] the probability of each style of a player who has never bid: the styles of `Kinds`, then
sharp, flat, bluffs, careful and bold."""
SHARP, FLAT = 10.0, 1.0
"""The powers of plausible bidding of sharp and flat players."""
LIKELY, BOLD = 0.5, 0.4
"""The least probability of the raises of careful and of bold players."""


class Manners(Kinds):
    """The kinds of players for some rules, with the styles of SHARES."""

    shares = SHARES

    def __init__(self, rules: Rules, plausible: PlausibleBidding) -> None:
        super().__init__(rules, plausible)
        self._sharp, self._flat = (PlausibleBidding(rules, one, FLOOR) for one in (SHARP, FLAT))
        prior, total = probabilities(rules), plausible.total
        share = np.divide(prior, total, out=np.zeros_like(total), where=total > 0.0)
        self._of_all_hands: Floats = share @ plausible.weight.T
        """[state, bid] the probability of each raise, over all hands."""
        self._legal = bidding(rules).legal.astype(np.float64)
        self._likely, self._bold = (
            (chances(rules) >= least).astype(np.float64) for least in (LIKELY, BOLD)
        )
        """[bid, hand] 1 where the bid is likely enough, else 0."""

    def styles(self, history: Ints, bid: Ints) -> Floats:
        """See Kinds."""
        few, state = super().styles(history, bid), states_after(self._rules, history)
        plausible = few[:, 0]
        of_all = np.broadcast_to(self._of_all_hands[state, bid][:, np.newaxis], plausible.shape)
        more = (
            self._sharp(history, bid),
            self._flat(history, bid),
            of_all,
            self._first(self._likely, state, bid, plausible, from_weakest=True),
            self._first(self._bold, state, bid, plausible, from_weakest=False),
        )
        return np.concatenate([few, np.stack(more, axis=1)], axis=1)

    def _first(
        self, enough: Floats, state: Ints, bid: Ints, plausible: Floats, *, from_weakest: bool
    ) -> Floats:
        """Return [turn, hand] the probability of the `bid` [turn] of a player who stops at the
        first raises that are `enough` [bid, hand]."""
        legal = self._legal[state]
        every = legal @ enough
        before = (legal * (np.arange(legal.shape[1]) < bid[:, np.newaxis])) @ enough
        if not from_weakest:
            before = np.maximum(every - before - enough[bid], 0.0)
        goes_on = 1.0 - STOP
        total = (1.0 - goes_on**every) / STOP
        first = enough[bid] * goes_on**before
        chosen = np.divide(first, total, out=plausible.copy(), where=every > 0.0)
        mixed: Floats = (1.0 - SLIP) * chosen + SLIP * plausible
        return mixed
