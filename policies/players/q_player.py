"""Players of `increment` and `published` that follow a table of action values, and the files of
such tables.

The values are learned in `policies.research.q_learning`, after D. Oehm 2018, *Q-learning example
with Liar's Dice in R*. They decide one thing: whether to raise or to challenge. They depend on the
number of dice on the table, the number of own dice, and the probability of the current bid given
only the own dice, in 20 buckets. As published, the player bluffs on half of its raises: it names
any face. On the others it names the face that most of its dice show.

`QPlayer` plays `increment`. `PublishedPlayer` plays `published`, with three peculiarities of the
published program:

- A bid that the own dice make true is in a bucket of its own, the last of 21.
- A bid that needs more of the other dice than there are is taken to need all of them.
- The player counts its own dice of a bid's face only when it has answered the bid. When it decides,
  its count is thus of the bid that it answered before or, if it has answered none in the round, of
  the first bid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid
from zhaifei.game.chances import at_least
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules, preset_name
from zhaifei.game.views import SeatBid, View
from zhaifei.policies.players.decider import TwoStepDecider
from zhaifei.policies.players.increment import best_supported_bid, random_bid
from zhaifei.solver.files.storage import StorageError, load, save

BUCKETS = 20
BLUFFS = 0.5
"""The share of its raises on which the published learner names any face."""
RAISE, CHALLENGE = 0, 1

QValues = NDArray[np.float64]
"""[dice on the table, own dice, bucket, action] the expected return of an action, in rewards."""
State = tuple[int, int, int]
"""The number of dice on the table, the number of own dice, the bucket."""


def initial_values(rules: Rules) -> QValues:
    """Return the initial values: zeros. Raise RulesError for rules other than `increment` and
    `published`, of any size."""
    if preset_name(rules) not in ("increment", "published"):
        raise RulesError("a Q-learner plays only `increment` and `published`, of any size")
    buckets = BUCKETS + 1 if as_published(rules) else BUCKETS
    return np.zeros((rules.total_dice + 1, rules.dice + 1, buckets, 2))


def as_published(rules: Rules) -> bool:
    """Return whether a Q-learner of these rules is a PublishedPlayer."""
    return rules.bidding.forced_opening


def state_of(view: View) -> State:
    """Return the state on which the values depend. There must be a current bid."""
    bucket = min(int(cast(float, view.probability) * BUCKETS), BUCKETS - 1)
    return sum(view.dice_counts), len(view.dice), bucket


class QPlayer(TwoStepDecider):
    """Takes the action with the higher value, or either with equal probability if they tie. Bluffs
    on half of its raises."""

    def __init__(
        self, values: QValues, random: np.random.Generator, name: str = "q-learner"
    ) -> None:
        self.values, self._random, self._name = values, random, name

    def __str__(self) -> str:
        return self._name

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        return self._best(self.state(view)) == CHALLENGE

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        bluffs = self._random.random() < BLUFFS
        return random_bid(view, self._random) if bluffs else best_supported_bid(view)

    def state(self, view: View) -> State:
        """Return the state in which the player is. There must be a current bid."""
        return state_of(view)

    def _best(self, state: State) -> int:
        """Return the action with the higher value, or a random one if they tie."""
        raises, challenges = self.values[state]
        return self._either() if raises == challenges else int(challenges > raises)

    def _either(self) -> int:
        return int(self._random.integers(2))


class PublishedPlayer(QPlayer):
    """Plays as the published program does; see the docstring of the module."""

    def state(self, view: View) -> State:
        """See QPlayer."""
        held = view.dice.count(self.face_counted(view.history, view.seat))
        bid, table = cast(Bid, view.current_bid), sum(view.dice_counts)
        return published_state(view.rules, bid.count - held, len(view.dice), table)

    def face_counted(self, bids: Sequence[SeatBid], seat: int) -> int:
        """Return the face of which the player in `seat` has counted its own dice, after the bids of
        a round: the face of the bid it answered last, or of the first bid."""
        answered = [before for before, made in pairwise(bids) if made.seat == seat]
        return (answered[-1] if answered else bids[0]).bid.face


def published_state(rules: Rules, missing: int, own: int, table: int) -> State:
    """Return the state of a player with `own` of the `table` dice, if the current bid needs at
    least `missing` of the others' dice to show its face."""
    if missing <= 0:
        return table, own, BUCKETS
    others = table - own
    return table, own, int(at_least(others, 1, rules.faces)[min(missing, others)] * BUCKETS)


def q_player(path: Path, rules: Rules, random: np.random.Generator, name: str) -> QPlayer:
    """Return the player that follows the file of action values at `path`. Raise as `load_values`
    does."""
    values = load_values(path, rules)
    return (PublishedPlayer if as_published(rules) else QPlayer)(values, random, name)


def save_values(path: Path, rules: Rules, values: QValues, training: Mapping[str, Any]) -> None:
    """Write a file of action values, as float32; `training` records how they were learned. Raise
    StorageError."""
    header = {"rules": rules.to_dict(), "training": dict(training)}
    save(path, "values", header, {"values": values.astype(np.float32)})


def load_values(path: Path, rules: Rules) -> QValues:
    """Read a file that `save_values` wrote. Raise StorageError, or ZhaifeiError if the values are
    not for `rules`."""
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
            name=path,
            its=theirs,
            rules=rules,
        )
    shape = initial_values(rules).shape
    if stored.shape != shape or stored.dtype != np.float32 or not np.isfinite(stored).all():
        raise StorageError(
            "{path} does not describe a Q-learner: its values are not finite numbers of shape "
            "{shape}",
            path=path,
            shape=shape,
        )
    return stored.astype(np.float64)


def _only_values(arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    if arrays.keys() != {"values"}:
        raise ZhaifeiError("the arrays in the file are not action values")
    return arrays["values"]
