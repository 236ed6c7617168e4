"""A process that damages files and uses them, one after the other, until one kills it.

Its parent writes a line `NAME PATH` for each file, or `NAME #NUMBER` for a sample of the kind NAME
that the process damages itself. The process answers each with a line of JSON: how it ended.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import threading
import traceback
import warnings
from pathlib import Path
from random import Random

from tests.command_line import ROOT
from tests.fuzz.mutations import mutated
from tests.fuzz.samples import write_samples
from tests.fuzz.using import use
from zhaifei.game.errors import ZhaifeiError

FINE, REFUSED = "fine", "refused"
_MEMORY = 8 << 30
"""Bytes of address space that damaged files may take, beyond what the process has already."""
_SECONDS = 60
"""Of processor time that a file may take: a hundred times what any takes. After that the kernel
ends the process, wherever it is."""


def damaged(samples: dict[str, bytes], name: str, seed: int, number: int) -> bytes:
    """Return the damaged file of this number."""
    return mutated(samples[name], Random(f"{seed} {name} {number}"))


def outcome_of(name: str, path: Path, scratch: Path) -> str:
    """Use a file. Return FINE, REFUSED, or what else happened."""
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    try:
        use(name, path, scratch)
    except ZhaifeiError as error:
        lines = str(error).splitlines()
        return REFUSED if len(lines) == 1 else f"{len(lines)} lines of error: {lines}"
    except BaseException as error:
        return _described(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return FINE


def _described(error: BaseException) -> str:
    """Return one line on an error, with the last line of ours that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(str(ROOT))]
    ours = [frame for frame in ours if "site-packages" not in frame.filename]
    last = (ours or frames)[-1]
    text = (str(error).splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {text} ({Path(last.filename).name}:{last.lineno})"


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(directory: Path, seed: int) -> None:
    """Answer what comes from standard input; files are written below `directory`."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    sys.stdout = sys.stderr
    warnings.simplefilter("error", RuntimeWarning)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    threading.stack_size(1 << 20)
    samples = write_samples(directory)
    for name in samples:  # compiles and loads everything, and sees that undamaged files are fine
        ended = outcome_of(name, directory / f"{name}.safetensors", directory)
        assert ended == FINE, (name, ended)
    if sys.platform == "linux":
        _limit_memory()
    gc.collect()
    gc.freeze()  # so that collecting what files leave takes no time
    answers.write("ready\n")
    for done, line in enumerate(sys.stdin):
        if done % 10 == 0:
            gc.collect()  # engines refer to themselves, and keep their threads
        name, what = line.split()
        path = Path(what)
        if what.startswith("#"):
            path = directory / "damaged.safetensors"
            path.write_bytes(damaged(samples, name, seed, int(what[1:])))
        answers.write(json.dumps(outcome_of(name, path, directory)) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
