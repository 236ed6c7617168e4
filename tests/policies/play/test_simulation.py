"""Rounds in step against rounds one by one, and penalty shares against what is known exactly."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.policies.small_policies import random_policy
from zhaifei.game.bids import Bid, action_of, challenge_action, domain, endings_after, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.notation import parse_bid
from zhaifei.game.rounds import Round, Settlement
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.evaluation import refine_duel
from zhaifei.policies.play import simulation as module
from zhaifei.policies.play.simulation import (
    IllegalAction,
    PenaltyShare,
    penalty_share,
    play_dealt,
    play_rounds,
)
from zhaifei.policies.players.player import BatchPlayer
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.rule_based import NAMES, RandomPolicy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SMALL = Rules.of(dice=1, faces=2)
JUMPS = Rules.of(players=4, dice=2, faces=3, jump_challenge=True)
VARIANTS = [
    Rules.of(dice=2, faces=3),
    preset("liars_dice", players=3),
    Rules.of(players=3, dice=2, faces=4, jump_challenge=True),
    JUMPS,
    Rules.of(players=3, dice=2, faces=3, doubled=(2, 4)),
    Rules.of(players=4, dice=1, faces=3, doubled=(2, 4), giving_up="half"),
]


@dataclass(frozen=True)
class Erratic:
    """Does any legal action, 跳开 too, as hand, bids and its number have it: draws by nothing."""

    rules: Rules
    number: int = 0

    def decide(self, hand: int, history: list[int]) -> int:
        bids = [domain(self.rules)[bid] for bid in history]
        raises = legal_bids(self.rules, bids[-1] if bids else None)
        legal = [action_of(self.rules, bid) for bid in raises]
        often = max(1, len(raises) // 2)
        # Challenges and doubles as often as raises, so that rounds have several lengths.
        legal += [action for action in legal if domain(self.rules)[action].doubled] * often
        for action in endings_after(self.rules, bids):
            legal += [action] * often
        mixed = np.random.default_rng([self.number, hand, *history])
        return int(mixed.choice(legal))

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        return np.array(
            [self.decide(*round_) for round_ in zip(hand, history.tolist(), strict=True)]
        )


def one_by_one(players: list[Erratic], rules: Rules, dealt: Ints) -> list[Settlement]:
    settled = []
    for of_round in dealt:
        table = Round(rules, [hands(rules)[hand] for hand in of_round])
        while table.settlement is None:
            history = [action_of(rules, bid) for bid in table.history]
            table.take(players[table.turn].decide(of_round[table.turn], history))
        settled.append(table.settlement)
    return settled


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_rounds_in_step_end_as_they_do_one_by_one(rules: Rules) -> None:
    players = [Erratic(rules, number) for number in range(rules.players)]
    dealt = np.random.default_rng(2).integers(len(hands(rules)), size=(400, rules.players))
    settled = one_by_one(players, rules, dealt)
    stakes = [*range(1, rules.furthest_challenge + 1), *rules.stakes.doubled]
    assert {settlement.cost for settlement in settled} == set(stakes)
    assert {settlement.bid_was_true for settlement in settled} == {False, True}
    assert {settlement.loser for settlement in settled} == set(range(rules.players))
    expected = np.zeros_like(dealt)
    for place, settlement in enumerate(settled):
        expected[place, settlement.loser] = settlement.cost
    found = play_dealt(players, rules, dealt, np.random.default_rng(0))
    np.testing.assert_array_equal(found.points, expected)
    assert found.true.tolist() == [one.bid_was_true for one in settled]
    assert found.challenger.tolist() == [one.challenge.challenger for one in settled]
    assert found.bidder.tolist() == [one.challenge.bidder for one in settled]
    assert found.loser.tolist() == [one.loser for one in settled]


@dataclass
class Watched:
    """Records what its player is told."""

    player: BatchPlayer
    told: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)

    @property
    def rules(self) -> Rules:
        return self.player.rules

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        self.told.append((hand.copy(), history.copy(), uniform.copy()))
        return self.player.act(hand, history, uniform)


def test_seats_take_turns_and_are_told_their_own_hand_and_all_bids() -> None:
    rules, number = JUMPS, 50
    players = [Watched(Erratic(rules, seat)) for seat in range(4)]
    dealt = np.random.default_rng(2).integers(len(hands(rules)), size=(number, 4))
    play_dealt(players, rules, dealt, np.random.default_rng(0))
    going = np.arange(number)
    for turn in range(sum(len(one.told) for one in players)):
        hand, history, uniform = players[turn % 4].told[turn // 4]
        assert history.shape == (len(hand), turn)
        assert uniform.shape == hand.shape
        assert np.isin(hand, dealt[going, turn % 4]).all()
        action = players[turn % 4].act(hand, history, uniform)
        going = going[action < challenge_action(rules)]
    assert going.size == 0


def test_a_seed_gives_the_same_rounds_and_another_seed_others() -> None:
    players = [RandomPolicy(JUMPS)] * 4
    first, again, other = (play_rounds(players, JUMPS, 300, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_dice_and_draws_do_not_depend_on_who_plays() -> None:
    told = []
    for others in (RandomPolicy(JUMPS), Erratic(JUMPS, 5)):
        watched = Watched(Erratic(JUMPS))
        play_rounds([watched, others, others, others], JUMPS, 100, 7)
        told.append(watched.told[0])
    for one, other in zip(*told, strict=True):
        np.testing.assert_array_equal(one, other)


def test_random_numbers_of_a_round_do_not_depend_on_which_others_still_go() -> None:
    """Each number belongs to a round and a decision: rounds that go on draw the same, whether the
    others have ended or not."""
    dealt = np.arange(50).reshape(50, 1).repeat(4, axis=1) % len(hands(JUMPS))
    bids: list[Bid] = []
    for _ in range(3):
        bids.append(legal_bids(JUMPS, bids[-1] if bids else None)[0])
    actions = (*(action_of(JUMPS, bid) for bid in bids), challenge_action(JUMPS))

    @dataclass(frozen=True)
    class Ending(Scripted):
        """Challenges the first bid in rounds where its hand is among `ends`, and records [bids
        made] {hand: numbers} in all others."""

        ends: tuple[int, ...] = ()
        drawn: dict[tuple[int, int], list[float]] = field(default_factory=dict)

        def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
            made = history.shape[1]
            for one, number in zip(hand.tolist(), uniform.tolist(), strict=True):
                self.drawn.setdefault((one, made), []).append(number)
            ends = np.isin(hand, self.ends) if made else np.zeros(hand.size, dtype=bool)
            return np.where(ends, challenge_action(JUMPS), self.script[made])

    played = []
    for ends in ((), tuple(range(0, len(hands(JUMPS)), 2))):
        player = Ending(JUMPS, actions, ends)
        play_dealt([player] * 4, JUMPS, dealt, np.random.default_rng(5))
        played.append(player.drawn)
    every, some = played
    assert len(some) < len(every)
    assert all(every[key] == numbers for key, numbers in some.items())


def test_hands_come_as_often_as_they_should() -> None:
    rules, rounds = Rules.of(dice=2, faces=3), 20_000
    watched = Watched(load_player("honest", rules))
    play_rounds([watched, RandomPolicy(rules)], rules, rounds, 0)
    opening = [hand for hand, history, _ in watched.told if history.shape[1] == 0]
    found = np.bincount(np.concatenate(opening), minlength=6)
    expected = probabilities(rules)
    deviation = np.sqrt(rounds * expected * (1.0 - expected))
    assert found.sum() == rounds
    assert (np.abs(found - rounds * expected) <= 4.0 * deviation).all()


def test_many_rounds_are_played_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    players = [Erratic(SMALL, 1), Erratic(SMALL, 2)]
    together = play_rounds(players, SMALL, 20, 3)
    monkeypatch.setattr(module, "_BATCH", 7)
    np.testing.assert_array_equal(play_rounds(players, SMALL, 20, 3), together)
    watched = Watched(RandomPolicy(SMALL))
    play_rounds([watched, RandomPolicy(SMALL)], SMALL, 20, 3)
    drawn = [uniform for _, history, uniform in watched.told if history.shape[1] == 0]
    assert [uniform.size for uniform in drawn] == [7, 7, 6]
    assert np.unique(np.concatenate(drawn)).size == 20


# What players may not do


@dataclass(frozen=True)
class Scripted:
    """Does the same in each round: one action for each number of bids made."""

    rules: Rules
    script: tuple[int, ...]

    def __str__(self) -> str:
        return "Ann"

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        return np.full(hand.size, self.script[history.shape[1]])


def script(rules: Rules, *texts: str | int) -> Scripted:
    """Return a player of bids in notation; a number is the distance of a challenge, in bids."""
    return Scripted(
        rules,
        tuple(
            challenge_action(rules, text)
            if isinstance(text, int)
            else action_of(rules, parse_bid(text))
            for text in texts
        ),
    )


FULL, THREE = preset("zhaifei"), preset("zhaifei", players=3, jump_challenge=True)


@pytest.mark.parametrize(
    ("ann", "message"),
    [
        (script(FULL, "f2x3"), "after [] wants to play 飞2×3: 飞2×3 may not open a round"),
        (script(FULL, 1), "after [] wants to play challenge: there is no bid to challenge"),
        (script(FULL, "f4x3", "f4x3"), "after [飞4×3] wants to play 飞4×3: 飞4×3 is not stronger"),
        (script(THREE, "f4x3", 2), "wants to play challenge 2: the bid made 2 bids ago"),
        (
            Scripted(THREE, (challenge_action(THREE, 3),)),
            "there is no action 167, only 0 to 166",
        ),
        (Scripted(FULL, (-1,)), "after []: there is no action -1, only 0 to 110"),
    ],
    ids=["opens too low", "opens by challenge", "as strong", "jumps too far", "above", "below"],
)
def test_what_the_rules_forbid_is_refused_with_player_and_situation(
    ann: Scripted, message: str
) -> None:
    with pytest.raises(IllegalAction, match=re.escape(message)) as refused:
        play_rounds([ann] * ann.rules.players, ann.rules, 10, 0)
    assert re.match(r"Ann with [1-6]{5} after \[", str(refused.value))


def test_the_hand_in_the_message_is_that_of_the_player() -> None:
    ann = script(FULL, "f4x3", "f4x3")
    twos, threes = (hands(FULL).index((face,) * 5) for face in (2, 3))
    with pytest.raises(IllegalAction, match=r"Ann with 33333 after \[飞4×3\]"):
        play_dealt([ann, ann], FULL, np.array([[twos, threes]]), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            np.zeros(9, dtype=np.int64),
            r"must return 10 integer actions, but returned int64 of shape \(9,\)",
        ),
        (np.zeros(10), r"must return 10 integer actions, but returned float64 of shape \(10,\)"),
    ],
)
def test_answers_that_are_no_actions_are_refused(answer: Ints | Floats, message: str) -> None:
    class Confused(Scripted):
        def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
            return answer  # type: ignore[return-value]

    with pytest.raises(IllegalAction, match="Ann " + message):
        play_rounds([Confused(FULL, ())] * 2, FULL, 10, 0)


def test_all_seats_are_taken_and_all_play_by_the_rules() -> None:
    one, other = RandomPolicy(FULL), RandomPolicy(THREE)
    with pytest.raises(ZhaifeiError, match="3 players take part; the rules are for 2"):
        play_rounds([one] * 3, FULL, 1, 0)
    expected = re.escape(f"random plays by other rules: {THREE}, not {FULL}")
    with pytest.raises(ZhaifeiError, match=expected):
        play_rounds([one, other], FULL, 1, 0)


# Penalty shares


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_who_plays_like_the_others_has_a_fair_share_without_error(rules: Rules, name: str) -> None:
    share = penalty_share(load_player(name, rules), load_player(name, rules), rules, 1000, 0)
    assert share.share == pytest.approx(1 / rules.players, rel=1e-12)
    assert share.margin == pytest.approx(0.0, abs=1e-12)


@dataclass(frozen=True)
class OtherDraws:
    """Plays as `player` does, but independently of one who draws by the same numbers."""

    player: BatchPlayer

    @property
    def rules(self) -> Rules:
        return self.player.rules

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        return self.player.act(hand, history, (uniform * 4096.0) % 1.0)


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_who_draws_differently_has_a_fair_share_within_the_interval(rules: Rules) -> None:
    one = RandomPolicy(rules)
    share = penalty_share(OtherDraws(one), one, rules, 20_000, 0)
    assert 0.0 < share.margin < 0.02
    # The margin is 1.96 standard deviations.
    assert abs(share.share - 1 / rules.players) <= 4.0 / 1.96 * share.margin


def test_the_share_is_what_the_expected_value_says() -> None:
    """With two players and no jumps a player who earns v loses (1 - v) / 2 of all rounds."""
    one, other = random_policy(SMALL, seed=1), random_policy(SMALL, seed=2)
    *_, exact = refine_duel(one, other)
    expected = (1.0 - (exact[0].lower + exact[1].lower) / 2.0) / 2.0
    share = penalty_share(PolicyPlayer(one), PolicyPlayer(other), SMALL, 100_000, 0)
    assert 0.001 < share.margin < 0.005
    assert abs(share.share - expected) <= 4.0 / 1.96 * share.margin
    assert abs(expected - 0.5) > 4.0 * share.margin  # or nothing would be told


@pytest.mark.parametrize(
    "make", [lambda: SMALL, lambda: JUMPS], ids=["points fixed", "points vary"]
)
def test_shares_scatter_as_the_margin_says(make: Callable[[], Rules]) -> None:
    rules, number = make(), 300
    one, other = RandomPolicy(rules), load_player("honest", rules)
    shares = [penalty_share(one, other, rules, 400, seed) for seed in range(number)]
    deviation = np.std([share.share for share in shares], ddof=1)
    claimed = np.sqrt(np.mean([(share.margin / 1.96) ** 2 for share in shares]))
    # A standard deviation from n samples has a relative error of about 1 / sqrt(2 n).
    assert deviation == pytest.approx(claimed, rel=4.0 / np.sqrt(2 * number))


def test_two_shares_add_up() -> None:
    one, other = load_player("honest", FULL), load_player("aggressive", FULL)
    mine, theirs = (penalty_share(*pair, FULL, 5000, 0) for pair in ((one, other), (other, one)))
    assert mine.share + theirs.share == pytest.approx(1.0, rel=1e-12)
    assert mine.margin == pytest.approx(theirs.margin, rel=1e-9)
    assert (mine.rounds, mine.lower, mine.upper) == (
        5000,
        mine.share - mine.margin,
        mine.share + mine.margin,
    )


def test_every_seat_is_had_as_often_in_whole_deals() -> None:
    """Who bids highest, in the first two seats, is challenged and loses; in the third seat it has
    no turn before another loses."""
    rules = preset("zhaifei", players=3)
    high, others = script(rules, "z15x1", "z15x1"), script(rules, "z14x1", 1, 1)
    share = penalty_share(high, others, rules, 100, 0)
    assert share.rounds == 102
    assert share.share == pytest.approx(2 / 3, rel=1e-12)


def test_intervals_end_where_shares_do() -> None:
    assert PenaltyShare(0.01, 0.02, rounds=10).lower == 0.0
    assert PenaltyShare(0.99, 0.02, rounds=10).upper == 1.0
