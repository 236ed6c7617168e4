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
from zhaifei.game.bids import (
    action_of,
    challenge_action,
    domain,
    gives_up_action,
    legal_bids,
    mover_of,
)
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.learning.programs import Programs as LearnedPrograms
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.play.simulation import play_dealt
from zhaifei.policies.players import playing_out
from zhaifei.policies.players.kinds import LIMITS, NOISE, People
from zhaifei.policies.players.manners import STYLES, Manners
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.playing_out import PlayingOut, Programs
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.reading import PlausibleBidding
from zhaifei.policies.players.reading_policy import ReadingPolicy
from zhaifei.policies.players.rule_based import RULES, chances, gives_up_on, rule_based
from zhaifei.solver.playouts import beliefs, decisions, walk
from zhaifei.solver.playouts.walk import FOLLOWER, READS, RULE, TABLE, Dealt
from zhaifei.solver.tables.strategy_table import NO_NODE, node_of

both_ways = in_both_ways(beliefs, decisions, walk, playing_out)
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
def test_beliefs_about_people_are_those_of_the_learned_reading(
    rules: Rules, both_ways: str
) -> None:
    policy = policy_for(rules)
    reading, people = LearnedReading(rules, policy.plain.table), known_people(rules)
    playing = PlayingOut(policy)
    for history in some(rules, 10 if both_ways == "python" else 60):
        mover = mover_of(rules, history)
        seats, made = (
            playing.among(people, mover).seats(history),
            np.array([history], dtype=np.int64),
        )
        for ahead, one in enumerate(reading.among(people).beliefs(made), 1):
            seat = (mover + ahead) % rules.players
            assert seats.follows[seat] == pytest.approx(one.follows[0, 0])
            assert seats.evidence[seat] == pytest.approx(one.evidence[0], abs=1e-9)
            np.testing.assert_allclose(seats.following[seat], one.following[0], atol=1e-12)
            np.testing.assert_allclose(seats.other[seat], one.limits[0].sum(axis=0), atol=1e-12)


def known_people(rules: Rules) -> People:
    """Different players, of whom something is known; one of them cannot be of some styles."""
    random, others = np.random.default_rng(3), rules.players - 1
    style = random.dirichlet(np.ones(len(STYLES)), (1, others))
    style[0, 0, [0, 3]] = 0.0
    style /= style.sum(axis=2, keepdims=True)
    limit = random.dirichlet(np.ones(len(LIMITS)), (1, others))
    program = np.zeros((1, others, 0))
    return People(np.linspace(-2.0, 1.0, others)[np.newaxis], style, limit, program)


def test_who_is_known_not_to_follow_the_table_is_not_trusted_to() -> None:
    policy, people = policy_for(VARIANTS[0]), known_people(VARIANTS[0])
    usual = PlayingOut(policy)
    for odds, trust in ((-4.0, 2.0), (4.0, -2.0)):
        learned = people._replace(odds=people.odds * 0.0 + first_odds(policy) + odds)
        model = usual.among(learned, 1)._model
        assert model.trust[1] == pytest.approx(math.log(policy.times) - 2.0 * odds)
        assert np.delete(model.trust, 1) == pytest.approx(math.log(policy.times) - odds)
        assert (model.trust[1] > usual._model.trust[1]) == (trust > 0.0)


def first_odds(policy: ReadingPolicy) -> float:
    return math.log(policy.follows / (1.0 - policy.follows))


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
    policy, likely = policy_for(rules), chances(rules)
    manners = Manners(rules, PlausibleBidding(rules))
    model = policy.model
    number, (last, *_) = 1000, actions_after(rules, ())
    after = beliefs.At(state_of(rules, (last,)), last, 0)
    legal = np.flatnonzero(bidding(rules).legal[after.state])
    raised = manners.styles(np.full((legal.size, 1), last), legal)
    for style, hand in np.ndindex(len(manners.each), len(hands(rules))):
        limit = (style + hand) % len(LIMITS)
        found = Counter(
            walk._decided_by_kind(model, style, limit, hand, after, (one + 0.5) / number)
            for one in range(number)
        )
        challenges = NOISE + (1.0 - 2.0 * NOISE) * bool(likely[last, hand] < LIMITS[limit])
        assert found[challenge_action(rules)] / number == pytest.approx(challenges, abs=2e-3)
        for bid, share in zip(legal.tolist(), raised[:, style, hand].tolist(), strict=True):
            assert found[bid] / number == pytest.approx((1.0 - challenges) * share, abs=2e-3)


def test_kinds_give_up_on_doubles_that_cost_more_to_show(both_ways: str) -> None:
    rules = VARIANTS[3]
    model, likely, found = policy_for(rules).model, chances(rules), []
    for first in legal_bids(rules, None):
        double = legal_bids(rules, first)[-1]
        bids = [action_of(rules, one) for one in (first, double)]
        after = beliefs.At(state_of(rules, bids), bids[1], 0)
        expected = gives_up_on(rules, double, likely[bids[1]])
        for hand in range(len(hands(rules))):
            action = walk._decided_by_kind(model, beliefs.PLAUSIBLE, 0, hand, after, 0.5)
            ends = gives_up_action(rules) if expected[hand] else challenge_action(rules)
            assert action == ends
            found.append(bool(expected[hand]))
    assert {*found} == {False, True}


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


class Reads:
    """Reads hands, whoever the others may be."""

    def __init__(self, policy: ReadingPolicy) -> None:
        self.rules, self._reading = policy.rules, policy.reading

    def act(self, hand: Ints, history: Ints, uniform: NDArray[np.float64]) -> Ints:
        return self._reading.decide(hand, history)


@pytest.mark.parametrize("rules", VARIANTS[:3], ids=str)
def test_programs_play_by_their_rules(rules: Rules, both_ways: str) -> None:
    policy, names = policy_for(rules), [*RULES]
    acts = LearnedPrograms(policy).acts
    for number, history in enumerate(some(rules, 4 if both_ways == "python" else 24)):
        mover = mover_of(rules, history)
        others: list[BatchPlayer] = [
            Reads(policy) if ahead == 2 else PolicyPlayer(rule_based(names[number % 6], rules))
            for ahead in range(1, rules.players)
        ]
        styles = [READS if ahead == 2 else RULE - number % 6 for ahead in range(1, rules.players)]
        held = np.eye(rules.players - 1)[:, :, np.newaxis] * probabilities(rules)
        programs = Programs(np.zeros(len(held)), held, np.array(styles), acts)
        playing = PlayingOut(policy).among(unknown(policy), mover, programs)
        dealt = playing.deal([0], history, 20)
        for action in actions_after(rules, history)[:4]:
            copy = Beginning(PolicyPlayer(policy), len(history), action)
            seats: list[BatchPlayer] = [copy, *others]
            seats = [seats[(seat - mover) % len(seats)] for seat in range(len(seats))]
            played = playing.play(dealt, history, [action])
            ended = play_dealt(seats, rules, dealt.hand, Numbers(dealt.uniform), history)
            np.testing.assert_array_equal(played.loser[0], ended.loser)
            np.testing.assert_array_equal(played.cost[0], ended.cost)


def test_players_are_programs_as_often_as_they_are_believed_to_be() -> None:
    policy, rounds, random = policy_for(VARIANTS[0]), 20_000, np.random.default_rng(5)
    rules, acts = policy.rules, LearnedPrograms(policy).acts
    held = random.dirichlet(np.ones(12), 2)[:, : 3 * len(hands(rules))].reshape(2, 3, -1)
    follows, styles = np.array([0.3, 0.8]), np.array([RULE, RULE - 1, READS])
    playing = PlayingOut(policy).among(unknown(policy), 0, Programs(follows, held, styles, acts))
    dealt = playing.deal([0], (), rounds)
    for seat, its in enumerate(held, 1):
        for style, likely in zip(styles.tolist(), its, strict=True):
            found = np.bincount(dealt.hand[dealt.style[:, seat] == style, seat], minlength=2)
            for share, chance in zip((found / rounds).tolist(), likely.tolist(), strict=True):
                verify_share(share, chance, rounds)
        share = (dealt.style[:, seat] == FOLLOWER).mean()
        verify_share(float(share), float(follows[seat - 1] * (1.0 - its.sum())), rounds)


def unknown(policy: ReadingPolicy) -> People:
    """People of whom nothing is known, as `policy` expects them."""
    kinds, others = policy.reading.kinds.prior(1), policy.rules.players - 1
    style, limit = (np.tile(one[:, np.newaxis], (1, others, 1)) for one in kinds)
    odds = np.full((1, others), first_odds(policy))
    return People(odds, style, limit, np.zeros((1, others, 0)))
