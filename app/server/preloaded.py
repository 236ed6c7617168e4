"""Load and try what worker processes share, once, in the process from which they are forked.

This process has no threads of its own, so forking it is safe.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from pathlib import Path

from zhaifei.app.server.compiled import COUNTED, count_kernels
from zhaifei.app.server.workers import PRELOADED
from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine.system import release_free_memory

_named = os.environ.get(PRELOADED)
if _named is not None:
    # Ctrl-C reaches this process too, but only the server reports it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from zhaifei.app.server.advice.warming_up import warm_up

    count_kernels(Path(os.environ[COUNTED]))
    with suppress(ZhaifeiError):  # a question for this policy raises the error again
        warm_up(Path(_named) if _named else None)
    gc.collect()
    release_free_memory()
    gc.freeze()  # so that collections in workers leave the pages shared
