"""What the processes of a test run share."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests import conftest
from tests.command_line import LONG, ROOT
from tests.conftest import FIRST, place
from tests.policies.small_policies import random_policy
from zhaifei.game.rules import Rules
from zhaifei.policies.players.table_policy import load_policy, save_policy

AS_WORKER = (
    "import os, tests.conftest as it; "
    "print(it.SESSION, os.environ['NUMBA_CACHE_DIR'], os.environ['HOME'], sep='\\n')"
)


def test_files_that_others_wait_for_come_first() -> None:
    assert [name for name in FIRST if not (ROOT / name).exists()] == []
    assert place(f"{FIRST[0]}::test") < place("tests/web/test_page.py::test") < len(FIRST)
    assert place("tests/test_conftest.py::test") == len(FIRST)


def test_a_large_policy_is_decoded_once_and_a_small_one_whenever_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "small.safetensors"
    save_policy(path, random_policy(Rules.of(dice=1, faces=2), dtype=np.uint16))
    assert load_policy(path).table is not load_policy(path).table
    monkeypatch.setattr(conftest, "LARGE", 1)
    again, other = load_policy(path).table, tmp_path / "other.safetensors"
    assert load_policy(path).table is again
    save_policy(other, random_policy(Rules.of(dice=1, faces=2), seed=1, dtype=np.uint16))
    assert load_policy(other).table is not again


def test_all_processes_share_compiled_kernels_and_solved_policies_but_no_home() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AS_WORKER],
        cwd=ROOT,
        timeout=LONG,
        check=True,
        env={**os.environ, "PYTEST_XDIST_WORKER": "gw99"},
        capture_output=True,
        encoding="utf-8",
    )
    session, cache, home = done.stdout.splitlines()
    assert session == os.environ["ZHAIFEI_TEST_SESSION"]
    assert cache == os.environ["NUMBA_CACHE_DIR"]
    assert home.startswith(session)
    assert home != os.environ["HOME"]
