"""The features that networks for three players or more take as input.

The information state tensor has a bit for each bid, and networks of two players read the whole of
it. With six players the bids of a round need 330 bits three times over, and a network of these
features does not fit in half a megabyte. What a decision depends on is shorter:

| piece | size | meaning |
|---|---|---|
| `hand` | kinds * dice | at least 1, 2, ... own dice count towards bids of a kind |
| `public` | players | one-hot: the place in the order of turns |
| 〃 | 2 * players | at least 1, 2, ... bids were made |
| 〃 | bids | one-hot: the last bid |
| 〃 | (players - 1) * (kinds + dice on the table) | the latest bid of each earlier seat, and the |
| | | own one: its kind, and at least 1, 2, ... claimed |
| 〃 | players * kinds | whether a seat, counted backwards from the last bidder, bid a kind |
| 〃 | players | whether it named the face of the last bid |
| `joint` | others' dice + 1 | at least 1, 2, ... of the others' dice must count for the last bid |
| 〃 | dice | at least 1, 2, ... own dice count for the last bid |
| 〃 | players - 1 | the chance of the latest bid of each other seat |
| 〃 | kinds | the chance of the weakest legal raise of each kind |

Chances are those of the own hand and of dice of the others that were just rolled. Only `joint`
depends on the hand and the bids together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from zhaifei.game.bidding import bidding, states_after
from zhaifei.game.bids import domain
from zhaifei.game.chances import others_show
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.encoding import Bits, Floats, Ints, hand_bits
from zhaifei.policies.players.features import feature_tables


class SeatTables(NamedTuple):
    """The tables from which features are computed. Arrays are read-only."""

    hand: Floats
    """[hand, kind * dice] the piece `hand`."""
    own: Ints
    """[hand, kind] how many own dice count."""
    kind: Ints
    """[bid]"""
    claimed: Ints
    """[bid] the count that the bid claims."""
    same_face: Bits
    """[bid, kind] whether the kind names the face of the bid."""
    weakest: Ints
    """[state, kind] the smallest count of a legal raise of the kind, or one more than any."""
    chance: Floats
    """[kind, needed] the chance that `needed` of the others' dice count."""


def _read_only(tables: SeatTables) -> SeatTables:
    for array in tables:
        array.setflags(write=False)
    return tables


@lru_cache(maxsize=8)
def seat_tables(rules: Rules) -> SeatTables:
    """Return the tables of `rules`. Raise RulesError as `feature_tables` does."""
    common, tables, bids = feature_tables(rules), bid_tables(rules), domain(rules)
    own = (hand_bits(rules) @ common.counts).astype(np.int64)
    at_least = own[:, :, np.newaxis] >= common.steps
    faces = np.array([bid.face for bid in bids])
    kinds = common.kind.shape[1]
    first = [int(np.argmax(tables.kind == kind)) for kind in range(kinds)]
    return _read_only(
        SeatTables(
            at_least.reshape(len(own), -1).astype(np.float32),
            own,
            tables.kind,
            tables.claimed,
            faces[:, np.newaxis] == faces[first],
            _weakest(rules, kinds),
            _chances(rules, first),
        )
    )


def _weakest(rules: Rules, kinds: int) -> Ints:
    """Return [state, kind], as `SeatTables.weakest`."""
    tables, legal = bid_tables(rules), bidding(rules).legal
    weakest = np.full((len(legal), kinds), _beyond(rules))
    for state, bid in np.argwhere(legal):
        kind = tables.kind[bid]
        weakest[state, kind] = min(weakest[state, kind], tables.claimed[bid])
    return weakest


def _beyond(rules: Rules) -> int:
    """Return a count that no dice reach, whatever one hand holds."""
    return 2 * rules.total_dice + 1


def _chances(rules: Rules, first: Sequence[int]) -> Floats:
    """Return [kind, needed], as `SeatTables.chance`; `first` [kind] is a bid of the kind."""
    others = rules.total_dice - rules.dice
    shown = [others_show(rules, domain(rules)[bid], others) for bid in first]
    return np.array(shown, dtype=np.float32)


def seat_feature_sizes(rules: Rules) -> tuple[int, int, int]:
    """Return the number of features in the pieces `hand`, `public` and `joint`."""
    tables, players = seat_tables(rules), rules.players
    bids, kinds = tables.same_face.shape
    latest = (players - 1) * (kinds + rules.total_dice)
    public = players + 2 * players + bids + latest + players * kinds + players
    joint = rules.total_dice - rules.dice + 1 + rules.dice + players - 1 + kinds
    return tables.hand.shape[1], public, joint


def seat_features(rules: Rules, hand: Ints, history: Ints) -> Floats:
    """Return [decision, feature] float32, the features of the player in turn with `hand`
    [decision] after `history` [decision, bid]."""
    return np.concatenate(
        [
            seat_tables(rules).hand[hand],
            public_features(rules, history),
            joint_features(rules, hand, history),
        ],
        axis=1,
    )


def public_features(rules: Rules, history: Ints) -> Floats:
    """Return [history, feature] float32, the piece `public` after `history` [history, bid]."""
    tables, players, (rounds, made) = seat_tables(rules), rules.players, history.shape
    kinds = tables.same_face.shape[1]
    counts = np.arange(1, rules.total_dice + 1)
    seat = np.tile(np.arange(players) == made % players, (rounds, 1))
    number = np.tile(np.arange(1, 2 * players + 1) <= made, (rounds, 1))
    last = np.zeros((rounds, len(tables.kind)), dtype=np.bool_)
    if made:
        last[np.arange(rounds), history[:, -1]] = True
    pieces: list[Bits] = [seat, number, last]
    for ago in range(2, players + 1):
        bid = history[:, made - ago : made - ago + 1] if made >= ago else None
        pieces.append(_one_hot(rounds, kinds, None if bid is None else tables.kind[bid]))
        claimed = np.zeros((rounds, 1)) if bid is None else tables.claimed[bid]
        pieces.append(claimed >= counts)
    named = [
        _one_hot(rounds, kinds, tables.kind[history[:, ::-1][:, back::players]])
        for back in range(players)
    ]
    same = tables.same_face[history[:, -1]] if made else np.zeros((rounds, kinds), dtype=np.bool_)
    faces = [(one & same).any(axis=1, keepdims=True) for one in named]
    return np.concatenate([*pieces, *named, *faces], axis=1).astype(np.float32)


def _one_hot(rounds: int, size: int, places: Ints | None) -> Bits:
    """Return [round, size] bits, true at the `places` [round, any], or nowhere."""
    bits = np.zeros((rounds, size), dtype=np.bool_)
    if places is not None:
        np.put_along_axis(bits, places, True, axis=1)
    return bits


def joint_features(rules: Rules, hand: Ints, history: Ints) -> Floats:
    """Return [decision, feature] float32, the piece `joint` of `hand` [decision] after `history`
    [decision, bid]."""
    tables, (rounds, made) = seat_tables(rules), history.shape
    own, others = tables.own[hand], rules.total_dice - rules.dice
    result = np.zeros((rounds, seat_feature_sizes(rules)[2]), dtype=np.float32)
    at, rows = others + 1 + rules.dice, np.arange(rounds)
    if made:
        last = history[:, -1]
        counted = own[rows, tables.kind[last]]
        needed = tables.claimed[last] - counted
        result[:, : others + 1] = needed[:, np.newaxis] >= np.arange(1, others + 2)
        result[:, others + 1 : at] = counted[:, np.newaxis] >= np.arange(1, rules.dice + 1)
    for ago in range(1, min(rules.players - 1, made) + 1):
        bid = history[:, made - ago]
        kind = tables.kind[bid]
        needed = np.clip(tables.claimed[bid] - own[rows, kind], 0, others + 1)
        result[:, at + ago - 1] = tables.chance[kind, needed]
    at += rules.players - 1
    needed = np.clip(tables.weakest[states_after(rules, history)] - own, 0, others + 1)
    result[:, at:] = tables.chance[np.arange(own.shape[1]), needed]
    return result
