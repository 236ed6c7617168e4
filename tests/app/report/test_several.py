"""The sections on three players and more."""

from dataclasses import replace

import pytest

from tests.policies.small_policies import random_policy
from zhaifei.app.report.several import coalition_section, several_section, verdicts_of_several
from zhaifei.game.rules import Rules
from zhaifei.policies.measure.mixed_tables import SeatShare
from zhaifei.policies.measure.several_players import FEWER, SeveralResults, measure_several
from zhaifei.policies.play.simulation import PenaltyShare
from zhaifei.policies.players.rule_based import NAMES
from zhaifei.policies.research.coalition import Coalition, SolvedGame
from zhaifei.solver.bounds import BestResponse, Bounds


@pytest.fixture(scope="module")
def found() -> SeveralResults:
    policy = random_policy(Rules.of(players=3, dice=1, faces=2))
    return measure_several("mine", policy, 100, 0, lambda *stage: None)


def share(mean: float) -> PenaltyShare:
    return PenaltyShare(mean, 0.01, rounds=100)


def with_shares(
    found: SeveralResults, own: float, other: float, mixed: tuple[float, float]
) -> SeveralResults:
    """Shares of ours, of one alone among copies of ours, and of ours and the others at mixed
    tables; give or take 0.01 each."""
    alike = dict.fromkeys(found.mixed.shares, share(mixed[1]))
    return replace(
        found,
        shares={
            name: pair._replace(own=share(own), other=share(other))
            for name, pair in found.shares.items()
        },
        mixed=replace(found.mixed, shares={**alike, "mine": share(mixed[0])}),
    )


@pytest.mark.parametrize(
    ("own", "other", "mixed", "held"),
    [
        (0.20, 0.40, (0.30, 0.33), [True, True, True]),
        # The intervals reach 1 / 3.
        (0.33, 0.34, (0.30, 0.33), [False, False, True]),
        (0.20, 0.40, (0.30, 0.31), [True, True, False]),
    ],
)
def test_a_claim_that_is_not_supported_does_not_hold(
    found: SeveralResults, own: float, other: float, mixed: tuple[float, float], held: list[bool]
) -> None:
    assert [one.holds for one in verdicts_of_several(with_shares(found, own, other, mixed))] == held


def test_one_opponent_is_enough_to_refute_a_claim(found: SeveralResults) -> None:
    fine = with_shares(found, 0.2, 0.4, (0.30, 0.33))
    for name in NAMES:
        worse = {**fine.shares, name: fine.shares[name]._replace(own=share(0.35))}
        first, *_ = verdicts_of_several(replace(fine, shares=worse))
        assert not first.holds
        assert f"among {name}, 35.0% ±1.0%" in first.figures


@pytest.mark.parametrize(("own", "holds"), [(0.20, True), (0.33, False)])
def test_the_share_among_a_network_is_judged_too(
    found: SeveralResults, own: float, holds: bool
) -> None:
    fine = with_shares(found, 0.2, 0.4, (0.30, 0.33))
    network = fine.shares[NAMES[0]]._replace(own=share(own), other=share(0.31))
    *others, last = verdicts_of_several(replace(fine, shares={**fine.shares, "ppo-3p": network}))
    assert [one.holds for one in others] == [True, True, True]
    assert last.holds is holds
    assert "ppo-3p" in last.claim
    assert last.figures.endswith("ppo-3p alone among copies of it takes 31.0% ±1.0%.")


@pytest.mark.parametrize(("most", "holds"), [(0.30, True), (0.33, False)])
def test_tables_with_networks_are_judged_by_the_worst_seat(
    found: SeveralResults, most: float, holds: bool
) -> None:
    fine = with_shares(found, 0.2, 0.4, (0.30, 0.33))
    seat = SeatShare(("nfsp-3p", "honest"), 1, share(most))
    mixed = replace(fine, with_networks=replace(fine.mixed, tables=15, most=seat))
    *_, last = verdicts_of_several(mixed)
    assert last.holds is holds
    assert last.figures == (
        f"It takes 30.0% ±1.0% of the points at these tables, and the most, {most:.1%} ±1.0%, in "
        "seat 2 among nfsp-3p, honest."
    )
    text = "\n\n".join(several_section(mixed, 100, 7))
    assert "At 15 more mixed tables at least one of the others is a network" in text
    assert "about 25 rounds each" in text


def test_the_section_shows_the_measurements(found: SeveralResults) -> None:
    seats = (Bounds(0.0125, 0.0125), Bounds(-0.001, -0.001), Bounds(0.01, 0.01))
    exact = replace(found, earned=BestResponse(seats, 1, 0.0))
    text = "\n\n".join(several_section(exact, 100, 7))
    assert text.startswith("## 斋飞, 3 players with 1 dice each\n")
    assert "**0.021500**" in text
    assert f"| 1 | +0.012500 | {found.gains[0].upper:.6f} |" in text
    assert "zhaifei evaluate mine" in text
    assert f"--rounds {100 // FEWER} --seed 7" in text
    bid, often = found.opening.openings[0]
    assert f"| {bid} | {often:.1%} |" in text
    for name, pair in found.shares.items():
        assert (
            f"| {name} | {pair.own.share:.1%} ±{pair.own.margin:.1%} "
            f"| {pair.other.share:.1%} ±{pair.other.margin:.1%} |"
        ) in text
    for name, mixed in found.mixed.shares.items():
        assert f"| {name} | {mixed.share:.1%} ±{mixed.margin:.1%} |" in text
    for block in text.split("\n\n"):
        if block.startswith("|"):
            assert len({row.count("|") for row in block.splitlines()}) == 1


def test_with_jump_challenges_the_heading_says_so(found: SeveralResults) -> None:
    jump = replace(found, rules=found.rules.changed(jump_challenge=True))
    heading = next(several_section(jump, 100, 0))
    assert heading == "## 斋飞, 3 players with 1 dice each, with 跳开"


def test_coalitions_have_a_row_for_each_seat() -> None:
    seat = Coalition(Bounds(0.1, 0.1), Bounds(-0.6, -0.6), Bounds(-0.6, -0.5))
    game = SolvedGame(2, 0.00002, (seat, seat, seat))
    *_, table = coalition_section([game])
    assert "| 2 | 0.000020 | 3 | +0.1000 | -0.6000 | -0.6000 to -0.5000 |" in table.splitlines()
