"""What the rule-based players do after every state of the bidding, as compact tables."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from zhaifei.app.pocket.shapes import Written
from zhaifei.game.rules import Rules
from zhaifei.policies.players.rule_based import RULES, decisions


def decision_tables(rules: Rules) -> Written:
    """Return the decisions of each player in RULES, as `web/game/rules.js` describes them."""
    patterns: dict[str, dict[str, int]] = {name: {} for name in RULES}
    states: dict[str, list[list[int]]] = {name: [] for name in RULES}
    for played in decisions(rules):
        for name, action in played.items():
            actions, rows = np.unique(action, return_inverse=True)
            number = patterns[name].setdefault(_pattern(rows), len(patterns[name]))
            states[name].append([number, *actions.tolist()])
    return {name: {"patterns": [*patterns[name]], "states": states[name]} for name in RULES}


def _pattern(rows: NDArray[np.int64]) -> str:
    """Return [hand] the `rows` in runs: a letter for the row, from "A" on, and how many hands if
    there are several."""
    runs = ((row, len([*run])) for row, run in groupby(rows.tolist()))
    return "".join(f"{chr(ord('A') + row)}{size if size > 1 else ''}" for row, size in runs)
