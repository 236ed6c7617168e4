"""A player of `increment` that goes by a table of action values, and the files of such tables.

The values are learned in `policies.training.q_learning`, after D. Oehm 2018, *Q-learning example
with Liar's Dice in R*. They decide one thing: whether to raise or to challenge. They depend on how
many dice are on the table, how many are the player's own, and how probable the current bid is,
given the own dice and nothing else, in 20 buckets. The face of a raise is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid
from game.errors import ZhaifeiError
from game.rules import Raising, Rules, RulesError
from game.views import View
from policies.players.decider import TwoStepDecider
from policies.players.increment import random_bid
from solver.storage import StorageError, load, save

BUCKETS = 20
RAISE, CHALLENGE = 0, 1

QValues = NDArray[np.float64]
"""[dice on the table, own dice, bucket, action] the expected return of an action, in rewards."""
State = tuple[int, int, int]
"""The dice on the table, the own dice, the bucket."""


def initial_values(rules: Rules) -> QValues:
    """Return the values before anything has been learned: zeros. Raises RulesError for rules other
    than `increment`, of any size."""
    if rules.raising is not Raising.ONE_MORE or not rules.loses_dice:
        raise RulesError("a Q-learner plays only `increment`, of any size")
    return np.zeros((rules.total_dice + 1, rules.dice + 1, BUCKETS, 2))


def state_of(view: View) -> State:
    """Return the state on which the values depend. There must be a current bid."""
    bucket = min(int(cast(float, view.probability) * BUCKETS), BUCKETS - 1)
    return sum(view.dice_counts), len(view.dice), bucket


class QPlayer(TwoStepDecider):
    """Takes the action with the higher value, and either with equal probability if they tie."""

    def __init__(
        self, values: QValues, random: np.random.Generator, name: str = "q-learner"
    ) -> None:
        self.values, self._random, self._name = values, random, name

    def __str__(self) -> str:
        return self._name

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        return self._best(state_of(view)) == CHALLENGE

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return random_bid(view, self._random)

    def _best(self, state: State) -> int:
        """Return the action with the higher value; either if they tie."""
        raises, challenges = self.values[state]
        return self._either() if raises == challenges else int(challenges > raises)

    def _either(self) -> int:
        return int(self._random.integers(2))


def save_values(path: Path, rules: Rules, values: QValues, training: Mapping[str, Any]) -> None:
    """Write a file of action values, as float32; `training` records how they were learned. Raises
    StorageError."""
    header = {"rules": rules.to_dict(), "training": dict(training)}
    save(path, "values", header, {"values": values.astype(np.float32)})


def load_values(path: Path, rules: Rules) -> QValues:
    """Read what `save_values` wrote. Raises StorageError, and ZhaifeiError if the values are not
    for `rules`."""
    header, arrays = load(path, "values")
    try:
        theirs, stored = header.rules(), _only_values(arrays)
    except ZhaifeiError as error:
        raise StorageError(
            "{path} does not describe a Q-learner: {error}", path=path, error=error
        ) from error
    if theirs != rules:
        raise ZhaifeiError(
            "{name} plays only {its}, but you asked for {rules}",
            name=path, its=theirs, rules=rules,
        )  # fmt: skip
    shape = initial_values(rules).shape
    if stored.shape != shape or stored.dtype != np.float32 or not np.isfinite(stored).all():
        raise StorageError(
            "{path} does not describe a Q-learner: its values are not finite numbers of shape "
            "{shape}",
            path=path, shape=shape,
        )  # fmt: skip
    return stored.astype(np.float64)


def _only_values(arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    if arrays.keys() != {"values"}:
        raise ZhaifeiError("the file has other arrays than action values")
    return arrays["values"]
