"""The tabular Q-learner: what it goes by, and updates worked out by hand."""

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import RulesError
from zhaifei.game.rounds import Round
from zhaifei.game.rules import preset
from zhaifei.policies.play.playing import take_turn
from zhaifei.policies.players.decider import TwoStepDecider
from zhaifei.policies.players.q_player import (
    CHALLENGE,
    RAISE,
    QPlayer,
    initial_values,
    load_values,
    save_values,
    state_of,
)
from zhaifei.policies.research.q_learner import QLearner, QLearningSettings
from zhaifei.policies.research.q_learning import new_q_run, resume_q_run
from zhaifei.policies.training.run import train
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.solver.files.storage import StorageError, load, load_header, save

RULES = preset("increment", players=3, dice=2)
EXACT = QLearningSettings(explores=0.0)


class Caller(TwoStepDecider):
    """Raises, always to sixes, until the count is as given."""

    def __init__(self, until: int) -> None:
        self.until = until

    def challenge_bid(self, seen):
        return len(seen.history) >= self.until

    def make_bid(self, seen):
        return seen.legal_bids[-1]


class Sixes(QLearner):
    """Names sixes, so that rounds can be worked out."""

    def make_bid(self, seen):
        return seen.legal_bids[-1]


def learner(settings=EXACT) -> Sixes:
    return Sixes(initial_values(RULES), np.random.default_rng(0), settings, seat=0)


def play(player: QLearner, *hands: str, starter: int, until: int = 99) -> Round:
    """A round against callers that raise to sixes."""
    state = Round(RULES, [tuple(map(int, hand)) for hand in hands], starter)
    table = [player, Caller(until), Caller(until)]
    while state.settlement is None:
        take_turn(state, table[state.turn])
    player.on_round(state)
    return state


# what it goes by


@pytest.mark.parametrize(
    ("hand", "bid", "bucket"),
    [
        ("66", "z1x6", 19),  # certain
        ("16", "z1x6", 19),
        ("11", "z1x6", 10),  # one of four: 1 - (5/6)^4 = 0.518
        ("16", "z2x6", 10),
        ("11", "z2x6", 2),  # two of four: 0.132
    ],
)
def test_a_state_is_the_dice_on_the_table_the_own_ones_and_a_twentieth(hand, bid, bucket):
    state = Round(RULES, [tuple(map(int, hand)), (1, 1), (2, 2)], 0)
    before = int(bid[1]) - 1
    state.starter = (-1 - before) % 3
    state = Round(RULES, state.hands, state.starter)
    for count in range(1, before + 1):
        state.bid(parse_bid(f"z{count}x1"))
    state.bid(parse_bid(bid))
    assert state.turn == 0
    assert state_of(state.view()) == (6, 2, bucket)


def test_it_plays_the_action_of_more_value_and_tosses_a_coin_between_equals():
    values = initial_values(RULES)
    player = QPlayer(values, np.random.default_rng(1))
    state = Round(RULES, [(1, 1), (1, 1), (2, 2)], 2)
    state.bid(parse_bid("z1x6"))
    now = state.view()
    assert 0 < sum(player.challenge_bid(now) for _ in range(64)) < 64
    for action in (RAISE, CHALLENGE):
        values[6, 2, 10] = 0.0
        values[6, 2, 10, action] = 1e-9
        assert {player.challenge_bid(now) for _ in range(64)} == {action == CHALLENGE}


# what it learns


def test_a_die_that_another_loses_is_worth_1_and_an_own_one_costs_1():
    player = learner()
    player.values[:, :, :, CHALLENGE] = 1.0  # it challenges at once
    # Seat 2 bids one six, of which there is none: seat 2 loses a die.
    state = play(player, "11", "22", "33", starter=2)
    assert state.settlement.loser == 2
    assert player.values[6, 2, 10, CHALLENGE] == 1.0  # not known yet what will come of it
    # Now there is one: the challenge costs a die. At the decision before it what came of the
    # first one is known: 1 at once, and 1 expected from here on.
    state = play(player, "11", "22", "6", starter=2)
    assert state.settlement.loser == 0
    assert player.values[6, 2, 10, CHALLENGE] == pytest.approx(1 + 0.1 * (1 + 0.9 * 1.0 - 1))
    # Seat 2 again; the decision before cost a die, and the new state (4 dice, 1 own) has value 1.
    before = player.values[5, 2, 8, CHALLENGE]
    assert before == 1.0  # 1 - (5/6)^3 = 0.42
    play(player, "1", "22", "6", starter=2)
    assert player.values[5, 2, 8, CHALLENGE] == pytest.approx(1 + 0.1 * (-1 + 0.9 * 1.0 - 1))


def test_rounds_without_a_decision_count_for_the_last_one():
    player = learner()
    player.values[:, :, :, RAISE] = 2.0  # it raises
    # It raises 1x6 to 2x6; seat 1 challenges (until=2): nobody has a six, so the learner loses.
    play(player, "11", "22", "33", starter=2, until=2)
    # Seat 1 opens, seat 2 challenges: seat 1 loses a die, and the learner was not asked.
    play(player, "1", "22", "33", starter=1, until=1)
    assert player.values[6, 2, 10, RAISE] == 2.0
    # -1 and 1, then a state of value 2.
    play(player, "1", "2", "33", starter=2, until=2)
    assert player.values[6, 2, 10, RAISE] == pytest.approx(2 + 0.1 * (0 + 0.9 * 2 - 2))


def test_the_round_that_loses_the_match_costs_10_and_nothing_follows():
    player = learner()
    player.values[:, :, :, CHALLENGE] = 1.0
    play(player, "1", "66", "6", starter=2)  # it challenges a true bid with its last die
    # One of three dice: 0.42.
    assert player.values[4, 1, 8, CHALLENGE] == pytest.approx(1 + 0.1 * (-10 - 1))
    # Others play on; the next match begins without anything remembered.
    changed = player.values.copy()
    state = Round(RULES, [(), (6, 6), (6,)], 1)
    state.bid(parse_bid("z1x6"))
    state.challenge()
    player.on_round(state)
    play(player, "11", "22", "33", starter=2)
    np.testing.assert_array_equal(player.values, changed)


def test_the_round_that_wins_the_match_is_worth_10():
    player = learner()
    player.values[:, :, :, CHALLENGE] = 1.0
    play(player, "11", "", "3", starter=2)  # seat 2 bids a six that is not there, with one die
    assert player.values[3, 2, 3, CHALLENGE] == pytest.approx(1 + 0.1 * (10 - 1))


def test_a_player_that_goes_out_while_two_are_left_is_worth_1():
    player = learner()
    player.values[:, :, :, CHALLENGE] = 1.0
    play(player, "11", "22", "3", starter=2)
    play(player, "11", "22", "", starter=1)
    # Three of the others': 0.42; then two of two: seat 1 lost one more.
    assert player.values[5, 2, 8, CHALLENGE] == pytest.approx(1 + 0.1 * (1 + 0.9 * 1 - 1))


def test_one_decision_in_ten_is_drawn_while_it_learns():
    player = learner(QLearningSettings(alpha=0.0))
    player.values[:, :, :, CHALLENGE] = 1.0
    state = Round(RULES, [(1, 1), (2, 2), (3, 3)], 2)
    state.bid(parse_bid("z1x6"))
    raised = sum(not player.challenge_bid(state.view()) for _ in range(4000))
    assert abs(raised - 200) < 4 * np.sqrt(4000 * 0.05 * 0.95)  # half of what is drawn


def taught(out, matches, seed=3):
    return train(new_q_run(matches=matches, seed=seed), out, keep_checkpoint=True)


def test_the_same_seed_learns_the_same(tmp_path):
    rules, found = preset("increment"), []
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        out = tmp_path / f"{name}.safetensors"
        assert taught(out, 20, seed).progress.done == 20
        found.append(load_values(out, rules))
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
    command = load_header(out, "values")["training"]["command"]
    assert command == "zhaifei train q --matches 20 --seed 4"


def test_it_wins_more_than_one_of_four_equal_players_as_it_learns():
    matches = 600
    run = new_q_run(matches=matches, seed=5)
    while run.done < matches:
        run.advance()
    assert run.counts.won > matches / 4 + 4 * np.sqrt(matches * 1 / 4 * 3 / 4)


# runs


def without_seconds(path):
    header, arrays = load(path, "values")
    header["training"].pop("seconds")
    return header, arrays["values"].tobytes()


def test_a_resumed_run_ends_like_one_that_never_stopped(tmp_path):
    """Bit for bit, wherever it stopped."""
    whole, pieces = tmp_path / "whole.safetensors", tmp_path / "pieces.safetensors"
    taught(whole, 45)
    taught(pieces, 7)
    for matches in (8, 25, 45):
        run = resume_q_run(checkpoint_path(pieces), matches)
        assert train(run, pieces, keep_checkpoint=True).finished
    assert without_seconds(pieces) == without_seconds(whole)


def test_a_run_that_stops_early_says_what_it_did(tmp_path):
    out = tmp_path / "q.safetensors"
    result = train(new_q_run(matches=10**6, seed=2), out, time_limit=0.0)
    assert not result.finished
    done = result.progress.done
    assert 0 < done < 10**6
    training = load_header(out, "values")["training"]
    assert (training["matches"], training["command"]) == (
        done,
        f"zhaifei train q --matches {done} --seed 2",
    )
    resumed = resume_q_run(result.checkpoint)
    assert (resumed.done, resumed.goal, resumed.won) == (done, 10**6, training["won"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"algorithm": "ppo"}, "is a run of ppo, not of q"),
        ({"rules": preset("zhaifei").to_dict()}, "does not describe a run"),
        ({"random": {"bit_generator": "MT19937"}}, "does not describe a run"),
        ({"won": None}, "does not describe a run"),
        ({"won": 10**6}, "does not describe a run"),
        ({"done": "7"}, "does not describe a run"),
        ({"random": {**new_q_run().random.bit_generator.state, "has_uint32": 2}}, "has_uint32"),
        ({"random": {**new_q_run().random.bit_generator.state, "state": {"inc": 1}}}, "'state'"),
        ({"seconds": -1}, "does not describe a run"),
        ({"rules": RULES.to_dict()}, "does not describe a run: values is float64"),
    ],
)
def test_what_describes_no_run_is_refused(tmp_path, change, says):
    path, run = tmp_path / "checkpoint", new_q_run(matches=5)
    run.save_checkpoint(path)
    header = {**load_header(path, "training"), **change}
    header = {name: value for name, value in header.items() if value is not None}
    save(path, "training", header, {"values": run.values})
    with pytest.raises(StorageError, match=says):
        resume_q_run(path)


# files


def test_values_come_back_as_they_were(tmp_path):
    path, values = tmp_path / "q", np.random.default_rng(6).normal(size=initial_values(RULES).shape)
    save_values(path, RULES, values, {"seed": 6})
    np.testing.assert_array_equal(load_values(path, RULES), values.astype(np.float32))


def test_values_for_other_rules_are_refused(tmp_path):
    path = tmp_path / "q"
    save_values(path, RULES, initial_values(RULES), {})
    with pytest.raises(ZhaifeiError, match=r"only increment: 3 players.*asked for increment: 4"):
        load_values(path, preset("increment"))


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ({}, initial_values(RULES)),
        ({"rules": {"players": 3}}, initial_values(RULES)),
        ({"rules": RULES.to_dict()}, np.zeros((3, 2))),
        ({"rules": RULES.to_dict()}, initial_values(RULES) * np.nan),
    ],
)
def test_what_describes_no_q_learner_is_refused(tmp_path, header, values):
    path = tmp_path / "q"
    save(path, "values", header, {"values": values})
    with pytest.raises(StorageError, match="does not describe a Q-learner"):
        load_values(path, RULES)


def test_a_q_learner_names_the_face_it_holds_most_of_on_half_of_its_raises():
    """On the other half it names any face: that one too, once in six."""
    player = QPlayer(initial_values(RULES), np.random.default_rng(1))
    view = Round(RULES, [(4, 4), (1, 1), (2, 2)], 0).view()
    trials, named = 6000, [0] * 7
    for _ in range(trials):
        named[player.make_bid(view).face] += 1
    for face in range(1, 7):
        chance = 1 / 2 * (face == 4) + 1 / 2 / 6
        assert abs(named[face] - trials * chance) < 4 * np.sqrt(trials * chance * (1 - chance))


@pytest.mark.parametrize("name", ["zhaifei", "knockout"])
def test_other_rules_have_initial_values(name):
    with pytest.raises(RulesError, match="only `increment`"):
        initial_values(preset(name))
