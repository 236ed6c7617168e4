"""Check requests from outside: who may enter, and how much they may send.

Every request must be for this host, and come from no page of another one. Where the server has a
token, a browser enters once with the token in the address, and then shows the cookie that it got.
Requests that are more or larger than people and browsers send are refused.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from zhaifei.app.server.cookies import cookie_header, cookie_of, fields_of, name_of, place_of
from zhaifei.app.server.limits import Limit
from zhaifei.app.server.settings import Settings, is_loopback

LONGEST_BODY = 65_536
"""Most bytes of the body of a request."""
ASKS = 2000.0, 200.0
"""Requests of an address at once, and then per second. A page is some sixty files, and people of a
household share an address."""
ENTRIES = 60.0, 3.0
"""Requests of an address without the cookie that it needs, at once and then per second."""
_HEALTH = "/healthz"
"""Where a proxy or a container asks whether the server answers."""
_POLICY = (
    b"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    b"frame-ancestors 'none'; form-action 'self'; base-uri 'none'; object-src 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class Gate:
    """An ASGI application that guards another one."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self._settings = app, settings
        self._secret = None if settings.token is None else secret_of(settings.token)
        self._asks, self._entries = Limit(*ASKS), Limit(*ENTRIES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "websocket":  # the page opens none
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = None if scope["type"] == "lifespan" else self._answer(scope)
        await (answer or self.app)(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that does not reach the application, or None."""
        return self._refused(scope) or _health(scope) or self._entered(scope)

    def _refused(self, scope: Scope) -> Response | None:
        """Return the refusal of a request that nobody may send, or None."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return PlainTextResponse("unknown host", 400)
        origin = headers.get("origin")
        if origin is not None and not self._is_own_page(origin, host):
            return PlainTextResponse("from another page", 403)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 9 or int(length) > LONGEST_BODY:
            return PlainTextResponse("too large", 413)
        if not self._asks.take(_address(scope)):
            return PlainTextResponse("too many requests", 429)
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
        """Return None for a browser that has entered. If it enters now, return a redirect to the
        page without the token, and otherwise a refusal."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        cookie = cookie_of(headers.get("cookie", ""), host) or ""
        if self._secret is None or _is_same(cookie, self._secret):
            return None
        if not self._entries.take(_address(scope)):
            return PlainTextResponse("too many requests", 429)
        asked = fields_of(scope["query_string"].decode("latin-1"))
        if asked is None:
            return PlainTextResponse("too many fields in the address", 400)
        given = asked.get("token", [""])[0]
        if scope["method"] != "GET" or not _is_same(given, self._settings.token or ""):
            return PlainTextResponse("the address needs the token", 403)
        url = Request(scope).url.remove_query_params("token")
        path = url.path + (f"?{url.query}" if url.query else "")
        answer = RedirectResponse("/" + path.lstrip("/"), 303)  # the token leaves the address bar
        answer.raw_headers.append(cookie_header(self._secret, host, self._settings.public))
        return answer


def secret_of(token: str) -> str:
    """Return the value of the cookie of whoever has entered with the token. The token does not
    follow from it, and another token has another one."""
    return hmac.new(token.encode(), b"has entered", hashlib.sha256).hexdigest()


def _is_same(given: str, secret: str) -> bool:
    """Compare in a time that says nothing of the secret."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _address(scope: Scope) -> str:
    address, _ = scope.get("client") or ("", 0)
    return str(address)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await send(message)

    return sending


def _health(scope: Scope) -> Response | None:
    """Return the answer to a question for the server's health, or None. It needs no token."""
    if _path(scope) != _HEALTH or scope["method"] not in {"GET", "HEAD"}:
        return None
    return PlainTextResponse("ok", headers={"cache-control": "no-store"})


def _path(scope: Scope) -> str:
    """Return the path below that of the whole server."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))
