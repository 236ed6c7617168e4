"""The root of a growing tree: the start of a round, or any later position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.bidding import legal_endings, state_at


class Root(NamedTuple):
    """A position in the form that kernels read: the bids so far and each player's range. All arrays
    are C-contiguous and read-only.

    Players are numbered in turn order from the player who moves at the root.
    """

    bids: BidTables
    made: NDArray[np.int64]
    """[n] the bids so far, oldest first."""
    ranges: NDArray[np.float32]
    """[player, hand] the probability that the player has the hand and has bid as they did."""
    matches: NDArray[np.uint32]
    """[kind, hand] how many dice of the hand count towards bids of the kind."""
    matches_of: NDArray[np.uint8]
    """[hand, kind] the transpose of `matches`."""

    @property
    def last(self) -> int:
        """The last bid, or NO_BID at the start of a round."""
        return int(self.made[-1]) if self.made.size else NO_BID

    @property
    def actions(self) -> NDArray[np.int64]:
        """[action] the legal actions: endings, then raises, weakest first, then the double."""
        bids = self.bids
        endings = bids.claimed.size + np.flatnonzero(legal_endings(bids, self.made.tolist()))
        raises = np.flatnonzero(bids.legal[state_at(bids, self.made, self.made.size)])
        return np.concatenate([endings, raises])


def root_of(
    bids: BidTables, made: Sequence[int] = (), ranges: NDArray[np.float32] | None = None
) -> Root:
    """Return the root after the bids `made`, with the `ranges` [player, hand] in turn order from
    the player who moves there. None stands for the deal's ranges. All players have the hands of
    `bids`."""
    if ranges is None:
        ranges = bids.prior
    _, first = np.unique(bids.kind, return_index=True)
    matches = bids.matches[first]
    root = Root(
        bids=bids,
        made=np.array(made, dtype=np.int64),
        ranges=np.array(ranges, dtype=np.float32),
        matches=matches.astype(np.uint32),
        matches_of=np.ascontiguousarray(matches.T.astype(np.uint8)),
    )
    for array in root[1:]:
        array.setflags(write=False)
    return root
