"""Time per node of a pass of the tree solver, beside a C loop over the same rows, on one thread.

    python -m benchmarks.pass_vs_c --passes 60
    python -m benchmarks.pass_vs_c --resume CHECKPOINT

The C loop, compiled here by `cc -O3 -march=native`, reads each row of regrets and each row of
averages once, in order. It computes the values that a pass computes for every hand of a row, and
writes both rows back, rounded at random. It has no tree, ranges or challenges, and omits no hand or
node, so its time is the price of the rows alone. A pass of the solver omits hands that do not reach
a row, and for most seldom replies the whole subtree below.

Printed is the processor time of the fastest of `--rounds`. The checkpoint is from two players'
full-recall training, with the number of dice of `--dice`.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._arguments import new_parser
from zhaifei.game.rules import Rules
from zhaifei.solver.cfr.row_precision import noise_for
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.files.storage import load

_SOURCE = r"""
#include <stdint.h>
#include <string.h>

static float wide(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static uint32_t bits_of(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }

/* The layouts of solver/cfr/row_precision.py. */
#define LEAST (((127 - 31) << 11) - 1)

float pass(long nodes, long hands, uint16_t *regrets, uint16_t *averages, const uint16_t *noises,
           const float *scale, const float *earned, const float *part, float *value)
{
    for (long node = 0; node < nodes; node++) {
        uint16_t *regret = regrets + node * hands, *average = averages + node * hands;
        const uint16_t *noise = noises + node * 10007 % 2048;
        for (long hand = 0; hand < hands; hand++) {
            float before = wide((uint32_t)regret[hand] << 16);
            value[hand] += (before > 0 ? before : 0) * scale[hand] * earned[hand];
            float now = (before > 0 ? 0.99f : 0.5f) * before + earned[hand] - value[hand];
            regret[hand] = (bits_of(now) + noise[hand]) >> 16;
            uint32_t kept = average[hand];
            float sum = wide(kept > 0 ? (kept + LEAST) << 12 : 0) + 0.001f * part[hand];
            uint32_t rounded = (bits_of(sum) + (noise[hand] >> 4)) >> 12;
            average[hand] = rounded > LEAST ? rounded - LEAST : 0;
        }
    }
    float total = 0;
    for (long hand = 0; hand < hands; hand++) total += value[hand];
    return total;
}
"""


def fastest(do: Callable[[], object], rounds: int) -> float:
    """Return the least processor time of some calls."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        do()
        times.append(time.process_time() - began)
    return min(times)


def c_loop(directory: Path, nodes: int, hands: int) -> Callable[[], object]:
    """Compile the C loop; return a call of it over `nodes` rows."""
    source, library = directory / "pass.c", directory / "pass.so"
    source.write_text(_SOURCE, encoding="utf-8")
    subprocess.run(
        ["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True
    )
    noise = noise_for(hands)
    function = ctypes.CDLL(str(library))["pass"]
    function.restype = ctypes.c_float
    rng = np.random.default_rng(1)
    rows = [rng.integers(0, 1 << 14, (nodes, hands), dtype=np.uint16) for _ in range(2)]
    reals = [rng.random(hands, dtype=np.float32) for _ in range(4)]
    reals[1] *= np.float32(1e-3)
    arrays: list[NDArray[Any]] = [*rows, noise, *reals]
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]

    def run() -> object:
        reals[-1][:] = 0.0
        return function(ctypes.c_long(nodes), ctypes.c_long(hands), *pointers)

    return run


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--dice", type=int, default=5)
    parser.add_argument("--passes", type=int, default=60, help="before the one that is measured")
    parser.add_argument("--resume", type=Path, help="a checkpoint of `solve`, instead of these")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if given.smallest:
        given.dice, given.passes = 1, 10
    training = TreeCFR(Rules.of(dice=given.dice), large=True)
    if given.resume:
        training.restore(load(given.resume, "checkpoint").arrays)
    while not given.resume and training.passes < given.passes:
        training.advance()
    nodes, hands = len(training.grown), training.root.ranges.shape[1]
    training.improve()  # compiles
    ours = fastest(training.improve, given.rounds)
    with tempfile.TemporaryDirectory() as directory:
        loop = c_loop(Path(directory), nodes, hands)
        theirs = fastest(loop, given.rounds)
    print(f"{nodes:,} nodes, {hands} hands, one thread, us of processor time per node and pass")
    print(f"| a pass of the solver | {1e6 * ours / nodes:.3f} |")
    print(f"| the C loop over its rows | {1e6 * theirs / nodes:.3f} |")


if __name__ == "__main__":
    main()
