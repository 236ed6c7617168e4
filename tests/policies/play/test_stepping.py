"""A seat that is played from outside: the match is the one that deciders play among themselves."""

from collections.abc import Sequence

import numpy as np
import pytest

from zhaifei.game.bids import IllegalBid, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import player_named
from zhaifei.policies.play.playing import play_round
from zhaifei.policies.play.stepping import SteppedMatch
from zhaifei.policies.play.table import sit_down
from zhaifei.policies.players.decider import Decider

RULES = [
    preset("zhaifei", players=2),
    preset("zhaifei", players=3, jump_challenge=True),
    preset("southern", players=3),
    preset("knockout", players=3, dice=2),
    preset("published", players=2, dice=2),
]


def sitting(rules: Rules) -> tuple[Match, list[Decider]]:
    name = "random-caller" if rules.bidding.forced_opening else "honest"
    return sit_down([player_named(name, rules)] * rules.players, 7)


def three_rounds(match: Match) -> bool:
    return match.played >= 3


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_is_the_one_that_deciders_play(rules: Rules, seat: int) -> None:
    match, deciders = sitting(rules)
    stepped = SteppedMatch(match, deciders, seat, three_rounds)
    while stepped.view is not None:
        assert stepped.view.seat == seat
        taken = match.round
        assert taken is not None
        stepped.act(taken.taken_as(deciders[seat].decide(stepped.view)))

    other, deciders = sitting(rules)
    rounds: list[Round] = []
    while not (other.is_over or three_rounds(other)):
        rounds.append(other.deal())
        play_round(rounds[-1], deciders)
        other.settle()
    assert match.settled == other.settled
    assert [played.hands for played in stepped.ended] == [one.hands for one in rounds]
    assert [_history(rules, played.bids(rules)) for played in stepped.ended] == [
        _history(rules, one.history) for one in rounds
    ]


def _history(rules: Rules, bids: Sequence[object]) -> list[str]:
    return [*map(str, bids)]


def test_an_illegal_action_changes_nothing() -> None:
    match, deciders = sitting(RULES[0])
    stepped = SteppedMatch(match, deciders, 0, three_rounds)
    before = stepped.view
    with pytest.raises(IllegalBid):
        stepped.act(0)  # 飞1×2 may not open, and is weaker than any bid
    assert stepped.view == before
    assert stepped.ended == []


def test_nothing_follows_the_end() -> None:
    match, deciders = sitting(RULES[0])
    stepped = SteppedMatch(match, deciders, 0, lambda match: match.played >= 1)
    while stepped.view is not None:
        stepped.act(deciders[0].decide(stepped.view))
    assert len(stepped.ended) == 1
    with pytest.raises(ZhaifeiError, match="the match is over"):
        stepped.act(challenge_action(RULES[0]))


def test_a_seat_without_dice_is_not_asked() -> None:
    rules = preset("knockout", players=3, dice=1)
    match = Match(rules, np.random.default_rng(5))
    deciders = [player_named("random", rules).sit(np.random.default_rng(n)) for n in range(3)]
    stepped = SteppedMatch(match, deciders, 0, lambda match: False)
    while (view := stepped.view) is not None:
        assert view.dice
        stepped.act(deciders[0].decide(view))
    assert match.winner is not None
