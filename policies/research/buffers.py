"""Buffers of decisions for DQN and NFSP: like OpenSpiel's, but packed and filled in batches.

They replace `dqn.ReplayBuffer` and `nfsp.ReservoirBuffer`, which take one decision at a time and
hold tensors. Here a decision takes a few dozen bytes, and its observation is computed when it is
sampled. Sampling is with replacement, so that its cost does not depend on the number of decisions
in the buffer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_spiel.python.pytorch import dqn, nfsp

from zhaifei.game.bids import action_count
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID
from zhaifei.policies.players.encoding import Bits, Floats, Ints
from zhaifei.policies.research.self_play import Decisions, legal_after, observations
from zhaifei.solver.files.state import StateError, array_of, verify_between, verify_names

Records = NDArray[np.void]

_MOST = 10**15
"""An upper bound of the decisions that can be added."""


class _Memory:
    """A buffer of records with a fixed capacity."""

    def __init__(self, rules: Rules, capacity: int) -> None:
        self.rules = rules
        self.random = np.random.default_rng()
        """The generator that samples; set it to make sampling repeatable."""
        self.added = 0
        packed = ("u1", (-(-action_count(rules) // 8),))
        self.records: Records = np.zeros(
            capacity,
            dtype=[
                ("seat", "u1"),
                ("hand", "u2"),
                ("made", *packed),
                ("last", "i2"),
                ("action", "i2"),
                ("reward", "f4"),
                ("final", "u1"),
                ("next_made", *packed),
                ("next_last", "i2"),
            ],
        )

    def __len__(self) -> int:
        return min(self.added, self.records.size)

    def _drawn(self, number: int) -> Records:
        return self.records[self.random.integers(len(self), size=number)]

    def _bits(self, packed: NDArray[np.uint8]) -> Bits:
        bits: Bits = np.unpackbits(packed, axis=1, count=action_count(self.rules)).view(np.bool_)
        return bits

    def _observed(self, records: Records, made: str) -> Floats:
        seat, hand = records["seat"].astype(np.int64), records["hand"].astype(np.int64)
        return observations(self.rules, seat, hand, self._bits(records[made]))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a checkpoint stores."""
        records = self.records[: len(self)]
        return {"added": np.array([self.added]), "records": records.view(np.uint8)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Set the state to one that `state` returned. Raise StateError for any other state; do not
        use the buffer after that."""
        verify_names(state, ("added", "records"))
        added = array_of(state, "added", np.int64, 1)
        verify_between("added", added, 0, _MOST)
        self.added = int(added[0])
        used = self.records[: len(self)].view(np.uint8)
        used[:] = array_of(state, "records", np.uint8, *used.shape)
        records = self.records[: len(self)]
        _verify_records(self.rules, records)
        legal = self._legal(records["last"], records["made"])
        if not legal[np.arange(len(self)), records["action"]].all():
            raise StateError("the saved decisions contain an illegal action")

    def _legal(self, last: NDArray[np.int16], made: NDArray[np.uint8]) -> Bits:
        """Return [decision, action] whether an action is legal after the bid `last` [decision] if
        the bids that `made` packs were made."""
        return legal_after(self.rules, last.astype(np.int64), self._bits(made))


def _verify_records(rules: Rules, records: Records) -> None:
    """Raise StateError unless the fields of the records are in their ranges."""
    actions, seats = action_count(rules), rules.players
    bids = actions - rules.endings
    ranges = {
        "seat": (0, seats - 1),
        "hand": (0, len(hands(rules)) - 1),
        "last": (NO_BID, bids - 1),
        "action": (0, actions - 1),
        "reward": (-1, 1),
        "final": (0, 1),
        "next_last": (NO_BID, bids - 1),
    }
    for name, (least, most) in ranges.items():
        verify_between(name, records[name], least, most)


def packed(memory: _Memory, played: Decisions) -> Records:
    """Return [decision] records of decisions, each with the next situation of the same seat. The
    next situation is meaningless after a final decision."""
    records = np.zeros(played.action.size, dtype=memory.records.dtype)
    made = np.packbits(played.made, axis=1)
    for name in ("seat", "hand", "last", "action", "reward", "final"):
        records[name] = getattr(played, name)
    records["made"] = made
    records["next_made"] = np.roll(made, -1, axis=0)
    records["next_last"] = np.roll(played.last, -1)
    return records


class Replay(_Memory):
    """The latest decisions, as in `dqn.ReplayBuffer`."""

    def add(self, records: Records) -> None:
        """Add records; when the buffer is full, they replace the oldest."""
        places = (self.added + np.arange(records.size)) % self.records.size
        self.records[places] = records
        self.added += records.size

    def sample(self, number: int) -> dqn.Transition:
        """Draw `number` transitions uniformly."""
        drawn = self._drawn(number)
        legal = self._legal(drawn["next_last"], drawn["next_made"])
        return dqn.Transition(
            self._observed(drawn, "made"),
            drawn["action"].astype(np.int64),
            drawn["reward"].astype(np.float32),
            self._observed(drawn, "next_made"),
            drawn["final"].astype(np.bool_),
            legal,
        )


class Reservoir(_Memory):
    """A uniform sample of all decisions added so far, as in `nfsp.ReservoirBuffer`."""

    def add(self, records: Records) -> None:
        """Add records; each stays with probability capacity / added (Vitter 1985, algorithm R)."""
        place = self.added + np.arange(records.size)
        drawn: Ints = self.random.integers(place + 1)
        place = np.where(place < self.records.size, place, drawn)
        kept = place < self.records.size
        self.records[place[kept]] = records[kept]
        self.added += records.size

    def sample(self, number: int) -> nfsp.Transition:
        """Draw `number` transitions uniformly."""
        drawn = self._drawn(number)
        legal = self._legal(drawn["last"], drawn["made"])
        probabilities = np.zeros(legal.shape, dtype=np.float32)
        probabilities[np.arange(number), drawn["action"]] = 1.0
        return nfsp.Transition(self._observed(drawn, "made"), probabilities, legal)
