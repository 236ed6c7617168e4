"""Decisions of the program's players, made in worker processes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from zhaifei.app.server.rooms.room import PROGRAM
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.catalogue.learners import learner_for
from zhaifei.policies.catalogue.names import player_named
from zhaifei.policies.play.lineup import strongest_lineup
from zhaifei.policies.play.sat_through import Played, SatThrough
from zhaifei.policies.players.player import Player

_KEPT = 4
"""Number of players kept: a table has tens of megabytes."""
_MEMORY = 1 << 24
"""Bytes of solved positions that a player keeps."""
_LEARNERS = 16
"""Number of learners kept, of which a room has up to seven. Others are made anew when asked."""


def decide(name: str, view: View, seed: int) -> int:
    """Return the action of the program's player of this name, whose random numbers follow from
    `seed`. Raise ZhaifeiError if the player cannot be loaded."""
    return _player(name, view.rules).sit(np.random.default_rng(seed)).decide(view)


def decide_as_learner(seed: int, rounds: Sequence[Played], view: View) -> int:
    """Return the action of a player who has learned from all `rounds` of the match that have ended,
    oldest first. The random numbers follow from the `seed` of the match, which no other match may
    have. The action does not depend on what was asked before: see `policies.play.sat_through`.
    Raise ZhaifeiError if the player cannot be loaded."""
    learner = _learners.pop((seed, view.seat), None)
    if learner is None or not learner.is_before(rounds, view):
        learner = SatThrough(_learning(view.rules), view.seat, seed)
    action = learner.decide(rounds, view)
    _learners[seed, view.seat] = learner
    if len(_learners) > _LEARNERS:
        _learners.popitem(last=False)
    return action


_learners: OrderedDict[tuple[int, int], SatThrough] = OrderedDict()
"""The learners of this process that were asked last, by the seed of the match and the seat."""


@lru_cache(_KEPT)
def _learning(rules: Rules) -> Player:
    return player_named(learner_for(rules), rules)


@lru_cache(_KEPT)
def _player(name: str, rules: Rules) -> Player:
    if name != PROGRAM[0]:
        return player_named(name, rules)
    return strongest_lineup(None, rules, _MEMORY).player


def plain_action(round_: Round) -> int:
    """Return a legal action for a player who cannot be asked: a challenge, or else the lowest
    bid."""
    if round_.can_challenge():
        return challenge_action(round_.rules)
    bids = round_.legal_bids()
    return action_of(round_.rules, bids[0]) if bids else DECLINE
