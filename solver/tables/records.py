"""The records that packed tables are coded in: arrays for one record, and for a walk of them.

A *record* is a node of a table, or a gap between nodes (`solver.tables.node_coding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.hand_classes import codes_of
from zhaifei.solver.showdown import showdown_tables

Ints = NDArray[np.int64]

PLAYED, ON = 1, 2
"""Flags of an action. PLAYED: some hand plays it. ON: a record follows it."""
LEFT_DIGITS = 17
"""The most binary digits of a share."""


class Frames(NamedTuple):
    """The state of a walk of the records, for each history on its path; axis `depth` counts
    bids."""

    context: Ints
    """[depth] the context of the history."""
    last: Ints
    """[depth] the last bid, or -1."""
    waiting: Ints
    """[depth] how many records that continue this history are still to come."""
    follower: NDArray[np.int64]
    """[depth, place, 3] the records that continue this history, the last one first: the action, and
    the first entry and the end of its row. Both are 0 if no hand plays the action."""
    own: Ints
    """[depth, 2] the first entry and the end of the row of the move made at this depth."""
    reach: NDArray[np.float64]
    """[depth, hand] how often the player who moves comes here with the hand, by the deal and their
    own moves. 0 for hands that have not played their move before."""
    kinds: Ints
    """[depth] the set of kinds of the record."""
    place: Ints
    """[depth] the place of the record in the tree, for encoding."""
    here: Ints
    """[3] the depth of the first records; and, for encoding, the depth of the record to come, or
    -1, and how many starts have begun."""


class Record(NamedTuple):
    """One record."""

    action: Ints
    """[listed] the actions."""
    lead: Ints
    """[listed] their flags."""
    flags: Ints
    """[3] whether the node has a challenge of the last bid; whether all hands that play have played
    the player's move before; and the set of kinds."""
    may: Ints
    """[place] the hands that may play."""
    of: Ints
    """[place] the class of each of these hands, in the order of their first hands."""
    first: Ints
    """[class] its first hand."""
    seldom: Ints
    """[class] how seldom the class comes here: its reach is about 2**(-seldom / 2)."""
    reach: NDArray[np.float64]
    """[class] how often the class comes here."""
    share: NDArray[np.int64]
    """[class, row] the shares of each class."""
    left: Ints
    """[class] what they leave for a challenge."""
    dense: NDArray[np.int64]
    """[row, hand] the shares of each hand, for encoding. All are 0 between records."""


class Slots(NamedTuple):
    """A hash table of classes by the codes of their hands."""

    code: Ints
    """[slot]"""
    first: Ints
    """[slot] the place of the first hand with this code."""
    stamp: Ints
    """[slot] the last stamp with which the slot was filled."""
    now: Ints
    """[1] the stamp of the current table. Slots with other stamps are empty."""


class Scratch(NamedTuple):
    """Scratch for one record."""

    bid: Ints
    """[row] the action of each row."""
    chosen: Ints
    """[place] the rows that a class plays."""
    popular: Ints
    """[row] how many classes have played the row so far."""
    played: Ints
    """[row] whether the last class that played played the row: 0 or 1, or 2 if there was none."""
    code: Ints
    """[place] a code of how the hand that may play counts for some kinds."""
    class_of: Ints
    """[place of a first hand] the number of its class."""
    slots: Slots


class Coding(NamedTuple):
    """Data that encoding and decoding share."""

    code: Ints
    """[bid + 1] what each bid adds to a context."""
    players: int
    plain: int
    """The number of bids that are no doubles; the doubles follow them."""
    hands: int
    steps: int
    most: int
    """The most bytes that a record takes."""
    prior: NDArray[np.float64]
    """[player, hand]"""
    kind: Ints
    """[bid]"""
    matches: NDArray[np.int8]
    """[kind, hand] how many dice of the hand count."""
    codes: NDArray[np.int64]
    """[kind, hand] as `solver.hand_classes.codes_of` returns. The last kind, which no bid has,
    tells hands apart that count alike for all bids."""
    order: Ints
    """[kind] the kinds in the order in which encoding tries to do without them: after the last one,
    those first for which the fewest dice count, since they divide hands finest."""
    frames: Frames
    record: Record
    scratch: Scratch


def new_coding(code: Ints, bids: BidTables, steps: int) -> Coding:
    """Return the data for coding tables of the rules of `bids` whose probabilities have this number
    of `steps`. `code` [bid + 1] is what each bid adds to a context."""
    actions, hands = bids.claimed.size + bids.endings, bids.hands
    depths, slots = code.size + bids.players + 1, 1 << (4 * hands).bit_length()
    tables = showdown_tables(bids)

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Coding(
        code,
        bids.players,
        bids.plain,
        hands,
        steps,
        4 * actions * (32 + hands * (LEFT_DIGITS + 4)),
        tables.prior,
        bids.kind,
        tables.matches,
        _codes(tables.matches),
        np.append(len(tables.matches), np.argsort(tables.matches.sum(axis=1), kind="stable")),
        Frames(
            whole(depths),
            whole(depths),
            whole(depths),
            whole(depths, actions, 3),
            whole(depths, 2),
            np.zeros((depths, hands)),
            whole(depths),
            whole(depths),
            whole(3),
        ),
        Record(
            whole(actions),
            whole(actions),
            whole(3),
            whole(hands),
            whole(hands),
            whole(hands),
            whole(hands),
            np.zeros(hands),
            whole(hands, actions),
            whole(hands),
            whole(actions, hands),
        ),
        Scratch(
            whole(actions),
            whole(actions),
            whole(actions),
            whole(actions),
            whole(hands),
            whole(hands),
            Slots(whole(slots), whole(slots), whole(slots), whole(1)),
        ),
    )


def _codes(matches: NDArray[np.integer]) -> Ints:
    """Return `Coding.codes` for hands of which `matches` [kind, hand] dice count."""
    codes = codes_of(matches)
    alike = codes.sum(axis=0)
    before = np.tril(alike[:, np.newaxis] == alike, -1).sum(axis=1)
    return np.vstack([codes, before * (alike.max() + 1)])


def begin(coding: Coding, moves: Sequence[tuple[int, int, int]]) -> None:
    """Prepare for records that follow these `moves` from the start of a round. A move is the bid,
    and the first entry and the end of the row that makes it."""
    frames = coding.frames
    frames.waiting[:] = frames.context[:1] = 0
    frames.last[0] = NO_BID
    for depth, (bid, *entries) in enumerate(moves):
        frames.last[depth + 1], frames.own[depth] = bid, entries
        frames.context[depth + 1] = frames.context[depth] + coding.code[bid + 1]
    frames.kinds[: len(moves)] = (1 << len(coding.codes)) - 1
    frames.here[:] = len(moves), -1, 0
