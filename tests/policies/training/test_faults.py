"""Whatever fails in a run, at whatever moment: no file is lost, and it goes on as if nothing had
been. `python -m benchmarks.faults` tries every fault everywhere."""

from pathlib import Path

import pytest

from tests.faults import KINDS, Case, Counts, cases, try_faults

ALL = {f"{case.name}{' goes on' if case.continues else ''}": case for case in cases()}
EVERY = {"tree": 13, "exact": 29, "mccfr": 5, "single-bid": 19, "q": 9, "report": 1}
"""By name of the case: a fault is tried at one of this many points. All kinds of faults take
turns."""
_SEVERAL_THREADS = 3


def one_of(case: Case) -> int:
    """Of how many points one fails."""
    every = EVERY[case.name.partition(",")[0]]
    return every * _SEVERAL_THREADS if "threads" in case.name else every


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL.values(), ids=ALL)
def test_no_fault_loses_anything(case: Case, tmp_path: Path) -> None:
    every = one_of(case)
    counts = try_faults(
        case,
        tmp_path,
        lambda point, kind: (
            point % every == 0 and KINDS.index(kind) in (point // every % 5, point // every % 2 * 2)
        ),
    )
    assert counts.lost == []
    ends = {end for _, end in counts.outcomes}
    assert {"killed", "told in one line"} <= ends <= {"killed", "told in one line", "finished"}
    assert sum(counts.points.values()) > 5


class Careless:
    """Writes its file in place."""

    name = "careless"
    continues = True

    def prepare(self, directory: Path) -> None:
        (directory / "file").write_bytes(b"former")

    def begin(self, directory: Path):
        def write() -> None:
            with (directory / "other").open("xb") as file:
                file.write(b"new")
            (directory / "file").write_bytes((directory / "other").read_bytes())

        return write

    def finish(self, directory: Path) -> object:
        return (directory / "file").read_bytes()

    def files(self, directory: Path) -> set[Path]:
        return {directory / "file"}


def test_what_is_lost_is_noticed(tmp_path: Path) -> None:
    """A stray file, another content, and an error that is not ours."""
    counts: Counts = try_faults(Careless(), tmp_path)
    assert any("stayed" in what for what in counts.lost)
    assert any("ended differently" in what for what in counts.lost)
    assert any("No space left on device" in what for what in counts.lost)
