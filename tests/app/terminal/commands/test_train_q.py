"""`zhaifei train q`."""

import signal

import numpy as np
import pytest

from tests.command_line import NO_CHECKPOINT, Running, succeeds, zhaifei
from zhaifei.game.match import Match
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.names import load_decider
from zhaifei.policies.play.playing import play_match
from zhaifei.solver.files.storage import load_header


def test_training_says_how_it_went_and_where_the_values_are(tmp_path):
    out = tmp_path / "q.safetensors"
    learn = ("train", "q", "--matches", 30, "--out", out)
    *_, won, values, _, more = succeeds(*learn, "--keep-checkpoint").splitlines()
    training = load_header(out, "values")["training"]
    assert won == f"won {training['won']} of 30 matches while learning"
    assert values.split() == ["values", str(out)]
    assert training["command"] == "zhaifei train q --matches 30 --seed 0"
    checkpoint = tmp_path / "q.checkpoint.safetensors"
    assert more == f"for more matches: zhaifei train q --resume {checkpoint} --matches N"
    assert checkpoint.exists()
    *_, values, more = succeeds(*learn).splitlines()
    assert values.split() == ["values", str(out)]
    assert more == NO_CHECKPOINT
    assert [*tmp_path.iterdir()] == [out]


def test_ctrl_c_saves_and_resume_goes_on(tmp_path):
    out, checkpoint = tmp_path / "q.safetensors", tmp_path / "q.checkpoint.safetensors"
    options = ("--matches", "1e9", "--checkpoint-every", "0.1s", "--out", out)
    with Running("train", "q", *options) as running:
        running.wait_until(checkpoint.exists)
        outcome = running.send(signal.SIGINT)
    assert (outcome.code, outcome.err) == (0, "")
    assert "stopped early, after " in outcome.out
    assert f"for the rest: zhaifei train q --resume {checkpoint}" in outcome.out
    done = load_header(out, "values")["training"]["matches"]
    succeeds("train", "q", "--resume", checkpoint, "--matches", done + 15)
    assert load_header(out, "values")["training"]["matches"] == done + 15


def test_the_values_play_as_a_player_of_that_path(tmp_path, places):
    succeeds("train", "q", "--matches", 5)
    rules, random = preset("increment"), np.random.default_rng(1)
    (out,) = places.rglob("q.safetensors")
    player = load_decider(str(out), rules, random)
    assert str(player) == str(out)
    assert play_match(Match(rules, random), [player] * 4) in range(4)


def test_the_published_learner_is_taught_in_published_and_plays_there(tmp_path):
    out, checkpoint = tmp_path / "q.safetensors", tmp_path / "q.checkpoint.safetensors"
    learn = ("train", "q", "--as-published", "--matches", 30, "--out", out)
    printed = succeeds(*learn, "--keep-checkpoint")
    header = load_header(out, "values")
    assert header["rules"] == preset("published").to_dict()
    assert header["training"]["command"] == "zhaifei train q --as-published --matches 30 --seed 0"
    assert f"zhaifei train q --resume {checkpoint} --matches N" in printed
    succeeds("train", "q", "--resume", checkpoint, "--matches", 45)
    assert load_header(out, "values")["training"] | {"won": 0, "seconds": 0} == {
        "command": "zhaifei train q --as-published --matches 45 --seed 0",
        "seed": 0,
        "matches": 45,
        "won": 0,
        "seconds": 0,
    }
    heading, *_ = succeeds(
        "arena", out, "random-caller", "--rules", "published", "--rounds", 4
    ).splitlines()
    assert heading.startswith("published: 4 players, 6 dice of 6 faces each")
    outcome = zhaifei("arena", out, "random-caller", "--rules", "increment")
    assert outcome.code == 2
    assert "plays only published: 4 players, 6 dice of 6 faces each" in outcome.err


def test_by_default_the_published_learner_is_written_to_a_file_of_its_own(places):
    succeeds("train", "q", "--as-published", "--matches", 5)
    succeeds("train", "q", "--matches", 5)
    written = {path.name for path in places.rglob("q*.safetensors")}
    assert written == {"q.safetensors", "q-as-published.safetensors"}


OTHERS = "--players, --steps and --threads are for dqn, nfsp and ppo; q takes --matches"
RESUMED = "--seed cannot be combined with --resume: the checkpoint sets it"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("q", "--steps", 10),
            OTHERS,
        ),
        (
            ("q", "--threads", 1),
            OTHERS,
        ),
        (
            ("q", "--resume", "x", "--seed", 1),
            "--seed cannot be combined with --resume: the checkpoint sets it",
        ),
        (("ppo", "--matches", 10), "--matches is for q; others take --steps"),
        (("ppo", "--as-published"), "--as-published is for q"),
        (
            ("q", "--resume", "x", "--as-published"),
            "--as-published cannot be combined with --resume: the checkpoint sets it",
        ),
    ],
)
def test_options_of_other_learners_are_refused(arguments, says):
    outcome = zhaifei("train", *arguments)
    assert (outcome.code, outcome.err) == (2, f"zhaifei: {says}\n")


def test_a_place_that_cannot_be_written_is_told_before_training(tmp_path):
    outcome = zhaifei("train", "q", "--out", tmp_path / "no" / "q")
    assert outcome.code == 2
    assert "there is no directory" in outcome.err
