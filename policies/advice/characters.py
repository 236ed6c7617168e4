"""The characters of players: how they bid, and what shown dice say of it.

**What bids mean** depends on who makes them. Each player has one of three characters:

- *unknown*: bids like the policy, or now and then what the player's own dice support;
- *careful*: bids what the player's own dice support, so that bids tell much;
- *bluffs*: bids tell little.

The latter two are `policies.players.reading.PlausibleBidding` with other settings.

**Learning.** Shown dice give the likelihood of their player's bids under each character. No player
has exactly one of the three characters, so the log-likelihood of a bid is multiplied by TEMPER.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from zhaifei.game.bids import action_of, places_by
from zhaifei.game.hands import Hand, hand_index
from zhaifei.game.rules import Rules
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.players.mixed_bidding import MixedBidding
from zhaifei.policies.players.reading import Likelihood, PlausibleBidding
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.policies.players.table_reading import SURPRISE


class Character(Enum):
    """How a player bids."""

    UNKNOWN = "unknown"
    CAREFUL = "careful"
    BLUFFS = "bluffs"


CHARACTERS = tuple(Character)
_SETTINGS = {Character.CAREFUL: (6.0, 0.02), Character.BLUFFS: (1.0, 0.3)}
"""The power and the floor of each character's plausible bidding."""
_BEFORE = {Character.UNKNOWN: 0.5, Character.CAREFUL: 0.25, Character.BLUFFS: 0.25}
"""The prior probability of each character."""
TEMPER = 0.5
_FLOOR = 1e-9
"""The least probability of a bid: damaged files have smaller ones."""
SURE = 0.75
"""The probability from which on a player is taken to have the learnt character."""


@lru_cache(8)
def plausible(rules: Rules) -> Mapping[Character, PlausibleBidding]:
    """Return how players bid whose character is known."""
    return {one: PlausibleBidding(rules, *settings) for one, settings in _SETTINGS.items()}


def likelihoods(policy: TablePolicy | None, rules: Rules) -> dict[Character, Likelihood]:
    """Return the likelihood of bids for each character."""
    usual = PlausibleBidding(rules)
    unknown = usual if policy is None else MixedBidding(policy, SURPRISE, usual)
    return {**plausible(rules), Character.UNKNOWN: unknown}


# Learning


class Evidence(NamedTuple):
    """The evidence of a round on the characters of its players."""

    likely: tuple[tuple[float, ...], ...]
    """[seat][character] the logarithm of the likelihood of the player's bids."""
    bids: tuple[int, ...]
    """[seat] the number of the player's bids for which the dice are known."""


class Learnt(NamedTuple):
    """The character of a player, as learnt from some rounds."""

    probability: dict[Character, float]
    bids: int
    """The number of bids for which the dice are known."""

    @property
    def likeliest(self) -> Character:
        """The likeliest character."""
        return max(self.probability, key=self.probability.__getitem__)

    @property
    def character(self) -> Character:
        """The character that the player is taken to have."""
        sure = self.probability[self.likeliest] >= SURE
        return self.likeliest if sure else Character.UNKNOWN


def evidence_of(policy: TablePolicy | None, rules: Rules, played: PlayedRound) -> Evidence:
    """Return the evidence of a round on how each player bids."""
    kinds = likelihoods(policy, rules)
    history = [action_of(rules, one) for one in played.bids(rules)]
    likely, bids = [], []
    for seat in range(rules.players):
        places = places_by(rules, history, seat - played.starter)
        hand = played.hands[seat]
        if hand is None:
            likely.append((0.0,) * len(CHARACTERS))
            bids.append(0)
            continue
        likely.append(
            tuple(_how_likely(rules, kinds[one], history, places, hand) for one in CHARACTERS)
        )
        bids.append(len(places))
    return Evidence(tuple(likely), tuple(bids))


def _how_likely(
    rules: Rules, kind: Likelihood, history: list[int], places: list[int], hand: Hand
) -> float:
    """Return the logarithm of the likelihood of the bids at these places with `hand`."""
    found = 0.0
    for place in places:
        before = np.array([history[:place]], dtype=np.int64).reshape(1, -1)
        likely = kind(before, np.array([history[place]]))[0, hand_index(rules, hand)]
        found += math.log(max(float(likely), _FLOOR))
    return found


def learnt_from(found: Sequence[tuple[tuple[float, ...], int]]) -> Learnt:
    """Return what the rounds say of a player. Each round gives [character] the logarithm of the
    likelihood of the bids, and the number of bids with known dice."""
    logs = np.log([_BEFORE[one] for one in CHARACTERS])
    for likely, _ in found:
        logs += TEMPER * np.array(likely)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return Learnt(
        dict(zip(CHARACTERS, shares.tolist(), strict=True)), sum(bids for _, bids in found)
    )
