"""The MCP server: the tools of `app.agents.tools`, and the kept records as resources.

A tool runs in a thread of its own, one after the other, so that the server stays responsive while
something is computed. A mistake comes back as a tool error of one line.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from importlib.metadata import version
from threading import Lock
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from pydantic import ValidationError

from zhaifei.app.agents.records import kept_record, record_names
from zhaifei.app.agents.tools import Tools
from zhaifei.app.locale import explain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import beginning
from zhaifei.policies.play.record_lines import format_match

INSTRUCTIONS = (
    "Liar's Dice as it is played in China (斋飞). Bids are written f4x6 (飞: ones are wild) or "
    "z2x5 (斋: ones are not wild); a challenge is written challenge. Seats count from 1. Values "
    "are in penalty points. Play with new_match or new_scored_match, then act."
)
RECORDS = "zhaifei://records"
"""The address of the list of kept records; each has its name after it."""


class Server(MCPServer[Any]):
    """An MCP server whose tool errors are one line: the value, and what would be valid."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool by its name. Raise ToolError."""
        await self._verify_fields(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            why = _reason(error.__cause__)
            if why is None:
                raise
            raise ToolError(why) from error.__cause__

    async def _verify_fields(self, name: str, arguments: dict[str, Any]) -> None:
        """Raise ToolError for an argument that the tool does not have."""
        for tool in await self.list_tools():
            fields = tool.input_schema.get("properties", {})
            for one in arguments:
                if tool.name == name and one not in fields:
                    known = ", ".join(fields)
                    raise ToolError(f"{name} has no argument {beginning(one)!r}: there are {known}")


def _reason(cause: BaseException | None) -> str | None:
    """Return in one line what was wrong with a call; None if it was not the caller's mistake."""
    if isinstance(cause, ZhaifeiError):
        return " ".join(explain(cause).split())
    if isinstance(cause, OSError | MemoryError):
        return beginning(" ".join(str(cause).split()) or "there is not enough memory")
    if isinstance(cause, ValidationError):
        first = cause.errors()[0]
        place = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            return f"{place}: there is no such field"
        return f"{place}: {beginning(first['msg'])}, not {beginning(repr(first['input']))}"
    return None


def make_server() -> MCPServer[Any]:
    """Return the server, which has matches of its own."""
    server = Server(
        "zhaifei", instructions=INSTRUCTIONS, version=version("zhaifei"), log_level="WARNING"
    )
    tools, lock = Tools(), Lock()
    for tool in (
        tools.rules,
        tools.chance,
        tools.advice,
        tools.best_response,
        tools.review,
        tools.new_match,
        tools.new_scored_match,
        tools.look,
        tools.act,
    ):
        server.add_tool(_in_turn(lock, tool), name=tool.__name__)
    json_lines = "application/jsonl"
    server.resource(RECORDS, name="records", mime_type="application/json")(_list_records)
    server.resource(f"{RECORDS}/{{name}}", name="record", mime_type=json_lines)(_read_record)
    return server


def _in_turn(lock: Lock, tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Return the tool, which waits until no other is running."""

    @functools.wraps(tool)
    def alone(**arguments: Any) -> dict[str, Any]:
        with lock:
            return tool(**arguments)

    return alone


def _list_records() -> str:
    return json.dumps(record_names(), ensure_ascii=False)


def _read_record(name: str) -> str:
    try:
        return format_match(kept_record(name))
    except ZhaifeiError as error:
        raise ResourceNotFoundError(explain(error)) from error
