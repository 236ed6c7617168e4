"""`zhaifei train q`."""

import numpy as np
import pytest

from game.elimination import Elimination
from game.rules import preset
from policies.catalogue.names import strategy
from policies.play.elimination import play_match
from solver.storage import load_header
from tests.command_line import succeeds, zhaifei


def test_training_says_how_it_went_and_where_the_values_are(tmp_path):
    out = tmp_path / "q.safetensors"
    *_, won, values = succeeds("train", "q", "--matches", 30, "--out", out).splitlines()
    training = load_header(out, "values")["training"]
    assert won == f"won {training['won']} of 30 matches while learning"
    assert values.split() == ["values", str(out)]
    assert training["command"] == "zhaifei train q --matches 30 --seed 0"


def test_the_values_play_as_a_player_of_that_path(tmp_path, places):
    succeeds("train", "q", "--matches", 5)
    rules, random = preset("increment"), np.random.default_rng(1)
    (out,) = places.rglob("q.safetensors")
    player = strategy(str(out), rules, random)
    assert str(player) == str(out)
    assert play_match(Elimination(rules, random), [player] * 4) in range(4)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("q", "--steps", 10), "q takes --matches, --out and --seed only"),
        (("q", "--threads", 1), "q takes --matches, --out and --seed only"),
        (("ppo", "--matches", 10), "--matches is for q; others take --steps"),
    ],
)
def test_options_of_other_learners_are_refused(arguments, says):
    outcome = zhaifei("train", *arguments)
    assert (outcome.code, outcome.err) == (2, f"zhaifei: {says}\n")


def test_a_place_that_cannot_be_written_is_told_before_training(tmp_path):
    outcome = zhaifei("train", "q", "--out", tmp_path / "no" / "q")
    assert outcome.code == 2
    assert "there is no directory" in outcome.err
