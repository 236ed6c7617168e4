"""Hold the visitors: each has a session of their own, behind a cookie that nobody can guess."""

from __future__ import annotations

import functools
import inspect
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from nicegui import ui

from zhaifei.app.locale import LANGUAGES, explain, say, speaking
from zhaifei.app.server.limits import Bucket
from zhaifei.app.web.sessions import Session, Sessions
from zhaifei.app.web.settings import Settings
from zhaifei.app.web.workers import Workers
from zhaifei.game.errors import ZhaifeiError

Model = TypeVar("Model")

MOST_VISITORS = 200
MOST_SOLVES = 3
"""Hints, reviews and other answers that a visitor may wait for at a time."""
ARRIVING = 10.0
"""Seconds after a request in which a visitor is not forgotten: their page is still opening."""
_SECRET_BYTES = 24


def _now() -> float:
    """Return the seconds of a clock that only goes forward."""
    return time.monotonic()


@dataclass
class Server:
    """The state that all pages share."""

    settings: Settings
    workers: Workers
    sessions: Sessions | None = None
    """Sessions that are remembered across restarts."""


@dataclass
class Visitor:
    """One visitor's session."""

    server: Server
    language: str
    """One of LANGUAGES."""
    dark: bool | None = None
    """None follows the browser."""
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(_SECRET_BYTES))
    """The value of the cookie."""
    pages: Bucket = field(default_factory=lambda: Bucket(30, 3))
    sockets: int = 0
    """Number of open pages."""
    open: int = 0
    """Number of requests and sockets that are being answered."""
    seen: float = field(default_factory=_now)
    models: dict[str, Any] = field(default_factory=dict)
    remembered: Session | None = None
    """The session as last written to a file."""
    _asking: int = 0

    def model(self, name: str, make: Callable[[], Model]) -> Model:
        """Return this visitor's model of this name, which `make` creates on first use."""
        if name not in self.models:
            self.models[name] = make()
        model: Model = self.models[name]
        return model

    def close(self) -> None:
        """End the session: matches are closed."""
        for model in self.models.values():
            if hasattr(model, "close"):
                model.close()

    def handler(self, act: Callable[..., Any]) -> Callable[..., Any]:
        """Return `act`, an event handler, wrapped to run in the visitor's language. An error that a
        user can cause is shown, and has no other effect."""
        if inspect.iscoroutinefunction(act):

            @functools.wraps(act)
            async def awaited(*arguments: Any) -> None:
                with speaking(self.language):
                    try:
                        await act(*arguments)
                    except ZhaifeiError as error:
                        show_error(error)

            return awaited

        @functools.wraps(act)
        def called(*arguments: Any) -> None:
            with speaking(self.language):
                try:
                    act(*arguments)
                except ZhaifeiError as error:
                    show_error(error)

        return called

    async def asked(self, function: Callable[..., Model], *arguments: Any) -> Model:
        """Return the answer of a worker. Raise its errors, and ZhaifeiError if this visitor already
        waits for MOST_SOLVES answers."""
        if self._asking >= MOST_SOLVES:
            raise ZhaifeiError("Still working on your last question")
        self._asking += 1
        try:
            return await self.server.workers.run(function, *arguments)
        finally:
            self._asking -= 1


def show_error(error: ZhaifeiError) -> None:
    """Show an error on the page."""
    ui.notify(explain(error), type="warning", position="top", close_button=say("close"))


def current() -> Visitor:
    """Return the visitor whose page is drawn, or whose event is handled."""
    visitor: Visitor = ui.context.client.request.state.visitor
    return visitor


class Visitors:
    """The visitors of the server."""

    def __init__(self, server: Server, language: str) -> None:
        self._server, self._language = server, language
        self._by_secret: dict[str, Visitor] = {}

    def find(self, secret: str | None) -> Visitor | None:
        """Return the visitor with this cookie, who may have come before the server was
        restarted."""
        if secret is None:
            return None
        visitor = self._by_secret.get(secret) or self._remembered(secret)
        if visitor is not None:
            visitor.seen = _now()
        return visitor

    def _remembered(self, secret: str) -> Visitor | None:
        sessions = self._server.sessions
        session = None if sessions is None else sessions.find(secret)
        if session is None or not self._has_room():
            return None
        visitor = Visitor(self._server, session.language, session.dark, secret, remembered=session)
        self._by_secret[secret] = visitor
        return visitor

    def _has_room(self) -> bool:
        return len(self._by_secret) < MOST_VISITORS or self._leave()

    def welcome(self, accepted: str) -> Visitor | None:
        """Return a new visitor, whose browser accepts these languages; None if there is no room."""
        if not self._has_room():
            return None
        visitor = Visitor(self._server, preferred(accepted, self._language))
        self._by_secret[visitor.secret] = visitor
        self._remember_entry(visitor)
        return visitor

    def _remember_entry(self, visitor: Visitor) -> None:
        """Remember a visitor who came in with the token: after a restart of the server their room
        goes on, which is no part of the session."""
        server = self._server
        if server.sessions is not None and server.settings.token is not None:
            visitor.remembered = Session(visitor.language, None, (), None, None, None)
            server.sessions.keep(visitor.secret, visitor.remembered)

    def _leave(self) -> bool:
        """Forget the visitor who has been away for longest. Return False if all visitors have pages
        that are open or about to open."""
        before = _now() - ARRIVING
        away = [one for one in self._by_secret.values() if one.sockets == 0 and one.seen < before]
        if not away:
            return False
        # Visitors who have nothing to lose go first.
        gone = min(away, key=lambda one: (bool(one.models), one.seen))
        del self._by_secret[gone.secret]
        gone.close()
        return True

    def close(self) -> None:
        """End all sessions."""
        for visitor in self._by_secret.values():
            visitor.close()


def preferred(accepted: str, otherwise: str) -> str:
    """Return the first of LANGUAGES in an Accept-Language header, or `otherwise`."""
    for part in accepted.lower().split(","):
        language = part.split(";")[0].strip()[:2]
        if language in LANGUAGES:
            return language
    return otherwise
