"""Players that decide move by move: as the tables do where there are any, and by hand elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.strategies import any_rules, dice_of, histories_of
from zhaifei.game.bids import (
    Bid,
    State,
    action_of,
    challenge_action,
    gives_up_action,
    legal_bids,
    mover_after,
)
from zhaifei.game.chances import chance
from zhaifei.game.hands import hand_index
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_bid
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View, view_of
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.rule_based import NAMES, rule_based
from zhaifei.policies.players.rule_based_decider import (
    RuleBasedDecider,
    raise_by_rule,
    rule_based_decider,
)

RULED = tuple(name for name in NAMES if name != "random")
KNOCKOUT, INCREMENT = preset("knockout", players=2), preset("increment", players=2)


def seen_of(rules: Rules, hand: tuple[int, ...], history: tuple[Bid, ...]) -> View:
    """What the player in turn sees of a round that seat 0 started."""
    return view_of(rules, mover_after(rules, history), hand, 0, history)


def does(strategy: Decider, seen: View) -> int:
    """The action."""
    if seen.history and strategy.challenge_bid(seen):
        return challenge_action(seen.rules)
    bid = strategy.make_bid(seen)
    return gives_up_action(seen.rules) if bid is None else action_of(seen.rules, bid)


@settings(max_examples=60)
@given(st.data(), any_rules(max_dice=3, max_faces=4) | st.just(preset("zhaifei")))
def test_for_penalty_points_they_decide_as_the_tables_do(data: st.DataObject, rules: Rules) -> None:
    history, (dice, *_) = data.draw(histories_of(rules)), data.draw(dice_of(rules))
    hand = tuple(sorted(dice))
    for name in RULED:
        row = rule_based(name, rules).strategy(history)[hand_index(rules, hand)]
        found = does(
            rule_based_decider(name, np.random.default_rng(0)), seen_of(rules, hand, history)
        )
        assert found == int(row.argmax())


@pytest.mark.parametrize("players", [2, 3])
def test_random_does_anything_legal_with_the_same_probability(players: int) -> None:
    rules = preset("zhaifei", players=players, dice=2, faces=3)
    strategy = rule_based_decider("random", np.random.default_rng(0))
    for history in ((), (legal_bids(rules, None)[-3],)):
        seen = seen_of(rules, (1, 2), history)
        legal = len(seen.legal_bids) + len(history)
        found = [does(strategy, seen) for _ in range(400 * legal)]
        actions, counted = np.unique(found, return_counts=True)
        assert len(actions) == legal
        assert (abs(counted - 400) < 4.5 * 20).all()


# by hand


def bids(state: Round, *said: str) -> Round:
    for text in said:
        while state.is_asked:
            state.decline()
        state.bid(parse_bid(text))
    return state


def round_of(rules: Rules, *hands: str) -> Round:
    return Round(rules, [tuple(map(int, hand)) for hand in hands], 0)


@pytest.mark.parametrize(
    ("last", "own", "expected"),
    [
        (None, "345", "飞1×2"),
        ("f1x2", "345", "飞1×3"),
        ("f1x6", "346", "飞2×6"),  # true with 1
        ("f2x3", "345", "飞2×4"),  # one own die; of two others one counts with 5/9
        ("f2x2", "345", None),  # two of two others with 1/9
        ("f3x6", "366", "飞4×6"),  # two own dice; of two others one with 5/9
    ],
)
def test_face_by_face_in_knockout(last: str | None, own: str, expected: str | None) -> None:
    bid = parse_bid(last) if last else None
    found = raise_by_rule("face-by-face", KNOCKOUT, tuple(map(int, own)), State(bid), table=5)
    assert (found and str(found)) == expected


@pytest.mark.parametrize(
    ("last", "own", "expected"),
    [
        (None, "344", "飞1×4"),  # two count; certain as 飞2×4, but weaker
        (None, "134", "飞1×3"),  # two count, as for 4
        ("f1x5", "344", "飞1×6"),  # none counts for 5 and 6: 飞1×6 is the likeliest
        ("f1x3", "344", "飞1×4"),
        ("f2x3", "344", "飞2×4"),
        ("f3x3", "344", None),  # one own die; of two others two with 1/9
    ],
)
def test_best_supported_in_knockout(last: str | None, own: str, expected: str | None) -> None:
    bid = parse_bid(last) if last else None
    found = raise_by_rule("best-supported", KNOCKOUT, tuple(map(int, own)), State(bid), table=5)
    assert (found and str(found)) == expected


@pytest.mark.parametrize(
    ("name", "last", "own", "expected"),
    [
        ("face-by-face", None, "44", "斋1×1"),
        ("face-by-face", "z1x4", "44", "斋2×1"),
        ("face-by-face", "z1x2", "44", "斋2×1"),  # of three others one with 91/216, above .4
        ("best-supported", None, "44", "斋1×4"),
        ("best-supported", "z1x4", "44", "斋2×4"),
        ("best-supported", "z2x4", "44", "斋3×4"),
        ("best-supported", "z2x3", "44", None),
        ("honest", "z1x2", "44", None),  # likelier false than true
        ("honest", "z1x4", "44", "斋2×4"),
    ],
)
def test_in_increment(name: str, last: str | None, own: str, expected: str | None) -> None:
    bid = parse_bid(last) if last else None
    found = raise_by_rule(name, INCREMENT, tuple(map(int, own)), State(bid), table=5)
    assert (found and str(found)) == expected


@pytest.mark.parametrize("name", RULED)
def test_no_more_dice_are_bid_than_are_left(name: str) -> None:
    assert raise_by_rule(name, KNOCKOUT, (6, 6), State(parse_bid("f3x6")), table=3) is None
    found = raise_by_rule(name, KNOCKOUT, (6, 6), State(parse_bid("f2x6")), table=3)
    assert found == parse_bid("f3x6") or found is None


@pytest.mark.parametrize("name", RULED)
def test_out_of_turn_they_challenge_what_they_would_challenge_in_turn(name: str) -> None:
    """In each of some rounds, everybody is asked with the same dice."""
    rules, random = preset("knockout"), np.random.default_rng(0)
    strategy, found = RuleBasedDecider(name), set()
    for _ in range(60):
        hand = random.integers(1, 7, size=5).tolist()
        state = Round(rules, [hand] * 4, 0)
        state.bid(legal_bids(rules, None)[random.integers(15, 60)])
        answers = []
        while state.is_asked:
            answers.append(strategy.challenge_bid(state.view()))
            state.decline()
        assert len(set(answers)) == 1
        # Who would not challenge has a raise, and makes it.
        assert answers[0] == (strategy.make_bid(state.view()) is None)
        found.add(answers[0])
    assert found == {True, False}


def test_random_challenges_out_of_turn_as_often_as_in_turn() -> None:
    state = bids(round_of(preset("knockout", players=3), "3", "4", "5"), "f2x6")
    strategy = rule_based_decider("random", np.random.default_rng(1))
    for _ in range(2):  # in turn, and out of turn: there is one raise, so half of the time
        asked = [strategy.challenge_bid(state.view()) for _ in range(1000)]
        assert abs(sum(asked) - 500) < 4 * 15.9
        state.decline()


@pytest.mark.parametrize(
    "rules", [preset("knockout", dice=2), preset("increment", dice=2)], ids=str
)
def test_they_play_whole_matches_without_forfeits(rules: Rules) -> None:
    random = np.random.default_rng(0)
    everybody = [rule_based_decider(name, random) for name in NAMES]
    for seed in range(20):
        match = Match(rules, np.random.default_rng(seed))
        seated = [everybody[(seed + seat) % len(everybody)] for seat in range(4)]
        play_match(match, seated)
        assert all(outcome.forfeiter is None for outcome in match.settled)


def test_what_is_judged_is_what_chances_say() -> None:
    """Probabilistic makes the weakest raise that is at least 60% likely, whatever is left."""
    for table in range(4, 12):
        for hand in ((1, 6), (3, 3, 5), (2,)):
            for last in (None, Bid(KNOCKOUT.bidding.modes[0], 1, 2)):
                rules = preset("knockout", players=3)
                likely = {
                    bid: chance(rules, bid, hand, table - len(hand))
                    for bid in legal_bids_with(rules, State(last), table)
                }
                safe = [bid for bid, chance in likely.items() if chance >= 0.6]
                if safe:
                    assert (
                        raise_by_rule("probabilistic", rules, hand, State(last), table) == safe[0]
                    )


def test_they_are_called_by_their_names() -> None:
    random = np.random.default_rng(0)
    assert tuple(str(rule_based_decider(name, random)) for name in NAMES) == NAMES
