"""Check requests and sockets from outside: who may enter, and how much they may send.

Every request must be for this host. Every socket must come from a page of this host, and belong to
the visitor to whom the page was sent. Requests that are more or larger than people and browsers
send are refused.
"""

from __future__ import annotations

import secrets

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zhaifei.app.server.limits import Bucket, Limit
from zhaifei.app.server.site import POCKET
from zhaifei.app.web.cookies import cookie_header, cookie_of, fields_of, name_of, place_of
from zhaifei.app.web.settings import Settings, is_loopback
from zhaifei.app.web.socket_guard import LONGEST_MESSAGE
from zhaifei.app.web.visitor import Visitor, Visitors

NEWCOMERS = (100.0, 5.0)
"""New visitors allowed at once, and then per second."""
FROM_ADDRESS = (60.0, 3.0)
"""New visitors allowed from one address at once, and then per second. People of a household share
an address."""
MOST_OPEN = 64
"""Most requests and sockets of a visitor that are open at the same time: ten pages have fewer."""
_MOST_ADDRESSES = 1000
_FRONT = f"{POCKET}/"
"""The address of the front end, which is a page; what is below it are its files."""
_OURS = "/_nicegui", _FRONT, "/api/"
"""The addresses below which browsers ask for what pages need."""
_GOES_ON = f"{_FRONT}data/server.json", "/api/"
"""What a page asks first that the browser has kept, or that was open while the server was started
again. Where no token is needed, it goes on as a new visitor."""
_HEALTH = "/healthz"
"""Where a proxy or a container asks whether the server answers."""
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self' {sockets}; frame-ancestors 'none'; form-action 'self'; base-uri 'none'"
)


class Gate:
    """An ASGI application that guards another one."""

    def __init__(self, app: ASGIApp, settings: Settings, visitors: Visitors) -> None:
        self.app, self._settings, self._visitors = app, settings, visitors
        self._newcomers = Bucket(*NEWCOMERS)
        self._from_address = Limit(*FROM_ADDRESS, _MOST_ADDRESSES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        answer = self._refused(scope) or _health(scope) or self._entered(scope)
        if answer is None:
            visitor = scope["state"]["visitor"]
            visitor.open += 1
            try:
                await self.app(scope, receive, self._sending(scope, send))
            finally:
                visitor.open -= 1
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        """Return the refusal of a request that nobody may send, or None."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return PlainTextResponse("unknown host", 400)
        origin = headers.get("origin")
        is_socket = scope["type"] == "websocket"
        if (origin is not None or is_socket) and not self._is_own_page(origin or "", host):
            return PlainTextResponse("from another page", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > LONGEST_MESSAGE:
            return PlainTextResponse("too large", 413)
        return None

    def _is_ours(self, host: str) -> bool:
        name, public = name_of(host), self._settings.public
        if public is not None:
            return public.is_host(host)
        return name != "" and (self._settings.token is not None or is_loopback(name))

    def _is_own_page(self, origin: str, host: str) -> bool:
        public = self._settings.public
        return place_of(origin) == host if public is None else origin == public.origin

    def _entered(self, scope: Scope) -> Response | None:
        """Set the visitor in `scope`, and return None. If the visitor may not enter or must go
        elsewhere, return that answer."""
        headers = Headers(scope=scope)
        secret = cookie_of(headers.get("cookie", ""), headers.get("host", ""))
        visitor = self._visitors.find(secret)
        path = _path(scope)
        is_page = scope["type"] == "http" and (path == _FRONT or not path.startswith(_OURS))
        if visitor is None:
            opens = is_page and scope["method"] == "GET"
            goes_on = self._settings.token is None and path.startswith(_GOES_ON)
            if scope["type"] != "http" or not (opens or goes_on):
                return PlainTextResponse("open the page first", 403)
            return self._welcomed(scope, headers)
        scope.setdefault("state", {})["visitor"] = visitor
        if visitor.open >= MOST_OPEN or (is_page and not visitor.pages.take()):
            return PlainTextResponse("too many requests", 429)
        return None

    def _welcomed(self, scope: Scope, headers: Headers) -> Response | None:
        """Let a newcomer in as a visitor. Return a redirect to the requested page without the
        token, a refusal if they may not enter, or None if the server has no token."""
        token = self._settings.token
        asked = fields_of(scope["query_string"].decode("latin-1"))
        if asked is None:
            return PlainTextResponse("too many fields in the address", 400)
        given = asked.get("token", [""])[0]
        if token is not None and not secrets.compare_digest(given.encode(), token.encode()):
            return PlainTextResponse("the address needs the token", 403)
        visitor = None
        address, _ = scope.get("client") or ("", 0)
        if self._from_address.take(address) and self._newcomers.take():
            visitor = self._visitors.welcome(headers.get("accept-language", ""))
        if visitor is None:
            return PlainTextResponse("too many visitors", 503)
        scope.setdefault("state", {}).update(visitor=visitor, newcomer=True)
        if token is None:
            return None
        url = Request(scope).url.remove_query_params("token")
        path = url.path + (f"?{url.query}" if url.query else "")
        answer = RedirectResponse("/" + path.lstrip("/"), 303)  # the token leaves the address bar
        answer.raw_headers.append(self._cookie(visitor, headers.get("host", "")))
        return answer

    def _cookie(self, visitor: Visitor, host: str) -> tuple[bytes, bytes]:
        return cookie_header(visitor.secret, host, self._settings.public)

    def _sending(self, scope: Scope, send: Send) -> Send:
        host = Headers(scope=scope).get("host", "")
        policy = _POLICY.format(sockets=f"ws://{host} wss://{host}")
        state = scope.get("state", {})
        cookie = [] if "newcomer" not in state else [self._cookie(state["visitor"], host)]

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


def _health(scope: Scope) -> Response | None:
    """Return the answer to a question for the server's health, or None. Whoever asks is no visitor:
    they need no token and get no cookie."""
    if scope["type"] != "http" or _path(scope) != _HEALTH or scope["method"] not in {"GET", "HEAD"}:
        return None
    return PlainTextResponse("ok", headers={"cache-control": "no-store"})


def _path(scope: Scope) -> str:
    """Return the path below that of the whole server."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))
