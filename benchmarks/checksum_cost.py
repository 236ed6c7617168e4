"""The cost of checksums: a file is saved and loaded with a checksum and without.

    python -m benchmarks.checksum_cost --gigabytes 4 --directory DIR

Both sides write the same arrays in the same way, and take turns, so that other work of the machine
slows both alike. Loading uses every byte once after the checksum was verified, as resuming does.
The file is still in memory, since either side would read it from disk only once. The table gives
the least wall-clock times, their ratio (with to without), and the least processor times. All
figures grow in proportion to the size.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks._arguments import new_parser
from zhaifei.solver.files import safetensors_layout as layout
from zhaifei.solver.files import storage
from zhaifei.solver.files.atomic_files import write_atomically

ROUNDS = 5
Arrays = Mapping[str, NDArray[Any]]


def save_with(path: Path, arrays: Arrays) -> None:
    """Write a file as policies are written, which are not compressed."""
    storage.save(path, "policy", {}, arrays)


def save_without(path: Path, arrays: Arrays) -> None:
    """Write the same arrays, without a checksum."""
    write_atomically(path, lambda file: layout.write(file, {}, arrays))


def load_with(path: Path) -> None:
    """Load a checkpoint and read every byte of its arrays."""
    for array in storage.load(path, "policy").arrays.values():
        array.sum()


def load_without(path: Path) -> None:
    """Load a file of `save_without` and read every byte of its arrays."""
    with path.open("rb") as file:
        for array in layout.mapped(file, layout.read(file, path.stat().st_size)).values():
            array.sum()


class Spent(NamedTuple):
    """The cost of some work, in seconds."""

    wall: float
    processor: float
    """Processor seconds of this process; waiting for the disk or for other processes does not
    count."""


def spent(work: Callable[[], object]) -> Spent:
    """Do the work and return its cost."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - processor)


def least(costs: Sequence[Spent]) -> Spent:
    """Return the least wall-clock time and the least processor time."""
    return Spent(min(one.wall for one in costs), min(one.processor for one in costs))


def measured(directory: Path, arrays: Arrays, rounds: int) -> dict[str, list[list[Spent]]]:
    """Return the costs with a checksum and without, of each kind of work."""
    sides = [
        (save_with, load_with, directory / "with"),
        (save_without, load_without, directory / "without"),
    ]
    found: dict[str, list[list[Spent]]] = {"save": [[], []], "load": [[], []]}
    for _ in range(rounds):
        for side, (save, load, path) in enumerate(sides):
            found["save"][side].append(spent(partial(save, path, arrays)))
            found["load"][side].append(spent(partial(load, path)))
    return found


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--directory", type=Path, help="where to write; by default a temporary one")
    arguments = parser.parse_args()
    gigabytes, rounds = (0.01, 1) if arguments.smallest else (arguments.gigabytes, ROUNDS)
    random = np.random.default_rng(0)
    # The sizes of a tree's arrays: regrets and averages, and the links between nodes.
    floats, links = int(gigabytes * 1e9 / 8), int(gigabytes * 1e9 / 16)
    arrays: Arrays = {
        "regret": random.random(floats, dtype=np.float32),
        "link": random.integers(1 << 40, size=links),
    }
    with tempfile.TemporaryDirectory(dir=arguments.directory) as directory:
        found = measured(Path(directory), arrays, rounds)
    hashing = least([spent(partial(layout.checksum_of_arrays, "", arrays)) for _ in range(rounds)])
    speed = gigabytes / hashing.processor
    print(
        f"{gigabytes:g} GB; hashing takes {hashing.processor:.3f} s of processor: {speed:.1f} GB/s"
    )
    print(f"\n{'':12}{'with':>10}{'without':>10}{'ratio':>8}{'processor: with':>17}{'without':>10}")
    for name, sides in found.items():
        with_, without = map(least, sides)
        print(
            f"{name:12}{with_.wall:8.3f} s{without.wall:8.3f} s{with_.wall / without.wall:8.3f}"
            f"{with_.processor:15.3f} s{without.processor:8.3f} s"
        )


if __name__ == "__main__":
    main()
