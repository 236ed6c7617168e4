"""The paths of the files of a run: its result and its checkpoint."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files.atomic_files import (
    StorageError,
    remove_file,
    unfinished_in,
    verify_writable,
)

_CHECKPOINT = re.compile(r"\.checkpoint(\.safetensors)?\Z")
"""The end of the name of a checkpoint; the usual suffix of policy files comes last."""


def checkpoint_path(out: Path) -> Path:
    """Return the checkpoint file of the run that writes `out`: `a.checkpoint.safetensors` for
    `a.safetensors`, and `a.checkpoint` for `a`. Different names have different checkpoints."""
    return out.with_name(re.sub(r"(\.safetensors)?\Z", r".checkpoint\1", out.name, count=1))


def parts_directory(checkpoint: Path) -> Path:
    """Return the directory of the parts of a checkpoint of a run on a cluster. It is absolute,
    since workers may have another working directory."""
    return checkpoint.with_suffix(".parts").absolute()


def remove_parts(directory: Path, *, besides: Collection[Path] = ()) -> None:
    """Remove all parts of checkpoints in the directory `besides` the named ones, and the unfinished
    files of killed workers. Remove the directory too if nothing is left in it."""
    for file in (*directory.glob("*.safetensors"), *unfinished_in(directory)):
        if file not in besides:
            with suppress(OSError):
                file.unlink()
    with suppress(OSError):  # unless there are files in it
        directory.rmdir()


def remove_checkpoint(checkpoint: Path) -> None:
    """Remove a checkpoint and its parts, if there are any. Raises StorageError."""
    remove_file(checkpoint)  # first, since parts are of no use without it
    remove_parts(parts_directory(checkpoint))


def resumed_out(resume: Path, out: Path | None) -> Path:
    """Return the file to which a run resumed from the checkpoint `resume` writes its result: `out`,
    or by default the file beside the checkpoint to which the run wrote before.

    Raises ZhaifeiError if `out` is the checkpoint itself, or if the default does not follow from
    the name of the checkpoint. Raises StorageError if there is no checkpoint, but a result beside
    it: the run has probably finished.
    """
    beside = resume.parent / _CHECKPOINT.sub(r"\1", resume.name)
    if not resume.exists() and beside.is_file():
        raise StorageError(
            "there is no checkpoint file {path}: a finished run keeps its checkpoint only with "
            "--keep-checkpoint",
            path=resume,
        )
    if out is None:
        # Loading tells of a missing file.
        if resume.exists() and not _CHECKPOINT.search(resume.name):
            raise ZhaifeiError(
                "{resume} does not have the name of a checkpoint, like {usual}: name the file to "
                "write with --out",
                resume=resume,
                usual=checkpoint_path(Path("mine.safetensors")),
            )
        return beside
    if out.resolve() == resume.resolve():
        raise ZhaifeiError("--out {out} is the checkpoint itself; name another file", out=out)
    return out


def writable_checkpoint(out: Path) -> Path:
    """Return the checkpoint of the run that writes `out`. Raise StorageError unless the run can
    write both files, and if `out` is named like a checkpoint, since it could be the checkpoint of
    another run."""
    if _CHECKPOINT.search(out.name):
        raise StorageError(
            "cannot write {path}: that is the name of a checkpoint; leave out {ending}",
            path=out,
            ending=".checkpoint",
        )
    verify_writable(out)
    checkpoint = checkpoint_path(out)
    verify_writable(checkpoint)
    return checkpoint
