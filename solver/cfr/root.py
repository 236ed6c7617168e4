"""The position that a tree grows from: the start of a round, or any later one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.tables import NO_BID, BidTables


class Root(NamedTuple):
    """A position as kernels see it: what was bid, and what each player may hold. Arrays are
    C-contiguous and read-only.

    Players are numbered in turn order from the one who moves here, so that `depth` bids later it is
    the turn of player `depth % players`.
    """

    bids: BidTables
    made: NDArray[np.int64]
    """[n] the bids made so far, oldest first."""
    ranges: NDArray[np.float32]
    """[player, hand] the probability that the player has the hand and has bid as they did."""
    hands: NDArray[np.int64]
    """[player] which of the sets of hands below is theirs."""
    matches: NDArray[np.uint32]
    """[set, kind, hand] how many dice of the hand count towards bids of the kind,"""
    matches_of: NDArray[np.uint8]
    """[set, hand, kind] and the same, by hand."""
    having: NDArray[np.float32]
    """[set, kind, count, hand] 1 if exactly `count` dice of the hand count, else 0."""

    @property
    def last(self) -> int:
        """The last bid, NO_BID at the start of a round."""
        return int(self.made[-1]) if self.made.size else NO_BID

    @property
    def actions(self) -> NDArray[np.int64]:
        """[action] what is legal: the challenges by distance, then the raises, weakest first."""
        bids = self.bids
        challenges = bids.claimed.size + np.arange(min(bids.challenges, self.made.size))
        raises = np.flatnonzero(bids.legal[self.last + 1])
        return np.concatenate([challenges, raises])


def root_of(
    bids: BidTables, made: Sequence[int] = (), ranges: NDArray[np.float32] | None = None
) -> Root:
    """Return the position after the bids `made`, with the `ranges` [player, hand] in turn order
    from the player who moves there; None stands for those of the deal. All players have the hands
    of `bids`."""
    if ranges is None:
        ranges = bids.prior
    _, first = np.unique(bids.kind, return_index=True)
    matches = bids.matches[first]
    root = Root(
        bids=bids,
        made=np.array(made, dtype=np.int64),
        ranges=np.array(ranges, dtype=np.float32),
        hands=np.zeros(bids.players, dtype=np.int64),
        matches=matches.astype(np.uint32)[np.newaxis],
        matches_of=np.ascontiguousarray(matches.T.astype(np.uint8))[np.newaxis],
        having=bids.having[np.newaxis],
    )
    for array in root[1:]:
        array.setflags(write=False)
    return root
