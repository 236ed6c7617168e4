"""Check whether Ray answers at an address, before Ray is imported.

Ray itself tries for minutes to connect to an address where nothing listens, or something else.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from zhaifei.game.errors import ZhaifeiError

_SECONDS = 3.0
"""The longest wait for each answer, in seconds: for a connection, for HTTP/2, and for Ray."""
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
"""The first bytes of an HTTP/2 client (RFC 9113, 3.4), such as Ray: a fixed text, and an empty
frame of settings."""
_FRAME, _TYPE, _SETTINGS = 9, 3, 4
"""The length of a frame's header, the place of the frame's type in it, and the type of a settings
frame, which a server sends first."""
_ASK = """
import sys
from ray._raylet import GcsClient
print(flush=True)
GcsClient(address=sys.argv[1])
"""
"""A program that prints a line and then queries Ray at an address. It runs in another process,
since Ray writes warnings and gives up late."""


def verify_reached(address: str) -> None:
    """Raise ZhaifeiError unless `address` has the form HOST:PORT and Ray answers there."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ZhaifeiError(
            "{address} is not the address of a cluster: that is HOST:PORT", address=address
        )
    try:
        with socket.create_connection((host, int(port)), timeout=_SECONDS) as connection:
            answered = _has_encryption() or _speaks_http2(connection)
        if not (answered and _answers_ray(address)):
            raise TimeoutError("what listens there does not answer as Ray does")
    except (OSError, OverflowError) as error:
        raise no_cluster(address, error) from error


def no_cluster(address: str, error: Exception) -> ZhaifeiError:
    """Return the error that says that there is no cluster at an address."""
    return ZhaifeiError(
        "there is no Ray cluster at {address}: {why}",
        address=address,
        why=str(error).partition("\n")[0],
    )


def _has_encryption() -> bool:
    """Return whether Ray is configured to use TLS, so that it does not speak plain HTTP/2."""
    return os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true")


def _speaks_http2(connection: socket.socket) -> bool:
    """Return whether the server at the other end begins like an HTTP/2 server."""
    connection.settimeout(_SECONDS)
    received = b""
    try:
        connection.sendall(_HELLO)
        while len(received) < _FRAME and (part := connection.recv(_FRAME)):
            received += part
    except OSError:
        return False
    return len(received) >= _FRAME and received[_TYPE] == _SETTINGS


def _answers_ray(address: str) -> bool:
    """Return whether Ray answers. Return True too if this version of Ray cannot be queried like
    this, since connecting will show it."""
    with subprocess.Popen(
        [sys.executable, "-c", _ASK, address],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as asking:
        assert asking.stdout is not None
        if not asking.stdout.readline():
            return True
        try:
            return asking.wait(timeout=_SECONDS) == 0
        except subprocess.TimeoutExpired:
            asking.kill()
            return False
