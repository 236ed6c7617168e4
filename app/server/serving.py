"""Serve the page until Ctrl-C."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import segno
import uvicorn
from starlette.applications import Starlette

from zhaifei.app.locale import say
from zhaifei.app.server.advice.routes import advice_routes
from zhaifei.app.server.connections import connections_of_a_server
from zhaifei.app.server.gate import Gate
from zhaifei.app.server.own_rules.files import OwnFiles
from zhaifei.app.server.own_rules.known import own_policy
from zhaifei.app.server.own_rules.routes import own_routes
from zhaifei.app.server.own_rules.solving import Solving
from zhaifei.app.server.proxied import Proxied
from zhaifei.app.server.rooms.rooms import Rooms
from zhaifei.app.server.rooms.store import Store, usual_path
from zhaifei.app.server.settings import Settings
from zhaifei.app.server.site import Site, routes_of
from zhaifei.app.server.workers import Workers
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules

_ENDING = 1
"""Seconds that open connections have when the server ends."""
_MOST_CONNECTIONS = 1000


def serve(settings: Settings) -> None:
    """Serve until a signal ends it. Raise ZhaifeiError if the port is taken."""
    listening = _listen(settings.host, settings.port)
    workers = Workers(settings.workers, settings.policy)
    try:
        port = listening.getsockname()[1]
        rooms = _rooms(workers)
        # The address is told only once uvicorn handles the signals: they then end the server
        # without a traceback.
        app = _app(settings, workers, rooms, lambda: _announce(settings, port))
        _Server(_config(settings, app), rooms).run(sockets=[listening])
    finally:
        workers.stop()
        listening.close()


def _listen(host: str, port: int) -> socket.socket:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise ZhaifeiError(
            "cannot listen on {host}, port {port}: {why}",
            host=host,
            port=port,
            why=error.strerror or error,
        ) from error
    return listening


class _Server(uvicorn.Server):
    """A server that ends without cancelling those who wait for a change of a room."""

    def __init__(self, config: uvicorn.Config, rooms: Rooms | None) -> None:
        super().__init__(config)
        self._rooms = rooms

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn.Server."""
        if self._rooms is not None:
            self._rooms.end_waiting()
        await super().shutdown(sockets)


def _app(
    settings: Settings, workers: Workers, rooms: Rooms | None, announce: Callable[[], None]
) -> Starlette:
    """Return the application, which calls `announce` once it is served."""
    solving = Solving(shared=settings.token is not None)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        starting = asyncio.create_task(workers.start())
        announce()
        yield
        starting.cancel()
        await solving.close()
        if rooms is not None:
            rooms.close()

    async def policy_for(rules: Rules) -> Path | None:
        return settings.policy_for(rules) or await own_policy(rules)

    advice = advice_routes(workers, policy_for)
    site = Site(OwnFiles(workers.run_behind))
    routes = routes_of(site, rooms, settings.token, advice, own_routes(solving))
    return Starlette(routes=routes, lifespan=lifespan)


def _config(settings: Settings, app: Starlette) -> uvicorn.Config:
    """Return the configuration of a server of the application, behind a gate."""
    public, gate = settings.public, Gate(app, settings)
    return uvicorn.Config(
        gate if public is None else Proxied(gate, public),
        log_level="error",
        ws="none",
        timeout_graceful_shutdown=_ENDING,
        server_header=False,
        proxy_headers=public is not None,
        forwarded_allow_ips=[] if public is None else [*public.proxies],
        limit_concurrency=_MOST_CONNECTIONS,
        http=connections_of_a_server(proxied=public is not None),
    )


def _rooms(workers: Workers) -> Rooms | None:
    """Return the rooms for matches of several people, or None if they cannot be kept."""
    with suppress(ZhaifeiError):
        return Rooms(Store(usual_path()), workers.run)
    return None


def _announce(settings: Settings, port: int) -> None:
    """Print the address of the page, with the token unless the owner of the server knows it."""
    host = _reachable(settings.host)
    here = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    address = here if settings.public is None else settings.public.url
    shows_token = settings.token is not None and not settings.owners_token
    if shows_token:
        address += f"?token={settings.token}"
    print(say("the page is at {address}", address=address), flush=True)
    if settings.owners_token:
        print(say("to enter, add ?token= and your token to this address"))
    if settings.public is not None:
        print(say("the proxy must pass requests on to {address}", address=here))
    if shows_token:
        print(say("whoever knows this address may enter; for a phone:"))
        segno.make(address).terminal(sys.stdout, compact=True)
    print(say("Ctrl-C closes it"), flush=True)


def _reachable(host: str) -> str:
    """Return the address by which others reach this computer, if `host` stands for all its
    addresses."""
    if host not in ("0.0.0.0", "::"):
        return host
    family = socket.AF_INET if host == "0.0.0.0" else socket.AF_INET6
    elsewhere = "192.0.2.1" if host == "0.0.0.0" else "2001:db8::1"
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((elsewhere, 9))  # connecting a datagram socket sends nothing
            found: str = probe.getsockname()[0]
        except OSError:
            return "127.0.0.1" if host == "0.0.0.0" else "::1"
    return found
