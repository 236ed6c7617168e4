"""Runs that solve whole matches of two in which dice are lost."""

from pathlib import Path

import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.parts import RulesError
from zhaifei.game.positions import round_rules
from zhaifei.game.rules import preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.timed_evaluation import BestResponses, TimedEvaluation
from zhaifei.policies.players.match_policy import MatchPolicy, load_match
from zhaifei.policies.training.match_run import (
    MATCH,
    PASSES,
    is_of_match,
    legs_of,
    new_match_run,
    resume_match_run,
)
from zhaifei.policies.training.run import checkpoint_path, train
from zhaifei.solver.files.storage import StorageError, load, save
from zhaifei.solver.response.query_search import QuerySearch
from zhaifei.solver.value.matches import OPENER, positions_of

RULES = preset("knockout", dice=(2, 1), faces=3)
POSITIONS = positions_of(RULES)
A_PASS = sum(len(hands(round_rules(RULES, at))) ** 2 for at in POSITIONS)
"""Iterations of one pass over each round."""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "match.safetensors"


def measured(policy: MatchPolicy) -> BestResponses:
    return TimedEvaluation(policy, threads=1, seconds=1e3).best_responses()


def test_each_round_gets_as_many_passes() -> None:
    assert new_match_run(RULES, threads=1).goal == PASSES * A_PASS
    assert new_match_run(RULES, iterations=7 * A_PASS, threads=1).goal == 7 * A_PASS
    # They are rounded to whole passes, at least one.
    assert new_match_run(RULES, iterations=7 * A_PASS + 1, threads=1).goal == 7 * A_PASS
    assert new_match_run(RULES, iterations=1, threads=1).goal == A_PASS


def test_rounds_are_solved_with_the_fewest_dice_first() -> None:
    run = new_match_run(RULES, iterations=2 * A_PASS, threads=1)
    seen = [run.figures().position]
    while run.done < run.goal:
        run.advance()
        seen.append(run.figures().position)
    assert list(dict.fromkeys(seen)) == POSITIONS
    assert run.figures().number == len(POSITIONS)


def test_a_solved_match_is_hardly_exploitable_and_has_the_value_of_its_rounds(out: Path) -> None:
    """With two faces the values of `tests.game.openspiel.test_matches` are known; with three dice
    this is certified by best responses of the file."""
    result = train(new_match_run(RULES, iterations=800 * A_PASS, threads=1), out)
    assert result.finished
    policy = load_match(out)
    assert [*policy.rounds] == POSITIONS
    found = measured(policy)
    assert found.match_gain.upper < 0.002
    for at in POSITIONS:
        response = found.wins[at][OPENER]
        assert response.upper >= policy.values[at] - 1e-3
        assert response.upper <= policy.values[at] + 0.01
    assert policy.trained_gain == pytest.approx(found.match_gain.upper, abs=0.002)


def test_rounds_that_are_solved_player_by_player_are_certified_in_the_whole_round(
    out: Path,
) -> None:
    """By a search that asks the policy after each history of the whole round."""
    rules = preset("classic", dice=(2, 2), faces=4)
    legs = legs_of(rules)
    assert [leg.name for leg in legs if leg.position == (2, 2)] == ["2,2 opener", "2,2 other"]
    a_pass = sum(len(hands(leg.round.rules)) ** 2 for leg in legs)
    result = train(new_match_run(rules, iterations=400 * a_pass, threads=1), out)
    assert result.trained.training["rounds_solved"] == 4
    policy = load_match(out)
    found = measured(policy)
    assert found.match_gain.upper < 0.03
    assert policy.trained_gain == pytest.approx(found.match_gain.upper, abs=0.002)
    for position, one in policy.rounds.items():
        assert one.rules == round_rules(rules, position)
        *_, asked = QuerySearch(bid_tables(one.rules), one.strategies).refine()
        for proven, exact in zip(found.positions[position].seats, asked.seats, strict=True):
            assert proven.lower - 1e-9 <= exact.upper
            assert exact.lower <= proven.upper + 1e-9
        assert one.training["value"] + one.training["exploitability"] == pytest.approx(
            asked.seats[OPENER].upper, abs=1e-3
        )


def test_runs_that_are_stopped_again_and_again_end_like_runs_in_one(
    out: Path, tmp_path: Path
) -> None:
    whole = train(new_match_run(RULES, iterations=9 * A_PASS, threads=1), out)
    pieces = tmp_path / "pieces.safetensors"
    result = train(new_match_run(RULES, iterations=9 * A_PASS, threads=1), pieces, time_limit=0.0)
    stops = 0
    while not result.finished:
        stops += 1
        assert is_of_match(result.checkpoint)
        result = train(resume_match_run(result.checkpoint, None), pieces, time_limit=0.0)
    assert stops > 2
    assert pieces.read_bytes() == whole.out.read_bytes()


def test_a_run_that_was_stopped_early_has_a_policy_for_each_round(out: Path) -> None:
    result = train(new_match_run(RULES, iterations=9 * A_PASS, threads=1), out, time_limit=0.0)
    assert not result.finished
    policy = load_match(out)
    assert [*policy.rounds] == POSITIONS
    assert policy.training["rounds_solved"] == 0
    assert 0.0 < measured(policy).match_gain.upper <= 0.5


def test_a_resumed_run_keeps_its_iterations(out: Path) -> None:
    train(new_match_run(RULES, iterations=9 * A_PASS, threads=1), out, time_limit=0.0)
    checkpoint = checkpoint_path(out)
    assert resume_match_run(checkpoint, 9 * A_PASS).goal == 9 * A_PASS
    with pytest.raises(ZhaifeiError, match="without --resume, --iterations 18 solves it anew"):
        resume_match_run(checkpoint, 18)


@pytest.mark.parametrize("change", ["missing", "more", "value", "goal"])
def test_a_checkpoint_that_describes_no_run_is_refused(out: Path, change: str) -> None:
    run = new_match_run(RULES, iterations=3 * A_PASS, threads=1)
    for _ in range(4):
        run.advance()
    run.save_checkpoint(out)
    header, arrays = load(out, "checkpoint")
    solved = header[MATCH]
    changed = {
        "missing": {MATCH: None},
        "more": {MATCH: [*solved, *solved, *solved, *solved]},
        "value": {MATCH: [{**solved[0], "value": 3.0}]},
        "goal": {"goal": 3 * A_PASS + 1},
    }[change]
    save(out, "checkpoint", {**header, **changed}, dict(arrays))
    with pytest.raises(StorageError, match=f"{out.name} does not describe a run"):
        resume_match_run(out, None)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (preset("knockout"), "matches for 4 players are not solved, only those for two"),
        (preset("published", players=2), "published is not solved: the dice make the first bid"),
        (preset("zhaifei"), "is not played for dice"),
    ],
    ids=str,
)
def test_matches_that_are_not_solved_are_refused(rules, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        new_match_run(rules)
