"""Rounds that are played out: the beliefs, the players and the results are those of the numpy
forms, which play many rounds of one length at once."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.reading_policies import VARIANTS, policy_for
from tests.policies.small_policies import histories
from tests.solver.kernels import in_both_ways
from zhaifei.game.bidding import bidding
from zhaifei.game.bids import action_of, challenge_action, domain, mover_of, places_by
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules, preset
from zhaifei.game.tables import bid_tables
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.play.simulation import play_dealt
from zhaifei.policies.players.kinds import LIMIT_SHARES, LIMITS, NOISE
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.playing_out import PlayingOut, model_of
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rule_based import chances
from zhaifei.solver.playouts import beliefs, decisions, walk
from zhaifei.solver.playouts.walk import FOLLOWER, TABLE, Dealt
from zhaifei.solver.tables.strategy_table import NO_NODE, node_of

both_ways = in_both_ways(beliefs, decisions, walk)
each = pytest.mark.parametrize("rules", VARIANTS, ids=str)

Ints = NDArray[np.int64]


class Numbers(np.random.Generator):
    """The random numbers of rounds that were dealt."""

    def __init__(self, uniform: NDArray[np.float64]) -> None:
        super().__init__(np.random.PCG64())
        self._columns = iter(uniform.T)

    def random(self, size: int) -> NDArray[np.float64]:  # type: ignore[override]
        return next(self._columns)


class Beginning:
    """Begins with an action, and goes on as another player."""

    def __init__(self, player: BatchPlayer, bids: int, action: int) -> None:
        self.player, self.rules, self._bids, self._action = player, player.rules, bids, action

    def act(self, hand: Ints, history: Ints, uniform: NDArray[np.float64]) -> Ints:
        if history.shape[1] == self._bids:
            return np.full(hand.size, self._action)
        return self.player.act(hand, history, uniform)


def some(rules: Rules, number: int) -> list[tuple[int, ...]]:
    """Some histories as actions, the empty one first."""
    every = [tuple(action_of(rules, bid) for bid in one) for one in histories(rules)]
    return every[:: max(1, len(every) // number)]


def actions_after(rules: Rules, history: Sequence[int]) -> list[int]:
    raises = np.flatnonzero(bidding(rules).legal[state_of(rules, history)]).tolist()
    return raises + [challenge_action(rules)] * bool(history)


def state_of(rules: Rules, history: Sequence[int]) -> int:
    state = 0
    for bid in history:
        state = int(bidding(rules).after[state, bid])
    return state


def verify_as_simulated(
    policy: ReadingPolicy, hand: int, history: tuple[int, ...], rounds: int
) -> None:
    """Play out every action among copies of the policy, and in numpy with the same numbers."""
    rules, playing = policy.rules, PlayingOut(policy)
    actions, mover = actions_after(rules, history), mover_of(rules, history)
    dealt = playing.deal([hand], history, rounds, copies=True)
    assert (dealt.style == FOLLOWER).all()
    played = playing.play(dealt, history, actions)
    copy = PolicyPlayer(policy)
    for place, action in enumerate(actions):
        players: list[BatchPlayer] = [copy] * rules.players
        players[mover] = Beginning(copy, len(history), action)
        ended = play_dealt(players, rules, dealt.hand, Numbers(dealt.uniform), history)
        np.testing.assert_array_equal(played.loser[place], ended.loser)
        np.testing.assert_array_equal(played.cost[place], ended.cost)
        points = ended.points
        earned = (points.sum(axis=1) - rules.players * points[:, mover]) / (rules.players - 1)
        utilities = played.utilities(mover, rules.players)[place]
        np.testing.assert_allclose(utilities, earned, atol=1e-12)


@each
def test_copies_of_the_policy_play_as_the_policy_does(rules: Rules, both_ways: str) -> None:
    policy, number = policy_for(rules), 6 if both_ways == "python" else 40
    for history in some(rules, number):
        if actions_after(rules, history):
            verify_as_simulated(policy, len(history) % len(hands(rules)), history, 20)


@pytest.mark.parametrize("players", [3, 5])
def test_so_do_copies_of_a_shipped_policy(players: int) -> None:
    plain, _ = load_known(None, preset("zhaifei", players=players))
    policy = ReadingPolicy(plain)
    opening = int(policy.opening[100])
    for history in ((), (opening,), (opening, opening + 3)):
        verify_some(policy, history)


def verify_some(policy: ReadingPolicy, history: tuple[int, ...]) -> None:
    playing, actions = PlayingOut(policy), actions_after(policy.rules, history)[:3]
    dealt = playing.deal([77], history, 60, copies=True)
    played = playing.play(dealt, history, actions)
    copy, mover = PolicyPlayer(policy), mover_of(policy.rules, history)
    for place, action in enumerate(actions):
        players: list[BatchPlayer] = [copy] * policy.rules.players
        players[mover] = Beginning(copy, len(history), action)
        ended = play_dealt(players, policy.rules, dealt.hand, Numbers(dealt.uniform), history)
        np.testing.assert_array_equal(played.loser[place], ended.loser)


def test_who_plays_the_table_alone_plays_it_wherever_it_stores_the_bids() -> None:
    policy = policy_for(VARIANTS[0])
    rules, table = policy.rules, PolicyPlayer(policy.plain)
    playing, found = PlayingOut(policy), []
    for history in some(rules, 30):
        dealt = playing.deal([0], history, 40, copies=True, follower=TABLE)
        mover = mover_of(rules, history)
        assert (np.delete(dealt.style, mover, axis=1) == TABLE).all()
        for action in actions_after(rules, history)[:2]:
            after = (*history, action)
            stored = action < challenge_action(rules) and is_stored(policy, after)
            if stored:  # so the next player draws from the table; see whether they challenge
                played = playing.play(dealt, history, [action])
                hand = dealt.hand[:, mover_of(rules, after)]
                made = np.tile(np.array(after), (len(hand), 1))
                ends = table.act(hand, made, dealt.uniform[:, 1]) == challenge_action(rules)
                true = [is_true(rules, action, hands_) for hands_ in dealt.hand.tolist()]
                loser = np.where(true, mover_of(rules, after), mover)
                assert (played.loser[0] == loser)[ends].all()
                found += ends.tolist()
    assert {*found} == {False, True}


def is_stored(policy: ReadingPolicy, bids: tuple[int, ...]) -> bool:
    return node_of(policy.plain.table, np.array(bids, dtype=np.int64), len(bids)) != NO_NODE


def is_true(rules: Rules, bid: int, dealt: list[int]) -> bool:
    return (
        count_dice(rules, domain(rules)[bid], [hands(rules)[one] for one in dealt])
        >= domain(rules)[bid].count
    )


@each
def test_beliefs_are_those_of_the_table_reading(rules: Rules, both_ways: str) -> None:
    policy = policy_for(rules)
    playing = PlayingOut(policy)
    for history in some(rules, 20 if both_ways == "python" else 100):
        seats, mover = playing.seats(history), mover_of(rules, history)
        known = policy.reading.beliefs(np.array([history], dtype=np.int64))
        for ahead, one in enumerate(known, 1):
            seat = (mover + ahead) % rules.players
            follows = seats.follows[seat]
            range_ = follows * seats.following[seat] + (1.0 - follows) * seats.other[seat]
            assert follows == pytest.approx(one.follows[0, 0])
            assert seats.evidence[seat] == pytest.approx(one.evidence[0], abs=1e-9)
            np.testing.assert_allclose(range_, one.range[0], atol=1e-12)


@pytest.mark.parametrize("rules", VARIANTS[:3], ids=str)
def test_hands_of_people_are_read_by_how_they_are_known_to_bid(rules: Rules) -> None:
    policy, people = policy_for(rules), described(rules)
    playing, usual = PlayingOut(policy, people=people), PlayingOut(policy)
    assert model_of(policy, people).trust > 100.0  # nobody plays the table
    matches, challenges = bid_tables(rules).matches, policy.reading.kinds.challenges
    for history in some(rules, 30):
        seats, before = playing.seats(history), usual.seats(history)
        for seat, bidding_ in enumerate(people):
            if bidding_ is None:
                np.testing.assert_array_equal(seats.other[seat], before.other[seat])
                np.testing.assert_array_equal(seats.follows[seat], before.follows[seat])
                continue
            assert seats.follows[seat] < 1e-50
            likely, limits = np.array(probabilities(rules)), np.array(LIMIT_SHARES)[:, np.newaxis]
            for place in places_by(rules, history, seat):
                made = np.array([history[:place]], dtype=np.int64)
                likely *= bidding_(made, np.array([history[place]]))[0]
                if place:
                    last = history[place - 1]
                    limits = limits * (1.0 - challenges[:, matches[last], last])
            likely *= limits.sum(axis=0)
            np.testing.assert_allclose(seats.other[seat], likely / likely.sum(), atol=1e-12)


def described(rules: Rules) -> tuple[PlausibleBidding | None, ...]:
    """People of whom the second and the third in turn are known."""
    known = PlausibleBidding(rules, 6.0, 0.02), PlausibleBidding(rules, 1.0, 0.3)
    return (None, *known, *[None] * (rules.players - 3))


@each
def test_others_hold_what_they_are_believed_to_hold(rules: Rules) -> None:
    policy, rounds = policy_for(rules), 20_000
    playing = PlayingOut(policy)
    for history in some(rules, 5):
        dealt, mover = playing.deal([0], history, rounds), mover_of(rules, history)
        assert (dealt.hand[:, mover] == 0).all()
        known = policy.reading.beliefs(np.array([history], dtype=np.int64))
        for ahead, one in enumerate(known, 1):
            seat = (mover + ahead) % rules.players
            follows = (dealt.style[:, seat] == FOLLOWER).mean()
            verify_share(float(follows), float(one.follows[0, 0]), rounds)
            held = np.bincount(dealt.hand[:, seat], minlength=len(hands(rules))) / rounds
            for share, likely in zip(held.tolist(), one.range[0].tolist(), strict=True):
                verify_share(share, likely, rounds)


def verify_share(share: float, likely: float, number: int) -> None:
    """A share of independent draws is within four standard errors of its probability."""
    assert abs(share - likely) <= 4.0 * math.sqrt(likely * (1.0 - likely) / number) + 1e-12


def test_kinds_decide_by_their_limit_and_their_style(both_ways: str) -> None:
    rules = VARIANTS[0]
    policy, people = policy_for(rules), described(rules)
    model, kinds, likely = model_of(policy, people), policy.reading.kinds, chances(rules)
    assert model.bidding.tolist() == [0, 1, 2]
    ways = [one or kinds.bidding for one in people]
    number, (last, *_) = 2000, actions_after(rules, ())
    after = beliefs.At(state_of(rules, (last,)), last, 0)
    of_styles = [*np.ndindex(3, len(LIMITS), len(hands(rules)))]
    of_ways = [(beliefs.PLAUSIBLE, limit, hand) for _, limit, hand in of_styles]
    for way, (style, limit, hand) in [
        *((0, one) for one in of_styles),
        *((way, one) for way in (1, 2) for one in dict.fromkeys(of_ways)),
    ]:
        found = Counter(
            walk._decided_by_kind(
                model, walk.Kind(way, style, limit), hand, after, (one + 0.5) / number
            )
            for one in range(number)
        )
        challenges = NOISE + (1.0 - 2.0 * NOISE) * bool(likely[last, hand] < LIMITS[limit])
        shares = (kinds.climbs, kinds.climbs, kinds.stays)[style][after.state]
        if style == beliefs.PLAUSIBLE:
            weight = ways[way].weight[:, hand] * bidding(rules).legal[after.state]
            shares = weight / weight.sum()
        assert found[challenge_action(rules)] / number == pytest.approx(challenges, abs=2e-3)
        for bid, share in enumerate(shares.tolist()):
            assert found[bid] / number == pytest.approx((1.0 - challenges) * share, abs=2e-3)


def test_rounds_depend_on_the_question_alone() -> None:
    policy = policy_for(VARIANTS[0])
    one, other = (PlayingOut(policy).deal([1], (0,), 50) for _ in range(2))
    for found, again in zip(one, other, strict=True):
        np.testing.assert_array_equal(found, again)
    different = PlayingOut(policy).deal([1], (1,), 50)
    assert not np.array_equal(one.uniform, different.uniform)


def test_the_order_of_rounds_changes_nothing() -> None:
    policy = policy_for(VARIANTS[1])
    playing = PlayingOut(policy)
    dealt = playing.deal([0], (), 300)
    actions = actions_after(policy.rules, ())
    played = playing.play(dealt, (), actions)
    order = np.random.default_rng(0).permutation(300)
    again = playing.play(Dealt(*(each_[order] for each_ in dealt)), (), actions)
    np.testing.assert_array_equal(again.loser, played.loser[:, order])
    np.testing.assert_array_equal(again.cost, played.cost[:, order])
