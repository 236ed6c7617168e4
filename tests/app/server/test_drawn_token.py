"""Tokens that are drawn, and kept for a day."""

import os
import stat
import time
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest

from zhaifei.app.server.drawn_token import DAY, drawn_token

PLACE = "0.0.0.0 8765"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the token is kept."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "zhaifei" / "web-token.json"


def test_a_server_that_starts_again_has_the_same_token(kept: Path) -> None:
    token = drawn_token(PLACE)
    assert token in kept.read_text(encoding="utf-8")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert drawn_token(PLACE) == token
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_another_place_or_another_day_has_another(kept: Path) -> None:
    token = drawn_token(PLACE)
    other = drawn_token("0.0.0.0 8766")
    assert other != token
    long_ago = time.time() - DAY - 1.0
    os.utime(kept, (long_ago, long_ago))
    assert drawn_token("0.0.0.0 8766") != other


@pytest.mark.parametrize("content", ["", "{", "[]", '{"place": "0.0.0.0 8765", "token": "short"}'])
def test_what_is_no_token_is_drawn_anew(kept: Path, content: str) -> None:
    kept.parent.mkdir(parents=True)
    kept.write_text(content, encoding="utf-8")
    token = drawn_token(PLACE)
    assert drawn_token(PLACE) == token


def test_where_nothing_can_be_kept_it_is_drawn_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    assert drawn_token(PLACE) != drawn_token(PLACE)


def test_tokens_cannot_be_guessed(kept: Path) -> None:
    tokens = {drawn_token(str(number)) for number in range(50)}
    assert len(tokens) == 50
    assert {8 * len(urlsafe_b64decode(f"{one}==")) for one in tokens} == {128}
