"""What a server serves: the front end, rooms under ROOMS, advice under ADVICE, and rules of one's
own under OWN."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Sequence

import xxhash
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from zhaifei.app.locale import explain
from zhaifei.app.pocket.exporting import LISTED, OFFERS, listed, site_files, unsolved_files
from zhaifei.app.server.asked import Refusal, address_of
from zhaifei.app.server.own_rules.files import OwnFiles
from zhaifei.app.server.rooms.rooms import Rooms
from zhaifei.app.server.rooms.routes import room_routes
from zhaifei.game.errors import ZhaifeiError

ROOMS, ADVICE, OWN = "/api/rooms", "/api/advice", "/api/own"
_INDEX = "index.html"
_TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json"}
"""The types of files that not every system knows."""


class Site:
    """The files of a static site, and those of rules that the server may solve, which are `own`
    rules and presets without a policy. Each is made when it is first asked for: all take seconds,
    and only the service worker waits for the list of them."""

    def __init__(self, own: OwnFiles | None = None) -> None:
        self._files, self._own = site_files(), own
        self._unsolved = unsolved_files()
        self._making: dict[str, asyncio.Task[bytes]] = {}

    async def serve(self, request: Request) -> Response:
        """Answer a question for a file. The browser asks again each time, and an unchanged file is
        not sent again."""
        name = request.path_params["name"] or _INDEX
        try:
            content = await self._found(name, address_of(request))
        except ZhaifeiError as error:
            status = error.status if isinstance(error, Refusal) else 500
            return PlainTextResponse(explain(error), status)
        if content is None:
            return PlainTextResponse("Not Found", 404)
        headers = {"Cache-Control": "no-cache", "ETag": f'"{xxhash.xxh3_128_hexdigest(content)}"'}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=_type_of(name))

    async def _found(self, name: str, address: str) -> bytes | None:
        """Return the content of a file; None if there is no such file. Raise ZhaifeiError."""
        is_made = name == LISTED or name in self._files
        if self._own is not None and (not is_made or name in self._unsolved):
            return await self._own.content(name, address)
        return await self._content(name) if is_made else None

    async def _content(self, name: str) -> bytes:
        """Return the content of a file. It is made once, however many ask, and also if who asked
        first is gone."""
        if name not in self._making:
            self._making[name] = asyncio.create_task(self._made(name))
        return await asyncio.shield(self._making[name])

    async def _made(self, name: str) -> bytes:
        try:
            if name == LISTED:
                return listed({one: await self._content(one) for one in self._files})
            return await asyncio.to_thread(self._files[name])
        except BaseException:
            del self._making[name]  # whoever asks next may have more luck
            raise


def _type_of(name: str) -> str:
    suffix = name[name.rfind(".") :]
    return _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def routes_of(
    site: Site,
    rooms: Rooms | None,
    token: str | None,
    advice: Sequence[Route] = (),
    own: Sequence[Route] = (),
) -> list[BaseRoute]:
    """Return the routes of the front end, and of rooms, `advice` and `own` rules if there are any.
    The front end puts the `token`, without which nobody from elsewhere may enter, into the
    addresses that people pass on.
    """

    async def offers(_: Request) -> JSONResponse:
        offered = {"rooms": rooms is not None, "advice": bool(advice), "own": bool(own)}
        content = {**offered, "token": token}
        return JSONResponse(content, headers={"Cache-Control": "no-store"})

    front = [Route(f"/{OFFERS}", offers), Route("/{name:path}", site.serve)]
    served = [] if rooms is None else [Mount(ROOMS, routes=room_routes(rooms))]
    served += [Mount(ADVICE, routes=advice)] if advice else []
    served += [Mount(OWN, routes=own)] if own else []
    return [*served, *front]
