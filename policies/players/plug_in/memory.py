"""Strategy files remember: what follows for whoever plays rounds with them.

A file may remember whatever its process has seen in earlier rounds: hands, bids, the order of its
questions, the seeds of its random numbers. Three rules keep that from revealing dice of others:

- *No deal comes twice.* Where other players would replay dice in another seating or at another
  table, a table with a file has dice and random numbers of its own (`has_memory`). They are
  independent of all earlier ones, so that nothing that was seen before tells of them.
- *A measurement begins with new processes* (`forget`), since it may have the seed of another one.
- *Seats share no process* (`apart`): a file that holds several seats would else know their dice.

The rules are for files only. Players written in Python run in this process, where nothing can be
kept from them: see `policies.players.player.Player`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from policies.players.plug_in.player import PlugInPlayer
from policies.players.plug_in.plug_in import PlugIn

AnyPlayer = TypeVar("AnyPlayer")


def has_memory(players: Iterable[object]) -> bool:
    """Return whether a strategy file is among `players`: then no deal may be replayed."""
    return any(isinstance(one, PlugIn | PlugInPlayer) for one in players)


def forget(players: Iterable[object]) -> None:
    """Start strategy files among `players` again, unless they have seen nothing yet. Raise
    PlugInError."""
    for one in players:
        if isinstance(one, PlugIn | PlugInPlayer):
            one.forget()


def apart(players: Sequence[AnyPlayer]) -> list[AnyPlayer]:
    """Return [seat] the players, where a strategy file that holds several seats is another copy in
    each. Raise PlugInError if the process of a copy cannot be started."""
    held: Counter[object] = Counter()
    seated = list(players)
    for seat, one in enumerate(players):
        if isinstance(one, PlugIn | PlugInPlayer):
            seated[seat] = cast("AnyPlayer", one.copy(held[one]))
            held[one] += 1
    return seated
