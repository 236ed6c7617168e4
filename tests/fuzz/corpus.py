"""Damaged files that between them reach every place where damage is noticed:
`python -m tests.fuzz.corpus` writes them into `tests/corpus/files` anew, as after a change of a
file format.

A file is kept if it is found out at a place where no earlier file was. Of those that change the
bytes of a packed policy, some more are kept. All former files are deleted: in a former format, they
are refused before anything else is read.
"""

from __future__ import annotations

import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

from tests.fuzz.files import CORPUS
from tests.fuzz.samples import WRITERS, write_samples
from tests.fuzz.using import use
from tests.fuzz.worker import damaged
from zhaifei.game.errors import ZhaifeiError

_SEED, _TRIED = 37, 150
"""The seed, and how many files of each kind are tried."""
_PACKED, _DECODED = "policy-packed", 8
"""The kind whose bytes are coded, and how many that reach the decoder are kept for each place."""


def place_of(name: str, path: Path, scratch: Path) -> str:
    """Use a file; return where it was found out first, or "fine"."""
    try:
        use(name, path, scratch)
    except ZhaifeiError as error:
        first: BaseException = error
        while first.__cause__ is not None:
            first = first.__cause__
        frame = traceback.extract_tb(first.__traceback__)[-1]
        return f"{Path(frame.filename).name}:{frame.lineno}"
    return "fine"


def main() -> None:
    """Write the files anew."""
    warnings.simplefilter("error", RuntimeWarning)
    for path in CORPUS.glob("*.safetensors"):
        path.unlink()
    found = Counter[str]()
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        samples = write_samples(scratch)
        for name in sorted(WRITERS, key=lambda name: len(samples[name])):
            for number in range(_TRIED):
                path = scratch / "damaged.safetensors"
                path.write_bytes(damaged(samples, name, _SEED, number))
                place = place_of(name, path, scratch)
                decoded = name == _PACKED and place.startswith(("fine", "packing.py"))
                if found[place] < (_DECODED if decoded else place != "fine"):
                    found[place] += 1
                    kept = CORPUS / f"{name}.{_SEED}-{number}.safetensors"
                    kept.write_bytes(path.read_bytes())
    for place, files in sorted(found.items()):
        print(f"{files:3}  {place}")


if __name__ == "__main__":
    main()
