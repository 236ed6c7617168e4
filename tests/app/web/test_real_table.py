"""A table with real dice: each bid is one tap, each tap can be taken back, dice may be unknown."""

from pathlib import Path

import numpy as np
import pytest

from zhaifei.app.web.real_table import (
    OWN,
    ROWS,
    RealTable,
    Setup,
    bid_grid,
    has_more,
    next_character,
)
from zhaifei.app.web.table_html import middle_html
from zhaifei.game.bids import Bid, State, domain, legal_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_bid
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.people import Character, Manner, person_of, portrait_of
from zhaifei.policies.learning.manners import STYLES
from zhaifei.policies.learning.memory import Shown
from zhaifei.policies.play.records import read_match, write_match
from zhaifei.policies.players.kinds import LIMITS

FOUR = preset("zhaifei", players=4, jump_challenge=True)


def fei(count: int, face: int) -> Bid:
    return Bid(Mode.FEI, count, face)


def tapped(table: RealTable, seat: int, dice: str) -> None:
    for face in dice:
        table.add_die(seat, int(face))


def played(starter: int = 3) -> RealTable:
    """A table at which seat 4 opens, you raise, and the next player challenges."""
    table = RealTable(FOUR, starter)
    tapped(table, OWN, "11346")
    table.bid(fei(5, 6))
    table.bid(fei(6, 4))
    table.challenge()
    return table


def test_turns_go_round() -> None:
    table = RealTable(FOUR, 3)
    assert table.turn == 3
    table.bid(fei(5, 6))
    assert table.turn == OWN
    assert table.bids == (fei(5, 6),)
    assert list(table.distances) == [1]
    table.bid(fei(6, 4))
    assert list(table.distances) == [1, 2]


def test_who_lost_by_the_dice() -> None:
    table = played()
    assert table.turn is None
    assert table.challenged is not None
    assert (table.challenged.bidder, table.challenged.challenger) == (OWN, 1)
    assert table.loser is None
    for seat, dice in ((1, "22222"), (2, "35555"), (3, "11444")):
        assert table.counted() is None
        tapped(table, seat, dice)
    assert table.counted() == 8
    assert table.loser == 1
    table.next_round()
    assert table.points == [0, 1, 0, 0]
    assert (table.turn, table.hand, table.bids) == (1, None, ())


def test_somebody_says_who_lost() -> None:
    table = played()
    with pytest.raises(ZhaifeiError, match="say who lost"):
        table.next_round()
    with pytest.raises(ZhaifeiError, match="cannot have lost"):
        table.lost(2)
    table.lost(OWN)
    table.next_round()
    assert table.points == [1, 0, 0, 0]
    assert table.turn == OWN


def test_dice_that_contradict_are_refused() -> None:
    table = played()
    table.lost(OWN)
    with pytest.raises(ZhaifeiError, match="cannot have lost"):
        tapped(table, 1, "44444")
    assert table.state.dice[1] == (4, 4, 4, 4)


def test_a_jump_costs_more() -> None:
    table = RealTable(FOUR)
    table.bid(fei(5, 6))
    table.bid(fei(6, 4))
    table.challenge(2)
    table.lost(OWN)
    table.next_round()
    assert table.points == [2, 0, 0, 0]


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda table: table.bid(fei(4, 6)), "may not open|not stronger"),
        (lambda table: table.challenge(), "no bid to challenge"),
        (lambda table: table.challenge(0), "1 bid ago"),
        (lambda table: table.challenge(-400), "1 bid ago"),
        (lambda table: table.next_round(), "goes on"),
        (lambda table: table.lost(OWN), "nobody has lost"),
        (lambda table: table.add_die(OWN, 7), "shows a 7"),
        (lambda table: table.add_die(4, 1), "no seat 5"),
        (lambda table: table.remove_die(-1, 1), "no seat 0"),
        (lambda table: table.start(9), "no seat 10"),
        (lambda table: table.tell(9, None), "no seat 10"),
        (lambda table: table.undo(), "nothing to take back"),
    ],
)
def test_what_cannot_be_changes_nothing(act, why: str) -> None:  # type: ignore[no-untyped-def]
    table = RealTable(FOUR)
    before = table.state
    with pytest.raises(ZhaifeiError, match=why):
        act(table)
    assert table.state is before
    assert not table.can_undo


def test_after_the_challenge_nothing_follows() -> None:
    table = played()
    assert not table.can_bid(fei(9, 6))
    assert list(table.distances) == []
    for act in (lambda: table.bid(fei(9, 6)), table.challenge):
        with pytest.raises(ZhaifeiError, match="has ended"):
            act()


def test_every_tap_can_be_taken_back() -> None:
    table, states = RealTable(FOUR, 3), []
    acts = [
        *(lambda face=face: table.add_die(OWN, face) for face in (1, 1, 3, 4, 6)),
        lambda: table.remove_die(OWN, 6),
        lambda: table.add_die(OWN, 5),
        lambda: table.bid(fei(5, 6)),
        lambda: table.tell(3, Character.BLUFFS),
        lambda: table.bid(fei(6, 4)),
        table.challenge,
        lambda: table.lost(1),
        table.next_round,
        lambda: table.start(2),
    ]
    for act in acts:
        states.append(table.state)
        act()
    while states:
        table.undo()
        assert table.state == states.pop()
    assert not table.can_undo


def test_who_starts_is_said_before_the_first_bid() -> None:
    table = RealTable(FOUR)
    table.start(2)
    table.bid(fei(5, 6))
    assert table.seat_of(0) == 2
    with pytest.raises(ZhaifeiError, match="has begun"):
        table.start(1)


def test_a_die_that_is_not_there_is_not_taken_away() -> None:
    table = RealTable(FOUR)
    table.remove_die(OWN, 3)
    assert not table.can_undo


def test_a_question_needs_own_dice_and_a_round() -> None:
    table = RealTable(FOUR)
    assert table.question() is None
    tapped(table, OWN, "11346")
    asked = table.question()
    assert asked is not None
    assert (asked.turn, asked.hand, asked.bids) == (OWN, (1, 1, 3, 4, 6), ())
    table.bid(fei(5, 6))
    table.challenge()
    assert table.question() is None


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = played()
    table.lost(1)
    table.next_round()
    table.bid(fei(5, 2))
    write_match(tmp_path / "record.jsonl", table.match())
    match = read_match(tmp_path / "record.jsonl")
    assert match == table.match()
    assert match.rounds[0].hands == ((1, 1, 3, 4, 6), None, None, None)
    assert match.rounds[0].losses == (0, 1, 0, 0)
    assert match.rounds[1].losses is None
    assert match.you == OWN


def test_what_was_learnt_goes_when_its_round_is_taken_back() -> None:
    table = played()
    table.lost(1)
    table.next_round()
    (one,) = table.not_noted
    styles = np.where(np.array(STYLES) == "bluffs", 0.0, -9.0)[np.newaxis]
    bluffed = Shown(styles, np.zeros((1, len(LIMITS))), np.full(1, -9.0))
    table.note(one, (None, bluffed, None, None))
    assert table.not_noted == ()
    assert portrait_of(table.person(1)).manner is Manner.BLUFFS
    assert table.person(1).rounds == 1
    assert table.person(2).rounds == 0
    table.tell(1, Character.CAREFUL)
    assert table.person(1).style != person_of(table.rules, Character.CAREFUL).style
    for _ in range(2):
        table.undo()
    assert table.person(1).rounds == 0
    table.tell(1, Character.CAREFUL)
    assert table.person(1).style == pytest.approx(person_of(table.rules, Character.CAREFUL).style)


def test_taps_on_a_player_go_through_all_characters() -> None:
    told, seen = None, []
    for _ in range(3):
        told = next_character(told)
        seen.append(told)
    assert seen == [*Character, None]


# The grid


@pytest.mark.parametrize("players", range(2, 9))
def test_all_bids_of_a_grid_are_legal_and_the_weakest_are_on_it(players: int) -> None:
    rules = preset("zhaifei", players=players, jump_challenge=False)
    for last in (None, domain(rules)[len(domain(rules)) // 2], domain(rules)[-2]):
        shown = [bid for row in bid_grid(rules, State(last)) for bid in row.bids if bid is not None]
        legal = legal_bids(rules, last)
        assert {*shown} <= {*legal}
        assert legal[0] in shown
        every = [
            bid
            for row in bid_grid(rules, State(last), rules.total_dice + 1)
            for bid in row.bids
            if bid
        ]
        assert sorted(every, key=legal.index) == list(legal)
        assert has_more(rules, State(last)) == (len(shown) < len(legal))


def test_a_grid_has_a_place_for_each_face() -> None:
    grid = bid_grid(preset("zhaifei", players=2, jump_challenge=False), State())
    assert [(row.mode, row.count) for row in grid] == [
        (Mode.FEI, 3),
        (Mode.FEI, 4),
        (Mode.FEI, 5),
        (Mode.FEI, 6),
        (Mode.ZHAI, 3),
        (Mode.ZHAI, 4),
        (Mode.ZHAI, 5),
    ]
    assert len(grid) == 2 * ROWS - 1
    assert grid[0].bids == (None, *(fei(3, face) for face in range(2, 7)))


def test_nothing_is_left_after_the_strongest_bid() -> None:
    rules = preset("zhaifei", players=2, jump_challenge=False)
    assert bid_grid(rules, State(domain(rules)[-1])) == ()
    assert not has_more(rules, State(domain(rules)[-1]))


def test_a_setup_keeps_the_starter_at_the_table() -> None:
    setup = Setup()
    setup.starter = 3
    setup.set_players(2)
    assert setup.starter == 1
    setup.jump_challenge = True
    assert setup.table().rules == preset("zhaifei", players=2, jump_challenge=False)


def test_doubles_and_giving_up_are_tapped() -> None:
    rules = Rules.of(doubled=(2, 4))
    table = RealTable(rules)
    assert (table.double, table.may_give_up) == (None, False)
    table.bid(fei(4, 6))
    assert table.double is not None
    table.bid(table.double)
    assert (str(table.double), table.may_give_up) == ("反劈", True)
    assert 'data-tap="surrender"' in middle_html(table, None, 3)
    table.give_up()
    assert (table.loser, table.turn, table.may_give_up) == (OWN, None, False)
    table.next_round()
    assert table.points == [1, 0]


def test_after_a_double_two_of_several_players_are_tapped_in_turn() -> None:
    table = RealTable(Rules.of(players=3, doubled=(2, 4)), starter=2)
    for said in ("飞4x6", "飞5x6"):
        table.bid(parse_bid(said))
    assert table.turn == 1
    for turn in (0, 1):
        assert table.double is not None
        table.bid(table.double)
        assert table.turn == turn
    assert [table.seat_of(place) for place in range(4)] == [2, 0, 1, 0]
    table.give_up()
    assert (table.loser, table.played.losses) == (1, (0, 1, 0))
