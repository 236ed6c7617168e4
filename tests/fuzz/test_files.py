"""Files of all kinds, damaged: refused with one line, or fine. For a longer run see
benchmarks/fuzz.py."""

from random import Random

import pytest

from tests.fuzz.files import CORPUS, Worker, fuzz_files, replayed
from tests.fuzz.mutations import Contents, mutated
from tests.fuzz.samples import WRITERS, write_samples
from tests.fuzz.worker import FINE, REFUSED

_FILES = 1200


@pytest.mark.slow
def test_damaged_files_are_refused_or_fine() -> None:
    result = fuzz_files(None, _FILES, seed=14)
    assert result.total == _FILES
    assert result.inputs.keys() == WRITERS.keys()
    assert result.failures == []


@pytest.mark.slow
def test_files_that_once_failed_are_refused_or_fine() -> None:
    paths = sorted(CORPUS.glob("*.safetensors"))
    assert paths
    ended = {path.name: outcome for path, outcome in replayed(paths)}
    assert {name: one for name, one in ended.items() if one not in (FINE, REFUSED)} == {}


@pytest.mark.slow
def test_what_ends_a_process_is_seen_and_the_next_file_is_tried(tmp_path) -> None:
    worker = Worker(tmp_path / "worker", 0)
    try:
        good = tmp_path / "values.safetensors"
        WRITERS["values"](good)
        assert worker.try_file("values", str(good)) == FINE
        worker._process.kill()
        assert worker.try_file("values", str(good)) == "killed by SIGKILL"
        assert worker.try_file("values", str(good)) == FINE
        assert worker.try_file("solve-exact", str(good)) == REFUSED
    finally:
        worker.close()


def test_damage_is_repeatable_and_of_all_kinds(tmp_path) -> None:
    sample = write_samples(tmp_path, ["solve-mccfr"])["solve-mccfr"]
    found = [mutated(sample, Random(number)) for number in range(300)]
    assert found == [mutated(sample, Random(number)) for number in range(300)]
    assert len({*found}) > 280
    whole = Contents.of(sample)
    assert mutated(sample, Random(0)) != sample
    same_header = same_arrays = 0
    for data in found:
        try:
            damaged = Contents.of(data)
        except Exception:  # bytes were damaged
            continue
        same_header += damaged.header == whole.header
        same_arrays += all(
            damaged.arrays[name].tobytes() == one.tobytes()
            for name, one in whole.arrays.items()
            if name in damaged.arrays
        )
    assert same_header > 50
    assert same_arrays > 50
