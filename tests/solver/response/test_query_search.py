from itertools import pairwise

import pytest

from tests.solver import measured
from tests.solver.black_boxes import (
    DOUBLED,
    KINDS,
    VARIANTS,
    close,
    exact_values,
    inside,
    policy_of,
    strategies_of,
)
from tests.solver.kernels import in_both_ways
from zhaifei.solver import anytime
from zhaifei.solver.response import query_kernels
from zhaifei.solver.response import query_search as module
from zhaifei.solver.response.query_search import QueryResponse, QuerySearch
from zhaifei.solver.response.table_search import BestResponseError, best_response
from zhaifei.solver.tables.queries import BATCH, IllegalStrategy

TWO = [*(variant for variant, rules in VARIANTS.items() if rules.players == 2), *DOUBLED]
any_variant = pytest.mark.parametrize("variant", TWO)
any_kind = pytest.mark.parametrize("kind", KINDS)


def refined(variant: str, kind: str, **limits: float) -> list[QueryResponse]:
    tested = policy_of(variant, kind)
    return list(QuerySearch(tested.tables, tested).refine(**limits))


def settled(exact: list[float], result: QueryResponse) -> bool:
    """Whether the intervals are the exact values of both seats."""
    return result.exact and all(inside(*found) for found in zip(exact, result.seats, strict=True))


@any_kind
@any_variant
def test_results_only_get_tighter_and_end_with_the_exact_values(variant, kind, monkeypatch):
    monkeypatch.setattr(anytime, "SECONDS_PER_RESULT", 0.0)
    monkeypatch.setattr(module, "_LEAST_BATCH", 1)
    exact, results = exact_values(variant, kind), refined(variant, kind)
    for result in results:
        assert all(inside(*found) for found in zip(exact, result.seats, strict=True))
    for before, after in pairwise(results):
        for wide, narrow in zip(before.seats, after.seats, strict=True):
            assert wide.lower <= narrow.lower + 1e-14
            assert narrow.upper <= wide.upper + 1e-14
        assert before.calls <= after.calls
        assert before.nodes <= after.nodes
    assert len(results) > 3
    assert settled(exact, results[-1])
    assert close(sum(exact) / 2, results[-1].exploitability)


@pytest.mark.parametrize("kind", measured.KINDS)
@pytest.mark.parametrize("variant", measured.VARIANTS)
def test_a_table_is_worth_the_same_asked_as_read(variant, kind):
    """Two searches that share nothing but how challenges are settled."""
    tested = measured.case(variant, kind)
    read = best_response(tested.tables, tested.table)
    *_, result = QuerySearch(tested.tables, strategies_of(tested)).refine()
    assert result.exact
    for one, other in zip(read.seats, result.seats, strict=True):
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)


@any_variant
def test_reaches_that_are_not_kept_are_asked_for_again(variant, monkeypatch):
    exact, kept = exact_values(variant, "random"), refined(variant, "random")[-1]
    monkeypatch.setattr(module, "_KEPT_BYTES", 0)
    result = refined(variant, "random")[-1]
    assert result.calls > kept.calls
    assert settled(exact, result)


def test_the_search_stops_at_the_gap_that_is_asked_for(monkeypatch):
    monkeypatch.setattr(module, "_LEAST_BATCH", 1)
    result = refined("3 faces", "random", gap=0.3)[-1]
    assert 1e-3 < result.exploitability.gap <= 0.3


def test_the_search_ends_when_the_memory_is_full(monkeypatch):
    exact, whole = exact_values("3 faces", "random"), refined("3 faces", "random")[-1]
    monkeypatch.setattr(module, "_LEAST_BATCH", 1)
    hands, vectors = 3, 9
    monkeypatch.setattr(module, "room", lambda held=0: 8.0 * hands * vectors * whole.calls)
    result = refined("3 faces", "random")[-1]
    assert 10 < result.calls < whole.calls
    assert not result.exact
    assert all(inside(*found) for found in zip(exact, result.seats, strict=True))


class Clock:
    """Stands still but for the policy, which takes a second for every batch."""

    def __init__(self, tested) -> None:
        self.tested, self.now = tested, 0.0

    def monotonic(self) -> float:
        return self.now

    def __call__(self, histories):
        assert len(histories) <= BATCH
        self.now += 1.0
        return self.tested(histories)


@pytest.mark.parametrize("seconds", [0, 1, 2, 3, 5, 10])
@any_variant
def test_a_search_that_runs_out_of_time_keeps_its_bounds(variant, seconds, monkeypatch):
    exact, clock = exact_values(variant, "random"), Clock(policy_of(variant, "random"))
    monkeypatch.setattr(module, "_LEAST_BATCH", 1)
    monkeypatch.setattr(module.time, "monotonic", clock.monotonic)
    search = QuerySearch(clock.tested.tables, clock)
    began = clock.now
    *_, result = search.refine(seconds=seconds)
    assert clock.now <= began + seconds
    assert all(inside(*found) for found in zip(exact, result.seats, strict=True))
    assert not result.exact


def test_answers_that_are_no_strategies_are_refused():
    tested = policy_of("3 faces", "random")
    with pytest.raises(IllegalStrategy, match=r"add up to 0\.5, not 1"):
        list(
            QuerySearch(
                tested.tables,
                lambda histories: [
                    tested.strategy(history) / (2 if history else 1) for history in histories
                ],
            ).refine()
        )


def test_only_two_players_are_searched():
    tested = policy_of("3 players", "random")
    with pytest.raises(BestResponseError, match="two-player policies; these rules are for 3"):
        QuerySearch(tested.tables, tested)


kernels_in_both_ways = in_both_ways(module, query_kernels)


@pytest.mark.parametrize("variant", ["2 faces", "2 faces, doubled"])
def test_kernels_do_the_same_uncompiled(kernels_in_both_ways, variant):
    assert settled(exact_values(variant, "random"), refined(variant, "random")[-1])
