"""Searches that can stop at any time."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from zhaifei.solver import anytime
from zhaifei.solver.anytime import Limits, by_cuts, by_steps, cuts


@dataclass(frozen=True)
class Found:
    gap: float
    exact: bool = False


class Clock:
    """Stands still but where it is told."""

    def __init__(self, monkeypatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(anytime, "SECONDS_PER_RESULT", 0.0)
        monkeypatch.setattr(anytime.time, "monotonic", lambda: self.now)


class Halving:
    """Each step takes a second and halves the gap; after `enough` steps there is nothing to do."""

    def __init__(self, clock: Clock, enough: int = 1000) -> None:
        self.clock, self.steps, self.enough = clock, 0, enough

    def step(self) -> bool:
        self.clock.now += 1.0
        self.steps += 1
        return self.steps < self.enough

    def result(self) -> Found:
        return Found(2.0**-self.steps, self.steps == 20)

    def sweep(self, cut: float) -> Found:
        self.step()
        return self.result()


def test_cuts_fall_by_the_ratio_and_end_with_none():
    assert list(cuts(1.0, 0.1, 0.5)) == [1.0, 0.5, 0.25, 0.125, 0.0]
    assert list(cuts(0.1, 0.1, 0.5)) == [0.0]


def test_steps_end_at_the_gap(monkeypatch):
    work = Halving(Clock(monkeypatch))
    found = list(by_steps(work.step, work.result, Limits(0.1)))
    assert [result.gap for result in found] == [1.0, 0.5, 0.25, 0.125]
    assert work.result().gap == 0.0625


def test_steps_end_when_all_is_known(monkeypatch):
    work = Halving(Clock(monkeypatch))
    assert len(list(by_steps(work.step, work.result, Limits()))) == 20
    assert work.steps == 20


def test_steps_end_when_none_are_left(monkeypatch):
    work = Halving(Clock(monkeypatch), enough=3)
    list(by_steps(work.step, work.result, Limits()))
    assert work.steps == 3


@pytest.mark.parametrize("seconds", [0, 1, 5])
def test_steps_end_at_the_deadline(seconds, monkeypatch):
    work = Halving(Clock(monkeypatch))
    list(by_steps(work.step, work.result, Limits(seconds=seconds)))
    assert work.steps == seconds


def test_results_come_no_more_often_than_is_asked_for(monkeypatch):
    work = Halving(Clock(monkeypatch))
    monkeypatch.setattr(anytime, "SECONDS_PER_RESULT", 3.0)
    found = list(by_steps(work.step, work.result, Limits(seconds=9.5)))
    assert [result.gap for result in found] == [1.0, 2.0**-3, 2.0**-6, 2.0**-9]


def test_sweeps_end_at_the_gap_with_a_result_for_each_cut(monkeypatch):
    work = Halving(Clock(monkeypatch))
    found = list(by_cuts(work.sweep, cuts(1.0, 1e-9, 0.5), Limits(0.1)))
    assert [result.gap for result in found] == [0.5, 0.25, 0.125, 0.0625]


def test_one_sweep_is_made_even_without_time(monkeypatch):
    work = Halving(Clock(monkeypatch))
    assert len(list(by_cuts(work.sweep, cuts(1.0, 1e-9, 0.5), Limits(seconds=0.0)))) == 1


def test_what_was_found_before_an_interruption_stays(monkeypatch):
    work = Halving(Clock(monkeypatch))

    def step() -> bool:
        if work.steps == 4:
            raise KeyboardInterrupt
        return work.step()

    found = []
    with pytest.raises(KeyboardInterrupt):
        found.extend(by_steps(step, work.result, Limits()))
    assert work.result().gap == 2.0**-4
