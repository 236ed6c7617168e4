"""Classes of hands that count alike for every bid at or below a node of a tree.

After some history a round pays a hand by how many of its dice count for the bids that may still be
settled. At a node, these are the last bid and the bids of the tree below. Hands that count alike
for all of them earn the same by each action, so their regrets are equal, and they play the same.
Such hands form a *class*, and a row of the tree holds one number for each class. Everything below
depends on the mass of a class alone, so averages and ranges are sums over its hands.

A *partition* divides all hands into classes. It follows from the set of kinds of bids that are
named at or below the node, written as an integer with a bit for each kind. A set that holds more
kinds has a finer partition. The partition of a node's child is thus never finer than the node's.

Classes are numbered in the order of their first hands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ZERO

ALONE = 0
"""The partition in which each hand is a class by itself."""


SUMS = 4
"""The number of sums that `merge` keeps for each class."""


class HandClasses(NamedTuple):
    """Partitions, in the form that kernels read. Entries beyond the number of classes are 0."""

    size: NDArray[np.int64]
    """[partition] the number of classes."""
    class_of: NDArray[np.uint16]
    """[partition, hand] the class of each hand."""
    first: NDArray[np.uint16]
    """[partition, class] the first hand of each class."""
    matches: NDArray[np.uint32]
    """[partition, kind, class] how many dice of a hand of the class count towards bids of the kind.
    Kinds that the partition does not tell apart hold the number of the first hand."""


def codes_of(matches: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return [kind, hand] codes whose sums over any set of kinds are equal for two hands if and
    only if the hands count alike for all of these kinds. `matches` [kind, hand] says how many dice
    of the hand count."""
    base, kinds = int(matches.max(initial=0)) + 1, len(matches)
    return matches.astype(np.int64) * base ** np.arange(kinds)[:, np.newaxis]


class Partitions:
    """The partitions that a tree has needed so far."""

    def __init__(self, matches: NDArray[np.uint32]) -> None:
        """`matches` [kind, hand] says how many dice of the hand count towards bids of the kind."""
        self._matches = matches
        hands = matches.shape[1]
        alone = np.arange(hands, dtype=np.uint16)
        # Copied, since kernels are compiled anew for arrays that are read-only.
        self.classes = HandClasses(
            np.array([hands]), alone[np.newaxis], alone[np.newaxis], matches[np.newaxis].copy()
        )
        self._codes = codes_of(matches)
        self._known = {alone.tobytes(): ALONE}
        self._by_kinds: dict[int, int] = {}

    def of(self, named: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the partition for each set of kinds in `named`, of any shape. `classes` has these
        partitions from now on."""
        sets, place = np.unique(named, return_inverse=True)
        new: list[NDArray[np.uint16]] = []
        for kinds in sets.tolist():
            if kinds not in self._by_kinds:
                class_of = self._class_of(kinds)
                number = self.classes.size.size + len(new)
                self._by_kinds[kinds] = self._known.setdefault(class_of.tobytes(), number)
                if self._by_kinds[kinds] == number:
                    new.append(class_of)
        if new:
            self._append(np.stack(new))
        found = np.array([self._by_kinds[kinds] for kinds in sets.tolist()], dtype=np.int16)
        return found[place].reshape(named.shape)

    def _class_of(self, kinds: int) -> NDArray[np.uint16]:
        """Return [hand] the class in the partition by a set of `kinds`."""
        chosen = [bit for bit in range(len(self._codes)) if kinds >> bit & 1]
        code = self._codes[chosen].sum(axis=0)
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[place].astype(np.uint16)

    def _append(self, class_of: NDArray[np.uint16]) -> None:
        """Append partitions to `classes`, given the class of each hand [partition, hand]."""
        first = np.zeros_like(class_of)
        matches = np.zeros((len(class_of), *self._matches.shape), dtype=np.uint32)
        for place, classes in enumerate(class_of):
            firsts = np.unique(classes, return_index=True)[1]
            first[place, : firsts.size] = firsts
            matches[place, :, : firsts.size] = self._matches[:, firsts]
        size = class_of.max(axis=1).astype(np.int64) + 1
        known = self.classes
        self.classes = HandClasses(
            np.concatenate([known.size, size]),
            np.concatenate([known.class_of, class_of]),
            np.concatenate([known.first, first]),
            np.concatenate([known.matches, matches]),
        )


@hot_kernel
def merge(
    classes: HandClasses,
    fine: int,
    coarse: int,
    range_: NDArray[np.float32],
    merged: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Write into `merged` the range over the classes of the partition `coarse` that equals
    `range_`, over the classes of the partition `fine`. `sums` [SUMS, class] is scratch.

    Neighbours often belong to the same class. A sum that waits for the one before takes three times
    as long, so there are several sums for each class.
    """
    size = classes.size[coarse]
    for turn in range(SUMS):
        for group in range(size):
            sums[turn, group] = ZERO
    first, class_of = classes.first[fine], classes.class_of[coarse]
    last = classes.size[fine]
    for group in range(0, last - SUMS + 1, SUMS):
        for turn in range(SUMS):
            sums[turn, class_of[first[group + turn]]] += range_[group + turn]
    for group in range(last - last % SUMS, last):
        sums[0, class_of[first[group]]] += range_[group]
    for group in range(size):
        merged[group] = (sums[0, group] + sums[1, group]) + (sums[2, group] + sums[3, group])


@hot_kernel
def class_at(classes: HandClasses, fine: int, coarse: int, group: int) -> int:
    """Return the class of the partition `coarse` that holds the class `group` of `fine`."""
    found: int = classes.class_of[coarse, classes.first[fine, group]]
    return found
