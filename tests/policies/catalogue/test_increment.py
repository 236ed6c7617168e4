"""The players of `increment`, one decision at a time and match by match."""

from collections import Counter
from math import sqrt

import numpy as np
import pytest

from zhaifei.game.bids import Bid
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.catalogue.increment import NAMES, descriptions, increment_decider
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.increment import (
    CallerBreaker,
    RandomCaller,
    TrueProbabilityCaller,
    response_to_random_callers,
)

FOUR = preset("increment")
SMALL = preset("increment", players=3, dice=2, faces=3)


def seen(rules: Rules, *hands: str, starter: int = 0, bids: str = "") -> View:
    """What the player in turn sees after the bids."""
    state = Round(rules, [tuple(map(int, hand)) for hand in hands], starter)
    for bid in bids.split():
        state.bid(parse_bid(bid))
    return state.view()


def within(found: int, trials: int, probability: float) -> bool:
    """Whether that is less than four standard deviations off."""
    off = abs(found - trials * probability)
    return off < 4 * sqrt(trials * probability * (1 - probability)) + 1e-9


def wins(strategy: Decider, rules: Rules, matches: int, seed: int) -> int:
    """Return the wins in `matches` matches against random callers, in all seats in turn."""
    random = np.random.default_rng(seed)
    won = 0
    for match in range(matches):
        table: list[Decider] = [RandomCaller(random)] * rules.players
        table[match % rules.players] = strategy
        won += play_match(Match(rules, random), table) == match % rules.players
    return won


def test_random_callers_challenge_half_of_all_bids_and_name_all_faces_whatever_they_hold():
    caller = RandomCaller(np.random.default_rng(1))
    now = seen(FOUR, "111111", "222222", "333333", "444444", starter=3, bids="z1x1")
    challenged = sum(caller.challenge_bid(now) for _ in range(2000))
    assert within(challenged, 2000, 0.5)
    named = Counter(caller.make_bid(now) for _ in range(6000))
    assert set(named) == {Bid(Mode.ZHAI, 2, face) for face in range(1, 7)}
    assert all(within(times, 6000, 1 / 6) for times in named.values())


@pytest.mark.parametrize(
    ("hand", "bid", "false"),
    [
        ("33", "z2x3", 0.0),  # it holds them
        ("11", "z2x3", 1 - (1 / 6) ** 2),  # both of the others'
        ("13", "z2x3", (5 / 6) ** 2),  # neither of them
        ("12", "z3x1", 1 - (1 / 6) ** 2),
        ("22", "z3x1", 1.0),  # there are only two more
    ],
)
def test_true_probability_challenges_as_often_as_the_bid_is_false(hand, bid, false):
    rules = preset("increment", players=2, dice=2)
    caller = TrueProbabilityCaller(np.random.default_rng(2))
    earlier = [f"z{count}x6" for count in range(1, int(bid[1]))]
    # The hand is that of whose turn it is.
    hands = ("66", hand) if len(earlier) % 2 == 0 else (hand, "66")
    now = seen(rules, *hands, bids=" ".join([*earlier, bid]))
    assert now.dice == tuple(map(int, hand))
    assert within(sum(caller.challenge_bid(now) for _ in range(2000)), 2000, false)


def test_true_probability_raises_to_the_face_of_which_it_holds_most():
    caller = TrueProbabilityCaller(np.random.default_rng(3))
    opening = seen(FOUR, "112555", "1", "1", "1")
    assert caller.make_bid(opening) == parse_bid("z1x5")
    raising = seen(FOUR, "1", "1", "1", "224446", starter=2, bids="z1x2")
    assert caller.make_bid(raising) == parse_bid("z2x4")


def test_caller_breaker_wins_as_many_matches_as_is_exact():
    matches = 4000
    exact = response_to_random_callers(SMALL).wins
    assert within(wins(CallerBreaker(SMALL), SMALL, matches, seed=4), matches, exact)


def test_caller_breaker_decides_alike_in_every_seat():
    breaker, random = CallerBreaker(SMALL), np.random.default_rng(5)
    decisions = set()
    for _ in range(50):
        hands = ["".join(map(str, random.integers(1, 4, size=2))) for _ in range(3)]
        bids = " ".join(f"z{count}x{random.integers(1, 4)}" for count in range(1, 4))
        alike = {
            (breaker.challenge_bid(now), breaker.make_bid(now))
            for turned in range(3)
            for now in [seen(SMALL, *hands[-turned:], *hands[:-turned], starter=turned, bids=bids)]
        }
        assert len(alike) == 1
        decisions |= {challenges for challenges, _ in alike}
    assert decisions == {True, False}


def test_caller_breaker_takes_a_sure_win():
    # The last caller claims more than there can be.
    breaker = CallerBreaker(SMALL)
    assert breaker.challenge_bid(seen(SMALL, "", "11", "2", bids="z1x1 z2x2 z3x3", starter=2))
    assert not breaker.challenge_bid(seen(SMALL, "", "33", "2", bids="z1x3", starter=2))


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_a_player_that_plays_by_the_rules(name):
    strategy = increment_decider(name, FOUR, np.random.default_rng(6))
    assert str(strategy) == name
    assert name in descriptions()
    random, rounds = np.random.default_rng(7), []
    for seat in range(4):
        table: list[Decider] = [RandomCaller(random)] * 4
        table[seat] = strategy
        play_match(Match(FOUR, random), table, lambda state: rounds.append(state.settlement))
    assert len(rounds) >= 4 * 18
    assert all(outcome.forfeiter is None for outcome in rounds)


@pytest.mark.parametrize("name", ["q-learner", "caller-breaker"])
def test_who_was_made_for_other_rules_says_so(name):
    with pytest.raises(ZhaifeiError, match="increment"):
        increment_decider(name, preset("knockout"), np.random.default_rng())


def test_four_random_callers_are_equal_and_the_shipped_learner_wins_far_more_than_one_of_them():
    matches = 400
    caller = RandomCaller(np.random.default_rng(8))
    assert within(wins(caller, FOUR, matches, seed=9), matches, 1 / 4)
    learner = increment_decider("q-learner", FOUR, np.random.default_rng(10))
    assert wins(learner, FOUR, matches, seed=11) > matches * 0.6
    published = preset("published")
    learner = increment_decider("q-learner", published, np.random.default_rng(12))
    assert wins(learner, published, matches, seed=13) > matches * 0.6
