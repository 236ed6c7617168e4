"""Settings of a server, verified before it serves."""

from __future__ import annotations

import ipaddress
import re
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from zhaifei.app.server.drawn_token import drawn_token
from zhaifei.app.server.public import Public, public_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules

_LONGEST_HOST = 253
"""Most characters of a host name: RFC 1035."""
TOKEN_LENGTHS = 16, 64
"""The fewest and the most characters of a token that the owner of the server sets."""


@dataclass(frozen=True)
class Entry:
    """How people from elsewhere enter, as the owner of the server typed it."""

    token: str | None = field(default=None, repr=False)
    public_url: str | None = None
    proxy: str | None = None
    """The address or the network of the proxy."""


_NOBODY = Entry()


@dataclass(frozen=True)
class Settings:
    """The settings of a server."""

    host: str
    port: int
    policy: Path | None
    """The policy that was named; it plays wherever its rules are played."""
    rules: Rules | None
    """The rules of the named policy."""
    workers: int
    token: str | None = field(repr=False)
    """The token that people from elsewhere need; None if the server is for this computer only."""
    owners_token: bool = False
    """Whether the owner of the server set the token, so that the terminal need not show it."""
    public: Public | None = None
    """The public address of the server, if it stands behind a proxy."""

    def policy_for(self, rules: Rules) -> Path | None:
        """Return the named policy if it is for these rules; None means the known policy."""
        return self.policy if rules == self.rules else None


def verified(
    host: str, port: int, policy: Path | None, workers: int, entry: Entry = _NOBODY
) -> Settings:
    """Return the settings. Raise ZhaifeiError if they are invalid or packages are missing."""
    _verify_installed()
    verify_host(host)
    public = _public(entry)
    rules = None if policy is None else _rules_of(policy)
    token = _verified_token(entry.token)
    owners = token is not None
    if token is None and not (is_loopback(host) and public is None):
        token = drawn_token(f"{host} {port}")
    return Settings(host, port, policy, rules, workers, token, owners, public)


def _public(entry: Entry) -> Public | None:
    if entry.public_url is not None:
        return public_of(entry.public_url, entry.proxy)
    if entry.proxy is not None:
        raise ZhaifeiError("--proxy needs --public-url, the address that the proxy serves")
    return None


def _verified_token(token: str | None) -> str | None:
    least, most = TOKEN_LENGTHS
    if token is None or re.fullmatch(rf"[A-Za-z0-9_-]{{{least},{most}}}", token):
        return token
    raise ZhaifeiError(
        "--token must have {least} to {most} letters, digits, - or _", least=least, most=most
    )


def _verify_installed() -> None:
    for package in ("starlette", "uvicorn", "segno"):
        if find_spec(package) is None:
            raise ZhaifeiError("the page needs more packages: pip install 'zhaifei[web]'")


def verify_host(host: str) -> None:
    """Raise ZhaifeiError unless `host` is an address or a name of this computer."""
    if not host.strip() or len(host) > _LONGEST_HOST:
        raise ZhaifeiError("--host must be an address of this computer, not {host!r}", host=host)
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, ValueError) as error:
        raise ZhaifeiError(
            "--host must be an address of this computer, not {host!r}", host=host
        ) from error


def is_loopback(host: str) -> bool:
    """Return whether only this computer can reach the address."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _rules_of(policy: Path) -> Rules:
    """Return the rules of a policy, which is loaded to verify that it can be."""
    # It imports numba.
    from zhaifei.policies.catalogue.known import load_for  # noqa: PLC0415

    return load_for(policy, None).policy.rules
