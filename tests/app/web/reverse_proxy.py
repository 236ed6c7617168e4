"""A reverse proxy in a thread of its own, as nginx or Caddy would stand before a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from tests.command_line import LONG

_OF_A_CONNECTION = ("connection", "transfer-encoding", "upgrade", "keep-alive")
"""Headers of one connection, which no proxy passes on; those of sockets begin with _OF_A_SOCKET."""
_OF_A_SOCKET = "sec-websocket"


@dataclass(frozen=True)
class ReverseProxy:
    """What the proxy does with requests."""

    server: str
    """The address of the server behind it, which is another one after a restart."""
    path: str
    """The path below which it shows the server, like /zhaifei."""
    strips: bool
    """Whether it removes this path."""
    scheme: str
    """How browsers are said to speak to it."""

    async def passes_on(self, request: web.Request) -> web.StreamResponse:
        """Answer a request with the server's answer to it."""
        if not request.path.startswith(self.path):
            return web.Response(status=404, text="nothing but the server behind me is here")
        path = request.path_qs.removeprefix(self.path) if self.strips else request.path_qs
        address, headers = f"{self.server}{path}", self._headers(request)
        async with aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
        ) as session:
            if request.headers.get("upgrade", "").lower() == "websocket":
                return await _socket(session, request, address, headers)
            async with session.request(
                request.method,
                address,
                headers=headers,
                data=await request.read(),
                allow_redirects=False,
            ) as answer:
                body = await answer.read()
                return web.Response(body=body, status=answer.status, headers=_kept(answer.headers))

    def _headers(self, request: web.Request) -> CIMultiDict[str]:
        headers = _kept(request.headers)
        came_from = [*headers.popall("X-Forwarded-For", []), request.remote or ""]
        headers["X-Forwarded-For"] = ", ".join(came_from)
        headers["X-Forwarded-Proto"] = self.scheme
        return headers


def _kept(headers: aiohttp.typedefs.LooseHeaders) -> CIMultiDict[str]:
    """Return the headers that a proxy passes on."""
    kept = CIMultiDict(headers)
    for name in {*kept}:
        if name.lower() in _OF_A_CONNECTION or name.lower().startswith(_OF_A_SOCKET):
            kept.popall(name, None)
    return kept


async def _socket(
    session: aiohttp.ClientSession, request: web.Request, address: str, headers: CIMultiDict[str]
) -> web.StreamResponse:
    try:
        behind = await session.ws_connect(address, headers=headers)
    except aiohttp.WSServerHandshakeError as error:
        return web.Response(status=error.status)
    before = web.WebSocketResponse()
    await before.prepare(request)
    ways = [asyncio.ensure_future(_pour(*way)) for way in ((before, behind), (behind, before))]
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    for end in (behind, before):
        await end.close()
    await asyncio.gather(*ways)
    return before


Socket = web.WebSocketResponse | aiohttp.ClientWebSocketResponse


async def _pour(source: Socket, sink: Socket) -> None:
    """Pass messages on until one end is closed."""
    async for message in source:
        if sink.closed:
            return
        if message.type is aiohttp.WSMsgType.TEXT:
            await sink.send_str(message.data)
        elif message.type is aiohttp.WSMsgType.BINARY:
            await sink.send_bytes(message.data)


class Proxying:
    """A proxy that runs. It listens before it knows the server, which has to know its address."""

    def __init__(self) -> None:
        self.does: ReverseProxy | None = None
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ends = asyncio.Event()
        self._listens = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._run()])

    def start(self) -> None:
        self._thread.start()
        assert self._listens.wait(LONG)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._ends.set)
        self._thread.join(LONG)
        self._loop.close()

    async def _run(self) -> None:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(application, shutdown_timeout=1.0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        self._listens.set()
        await self._ends.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.does is None:
            return web.Response(status=502)
        return await self.does.passes_on(request)


@contextmanager
def proxying() -> Iterator[Proxying]:
    """Run a proxy in the block."""
    proxy = Proxying()
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
