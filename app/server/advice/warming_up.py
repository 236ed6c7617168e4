"""The policy that is asked first, and its compiled code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from zhaifei.app.server.advice.known import lineup, match_reviewer
from zhaifei.game.bids import legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.rules import preset
from zhaifei.game.views import view_of


def warm_up(policy: Path | None, tell: Callable[[int], object] = lambda step: None) -> None:
    """Load the policy that is asked first, and try it, so that its kernels are loaded too. Before
    each of `workers.PREPARING` steps, call `tell` with the step's number, from 1."""
    tell(1)
    found = lineup(policy, preset("zhaifei"))
    rules = found.rules
    hand, opening = hands(rules)[-1], legal_bids(rules, None)[0]
    odd = (opening, legal_bids(rules, opening)[-2])  # a history that is solved again
    seat = len(odd) % rules.players
    for step, (bids, mover) in ((2, ((), 0)), (4, (odd, seat))):
        view = view_of(rules, mover, hand, 0, bids)
        tell(step)
        match_reviewer(policy, rules).advisers.hint(view)
        tell(step + 1)
        found.player.sit(np.random.default_rng(0)).decide(view)
