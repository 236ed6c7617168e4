"""Files of each format that version 1.0.0 wrote are read, and say what they said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from tests.promise.promised import FILES
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice import remembered
from zhaifei.policies.catalogue.lock_file import load_locks
from zhaifei.policies.play.records import read_match
from zhaifei.policies.players.match_policy import load_match
from zhaifei.policies.players.network import load_weights
from zhaifei.policies.players.q_player import load_values
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.research.q_learning import resume_q_run
from zhaifei.policies.review.deck import format_deck, parse_deck
from zhaifei.policies.training.solver_run import saved_run
from zhaifei.solver.files.storage import Kind, kind_of

SMALL = Rules.of(dice=1, faces=3)
READERS: dict[str, Callable[[Path], object]] = {
    "policy": load_policy,
    "three": load_policy,
    "match": load_match,
    "weights": load_weights,
    "values": lambda path: load_values(path, preset("increment")),
    "checkpoint": saved_run,
    "training": resume_q_run,
}


def file(name: str) -> Path:
    return FILES / f"{name}.safetensors"


@pytest.mark.parametrize("name", READERS)
def test_files_with_arrays_are_read(name: str) -> None:
    assert READERS[name](file(name)) is not None


def test_there_is_a_file_of_every_kind() -> None:
    """But parts of a cluster's checkpoint, which the same version reads (docs/compatibility.md)."""
    found = {kind_of(path) for path in FILES.glob("*.safetensors")}
    assert found == {*get_args(Kind)} - {"part"}
    assert {path.stem for path in FILES.glob("*.safetensors")} == {*READERS}


def test_a_policy_plays_as_it_did() -> None:
    policy = load_policy(file("policy"))
    assert policy.rules == SMALL
    opening = policy.strategy(())
    assert opening.shape == (3, 11)
    np.testing.assert_allclose(opening[0, [0, 1]], [0.0009347, 0.9979405], atol=1e-6)


def test_a_match_is_worth_what_it_was() -> None:
    assert load_match(file("match")).values[2, 2] == pytest.approx(0.5441, abs=1e-4)


@pytest.mark.parametrize("name", ["record", "record-1"])
def test_records_are_read(name: str) -> None:
    match = read_match(FILES / f"{name}.jsonl")
    assert (match.rules, match.seats, match.you) == (SMALL, ("you", "老王"), 0)
    assert [len(one.actions) for one in match.rounds] == [3, 2]


def test_locks_are_read() -> None:
    assert len(load_locks(FILES / "locks.yaml", SMALL).locks) == 2


def test_a_deck_is_read() -> None:
    text = (FILES / "drill.json").read_text("utf-8")
    deck = parse_deck(text)
    assert deck.session == 4
    assert json.loads(format_deck(deck)) == json.loads(text)


def test_whom_to_forget_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "zhaifei").mkdir()
    (tmp_path / "zhaifei" / "people.json").write_bytes((FILES / "people.json").read_bytes())
    assert remembered.read_forgotten() == {"老王": "2026-11-26T20-15-00.000000Z"}


def test_rules_without_fields_that_came_later_are_read() -> None:
    written = SMALL.to_dict()
    for name in ("doubled", "giving_up", "first_ones"):
        del written[name]
    assert Rules.from_dict(written) == SMALL
