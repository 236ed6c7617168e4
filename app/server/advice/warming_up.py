"""The policy that is asked first, and its compiled code."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from zhaifei.app.server.advice.known import lineup, match_reviewer
from zhaifei.game.bids import legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.rules import preset
from zhaifei.game.views import view_of


def warm_up(policy: Path | None) -> None:
    """Load the policy that is asked first, and try it, so that its kernels are loaded too."""
    found = lineup(policy, preset("zhaifei"))
    rules = found.rules
    hand, opening = hands(rules)[-1], legal_bids(rules, None)[0]
    odd = (opening, legal_bids(rules, opening)[-2])  # a history that is solved again
    seat = len(odd) % rules.players
    for bids, mover in (((), 0), (odd, seat)):
        view = view_of(rules, mover, hand, 0, bids)
        match_reviewer(policy, rules).advisers.hint(view)
        found.player.sit(np.random.default_rng(0)).decide(view)
