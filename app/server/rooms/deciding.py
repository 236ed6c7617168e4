"""Decisions of the program's players, made in worker processes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from zhaifei.app.server.rooms.room import PROGRAM
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.catalogue.names import player_named
from zhaifei.policies.play.lineup import strongest_lineup
from zhaifei.policies.players.player import Player

_KEPT = 4
"""Number of players kept: a table has tens of megabytes."""
_MEMORY = 1 << 24
"""Bytes of solved positions that a player keeps."""


def decide(name: str, view: View, seed: int) -> int:
    """Return the action of the program's player of this name, whose random numbers follow from
    `seed`. Raise ZhaifeiError if the player cannot be loaded."""
    return _player(name, view.rules).sit(np.random.default_rng(seed)).decide(view)


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
