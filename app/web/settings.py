"""Settings of a server, verified before it serves."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from zhaifei.app.rules_questions import Answers
from zhaifei.app.web import games
from zhaifei.app.web.games import POINTS
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset

_ASKED, _PLAIN = "knockout", "classic"
GAMES = *POINTS, _ASKED, _PLAIN
"""The names of the rules that the page offers: see `game.rules.PRESETS`."""
_LONGEST_HOST = 253
"""Most characters of a host name: RFC 1035."""
_TOKEN_BYTES = 16


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
    token: str | None
    """The token that visitors from elsewhere need; None if the server listens to this computer
    only."""

    def policy_for(self, rules: Rules) -> Path | None:
        """Return the named policy if it is for these rules; None means the known policy."""
        return self.policy if rules == self.rules else None

    def rules_for(
        self, game: str, players: int, answers: Answers | None = None, *, jump_challenge: bool
    ) -> Rules:
        """Return the rules of a match of `players` in one of GAMES, or by `answers` in OWN_RULES:
        those of the named policy if its game, its number of players and 跳开 agree. Raise
        ZhaifeiError if the rules are invalid."""
        named = self.rules
        jump_challenge = jump_challenge and players > 2 and may_jump(game)
        chosen = game, players, jump_challenge
        if named and chosen == (game_of(named), named.players, named.stakes.jump_challenge):
            return named
        return games.rules_of(game, players, answers or Answers(), jump=jump_challenge)


def game_of(rules: Rules) -> str:
    """Return which of GAMES the rules are, or are most like."""
    if not rules.loses_dice:
        return games.game_of(rules)
    return _ASKED if rules.stakes.out_of_turn else _PLAIN


def may_jump(game: str) -> bool:
    """Return whether 跳开 can be switched on in one of GAMES, which 劈 excludes; in OWN_RULES a
    question is about it."""
    return game in POINTS and not preset(game).stakes.doubled


def verified(host: str, port: int, policy: Path | None, workers: int) -> Settings:
    """Return the settings. Raise ZhaifeiError if they are invalid or packages are missing."""
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
    """Return the rules of a policy, which is loaded to verify that it can be."""
    # It imports numba.
    from zhaifei.policies.catalogue.known import load_for  # noqa: PLC0415

    return load_for(policy, None).policy.rules
