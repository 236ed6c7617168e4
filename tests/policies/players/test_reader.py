"""The reader as a player: what it decides, for all hands and for many rounds at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.strategies import any_rules, histories_of
from tests.policies.players.reading_cases import SMALL, few_histories, indices
from zhaifei.game.bidding import states_after
from zhaifei.game.bids import IllegalBid, action_of, challenge_action, legal_bids
from zhaifei.game.hands import hand_index, hands
from zhaifei.game.notation import format_action, parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.play.simulation import penalty_share, play_rounds
from zhaifei.policies.players.compiled_reading import MANY
from zhaifei.policies.players.doubting import DoubtingReading
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reader import Reader
from zhaifei.policies.players.rule_based import rule_based
from zhaifei.solver.tables.queries import query

FEW = [rules for rules in SMALL if rules.players > 2]

THREE = preset("zhaifei", players=3)


def plays(hand: str, history: str, rules: Rules) -> str:
    """What it does."""
    strategy = Reader(rules).strategy(parse_history(rules, history))
    row = strategy[hand_index(rules, map(int, hand))]
    assert row.max() == 1.0
    return format_action(rules, int(row.argmax()))


@pytest.mark.parametrize("players", range(2, 9))
def test_it_opens_as_the_conservative_player_does(players: int) -> None:
    # Before the first bid there is nothing to read, and both take the least risk.
    rules = preset("zhaifei", players=players)
    ours, its = (one.strategy(()) for one in (Reader(rules), rule_based("conservative", rules)))
    assert (ours.argmax(axis=1) == its.argmax(axis=1)).all()


@pytest.mark.parametrize(
    ("hand", "history", "expected", "why"),
    [
        ("22346", "f5x2", "斋3×2", "the bidder holds twos: 飞5×2 is true with .86, not .21"),
        ("23456", "z3x3", "斋4×3", "the bidder holds threes: 斋3×3 is true with .92, not .20"),
        ("33456", "f5x2", "challenge", "five twos of one player: .04"),
    ],
)
def test_it_believes_bids(hand: str, history: str, expected: str, why: str) -> None:
    assert plays(hand, history, preset("zhaifei")) == expected, why


@settings(max_examples=30)
@given(st.data(), any_rules(max_dice=3, max_faces=4))
def test_it_acts_as_its_strategy_says(data: st.DataObject, rules: Rules) -> None:
    player = PolicyPlayer(Reader(rules), "reader")
    history = data.draw(histories_of(rules))
    bids = np.array([[action_of(rules, bid) for bid in history]], dtype=np.int64)
    every = np.arange(len(hands(rules)))
    found = player.act(every, np.repeat(bids, every.size, axis=0), np.zeros(every.size))
    strategy = Reader(rules).strategy(history)
    assert (strategy[every, found] == 1.0).all()
    assert strategy.sum() == every.size


def test_many_rounds_are_decided_as_each_alone() -> None:
    # More rounds than numpy reads, so that compiled code does.
    player, random = PolicyPlayer(Reader(THREE), "reader"), np.random.default_rng(0)
    count, history = 2500, np.zeros((2500, 0), dtype=np.int64)
    for _ in range(4):
        legal = bid_tables(THREE).legal[states_after(THREE, history)]
        weight = random.random(legal.shape) * legal * (legal.cumsum(axis=1) <= 20)
        history = np.column_stack([history, weight.argmax(axis=1)])
    assert len(np.unique(history, axis=0)) > MANY
    hand = random.integers(len(hands(THREE)), size=count)
    found = player.act(hand, history, np.zeros(count))
    assert np.unique(found).size > 10
    for place in range(0, count, 50):
        alone = slice(place, place + 1)
        assert player.act(hand[alone], history[alone], np.zeros(1)) == found[alone]


@settings(max_examples=20)
@given(st.data(), any_rules(max_dice=2, max_faces=3))
def test_its_strategies_are_strategies_and_never_jump(data: st.DataObject, rules: Rules) -> None:
    history = data.draw(histories_of(rules))
    bids = tuple(action_of(rules, bid) for bid in history)
    (strategy,) = query(bid_tables(rules), Reader(rules).strategies, [bids])
    jumps = [challenge_action(rules, far) for far in range(2, rules.furthest_challenge + 1)]
    assert not strategy[:, jumps].any()


def test_an_illegal_history_is_refused() -> None:
    with pytest.raises(IllegalBid):
        Reader(THREE).strategy(parse_history(THREE, "f5x2")[:1] * 2)


@pytest.mark.parametrize("players", [3, 4])
def test_among_rule_based_players_it_takes_less_than_a_fair_share(players: int) -> None:
    rules = preset("zhaifei", players=players)
    reader = PolicyPlayer(Reader(rules), "reader")
    for name in ("honest", "conservative", "best-supported"):
        share = penalty_share(reader, PolicyPlayer(rule_based(name, rules), name), rules, 3000, 0)
        assert share.upper < 1.0 / players


def test_whole_rounds_are_played_with_jumps_allowed() -> None:
    rules = preset("zhaifei", players=4, jump_challenge=True)
    reader = PolicyPlayer(Reader(rules), "reader")
    points = play_rounds([reader] * 4, rules, 200, seed=0)
    assert (points.sum(axis=1) == 1).all()


def test_it_can_be_evaluated() -> None:
    rules = preset("liars_dice", faces=3)
    *_, found = Evaluation(Reader(rules)).refine()
    assert found.exact


@pytest.mark.parametrize("rules", FEW, ids=str)
def test_what_the_next_reader_challenges_is_known_for_all_raises_at_once(rules: Rules) -> None:
    reading, reader = DoubtingReading(rules), Reader(rules)
    for history in few_histories(rules):
        legal = legal_bids(rules, history[-1] if history else None)
        if not legal:
            continue
        raises = np.array([action_of(rules, bid) for bid in legal])
        found = reading.challenges_after(indices(rules, history)[0], raises)
        for challenged, bid in zip(found, legal, strict=True):
            expected = reader.strategy((*history, bid))[:, challenge_action(rules)]
            assert challenged.tolist() == expected.astype(bool).tolist()
