"""The paths of the files of a run: its result and its checkpoint."""

from __future__ import annotations

import re
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files.atomic_files import StorageError, verify_writable

_CHECKPOINT = re.compile(r"\.checkpoint(\.safetensors)?\Z")
"""The end of the name of a checkpoint; the usual suffix of policy files comes last."""


def checkpoint_path(out: Path) -> Path:
    """Return the checkpoint file of the run that writes `out`: `a.checkpoint.safetensors` for
    `a.safetensors`, and `a.checkpoint` for `a`. Different names have different checkpoints."""
    return out.with_name(re.sub(r"(\.safetensors)?\Z", r".checkpoint\1", out.name, count=1))


def resumed_out(resume: Path, out: Path | None) -> Path:
    """Return the file to which a run resumed from the checkpoint `resume` writes its result: `out`,
    or by default the file beside the checkpoint to which the run wrote before.

    Raises ZhaifeiError if `out` is the checkpoint itself, or if the default does not follow from
    the name of the checkpoint.
    """
    if out is None:
        # Loading tells of a missing file.
        if resume.exists() and not _CHECKPOINT.search(resume.name):
            raise ZhaifeiError(
                "{resume} does not have the name of a checkpoint, like {usual}: name the file to "
                "write with --out",
                resume=resume,
                usual=checkpoint_path(Path("mine.safetensors")),
            )
        return resume.with_name(_CHECKPOINT.sub(r"\1", resume.name))
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
