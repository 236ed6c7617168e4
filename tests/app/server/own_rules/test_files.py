"""The files of rules of one's own: what Python's functions write for presets, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.server.own_rules.desk import BAR, app_with
from zhaifei.app.pocket.decisions import decision_tables
from zhaifei.app.pocket.exporting import site_files
from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.app.pocket.rules_tables import rules_table
from zhaifei.app.pocket.shapes import as_json
from zhaifei.app.server.own_rules import files, known, made
from zhaifei.app.server.own_rules.files import ASKS, OwnFiles
from zhaifei.app.server.own_rules.solving import Solving
from zhaifei.game.bids import legal_bids
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.known import default_path, known_record
from zhaifei.policies.catalogue.shipped import certified, shipped_path
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, save_policy
from zhaifei.policies.training.solver_run import solved_round, solver_setup
from zhaifei.solver.tables.strategy_table import STEPS

RULES = rules_named(BAR, 2)
MANY = rules_named("zhaifei~doubles=2", 8)


@pytest.fixture
def client(places: Path) -> Iterator[TestClient]:
    with TestClient(app_with(Solving(shared=False))) as found:
        yield found


@pytest.fixture(scope="module")
def policy() -> TablePolicy:
    return solved_round(solver_setup(MANY, threads=1), iterations=1)


def get(client: TestClient, name: str, status: int = 200) -> bytes:
    answer = client.get(f"/data/{name}")
    assert answer.status_code == status, answer.text[:200]
    return answer.content


def test_files_are_those_that_python_writes_for_presets(client: TestClient) -> None:
    assert get(client, f"rules/{BAR}-2.json") == as_json(rules_table(RULES, None))
    assert get(client, f"players/{BAR}-2.json") == as_json(decision_tables(RULES))
    get(client, f"policies/{BAR}-2.safetensors", 404)


def test_a_policy_that_was_solved_is_served_at_once(
    client: TestClient, policy: TablePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "MOST", 1 << 30)
    name = "zhaifei~doubles=2-8"
    assert get(client, f"rules/{name}.json") == as_json(rules_table(MANY, None))
    path = default_path(MANY, make=True)
    save_policy(path, policy)
    assert get(client, f"rules/{name}.json") == as_json(rules_table(MANY, f"{name}.safetensors"))
    path.write_bytes(get(client, f"policies/{name}.safetensors"))
    served = load_policy(path)
    assert (served.rules, served.training) == (policy.rules, policy.training)
    history = legal_bids(MANY, None)[:1]
    whole, packed = (one.strategy(history) for one in (policy, served))
    assert np.abs(whole - packed).max() < 2 / STEPS


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_shipped_policies_with_jumps_are_served_whole_with_what_is_certified(
    client: TestClient, players: int
) -> None:
    rules, name = preset("zhaifei", players=players, jump_challenge=True), f"zhaifei~jump-{players}"
    path = shipped_path(rules)
    assert path is not None
    assert get(client, f"rules/{name}.json") == as_json(rules_table(rules, f"{name}.safetensors"))
    assert get(client, f"policies/{name}.safetensors") == path.read_bytes()
    training = load_policy(path).training
    assert (training["of"], training["figure"]) == (path.stem, certified(path))


def test_the_policy_of_a_preset_that_was_solved_is_named(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, name = preset("ktv", players=8), "rules/ktv-8.json"
    assert get(client, name) == as_json(rules_table(rules, None))
    path, other = default_path(rules, make=True), known_record(preset("zhaifei"))
    path.write_bytes(b"")
    assert other is not None
    record = other._replace(name=str(path))
    monkeypatch.setattr(known, "known_record", lambda _: record)
    assert get(client, name) == as_json(rules_table(rules, "ktv-8.safetensors"))
    unsolved = site_files()[f"data/{name}"]()
    assert unsolved == as_json(rules_table(rules, None)), "the version of the page stays"


def test_a_policy_file_that_is_packed_is_served_as_it_is() -> None:
    path = shipped_path(preset("southern"))
    assert path is not None
    assert made.policy_file(preset("southern"), path) == path.read_bytes()


def test_a_damaged_policy_is_as_good_as_none(client: TestClient) -> None:
    default_path(MANY, make=True).write_bytes(b"damaged")
    written = get(client, "rules/zhaifei~doubles=2-8.json")
    assert written == as_json(rules_table(MANY, None))


def test_less_of_a_large_policy_is_served(
    tmp_path: Path, policy: TablePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, policy)
    path.write_bytes(made.policy_file(MANY, path))  # packed
    monkeypatch.setattr(made, "MOST", path.stat().st_size - 1)
    content = made.policy_file(MANY, path)
    assert len(content) < path.stat().st_size
    path.write_bytes(content)
    found = load_policy(path)
    assert found.rules == MANY
    assert found.training == {**policy.training, made.TRIMMED: True}


def test_a_policy_that_stays_too_large_is_refused_with_a_reason(
    client: TestClient, policy: TablePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "MOST", 10)
    save_policy(default_path(MANY, make=True), policy)
    line = get(client, "policies/zhaifei~doubles=2-8.safetensors", 413).decode()
    assert "too large" in line
    assert "\n" not in line


@pytest.mark.parametrize(
    "name",
    [
        "rules/none-2.json",
        "rules/increment-2.json",
        "rules/zhaifei-9.json",
        f"rules/{BAR}.json",
        f"rules/{BAR}-2.safetensors",
        f"policies/{BAR}-2.json",
        f"cards/{BAR}-2.json",
        "rules/zhaifei~doubles=9-2.json",
        "rules/zhaifei~..%2F..%2Fetc-2.json",
        "rules/../rules/zhaifei~doubles=2-2.json.json",
        f"rules/zhaifei~{'x' * 4000}-2.json",
    ],
)
def test_other_names_have_no_file(client: TestClient, name: str) -> None:
    get(client, name, 404)


def test_an_address_may_ask_so_often(client: TestClient) -> None:
    asked = [client.get(f"/data/rules/{BAR}-2.json") for _ in range(int(ASKS[0]) + 5)]
    assert asked[int(ASKS[0]) - 1].status_code == 200
    assert 429 in {answer.status_code for answer in asked}


def test_files_are_made_once_and_bounded(monkeypatch: pytest.MonkeyPatch, places: Path) -> None:
    names: list[str] = []

    async def run(make: Any, rules: Any, policy: Any) -> bytes:
        names.append(make.__name__)
        return b"x" * 10

    async def ask() -> None:
        own = OwnFiles(run)
        one, other = f"data/rules/{BAR}-2.json", f"data/players/{BAR}-2.json"
        await asyncio.gather(*(own.content(one, "here") for _ in range(5)))
        assert names == ["rules_file"]
        await own.content(other, "here")
        await own.content(one, "here")
        assert names == ["rules_file", "players_file", "rules_file"], "the first had to go"

    monkeypatch.setattr(files, "MOST_KEPT", 15)
    asyncio.run(ask())
