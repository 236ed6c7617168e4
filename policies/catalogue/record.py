"""The recorded exploitability of policies, by which they are compared without measuring them
again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.shipped import certified

Measure = Literal["exploitability", "nash_conv", "match_gain"]
Source = Literal["certified", "training", "unknown"]


class PolicyRecord(NamedTuple):
    """What is recorded of one policy."""

    name: str
    """The name of a player or the path of a file, as `--policy` accepts it."""
    measure: Measure
    figure: float | None
    """Penalty points per round, of match_gain the share of matches; None if it is not recorded."""
    source: Source
    """Whether the figure is certified (no best response gains more) or was measured in training,
    before the strategy was rounded for the file."""


def measure_of(rules: Rules) -> Measure:
    """Return the measure by which policies for `rules` are compared; training records it by this
    name. Where dice are lost, it is the share of matches that a best response gains."""
    if rules.loses_dice:
        return "match_gain"
    return "exploitability" if rules.players == 2 else "nash_conv"


def record_of(name: str, path: Path, rules: Rules, training: Mapping[str, Any]) -> PolicyRecord:
    """Return the record of the policy in the file at `path`, whose header has this `training`."""
    measure = measure_of(rules)
    figure = certified(path)
    if figure is not None:
        return PolicyRecord(name, measure, figure, "certified")
    measured = trained_figure(rules, training)
    return PolicyRecord(name, measure, measured, "unknown" if measured is None else "training")


def trained_figure(rules: Rules, training: Mapping[str, Any]) -> float | None:
    """Return the figure that was measured in training; None if the record has none that is a finite
    number of at least 0."""
    measured: Any = training.get(measure_of(rules))
    is_number = isinstance(measured, int | float) and not isinstance(measured, bool)
    return float(measured) if is_number and 0.0 <= measured < math.inf else None
