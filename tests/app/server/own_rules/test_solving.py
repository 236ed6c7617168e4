"""Solving that visitors ask for: one process at a time, whose progress is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.server.own_rules.desk import BAR, answered, app_with, brief, telling
from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.app.server.asked import TooMany
from zhaifei.app.server.own_rules import solving
from zhaifei.app.server.own_rules.solving import OF_ADDRESS, Command, Solving, usual_command
from zhaifei.app.server.site import OWN
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.known import default_path, known_record
from zhaifei.policies.catalogue.shipped import SOLVED

MANY = {"rules": "zhaifei~doubles=2", "players": 8}
ASKED = {"rules": BAR, "players": 2}
PROGRESS = '{"done": 5, "goal": 10, "seconds": 1.5, "left": 1.5, "figure": 0.25}'
WAITS = "time.sleep(600)"

pytestmark = pytest.mark.usefixtures("places")


@contextmanager
def serving(command: Command, *, shared: bool = False) -> Iterator[TestClient]:
    with TestClient(app_with(Solving(shared=shared, command=command))) as client:
        yield client


def until(client: TestClient, holds: Callable[[Any], object], **asked: Any) -> Any:
    """Ask until the state is as it should be; the test's own time limit ends what never is."""
    while not holds(found := answered(client, "/solving", **(asked or ASKED))):
        time.sleep(0.2)  # so that the limit on questions is not reached
    return found


def test_before_anything_was_solved() -> None:
    with serving(telling()) as client:
        found = answered(client, "/solving", **ASKED)
    assert found == {
        "state": None,
        "busy": False,
        "known": False,
        "figure": None,
        "unfinished": False,
    }


def test_rules_that_come_solved_need_no_solving() -> None:
    with serving(telling()) as client:
        found = answered(client, "/solving", rules="zhaifei~jump", players=5)
    assert (found["state"], found["known"]) == (None, True)
    assert found["figure"] == SOLVED["zhaifei-5p-jump"].figure


def test_rules_are_solved_in_a_process_and_kept_as_solve_keeps_them() -> None:
    with serving(brief) as client:
        answered(client, "/solve", **MANY)
        found = until(client, lambda found: found["state"] != "running", **MANY)
    assert (found["state"], found["error"]) == ("ended", None)
    record = known_record(rules_named(MANY["rules"], 8))
    assert record is not None
    assert record.name == str(default_path(rules_named(MANY["rules"], 8)))
    assert (found["known"], found["figure"]) == (True, record.figure)


def test_progress_is_told_and_whoever_began_ends_it() -> None:
    with serving(telling(PROGRESS, then=WAITS)) as client:
        answered(client, "/solve", **ASKED)
        found = until(client, lambda found: found["progress"])
        assert found["progress"]["figure"] == 0.25
        assert found["yours"]
        answered(client, "/stop", **ASKED)
        assert until(client, lambda found: found["state"] == "stopped")["known"] is False


def test_what_was_stopped_is_kept_and_goes_on_from_there() -> None:
    def long(rules: Rules) -> list[str]:
        return [*usual_command(rules), "1000000000"]

    done = []
    with serving(long) as client:
        for _ in range(2):
            answered(client, "/solve", **MANY)
            until(client, lambda found: found["progress"], **MANY)
            answered(client, "/stop", **MANY)
            found = until(client, lambda found: found["state"] == "stopped", **MANY)
            assert (found["known"], found["unfinished"]) == (True, True)
            done.append(found["progress"]["done"])
    assert done[0] < done[1]


def test_one_process_runs_at_a_time() -> None:
    with serving(telling(PROGRESS, then=WAITS)) as client:
        answered(client, "/solve", **ASKED)
        assert answered(client, "/solve", **ASKED)["state"] == "running", "it goes on"
        refused = client.post(f"{OWN}/solve", json=MANY)
        assert refused.status_code == 429
        assert "other rules are being solved" in refused.json()["error"]
        assert answered(client, "/solving", **MANY)["busy"]


def test_of_two_who_ask_at_once_one_begins() -> None:
    async def ask() -> list[object]:
        desk = Solving(shared=False, command=telling(PROGRESS, then=WAITS))
        both = [rules_named(str(one["rules"]), int(str(one["players"]))) for one in (ASKED, MANY)]
        try:
            starts = (desk.start(rules, "here") for rules in both)
            return await asyncio.gather(*starts, return_exceptions=True)
        finally:
            await desk.close()

    began, refused = asyncio.run(ask())
    assert began is None
    assert isinstance(refused, TooMany)


def test_nobody_else_ends_it() -> None:
    app = app_with(Solving(shared=True, command=telling(PROGRESS, then=WAITS)))
    with TestClient(app) as client:
        answered(client, "/solve", **ASKED)
        other = TestClient(app, client=("10.0.0.9", 50000))
        refused = other.post(f"{OWN}/stop", json=ASKED)
        assert refused.json() == {"error": "only whoever started the solving can stop it"}
        assert answered(client, "/solving", **ASKED)["state"] == "running"
        assert not other.post(f"{OWN}/solving", json=ASKED).json()["yours"]


def test_a_failure_has_its_reason_in_both_languages() -> None:
    with serving(telling('{"error": {"en": "memory is full", "zh": "内存不够"}}')) as client:
        answered(client, "/solve", **ASKED)
        for language, line in (("en", "memory is full"), ("zh", "内存不够")):
            asked = {**ASKED, "language": language}
            found = until(client, lambda found: found["state"] == "failed", **asked)
            assert found["error"] == line


@pytest.mark.parametrize("then", ["sys.exit(3)", "print('no JSON', flush=True)"])
def test_a_process_that_just_ends_has_failed(then: str) -> None:
    with serving(telling(PROGRESS, then=then)) as client:
        answered(client, "/solve", **ASKED)
        assert until(client, lambda found: found["state"] == "failed")["error"] is None


def test_the_process_ends_with_the_server(tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    then = f"""
import signal
def end(*_):
    open({str(ended)!r}, "w").close()
    sys.exit()
signal.signal(signal.SIGTERM, end)
print('{PROGRESS}', flush=True)
time.sleep(600)
"""
    with serving(telling(then=then)) as client:
        answered(client, "/solve", **ASKED)
        until(client, lambda found: found["progress"])
    assert ended.exists()


def test_on_a_server_for_others_an_address_solves_a_few_rules_a_day() -> None:
    with serving(telling('{"ended": "goal"}'), shared=True) as client:
        for _ in range(OF_ADDRESS):
            answered(client, "/solve", **ASKED)
            until(client, lambda found: found["state"] == "ended")
        refused = client.post(f"{OWN}/solve", json=ASKED)
    assert refused.status_code == 429
    assert "for today" in refused.json()["error"]


def test_on_a_server_for_others_all_together_solve_a_few_more() -> None:
    app = app_with(Solving(shared=True, command=telling('{"ended": "goal"}')))
    with TestClient(app) as client:
        refused = 0
        for number in range(solving.OF_ALL + 2):
            guest = TestClient(app, client=(f"10.0.0.{number}", 50000))
            guest.portal = client.portal
            refused += guest.post(f"{OWN}/solve", json=ASKED).status_code == 429
            until(client, lambda found: found["state"] == "ended")
    assert refused == 2


def test_on_a_server_for_others_the_directory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "MOST_POLICIES", 0)
    with serving(telling('{"ended": "goal"}'), shared=True) as client:
        refused = client.post(f"{OWN}/solve", json=ASKED)
    assert refused.json() == {"error": "this server keeps no further policies"}


def test_on_this_computer_alone_nothing_is_counted() -> None:
    with serving(telling('{"ended": "goal"}')) as client:
        for _ in range(OF_ADDRESS + 2):
            answered(client, "/solve", **ASKED)
            until(client, lambda found: found["state"] == "ended")


@pytest.mark.parametrize("fields", [{"rules": "knockout"}, {"rules": "a; rm"}, {"players": 1}])
@pytest.mark.parametrize("path", ["/solving", "/solve", "/stop"])
def test_what_is_no_rules_is_refused(path: str, fields: dict[str, Any]) -> None:
    with serving(telling()) as client:
        answer = client.post(OWN + path, json={**ASKED, **fields})
    assert (answer.status_code, answer.json().keys()) == (400, {"error"})
