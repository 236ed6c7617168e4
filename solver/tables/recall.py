"""Recall: what an information set remembers of the bids, besides the hand.

A recall is written as one feature per bid, the last bid first:

    bid,bid,face<10,face<10     the last two bids exactly, and the faces of the two before them,
                                as long as the strength of the last bid is below 10
    full                        every bid

Features are `bid` (exactly), `face`, `mode` and `-` (nothing). With 跳开 a recall also remembers
how many bids may be challenged, and where ones end 飞 how many bids before the last named ones,
since this decides what is legal. Everything remembered of a
history is packed into one integer, its *context*; histories with the same context share an
information set. A recall of recent bids exactly and older bids coarsely is called graded. With any
recall but `full` the game solved has imperfect recall (Lanctot et al. 2012).
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, domain, ends_fei, strength
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.texts import verify_length
from zhaifei.solver.machine.jit import hot_kernel

FULL = "full"
_FEATURE = re.compile(r"(bid|face|mode|-)(?:<([0-9]{1,4}))?")
_CONTEXT_BITS = 62
_MOST_FEATURES = 1000
_MOST_SHOWN = 80
"""The most characters of a recall that a message quotes."""


class RecallError(ZhaifeiError):
    """A recall that cannot be parsed or does not fit into a context."""


class RecallTables(NamedTuple):
    """A recall as arrays: the context of a history is a sum of codes."""

    made: NDArray[np.int64]
    """[bids] what the number of bids made adds to the context; the last entry also holds for more
    bids."""
    code: NDArray[np.int64]
    """[lag, bid + 1] what the bid made `lag` bids before the last adds to the context."""
    until: NDArray[np.int64]
    """[lag] the feature is remembered while the last bid is below this bid."""

    @property
    def is_full(self) -> bool:
        """Whether every bid is remembered."""
        return len(self.code) > 1 and bool((self.code == self.code[0]).all())


@hot_kernel
def context_of(recall: RecallTables, history: NDArray[np.int64], length: int) -> int:
    """Return the context of `history[:length]` (bids, oldest first); 0 for no bids."""
    if length == 0:
        return 0
    last = history[length - 1]
    context: int = recall.made[min(length, recall.made.size - 1)]
    for lag in range(min(length, recall.until.size)):
        if last < recall.until[lag]:
            context += recall.code[lag, history[length - 1 - lag] + 1]
    return context


def can_end_in(
    recall: RecallTables, context: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return [n] whether a history with the `context` [n] can end in the bid `last` [n], or NO_BID
    for no bid. Scrambled contexts tell only whether there is any bid."""
    code = recall.code[0]
    if code[1] != 1:
        possible: NDArray[np.bool_] = (context == 0) == (last < 0)
    elif recall.is_full:
        possible = (code[last + 1] <= context) & (context < np.maximum(2 * code[last + 1], 1))
    else:
        possible = context % code.size == last + 1
    return possible


@lru_cache
def recall_tables(rules: Rules, text: str) -> RecallTables:
    """Return the tables of the recall written as `text`. Raises RecallError, or TextTooLong."""
    verify_length(text)
    bids = domain(rules)
    if text.strip() == FULL:
        return _full(bids)
    if text.count(",") >= _MOST_FEATURES:
        raise _remembers_too_much(text)
    features = [_parse(part) for part in text.split(",")]
    if features[0] != ("bid", None):
        raise RecallError(
            "recall {recall!r} must begin with 'bid': what is legal depends on it",
            recall=text[:_MOST_SHOWN],
        )
    if len(features) > len(bids):
        raise RecallError(
            "recall {recall!r} has {features:,} features, but no round has more than {bids} bids",
            recall=text,
            features=len(features),
            bids=len(bids),
        )
    levels = [strength(rules, bid)[0] for bid in bids]
    code = np.zeros((len(features), len(bids) + 1), dtype=np.int64)
    until = np.full(len(features), len(bids), dtype=np.int64)
    radix = 1
    values_of = {feature: _values(feature, bids) for feature, _ in features}
    for lag, (feature, below) in enumerate(features):
        values = values_of[feature]
        unit, radix = radix, radix * (int(values.max()) + 1)
        if radix.bit_length() > _CONTEXT_BITS:
            raise _remembers_too_much(text)
        code[lag, 1:] = unit * values
        if below is not None:
            until[lag] = np.searchsorted(levels, below)
    if rules.bidding.ones_end_fei:
        ones = np.append(False, [ends_fei(rules, bid) for bid in bids])
        lags = len(bids) - len(code)
        code = np.pad(code, ((0, lags), (0, 0)))
        until = np.pad(until, (0, lags), constant_values=len(bids))
        code[1:] += radix * ones
        radix *= int(ones.sum()) + 1
    made = np.maximum(0, np.arange(rules.furthest_challenge + 1) - 1) * radix
    if int(made[-1]).bit_length() > _CONTEXT_BITS:
        raise _remembers_too_much(text)
    return RecallTables(made, code, until)


def _remembers_too_much(text: str) -> RecallError:
    return RecallError(
        "recall {text!r} remembers too much; drop the oldest features", text=text[:_MOST_SHOWN]
    )


def _parse(part: str) -> tuple[str, int | None]:
    match = _FEATURE.fullmatch(part.strip())
    if match is None:
        raise RecallError(
            "{part!r} is not a recall feature; write {full!r}, or features bid, face, mode or -, "
            "each with an optional <STRENGTH, like bid,bid,face<10",
            part=part[:_MOST_SHOWN],
            full=FULL,
        )
    feature, below = match.groups()
    return feature, None if below is None else int(below)


def _values(feature: str, bids: tuple[Bid, ...]) -> NDArray[np.int64]:
    """Return [bid] the value of a feature for each bid; 0 stands for no bid."""
    remembered = {
        "bid": range(1, len(bids) + 1),
        "face": [bid.face for bid in bids],
        "mode": [bid.mode + 1 for bid in bids],
        "-": [0] * len(bids),
    }
    return np.array(remembered[feature], dtype=np.int64)


def _full(bids: tuple[Bid, ...]) -> RecallTables:
    """Return the tables of full recall. Bids only rise, so a history is a set of bids: one bit
    each, if they fit. Otherwise each bid has a fixed pseudo-random number and a history is their
    sum: among a million histories two coincide with a probability of 1e-5 (Zobrist 1970)."""
    if len(bids) <= _CONTEXT_BITS:
        codes = [1 << place for place in range(len(bids))]
    else:
        codes = [_scrambled(place) for place in range(len(bids))]
    code = np.zeros((len(bids), len(bids) + 1), dtype=np.int64)
    code[:, 1:] = codes
    nothing_more = np.zeros(1, dtype=np.int64)
    return RecallTables(nothing_more, code, np.full(len(bids), len(bids), dtype=np.int64))


def _scrambled(place: int) -> int:
    """Return a pseudo-random number below 2^55: sums of up to 2^7 of them fit into a context."""
    digest = blake2b(place.to_bytes(2, "little"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 9
