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
    patterns: dict[str, dict[str, int]] = {name: {} for name in RULES}
    states: dict[str, list[list[int]]] = {name: [] for name in RULES}
    for played in by_state:
        for name, action in played.items():
            actions, rows = np.unique(action, return_inverse=True)
            number = patterns[name].setdefault(_pattern(rows), len(patterns[name]))
            states[name].append([number, *actions.tolist()])
    return {name: {"patterns": [*patterns[name]], "states": states[name]} for name in RULES}


def _pattern(rows: NDArray[np.int64]) -> str:
    """Return [hand] the `rows` in runs: a letter for the row, from "A" on, and how many hands if
    there are several."""
    first = np.flatnonzero(np.diff(rows, prepend=-1))
    runs = zip(rows[first].tolist(), np.diff(first, append=rows.size).tolist(), strict=True)
    return "".join(f"{chr(ord('A') + row)}{size if size > 1 else ''}" for row, size in runs)
