"""Query an untrusted policy and validate its answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import BidTables
from zhaifei.solver.bidding import legal_endings, state_of_bids
from zhaifei.solver.bounds import History, Strategies

SUM_TOLERANCE = 1e-6
"""How far from 1 the sum of a hand's probabilities may be; policies may compute in float32."""
BATCH = 128
"""The largest number of histories in one query; more would only take memory."""


class IllegalStrategy(ZhaifeiError):
    """A policy returned an invalid strategy; the message names the bids and the reason."""


def query(
    tables: BidTables, policy: Strategies, histories: Sequence[History]
) -> Iterator[NDArray[np.float64]]:
    """Yield the answer of `policy` for each of `histories`, as `verified` returns it. Raises
    IllegalStrategy."""
    for start in range(0, len(histories), BATCH):
        batch = histories[start : start + BATCH]
        answers = policy(batch)
        if len(answers) != len(batch):
            raise IllegalStrategy(
                "{given} strategies for {asked} histories", asked=len(batch), given=len(answers)
            )
        for history, answer in zip(batch, answers, strict=True):
            yield verified(tables, history, answer)


def verified(tables: BidTables, history: History, strategy: Any) -> NDArray[np.float64]:
    """Return `strategy` [hand, action] with each hand's probabilities divided by their sum.

    Raises IllegalStrategy unless `strategy` has the shape [hand, action], has no negative numbers
    and no NaN, and is 0 for actions that are illegal after `history`. Each row must sum to 1 within
    SUM_TOLERANCE.
    """
    try:
        played: NDArray[np.float64] = np.asarray(strategy, dtype=np.float64)
    except (TypeError, ValueError) as error:
        why = IllegalStrategy("the answer is not an array of numbers: {error}", error=error)
        raise _illegal(history, why) from error
    shape = (tables.hands, tables.claimed.size + tables.endings)
    if played.shape != shape:
        why = IllegalStrategy(
            "shape {found} instead of [hand, action] = {right}", found=played.shape, right=shape
        )
        raise _illegal(history, why)
    sums = np.einsum("ha->h", played)  # quicker than sum(), which adds up rows in pairs
    forbidden = _forbidden(tables, history)
    if played[:, forbidden].any():
        actions = np.flatnonzero(played.any(axis=0) & forbidden).tolist()
        raise _illegal(history, IllegalStrategy("actions {actions} are not legal", actions=actions))
    # Written so that NaN fails too.
    if not (played.min() >= 0.0 and np.abs(sums - 1.0).max() <= SUM_TOLERANCE):
        raise _not_probabilities(history, played)
    result: NDArray[np.float64] = played * (1.0 / sums)[:, np.newaxis]
    return result


def _forbidden(tables: BidTables, history: History) -> NDArray[np.bool_]:
    """Return [action] whether the action is illegal after `history`."""
    raises = tables.legal[state_of_bids(tables, history)]
    return ~np.append(raises, legal_endings(tables, history))


def _not_probabilities(history: History, played: NDArray[np.float64]) -> IllegalStrategy:
    """Return the error that names the first hand whose row is wrong."""
    wrong = ~((played >= 0.0).all(axis=1) & (np.abs(played.sum(axis=1) - 1.0) <= SUM_TOLERANCE))
    hand = int(wrong.argmax())
    row = played[hand]
    least, total = float(row.min()), float(row.sum())
    if least < 0.0:
        why = IllegalStrategy(
            "hand {hand} has a negative probability, {least:g}", hand=hand, least=least
        )
    else:
        why = IllegalStrategy(
            "the probabilities of hand {hand} add up to {total:g}, not 1", hand=hand, total=total
        )
    return _illegal(history, why)


def _illegal(history: History, why: IllegalStrategy) -> IllegalStrategy:
    return IllegalStrategy(
        "after the bids {history} the policy returned an invalid strategy: {why}",
        history=list(history),
        why=why,
    )
