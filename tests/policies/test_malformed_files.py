"""Files of policies, weights and action values with a checksum that is right and contents that are
not: each is refused in one line that names the file."""

import math
import os
import warnings
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.altered_files import forged
from tests.policies.small_policies import random_policy
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.known import known_record, load_any, load_known
from zhaifei.policies.catalogue.names import load_decider, load_player
from zhaifei.policies.catalogue.record import record_of
from zhaifei.policies.catalogue.shipped import data_files
from zhaifei.policies.players.features import feature_sizes
from zhaifei.policies.players.match_policy import load_match, named_arrays, position_name
from zhaifei.policies.players.network import load_weights
from zhaifei.policies.players.q_player import initial_values, load_values
from zhaifei.policies.players.table_policy import load_policy, save_policy
from zhaifei.solver.files import storage
from zhaifei.solver.files.storage import Kind, StorageError, kind_of, load
from zhaifei.solver.tables.packing import pack
from zhaifei.solver.tables.strategy_table import arrays_of
from zhaifei.solver.value.matches import positions_of

RULES = Rules.of(dice=1, faces=2)
MATCH = preset("knockout", dice=(2, 1), faces=2)
ROUNDS = {at: random_policy(round_rules(MATCH, at)) for at in positions_of(MATCH)}
CALLERS = preset("increment", players=3, dice=1)
INPUTS, ACTIONS = sum(feature_sizes(RULES)), bid_tables(RULES).claimed.size + 1
TABLE = random_policy(RULES).table
ARRAYS: Mapping[Kind, dict[str, np.ndarray]] = {
    "policy": arrays_of(TABLE),
    "match": named_arrays({position_name(at): one for at, one in ROUNDS.items()}),
    "weights": {
        "0.weight": np.full((INPUTS, 3), 0.5, dtype=np.float16),
        "0.bias": np.zeros(3, dtype=np.float16),
        "1.weight": np.full((3, ACTIONS), 0.5, dtype=np.float16),
        "1.bias": np.zeros(ACTIONS, dtype=np.float16),
    },
    "values": {"values": initial_values(CALLERS).astype(np.float32)},
}
HEADERS: Mapping[Kind, dict[str, Any]] = {
    "policy": {"rules": RULES.to_dict(), "recall": "full", "training": {}},
    "match": {
        "rules": MATCH.to_dict(),
        "training": {},
        "rounds": [{"value": 0.0, "exploitability": 0.0} for _ in ROUNDS],
    },
    "weights": {"rules": RULES.to_dict(), "plays": "greedy", "training": {}},
    "values": {"rules": CALLERS.to_dict(), "training": {}},
}
LOAD: Mapping[Kind, Callable[[Path], object]] = {
    "policy": lambda path: load_policy(path).table,
    "match": lambda path: [one.table for one in load_match(path).rounds.values()],
    "weights": load_weights,
    "values": lambda path: load_values(path, CALLERS),
}
NONE = object()
"""In place of a field or an array: leave it out."""


def written(path: Path, kind: Kind, fields: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    """Write a file with the right checksum, some fields or arrays of which are other ones."""
    header = {"kind": kind, "version": storage.VERSIONS[kind], **HEADERS[kind], **fields}
    stored = {**ARRAYS[kind], **arrays}
    forged(
        path,
        {name: value for name, value in header.items() if value is not NONE},
        {name: np.asarray(array) for name, array in stored.items() if array is not NONE},
    )
    return path


def refused(path: Path, kind: Kind) -> None:
    """Nor is there a warning besides."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(StorageError) as caught:
            LOAD[kind](path)
    message = str(caught.value)
    assert message.isprintable()
    assert str(path) in message
    assert len(message) < len(str(path)) + 500


@pytest.mark.parametrize("kind", LOAD)
def test_what_the_others_are_made_from_is_accepted(tmp_path: Path, kind: Kind) -> None:
    LOAD[kind](written(tmp_path / "file", kind, {}, {}))


ODD = [None, -1.5, True, "", "two\nlines", [], [[]], math.nan, "x" * 100_000, 10**30]
"""What no field holds."""


@pytest.mark.parametrize("kind", LOAD)
def test_odd_fields_are_refused(tmp_path: Path, kind: Kind) -> None:
    read = {*HEADERS[kind]} - ({"training"} if kind == "values" else set())
    for name in read:
        for odd in [*ODD, NONE, 3]:
            refused(written(tmp_path / "file", kind, {name: odd}, {}), kind)


@pytest.mark.parametrize("kind", LOAD)
def test_odd_rules_are_refused(tmp_path: Path, kind: Kind) -> None:
    rules = HEADERS[kind]["rules"]
    switches = {name for name, value in rules.items() if isinstance(value, bool)}
    for name in rules:
        allowed = True if name in switches else rules[name]
        for odd in (one for one in ODD if type(one) is not type(allowed) or one != allowed):
            changed = {"rules": {**rules, name: odd}}
            refused(written(tmp_path / "file", kind, changed, {}), kind)


@pytest.mark.parametrize("kind", LOAD)
def test_arrays_of_another_type_or_shape_are_refused(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "file"
    for name, right in ARRAYS[kind].items():
        wrong = [
            NONE,
            right[:-1],
            right[:0],
            right[np.newaxis],
            right.reshape(-1)[0],
            right.ravel()[:1],
            np.zeros((0, 2**20, 2**20), dtype=right.dtype),
            right.astype(np.uint16),
            right.astype(np.int8),
        ]
        if right.dtype.kind == "f":
            wrong += [np.full_like(right, number) for number in (np.nan, np.inf, -np.inf)]
            wrong.append(np.full(right.shape, 1e300))
        else:
            bounds = np.iinfo(right.dtype)
            wrong += [np.full_like(right, number) for number in (bounds.min or 1, 77, bounds.max)]
        for array in wrong:
            if array is not NONE and np.array_equal(array, right) and array.dtype == right.dtype:
                continue
            refused(written(path, kind, {}, {name: array}), kind)
    refused(written(path, kind, {}, {"more": np.zeros(3)}), kind)
    refused(written(path, kind, {}, dict.fromkeys(ARRAYS[kind], NONE)), kind)


@pytest.mark.parametrize("number", [-0.1, 1.1, 0.0])
def test_probabilities_that_do_not_add_up_are_refused(tmp_path: Path, number: float) -> None:
    share = TABLE.share.copy()
    share[-1] = number
    refused(written(tmp_path / "file", "policy", {}, {"share": share}), "policy")


def test_packed_arrays_are_refused_where_others_are(tmp_path: Path) -> None:
    path, rules = tmp_path / "file", RULES
    alone, bids = dict.fromkeys(ARRAYS["policy"], NONE), bid_tables(rules)
    table = random_policy(rules, dtype=np.uint8).table
    packed = pack(bids, table)
    _ = load_policy(written(path, "policy", {}, {**alone, **packed})).table
    for name, right in packed.items():
        for wrong in (NONE, right[:-4], right[:0], right[0], np.append(right, right)):
            refused(written(path, "policy", {}, {**alone, **packed, name: wrong}), "policy")
    refused(written(path, "policy", {}, {**packed}), "policy")


def test_packed_arrays_of_a_match_are_refused_where_others_are(tmp_path: Path) -> None:
    path, at = tmp_path / "file", (1, 2)
    rules = round_rules(MATCH, at)
    table = random_policy(rules, dtype=np.uint8).table
    packed = {f"1,2/{name}": one for name, one in pack(bid_tables(rules), table).items()}
    stored = {name: NONE for name in ARRAYS["match"] if name.startswith("1,2/")} | packed
    LOAD["match"](written(path, "match", {}, stored))
    for name, right in packed.items():
        for wrong in (NONE, right[:-4], right[:0], right[0], np.append(right, right)):
            refused(written(path, "match", {}, {**stored, name: wrong}), "match")
    refused(written(path, "match", {}, packed), "match")


def test_arrays_of_positions_to_which_no_match_comes_are_refused(tmp_path: Path) -> None:
    """Nor do other spellings name a position."""
    for position in ("2,2", "0,1", "", "1,1/", "01,1", "1, 1"):
        arrays = {f"{position}/{name}": one for name, one in arrays_of(TABLE).items()}
        refused(written(tmp_path / "file", "match", {}, arrays), "match")


def test_odd_records_of_rounds_are_refused(tmp_path: Path) -> None:
    right = HEADERS["match"]["rounds"]
    for odd in [*ODD, 3, {}, *({**right[0], "value": one} for one in ODD)]:
        refused(written(tmp_path / "file", "match", {"rounds": [*right[:2], odd]}, {}), "match")
    for name in right[0]:
        for odd in [*ODD, 3]:
            if name == "value" and odd == -1.0:
                continue
            records = [right[0], {**right[1], name: odd}, right[2]]
            refused(written(tmp_path / "file", "match", {"rounds": records}, {}), "match")


def test_recalls_that_would_take_much_memory_or_a_long_line_are_refused(tmp_path: Path) -> None:
    for recall in (
        "bid" + ",-" * 200_000,
        "bid," + "x" * 200_000,
        "bid" * 100_000,
        "bid,bid<99999",
    ):
        refused(written(tmp_path / "file", "policy", {"recall": recall}, {}), "policy")


def test_outputs_of_a_network_stay_finite(tmp_path: Path) -> None:
    """Six layers of the largest weights would have infinite outputs."""
    largest = np.finfo(np.float16).max
    widths = [INPUTS, *[256] * 5, ACTIONS]
    layers = {}
    for place, (before, after) in enumerate(pairwise(widths)):
        layers[f"{place}.weight"] = np.full((before, after), largest, dtype=np.float16)
        layers[f"{place}.bias"] = np.zeros(after, dtype=np.float16)
    refused(written(tmp_path / "file", "weights", {"plays": "sampled"}, layers), "weights")


# Where files are looked for


def test_odd_training_records_count_as_no_figure(tmp_path: Path) -> None:
    for odd in (*ODD[:-1], math.inf, -math.inf, -(10**30), "0.1", {"exploitability": 0.1}):
        record = record_of("name", tmp_path / "file", RULES, {"exploitability": odd})
        assert (record.figure, record.source) == (None, "unknown")
    assert record_of("name", tmp_path / "file", RULES, {"exploitability": 3}).figure == 3.0


def test_files_among_the_users_data_that_cannot_be_read_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    place = tmp_path / "zhaifei"
    place.mkdir()
    os.mkfifo(place / "fifo.safetensors")
    (place / "directory.safetensors").mkdir()
    written(place / "rules.safetensors", "policy", {"rules": {"players": []}}, {})
    written(place / "training.safetensors", "policy", {"training": [1]}, {})
    best = written(place / "best.safetensors", "policy", {"training": {"exploitability": 0.1}}, {})
    record = known_record(RULES)
    assert record is not None
    assert (record.name, record.figure) == (str(best), 0.1)


def test_names_that_no_file_can_have_are_unknown(tmp_path: Path) -> None:
    name = "x" * 300
    for find in (
        lambda: load_player(name, preset("zhaifei")),
        lambda: load_decider(name, CALLERS, np.random.default_rng(0)),
        lambda: load_known(Path(name), None),
        lambda: load_any(Path(name), None),
    ):
        with pytest.raises(ZhaifeiError, match=r"no player is called|File name too long"):
            find()


def test_policies_at_paths_that_are_not_utf_8_are_read(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.safetensors")
    save_policy(path, random_policy(RULES))
    for found in (load_policy(path), load_known(path, None).policy, load_any(path, RULES).policy):
        assert found.rules == RULES
    assert load_player(str(path), RULES)


def test_files_of_the_package_hold_rules_and_arrays() -> None:
    for path in data_files():
        header, arrays = load(path, kind_of(path))
        assert arrays
        assert len(hands(header.rules())) > 0
