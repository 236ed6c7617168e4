"""Advice for several players does not contradict itself: no action beats the one that is advised by
more than both values may be off."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import histories
from zhaifei.game.bids import Bid, challenge_action, domain, legal_bids
from zhaifei.game.hands import Hand, hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import Advice, Source
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.choice import advised_surely
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.players.reading_policy import as_played

_TIE = 1e-6
"""Sums are rounded."""


def agrees(advice: Advice) -> bool:
    first, *others = advice.ranked
    most = first.value + first.value_error
    return all(one.value - one.value_error <= most + _TIE for one in others)


def shipped(players: int) -> Adviser:
    policy, _ = load_known(None, preset("zhaifei", players=players))
    return Adviser(as_played(policy))


def decisions(adviser: Adviser, number: int) -> Iterator[tuple[Hand, tuple[Bid, ...]]]:
    """Yield the decisions of rounds: in one half everybody plays the policy, in the other anybody
    makes any of the lowest bids."""
    rules, random = adviser.rules, np.random.default_rng(adviser.rules.players)
    for round_ in range(number):
        dealt = random.integers(len(hands(rules)), size=rules.players)
        history: tuple[Bid, ...] = ()
        while len(history) < 12:
            own = dealt[len(history) % rules.players]
            yield hands(rules)[own], history
            if round_ % 2 == 0:
                row = adviser.policy.strategy(history)[own]
                action = int(random.choice(row.size, p=row / row.sum()))
                if action >= challenge_action(rules):
                    break
                history = (*history, domain(rules)[action])
            else:
                low = legal_bids(rules, history[-1] if history else None)[:12]
                history = (*history, low[random.integers(len(low))])


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_no_action_beats_the_one_that_a_shipped_policy_advises(players: int) -> None:
    adviser, kinds = shipped(players), []
    for number, (hand, history) in enumerate(decisions(adviser, 20)):
        answers = adviser.refine(hand, history)
        advice = next(answers)
        assert agrees(advice), (hand, history)
        kinds.append(
            "opening" if not history else "read" if advice.ground is Source.READ else "table"
        )
        if number % 10 == 0:
            assert all(map(agrees, islice(answers, 2))), (hand, history)
    assert len(kinds) >= 150
    assert {*kinds} == {"opening", "read", "table"}


def test_an_opening_of_five_players_is_the_best_by_the_values_beside_it() -> None:
    adviser = shipped(5)
    at_once, *others = adviser.refine((3, 4, 5, 6, 6), ())
    assert at_once.ranked[0].value == max(one.value for one in at_once.actions)
    assert all(map(agrees, others))
    of_range = next(adviser.refine_range(()))
    assert all(map(agrees, of_range.hands))
    assert of_range.ground == at_once.ground


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_nor_does_any_in_small_games_and_with_jumps(rules: Rules) -> None:
    adviser, every = Adviser(policy_for(rules)), list(histories(rules))
    for history in every[:: max(1, len(every) // 60)]:
        assert all(map(agrees, adviser.advise_range(history).hands)), history


def test_what_is_surely_worse_is_left_out() -> None:
    played, values = np.array([0.6, 0.3, 0.1, 0.0]), np.array([0.1, 0.2, 0.2, 0.15])
    assert advised_surely(played, values, np.zeros(4)) == pytest.approx([0.0, 0.75, 0.25, 0.0])
    # It loses less than what is left out, but surely: another is advised alone.
    close = np.array([0.195, 0.2, 0.2, 0.15])
    assert advised_surely(played, close, np.zeros(4)).tolist() == [0.0, 1.0, 0.0, 0.0]
    # It may be as good as the others if values are not known better than this.
    assert advised_surely(played, values, np.full(4, 0.06)) == pytest.approx(played)
    illegal = np.array([0.1, np.nan, 0.2, 0.15])
    assert advised_surely(np.array([1.0, 0.0, 0.0, 0.0]), illegal, np.zeros(4)).argmax() == 2
