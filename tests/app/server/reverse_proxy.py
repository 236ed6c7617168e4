"""A reverse proxy, as nginx or Caddy would stand before a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.app.server.served_app import app_served
from tests.command_line import LONG

_OF_A_CONNECTION = ("connection", "transfer-encoding", "upgrade", "keep-alive")
"""Headers of one connection, which no proxy passes on."""


@dataclass
class ReverseProxy:
    """What the proxy does with requests."""

    path: str
    """The path below which it shows the server, like /zhaifei."""
    scheme: str
    """How browsers are said to speak to it."""
    strips: bool = True
    """Whether it removes the path."""
    server: str = ""
    """The address of the server behind it. The proxy listens before the server, which has to know
    its address."""
    port: int = 0

    async def pass_on(self, request: Request) -> Response:
        """Answer a request with the server's answer to it."""
        path = request.scope["raw_path"].decode()
        if not path.startswith(self.path):
            return Response("nothing but the server behind me is here", 404)
        path = path.removeprefix(self.path) if self.strips else path
        query = f"?{request.url.query}" if request.url.query else ""
        try:
            async with httpx.AsyncClient(timeout=LONG) as client:
                answer = await client.request(
                    request.method,
                    f"{self.server}{path}{query}",
                    headers=self._headers(request),
                    content=await request.body(),
                )
        except httpx.TransportError:
            return Response("the server behind me does not answer", 502)
        passed = Response(answer.content, answer.status_code)
        passed.raw_headers = [
            (name, value)
            for name, value in answer.headers.raw
            if name.decode().lower() not in (*_OF_A_CONNECTION, "content-encoding")
        ]
        return passed

    def _headers(self, request: Request) -> dict[str, str]:
        came_from = [request.headers.get("x-forwarded-for"), request.client and request.client.host]
        kept = {
            name: value for name, value in request.headers.items() if name not in _OF_A_CONNECTION
        }
        return {
            **kept,
            "x-forwarded-for": ", ".join(filter(None, came_from)),
            "x-forwarded-proto": self.scheme,
        }


@contextmanager
def proxying(proxy: ReverseProxy) -> Iterator[ReverseProxy]:
    """Run a proxy in the block."""
    methods = ["GET", "HEAD", "POST"]
    app = Starlette(routes=[Route("/{path:path}", proxy.pass_on, methods=methods)])
    with app_served(app) as proxy.port:
        yield proxy
