"""Use a file in the way that its kind is used, for a fraction of a second."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz.samples import COUNTED, small_learners
from zhaifei.app.terminal.printed.learning import describe_learning, describe_q_learning
from zhaifei.app.terminal.printed.training import describe_progress, describe_setup
from zhaifei.game.bids import Bid, domain, legal_bids
from zhaifei.game.match import Match
from zhaifei.policies.catalogue.known import load_any
from zhaifei.policies.catalogue.names import load_decider
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.play.simulation import play_rounds
from zhaifei.policies.players.increment import RandomCaller
from zhaifei.policies.players.match_policy import MatchPolicy, load_match
from zhaifei.policies.players.network import load_weights
from zhaifei.policies.players.policy import Policy
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.table_policy import TablePolicy, load_policy
from zhaifei.policies.research import single_bid_engine  # noqa: F401  # may be resumed
from zhaifei.policies.research.learning import resume_learning_run
from zhaifei.policies.research.q_learning import resume_q_run
from zhaifei.policies.training.run import Run, RunResult, end_of, train
from zhaifei.policies.training.solver_run import resume_solver_run

_ADVANCES = 5
"""Enough for the tree of the sample to grow twice."""


class Unsound(Exception):
    """What came out of a file is not what it should be."""


def _query(policy: Policy) -> None:
    """Query some histories, those first that come up most."""
    rules = policy.rules
    waiting: list[tuple[Bid, ...]] = [()]
    for history in islice(iter(waiting), 12):
        strategy = policy.strategy(history)
        if not np.allclose(strategy.sum(axis=1), 1.0) or strategy.min() < 0.0:
            raise Unsound(f"after {history} the strategy is no distribution")
        played = np.flatnonzero(strategy.any(axis=0))
        bids = domain(rules)
        waiting += [(*history, bids[action]) for action in played if action < len(bids)][:4]
    bids = legal_bids(rules, None)
    policy.strategy((bids[0], bids[-1]))


def _play(policy: Policy) -> None:
    players = [PolicyPlayer(policy, "fuzzed")] * policy.rules.players
    play_rounds(players, policy.rules, 50, seed=1)


def _use_policy(path: Path, scratch: Path) -> None:
    policy, _ = load_any(path, None)
    assert not isinstance(policy, MatchPolicy), "files of matches are of another kind"
    _query(policy)
    _play(policy)
    if policy.rules.players == 2:
        next(iter(Evaluation(policy).refine(gap=0.5)))
    elif isinstance(policy, TablePolicy) and policy.remembers_all:
        *_, found = Evaluation(policy).refine()
        if not found.exact or found.nash_conv.upper < 0.0:
            raise Unsound(f"best responses earn {found.seats}")


def _use_values(path: Path, scratch: Path) -> None:
    random = np.random.default_rng(2)
    decider = load_decider(str(path), COUNTED, random)
    play_match(Match(COUNTED, random), [decider, RandomCaller(random)])


def _go_on(run: Run[Any], scratch: Path, resume: Callable[[Path], Run[Any]]) -> RunResult[Any]:
    """Train, write, and read what was written."""
    for _ in range(_ADVANCES):
        if end_of(run) is None:
            run.advance()
    result = train(run, scratch / "result.safetensors", time_limit=0.0, keep_checkpoint=True)
    resumed = resume(result.checkpoint)
    if resumed.done != run.done:
        raise Unsound(f"{resumed.done} done instead of {run.done}")
    return result


def _use_solve(path: Path, scratch: Path) -> None:
    run = resume_solver_run(path)
    describe_setup(run.setup)
    result = _go_on(run, scratch, resume_solver_run)
    describe_progress(result.progress, run)
    if isinstance(result.trained, MatchPolicy):
        for policy in load_match(result.out).rounds.values():
            _query(policy)
    else:
        _query(load_policy(result.out))


def _use_train(algorithm: str, path: Path, scratch: Path) -> None:
    if algorithm == "q":
        q_run = resume_q_run(path)
        q_run.goal = q_run.done + 10 * _ADVANCES
        result = _go_on(q_run, scratch, resume_q_run)
        describe_q_learning(result.progress, q_run.counts)
        load_decider(str(result.out), q_run.rules, np.random.default_rng(3))
        return
    with small_learners():
        run = resume_learning_run(path, algorithm)
        result = _go_on(run, scratch, lambda written: resume_learning_run(written, algorithm))
    describe_learning(result.progress)
    _query(load_weights(result.out))


def use(name: str, path: Path, scratch: Path) -> None:
    """Use the file at `path` as files of the kind `name` are used; what that writes goes into
    `scratch`."""
    use, _, which = name.partition("-")
    if use == "train":
        _use_train(which, path, scratch)
    else:
        _USES[use](path, scratch)


_USES = {"policy": _use_policy, "weights": _use_policy, "values": _use_values, "solve": _use_solve}
