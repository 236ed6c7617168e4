"""Query policies in worker processes: functions of modules, with small arguments.

For `policy` see `app.server.advice.known`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from zhaifei.app.server.advice.known import lineup, match_reviewer, reviewer
from zhaifei.game.bids import Bid, legal_bids
from zhaifei.game.hands import Hand, hands
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View, view_of
from zhaifei.policies.advice.hints import Hint
from zhaifei.policies.catalogue.names import player_named
from zhaifei.policies.play.played import PlayedMatch, PlayedRound, for_points
from zhaifei.policies.players.player import Player, short_name
from zhaifei.policies.review.decisions import ReviewedDecision
from zhaifei.policies.review.luck import Known, RoundLuck, round_luck
from zhaifei.policies.review.reviewing import known_players


def decide(policy: Path | None, view: View, seed: int) -> int:
    """Return the action of a player with this view, whose random numbers follow from `seed`."""
    return lineup(policy, view.rules).player.sit(np.random.default_rng(seed)).decide(view)


def advise(policy: Path | None, view: View) -> Hint:
    """Return a hint for the player to move."""
    return match_reviewer(policy, view.rules).advisers.hint(view)


def review(
    policy: Path | None,
    rules: Rules,
    of: Rules,
    seat: int,
    hand: Hand,
    bids: Sequence[Bid],
    action: int,
) -> ReviewedDecision:
    """Return the review of a decision in a round with the rules `of`, as `reviewer` takes them."""
    return reviewer(policy, rules, of).decision(seat, hand, bids, action)


class Described(NamedTuple):
    """The names of a policy."""

    player: str
    """The name at the table."""
    policy: str
    """The name by which `--policy` finds it, from any directory."""
    is_known: bool
    """Whether it is a policy rather than rule-based players that stand in."""


def describe(policy: Path | None, rules: Rules) -> Described:
    """Return the names of the policy for these rules. Raise ZhaifeiError as `lineup` does."""
    found = lineup(policy, rules)
    return Described(short_name(found.player), found.policy_name, found.record is not None)


def warm_up(policy: Path | None, tell: Callable[[int], object] = lambda step: None) -> None:
    """Load the policy that is queried first, and try it, so that its kernels are loaded too. Before
    each of the PREPARING steps, call `tell` with the step's number, from 1."""
    tell(1)
    rules = lineup(policy, preset("zhaifei")).rules
    hand, opening = hands(rules)[-1], legal_bids(rules, None)[0]
    odd = (opening, legal_bids(rules, opening)[-2])  # a history that is solved again
    seat = len(odd) % rules.players
    for step, (bids, mover) in ((2, ((), 0)), (4, (odd, seat))):
        view = view_of(rules, mover, hand, 0, bids)
        tell(step)
        advise(policy, view)
        tell(step + 1)
        decide(policy, view, 0)


class Told(NamedTuple):
    """The luck in a round."""

    luck: RoundLuck
    seat_error: float
    """The error of the values of the seats."""


def tell_luck(
    policy: Path | None, match: PlayedMatch, played: PlayedRound, seat: int, share: float
) -> Told:
    """Return the luck of a seat in a round of a match, which is given without its rounds."""
    rules, round_ = for_points(match.rules, played)
    found = reviewer(policy, match.rules, rules)
    worth = found.seat_values
    luck = round_luck(found.policy, worth, round_, seat, _known(policy, match), share)
    return Told(luck, worth.error)


@lru_cache(1)
def _known(policy: Path | None, match: PlayedMatch) -> Mapping[int, Known]:
    own = lineup(policy, match.rules).player

    def load(name: str, rules: Rules) -> Player:
        return own if name == short_name(own) else player_named(name, rules)  # loaded already

    return known_players(match, load)
