"""Starting and stopping `zhaifei web`."""

import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.app.server.advice.desk import DECISION
from tests.app.server.processes import below, wait_for_end
from tests.app.server.served import Served
from tests.command_line import LONG, Solved, zhaifei_process

SIGNALS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}


def decided(served: Served) -> int:
    """The status of a question for advice."""
    address = f"{served.address}/api/advice/decision"
    return httpx.post(address, json=DECISION, timeout=LONG).status_code


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_ends_the_server_and_its_workers(
    number: signal.Signals, one_die: Solved, tmp_path: Path
) -> None:
    """While a policy thinks."""
    with (
        Served("--policy", one_die.policy, data=tmp_path) as server,
        ThreadPoolExecutor() as threads,
    ):
        assert decided(server) == 200
        asked = threads.submit(decided, server)
        processes = below(server.process.pid)
        server.process.send_signal(number)
        out, err = server.process.communicate(timeout=LONG)
        assert asked.exception() or asked.result() in (200, 503)
    code, says = SIGNALS[number]
    assert len(processes) >= 2, "two workers"
    assert (server.process.returncode, err.strip()) == (code, f"zhaifei: {says}"), out
    wait_for_end(processes)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
def test_ctrl_c_is_one_line_while_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal sends it to all processes, also to the one that loads what workers share."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    with Served(data=tmp_path, start_new_session=True) as server:
        server.wait_until(lambda: any((tmp_path / "kernels").rglob("*.nbc")))
        processes = below(server.process.pid)
        os.killpg(server.process.pid, signal.SIGINT)
        _, err = server.process.communicate(timeout=LONG)
    code, says = SIGNALS[signal.SIGINT]
    assert (server.process.returncode, err.strip()) == (code, f"zhaifei: {says}")
    wait_for_end(processes)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
def test_questions_are_answered_when_all_processes_that_ask_policies_are_killed(
    one_die: Solved, tmp_path: Path
) -> None:
    with Served("--policy", one_die.policy, data=tmp_path) as server:
        assert decided(server) == 200
        started = below(server.process.pid)
        for process in started:
            os.kill(process, signal.SIGKILL)
        wait_for_end(started)
        assert decided(server) == 200
        assert server.send(signal.SIGINT).code == SIGNALS[signal.SIGINT][0]


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = zhaifei_process("web", "--port", port)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"zhaifei: cannot listen on 127.0.0.1, port {port}: ")
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [("--host", ""), ("--policy", "nan"), ("--port", "65536")])
def test_what_cannot_be_served_is_told_before_serving(arguments: tuple[str, str]) -> None:
    outcome = zhaifei_process("web", "--port", 0, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert len(outcome.err.splitlines()) == 1
