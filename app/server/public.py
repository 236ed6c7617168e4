"""The public address of a server that stands behind a proxy."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from zhaifei.game.errors import ZhaifeiError

LONGEST_URL = 200
"""Most characters of a public address: a QR code holds it, with a token and a room."""
_URL = re.compile(
    r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?((?:/[a-z0-9][a-z0-9._~-]*)*)/?",
    re.I | re.ASCII,
)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_LOOPBACK = "127.0.0.1", "::1"


@dataclass(frozen=True)
class Public:
    """Where people reach a server that stands behind a proxy."""

    scheme: str
    """http or https."""
    host: str
    """The name, and the port unless it is the usual one, as browsers send them."""
    path: str
    """The path below which the pages are, like /zhaifei; empty if they have the whole host."""
    proxies: tuple[str, ...] = _LOOPBACK
    """The addresses and networks of proxies, whose X-Forwarded-For is believed."""

    @property
    def origin(self) -> str:
        """The origin of pages, as browsers send it."""
        return f"{self.scheme}://{self.host}"

    @property
    def url(self) -> str:
        """The address of the first page."""
        return f"{self.origin}{self.path}/"

    def is_host(self, host: str) -> bool:
        """Return whether a Host header names the public host."""
        return host.lower().removesuffix(_DEFAULT_PORTS[self.scheme]) == self.host


def public_of(url: str, proxy: str | None) -> Public:
    """Return the public address that `url` says, behind `proxy`, an address or a network; None
    stands for this computer. Raise ZhaifeiError if either is invalid."""
    found = _URL.fullmatch(url)
    if found is None or len(url) > LONGEST_URL:
        raise ZhaifeiError(
            "--public-url must be like https://dice.example.org/zhaifei, not {url!r}", url=url
        )
    scheme, name, port, path = found[1].lower(), found[2].lower(), found[3] or "", found[4]
    host = f"{name}{port}".removesuffix(_DEFAULT_PORTS[scheme])
    return Public(scheme, host, path, _LOOPBACK if proxy is None else (_network(proxy),))


def _network(proxy: str) -> str:
    try:
        return str(ipaddress.ip_network(proxy, strict=False))
    except ValueError as error:
        raise ZhaifeiError(
            "--proxy must be an address like 10.0.0.2 or a network like 10.0.0.0/24, not {proxy!r}",
            proxy=proxy,
        ) from error
