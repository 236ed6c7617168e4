"""Memories of decisions for DQN and NFSP: what OpenSpiel's buffers hold, packed, thousands added at
a time.

They stand in for `dqn.ReplayBuffer` and `nfsp.ReservoirBuffer`, which take one decision at a time
and hold tensors: here a decision is a few dozen bytes, from which the tensors are made when it is
drawn. Draws are with replacement, so that they cost the same however much is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_spiel.python.pytorch import dqn, nfsp

from game.bids import action_count
from game.rules import Rules
from policies.players.encoding import Bits, Ints, seen
from policies.training.self_play import Decisions, legal_actions

Records = NDArray[np.void]


class _Memory:
    """Records in an array that fills up."""

    def __init__(self, rules: Rules, capacity: int) -> None:
        self.rules = rules
        self.random = np.random.default_rng()
        """What is drawn by; whoever needs it to be repeatable sets it."""
        self.added = 0
        packed = ("u1", (-(-action_count(rules) // 8),))
        self.records: Records = np.zeros(
            capacity,
            dtype=[
                ("seat", "u1"), ("hand", "u2"), ("made", *packed), ("last", "i2"),
                ("action", "i2"), ("reward", "i1"), ("final", "u1"),
                ("next_made", *packed), ("next_last", "i2"),
            ],
        )  # fmt: skip

    def __len__(self) -> int:
        return min(self.added, self.records.size)

    def _drawn(self, number: int) -> Records:
        return self.records[self.random.integers(len(self), size=number)]

    def _bits(self, packed: NDArray[np.uint8]) -> Bits:
        bits: Bits = np.unpackbits(packed, axis=1, count=action_count(self.rules)).view(np.bool_)
        return bits

    def _seen(self, records: Records, made: str) -> NDArray[np.float32]:
        seat, hand = records["seat"].astype(np.int64), records["hand"].astype(np.int64)
        return seen(self.rules, seat, hand, self._bits(records[made]))

    def state(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint holds."""
        records = self.records[: len(self)]
        return {"added": np.array([self.added]), "records": records.view(np.uint8)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """The inverse of `state`."""
        self.added = int(state["added"][0])
        self.records[: len(self)] = state["records"].view(self.records.dtype)


def packed(memory: _Memory, played: Decisions) -> Records:
    """[decision] records of decisions, with the situations in which the same seats are next."""
    records = np.zeros(played.action.size, dtype=memory.records.dtype)
    made = np.packbits(played.made, axis=1)
    for name in ("seat", "hand", "last", "action", "reward", "final"):
        records[name] = getattr(played, name)
    records["made"] = made
    records["next_made"] = np.roll(made, -1, axis=0)
    records["next_last"] = np.roll(played.last, -1)
    return records


class Replay(_Memory):
    """The latest decisions, as `dqn.ReplayBuffer` keeps them."""

    def add(self, records: Records) -> None:
        """In place of the oldest."""
        places = (self.added + np.arange(records.size)) % self.records.size
        self.records[places] = records
        self.added += records.size

    def sample(self, number: int) -> dqn.Transition:
        """So many, drawn uniformly."""
        drawn = self._drawn(number)
        legal = legal_actions(self.rules)[drawn["next_last"].astype(np.int64) + 1]
        return dqn.Transition(
            self._seen(drawn, "made"),
            drawn["action"].astype(np.int64),
            drawn["reward"].astype(np.float32),
            self._seen(drawn, "next_made"),
            drawn["final"].astype(np.bool_),
            legal,
        )


class Reservoir(_Memory):
    """A uniform sample of all decisions there ever were, as `nfsp.ReservoirBuffer` keeps it."""

    def add(self, records: Records) -> None:
        """Each remains with the chance that it has among all so far (Vitter 1985, algorithm R)."""
        place = self.added + np.arange(records.size)
        drawn: Ints = self.random.integers(place + 1)
        place = np.where(place < self.records.size, place, drawn)
        kept = place < self.records.size
        self.records[place[kept]] = records[kept]
        self.added += records.size

    def sample(self, number: int) -> nfsp.Transition:
        """So many, drawn uniformly."""
        drawn = self._drawn(number)
        legal = legal_actions(self.rules)[drawn["last"].astype(np.int64) + 1]
        probabilities = np.zeros(legal.shape, dtype=np.float32)
        probabilities[np.arange(number), drawn["action"]] = 1.0
        return nfsp.Transition(self._seen(drawn, "made"), probabilities, legal)
