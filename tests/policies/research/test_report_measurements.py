"""What the report measures, with few matches."""

from threading import Event
from types import SimpleNamespace

import pytest

from zhaifei.game.messages import Message
from zhaifei.game.rules import preset
from zhaifei.policies.measure.several_players import OnProgress
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.policies.research import report_measurements
from zhaifei.policies.research.report_measurements import (
    ReportSettings,
    measure_matches,
    measure_policies,
)

SETTINGS = ReportSettings(rounds=50, matches=1, seconds=0.0, seed=7)


@pytest.fixture
def two_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_measurements, "shipped_for_several", lambda: ["first", "second"])
    monkeypatch.setattr(report_measurements.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(
        report_measurements, "load_known", lambda path, _: SimpleNamespace(policy=f"of {path}")
    )


@pytest.mark.usefixtures("two_policies")
def test_policies_are_measured_at_the_same_time_and_keep_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    second_ended = Event()

    def measured(name: str, *work: object) -> tuple[object, ...]:
        if name == "first":
            assert second_ended.wait(60)
        else:
            second_ended.set()
        return name, *work[:3]

    monkeypatch.setattr(report_measurements, "measure_several", measured)
    found = measure_policies(SETTINGS, lambda *stage: None)
    assert found == [("first", "of first", 10, 7), ("second", "of second", 10, 7)]


@pytest.mark.usefixtures("two_policies")
def test_an_error_in_one_measurement_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = Event()

    def measured(name: str, policy: str, rounds: int, seed: int, progress: OnProgress) -> None:
        if name == "first":
            assert begun.wait(60)
            raise MemoryError
        while True:
            progress(Message("exact values"), 0, 1)
            begun.set()

    monkeypatch.setattr(report_measurements, "measure_several", measured)
    with pytest.raises(MemoryError):
        measure_policies(SETTINGS, lambda *stage: None)


def test_in_matches_of_two_every_pair_meets_in_both_seats_and_the_shipped_policy_is_last() -> None:
    stages: list[tuple[Message, int, int]] = []
    rules = preset("knockout", players=2)
    found = measure_matches(rules, 4, 0, lambda *stage: stages.append(stage))
    assert [str(one) for one in found.players] == [*NAMES, "knockout-2p"]
    assert found.ours == len(NAMES)
    pairs = len(found.players) * len(NAMES) // 2
    assert found.standings.deals == 2
    assert found.standings.played == 2 * 2 * pairs
    assert all(counts.units == 2 * 2 * len(NAMES) for counts in found.standings.counts)
    every = [(done, 4 * pairs) for done in range(1, 4 * pairs + 1)]
    assert [stage[1:] for stage in stages] == every
    assert found.name == "knockout"
