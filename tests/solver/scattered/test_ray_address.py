"""Addresses at which no Ray answers are refused, whatever else answers there."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.scattered import ray_address
from zhaifei.solver.scattered.ray_address import verify_reached

SETTINGS = b"\0\0\0\4\0\0\0\0\0"
"""With which a server of HTTP/2 begins."""


@contextmanager
def server(says: bytes) -> Iterator[str]:
    """Somebody who listens, says this to whoever connects, and waits until they go."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            # Who goes without having read everything resets the connection.
            with connection, suppress(ConnectionError):
                connection.sendall(says)
                while connection.recv(1 << 12):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_address, "_SECONDS", 0.2)
    monkeypatch.delenv("RAY_USE_TLS", raising=False)


@pytest.mark.parametrize("says", [b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 400 Bad Request\r\n"])
def test_what_is_no_ray_is_refused_without_asking_ray(
    says: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_address, "_answers_ray", pytest.fail)
    with server(says) as address:
        said = f"no Ray cluster at {address}: what listens there does not answer as Ray does"
        with pytest.raises(ZhaifeiError, match=said):
            verify_reached(address)


def test_another_server_of_http2_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As is the port for clients of a Ray cluster: it asks forever."""
    monkeypatch.setattr(ray_address, "_ASK", "import time; print(flush=True); time.sleep(60)")
    with (
        server(SETTINGS) as address,
        pytest.raises(ZhaifeiError, match="does not answer as Ray does"),
    ):
        verify_reached(address)


@pytest.mark.parametrize("asks", ["print(flush=True)", "import no_such_module"])
def test_who_answers_or_cannot_be_asked_is_not_refused(
    asks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_address, "_ASK", asks)
    monkeypatch.setattr(ray_address, "_SECONDS", 60.0)
    with server(SETTINGS) as address:
        verify_reached(address)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", r"there is no Ray cluster at 127.0.0.1:1: .*refused"),
        ("127.0.0.1:99999", r"there is no Ray cluster at 127.0.0.1:99999"),
        ("nowhere", "nowhere is not the address of a cluster: that is HOST:PORT"),
    ],
)
def test_no_cluster_is_told_in_a_line(address: str, said: str) -> None:
    with pytest.raises(ZhaifeiError, match=said):
        verify_reached(address)


def test_the_limits_add_up_to_less_than_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a connection, for HTTP/2 and for Ray."""
    monkeypatch.undo()
    assert 3 * ray_address._SECONDS < 10.0
