import errno
import json
import os

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from solver import storage
from solver.storage import StorageError, kind_of, load_arrays, load_header, save

ARRAYS = {
    "context": np.arange(5, dtype=np.int64) - 2**62,
    "action": np.array([[1, -1]], dtype=np.int16),
    "matches": np.array([3, -4, 5], dtype=np.int8),
    "steps": np.arange(255, dtype=np.uint8).reshape(5, 51),
    "regret": np.array([[0.1, -np.inf, np.nan]], dtype=np.float32),
    "weight": np.array([[65504.0], [6e-8]], dtype=np.float16),
    "value": np.array([np.pi, 5e-324]),
    "random": np.array([2**64 - 1], dtype=np.uint64),
    "none": np.zeros((0, 4), dtype=np.float32),
    "every second": np.arange(10, dtype=np.float32)[::2],
    "columns first": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "one number": np.array(7, dtype=np.int64),
}
HEADER = {"rules": {"players": 2, "modes": ["fei", "zhai"]}, "note": "飞4×5\n“”", "value": -0.1}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a file.zhaifei"


def refused(path, kind: str = "policy") -> str:
    """The message, which is one line and names the file."""
    with pytest.raises(StorageError) as caught:
        load_header(path, kind)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def test_arrays_come_back_as_they_were(path):
    save(path, "policy", HEADER, ARRAYS)
    loaded = load_arrays(path)
    assert sorted(loaded) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert (loaded[name].dtype, loaded[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(loaded[name], array)
        assert loaded[name].flags.aligned
        assert loaded[name].flags.c_contiguous


def test_the_library_reads_the_same(path):
    save(path, "policy", HEADER, ARRAYS)
    loaded = load_file(path)
    assert sorted(loaded) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert (loaded[name].dtype, loaded[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(loaded[name], array)


def test_files_are_equal_for_equal_contents_and_as_readable_as_others(path):
    save(path, "policy", HEADER, ARRAYS)
    before, other = path.read_bytes(), path.with_name("other")
    save(path, "policy", HEADER, dict(reversed(ARRAYS.items())))
    assert path.read_bytes() == before
    other.touch()
    assert path.stat().st_mode == other.stat().st_mode


def test_headers_come_back_as_they_were_with_kind_and_version(path):
    for kind in ("policy", "checkpoint"):
        save(path, kind, HEADER, {})
        version = storage.VERSIONS[kind]
        assert load_header(path, kind) == {**HEADER, "kind": kind, "version": version}


def test_what_is_loaded_is_mapped_and_read_only(path):
    save(path, "policy", {}, ARRAYS)
    loaded = load_arrays(path)
    for name, array in loaded.items():
        if array.size:
            assert isinstance(array.base, np.memmap), name
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_saving_replaces_what_was_there_and_leaves_nothing_else(path):
    save(path, "policy", {"note": "old"}, ARRAYS)
    old = load_arrays(path)
    save(path, "policy", {"note": "new"}, {"context": np.zeros(3)})
    assert load_header(path, "policy")["note"] == "new"
    assert list(load_arrays(path)) == ["context"]
    assert os.listdir(path.parent) == [path.name]
    # Who has the old file open still reads it.
    np.testing.assert_array_equal(old["context"], ARRAYS["context"])


@pytest.mark.parametrize("kept", [0, 7, 8, 60, -1])
def test_truncated_files_are_refused(path, kept):
    save(path, "policy", HEADER, ARRAYS)
    path.write_bytes(path.read_bytes()[:kept])
    assert "is not a whole safetensors file" in refused(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff" * 100, b"PK\x03\x04" + bytes(100)])
def test_files_of_other_formats_are_refused(path, content):
    path.write_bytes(content)
    assert "is not a whole safetensors file" in refused(path)


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {"format": "pt"},
        {"zhaifei": "not JSON"},
        {"zhaifei": "[]"},
        {"zhaifei": "3"},
        {"zhaifei": json.dumps({"version": 1})},
        {"zhaifei": json.dumps({"kind": "policy"})},
    ],
)
def test_safetensors_files_of_others_are_refused(path, metadata):
    save_file({"a": np.zeros(3)}, path, metadata=metadata)
    assert refused(path).endswith("is a safetensors file, but not one of zhaifei's")


NAMES = {
    "policy": "a policy file",
    "checkpoint": "a checkpoint file",
    "weights": "a weights file",
    "training": "a checkpoint file of 'train'",
}


@pytest.mark.parametrize("found", NAMES)
def test_files_of_another_kind_are_refused_with_both_named(path, found):
    save(path, found, {}, ARRAYS)
    assert kind_of(path) == found
    for wanted, name in NAMES.items():
        if wanted == found:
            load_header(path, wanted)
        else:
            assert refused(path, wanted).endswith(f"is {NAMES[found]}, not {name}")


@pytest.mark.parametrize("version", [3, "1", None])
def test_newer_versions_are_refused(path, version):
    text = json.dumps({"kind": "policy", "version": version})
    save_file({"a": np.zeros(3)}, path, metadata={"zhaifei": text})
    assert refused(path).endswith(f"has format version {version}; this zhaifei reads up to 2")


def test_missing_files_are_named(path):
    assert refused(path) == f"there is no policy file {path}"
    path.mkdir()
    assert refused(path, "checkpoint") == f"there is no checkpoint file {path}"


def test_a_write_that_fails_midway_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    save(path, "policy", {"note": "old"}, ARRAYS)
    old = path.read_bytes()

    def fail(file, text, arrays):
        file.write(b"part of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(storage, "_write", fail)
    with pytest.raises(StorageError) as caught:
        save(path, "policy", {"note": "new"}, ARRAYS)
    assert str(caught.value) == f"cannot write {path}: No space left on device"
    assert path.read_bytes() == old
    assert os.listdir(path.parent) == [path.name]
