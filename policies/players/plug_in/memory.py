"""Rules for playing rounds with strategy files, which may remember earlier rounds.

A file may remember everything that its process has seen in earlier rounds: hands, bids, the order
of its questions, the seeds of its random numbers. Three rules keep this memory from revealing the
dice of others:

- *No deal comes twice.* Where other players would replay dice in another seating or at another
  table, a table with a file has its own dice and random numbers (`has_memory`). They are
  independent of all earlier ones, so the memory says nothing about them.
- *A measurement begins with new processes* (`forget`), since two measurements may share a seed.
- *Seats share no process* (`apart`). Otherwise a file in several seats would know all their dice.

The rules are for files only. Players written in Python run in this process, where nothing can be
hidden from them: see `policies.players.player.BatchPlayer`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn

Seated = TypeVar("Seated")


def has_memory(players: Iterable[object]) -> bool:
    """Return whether a strategy file is among `players`, so that no deal may be replayed."""
    return any(isinstance(one, PlugIn | PlugInPlayer) for one in players)


def forget(players: Iterable[object]) -> None:
    """Restart the strategy files among `players`, unless they have seen nothing yet. Raise
    PlugInError."""
    for one in players:
        if isinstance(one, PlugIn | PlugInPlayer):
            one.forget()


def apart(players: Sequence[Seated]) -> list[Seated]:
    """Return [seat] the players, with a separate copy of a strategy file in each of its seats.
    Raise PlugInError if the process of a copy cannot be started."""
    held: Counter[object] = Counter()
    seated = list(players)
    for seat, one in enumerate(players):
        if isinstance(one, PlugIn | PlugInPlayer):
            seated[seat] = cast("Seated", one.copy(held[one]))
            held[one] += 1
    return seated
