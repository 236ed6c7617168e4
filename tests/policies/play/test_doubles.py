"""劈, 反劈 and 认输 among players: simulated rounds, records, and rules that answer a double."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from zhaifei.game.bids import (
    action_count,
    action_of,
    domain,
    gives_up_action,
    legal_bids,
    mover_after,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_actions, parse_history
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View, view_of
from zhaifei.policies.play.played import UNNAMED, PlayedMatch, played_round
from zhaifei.policies.play.playing import play_round
from zhaifei.policies.play.record_text import CHINESE, ENGLISH, Words, format_rounds, parse_rounds
from zhaifei.policies.play.simulation import play_dealt
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy, gives_up_on, rule_based
from zhaifei.policies.players.rule_based_decider import rule_based_decider

SMALL = preset("zhaifei", dice=2, faces=3, house=["doubles=2-4"])
HALF = preset("zhaifei", dice=2, faces=3, house=["doubles=2-4-8", "giving-up=half"])
SHOWN = preset("zhaifei", dice=1, faces=3, house=["doubles=3", "giving-up=forbidden"])
THREE = preset("basic", players=3, dice=1, faces=3, house=["doubles=2-4"])
FOUR = preset("basic", players=4, dice=1, faces=3, house=["doubles=2-4-8", "giving-up=half"])
EACH = pytest.mark.parametrize("rules", [SMALL, HALF, SHOWN, THREE, FOUR], ids=str)
FULL = Rules.of(doubled=(2, 4))


class Remembered:
    """A RandomPolicy that keeps what it did, by history."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.policy = rules, RandomPolicy(rules)
        self.done: dict[tuple[int, ...], list[int]] = {}

    def act(self, hand, history, uniform):  # type: ignore[no-untyped-def]
        action = self.policy.act(hand, history, uniform)
        for said, one in zip(history.tolist(), action.tolist(), strict=True):
            self.done.setdefault(tuple(said), []).append(one)
        return action


@EACH
def test_simulated_rounds_end_as_rounds_do(rules: Rules) -> None:
    player, players = Remembered(rules), rules.players
    dealt = np.array([*product(range(len(hands(rules))), repeat=players)] * 20)
    ended = play_dealt([player] * players, rules, dealt, np.random.default_rng(1))
    said = {action for done in player.done.values() for action in done}
    assert said >= {*range(len(domain(rules)), action_count(rules))}
    seen = set()
    for number in range(len(dealt)):
        loser, cost = int(ended.loser[number]), int(ended.cost[number])
        seen.add(cost)
        points = [cost * (seat == loser) for seat in range(players)]
        assert ended.points[number].tolist() == points
        assert ended.challenger[number] == (ended.bidder[number] + 1) % players
    assert seen >= {1, *rules.stakes.doubled}


@EACH
def test_a_round_played_at_once_is_the_round_played_by_itself(rules: Rules) -> None:
    policy, random = RandomPolicy(rules), np.random.default_rng(7)
    dealt = np.array([*product(range(len(hands(rules))), repeat=rules.players)] * 10)
    for one in dealt:
        uniform = np.random.default_rng(random.integers(2**32))
        twin = np.random.default_rng(0)
        twin.bit_generator.state = uniform.bit_generator.state
        ended = play_dealt([policy] * rules.players, rules, one[np.newaxis], uniform)
        round_, history = Round(rules, [hands(rules)[place] for place in one]), []
        while not round_.is_over:
            drawn = twin.random(1)
            hand = one[round_.turn : round_.turn + 1]
            action = int(policy.act(hand, np.array([history], dtype=np.int64), drawn)[0])
            round_.take(action)
            history.append(action)
        settled = round_.settlement
        assert settled is not None
        assert settled.challenge is not None
        assert (settled.loser, settled.cost) == (ended.loser[0], ended.cost[0])
        assert settled.challenge.bidder == ended.bidder[0]
        assert settled.challenge.challenger == ended.challenger[0]
        assert settled.bid_was_true == ended.true[0]
        assert ended.bids[0] == len(round_.history)


@pytest.mark.parametrize(
    ("said", "likely", "gives_up"),
    [
        ("f4x6 劈", [0.1, 0.24, 0.26, 0.9], [True, True, False, False]),  # the bidder shows
        ("f4x6 劈 反劈", [0.1, 0.62, 0.63, 0.9], [False, False, True, True]),  # who doubts it
        ("f4x6", [0.1, 0.9], [False, False]),
    ],
)
def test_rules_give_up_where_showing_is_expected_to_cost_more(
    said: str, likely: list[float], gives_up: list[bool]
) -> None:
    last = parse_history(FULL, said)[-1]
    assert gives_up_on(FULL, last, np.array(likely)).tolist() == gives_up


@pytest.mark.parametrize("name", NAMES)
@EACH
def test_rule_based_players_answer_every_double_legally(name: str, rules: Rules) -> None:
    decider = rule_based_decider(name, np.random.default_rng(2))
    table = rule_based(name, rules)
    openings = [bid for bid in legal_bids(rules, None) if not bid.doubled][:6]
    levels = range(1, len(rules.stakes.doubled) + 1)
    for first, level in product(openings, levels):
        history = [replace(first, doubled=doubled) for doubled in range(level + 1)]
        played = table.strategy(history)
        for place, hand in enumerate(hands(rules)):
            mover = mover_after(rules, history)
            view = view_of(rules, mover, hand, 0, tuple(history))
            round_ = Round(rules, [hand] * rules.players, history=tuple(history))
            action = decider.decide(view) if view.legal_bids or view.can_give_up else None
            if action is not None:
                round_.take(action)
            if action is not None and name != "random":
                assert played[place, action] == 1.0


@pytest.mark.parametrize("rules", [SMALL, HALF, THREE], ids=str)
def test_the_reader_plays_rounds_to_their_end_and_answers_doubles(rules: Rules) -> None:
    reader, random = PolicyPlayer(Reader(rules)), RandomPolicy(rules)
    dealt = np.array([*product(range(len(hands(rules))), repeat=rules.players)] * 10)
    for own in range(rules.players):
        seats = [reader if seat == own else random for seat in range(rules.players)]
        ended = play_dealt(seats, rules, dealt, np.random.default_rng(1))
        assert ended.cost.max() > 1


class Doubles:
    """A file's strategy that doubles what it can and gives up otherwise."""

    def decide(self, view: View) -> int:
        if view.double is not None:
            return action_of(view.rules, view.double)
        if view.can_give_up:
            return gives_up_action(view.rules)
        return action_of(view.rules, view.legal_bids[0])


def test_a_round_is_played_move_by_move_to_giving_up() -> None:
    round_ = Round(FULL, [(1, 1, 3, 4, 6), (2, 2, 5, 6, 6)])
    settled = play_round(round_, [Doubles(), Doubles()])
    assert [bid.doubled for bid in round_.history] == [0, 1, 2]
    assert settled.challenge is not None
    assert settled.challenge.given_up_by == settled.loser == 1


def test_who_gave_up_has_lost_even_if_dice_are_unknown() -> None:
    actions = parse_actions(FULL, "f4x6 劈 认输")
    played = played_round(FULL, 0, (None, None), actions)
    assert (played.loser, played.winner(FULL), played.cost) == (0, 1, 1)
    with pytest.raises(ZhaifeiError, match="the other player gave up"):
        played_round(FULL, 0, (None, None), actions, loser=1)
    shown = played_round(FULL, 0, (None, None), parse_actions(FULL, "f4x6 劈 c"))
    assert shown.loser is None
    told = played_round(FULL, 0, (None, None), parse_actions(FULL, "f4x6 劈 c"), loser=1)
    assert told.cost == 2


@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
def test_rounds_with_doubles_are_written_and_read_again(words: Words) -> None:
    hands_, none = ((1, 1, 3, 4, 6), (2, 2, 5, 6, 6)), None
    three = FULL.changed(players=3), (*hands_, (2, 2, 3, 3, 4))
    for (rules, dealt), said in product(
        ((FULL, hands_), three), ("f4x6 劈 反劈 认输", "f4x6 劈 c", "f4x6 f5x6 劈 认输")
    ):
        played = played_round(rules, 0, dealt, parse_actions(rules, said))
        names = (UNNAMED,) * rules.players
        match = PlayedMatch(rules, names, none, none, none, "", (played,))
        text = format_rounds(match, words)
        gave_up = "认输" if words is CHINESE else "give up"
        assert (gave_up in text) == ("认输" in said)
        assert parse_rounds(text).rounds == match.rounds
