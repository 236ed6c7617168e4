"""`zhaifei mcp`, asked by the client of the package `mcp`: in this process, and over a pipe."""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

pytest.importorskip("mcp")
import anyio
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from tests.command_line import LONG, succeeds
from zhaifei.app.agents.server import RECORDS, make_server
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import new_record, read_match, write_match

SMALL = {"dice": 1, "faces": 3}
ROUNDS = "2 players, starter 1: f3x2 z2x4 c; me=1: 11346; 2: 23455"


def asking(ask: Callable[[Client], Awaitable[None]], server: Any = None) -> None:
    """Run `ask` with a client of a server, by default one in this process."""

    async def run() -> None:
        async with Client(server or make_server()) as client:
            await ask(client)

    anyio.run(run)


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool, which must go well."""
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    assert found.structured_content is not None
    return found.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The error of a tool: one line."""
    found = await client.call_tool(tool, arguments)
    assert found.is_error, found.structured_content
    (part,) = found.content
    assert "\n" not in part.text
    assert len(part.text) < 600
    return str(part.text)


def test_over_a_pipe_an_agent_plays_a_match(tmp_path: Path) -> None:
    """The program is started as an agent's settings would start it."""
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_DATA_HOME": str(tmp_path)}
    if "NUMBA_CACHE_DIR" in os.environ:
        environment["NUMBA_CACHE_DIR"] = os.environ["NUMBA_CACHE_DIR"]
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "zhaifei", "mcp"], env=environment
    )

    async def play(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {
            *("rules", "chance", "advice", "best_response", "review"),
            *("new_match", "new_scored_match", "look", "act"),
        }
        match = await told(client, "new_match", rules=SMALL, opponents=["honest"], number=2, seed=3)
        assert "99" in await refused(client, "act", match=match["match"], action="f99x2")
        while not match["over"]:
            action = match["position"]["legal"][-1]
            match = await told(client, "act", match=match["match"], action=f"I say [{action}]")
        assert match["rounds_played"] == 2
        assert sum(match["score"]) == 2

    asking(play, stdio_client(started))


def test_every_tool_says_what_it_is_for_and_what_it_takes() -> None:
    async def look(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            assert tool.description
            assert not tool.description.startswith("See")
            for name, schema in tool.input_schema["properties"].items():
                assert {"type", "anyOf", "$ref", "enum"} & {*schema}, name

    asking(look)


def test_the_chance_of_a_bid_is_from_the_own_dice_alone() -> None:
    async def ask(client: Client) -> None:
        chance = await told(client, "chance", hand="11346", bid="f4x6")
        assert chance["p_true"] == pytest.approx(1 - (2 / 3) ** 5)  # one more of five dice

    asking(ask)


def test_advice_is_that_of_query() -> None:
    line = json.loads(succeeds("query", "--hand", 11346, "--bid", "f4x6", "--no-resolve", "--json"))

    async def compare(client: Client) -> None:
        assert await told(client, "advice", hand="11346", history="f4x6", seconds=0) == line

    asking(compare)


def test_a_best_response_is_that_of_evaluate() -> None:
    options = ("--policy", "honest", "--dice", 1, "--faces", 3, "--time-limit", "5s")
    line = json.loads(succeeds("evaluate", *options, "--json"))

    async def compare(client: Client) -> None:
        found = await told(client, "best_response", policy="honest", rules=SMALL, seconds=5)
        assert found["exact"]
        assert found["exploitability"] == pytest.approx(line["exploitability"])
        assert found["response"]

    asking(compare)


def test_rounds_and_kept_records_are_reviewed_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = new_record()
    write_match(path, parse_rounds(ROUNDS))
    (tmp_path / "secret.jsonl").write_text("secret")

    async def review(client: Client) -> None:
        typed = await told(client, "review", rounds=ROUNDS, seconds=0)
        kept = await told(client, "review", record=path.name, seconds=0)
        assert typed == kept
        (match,) = typed["matches"]
        assert match["rounds"][0]["decisions"][0]["hand"] == "11346"
        assert path.name in await refused(client, "review", record="../secret.jsonl")
        assert "rounds or" in await refused(client, "review")
        assert "seat" in await refused(client, "review", rounds=ROUNDS, seat=5)

        (listed,) = (await client.read_resource(RECORDS)).contents
        assert json.loads(listed.text) == [path.name]
        (record,) = (await client.read_resource(f"{RECORDS}/{path.name}")).contents
        copy = tmp_path / "copy.jsonl"
        copy.write_text(record.text, encoding="utf-8")
        assert read_match(copy) == read_match(path)
        for name in ("nothing.jsonl", "..%2Fsecret.jsonl", "%2Fetc%2Fpasswd"):
            with pytest.raises(MCPError):
                await client.read_resource(f"{RECORDS}/{name}")

    asking(review)


@pytest.mark.parametrize(
    ("tool", "arguments", "fragments"),
    [
        ("chance", {"hand": "113467", "bid": "f4x6"}, ("113467", "must have 5")),
        ("chance", {"hand": "11346", "bid": 5}, ("bid", "string", "5")),
        ("chance", {"hand": "11346"}, ("bid",)),
        ("chance", {"hand": "11346", "bid": "f4x6", "seat": 1}, ("'seat'", "hand, bid, rules")),
        ("chance", {"hand": "x" * 100_000, "bid": "f4x6"}, ("xxx",)),
        ("rules", {"rules": {"name": "nope"}}, ("'nope'", "zhaifei, ktv")),
        ("rules", {"rules": {"player": 3}}, ("rules.player",)),
        ("rules", {"rules": {"players": 99}}, ("99", "8")),
        ("rules", {"rules": {"dice": [5, 3, 2]}}, ("3",)),
        ("rules", {"rules": {"house": ["nope"]}}, ("nope",)),
        ("advice", {"hand": "11346", "history": "f4x6 f4x5"}, ("飞4×5",)),
        ("advice", {"hand": "11346", "policy": "/etc/passwd"}, ("/etc/passwd", "honest")),
        ("advice", {"hand": "11346", "seconds": 1e9}, ("seconds", "60")),
        ("advice", {"hand": "11346", "seconds": "nan"}, ("seconds",)),
        ("best_response", {"policy": "mine.py"}, ("mine.py", "honest")),
        ("best_response", {"decisions": -1}, ("decisions", "-1")),
        ("review", {"rounds": "hello"}, ("rounds, line 1", "how many play")),
        ("new_match", {"opponents": ["evil.py"]}, ("evil.py", "honest")),
        ("new_match", {"goal": "fun"}, ("goal", "fun")),
        ("new_match", {"number": 10**9}, ("goal",)),
        ("new_scored_match", {"rounds": 0}, ("rounds", "0")),
        ("look", {"match": "match-9"}, ("match-9",)),
        ("act", {"match": "nothing", "action": "c"}, ("nothing",)),
        ("nothing", {}, ("nothing",)),
    ],
    ids=str,
)
def test_a_mistake_is_one_line_that_names_the_value(
    tool: str, arguments: dict[str, Any], fragments: tuple[str, ...]
) -> None:
    async def ask(client: Client) -> None:
        line = await refused(client, tool, **arguments)
        for fragment in fragments:
            assert fragment in line, line

    asking(ask)


def test_what_is_computed_does_not_hold_up_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a tool runs, the server lists its tools."""
    listed = Event()

    def slow(*arguments: object) -> float:
        assert listed.wait(LONG), "the server answers meanwhile"
        return 0.5

    monkeypatch.setattr("zhaifei.app.agents.tools.chance", slow)

    async def ask(client: Client) -> None:
        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(compute, client)
            await anyio.wait_all_tasks_blocked()
            assert (await client.list_tools()).tools
            listed.set()

    async def compute(client: Client) -> None:
        assert (await told(client, "chance", hand="11346", bid="f4x6"))["p_true"] == 0.5

    asking(ask)
