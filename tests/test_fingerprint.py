"""Results change only on purpose: see `tests.fingerprint`."""

import pytest

from tests.fingerprint import TOLERANCE, answers, committed, differences, runs_apart

MEANT = "if this is meant, run python -m tests.fingerprint"


def of_kind(kind: str) -> list[dict]:
    return [item for item in committed() if item["item"].startswith(kind)]


def test_every_engine_computes_what_is_committed() -> None:
    assert differences(of_kind("run: "), runs_apart()) == [], MEANT


@pytest.mark.slow
def test_fifty_answers_are_as_committed() -> None:
    items = of_kind("answer: ")
    assert len(items) == 50
    assert differences(items, [*answers()]) == [], MEANT


def test_the_file_holds_runs_and_answers_only() -> None:
    names = [item["item"] for item in committed()]
    assert len({*names}) == len(names) == len(of_kind("run: ")) + len(of_kind("answer: "))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"hash": "a1"}, {"hash": "a2"}, ["x: hash a1 -> a2"]),
        ({"rows": 1}, {"rows": 2}, ["x: rows 1 -> 2"]),
        ({"plays": {"a": [0.5, 0.1]}}, {"plays": {"a": [0.5, 0.1 + TOLERANCE / 2]}}, []),
        ({"value": 0.1}, {"value": 0.10001}, ["x: value 0.1 -> 0.10001"]),
        ({"true": [0.1]}, {"true": [0.1, 0.2]}, ["x: true [0.1] -> [0.1, 0.2]"]),
        ({"plays": {"a": 1.0}}, {"plays": {"b": 1.0}}, ["x: plays {'a': 1.0} -> {'b': 1.0}"]),
        ({"value": 1}, {"value": 1.0}, ["x: value 1 -> 1.0"]),
        ({"value": float("nan")}, {"value": 1.0}, ["x: value nan -> 1.0"]),
        ({}, {"value": 1.0}, ["x: value None -> 1.0"]),
    ],
)
def test_whatever_differs_is_told(before: dict, after: dict, told: list[str]) -> None:
    assert differences([{"item": "x", **before}], [{"item": "x", **after}]) == told


def test_items_that_come_and_go_are_told() -> None:
    assert differences([{"item": "x"}], [{"item": "y"}]) == ["x: is gone", "y: is new"]
