"""Legs, and runs of several: whole matches of two in which dice are lost."""

from pathlib import Path
from typing import Any

import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.parts import RulesError
from zhaifei.game.positions import is_match, round_rules
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.timed_evaluation import BestResponses, TimedEvaluation
from zhaifei.policies.players.match_policy import MatchPolicy, load_match
from zhaifei.policies.training.legs import legs_of, whole_passes
from zhaifei.policies.training.run import train
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.policies.training.solver_run import (
    MATCH_PASSES,
    Place,
    SolverRun,
    planned_run,
    resume_solver_run,
    solver_setup,
)
from zhaifei.solver.abstraction import WHOLE
from zhaifei.solver.files.storage import StorageError, load, save
from zhaifei.solver.response.query_search import QuerySearch
from zhaifei.solver.value.matches import OPENER, positions_of

RULES = preset("knockout", dice=(2, 1), faces=3)
POSITIONS = positions_of(RULES)
A_PASS = sum(len(hands(round_rules(RULES, at))) ** 2 for at in POSITIONS)
"""Iterations of one pass over each round."""


def new_run(iterations: int | None = None, rules: Rules = RULES) -> SolverRun:
    return planned_run(solver_setup(rules, threads=1), iterations, None).begun()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "match.safetensors"


@pytest.mark.parametrize(
    "rules", [preset("zhaifei", players=3), preset("liars_dice", dice=(2, 1))], ids=str
)
def test_a_round_for_points_is_one_leg_in_which_everything_is_considered(rules) -> None:
    (leg,) = legs_of(rules)
    assert (leg.position, leg.round.rules, leg.round.abstraction) == (
        rules.dice_by_player,
        rules,
        WHOLE,
    )
    assert not is_match(rules)
    assert whole_passes(rules, 1) == 1


def measured(policy: MatchPolicy) -> BestResponses:
    return TimedEvaluation(policy, threads=1, seconds=1e3).best_responses()


def test_each_round_gets_as_many_passes() -> None:
    assert new_run().goal == MATCH_PASSES * A_PASS
    assert new_run(7 * A_PASS).goal == 7 * A_PASS
    # They are rounded to whole passes, at least one.
    assert new_run(7 * A_PASS + 1).goal == 7 * A_PASS
    assert new_run(1).goal == A_PASS


def place_of(run: SolverRun) -> Place:
    place = run.place
    assert place is not None
    return place


def test_rounds_are_solved_with_the_fewest_dice_first() -> None:
    run = new_run(2 * A_PASS)
    seen = [place_of(run)[2:]]
    while run.done < run.goal:
        run.advance()
        seen.append(place_of(run)[2:])
    assert list(dict.fromkeys(seen)) == POSITIONS
    assert place_of(run).number == place_of(run).rounds == len(POSITIONS)


def test_a_solved_match_is_hardly_exploitable_and_has_the_value_of_its_rounds(out: Path) -> None:
    """With two faces the values of `tests.game.openspiel.test_matches` are known; with three dice
    this is certified by best responses of the file."""
    result = train(new_run(800 * A_PASS), out)
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
    result = train(new_run(400 * a_pass, rules), out)
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
    whole = train(new_run(9 * A_PASS), out)
    pieces = tmp_path / "pieces.safetensors"
    result = train(new_run(9 * A_PASS), pieces, time_limit=0.0)
    stops = 0
    while not result.finished:
        stops += 1
        result = train(resume_solver_run(result.checkpoint), pieces, time_limit=0.0)
    assert stops > 2
    assert pieces.read_bytes() == whole.out.read_bytes()


def test_the_checkpoint_of_a_run_that_is_done_keeps_the_engine_of_the_last_leg(
    out: Path,
) -> None:
    result = train(new_run(9 * A_PASS), out, keep_checkpoint=True)
    again = resume_solver_run(result.checkpoint)
    assert (again.done, again.leg) == (again.goal, again.legs[-1])
    assert again.information_sets == sum(
        one.training["information_sets"] for one in result.trained.rounds.values()
    )
    whole = out.read_bytes()
    assert train(again, out).finished
    assert out.read_bytes() == whole


def test_a_run_that_was_stopped_early_has_a_policy_for_each_round(out: Path) -> None:
    result = train(new_run(9 * A_PASS), out, time_limit=0.0)
    assert not result.finished
    policy = load_match(out)
    assert [*policy.rounds] == POSITIONS
    assert policy.training["rounds_solved"] == 0
    assert 0.0 < measured(policy).match_gain.upper <= 0.5


def test_a_resumed_run_keeps_its_iterations(out: Path) -> None:
    train(new_run(9 * A_PASS), out, time_limit=0.0)
    checkpoint = checkpoint_path(out)
    assert resume_solver_run(checkpoint, 9 * A_PASS).goal == 9 * A_PASS
    with pytest.raises(ZhaifeiError, match="without --resume, --iterations 18 solves it anew"):
        resume_solver_run(checkpoint, 18)


@pytest.mark.parametrize("change", ["missing", "none", "more", "value", "iterations", "goal"])
def test_a_checkpoint_that_describes_no_run_is_refused(out: Path, change: str) -> None:
    run = new_run(3 * A_PASS)
    for _ in range(4):
        run.advance()
    run.save_checkpoint(out)
    header, arrays = load(out, "checkpoint")
    solved = header["solved"]
    assert len(solved) == 1
    changed = {
        "missing": {"solved": None},
        "none": {"solved": []},
        "more": {"solved": [*solved, *solved, *solved, *solved]},
        "value": {"solved": [{**solved[0], "value": 3.0}]},
        "iterations": {"solved": [{**solved[0], "iterations": "many"}]},
        "goal": {"goal": 3 * A_PASS + 1},
    }[change]
    save(out, "checkpoint", {**header, **changed}, dict(arrays))
    with pytest.raises(StorageError, match=f"{out.name} does not describe a run"):
        resume_solver_run(out)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (preset("knockout"), "matches for 4 players are not solved, only those for two"),
        (preset("published", players=2), "published is not solved: the dice make the first bid"),
    ],
    ids=str,
)
def test_matches_that_are_not_solved_are_refused(rules, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        new_run(rules=rules)


def test_a_match_has_one_engine_and_no_target() -> None:
    assert solver_setup(RULES).engine == solver_setup(RULES, "tree").engine == "tree"
    given: dict[str, Any] = {"engine": "mccfr", "recall": "bid", "seed": 0}
    for option, value in given.items():
        with pytest.raises(ZhaifeiError, match=f"^--{option} is for rounds for penalty points"):
            solver_setup(RULES, **{option: value})
    with pytest.raises(ZhaifeiError, match=r"^--target is for rounds for penalty points"):
        planned_run(solver_setup(RULES), None, 0.1)
