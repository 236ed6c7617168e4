import errno
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tests.altered_files import forged, unsigned
from zhaifei.solver.files import safetensors_layout as layout
from zhaifei.solver.files import storage
from zhaifei.solver.files.compressed import zstd
from zhaifei.solver.files.storage import StorageError, kind_of, load, load_header, save

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
        load(path, kind)
    message = str(caught.value)
    assert str(path) in message
    assert message.isprintable()
    assert len(message) < len(str(path)) + 200
    return message


def verify_as_saved(loaded) -> None:
    """Check that `loaded` are ARRAYS."""
    assert sorted(loaded) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert (loaded[name].dtype, loaded[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(loaded[name], array)


def test_arrays_come_back_as_they_were(path):
    save(path, "policy", HEADER, ARRAYS)
    loaded = load(path, "policy").arrays
    verify_as_saved(loaded)
    for array in loaded.values():
        assert array.flags.aligned
        assert array.flags.c_contiguous


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
        for header in (load(path, kind).header, load_header(path, kind)):
            assert header == {**HEADER, "kind": kind, "version": version}


def test_what_is_loaded_is_mapped_and_read_only(path):
    save(path, "policy", {}, ARRAYS)
    loaded = load(path, "policy").arrays
    for name, array in loaded.items():
        if array.size:
            assert isinstance(array.base, np.memmap), name
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_saving_replaces_what_was_there_and_leaves_nothing_else(path):
    save(path, "policy", {"note": "old"}, ARRAYS)
    old = load(path, "policy").arrays
    save(path, "policy", {"note": "new"}, {"context": np.zeros(3)})
    header, arrays = load(path, "policy")
    assert (header["note"], list(arrays)) == ("new", ["context"])
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
        {"zhaifei": json.dumps({"kind": ["policy"], "version": 1})},
        {"zhaifei": json.dumps({"kind": "policy", "version": "1"})},
        {"zhaifei": json.dumps({"kind": "policy", "version": None})},
        {"zhaifei": json.dumps({"kind": "policy", "version": True})},
        {"zhaifei": json.dumps({"kind": "policy", "version": 0})},
        {"zhaifei": '{"kind": "policy", "kind": "policy", "version": 1}'},
        {"zhaifei": '{"kind": "policy", "version": 1, "note": ' + "[" * 900 + "]" * 900 + "}"},
        {"zhaifei": '{"kind": "policy", "version": 1' + "0" * 5000 + "}"},
        {"zhaifei": '{"kind": "policy", "version": 1, "note": "\\ud800"}'},
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


@pytest.mark.parametrize("version", [1, 4, 6, 2**63 - 1])
def test_other_versions_are_refused(path, version):
    text = json.dumps({"kind": "policy", "version": version})
    save_file({"a": np.zeros(3)}, path, metadata={"zhaifei": text})
    assert refused(path).endswith(f"has format version {version}; this zhaifei reads version 5")


def test_missing_files_are_named(path):
    assert refused(path) == f"there is no policy file {path}"
    assert refused(path / "below", "checkpoint") == f"there is no checkpoint file {path / 'below'}"
    path.write_bytes(b"")
    assert refused(path / "below") == f"there is no policy file {path / 'below'}"


def test_what_is_no_regular_file_is_refused_without_waiting_for_it(path):
    """Opening a FIFO would wait for somebody who writes."""
    path.mkdir()
    assert refused(path) == f"{path} is not a regular file"
    path.rmdir()
    os.mkfifo(path)
    assert refused(path) == f"{path} is not a regular file"
    assert refused(Path("/dev/zero")) == "/dev/zero is not a regular file"


def test_a_file_that_becomes_a_fifo_before_it_is_opened_is_refused(path, monkeypatch):
    os.mkfifo(path)
    regular = os.stat(__file__)
    monkeypatch.setattr(Path, "stat", lambda self, **options: regular)
    assert refused(path) == f"{path} is not a regular file"


def test_names_that_are_too_long_and_places_that_may_not_be_read_are_named(path, monkeypatch):
    long = path.with_name("x" * 300)
    assert refused(long) == f"cannot read {long}: File name too long"

    def fail(*args, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    save(path, "policy", {}, ARRAYS)
    monkeypatch.setattr(os, "open", fail)
    assert refused(path) == f"cannot read {path}: Permission denied"


def test_paths_that_are_not_utf_8_are_written_and_read(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\xfe.safetensors")
    save(path, "policy", HEADER, ARRAYS)
    assert load(path, "policy").arrays.keys() == ARRAYS.keys()
    assert kind_of(path) == "policy"


# compressed files


def test_checkpoints_are_compressed_and_policies_are_not(path):
    arrays = {"regret": np.zeros(100_000, dtype=np.float32)}
    save(path, "policy", HEADER, arrays)
    assert path.stat().st_size > 400_000
    save(path, "checkpoint", HEADER, arrays)
    assert path.stat().st_size < 1_000
    header, found = load(path, "checkpoint")
    assert header == {**HEADER, "kind": "checkpoint", "version": storage.VERSIONS["checkpoint"]}
    np.testing.assert_array_equal(found["regret"], arrays["regret"])
    assert os.listdir(path.parent) == [path.name]


def test_compressed_arrays_come_back_as_they_were(path):
    save(path, "checkpoint", HEADER, ARRAYS)
    loaded = load(path, "checkpoint").arrays
    verify_as_saved(loaded)
    for name, array in ARRAYS.items():
        if array.size:
            assert isinstance(loaded[name].base, np.memmap), name
            assert not loaded[name].flags.writeable


def test_a_checkpoint_may_be_plain(path):
    header = {"kind": "checkpoint", "version": storage.VERSIONS["checkpoint"]}
    forged(path, header, SMALL)
    assert load_header(path, "checkpoint") == header
    np.testing.assert_array_equal(load(path, "checkpoint").arrays["context"], SMALL["context"])


def test_compressed_files_cut_short_or_lengthened_are_refused(path):
    save(path, "checkpoint", HEADER, SMALL)
    whole = path.read_bytes()
    for kept in range(len(whole)):
        path.write_bytes(whole[:kept])
        assert contents(path, "checkpoint") is None, kept
    for more in (b"\0", whole):
        path.write_bytes(whole + more)
        assert contents(path, "checkpoint") is None
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert refused(path, "checkpoint").endswith("its compressed contents are damaged")


def test_a_compressed_file_of_another_kind_is_not_decompressed(path, monkeypatch):
    save(path, "checkpoint", {}, SMALL)
    monkeypatch.setattr(storage, "decompressed", None)
    assert refused(path, "policy").endswith("is a checkpoint file, not a policy file")


def test_a_frame_that_does_not_state_its_length_is_refused(path):
    save(path, "policy", {}, SMALL)
    frame = io.BytesIO()
    with zstd.ZstdFile(frame, "w") as file:
        file.write(path.read_bytes())
    path.write_bytes(frame.getvalue())
    assert refused(path).endswith("its compressed contents are damaged")


# checksums

SMALL = {"context": np.array([0, 5]), "action": np.array([1, 2, 3], dtype=np.int16)}


def contents(path, kind):
    """What a reader gets, or None if the file is refused."""
    try:
        header, arrays = load(path, kind)
    except StorageError as error:
        assert str(error).isprintable()  # noqa: PT017
        return None
    return dict(header), {
        name: (one.dtype, one.shape, one.tobytes()) for name, one in arrays.items()
    }


@pytest.mark.parametrize("kind", ["policy", "checkpoint", "weights"])
def test_no_change_of_a_byte_goes_unnoticed(path, kind):
    """Every byte of a file takes two other values: one bit off, and all bits off. The file is
    refused, or it reads the same."""
    save(path, kind, {"rules": {"dice": 1}, "note": "飞"}, SMALL)
    right, whole = contents(path, kind), path.read_bytes()
    assert right is not None
    accepted = 0
    for place, byte in enumerate(whole):
        for other in (byte ^ 1, byte ^ 255):
            damaged = bytearray(whole)
            damaged[place] = other
            path.write_bytes(damaged)
            found = contents(path, kind)
            assert found in (None, right), (place, other)
            accepted += found is not None
    assert accepted < 20, "only in blanks"


def test_files_cut_short_or_lengthened_are_refused(path):
    save(path, "policy", HEADER, SMALL)
    whole = path.read_bytes()
    for kept in range(len(whole)):
        path.write_bytes(whole[:kept])
        assert contents(path, "policy") is None, kept
    path.write_bytes(whole + b"\0")
    assert "bytes instead of" in refused(path)


def test_a_checksum_that_is_wrong_or_missing_is_named(path):
    header = {"kind": "policy", "version": storage.VERSIONS["policy"]}
    says = f"{path} is damaged: its checksum is wrong"
    unsigned(path, header, SMALL)
    assert refused(path) == says
    forged(path, header, SMALL)
    load(path, "policy")
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    assert refused(path) == says
    # Whoever reads only the header is not made to wait for the rest.
    assert load_header(path, "policy") == header


def test_the_checksum_covers_the_header_and_names_dtypes_and_shapes(path):
    arrays = {"a": np.zeros(4, dtype=np.int16), "b": np.zeros(4, dtype=np.int16)}
    others = (
        {"a": arrays["a"], "c": arrays["b"]},
        {"a": arrays["a"].astype(np.uint16), "b": arrays["b"]},
        {"a": arrays["a"].reshape(2, 2), "b": arrays["b"]},
        {"a": arrays["a"].astype(np.float16), "b": arrays["b"]},
    )
    right = layout.checksum_of_arrays("{}", arrays)
    found = {layout.checksum_of_arrays("{}", other) for other in others}
    found |= {right, layout.checksum_of_arrays("{ }", arrays)}
    assert len(found) == 2 + len(others)
