"""zhaifei train dqn, nfsp and ppo, as a user runs them."""

import json
import re
import shlex
import shutil
import signal
from pathlib import Path

import pytest

from tests.command_line import (
    NO_CHECKPOINT,
    Running,
    environment,
    succeeds,
    zhaifei,
    zhaifei_process,
)
from zhaifei.policies.players.network import load_weights
from zhaifei.solver.files.storage import load_header


def checkpoint_of(out: Path) -> Path:
    return out.with_name(f"{out.stem}.checkpoint.safetensors")


def test_training_needs_torch_and_playing_does_not(tmp_path: Path) -> None:
    """With a `torch` that is not there: one line says what to install."""
    hidden = tmp_path / "without"
    hidden.mkdir()
    (hidden / "torch.py").write_text("raise ModuleNotFoundError('no torch', name='torch')\n")
    path = str(hidden)
    outcome = zhaifei_process("train", "ppo", env=environment(PYTHONPATH=path))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "zhaifei: training needs PyTorch: pip install 'zhaifei[rl]'\n"
    chinese = zhaifei_process("train", "dqn", "--lang", "zh", env=environment(PYTHONPATH=path))
    assert (chinese.code, "训练需要 PyTorch" in chinese.err) == (2, True)


def test_a_learner_trains_and_its_weights_meet_others(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "mine.safetensors"
    said = succeeds("train", "dqn", "--steps", "2e4", "--threads", 1, "--seed", 4, "--out", out)
    place = f"checkpoints go to {checkpoint_of(out)} until the run has finished\n"
    assert said.startswith(place)
    assert said.endswith(f"\n{NO_CHECKPOINT}\n")
    assert [*tmp_path.iterdir()] == [out]
    assert re.search(r"^\d+:\d\d  [\d,]+ of 20,000 steps · [\d,]+/s · ", said, re.MULTILINE)
    assert f"weights     {out}  (0.4 MB)" in said
    training = load_weights(out).training
    assert training["command"] == "zhaifei train dqn --steps 20000 --seed 4 --threads 1"
    found = json.loads(succeeds("arena", out, "random", "--rounds", 2000, "--json"))
    assert [one["player"] for one in found["players"]] == [str(out), "random"]


def test_ppo_learns_games_of_several_and_against_others(tmp_path: Path) -> None:
    """A network in the user's data is a player by the name of its file, unless a player of that
    name comes with the package: then it is named by its path."""
    pytest.importorskip("torch")
    options = ("--players", 3, "--steps", 9000, "--threads", 1)
    data = {"XDG_DATA_HOME": str(tmp_path)}
    succeeds("train", "ppo", *options, **data)
    said = succeeds("train", "ppo", *options, "--against", "random", **data)
    out = tmp_path / "zhaifei" / "ppo-3p-attacker.safetensors"
    assert f"zhaifei arena --players 3 {out} random" in said
    own = tmp_path / "zhaifei" / "ppo-3p.safetensors"
    shutil.copy(own, own.with_stem("mine"))
    listed = succeeds("players", **data)
    assert listed.count("learnt by ppo for zhaifei: 3 players, 5 dice of 6 faces each") == 1
    assert "learnt by ppo against random, for zhaifei: 3 players" in listed
    met = [str(own), "mine", "ppo-3p", "ppo-3p-attacker"]
    found = json.loads(succeeds("arena", *met, "--players", 3, "--rounds", 300, "--json", **data))
    assert [one["player"] for one in found["players"]] == met


def test_ctrl_c_saves_and_resume_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "mine.safetensors"
    options = ("--steps", "1e9", "--threads", 1, "--checkpoint-every", "0.1s", "--out", out)
    with Running("train", "nfsp", *options) as running:
        running.wait_until(checkpoint_of(out).exists)
        outcome = running.send(signal.SIGINT)
    assert (outcome.code, outcome.err) == (0, "")
    assert "stopped early, after " in outcome.out
    found = re.search(
        r"^for the rest: zhaifei (train nfsp --resume .*)$", outcome.out, re.MULTILINE
    )
    assert found
    advances = load_header(checkpoint_of(out), "training")["advances"]
    steps = load_weights(out).training["steps"]
    said = succeeds(*shlex.split(found[1]), "--steps", steps + 1, "--keep-checkpoint")
    assert "for more steps: " in said
    assert load_header(checkpoint_of(out), "training")["advances"] == advances + 1
    assert load_weights(out).training["steps"] > steps


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reinforce",), "'reinforce' is not one of 'dqn', 'nfsp', 'ppo'"),
        (("ppo", "--steps", "0"), "is not a positive whole number"),
        (("ppo", "--out", "no/such/place.safetensors"), "there is no directory no/such"),
        (("ppo", "--resume", "missing.safetensors"), "there is no checkpoint file missing"),
        (("ppo", "--resume", "missing.safetensors", "--seed", 1), "--seed cannot be combined"),
        (("ppo", "--resume", "missing", "--players", 3), "--players cannot be combined"),
        (("ppo", "--resume", "missing", "--against", "random"), "--against cannot be combined"),
        (("ppo", "--players", 7), "7 is not in the range 2<=x<=6"),
        (("ppo", "--players", 3, "--against", "nobody"), "no player is called 'nobody'"),
        (("nfsp", "--against", "honest"), "--against is for ppo"),
        (("q", "--against", "honest"), "--against is for ppo"),
        (("q", "--players", 3), "--players, --steps and --threads are for dqn, nfsp and ppo"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_line(
    arguments: tuple[object, ...], message: str
) -> None:
    pytest.importorskip("torch")
    outcome = zhaifei("train", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
