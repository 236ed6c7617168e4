"""What the rule-based players do after every state of the bidding, as compact tables."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from zhaifei.app.pocket.shapes import Written
from zhaifei.game.rules import Rules
from zhaifei.policies.players.rule_based import RULES, decisions


def decision_tables(rules: Rules) -> Written:
    """Return the decisions of each player in RULES, as `web/game/rules.js` describes them."""
    return coded(decisions(rules))


def coded(by_state: Iterable[dict[str, NDArray[np.int64]]]) -> Written:
    """Return decisions that come state by state, [hand] the action by the name of the player."""
    played = list(by_state)
    return {name: _coded(np.array([one[name] for one in played])) for name in RULES}


def _coded(action: NDArray[np.int64]) -> Written:
    """Return the decisions [state, hand] of a player. Each state names a pattern, and the actions
    that the letters of the pattern stand for."""
    number, states = len(action), np.arange(len(action))[:, np.newaxis]
    taken = np.zeros((number, action.max(initial=0) + 1), dtype=np.bool_)
    taken[states, action] = True
    rows = (taken.cumsum(axis=1, dtype=np.uint16) - 1)[states, action]
    patterns: dict[bytes, int] = {}  # numbered as they come up
    place = [patterns.setdefault(row.tobytes(), len(patterns)) for row in rows]
    return {
        "patterns": [_pattern(np.frombuffer(one, rows.dtype)) for one in patterns],
        "states": [[place[one], *np.flatnonzero(taken[one]).tolist()] for one in range(number)],
    }


def _pattern(rows: NDArray[np.int64]) -> str:
    """Return [hand] the `rows` in runs: a letter for the row, from "A" on, and how many hands if
    there are several."""
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    runs = zip(rows[first].tolist(), np.diff(first, append=rows.size).tolist(), strict=True)
    return "".join(f"{chr(ord('A') + row)}{size if size > 1 else ''}" for row, size in runs)
