"""Players who learn: where the table plays, what a round was worth, and at a table."""

from pathlib import Path

import numpy as np
import pytest

from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import random_policy
from zhaifei.game.bids import action_of, challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import parse_history
from zhaifei.game.rounds import Round, count_dice
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player, player_named
from zhaifei.policies.learning.player import Learning, LearningPlayer, learning_player
from zhaifei.policies.measure.learners import play_matches
from zhaifei.policies.play.table import LiveTable, Onlookers, sit_down
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.policies.players.table_policy import TablePolicy, save_policy
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables.recall import FULL

TWO = Rules.of(players=2, dice=2, faces=2)
THREE = VARIANTS[0]
ONE = np.zeros(1, dtype=np.int64)


def learner_of(rules: Rules) -> LearningPlayer:
    return learning_player(random_policy(rules), "learner")


def bids_of(rules: Rules, text: str) -> np.ndarray:
    return np.array([[action_of(rules, bid) for bid in parse_history(rules, text)]])


def test_without_a_departure_the_table_plays() -> None:
    learner = learner_of(TWO)
    learning = Learning(learner, 200)
    learning.budget.account[:] = 0.0
    learning.begin(np.zeros(200, dtype=np.int64), np.zeros(200))
    assert not learning.departs.any()
    hand = np.arange(200) % len(hands(TWO))
    history, uniform = np.zeros((200, 0), dtype=np.int64), np.linspace(0.0, 0.999, 200)
    found = learning.act(np.arange(200), hand, history, uniform)
    assert found.tolist() == learner.policy.plain.draw(hand, history, uniform).tolist()


def test_nobody_departs_before_a_round_with_a_follower() -> None:
    learning = Learning(learner_of(TWO), 2)
    learning.memory.odds[:] = [[1.5], [-0.5]]
    learning.begin(np.zeros(2, dtype=np.int64), np.zeros(2))
    assert learning.departs.tolist() == [False, True]
    assert learning.budget.account[0] == 1.0


def test_a_departing_player_reads_unless_the_other_follows_the_table() -> None:
    learner = learner_of(TWO)
    history = bids_of(TWO, "f3x2")
    every = np.arange(len(hands(TWO)))
    here = history.repeat(every.size, axis=0)
    for odds, trusts in ((-12.0, False), (12.0, True)):
        learning = Learning(learner, every.size)
        learning.memory.odds[:] = odds
        learning.departs[:] = True
        found = learning.act(every, every, here, np.full(every.size, 0.5))
        people = learning.memory.people(every)
        read = learner.reading.among(people).decide_all(here)[every, every]
        plays = learner.policy.plain.draw(every, here, np.full(every.size, 0.5))
        assert found.tolist() == (plays if trusts else read).tolist()


def test_of_three_a_round_is_opened_by_the_policy_until_somebody_surely_is_no_follower() -> None:
    """OPENING_FOLLOWS are odds of 9: they fall below 1 when the odds learned fall to a 9th of
    those at the beginning."""
    learner = learner_of(THREE)
    every = np.arange(len(hands(THREE)))
    history, uniform = np.zeros((every.size, 0), dtype=np.int64), np.zeros(every.size)
    learning = Learning(learner, every.size)
    read = []
    first, usual = learning.memory.odds.copy(), np.log(0.9 / 0.1)
    # Before a round, what programs are worth depends on nothing that was learned.
    usual += learning.memory.people(every).following[0, 0] - first[0, 0]
    for learned in (0.0, 0.01 - usual, -0.01 - usual):
        learning.memory.odds[:] = first
        learning.memory.odds[:, 1] += learned
        people = learning.memory.people(every)
        read.append(bool(learner.reads(history, people, np.zeros(every.size)).all()))
        found = learning.act(every, every, history, uniform)
        if not read[-1]:
            assert found.tolist() == learner.policy.opening.tolist()
    assert read == [False, False, True]


def test_a_round_is_worth_what_all_own_hands_would_have_earned() -> None:
    """Against a plain count: over the own hands, by the probability of the player's actions."""
    learner = learner_of(TWO)
    learning = Learning(learner, 1)
    learning.memory.odds[:] = -12.0
    learning.begin(ONE, np.zeros(1))
    assert learning.departs[0]
    start = np.zeros((1, 0), dtype=np.int64)
    mine = 1
    opening = int(learning.act(ONE, np.array([mine]), start, np.zeros(1))[0])
    read = learner.reading.among(learning.memory.people(ONE)).decide_all(start)[0]
    fits = [hand for hand, action in enumerate(read.tolist()) if action == opening]
    assert mine in fits
    bid, prior = domain(TWO)[opening], probabilities(TWO)
    for other in range(len(hands(TWO))):
        learning.budget.account[:] = 0.0
        history, ends = np.array([[opening]]), np.array([challenge_action(TWO)])
        learning.end(ONE, 0, np.array([[mine, other]]), history, ends)
        won = [
            2.0 * (count_dice(TWO, bid, [hands(TWO)[hand], hands(TWO)[other]]) >= bid.count) - 1.0
            for hand in fits
        ]
        expected = np.average(won, weights=prior[fits])
        assert learning.budget.account[0] == pytest.approx(1.0 + expected)


def test_what_a_round_was_worth_counts_hands_of_the_own_number_of_dice() -> None:
    # The opener has two dice and bids 斋3×2 with 22; the learner has one die and challenges with 2.
    rules = Rules.of(players=2, dice=(2, 1), faces=2)
    learning = Learning(learner_of(rules), 1)
    learning.begin(np.ones(1, dtype=np.int64), np.zeros(1))
    learning._own[:] = [hand != (1,) for hand in hands(rules)]
    learning.budget.account[:] = 0.0
    opener, own = hands(rules).index((2, 2)), hands(rules).index((2,))
    history = np.array([[action_of(rules, bid) for bid in parse_history(rules, "z3x2")]])
    learning.end(ONE, 1, np.array([[opener, own]]), history, np.array([challenge_action(rules)]))
    assert learning.budget.account[0] == 0.0  # the bid is true, and the whole round lost


def test_a_round_that_fits_no_hand_is_worth_the_least() -> None:
    learning = Learning(learner_of(TWO), 1)
    learning.begin(ONE, np.zeros(1))
    learning._own[:] = 0.0
    learning.budget.account[:] = 0.0
    history, ends = bids_of(TWO, "f3x2"), np.array([challenge_action(TWO)])
    learning.end(ONE, 0, np.array([[0, 0]]), history, ends)
    assert learning.budget.account[0] == 0.0


def test_what_the_other_gives_away_is_credited_if_the_account_did_not_allow_a_departure() -> None:
    learner, history = learner_of(TWO), bids_of(TWO, "f3x2")
    learning = Learning(learner, 2)
    learning.memory.odds[:] = [[-1.0], [1.5]]  # only the first wants to depart
    learning.budget.account[:] = 0.0
    learning.begin(np.zeros(2, dtype=np.int64), np.zeros(2))
    assert not learning.departs.any()
    ends, largest = challenge_action(TWO), 0.0
    for hand in range(len(hands(TWO))):
        learning.budget.account[:] = 0.0
        dealt = np.array([[0, hand]] * 2)
        both = history.repeat(2, axis=0)
        learning.end(np.arange(2), 0, dealt, both, np.array([ends] * 2))
        given = learner.gifts.given(1, hand, history[0].tolist(), ends)
        assert learning.budget.account.tolist() == [given, 0.0]
        largest = max(largest, given)
    assert largest > 0.1


def test_three_players_have_no_budget() -> None:
    learning = Learning(learner_of(THREE), 3)
    learning.begin(np.arange(3), np.zeros(3))
    assert learning.departs.all()
    assert learning.budget.account.tolist() == [1.0] * 3


def solved(rules: Rules) -> TablePolicy:
    solver = TreeCFR(rules)
    for _ in range(200):
        solver.advance()
    return TablePolicy(rules, FULL, solver.strategy())


@pytest.mark.parametrize(("players", "matches"), [(2, 60), (3, 200)])
def test_learning_earns_more_than_the_table(players: int, matches: int) -> None:
    """With three dice each: with two, three players hardly gain by it."""
    rules = preset("zhaifei", players=players, dice=3)
    plain = solved(rules)
    other = PolicyPlayer(rule_based("probabilistic", rules), "probabilistic")
    table = PolicyPlayer(plain if players == 2 else ReadingPolicy(plain), "table")
    points, plays = (
        play_matches([player, *[other] * (players - 1)], matches, 30, 0)
        for player in (learning_player(plain, "learner"), table)
    )
    assert points[:, :, 0].sum() < 0.95 * plays[:, :, 0].sum()


def test_equal_arguments_give_equal_matches_and_the_loser_opens() -> None:
    rules = Rules.of(players=3, dice=1, faces=2)
    other = PolicyPlayer(rule_based("honest", rules), "honest")
    asked: list[tuple[int, ...]] = []

    class Seen(Learning):
        def begin(self, place: np.ndarray, uniform: np.ndarray) -> None:
            asked.append(tuple(place.tolist()))
            super().begin(place, uniform)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zhaifei.policies.measure.learners.Learning", Seen)
        one, two = (play_matches([learner_of(rules), other, other], 6, 9, 3) for _ in range(2))
    assert one.tolist() == two.tolist()
    assert one.sum(axis=2).tolist() == [[1] * 9] * 6
    openers = [[(-place) % 3 for place in places] for places in asked[:9]]
    assert openers[0] == [0, 1, 2, 0, 1, 2]
    assert openers[1:] == one[:, :-1].argmax(axis=2).T.tolist()


class Quiet:
    """An Onlooker that remembers the rounds."""

    def __init__(self) -> None:
        self.rounds: list[Round] = []

    def settle(self, round_: Round, score: object) -> None:
        self.rounds.append(round_)

    def begin(self, *event: object) -> None:
        pass

    act = begin


@pytest.mark.parametrize("rules", [TWO, THREE], ids=str)
def test_at_a_table_a_learner_remembers_all_rounds(rules: Rules) -> None:
    learner, other = learner_of(rules), PolicyPlayer(rule_based("honest", rules), "honest")
    match, seats = sit_down([other, learner, *[other] * (rules.players - 2)], seed=5)
    seen = Quiet()
    LiveTable(match, seats, Onlookers([seen])).play(12)
    again = Learning(learner, 1)
    for round_ in seen.rounds:
        order = [(round_.starter + place) % rules.players for place in range(rules.players)]
        dealt = [hands(rules).index(round_.hands[seat]) for seat in order]
        history = [action_of(rules, bid) for bid in round_.history]
        action = np.array([challenge_action(rules)])
        again.remember(ONE, order.index(1), np.array([dealt]), np.array([history]), action)
    remembered = seats[1]._learning.memory  # type: ignore[attr-defined]
    assert np.abs(again.memory.odds).max() > 0.1
    np.testing.assert_allclose(remembered.odds, again.memory.odds)
    for one, two in zip(remembered.people(ONE), again.memory.people(ONE), strict=True):
        np.testing.assert_allclose(one, two)


def test_names_of_learners(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, random_policy(THREE))
    learner = player_named(f"{path}+learn", THREE)
    assert isinstance(learner, LearningPlayer)
    assert str(learner) == f"{path}+learn"
    assert learner.policy.plain.rules == THREE
    with pytest.raises(ZhaifeiError, match="remembers earlier rounds"):
        load_player(f"{path}+learn", THREE)


def test_who_cannot_learn_is_refused() -> None:
    with pytest.raises(ZhaifeiError, match="only policies that remember all bids learn"):
        player_named("honest+learn", TWO)
    with pytest.raises(ZhaifeiError, match="only solved policies learn"):
        player_named("ppo+learn", preset("zhaifei"))
    with pytest.raises(ZhaifeiError, match="doubled"):
        learning_player(policy_for(VARIANTS[3]).plain, "learner")
