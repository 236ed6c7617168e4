"""Files of policies and checkpoints that are damaged, or of another kind than they should be."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from tests.command_line import Solved
from zhaifei.solver.files import safetensors_layout as layout
from zhaifei.solver.files import storage


def contents(directory: Path) -> dict[str, bytes]:
    """Return the files of a directory by name."""
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def forged(target: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file with any header, kind and version included, and the checksum that fits it."""
    with target.open("wb") as file:
        storage._write(file, json.dumps(header), arrays)


def unsigned(target: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file with any header and no checksum."""
    with target.open("wb") as file:
        layout.write(file, {"zhaifei": json.dumps(header)}, arrays)


def altered(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Copy a file with another header of ours, which `change` changes in place."""
    found = storage.load(source, storage.kind_of(source))
    header = {**found.header}
    change(header)
    forged(target, header, found.arrays)


def missing(good: Solved, bad: Path) -> None:
    pass


def directory(good: Solved, bad: Path) -> None:
    bad.mkdir()


def empty(good: Solved, bad: Path) -> None:
    bad.touch()


def text(good: Solved, bad: Path) -> None:
    bad.write_text("This is no policy, though it is longer than eight bytes.")


def truncated(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.policy.read_bytes()[:-10])


def cut_in_header(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.policy.read_bytes()[:100])


def foreign(good: Solved, bad: Path) -> None:
    save_file({"weights": np.zeros(3)}, bad)


def newer(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header.update(version=header["version"] + 1))


def checkpoint(good: Solved, bad: Path) -> None:
    bad.write_bytes(good.checkpoint.read_bytes())


def of_more_dice(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header["rules"].update(dice=2))


def without_rules(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header.pop("rules"))


def of_no_rules(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header["rules"].update(dice=99))


def of_no_recall(good: Solved, bad: Path) -> None:
    altered(good.policy, bad, lambda header: header.update(recall="everything"))


def with_other_arrays(good: Solved, bad: Path) -> None:
    header = storage.load_header(good.policy, "policy")
    storage.save(bad, "policy", header, {"context": np.zeros(3, dtype=np.int64)})
