"""Files of all kinds, damaged: refused with one line, or fine. For a longer run see
benchmarks/fuzz.py."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.files import CORPUS, Worker, fuzz_files
from tests.fuzz.mutations import Contents, mutated
from tests.fuzz.samples import WRITERS, write_samples
from tests.fuzz.worker import FINE, REFUSED
from zhaifei.solver.files.storage import VERSIONS

_FILES = 600


@pytest.mark.slow
def test_damaged_files_are_refused_or_fine() -> None:
    result = fuzz_files(None, _FILES, seed=14)
    assert result.total == _FILES
    assert result.inputs.keys() == WRITERS.keys()
    assert result.failures == []


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    started = Worker(tmp_path_factory.mktemp("worker"), 0)
    yield started
    started.close()


def test_most_files_of_the_corpus_are_of_the_present_version() -> None:
    """Others are refused before anything else is read: `python -m tests.fuzz.corpus`."""
    paths, present = [*CORPUS.glob("*.safetensors")], 0
    for path in paths:
        with suppress(Exception):  # damage may have reached the header
            header = Contents.of(path.read_bytes()).header
            present += header["version"] == VERSIONS[header["kind"]]
    assert len(paths) > 40
    assert present > 0.7 * len(paths)


@pytest.mark.slow
def test_files_of_the_corpus_are_refused_or_fine(worker: Worker) -> None:
    for path in sorted(CORPUS.glob("*.safetensors")):
        assert worker.try_file(path.name.split(".")[0], str(path)) in (FINE, REFUSED), path


@pytest.mark.slow
def test_what_ends_a_process_is_seen_and_the_next_file_is_tried(
    worker: Worker, tmp_path: Path
) -> None:
    good = tmp_path / "values.safetensors"
    WRITERS["values"](good)
    assert worker.try_file("values", str(good)) == FINE
    worker.process.kill()
    assert worker.try_file("values", str(good)) == "killed by SIGKILL"
    assert worker.try_file("values", str(good)) == FINE
    assert worker.try_file("solve-exact", str(good)) == REFUSED


def test_damage_is_repeatable_and_of_all_kinds(tmp_path: Path) -> None:
    sample = write_samples(tmp_path, ["solve-mccfr"])["solve-mccfr"]
    found = [mutated(sample, Random(number)) for number in range(300)]
    assert found == [mutated(sample, Random(number)) for number in range(300)]
    assert len({*found}) > 250
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
