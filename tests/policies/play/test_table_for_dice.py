"""A table at which dice are lost: what is played, and what onlookers are told of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand
from zhaifei.game.match import Match, Standing
from zhaifei.game.notation import format_action, parse_action
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.catalogue.names import LoadedPlayer
from zhaifei.policies.play.table import Leaves, LiveTable, sit_down
from zhaifei.policies.players.decider import Decider

KNOCKOUT = preset("knockout", players=3, dice=2)
CLASSIC = preset("classic", players=2, dice=1)


class Dealt:
    """In place of a generator: it draws this starter and rolls these hands [round, seat]."""

    def __init__(self, starter: int, *rolls: Sequence[str]) -> None:
        self._starter, self._rolls = starter, iter(rolls)

    def integers(self, *bounds: int, **how: Any) -> Any:
        if not how:
            return self._starter
        return np.array([[int(face) for face in hand] for hand in next(self._rolls)])


def dealt(rules: Rules, starter: int, *rolls: Sequence[str]) -> Match:
    return Match(rules, Dealt(starter, *rolls))  # type: ignore[arg-type]


@dataclass
class Scripted:
    """A decider that takes these actions, n to decline, one after the other, and then leaves."""

    actions: list[str]

    def decide(self, view: View) -> int:
        if not self.actions:
            raise Leaves
        action = self.actions.pop(0)
        return DECLINE if action == "n" else parse_action(view.rules, action)


def scripted(*seats: str) -> list[Decider]:
    return [Scripted(actions.split()) for actions in seats]


@dataclass
class Told:
    """An Onlooker that writes down what it is told."""

    begun: list[tuple[int, int, list[int], dict[int, Hand]]] = field(default_factory=list)
    acted: list[tuple[int, str]] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    settled: list[list[int]] = field(default_factory=list)

    def begin(
        self, number: int, starter: int, score: Sequence[int], known: Mapping[int, Hand]
    ) -> None:
        self.begun.append((number, starter, list(score), dict(known)))

    def act(self, view: View, action: int) -> None:
        said = "n" if action == DECLINE else format_action(view.rules, action)
        self.acted.append((view.seat, said))
        self.views.append(view)

    def settle(self, round_: Round, score: Sequence[int]) -> None:
        self.settled.append(list(score))


def played(match: Match, *seats: str, rounds: int | None = None) -> Told:
    """What an onlooker is told of the match if the seats act so."""
    told = Told()
    LiveTable(match, scripted(*seats), told).play(rounds)
    return told


def test_a_match_is_played_until_one_player_has_dice() -> None:
    """Seat 2 loses both rounds: its bids 飞4×6 are false. In classic the loser starts the next."""
    match = dealt(preset("classic", players=2, dice=2), 1, ("22", "33"), ("22", "33"))
    told = played(match, "c c", "f4x6 f3x6")
    assert told.begun == [(1, 1, [2, 2], {}), (2, 1, [2, 1], {})]
    assert told.settled == [[2, 1], [2, 0]]
    assert match.winner == 0


def test_onlookers_are_told_who_declines_and_who_challenges_out_of_turn() -> None:
    match = dealt(KNOCKOUT, 0, ("22", "33", "44"))
    told = played(match, "f1x2 c", "n f2x3", "n n", rounds=1)
    assert told.acted == [
        (0, "飞1×2"),
        (1, "n"),
        (2, "n"),
        (1, "飞2×3"),
        (2, "n"),
        (0, "challenge"),
    ]
    assert told.settled == [[1, 2, 2]], "飞2×3 is true: there are 3 3"


def test_who_is_out_is_not_asked_any_more() -> None:
    rules = preset("knockout", players=3, dice=1)
    match = dealt(rules, 0, ("2", "3", "4"), ("2", "3", "4"))
    told = played(match, "f3x2", "c f2x5", "c", rounds=2)
    assert told.settled == [[0, 1, 1], [0, 0, 1]]
    assert [seat for seat, _ in told.acted] == [0, 1, 1, 2]


def test_a_bid_that_the_dice_make_is_told_as_the_starters() -> None:
    match = dealt(preset("published", players=2, dice=2), 1, ("36", "55"))
    told = played(match, "c", "", rounds=1)
    assert told.acted == [(1, "斋3×5"), (0, "challenge")]
    assert (told.views[0].dice, told.views[0].history) == ((5, 5), ())
    assert told.settled == [[2, 1]], "there are only two fives"


def test_a_challenge_without_a_choice_is_told_though_nobody_is_asked() -> None:
    told = played(dealt(CLASSIC, 0, ("6", "6")), "f2x6", "")
    assert told.acted == [(0, "飞2×6"), (1, "challenge")]
    assert told.settled == [[1, 0]]


@pytest.mark.parametrize(("second", "score"), [("n", [1, 0]), ("f1x2", [1, 0])])
def test_an_invalid_bid_is_told_and_challenges_the_one_before(
    second: str, score: list[int]
) -> None:
    told = played(dealt(CLASSIC, 0, ("3", "6")), "f1x3", second)
    assert told.acted[1] == (1, "forfeit")
    assert told.settled == [score], "飞1×3 is true"


def test_an_invalid_first_bid_costs_a_die() -> None:
    told = played(dealt(CLASSIC, 0, ("3", "6")), "n", "")
    assert told.acted == [(0, "forfeit")]
    assert told.settled == [[0, 1]]


def test_a_round_that_somebody_leaves_costs_no_die() -> None:
    match = dealt(KNOCKOUT, 0, ("22", "33", "44"))
    told = played(match, "f1x2", "n", "")
    assert (told.settled, match.score, match.played) == ([], [2, 2, 2], 0)


def test_only_the_dice_that_may_be_shown_are_told() -> None:
    told, match = Told(), dealt(KNOCKOUT, 0, ("22", "35", "44"))
    LiveTable(match, scripted("f1x2", "c", ""), told, shown=(1,)).play(1)
    assert told.begun[0][3] == {1: (3, 5)}


# who sits down


def named(rules: Rules, *names: str) -> list[LoadedPlayer]:
    return [LoadedPlayer(rules, name) for name in names]


def told_of(seed: int, *names: str) -> Told:
    match, seats = sit_down(named(preset("knockout", players=len(names)), *names), seed)
    told = Told()
    LiveTable(match, seats, told, shown=range(len(names))).play(None)
    return told


def test_equal_seeds_make_equal_matches() -> None:
    assert told_of(3, "random", "honest") == told_of(3, "random", "honest")
    assert told_of(3, "random", "honest") != told_of(4, "random", "honest")


def test_whoever_plays_the_first_dice_are_the_same() -> None:
    one, other = told_of(3, "random", "honest"), told_of(3, "aggressive", "random")
    assert one.begun[0] == other.begun[0]
    assert one.acted != other.acted


def test_players_of_the_same_name_draw_numbers_of_their_own() -> None:
    _, seats = sit_down(named(preset("knockout"), *["random"] * 4), 1)
    match = dealt(preset("knockout"), 0, ["22222"] * 4)
    view = match.deal().view()
    assert len({tuple(seat.decide(view) for _ in range(8)) for seat in seats}) == 4


def test_unknown_players_do_not_sit_down() -> None:
    with pytest.raises(ZhaifeiError, match="no player is called 'nobody'"):
        sit_down(named(preset("knockout", players=2), "honest", "nobody"), 0)


# the ranking


def test_who_has_most_dice_is_first_and_who_was_out_first_is_last() -> None:
    rules = preset("classic", players=4, dice=1)
    match = dealt(rules, 2, ("2", "2", "2", "2"), ("2", "2", "2", "2"))
    assert [one.rank for one in match.standings()] == [1, 1, 1, 1]
    played(match, "c", "", "f1x6", "c f1x5", rounds=2)
    assert match.standings() == [
        Standing(1, 0, 1),
        Standing(1, 1, 1),
        Standing(3, 3, 0),
        Standing(4, 2, 0),
    ]
