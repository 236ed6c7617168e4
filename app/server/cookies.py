"""Read and write the cookie of a browser that has entered, and parse what browsers send.

A browser sends a cookie to every server of a computer, whatever the port. So the name of our cookie
contains the port.
"""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import SplitResult, parse_qs, urlsplit

from zhaifei.app.server.public import Public

_NAME = "zhaifei"
_DEFAULT_PORT = 80
_MOST_FIELDS = 20
_KEPT = 400 * 86_400
"""Seconds for which a browser keeps the cookie, as long as browsers allow."""


def cookie_name(host: str) -> str:
    """Return the name of the cookie for the server that a Host header names."""
    split = _split(f"//{host}")
    try:
        port = None if split is None else split.port
    except ValueError:
        port = None
    return f"{_NAME}-{port or _DEFAULT_PORT}"


def cookie_of(header: str, host: str) -> str | None:
    """Return our cookie in a Cookie header that came with this Host header, or None."""
    # Browsers send cookies of longer paths first, which belong to this server rather than to one
    # above it; SimpleCookie keeps the last.
    last_first = ";".join(reversed(header.split(";")))
    try:
        found = SimpleCookie(last_first).get(cookie_name(host))
    except CookieError:
        return None
    return None if found is None else found.value


def cookie_header(secret: str, host: str, public: Public | None) -> tuple[bytes, bytes]:
    """Return the header that gives a browser the cookie."""
    path, secure = "/", ""
    if public is not None:
        path = public.path or "/"
        secure = "; Secure" if public.scheme == "https" else ""
    name = cookie_name(host)
    cookie = f"{name}={secret}; Max-Age={_KEPT}; HttpOnly; Path={path}; SameSite=lax{secure}"
    return b"set-cookie", cookie.encode("latin-1")


def name_of(host: str) -> str:
    """Return the name in a Host header, without the port; empty if there is no name."""
    split = _split(f"//{host}")
    return "" if split is None else split.hostname or ""


def place_of(origin: str) -> str:
    """Return the name and port in an Origin header; empty if there are none."""
    split = _split(origin)
    return "" if split is None else split.netloc


def fields_of(query: str) -> dict[str, list[str]] | None:
    """Return the values of each field of a query; None if it has more fields than pages send."""
    try:
        return parse_qs(query, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return None


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
