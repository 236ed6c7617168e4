"""Connections on which no whole request comes do not keep others out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from unittest.mock import Mock

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from zhaifei.app.server import connections as module
from zhaifei.app.server.connections import (
    LONGEST_REQUEST,
    MOST_FROM_ADDRESS,
    PATIENCE,
    Waiting,
    connections_of_a_server,
)

LIMIT = 100
"""Connections with which the server under test refuses more requests."""
BEGUN = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
POSTED = BEGUN.replace(b"GET", b"POST")
WHOLE = BEGUN + b"\r\n"

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Opens = Callable[[], Awaitable[Streams]]


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    await PlainTextResponse(f"hello {len(body)}")(scope, receive, send)


def with_server(scenario: Callable[[Opens], Awaitable[None]]) -> None:
    """Serve while the scenario opens connections; in the end all are closed."""

    async def run() -> None:
        config = uvicorn.Config(
            hello,
            port=0,
            log_level="critical",
            lifespan="off",
            limit_concurrency=LIMIT,
            http=connections_of_a_server(),
            timeout_graceful_shutdown=1,
        )
        config.load()
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        await server.startup()
        port = server.servers[0].sockets[0].getsockname()[1]
        opened: list[Streams] = []

        async def opens() -> Streams:
            opened.append(await asyncio.open_connection("127.0.0.1", port))
            return opened[-1]

        try:
            await scenario(opens)
        finally:
            for _, writer in opened:
                writer.close()
            await server.shutdown()

    asyncio.run(run())


async def answered(streams: Streams, request: bytes = WHOLE) -> bytes:
    """The first line that answers a request."""
    reader, writer = streams
    writer.write(request)
    return (await reader.readline()).strip()


async def ended(reader: asyncio.StreamReader) -> None:
    """Wait until the server has closed the connection, without any answer."""
    with suppress(ConnectionResetError):
        assert await reader.read(1) == b""


def test_unfinished_requests_do_not_keep_others_out() -> None:
    async def scenario(opens: Opens) -> None:
        unfinished = [await opens() for _ in range(LIMIT + MOST_FROM_ADDRESS)]
        for _, writer in unfinished:
            writer.write(BEGUN)
        assert await answered(await opens()) == b"HTTP/1.1 200 OK"
        for reader, _ in unfinished[:LIMIT]:
            await ended(reader)

    with_server(scenario)


def connected() -> tuple[Any, Mock, Mock]:
    """A connection that has just been opened, what it sends by, and the loop that it runs in."""
    transport, loop = Mock(), Mock()
    transport.is_closing.side_effect = lambda: transport.close.called or transport.abort.called
    config = uvicorn.Config(hello, log_level="critical", lifespan="off")
    config.load()
    connection = connections_of_a_server()(config, ServerState(), {}, loop)
    transport.get_protocol.return_value = connection
    connection.connection_made(transport)
    return connection, transport, loop


def test_a_whole_request_must_come_in_time_however_slowly_its_bytes_come() -> None:
    connection, transport, loop = connected()
    for byte in BEGUN:
        connection.data_received(bytes([byte]))
    ((seconds, give_up),) = [call.args for call in loop.call_later.call_args_list]
    assert seconds == PATIENCE
    give_up()
    assert transport.abort.called


def test_the_body_must_come_in_time_too() -> None:
    connection, _, loop = connected()
    connection.data_received(BEGUN.replace(b"GET", b"POST") + b"Content-Length: 9\r\n\r\nshort")
    loop.create_task.call_args.args[0].close()
    assert not loop.call_later.return_value.cancel.called
    connection.data_received(b"more")
    assert loop.call_later.return_value.cancel.called


def test_a_request_without_end_is_cut() -> None:
    for begun in (BEGUN + b"A: ", POSTED + b"Transfer-Encoding: chunked\r\n\r\n"):
        connection, transport, loop = connected()
        connection.data_received(begun)
        for _ in range(LONGEST_REQUEST // 1024):
            connection.data_received(b"400\r\n" + b"x" * 1024 + b"\r\n")
        assert transport.is_closing()
        for call in loop.create_task.call_args_list:
            call.args[0].close()  # the loop does not run


def test_a_connection_that_never_speaks_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)

    async def scenario(opens: Opens) -> None:
        reader, _ = await opens()
        await ended(reader)

    with_server(scenario)


def test_one_connection_carries_many_requests() -> None:
    async def scenario(opens: Opens) -> None:
        streams = await opens()
        posted = POSTED + b"Content-Length: 3\r\n\r\nabc"
        for request, length in ((WHOLE, 0), (posted, 3), (WHOLE, 0)):
            assert await answered(streams, request) == b"HTTP/1.1 200 OK"
            rest = await streams[0].readuntil(b"hello %d" % length)
            assert rest
        assert await answered(streams, WHOLE * 5) == b"HTTP/1.1 200 OK"
        for _ in range(5):
            await streams[0].readuntil(b"hello 0")

    with_server(scenario)


class Told:
    """A connection that only says whether it was closed."""

    closed = False

    def give_up(self) -> None:
        self.closed = True


def test_the_address_with_the_most_makes_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 5)
    waiting, many, others = Waiting(), [Told() for _ in range(4)], [Told() for _ in range(3)]
    for one in many:
        waiting.add(one, "10.0.0.1")  # type: ignore[arg-type]
    for number, one in enumerate(others):
        waiting.add(one, f"10.0.0.{2 + number}")  # type: ignore[arg-type]
    assert [one.closed for one in many] == [True, True, False, False]
    assert not any(one.closed for one in others)
    assert len(waiting) == 5
