"""Asking a policy that may be anybody's, and checking what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from game.errors import ZhaifeiError
from game.tables import BidTables
from solver.bounds import History, Strategies

SUM_TOLERANCE = 1e-6
"""How far from 1 the probabilities of a hand may add up; policies may compute in float32."""
BATCH = 128
"""How many histories a policy is asked for at once, at most: more would only take memory."""


class IllegalStrategy(ZhaifeiError):
    """A policy's answer that is no strategy; the message says after which bids, and why."""


def query(
    tables: BidTables, policy: Strategies, histories: Sequence[History]
) -> Iterator[NDArray[np.float64]]:
    """What `policy` answers for each of `histories`, see `verified`. Raises IllegalStrategy."""
    for start in range(0, len(histories), BATCH):
        batch = histories[start : start + BATCH]
        answers = policy(batch)
        if len(answers) != len(batch):
            raise IllegalStrategy(
                "asked for {asked} strategies, gave {given}", asked=len(batch), given=len(answers)
            )
        for history, answer in zip(batch, answers, strict=True):
            yield verified(tables, history, answer)


def verified(tables: BidTables, history: History, strategy: Any) -> NDArray[np.float64]:
    """[hand, action] `strategy`, each hand's probabilities divided by their sum.

    Raises IllegalStrategy unless it is [hand, action], holds no negative number and no NaN, is 0
    for what the rules forbid after `history`, and has rows whose sums are 1 within SUM_TOLERANCE.
    """
    try:
        played: NDArray[np.float64] = np.asarray(strategy, dtype=np.float64)
    except (TypeError, ValueError) as error:
        why = IllegalStrategy("no array of numbers: {error}", error=error)
        raise _illegal(history, why) from error
    shape = (tables.prior.size, tables.claimed.size + tables.challenges)
    if played.shape != shape:
        why = IllegalStrategy(
            "shape {found} instead of [hand, action] = {right}", found=played.shape, right=shape
        )
        raise _illegal(history, why)
    first = tables.first_raise[history[-1] + 1] if history else 0
    end = tables.claimed.size + min(tables.challenges, len(history))
    legal = played[:, first:end]
    sums = np.einsum("ha->h", legal)  # quicker than sum(), which adds up rows in pairs
    if (
        played[:, :first].any()
        or played[:, end:].any()
        or (not history and played[:, :end][:, ~tables.opens].any())
    ):
        actions = _forbidden(tables, history, played)
        raise _illegal(history, IllegalStrategy("actions {actions} are not legal", actions=actions))
    # Written so that NaN fails too.
    if not (legal.min() >= 0.0 and np.abs(sums - 1.0).max() <= SUM_TOLERANCE):
        raise _not_probabilities(history, played)
    result: NDArray[np.float64] = played * (1.0 / sums)[:, np.newaxis]
    return result


def _forbidden(tables: BidTables, history: History, played: NDArray[np.float64]) -> list[int]:
    """The actions that some hand plays and the rules forbid."""
    bids = np.arange(tables.claimed.size)
    raises = bids >= tables.first_raise[history[-1] + 1] if history else tables.opens
    legal = np.append(raises, np.arange(tables.challenges) < len(history))
    forbidden: list[int] = np.flatnonzero(played.any(axis=0) & ~legal).tolist()
    return forbidden


def _not_probabilities(history: History, played: NDArray[np.float64]) -> IllegalStrategy:
    """Names the first hand whose row is wrong."""
    wrong = ~((played >= 0.0).all(axis=1) & (np.abs(played.sum(axis=1) - 1.0) <= SUM_TOLERANCE))
    hand = int(wrong.argmax())
    row = played[hand]
    least, total = float(row.min()), float(row.sum())
    if least < 0.0:
        why = IllegalStrategy(
            "hand {hand} plays with probability {least:g}", hand=hand, least=least
        )
    else:
        why = IllegalStrategy(
            "the probabilities of hand {hand} add up to {total:g}, not 1", hand=hand, total=total
        )
    return _illegal(history, why)


def _illegal(history: History, why: IllegalStrategy) -> IllegalStrategy:
    return IllegalStrategy(
        "after the bids {history} the policy's strategy is none: {why}",
        history=list(history), why=why,
    )  # fmt: skip
