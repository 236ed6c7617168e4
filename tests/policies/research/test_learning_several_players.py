"""PPO with three players or more, and against fixed players."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.replacing import content_of
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.play.simulation import PenaltyShare, penalty_share
from zhaifei.policies.players.network import LearnedPolicy, load_weights, save_weights
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.seat_features import seat_features
from zhaifei.policies.research.learning import (
    LearningRun,
    new_learner,
    new_learning_run,
    resume_learning_run,
)
from zhaifei.policies.research.nfsp import NFSPLearner, NFSPSettings
from zhaifei.policies.research.ppo import PPOLearner, PPOSettings
from zhaifei.policies.training.plan import saved_in
from zhaifei.solver.files.storage import load, save

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = preset("zhaifei", players=3, dice=2, faces=3)
FEW = PPOSettings(actor=32, critic=32, rounds=1024, entropy=0.05)


def trained(rules: Rules, advances: int, others: list[BatchPlayer]) -> LearnedPolicy:
    """What a run of a few seconds learns."""
    learner = PPOLearner(rules, 0, FEW, others)
    for number in range(advances):
        torch.manual_seed(number)
        np.random.seed(number)  # noqa: NPY002  # OpenSpiel draws from it
        learner.advance(np.random.default_rng(number), number / advances)
    return LearnedPolicy(rules, learner.plays, learner.layers())


def run_of_three(
    against: tuple[str, ...] = (), advances: int = 1, algorithm: str = "ppo"
) -> LearningRun:
    run = new_learning_run(algorithm, players=3, against=against, seed=3, threads=1, steps=100_000)
    for _ in range(advances):
        run.advance()
    return run


@pytest.mark.parametrize(
    ("algorithm", "against"),
    [("dqn", ()), ("nfsp", ()), ("ppo", ()), ("ppo", ("honest", "random"))],
)
def test_a_resumed_run_ends_like_one_that_never_stopped(
    tmp_path: Path, algorithm: str, against: tuple[str, ...]
) -> None:
    """Bit for bit."""
    path = tmp_path / "run.checkpoint.safetensors"
    run = run_of_three(against, algorithm=algorithm)
    run.save_checkpoint(path)
    torch.manual_seed(99)  # whatever was drawn in between
    resumed = resume_learning_run(path, algorithm)
    assert (resumed.against, resumed.plan) == (against, run.plan)
    assert resumed.command == run.command
    for one in (run, resumed):
        one.advance()
    ours, theirs = run.learner.state(), resumed.learner.state()
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)
    assert saved_in(path).plan == run.plan


def test_checkpoints_without_rules_are_of_two_players(tmp_path: Path) -> None:
    """They were written before there were others."""
    path = tmp_path / "run.checkpoint.safetensors"
    run = new_learning_run("ppo", seed=3, threads=1, steps=100_000)
    run.save_checkpoint(path)
    header, arrays = load(path, "training")
    before = {name: value for name, value in header.items() if name not in {"rules", "against"}}
    save(path, "training", before, dict(arrays))
    assert resume_learning_run(path, "ppo").plan == run.plan == saved_in(path).plan


@pytest.mark.parametrize("algorithm", ["nfsp", "ppo"])
def test_the_network_in_numpy_is_that_of_torch(tmp_path: Path, algorithm: str) -> None:
    run = run_of_three(algorithm=algorithm)
    learner, random = run.learner, np.random.default_rng(0)
    history = np.sort(random.permuted(np.tile(np.arange(40, 165), (200, 1)), axis=1)[:, :4], axis=1)
    hand = random.integers(252, size=200)
    seen = torch.from_numpy(seat_features(learner.rules, hand, history))
    with torch.no_grad():
        theirs = learner.player()(seen).numpy()
    policy = LearnedPolicy(learner.rules, learner.plays, learner.layers())
    # float32 sums of some hundred products in another order.
    np.testing.assert_allclose(policy._network.outputs(hand, history), theirs, atol=2e-5)
    path = tmp_path / "mine.safetensors"
    save_weights(path, policy)
    assert path.stat().st_size < 500_000
    assert load_weights(path).rules == preset("zhaifei", players=3)


def test_files_tell_against_whom_a_network_learnt(tmp_path: Path) -> None:
    """And so it replaces no network that learnt by self-play, nor the other way round."""
    path, run = tmp_path / "mine.safetensors", run_of_three(("honest", "random"), advances=0)
    assert run.command == (
        "zhaifei train ppo --players 3 --against honest --against random --steps 100000 --seed 3 "
        "--threads 1"
    )
    run.save_result(path, run.result())
    found = content_of(path)
    assert found is not None
    assert found.product == run.plan.product
    assert found.product.method == "ppo, against honest, against random"
    assert found.product != run_of_three(advances=0).plan.product


@pytest.mark.parametrize(
    ("algorithm", "rules", "against", "message"),
    [
        ("nfsp", preset("zhaifei"), ("honest",), "only ppo learns against others"),
        ("dqn", preset("zhaifei", players=7), (), "of 2 to 6 players, not zhaifei: 7 players"),
        ("ppo", preset("zhaifei", players=7), (), "of 2 to 6 players, not zhaifei: 7 players"),
        ("ppo", preset("zhaifei", players=3, jump_challenge=True), (), "with 跳开"),
        ("ppo", preset("ktv"), (), "of 2 to 6 players, not ktv"),
        ("ppo", preset("zhaifei", players=3), ("nobody",), "no player is called 'nobody'"),
        ("ppo", preset("zhaifei", players=3), ("zhaifei-4p",), "zhaifei-4p plays only"),
        ("ppo", preset("zhaifei", players=3), ("zhaifei-3p+learn",), "remembers earlier rounds"),
    ],
)
def test_what_is_not_learnt_is_refused(
    algorithm: str, rules: Rules, against: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ZhaifeiError, match=message):
        new_learner(algorithm, 0, rules, against)


def test_strategy_files_are_refused_because_they_may_remember(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "class Mine:\n"
        "    def challenge_bid(self, seen):\n        return True\n\n"
        "    def make_bid(self, seen):\n        return seen.legal_bids[0]\n"
    )
    with pytest.raises(ZhaifeiError, match="is a strategy file, which may remember"):
        new_learner("ppo", 0, preset("zhaifei", players=3), (str(path),))


def test_average_strategies_of_three_lose_less_than_at_first() -> None:
    """NFSP, alone among copies of an honest player."""
    settings = NFSPSettings(hidden=(32, 32), rounds=512, learn_every=256, anticipatory=0.5)
    learner, honest = NFSPLearner(SMALL, 0, settings), load_player("honest", SMALL)

    def share() -> PenaltyShare:
        policy = LearnedPolicy(SMALL, learner.plays, learner.layers())
        return penalty_share(PolicyPlayer(policy, "learner"), honest, SMALL, 6000, seed=1)

    before = share()
    for number in range(40):
        torch.manual_seed(number)
        np.random.seed(number)  # noqa: NPY002  # OpenSpiel draws from it
        learner.advance(np.random.default_rng(number), number / 40)
    assert share().upper < 0.8 * before.lower


def nash_conv(policy: LearnedPolicy, seconds: float) -> tuple[float, float]:
    """Bounds of the sum of what best responses gain: what all seats earn themselves sums to 0."""
    *_, found = Evaluation(policy).refine(seconds=seconds, gap=0.01)
    return sum(one.lower for one in found.seats), sum(one.upper for one in found.seats)


def test_self_play_of_three_comes_nearer_to_an_equilibrium() -> None:
    untrained = LearnedPolicy(SMALL, "sampled", PPOLearner(SMALL, 0, FEW).layers())
    before, _ = nash_conv(untrained, seconds=60.0)
    _, after = nash_conv(trained(SMALL, 40, []), seconds=60.0)
    assert after < 0.5 * before


@pytest.mark.parametrize("name", ["random", "honest"])
def test_a_learner_among_copies_takes_fewer_points_than_they(name: str) -> None:
    other = load_player(name, SMALL)
    attacker = PolicyPlayer(trained(SMALL, 60, [other]), "attacker")
    found = penalty_share(attacker, other, SMALL, 12_000, seed=1)
    assert found.upper < 1 / 3
