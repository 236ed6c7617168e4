"""What a server is asked to do, verified before it serves."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from game.errors import ZhaifeiError
from game.rules import Rules, preset

_LONGEST_HOST = 253
"""Characters of a name: RFC 1035."""
_TOKEN_BYTES = 16


@dataclass(frozen=True)
class Settings:
    """What the server needs to know."""

    host: str
    port: int
    policy: Path | None
    """The policy that was named, which plays where its rules are played."""
    rules: Rules | None
    """Its rules."""
    workers: int
    token: str | None
    """What visitors from elsewhere must know; None if only this computer is listened to."""

    def policy_for(self, rules: Rules) -> Path | None:
        """Return the named policy if it is for these rules; None is the known one."""
        return self.policy if rules == self.rules else None

    def rules_for(self, players: int, *, jump_challenge: bool) -> Rules:
        """Return the rules of a match of so many: those of the named policy if it is for as many.
        Raise RulesError."""
        named = self.rules
        jump_challenge = jump_challenge and players > 2
        if named is not None and (named.players, named.jump_challenge) == (players, jump_challenge):
            return named
        return preset("zhaifei", players=players, jump_challenge=jump_challenge)


def verified(host: str, port: int, policy: Path | None, workers: int) -> Settings:
    """Return the settings. Raise ZhaifeiError if they cannot be met."""
    _verify_installed()
    verify_host(host)
    rules = None if policy is None else _rules_of(policy)
    token = None if is_loopback(host) else secrets.token_urlsafe(_TOKEN_BYTES)
    return Settings(host, port, policy, rules, workers, token)


def _verify_installed() -> None:
    for package in ("nicegui", "segno"):
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
    """Return the rules of a policy, which is loaded to see whether it can be."""
    from policies.catalogue.known import load_known  # noqa: PLC0415  # it imports numba

    rules = load_known(policy, None).policy.rules
    rules.verify_costs_points()
    return rules
