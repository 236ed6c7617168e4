"""What comes in from outside: who may enter, and how much they may send.

Every request must be for this host, every socket must come from a page of this host, and belong to
the visitor to whom the page was sent. Whatever is more or larger than people and browsers send is
refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.settings import Settings, is_loopback
from app.web.visitor import Bucket, Visitor, Visitors

COOKIE = "zhaifei"
LONGEST_MESSAGE = 65_536
"""Bytes of a message or the body of a request."""
EVENTS = (120.0, 40.0)
"""How many events a page may send at once, and then a second."""
_NEWCOMERS = (100.0, 5.0)
_OURS = "/_nicegui"
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self' {sockets}; frame-ancestors 'none'; form-action 'self'; base-uri 'none'"
)


class Gate:
    """An ASGI application before another one."""

    def __init__(self, app: ASGIApp, settings: Settings, visitors: Visitors) -> None:
        self.app, self._settings, self._visitors = app, settings, visitors
        self._newcomers = Bucket(*_NEWCOMERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        answer = self._refused(scope) or self._entered(scope)
        if answer is None:
            await self.app(scope, receive, self._sending(scope, send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        """Return why nobody may send this."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._settings.token is None and not is_loopback(_name(host)):
            return PlainTextResponse("unknown host", 400)
        origin = headers.get("origin")
        is_socket = scope["type"] == "websocket"
        if (origin is not None or is_socket) and _place(origin or "") != host:
            return PlainTextResponse("from another page", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > LONGEST_MESSAGE:
            return PlainTextResponse("too large", 413)
        return None

    def _entered(self, scope: Scope) -> Response | None:
        """Note which visitor sends this in `scope`, or return why they may not or where to go."""
        headers = Headers(scope=scope)
        visitor = self._visitors.find(cookie_of(headers.get("cookie", "")))
        is_page = scope["type"] == "http" and not scope["path"].startswith(_OURS)
        if visitor is None:
            if not is_page or scope["method"] != "GET":
                return PlainTextResponse("open the page first", 403)
            return self._welcomed(scope, headers)
        scope.setdefault("state", {})["visitor"] = visitor
        if is_page and not visitor.pages.take():
            return PlainTextResponse("too many requests", 429)
        return None

    def _welcomed(self, scope: Scope, headers: Headers) -> Response | None:
        """Let a newcomer in as a visitor, and return what takes them to the page that they asked
        for without the token, or why they may not enter."""
        token = self._settings.token
        asked = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20)
        given = asked.pop("token", [""])[0]
        if token is not None and not secrets.compare_digest(given.encode(), token.encode()):
            return PlainTextResponse("the address needs the token that the terminal shows", 403)
        visitor = None
        if self._newcomers.take():
            visitor = self._visitors.welcome(headers.get("accept-language", ""))
        if visitor is None:
            return PlainTextResponse("too many visitors", 503)
        scope.setdefault("state", {}).update(visitor=visitor, newcomer=True)
        if token is None:
            return None
        url = Request(scope).url.remove_query_params("token")
        path = url.path + (f"?{url.query}" if url.query else "")
        answer = RedirectResponse("/" + path.lstrip("/"), 303)  # the token leaves the address bar
        answer.raw_headers.append(_cookie(visitor))
        return answer

    def _sending(self, scope: Scope, send: Send) -> Send:
        host = Headers(scope=scope).get("host", "")
        policy = _POLICY.format(sockets=f"ws://{host} wss://{host}")
        state = scope.get("state", {})
        cookie = [] if "newcomer" not in state else [_cookie(state["visitor"])]

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    *cookie,
                    (b"content-security-policy", policy.encode("latin-1")),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                ]
            await send(message)

        return with_headers


def _cookie(visitor: Visitor) -> tuple[bytes, bytes]:
    """Return the header that gives a browser the cookie of a visitor."""
    cookie = f"{COOKIE}={visitor.secret}; HttpOnly; Path=/; SameSite=lax"
    return b"set-cookie", cookie.encode("latin-1")


def _name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _place(origin: str) -> str:
    """Return the name and port in an Origin header."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def cookie_of(header: str) -> str | None:
    """Return our cookie in a Cookie header."""
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return None
    return None if found is None else found.value


def guard_sockets(visitors: Visitors) -> None:
    """From now on let a socket act only on pages that were sent to the same visitor, and with
    messages that are none do nothing."""
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
            visitor = self._visitors.find(cookie_of(data.get("HTTP_COOKIE", "")))
            asked = parse_qs(data.get("QUERY_STRING", ""), max_num_fields=20)
            pages = asked.get("client_id", [])
            if visitor is None or len(pages) > 1 or not all(_is_of(visitor, one) for one in pages):
                return False
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
        """What a browser logs is not written to the terminal."""

    def leaving(self, handle: Callable[..., Any]) -> Callable[..., Any]:
        def leave(sid: str, *more: Any) -> Any:
            visitor, _ = self._of_socket.pop(sid, (None, None))
            if visitor is not None:
                visitor.sockets -= 1
            return handle(sid)

        return leave

    def _may(self, sid: str, data: tuple[Any, ...]) -> bool:
        """Return whether the message may be looked at: what came, which need not be one."""
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
