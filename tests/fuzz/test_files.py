"""Every file is refused or works, however it is damaged: see tests/fuzz/files.py.

The damaged files are the same in every run. `python -m benchmarks.fuzz` tries others for as long as
it is told to; what fails there goes to tests/corpus/files.
"""

import pytest

from tests.fuzz.files import CORPUS, fuzz_files, replayed
from tests.fuzz.samples import WRITERS
from tests.fuzz.worker import FINE, REFUSED

SEED, FILES = 14, 900


@pytest.mark.slow
def test_damaged_files_are_refused_or_work() -> None:
    result = fuzz_files(None, FILES, SEED)
    assert result.failures == []
    assert set(result.inputs) == set(WRITERS)
    assert result.total == FILES


@pytest.mark.slow
def test_files_that_once_failed_are_refused_or_work() -> None:
    ended = dict(replayed(sorted(CORPUS.glob("*.safetensors"))))
    assert {path.name: how for path, how in ended.items() if how not in (FINE, REFUSED)} == {}
