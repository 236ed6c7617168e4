"""The learner as published: what it sees, steps and updates worked out by hand, a plain twin that
goes through a match turn by turn, and runs."""

from math import comb

import numpy as np
import pytest

from zhaifei.game.bids import Bid
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import preset
from zhaifei.game.views import SeatBid
from zhaifei.policies.catalogue.increment import PUBLISHED_Q_VALUES
from zhaifei.policies.play.playing import play_match, play_round
from zhaifei.policies.players.increment import RandomCaller
from zhaifei.policies.players.q_player import (
    CHALLENGE,
    RAISE,
    PublishedPlayer,
    QPlayer,
    initial_values,
    load_values,
    published_state,
    q_player,
)
from zhaifei.policies.research.published_learner import PublishedLearner
from zhaifei.policies.research.q_learner import QLearningSettings
from zhaifei.policies.research.q_learning import new_q_run, resume_q_run
from zhaifei.policies.training.run import train
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.solver.files.storage import load, load_header

RULES = preset("published", players=3, dice=2)
EXACT = QLearningSettings(explores=0.0)


def deal(*hands: str, starter: int) -> Round:
    return Round(RULES, [tuple(map(int, hand)) for hand in hands], starter)


def learner(settings: QLearningSettings = EXACT) -> PublishedLearner:
    return PublishedLearner(initial_values(RULES), np.random.default_rng(0), settings, seat=0)


# what it sees


@pytest.mark.parametrize(
    ("missing", "own", "table", "bucket"),
    [
        (0, 2, 6, 20),  # certain
        (-1, 2, 6, 20),
        (1, 2, 6, 10),  # one of four: 1 - (5/6)^4 = 0.518
        (2, 2, 6, 2),  # two of four: 0.132
        (1, 2, 3, 3),  # the one other die: 0.167
        (2, 2, 3, 3),  # two of one die: taken to be one
        (9, 2, 3, 3),
    ],
)
def test_a_bid_is_as_likely_as_one_that_needs_all_other_dice_at_most(missing, own, table, bucket):
    assert published_state(RULES, missing, own, table) == (table, own, bucket)


def test_its_own_count_is_of_the_bid_that_it_answered_last_or_else_of_the_first():
    player = PublishedPlayer(initial_values(RULES), np.random.default_rng(0))
    made = [
        SeatBid(seat, Bid(Mode.ZHAI, 2 + place, face))
        for place, (seat, face) in enumerate([(1, 3), (2, 4), (0, 5), (1, 6), (2, 1), (0, 2)])
    ]
    counted = [player.face_counted(made[: end + 1], 0) for end in range(6)]
    assert counted == [3, 3, 4, 4, 4, 1]
    # Before it answers a bid it has not counted its dice of that bid's face.
    state = deal("44", "33", "2", starter=1)
    state.bid(parse_bid("z4x4"))
    assert state.turn == 0
    assert player.state(state.view()) == published_state(RULES, 4 - 0, 2, 5)


# what it learns


def test_a_challenge_is_two_steps_and_is_learned_when_the_match_is_over():
    player = learner()
    values = player.values
    first = deal("66", "", "5", starter=2)  # 斋2×5, of which there is one: seat 2 loses its die
    first.challenge()
    values[3, 2, 3] = (0.5, 1.0)  # a five more is in the bucket of 1/6
    player.on_round(first)
    # One step leads to that state, from nowhere; the other is the end of the match, won.
    assert values[3, 2, 3, CHALLENGE] == pytest.approx(1.0 + 0.1 * (10 - 1.0))
    assert values[3, 2, 3, RAISE] == 0.5


def test_steps_of_others_count_as_raises_and_lead_from_round_to_round():
    player = learner()
    values = player.values
    one = deal("66", "11", "1", starter=1)
    one.bid(parse_bid("z4x1"))  # by seat 2, after 斋3×1; the learner answers, the last of it:
    one.challenge()  # there are three ones, so seat 2 is out
    assert one.settlement.loser == 2
    # Raised: four ones, of which it has counted none, of three other dice: all three, 1/216.
    # It challenges, and the die goes.
    two = deal("66", "11", "", starter=0)  # 斋3×6, and seat 1 challenges: seat 0 loses
    two.challenge()
    three = deal("6", "11", "", starter=0)  # 斋2×6: seat 0 is out
    three.challenge()
    for state in (one, two):
        player.on_round(state)
    assert not values.any()  # the match goes on
    player.on_round(three)
    # In order: (5,2,0) -> itself, for a challenge, of value 0; -> (4,2,0) with reward 1.
    # Then 斋3×6, two sixes held, one of two others: 11/36, bucket 6. (4,2,0) -> (4,2,6), for a
    # raise, value 0; -> (3,1,6), -1; then 斋2×6, one held, one of two: (3,1,6) -> itself, 0;
    # -> out, -10.
    expected = initial_values(RULES)
    expected[5, 2, 0, CHALLENGE] = 0.1
    expected[4, 2, 6, RAISE] = -0.1
    expected[3, 1, 6, RAISE] = -1.0
    np.testing.assert_allclose(values, expected)


class Twin:
    """Goes through the rounds of a match turn by turn, as the program does. It keeps a held count
    that is renewed on the learner's turn and a list of states and actions, and makes updates at the
    end."""

    def __init__(self, values, faces):
        self.values, self.faces, self.rows = values, faces, []

    def bucket(self, total, own, count, held):
        others = total - own
        if count <= held:
            return 20
        least = min(count - held, others)
        ways = sum(
            comb(others, k) * (self.faces - 1) ** (others - k) for k in range(least, others + 1)
        )
        return 20 * ways // self.faces**others

    def round(self, hands, bids, loser):
        """`bids` has (seat, count, face), and last who challenges."""
        total, own = sum(map(len, hands)), len(hands[0])
        *bids, challenger = bids
        (_, count, face), *raises = bids
        held = hands[0].count(face)
        state = (total, own, self.bucket(total, own, count, held))
        for seat, higher, other in raises:
            if seat == 0:
                held = hands[0].count(face)
            count, face = higher, other
            state = (total, own, self.bucket(total, own, count, held))
            self.rows.append((state, RAISE, 0))
        action = RAISE
        if challenger == 0:
            held, action = hands[0].count(face), CHALLENGE
            state = (total, own, self.bucket(total, own, count, held))
        self.rows.append((state, action, 0))
        state = (total - 1, own - (loser == 0), self.bucket(total, own, count, held))
        reward = 10 if (own == 1 and loser == 0) or (total - 1 == own and loser) else 1
        reward *= -1 if loser == 0 else 1
        self.rows.append((state, action, reward))
        if abs(reward) == 10:
            for (before, _, _), (after, action, reward) in zip(
                self.rows[:-1], self.rows[1:], strict=True
            ):
                place = (*before, action)
                best = max(self.values[after])
                self.values[place] = 0.9 * self.values[place] + 0.1 * (reward + 0.9 * best)
            self.rows = []


def test_it_learns_what_a_twin_learns_that_goes_through_the_match_turn_by_turn():
    rules, random = preset("published", players=3, dice=3), np.random.default_rng(2)
    player = PublishedLearner(initial_values(rules), random, QLearningSettings(), seat=0)
    twin = Twin(initial_values(rules), rules.faces)

    def on_round(ended):
        player.on_round(ended)
        if ended.dice[0]:
            bids = [(ended.bidder(at), bid.count, bid.face) for at, bid in enumerate(ended.history)]
            settled = ended.settlement.challenge
            twin.round(ended.hands, [*bids, settled.challenger], ended.settlement.loser)

    for _ in range(150):
        play_match(Match(rules, random), [player, *[RandomCaller(random)] * 2], on_round)
    assert np.count_nonzero(player.values) > 100
    np.testing.assert_allclose(player.values, twin.values, atol=1e-12)


def test_one_decision_in_ten_is_drawn_while_it_learns():
    player = learner(QLearningSettings(alpha=0.0))
    player.values[:, :, :, CHALLENGE] = 1.0
    view = deal("11", "22", "33", starter=2).view()
    raised = sum(not player.challenge_bid(view) for _ in range(4000))
    assert abs(raised - 200) < 4 * np.sqrt(4000 * 0.05 * 0.95)  # half of what is drawn


def test_it_bluffs_on_half_of_its_raises():
    view = deal("44", "22", "33", starter=2).view()
    player, trials = learner(), 6000
    most = sum(player.make_bid(view).face == 4 for _ in range(trials))
    chance = 1 / 2 + 1 / 2 / 6
    assert abs(most - trials * chance) < 4 * np.sqrt(trials * chance * (1 - chance))


# runs and files


def test_a_run_says_that_it_learns_as_published_and_in_which_rules(tmp_path):
    out = tmp_path / "q.safetensors"
    train(new_q_run(matches=20, seed=3, rules=preset("published")), out)
    header = load_header(out, "values")
    assert header["rules"] == preset("published").to_dict()
    assert header["training"]["command"] == ("zhaifei train q --as-published --matches 20 --seed 3")
    player = q_player(out, preset("published"), np.random.default_rng(0), "it")
    assert isinstance(player, PublishedPlayer)
    train(new_q_run(matches=5, seed=3), out)
    player = q_player(out, preset("increment"), np.random.default_rng(0), "it")
    assert type(player) is QPlayer


def test_a_resumed_run_ends_like_one_that_never_stopped(tmp_path):
    """Bit for bit, wherever it stopped."""
    whole, pieces = tmp_path / "whole.safetensors", tmp_path / "pieces.safetensors"
    rules = preset("published")
    train(new_q_run(matches=45, seed=3, rules=rules), whole)
    train(new_q_run(matches=7, seed=3, rules=rules), pieces, keep_checkpoint=True)
    for matches in (8, 25, 45):
        run = resume_q_run(checkpoint_path(pieces), matches)
        assert run.rules == rules
        assert train(run, pieces, keep_checkpoint=True).finished
    (one, found), (other, expected) = load(pieces, "values"), load(whole, "values")
    for header in (one, other):
        header["training"].pop("seconds")
    assert one == other
    assert found["values"].tobytes() == expected["values"].tobytes()


def test_it_wins_more_than_one_of_four_equal_players_as_it_learns():
    matches = 600
    run = new_q_run(matches=matches, seed=5, rules=preset("published"))
    while run.done < matches:
        run.advance()
    assert run.counts.won > matches / 4 + 4 * np.sqrt(matches * 1 / 4 * 3 / 4)


def test_the_shipped_values_say_how_they_were_learned_and_won_as_often_as_published():
    """Of twenty seeds each won between 60% and 64%."""
    training = load_header(PUBLISHED_Q_VALUES, "values")["training"]
    assert training["command"] == "zhaifei train q --as-published --matches 5000 --seed 0"
    assert 0.60 < training["won"] / training["matches"] < 0.64
    assert load_values(PUBLISHED_Q_VALUES, preset("published")).any()


def test_a_match_of_learned_players_ends():
    """They have learned from random callers, who challenge soon: with few dice left some raise for
    ever, and without a last count a round would not end."""
    rules, random = preset("published"), np.random.default_rng(4)
    player = q_player(PUBLISHED_Q_VALUES, rules, random, "q-learner")
    match, longest = Match(rules, random), 0
    while match.winner is None:
        state = match.deal()
        assert play_round(state, [player] * 4) == state.settlement
        longest = max(longest, state.history[-1].count)
        match.settle()
    assert longest == 99
