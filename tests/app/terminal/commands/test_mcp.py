"""`zhaifei mcp`; tests/app/agents/test_server.py asks it."""

import importlib.util
import sys

import pytest

from tests.command_line import refused, zhaifei_process


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.setitem(sys.modules, "mcp", None)
    for name in [name for name in sys.modules if name.startswith("zhaifei.app.agents.server")]:
        monkeypatch.delitem(sys.modules, name)
    refused("mcp", says=("pip install 'zhaifei[mcp]'",))


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="mcp is not installed")
def test_it_ends_when_its_input_does() -> None:
    outcome = zhaifei_process("mcp")
    assert (outcome.code, outcome.out) == (0, "")
