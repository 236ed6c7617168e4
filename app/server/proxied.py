"""Requests behind a proxy, as browsers sent them to it."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.types import ASGIApp, Receive, Scope, Send

from zhaifei.app.server.cookies import name_of
from zhaifei.app.server.public import Public
from zhaifei.app.server.settings import is_loopback

_REPLACED = b"host", b"x-forwarded-prefix"
"""Headers about the address, which the public address says."""


class Proxied:
    """An ASGI application that gives requests to another one as browsers sent them to `public`:
    with its scheme and host, and with the path that the proxy may have removed.

    Requests for another host stay as they are. A proxy that does not pass on the host asks for
    this computer, as a container does that asks for the server's health.
    """

    def __init__(self, app: ASGIApp, public: Public) -> None:
        self.app, self._public = app, public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "lifespan" and self._is_meant(scope):
            scope = self._as_sent(scope)
        await self.app(scope, receive, send)

    def _is_meant(self, scope: Scope) -> bool:
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        return len(hosts) == 1 and (
            self._public.is_host(hosts[0]) or is_loopback(name_of(hosts[0]))
        )

    def _as_sent(self, scope: Scope) -> Scope:
        public = self._public
        secure = "s" if public.scheme == "https" else ""
        return {
            **scope,
            "scheme": ("ws" if scope["type"] == "websocket" else "http") + secure,
            "headers": [*self._headers(scope)],
            "root_path": public.path,
            "path": self._path(scope["path"]),
        }

    def _headers(self, scope: Scope) -> Iterator[tuple[bytes, bytes]]:
        yield b"host", self._public.host.encode()
        yield from (one for one in scope["headers"] if one[0] not in _REPLACED)

    def _path(self, path: str) -> str:
        """Return the path with that of the public address before it, once."""
        root = self._public.path
        if path == root:
            return f"{root}/"
        return path if path.startswith(f"{root}/") else f"{root}{path}"
