"""A table: whose turn it is, what counts, and that nobody is told more than they may know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from zhaifei.game.bids import IllegalBid, action_of, challenge_action, domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index
from zhaifei.game.legal import IllegalChallenge
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_action
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View, view_of
from zhaifei.policies.play.table import Leaves, LiveTable, Onlookers, sit_down
from zhaifei.policies.players.player import Batched, SeatedPlayer

THREE = preset("zhaifei", players=3, dice=2, jump_challenge=True)


@dataclass
class Scripted:
    """A decider that takes these actions, one after the other, and then leaves."""

    actions: list[str]
    views: list[View] = field(default_factory=list)

    def decide(self, view: View) -> int:
        self.views.append(view)
        if not self.actions:
            raise Leaves
        return parse_action(view.rules, self.actions.pop(0))


class Cautious:
    """A decider that opens as weakly as it can, and challenges any bid."""

    def decide(self, view: View) -> int:
        if view.can_challenge:
            return challenge_action(view.rules)
        return action_of(view.rules, view.legal_bids[0])


@dataclass
class Recorder:
    """An Onlooker that writes down what it is told."""

    begun: list[tuple[int, int, list[int], dict[int, Hand]]] = field(default_factory=list)
    acted: list[tuple[int, int]] = field(default_factory=list)
    settled: list[tuple[Round, list[int]]] = field(default_factory=list)

    def begin(
        self, number: int, starter: int, points: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        self.begun.append((number, starter, list(points), dict(known)))

    def act(self, view: View, action: int) -> None:
        self.acted.append((view.seat, action))

    def settle(self, round_: Round, points: Sequence[int]) -> None:
        self.settled.append((round_, list(points)))


def match_of(rules: Rules = THREE, seed: int = 1) -> Match:
    return Match(rules, np.random.default_rng(seed))


def scripted_round(match: Match, *actions: str) -> list[Scripted]:
    """Seats that act so, one after the other, in the next round."""
    seats = [Scripted([]) for _ in range(match.rules.players)]
    for place, action in enumerate(actions):
        seats[(match.starter + place) % len(seats)].actions.append(action)
    return seats


# rounds


def test_seats_act_in_turn_from_the_starter() -> None:
    match, told = match_of(), Recorder()
    seats = scripted_round(match, "f4x2", "f4x3", "f4x4", "f4x5", "c")
    starter = match.starter
    LiveTable(match, seats, told).play_round()
    assert [seat for seat, _ in told.acted] == [(starter + place) % 3 for place in range(5)]
    done = [parse_action(THREE, text) for text in ("f4x2", "f4x3", "f4x4", "f4x5", "c")]
    assert [action for _, action in told.acted] == done


def test_the_loser_takes_the_points_and_starts_the_next_round() -> None:
    told, match = Recorder(), match_of()
    LiveTable(match, [Cautious()] * 3, told).play(6)
    assert len(told.settled) == 6
    for number, (round_, points) in enumerate(told.settled):
        assert round_.settlement is not None
        before = told.begun[number][2]
        loser = round_.settlement.loser
        assert np.subtract(points, before).tolist() == [seat == loser for seat in range(3)]
        if number + 1 < len(told.begun):
            assert told.begun[number + 1][:3] == (number + 2, loser, points)


def test_a_jump_challenge_costs_as_many_points_as_bids_ago() -> None:
    match, told = match_of(), Recorder()
    seats = scripted_round(match, "f6x5", "f6x6", "c2")
    LiveTable(match, seats, told).play_round()
    assert sorted(told.settled[0][1]) == [0, 0, 2]


@pytest.mark.parametrize(
    ("action", "reason"),
    [("c", "there is no bid to challenge"), ("f1x2", "may not open a round")],
)
def test_an_illegal_decision_ends_the_round_without_counting_it(action: str, reason: str) -> None:
    match, told = match_of(), Recorder()
    seats = scripted_round(match, action)
    with pytest.raises((IllegalBid, IllegalChallenge), match=reason):
        LiveTable(match, seats, told).play_round()
    assert (match.score, told.acted, told.settled) == ([0, 0, 0], [], [])


def test_a_round_that_somebody_leaves_does_not_count() -> None:
    match, told = match_of(), Recorder()
    seats = scripted_round(match, "f4x2", "f4x3")
    LiveTable(match, seats, told).play(None)
    assert match.score == [0, 0, 0]
    assert told.settled == []
    assert len(told.acted) == 2


def test_between_rounds_somebody_may_leave() -> None:
    match, asked = match_of(), []

    def leave() -> None:
        asked.append(len(match.settled))
        if len(match.settled) == 2:
            raise Leaves

    LiveTable(match, [Cautious()] * 3, Recorder()).play(5, between=leave)
    assert asked == [1, 2]
    match, asked = match_of(), []
    LiveTable(match, [Cautious()] * 3, Recorder()).play(2, between=leave)
    assert asked == [1], "nobody is asked after the last round"


def test_as_many_seats_as_players() -> None:
    with pytest.raises(ZhaifeiError, match="2 seats for 3 players"):
        LiveTable(match_of(), [Cautious()] * 2, Recorder())


# who knows what


def test_a_seat_sees_its_own_dice_and_the_bids() -> None:
    match, told = match_of(), Recorder()
    seats = scripted_round(match, "f4x2", "f4x3", "f4x4", "c")
    LiveTable(match, seats, told).play_round()
    round_, _ = told.settled[0]
    for place, seat in enumerate(seats):
        for view in seat.views:
            assert type(view) is View
            assert (view.seat, view.turns_until_own) == (place, 0)
            assert view.dice == round_.hands[place]
            assert view.bids == round_.history[: len(view.bids)]
            assert view.legal_bids == legal_bids(THREE, view.current_bid)


@pytest.mark.parametrize("shown", [(), (1,), (0, 1, 2)])
def test_onlookers_are_told_only_the_dice_that_may_be_shown(shown: tuple[int, ...]) -> None:
    told = Recorder()
    LiveTable(match_of(), [Cautious()] * 3, told, shown=shown).play(1)
    round_, _ = told.settled[0]
    assert told.begun[0][3] == {seat: round_.hands[seat] for seat in shown}


def test_several_onlookers_are_told_the_same() -> None:
    one, other = Recorder(), Recorder()
    LiveTable(match_of(), [Cautious()] * 3, Onlookers([one, other]), shown=(1,)).play(2)
    assert one == other
    assert len(one.begun) == len(one.settled) == 2
    assert one.acted


# players


@dataclass
class Fixed(Batched):
    """A BatchPlayer that keeps the arguments, and does what Cautious does; told to bluff, it first
    bids the highest 飞."""

    rules: Rules
    bluffs: bool = False
    asked: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = field(
        default_factory=list
    )

    def act(
        self, hand: NDArray[np.int64], history: NDArray[np.int64], uniform: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        self.asked.append((hand, history, uniform))
        action = challenge_action(self.rules)
        if not history.size:
            action = parse_action(self.rules, "f6x6" if self.bluffs else "f4x2")
        return np.full(hand.size, action)


def test_a_player_is_asked_in_a_batch_of_one() -> None:
    player = Fixed(THREE)
    seat = SeatedPlayer(player, np.random.default_rng(3))
    bids = (domain(THREE)[30], domain(THREE)[40])
    view = view_of(THREE, 1, (2, 5), starter=2, history=bids)
    assert seat.decide(view) == challenge_action(THREE)
    hand, history, uniform = player.asked[0]
    assert hand.tolist() == [hand_index(THREE, (2, 5))]
    assert history.tolist() == [[action_of(THREE, bid) for bid in bids]]
    assert history.dtype == np.int64
    assert uniform.tolist() == [np.random.default_rng(3).random()]
    seat.decide(view_of(THREE, 2, (2, 5), starter=2, history=()))
    assert player.asked[1][1].shape == (1, 0)
    assert player.asked[1][2] != uniform


def test_a_player_that_breaks_the_rules_is_not_asked_again() -> None:
    class Lawless(Fixed):
        def act(self, hand, history, uniform):  # type: ignore[no-untyped-def]
            return np.zeros(1, dtype=np.int64)

    match, seats = sit_down([Lawless(THREE)] * 3, seed=0)
    with pytest.raises(IllegalBid):
        LiveTable(match, seats, Recorder()).play(1)


def test_equal_seeds_make_equal_matches() -> None:
    def played(seed: int) -> list[tuple[int, ...]]:
        players = [Fixed(THREE) for _ in range(3)]
        match, seats = sit_down(players, seed)
        told = Recorder()
        LiveTable(match, seats, told).play(4)
        return [hand for round_, _ in told.settled for hand in map(tuple, round_.hands)]

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_dice_do_not_depend_on_decisions() -> None:
    def hands(*, bluffs: bool) -> list[object]:
        match, seats = sit_down([Fixed(THREE, bluffs) for _ in range(3)], seed=4)
        told = Recorder()
        LiveTable(match, seats, told).play(3)
        return [round_.hands for round_, _ in told.settled]

    assert hands(bluffs=True) == hands(bluffs=False)


def test_each_player_has_random_numbers_of_its_own() -> None:
    players = [Fixed(THREE) for _ in range(3)]
    match, seats = sit_down(players, seed=4)
    LiveTable(match, seats, Recorder()).play(8)
    first = [player.asked[0][2].item() for player in players]
    assert len(set(first)) == 3


def test_players_of_one_table_play_by_the_same_rules() -> None:
    other = Fixed(preset("zhaifei", players=3, dice=2))
    with pytest.raises(ZhaifeiError, match="plays by other rules"):
        sit_down([Fixed(THREE), Fixed(THREE), other], seed=0)
