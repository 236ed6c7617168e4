"""A strategy file that remembers all dice it has seen gains nothing by it: in the arena, in penalty
shares and at mixed tables.

It plays among players who open with one bid and challenge whatever they are faced with. What a
player without memory can save at best against these is computed exactly.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import LONG
from tests.policies.play.test_simulation import Floats, Ints
from zhaifei.game.bids import Bid, action_of, challenge_action, legal_bids
from zhaifei.game.chances import chance
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_bid
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.catalogue.names import load_decider
from zhaifei.policies.measure import arena
from zhaifei.policies.measure.arena import play_arena
from zhaifei.policies.measure.mixed_tables import mixed_tables
from zhaifei.policies.play.simulation import penalty_share, play_dealt, play_rounds
from zhaifei.policies.play.table import sit_down
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.plug_in.memory import apart, has_memory
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn
from zhaifei.policies.players.rule_based import NAMES

EXAMPLES = Path(__file__).parents[1] / "players" / "plug_in" / "examples"
TWO = preset("zhaifei").changed(first_count=4)
THREE = preset("zhaifei", players=3).changed(first_count=5)
KNOCKOUT = preset("knockout", players=2, dice=1)
OPENINGS = {TWO: parse_bid("飞4x5"), THREE: parse_bid("飞6x6"), KNOCKOUT: parse_bid("飞1x4")}
"""Neither true nor false for most hands."""


@dataclass(frozen=True)
class Simple:
    """Opens with one bid, and challenges."""

    rules: Rules
    name: str = "simple"

    def __str__(self) -> str:
        return self.name

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        made = history.shape[1] > 0
        opening = action_of(self.rules, OPENINGS[self.rules])
        return np.full(hand.size, challenge_action(self.rules) if made else opening)

    def decide(self, view: View) -> int:
        made = bool(view.history)
        return challenge_action(self.rules) if made else action_of(self.rules, OPENINGS[self.rules])


@pytest.fixture
def remembering(request: pytest.FixtureRequest) -> Iterator[PlugIn]:
    with closing(PlugIn(EXAMPLES / "remembering.py", request.param, limit=LONG)) as one:
        yield one
        assert one.losses == []


def of(*rules: Rules) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("remembering", rules, indirect=True, ids=str)


def least_lost(rules: Rules) -> float:
    """Return the share of rounds that a player without memory loses at least among Simple ones,
    averaged over seats. In the third seat and later it has no turn."""
    others = rules.dice * (rules.players - 1)
    opening = OPENINGS[rules]
    firsts, raises = legal_bids(rules, None), legal_bids(rules, opening)

    def lost(hand: tuple[int, ...]) -> float:
        def false(bid: Bid) -> float:
            return 1.0 - chance(rules, bid, hand, others)

        raised = min(map(false, raises))
        return min(map(false, firsts)) + min(1.0 - false(opening), raised)

    losses = [lost(hand) for hand in hands(rules)]
    return float(probabilities(rules) @ losses) / rules.players


def tolerance(share: float, rounds: int) -> float:
    """Return four standard errors of a share of `rounds` independent rounds."""
    return 4.0 * math.sqrt(share * (1.0 - share) / rounds)


# Nothing is gained


@of(TWO, THREE)
def test_nothing_is_gained_in_the_arena(remembering: PlugIn) -> None:
    rules = remembering.rules
    others = [Simple(rules, f"simple {number}") for number in range(1, rules.players)]
    *_, found = play_arena([PlugInPlayer(remembering), *others], rules, 4000, seed=1)
    least, own = least_lost(rules), found.counts[0]
    assert own.loss_rate >= least - tolerance(least, own.rounds)


@of(TWO, THREE)
def test_nothing_is_gained_in_penalty_shares(remembering: PlugIn) -> None:
    rules = remembering.rules
    found = penalty_share(PlugInPlayer(remembering), Simple(rules), rules, 1500, seed=1)
    least = least_lost(rules)
    assert found.share >= least - tolerance(least, found.rounds)


@of(TWO, THREE)
def test_nothing_is_gained_at_mixed_tables(remembering: PlugIn) -> None:
    rules = remembering.rules
    others = [Simple(rules, f"simple {number}") for number in range(3)]
    *_, found = mixed_tables(PlugInPlayer(remembering), others, 1000, seed=1)
    own = found.shares[str(remembering)]
    least = least_lost(rules)
    assert own.share >= least - tolerance(least, own.rounds)


@of(KNOCKOUT)
def test_nothing_is_gained_in_matches(remembering: PlugIn) -> None:
    """Matches of one round: each player has one die to lose."""
    rules = remembering.rules
    *_, found = play_arena([remembering, Simple(rules)], rules, 4000, seed=1)
    most, own = 1.0 - least_lost(rules), found.counts[0]
    assert own.decided / own.units <= most + tolerance(most, own.units)


# No deal comes twice


@dataclass(frozen=True)
class Watched(PlugInPlayer):
    """Plays as Simple, and records [call] the hands and random numbers that it is given."""

    told: list[tuple[Ints, Floats]] = field(default_factory=list, compare=False)

    def copy(self, number: int) -> PlugInPlayer:
        return self

    def act(self, hand: Ints, history: Ints, uniform: Floats) -> Ints:
        self.told.append((hand, uniform))
        return Simple(self.rules).act(hand, history, uniform)

    def verify_new(self, seatings: int) -> None:
        """Check that nothing that it was given in `seatings` seatings came twice."""
        hands, numbers = zip(*self.told, strict=True)
        assert len(self.told) >= seatings
        assert len({one.tobytes() for one in hands}) == len(hands)
        drawn = np.concatenate(numbers)
        assert np.unique(drawn).size == drawn.size


@of(THREE)
def test_dice_and_random_numbers_are_new_in_every_seating(remembering: PlugIn) -> None:
    others = [Simple(THREE, f"simple {number}") for number in range(3)]
    in_arena, in_share, in_tables = (Watched(remembering) for _ in range(3))
    for _ in play_arena([in_arena, *others], THREE, 600, seed=1):
        pass
    in_arena.verify_new(3 * 4)  # three tables, four seatings in which it has a turn
    penalty_share(in_share, others[0], THREE, 300, seed=1)
    in_share.verify_new(2)
    for _ in mixed_tables(in_tables, others, 600, seed=1):
        pass
    in_tables.verify_new(3 * 4)


def test_starter_and_dice_of_matches_are_new_in_every_seating(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = preset("knockout", players=3)
    drawn: dict[bool, list[str]] = {True: [], False: []}

    def play(match: Match, deciders: Sequence[Decider], on_round: object) -> int:
        drawn[has_memory(deciders)].append(str(match.random.bit_generator.state))
        return 0

    monkeypatch.setattr(arena, "play_match", play)
    others = [load_decider(name, rules, np.random.default_rng(0)) for name in NAMES[:3]]
    with closing(PlugIn(EXAMPLES / "my_strategy.py", rules, limit=LONG)) as one:
        for _ in play_arena([one, *others], rules, 30, 0):
            pass
    assert len({*drawn[True]}) == len(drawn[True]) == 3 * 30
    assert len({*drawn[False]}) == 5  # tables without the file share them in all six seatings


def test_a_measurement_begins_with_a_new_process(tmp_path: Path) -> None:
    """The file bids higher from call to call."""
    path = tmp_path / "own.py"
    path.write_text(
        "class Own:\n    asked = 0\n    def challenge_bid(self, seen): return True\n"
        "    def make_bid(self, seen):\n        self.asked += 1\n"
        "        return seen.legal_bids[self.asked]\n"
    )
    with closing(PlugIn(path, TWO, limit=LONG)) as one:
        players = [PlugInPlayer(one), Simple(TWO)]
        for measure in (
            lambda: play_rounds(players, TWO, 30, seed=1).tolist(),
            lambda: penalty_share(*players, TWO, 30, seed=1),
            lambda: [*mixed_tables(players[0], players[1:], 30, seed=1)],
            lambda: [*play_arena(players, TWO, 30, seed=1)],
        ):
            assert measure() == measure()
    with closing(PlugIn(path, KNOCKOUT, limit=LONG)) as one:
        seated: list[Decider] = [one, Simple(KNOCKOUT)]
        first, again = ([*play_arena(seated, KNOCKOUT, 30, seed=1)] for _ in range(2))
        assert first == again


# Seats share no process


@of(THREE)
def test_each_seat_of_a_file_has_a_process_of_its_own(remembering: PlugIn) -> None:
    one, other = PlugInPlayer(remembering), Simple(THREE)
    first, second, third = apart([one, other, one])
    assert (first, second) == (one, other)
    assert isinstance(third, PlugInPlayer)
    assert third.plug_in is not remembering
    assert apart([one, other, one]) == [first, second, third]  # nothing is started again
    assert apart([remembering, remembering]) == [remembering, third.plug_in]


def test_copies_of_a_file_do_not_know_what_the_others_are_asked(tmp_path: Path) -> None:
    """The file challenges once it has been asked before: copies with one memory would do so after
    the first bid."""
    path = tmp_path / "own.py"
    path.write_text(
        "class Own:\n    asked = False\n    def challenge_bid(self, seen): return self.asked\n"
        "    def make_bid(self, seen):\n        self.asked = True\n"
        "        return seen.legal_bids[0]\n"
    )
    one_round = np.zeros((1, 3), dtype=np.int64)
    with closing(PlugIn(path, THREE, limit=LONG)) as one:
        ended = play_dealt([PlugInPlayer(one)] * 3, THREE, one_round, np.random.default_rng(0))
        assert ended.bids.tolist() == [3]
        one.forget()
        match, seats = sit_down([PlugInPlayer(one)] * 3, seed=0)
        round_ = match.deal()
        assert isinstance(round_, Round)
        while round_.settlement is None:
            round_.take(seats[round_.turn].decide(round_.view(round_.turn)))
        assert len(round_.history) == 3
        assert one.decisions == 2 * 4


def test_copies_of_a_file_are_told_apart_in_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = preset("knockout", players=3, dice=1)
    seated: list[Decider] = []

    def play(match: Match, deciders: Sequence[Decider], on_round: object) -> int:
        files = [one for one in deciders if isinstance(one, PlugIn)]
        assert len({*files}) == len(files)
        seated.extend(files)
        return 0

    monkeypatch.setattr(arena, "play_match", play)
    with closing(PlugIn(EXAMPLES / "my_strategy.py", rules, limit=LONG)) as one:
        other = load_decider("honest", rules, np.random.default_rng(0))
        for _ in play_arena([one, other], rules, 6, 0):
            pass
        assert one.copy(1) in seated
