"""What is lost when a run fails: every fault is tried once at every point of the run.

    python -m benchmarks.faults [--only NAME]

Each engine trains for a moment, in a forked process, and so does the learner q; a report is written
too. Every request to the system is a point: a file opened, written, flushed, renamed or removed, an
array allocated. At each point in turn the disk is full, the disk fails, memory ends, or the process
dies before or after. Then the files must be the former or the new ones, whole. A run resumed from
them must end as one without faults, bit for bit. `tests/faults.py` describes the details.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks._arguments import new_parser
from tests.faults import KINDS, Counts, Kind, cases, try_faults

_SMALLEST, _EVERY = "exact, without checkpoint", 40
"""For `--smallest`: the cases, and the number of points of which one fails. The tests try all
cases."""


def main() -> None:
    """Try the faults that the command line names."""
    parser = new_parser(__doc__)
    parser.add_argument("--only", default="", help="cases whose name begins so")
    given = parser.parse_args()
    every = _EVERY if given.smallest else 1
    named = given.only or (_SMALLEST if given.smallest else "")

    def chosen(point: int, kind: Kind) -> bool:
        return point % every == 0 and (every == 1 or kind != "EIO")

    total = Counts()
    for case in cases():
        if not case.name.startswith(named):
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as directory:
            counts = try_faults(case, Path(directory), chosen)
        goes_on = " that goes on" if case.continues else ""
        print(
            f"{case.name}{goes_on}: {sum(counts.points.values())} faults, {len(counts.lost)} lost, "
            f"{time.monotonic() - began:.0f} s",
            *counts.lost,
            sep="\n",
            flush=True,
        )
        total += counts
    show(total)


def show(total: Counts) -> None:
    """Print a table of the kinds of faults and the ends of the processes, and the losses."""
    ends = sorted({end for _, end in total.outcomes})
    print(f"\n{'fault':15}" + "".join(f"{end:>20}" for end in ends))
    for kind in KINDS:
        print(f"{kind:15}" + "".join(f"{total.outcomes[kind, end]:>20,}" for end in ends))
    points = Counter(total.points).most_common()
    print("\nat " + ", ".join(f"{name} {number:,}" for name, number in points))
    print(f"{sum(total.points.values()):,} faults, {len(total.lost)} lost")


if __name__ == "__main__":
    main()
