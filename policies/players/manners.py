"""More styles of bidding, for whoever knows a table that players may follow.

`Manners` has more styles than `policies.players.kinds`. The bids of several rounds tell them apart,
once all hands have been shown; the few bids of one round hardly do:

    sharp, flat:  plausible bidding with another power
    bluffs:       the bids of plausible bidding, but with any hand
    careful:      the weakest raise that is at least LIKELY, given the own hand
    bold:         the strongest raise that is at least BOLD, given the own hand
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zhaifei.game.bidding import bidding
from zhaifei.game.hands import probabilities
from zhaifei.game.rules import Rules
from zhaifei.policies.players.kinds import Kinds, Style
from zhaifei.policies.players.reading import FLOOR, PlausibleBidding
from zhaifei.policies.players.styles import FirstBidding, FixedBidding

STYLES = "plausible", "climbs", "stays", "sharp", "flat", "bluffs", "careful", "bold"
"""The names of the styles: those of `Kinds`, then the others in the order above."""
SHARES = (0.5, 0.08, 0.07, 0.1, 0.05, 0.05, 0.08, 0.07)
"""[style] the probability of each of the STYLES of a player who has never bid."""
SHARP, FLAT = 10.0, 1.0
"""The powers of plausible bidding of sharp and flat players."""
LIKELY, BOLD = 0.5, 0.4
"""The least probability of the raises of careful and of bold players."""


class Manners(Kinds):
    """The kinds of players for some rules, with all STYLES."""

    shares: Sequence[float] = SHARES

    def _styles(self) -> tuple[Style, ...]:
        rules, plausible = self._rules, self.bidding
        return (
            *super()._styles(),
            PlausibleBidding(rules, SHARP, FLOOR),
            PlausibleBidding(rules, FLAT, FLOOR),
            _bluffs(rules, plausible),
            FirstBidding(rules, LIKELY, plausible, from_weakest=True),
            FirstBidding(rules, BOLD, plausible, from_weakest=False),
        )


def _bluffs(rules: Rules, plausible: PlausibleBidding) -> FixedBidding:
    """Return the bidding of a player who makes each raise as often as `plausible` bidding does on
    average over all hands."""
    prior, total = probabilities(rules), plausible.total
    share = np.divide(prior, total, out=np.zeros_like(total), where=total > 0.0)
    return FixedBidding(rules, share @ plausible.weight.T * bidding(rules).legal)
