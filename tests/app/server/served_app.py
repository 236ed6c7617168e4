"""An application that is served in a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socket import create_server

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def app_served(app: ASGIApp, port: int = 0) -> Iterator[int]:
    """Serve an application, and yield the port; in the end nothing answers there."""
    listening = create_server(("127.0.0.1", port))
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
