"""Learners of OpenSpiel's that play against themselves."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from tests.fuzz.samples import small_learner, small_learners
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.shipped import LEARNED
from zhaifei.policies.play.simulation import play_rounds
from zhaifei.policies.players.encoding import history_bits, information_state_tensors
from zhaifei.policies.players.network import LearnedPolicy, load_weights
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.research.learning import (
    LearningRun,
    new_learner,
    new_learning_run,
    resume_learning_run,
)
from zhaifei.policies.research.nfsp import NFSPLearner
from zhaifei.policies.research.openspiel_agents import average_network, value_network
from zhaifei.policies.research.ppo import PPOLearner, PPOSettings
from zhaifei.policies.research.self_play import Decisions, play
from zhaifei.policies.research.torch_state import layers_of
from zhaifei.policies.training.run import train
from zhaifei.solver.files.state import StateError
from zhaifei.solver.files.storage import StorageError, load, load_header, save

pytestmark = pytest.mark.usefixtures("one_thread")
any_algorithm = pytest.mark.parametrize("algorithm", LEARNED)


def short_run(algorithm: str, advances: int = 2, goal: int = 100_000) -> LearningRun:
    run = new_learning_run(algorithm, seed=3, threads=1, steps=goal)
    for _ in range(advances):
        run.advance()
    return run


@any_algorithm
def test_a_resumed_run_ends_like_one_that_never_stopped(tmp_path: Path, algorithm: str) -> None:
    """Bit for bit, memories included."""
    path = tmp_path / "run.checkpoint.safetensors"
    run = short_run(algorithm)
    run.save_checkpoint(path)
    torch.manual_seed(99)  # whatever was drawn in between
    np.random.seed(99)  # noqa: NPY002  # OpenSpiel draws from it
    resumed = resume_learning_run(path, algorithm)
    assert (resumed.learner.steps, resumed.seconds) == (run.learner.steps, run.seconds)
    for one in (run, resumed):
        one.advance()
    ours, theirs = run.learner.state(), resumed.learner.state()
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)
    assert run.learner.steps > 0


@any_algorithm
def test_checkpoints_name_their_arrays_as_ever(tmp_path: Path, algorithm: str) -> None:
    """Otherwise those that were written before could not be read."""
    parts = {
        "dqn": {"counts": 2, "memory": 2, "network": 6, "optimiser": 18, "target": 6},
        "nfsp": {
            "counts": 2,
            "memory": 2,
            "network": 6,
            "optimiser": 18,
            "reservoir": 2,
            "target": 6,
            "values": 6,
            "values_optimiser": 18,
        },
        "ppo": {"counts": 1, "network": 12, "optimiser": 36},
    }[algorithm]
    path, run = tmp_path / "run.checkpoint.safetensors", short_run(algorithm, advances=1)
    run.save_checkpoint(path)
    header, stored = load(path, "training")
    names = Counter(name.split(".")[0] for name in stored)
    assert stored["counts"].size == parts.pop("counts")
    assert names.pop("counts") == 1
    assert names == parts
    assert {*header} >= {"algorithm", "seed", "threads", "goal", "earlier", "advances", "seconds"}


@any_algorithm
def test_runs_with_another_seed_differ(algorithm: str) -> None:
    one, other = new_learner(algorithm, 0), new_learner(algorithm, 1)
    assert any(
        not np.array_equal(*weights)
        for weights in zip(one.layers()[0], other.layers()[0], strict=True)
    )


@any_algorithm
def test_the_network_in_numpy_is_that_of_torch(algorithm: str) -> None:
    learner = short_run(algorithm, advances=1).learner
    rules, random = learner.rules, np.random.default_rng(0)
    history = np.sort(random.permuted(np.tile(np.arange(40, 110), (200, 1)), axis=1)[:, :4], axis=1)
    hand = random.integers(252, size=200)
    tensors = torch.from_numpy(
        information_state_tensors(
            rules, np.zeros(200, dtype=np.int64), hand, history_bits(rules, history)
        )
    )
    with torch.no_grad():
        theirs = _forward(learner, tensors).numpy()
    policy = LearnedPolicy(rules, learner.plays, learner.layers())
    # float32 sums of some hundred products in another order.
    np.testing.assert_allclose(policy._network.outputs(hand, history), theirs, atol=2e-5)


def _forward(learner: object, tensors: object) -> object:
    """What OpenSpiel's agent itself computes."""
    if isinstance(learner, PPOLearner):
        network = learner._agent.network
        return network.actor(network.features(tensors))
    agent = learner.agent  # type: ignore[attr-defined]
    is_average = isinstance(learner, NFSPLearner)
    network = average_network(agent) if is_average else value_network(agent)
    return network(tensors)


@any_algorithm
def test_a_run_writes_weights_that_play_and_say_how_they_were_made(
    tmp_path: Path, algorithm: str
) -> None:
    out, seen_steps = tmp_path / "mine.safetensors", []
    run = new_learning_run(algorithm, seed=5, threads=1, steps=12_000)
    result = train(run, out, on_progress=lambda progress: seen_steps.append(progress.done))
    assert result.finished
    assert seen_steps[-1] == run.learner.steps >= 12_000
    training = load_weights(out).training
    assert training["command"] == f"zhaifei train {algorithm} --steps 12000 --seed 5 --threads 1"
    assert (training["algorithm"], training["steps"]) == (algorithm, run.learner.steps)
    assert training["steps_per_second"] > 0
    rules = preset("zhaifei")
    points = play_rounds(
        (load_player(str(out), rules), load_player("random", rules)), rules, 300, seed=0
    )
    assert points.sum() == 300


def test_runs_tell_which_goals_they_had(tmp_path: Path) -> None:
    """Learning rates fall towards the goal, so that the same steps are not the same run."""
    path, run = tmp_path / "run.safetensors", short_run("dqn", advances=1, goal=50_000)
    run.aim_at(50_000)
    assert run.command == "zhaifei train dqn --steps 50000 --seed 3 --threads 1"
    run.aim_at(70_000)
    run.save_checkpoint(path)
    resumed = resume_learning_run(path, "dqn")
    changed = f"; after {run.learner.steps} steps: --resume --steps 70000"
    expected = f"zhaifei train dqn --steps 50000 --seed 3 --threads 1{changed}"
    assert resumed.command == expected == run.command
    assert resumed.goal == 70_000


def test_a_checkpoint_that_cannot_be_written_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned, saved = [], LearningRun.save_checkpoint

    def fails_once(run: LearningRun, path: Path) -> None:
        if not warned:
            raise StorageError("the disk is full")
        saved(run, path)

    monkeypatch.setattr(LearningRun, "save_checkpoint", fails_once)
    run = new_learning_run("dqn", seed=0, threads=1, steps=30_000)
    train(
        run,
        tmp_path / "mine.safetensors",
        checkpoint_every=0.0,
        keep_checkpoint=True,
        on_warning=warned.append,
    )
    assert [str(one) for one in warned] == [
        "training goes on without a checkpoint: the disk is full"
    ]
    assert resume_learning_run(tmp_path / "mine.checkpoint.safetensors", "dqn").done >= 30_000


def test_a_checkpoint_of_another_algorithm_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    short_run("dqn", advances=1).save_checkpoint(path)
    with pytest.raises(StorageError, match="is a run of dqn, not of ppo"):
        resume_learning_run(path, "ppo")


# PPO's buffers


RULES = Rules.of(dice=1, faces=3)


def filled(rounds: int) -> tuple[PPOLearner, Decisions, list[object]]:
    """A learner whose buffers hold what was played, without having learnt from it."""
    learner = PPOLearner(RULES, 0, PPOSettings(actor=8, critic=8, rounds=rounds))
    kept: list[object] = []
    learner._agent.learn = kept.extend  # type: ignore[method-assign]
    random = np.random.default_rng(1)
    played: list[Decisions] = []

    def noting(*arguments: object) -> Decisions:
        played.append(play(*arguments))  # type: ignore[arg-type]
        return played[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zhaifei.policies.research.ppo.play", noting)
        learner.advance(random, 0.0)
    return learner, played[0], kept


def test_columns_of_ppo_hold_the_decisions_in_order() -> None:
    learner, played, follows = filled(rounds=50)
    agent = learner._agent
    used = 16 * agent.num_envs
    assert played.action.size - 16 < used <= played.action.size
    for buffer, array in (
        (agent.actions, played.action),
        (agent.rewards, played.reward),
        (agent.dones, played.final),
    ):
        np.testing.assert_array_equal(buffer.T.reshape(-1), array[:used])
    tensors = information_state_tensors(RULES, played.seat, played.hand, played.made)
    np.testing.assert_array_equal(agent.obs.transpose(0, 1).reshape(used, -1), tensors[:used])
    assert len(follows) == agent.num_envs
    for column, follow in enumerate(follows[:-1]):
        seen_next = follow.observations["info_state"][0]  # type: ignore[attr-defined]
        np.testing.assert_array_equal(seen_next, tensors[16 * (column + 1)])


def test_ppo_learns_that_what_loses_is_not_played() -> None:
    """With one die of three faces, the strongest bid, 斋2×3, is true once in nine rounds."""
    learner = PPOLearner(RULES, 0, PPOSettings(actor=32, critic=32, rounds=1024, entropy=0.02))

    def strongest() -> float:
        policy = LearnedPolicy(RULES, learner.plays, learner.layers())
        return float(policy.strategy([])[:, -2].mean())

    torch.manual_seed(0)
    before = strongest()
    for number in range(15):
        learner.advance(np.random.default_rng(number), 0.0)
    assert strongest() < 0.3 * before


def test_layers_are_in_the_order_in_which_they_are_applied() -> None:
    learner = PPOLearner(RULES, 0, PPOSettings(actor=8, critic=4))
    assert [weight.shape[1] for weight, _ in learner.layers()] == [8, 8, 11]
    network = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    values = torch.tensor([[1.0, -2.0]])
    (one, shift), (two, last) = layers_of(network)
    ours = np.maximum(values.numpy() @ one + shift, 0.0) @ two + last
    np.testing.assert_allclose(ours, network(values).detach().numpy(), atol=1e-6)


def test_policies_that_learn_are_players_of_their_rules() -> None:
    policy = LearnedPolicy(RULES, "sampled", PPOLearner(RULES, 0, PPOSettings()).layers())
    assert PolicyPlayer(policy, "ppo").rules == RULES


@pytest.mark.parametrize(
    ("says", "raised"),
    [
        ("[enforce fail] . DefaultCPUAllocator: can't allocate memory: you tried", MemoryError),
        ("mat1 and mat2 shapes cannot be multiplied", RuntimeError),
    ],
)
def test_memory_that_torch_does_not_get_is_told_like_any_other(
    says: str, raised: type[Exception]
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError(says)

    learner = SimpleNamespace(steps=0, advance=fail)
    with pytest.raises(raised):
        LearningRun("ppo", 1, 1, 10, learner).advance()


@any_algorithm
def test_states_that_no_learner_can_have_are_refused(algorithm: str) -> None:
    state = small_run(algorithm).learner.state()
    small_learner(algorithm, 3).restore(state)
    for name, array in state.items():
        for entry in (np.nan, np.inf, -1e30) if array.dtype.kind == "f" else (-9, 2**60):
            if array.dtype == np.uint8:
                continue
            changed = array.copy()
            changed.flat[-1] = entry
            with pytest.raises(StateError):
                small_learner(algorithm, 3).restore({**state, name: changed})
        without = {key: one for key, one in state.items() if key != name}
        for other in (without, {**without, name: array[:-1]}, {**state, f"{name}x": array}):
            with pytest.raises(StateError):
                small_learner(algorithm, 3).restore(other)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("threads", 10**9),
        ("seed", -1),
        ("seed", 2**40),
        ("goal", 0),
        ("advances", "1"),
        ("earlier", 3),
        ("earlier", [[1]]),
        ("earlier", [3]),
        ("earlier", [[0, 1]]),
        ("seconds", -1),
    ],
)
def test_headers_that_describe_no_run_are_refused(
    tmp_path: Path, field: str, value: object
) -> None:
    path, run = tmp_path / "run.checkpoint.safetensors", small_run("ppo")
    run.save_checkpoint(path)
    header = {**load_header(path, "training"), field: value}
    save(path, "training", header, run.learner.state())
    with small_learners(), pytest.raises(StorageError, match="does not describe a run"):
        resume_learning_run(path, "ppo")


def test_training_that_diverges_ends_with_its_cause() -> None:
    run = small_run("ppo")
    with torch.no_grad():
        next(iter(run.learner.modules["network"].parameters())).fill_(torch.nan)
    with pytest.raises(ZhaifeiError, match="training has diverged"):
        run.learner.verify_finite()


def small_run(algorithm: str) -> LearningRun:
    with small_learners():
        run = new_learning_run(algorithm, steps=10_000, seed=3, threads=1)
    for _ in range(3):
        run.advance()
    return run
