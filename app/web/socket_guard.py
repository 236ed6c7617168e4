"""Guard the sockets of pages: a socket acts only on pages that were sent to its own visitor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from socketio.exceptions import ConnectionRefusedError

from zhaifei.app.server.limits import Bucket
from zhaifei.app.web.cookies import cookie_of, fields_of
from zhaifei.app.web.visitor import Visitor, Visitors

LONGEST_MESSAGE = 65_536
"""Most bytes of a message or of the body of a request."""
LOAD_ANEW = "Implicit handshake failed"
"""The error on which pages of NiceGUI reload."""
EVENTS = (120.0, 40.0)
"""Events that a page may send at once, and then per second."""


def guard_sockets(visitors: Visitors) -> None:
    """From now on, let a socket act only on pages that were sent to the same visitor, and ignore
    invalid messages."""
    from nicegui import core  # noqa: PLC0415  # it is a global of NiceGUI

    core.sio.eio.max_http_buffer_size = LONGEST_MESSAGE
    handlers = core.sio.handlers["/"]
    guard = _Guard(visitors)
    for name in ("event", "javascript_response", "ack"):
        handlers[name] = guard.own(handlers[name])
    handlers["log"] = guard.ignored
    handlers["connect"] = guard.connecting(handlers["connect"])
    handlers["handshake"] = guard.shaking(handlers["handshake"])
    handlers["disconnect"] = guard.leaving(handlers["disconnect"])


class _Guard:
    """Wraps the handlers of NiceGUI's socket."""

    def __init__(self, visitors: Visitors) -> None:
        self._visitors = visitors
        self._of_socket: dict[str, tuple[Visitor, Bucket]] = {}

    def connecting(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        async def connect(sid: str, data: dict[str, Any], *more: Any) -> Any:
            secret = cookie_of(data.get("HTTP_COOKIE", ""), data.get("HTTP_HOST", ""))
            visitor = self._visitors.find(secret)
            asked = fields_of(data.get("QUERY_STRING", ""))
            if visitor is None or asked is None:
                return False
            pages = asked.get("client_id", [])
            if len(pages) > 1 or not all(_is_of(visitor, one) for one in pages):
                raise ConnectionRefusedError(LOAD_ANEW)
            self._of_socket[sid] = visitor, Bucket(*EVENTS)
            visitor.sockets += 1
            return await handle(sid, data, *more)

        return connect

    def shaking(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        async def handshake(sid: str, *data: Any) -> Any:
            if not self._may(sid, data):
                return False
            try:
                return await handle(sid, *data)
            except (KeyError, TypeError, ValueError):
                return False

        return handshake

    def own(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        def own(sid: str, *data: Any) -> None:
            from nicegui import core  # noqa: PLC0415

            if not self._may(sid, data) or data[0]["client_id"] not in core.sio.rooms(sid):
                return
            try:
                handle(sid, *data)
            except (AttributeError, IndexError, KeyError, TypeError, ValueError):
                return  # no page of ours sends such a message

        return own

    async def ignored(self, sid: str, *data: Any) -> None:
        """Ignore what a browser logs, so that it is not written to the terminal."""

    def leaving(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        def leave(sid: str, *more: Any) -> Any:
            visitor, _ = self._of_socket.pop(sid, (None, None))
            if visitor is not None:
                visitor.sockets -= 1
            return handle(sid)

        return leave

    def _may(self, sid: str, data: tuple[Any, ...]) -> bool:
        """Return whether a message of the socket, which may be malformed, may be handled."""
        visitor, bucket = self._of_socket.get(sid, (None, None))
        if visitor is None or bucket is None or not bucket.take():
            return False
        if len(data) != 1 or not isinstance(data[0], dict):
            return False
        return _is_of(visitor, data[0].get("client_id"))


def _is_of(visitor: Visitor, page: object) -> bool:
    """Return whether a page of this id was sent to the visitor."""
    from nicegui import Client  # noqa: PLC0415

    client = Client.instances.get(page) if isinstance(page, str) else None
    if client is None:
        return False
    return getattr(client.request.state, "visitor", None) is visitor
