"""The public address of a server behind a proxy, and requests as browsers sent them there."""

import asyncio
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from zhaifei.app.server.cookies import cookie_header, cookie_name, cookie_of
from zhaifei.app.server.proxied import Proxied
from zhaifei.app.server.public import LONGEST_URL, public_of
from zhaifei.app.server.rooms.routes import LONGEST_LINK
from zhaifei.app.server.settings import TOKEN_LENGTHS
from zhaifei.game.errors import ZhaifeiError

PUBLIC = public_of("https://dice.example.org/zhaifei", None)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("https://dice.example.org", "https://dice.example.org/"),
        ("HTTPS://Dice.Example.org:443/a/B-2/", "https://dice.example.org/a/B-2/"),
        ("http://10.0.0.1:8080/zhaifei", "http://10.0.0.1:8080/zhaifei/"),
        ("http://[2001:db8::1]:80", "http://[2001:db8::1]/"),
    ],
)
def test_addresses_are_read_as_browsers_send_them(typed: str, url: str) -> None:
    assert public_of(typed, None).url == url


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "dice.example.org",
        "ftp://dice.example.org",
        "https://",
        "https://a b",
        "https://me@dice.example.org",
        "https://dice.example.org/a/../b",
        "https://dice.example.org//a",
        "https://dice.example.org/?token=x",
        "https://dice.example.org/#",
        "https://dice.example.org/a\n",
        "https://dice.example.org:x",
        "https://dice.example.org/" + "x" * LONGEST_URL,
        "https://骰子.example",
        "http\u017f://dice.example.org",
    ],
)
def test_other_addresses_are_refused(typed: str) -> None:
    with pytest.raises(ZhaifeiError, match="--public-url must be like"):
        public_of(typed, None)


def test_the_proxy_is_on_this_computer_unless_it_is_said_where_it_is() -> None:
    url = "https://dice.example.org"
    assert public_of(url, None).proxies == ("127.0.0.1", "::1")
    assert public_of(url, "10.0.0.2").proxies == ("10.0.0.2/32",)
    assert public_of(url, "10.0.0.7/24").proxies == ("10.0.0.0/24",)


@pytest.mark.parametrize("proxy", ["", "*", "caddy", "10.0.0.0/33", "10.0.0.2,10.0.0.3", "1"])
def test_other_proxies_are_refused(proxy: str) -> None:
    with pytest.raises(ZhaifeiError, match="--proxy must be an address"):
        public_of("https://dice.example.org", proxy)


def test_a_room_of_the_longest_address_has_a_qr_code() -> None:
    beside = "/?token=" + "x" * TOKEN_LENGTHS[1] + "#/friends/ABCDEF"
    assert LONGEST_URL + len(beside) <= LONGEST_LINK


def arrived(kind: str, path: str, *headers: tuple[bytes, bytes]) -> Scope:
    """The request behind Proxied, of which a proxy says this."""
    found: list[Scope] = []

    async def keep(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(scope)

    async def nothing(*message: Any) -> Any:
        raise AssertionError("nobody answers")

    scope = {"type": kind, "scheme": kind[:4], "path": path, "headers": [*headers]}
    asyncio.run(Proxied(keep, PUBLIC)(scope, nothing, nothing))
    return found[0]


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("/zhaifei/records", "/zhaifei/records"),
        ("/records", "/zhaifei/records"),
        ("/zhaifei", "/zhaifei/"),
        ("/", "/zhaifei/"),
        ("/zhaifeix", "/zhaifei/zhaifeix"),
        ("//evil.example", "/zhaifei//evil.example"),
    ],
)
def test_the_proxy_may_remove_the_path_or_leave_it(path: str, whole: str) -> None:
    scope = arrived("http", path, (b"host", b"dice.example.org"))
    assert (scope["root_path"], scope["path"]) == ("/zhaifei", whole)


@pytest.mark.parametrize(
    "host",
    [b"dice.example.org", b"Dice.example.org:443", b"127.0.0.1:8765", b"[::1]", b"localhost"],
)
def test_requests_are_for_the_public_host_whatever_the_proxy_makes_of_it(host: bytes) -> None:
    asked = (b"host", host), (b"x-forwarded-prefix", b"/zhaifei"), (b"accept", b"*/*")
    scope = arrived("http", "/", *asked)
    assert scope["headers"] == [(b"host", b"dice.example.org"), (b"accept", b"*/*")]
    assert scope["scheme"] == "https"
    assert arrived("websocket", "/", *asked)["scheme"] == "wss"


@pytest.mark.parametrize("host", [b"evil.example", b"dice.example.org:80", b"", b"10.0.0.1"])
def test_requests_for_other_hosts_stay_as_they_are(host: bytes) -> None:
    scope = arrived("http", "/", (b"host", host))
    assert scope == {"type": "http", "scheme": "http", "path": "/", "headers": [(b"host", host)]}


def test_two_hosts_are_nobodys() -> None:
    hosts = (b"host", b"dice.example.org"), (b"host", b"evil.example")
    assert arrived("http", "/", *hosts)["headers"] == [*hosts]


def test_cookies_are_for_the_path_and_for_encrypted_connections() -> None:
    _, cookie = cookie_header("x", PUBLIC.host, PUBLIC)
    assert cookie.endswith(b"; Path=/zhaifei; SameSite=lax; Secure")
    plain = public_of("http://10.0.0.1:8080", None)
    _, cookie = cookie_header("x", plain.host, plain)
    assert cookie.endswith(b"; Path=/; SameSite=lax")


def test_of_two_servers_at_one_host_each_reads_its_own_cookie() -> None:
    """A browser sends the cookie of /test before that of /."""
    name = cookie_name(PUBLIC.host)
    assert cookie_of(f"{name}=below; {name}=above", PUBLIC.host) == "below"
