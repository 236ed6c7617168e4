"""`zhaifei web`, up to where it serves and how it ends."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.server.served import Served
from tests.command_line import Solved, refused, zhaifei
from zhaifei.app.server.settings import Entry, Settings, is_loopback, verified
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset

URL, TOKEN = "https://dice.example.org/zhaifei", "a-token-that-nobody-guesses"


@pytest.mark.parametrize("host", ["", " ", "nan", "x" * 300, "1.2.3.4.5", "\0", "a b"])
def test_a_host_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(ZhaifeiError, match="--host must be an address of this computer"):
        verified(host, 0, None, 1)


@pytest.mark.parametrize("policy", ["nan", "", "/nowhere", "ppo"])
def test_a_policy_that_is_none_is_refused(policy: str) -> None:
    refused("web", "--port", 0, "--policy", policy, says=())


def test_an_address_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused("web", "--port", port, says=(f"cannot listen on 127.0.0.1, port {port}",))


def test_an_address_of_another_computer_is_told() -> None:
    refused("web", "--port", 0, "--host", "192.0.2.1", says=("cannot listen on 192.0.2.1",))


def test_without_its_packages_it_says_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zhaifei.app.server.settings.find_spec", lambda name: None)
    refused("web", "--port", 0, says=("pip install 'zhaifei[web]'",))


def test_the_page_is_not_imported_by_other_commands() -> None:
    assert zhaifei("web", "--help").code == 0
    load = "import sys; from zhaifei.app.terminal.group import Commands; [*Commands().values()]"
    script = f"{load}; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert not {"uvicorn", "starlette", "segno"} & {*found.stdout.split()}


def test_who_can_reach_an_address() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.3.2.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "192.0.2.1", "::", "example.org")))


def test_only_elsewhere_a_token_is_needed() -> None:
    assert verified("127.0.0.1", 0, None, 1).token is None
    one, other = (verified("0.0.0.0", port, None, 1).token for port in (1, 2))
    assert one is not None
    assert other is not None
    assert one != other
    assert len(one) >= 20


def test_behind_a_proxy_a_token_is_needed_too() -> None:
    assert verified("127.0.0.1", 0, None, 1, Entry(public_url=URL)).token is not None


def test_the_owner_may_set_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Settings] = []
    monkeypatch.setattr("zhaifei.app.server.serving.serve", found.append)
    assert zhaifei("web", "--port", 0, ZHAIFEI_TOKEN=TOKEN).code == 0
    assert (
        zhaifei("web", "--port", 0, "--token", TOKEN, ZHAIFEI_TOKEN="another-token-of-his").code
        == 0
    )
    assert zhaifei("web", "--port", 0, ZHAIFEI_TOKEN="").code == 0
    assert [one.token for one in found] == [TOKEN, TOKEN, None]
    assert TOKEN not in repr(found)


@pytest.mark.parametrize("token", ["", "x" * 15, "x" * 65, "a token with blanks", "x" * 16 + "\n"])
def test_tokens_that_can_be_guessed_or_mistyped_are_refused_and_not_shown(token: str) -> None:
    outcome = zhaifei("web", "--port", 0, "--token", token)
    line = "zhaifei: --token must have 16 to 64 letters, digits, - or _\n"
    assert (outcome.code, outcome.out, outcome.err) == (2, "", line)


def test_a_proxy_needs_the_address_that_it_serves() -> None:
    refused("web", "--proxy", "10.0.0.2", says=("--proxy needs --public-url",))


def test_the_named_policy_plays_where_its_rules_are_played(one_die: Solved) -> None:
    settings = verified("127.0.0.1", 0, one_die.policy, 1)
    assert settings.rules is not None
    assert settings.policy_for(settings.rules) == one_die.policy
    assert settings.policy_for(preset("zhaifei", players=3)) is None


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it(
    one_die: Solved, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with Served("--policy", one_die.policy, data=tmp_path) as server:
        outcome = server.send(number)
    assert outcome.code == code
    assert "Traceback" not in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_to_others_it_shows_a_token_and_a_code_for_phones(one_die: Solved, tmp_path: Path) -> None:
    with Served("--policy", one_die.policy, "--host", "0.0.0.0", data=tmp_path) as server:
        outcome = server.send(signal.SIGINT)
        assert re.search(r"/\?token=[\w-]{20,}$", server.full_address)
    assert "█" in server.said
    assert outcome.code == 130
