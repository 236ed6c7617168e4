"""Locks: a strategy that a player is assumed to play after some bids, in place of the policy's.

A lock names bids, hands, and one of three ways to play:

- `play`: exactly these probabilities;
- `mix`: these actions with these probabilities, and the policy with the rest;
- `times`: the policy, with the probabilities of these actions multiplied by factors and all divided
  by their new sum. If the factors leave a hand with probability 0 everywhere, the hand bids what
  its dice support (`policies.players.reading.PlausibleBidding`), with the same factors; if no bid
  is left, it challenges.

Several locks may name the same bids: for each hand the first lock that names it counts. Where the
policy's table stores nothing, the policy challenges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import states_after
from zhaifei.game.bids import Bid, action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.resolving import POWER
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.bounds import History
from zhaifei.solver.tables.held import Held

Floats = NDArray[np.float64]


class LockError(ZhaifeiError):
    """Raised for an invalid lock file, or a lock that does not fit the question; the message names
    the line."""


def lock_error(source: str, line: int, why: ZhaifeiError) -> LockError:
    """Return the error for a fault on a line of a lock file."""
    return LockError("{file}, line {line}: {why}", file=source, line=line, why=why)


class Way(Enum):
    """How a lock sets a strategy; the values are the keywords of lock files."""

    PLAY = "play"
    MIX = "mix"
    TIMES = "times"


@dataclass(frozen=True)
class Lock:
    """The strategy of some hands after some bids, as one lock sets it."""

    line: int
    """The line of the file on which the lock begins, from 1."""
    history: tuple[Bid, ...]
    """The bids so far; the player to move is the one who is locked."""
    hands: tuple[int, ...]
    """Indices into `game.hands.hands`, ascending."""
    way: Way
    actions: Mapping[int, float]
    """Probabilities, or factors for Way.TIMES, by action as in `game.bids`."""


@dataclass(frozen=True)
class Locks:
    """The locks of one file, for one variant."""

    rules: Rules
    source: str
    """The name of the file in messages."""
    locks: tuple[Lock, ...]
    """The locks in the order of the file."""
    _plausible: PlausibleBidding = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_plausible", PlausibleBidding(self.rules, POWER))

    def about(self, bids: History) -> list[Lock]:
        """Return the locks whose history is a prefix of `bids`, equals `bids`, or continues it."""
        return [one for one in self.locks if _on_one_line(self.actions_of(one), bids)]

    def actions_of(self, lock: Lock) -> History:
        """Return the history of a lock as actions."""
        return tuple(action_of(self.rules, bid) for bid in lock.history)

    def held(self, policy: TablePolicy, locks: Sequence[Lock]) -> list[Held]:
        """Return the locked strategies, one for each history that `locks` (some of this file's)
        name, as changes to `policy`."""
        by_history: dict[tuple[Bid, ...], list[Lock]] = {}
        for one in locks:
            by_history.setdefault(one.history, []).append(one)
        return [self._held(policy, group) for group in by_history.values()]

    def _held(self, policy: TablePolicy, locks: Sequence[Lock]) -> Held:
        """Return the locked strategy after the one history that all `locks` share."""
        strategy, bids = policy.strategy(locks[0].history), self.actions_of(locks[0])
        free, played = np.ones(len(strategy), dtype=np.bool_), strategy.copy()
        for one in locks:
            hands = np.zeros(free.size, dtype=np.bool_)
            hands[list(one.hands)] = True
            hands &= free
            played[hands] = self._locked(one, bids, strategy)[hands]
            free &= ~hands
        return Held(bids, ~free, played)

    def _locked(self, lock: Lock, bids: History, strategy: Floats) -> Floats:
        """Return [hand, action], the strategy of all hands under one lock, given the policy's
        `strategy`."""
        given = np.zeros(strategy.shape[1])
        given[list(lock.actions)] = list(lock.actions.values())
        if lock.way is not Way.TIMES:
            rest = max(0.0, 1.0 - given.sum()) if lock.way is Way.MIX else 0.0
            mixed: Floats = given + rest * strategy
            return mixed
        factor = np.ones(strategy.shape[1])
        factor[list(lock.actions)] = list(lock.actions.values())
        tilted = strategy * factor
        left = tilted.sum(axis=1) > 0.0
        tilted[~left] = (self.plausible(bids) * factor)[~left]
        tilted[tilted.sum(axis=1) == 0.0, bid_tables(self.rules).claimed.size] = 1.0
        scaled: Floats = tilted / tilted.sum(axis=1, keepdims=True)
        return scaled

    def plausible(self, bids: History) -> Floats:
        """Return [hand, action] float64, the strategy of a player who bids what the own dice
        support after `bids`; zeros where no bid is legal."""
        tables = bid_tables(self.rules)
        strategy = np.zeros((tables.hands, tables.claimed.size + tables.endings))
        state = states_after(self.rules, np.array([bids], dtype=np.int64))
        raises = np.flatnonzero(tables.legal[state[0]])
        histories = np.tile(np.array(bids, dtype=np.int64), (raises.size, 1))
        strategy[:, raises] = self._plausible(histories, raises).T
        return strategy


def _on_one_line(one: History, other: History) -> bool:
    """Return whether one history is a prefix of the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]
