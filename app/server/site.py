"""What a server adds to its other pages: the front end under POCKET, and rooms under ROOMS."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from os import PathLike, stat_result
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from zhaifei.app.pocket.exporting import export
from zhaifei.app.server.rooms.rooms import Rooms
from zhaifei.app.server.rooms.routes import room_routes

POCKET, ROOMS = "/pocket", "/api/rooms"
_OFFERS = f"{POCKET}/data/server.json"
"""The file by which the front end learns that a server is behind it. A static site has none."""


class Site:
    """The front end as an ASGI application. Its files are written when they are first asked for,
    into a directory that `close` removes."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="zhaifei-site-"))
        self._writing = asyncio.Lock()
        self._files: _Files | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        async with self._writing:
            if self._files is None:
                await asyncio.to_thread(export, self._directory)
                self._files = _Files(directory=self._directory, html=True)
        await self._files(scope, receive, send)

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._directory, ignore_errors=True)


class _Files(StaticFiles):
    """Files that browsers ask for again each time: an update then never mixes two versions."""

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """See StaticFiles."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = "no-cache"
        return response


def routes_of(site: Site, rooms: Rooms, token: str | None) -> list[BaseRoute]:
    """Return the routes of the front end and of rooms. The front end puts the `token`, without
    which nobody from elsewhere may enter, into the addresses that people pass on."""

    async def offers(_: Request) -> JSONResponse:
        return JSONResponse({"rooms": True, "token": token}, headers={"Cache-Control": "no-store"})

    return [Route(_OFFERS, offers), Mount(ROOMS, routes=room_routes(rooms)), Mount(POCKET, site)]
