"""Limit how long connections may wait for a request, and how many may wait.

A client that opens connections and never sends a whole request would lock everybody out. Such a
connection is closed after `PATIENCE` seconds. Where too many wait, the oldest makes room for the
newest.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds within which a whole request must arrive, from its first byte or the opening on."""
LONGEST_REQUEST = 131_072
"""Bytes of a request: twice the longest body."""
MOST_FROM_ADDRESS = 64
"""Most connections from one address that wait for a request. Ten browsers open as many at once."""
MOST_WAITING = 500
"""Most connections from all addresses that wait for a request."""


class Waiting:
    """The connections that wait for a request, oldest first."""

    def __init__(self, most_from_address: int = MOST_FROM_ADDRESS) -> None:
        self._most_from_address = most_from_address
        self._addresses: dict[Connection, str] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def add(self, one: Connection, address: str) -> None:
        """Note that a connection begins to wait; close an older one if there are too many."""
        self.remove(one)
        self._addresses[one] = address
        waiting = Counter(self._addresses.values())
        if waiting[address] > self._most_from_address:
            self._close_oldest(address)
        elif len(self._addresses) > MOST_WAITING:
            self._close_oldest(waiting.most_common(1)[0][0])

    def remove(self, one: Connection) -> None:
        """Note that a connection waits no more."""
        self._addresses.pop(one, None)

    def _close_oldest(self, address: str) -> None:
        oldest = next(one for one, its in self._addresses.items() if its == address)
        self.remove(oldest)
        oldest.give_up()


class Connection(H11Protocol):
    """A connection as uvicorn handles it, except that it does not wait for ever."""

    _waiting: Waiting
    """The connections of this server."""
    _timer: asyncio.TimerHandle | None = None
    """Closes the connection unless the first request, or a request that has begun, arrives in
    time."""
    _received = 0
    """Bytes of this request so far."""

    def connection_made(self, transport: Any) -> None:
        """See asyncio.Protocol."""
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        if self.transport.is_closing():
            return
        self._received += len(data)
        super().data_received(data)
        if self._has_request():
            self._go_on()
        elif self._received > LONGEST_REQUEST:
            self.give_up()
        elif self._timer is None:
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._go_on()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for another request. If none begins soon, uvicorn closes the connection."""
        super().on_response_complete()
        if not self._has_request():
            self._waiting.add(self, self._address)

    def give_up(self) -> None:
        """Close the connection."""
        self._go_on()
        self.transport.abort()

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _await_request(self) -> None:
        self._waiting.add(self, self._address)
        self._timer = self.loop.call_later(PATIENCE, self.give_up)

    def _go_on(self) -> None:
        """Stop waiting."""
        self._received = 0
        self._waiting.remove(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _has_request(self) -> bool:
        """Return whether the last request has arrived completely, or the connection is a
        socket's."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return True
        cycle = self.cycle
        return cycle is not None and not cycle.more_body and not cycle.response_complete


def connections_of_a_server(*, proxied: bool = False) -> type[Connection]:
    """Return the protocol class with which uvicorn handles the connections of one server. Where it
    is `proxied`, all of them come from one address."""
    waiting = Waiting(MOST_WAITING if proxied else MOST_FROM_ADDRESS)
    return type("OwnConnection", (Connection,), {"_waiting": waiting})
