"""Rounds in one line each: what people write is read, and what is written is read back."""

import pytest
from hypothesis import given, settings

from tests.policies.play.played_matches import played_matches, preset_rules, printable
from zhaifei.game.bids import challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_actions, parse_hand
from zhaifei.game.rules import Rules, preset
from zhaifei.game.texts import LONGEST
from zhaifei.policies.play.played import UNNAMED, YOU, PlayedMatch
from zhaifei.policies.play.record_lines import RecordError, format_match
from zhaifei.policies.play.record_reading import parse_match
from zhaifei.policies.play.record_text import (
    CHINESE,
    ENGLISH,
    RoundReader,
    Words,
    format_rounds,
    parse_rounds,
)

FIVE = preset("zhaifei", players=5)


_OF_THE_PERSON = ("i", "me", "you", "我", "你", "ｉ")
writable = printable.filter(
    lambda name: not set(name) & set(";；") and name.lower() not in _OF_THE_PERSON
)


@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
@settings(max_examples=100, derandomize=True)
@given(match=played_matches(preset_rules(), writable))
def test_what_is_written_is_read(words: Words, match: PlayedMatch) -> None:
    assert parse_rounds(format_rounds(match, words)) == match


@pytest.mark.parametrize(
    "text",
    [
        "5人 先手3: 飞6x4 飞7x4 斋4x4 开; 我=2: 11346; 老王=4: 22335; 输5",
        "5人，先手3：飞6x4，飞7x4，斋4x4 开；我＝2：11346；老王＝4：22335；5输",
        "先手３号位 五人: 6个4 7个4 斋4个4开; 老王=4: 2 2 3 3 5; 我=2: 1,1,3,4,6; 输 5",
        "starter 3, 5 players: f6x4 f7x4 z4x4 challenge; me=2: 11346; 老王=4: 22335; seat 5 lost",
        "5p 3 starts: f64 f74 z44 c; You=2; 老王=4; 5 loses; 4: 22335; 我: 64311",
        "5 dice 5 players zhaifei first 3: f64 f74 z44 c; i=2: 11346; 老王=4: 22335; loser 5",
    ],
)
def test_one_round_is_written_in_many_ways(text: str) -> None:
    found = parse_rounds(text)
    assert found.rules == FIVE
    assert (found.seats, found.you) == ((UNNAMED, YOU, UNNAMED, "老王", UNNAMED), 1)
    (played,) = found.rounds
    assert (played.starter, played.losses) == (2, (0, 0, 0, 0, 1))
    assert played.actions == parse_actions(FIVE, "飞6x4 飞7x4 斋4x4 c")
    mine, other = parse_hand(FIVE, "11346"), parse_hand(FIVE, "22335")
    assert played.hands == (None, mine, None, other, None)


def test_later_lines_leave_out_what_is_known() -> None:
    found = parse_rounds(
        """
        # at the bar, Friday
        3 players, 2 dice, jump, me first: f4x2 f4x3 c2; me=2; Li=3; 1: 26; Li: 26; me: 66

        f4x2 f4x3 开; Li lost; Li: 12
        f4x2
        """
    )
    assert found.rules == preset("zhaifei", players=3, dice=2, jump_challenge=True)
    assert found.seats == (UNNAMED, YOU, "Li")
    assert [played.starter for played in found.rounds] == [1, 1, 2]
    assert [played.losses for played in found.rounds] == [(0, 2, 0), (0, 0, 1), None]


HOUSE = preset("zhaifei", house=["ones-highest", "straight=nothing", "first-count=2"])


@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
def test_house_rules_are_written_and_read_again(words: Words) -> None:
    match = parse_rounds("2人 规矩 ones-highest+straight=nothing+first-count=2 先手1: z3x6 z3x1 开")
    assert match.rules == HOUSE
    assert parse_rounds(format_rounds(match, words)) == match
    spelled = "2人 house first-count=2+ones-highest+straight=nothing 先手1: z3x6 z3x1 c"
    assert parse_rounds(spelled) == match


def test_a_straight_that_counts_nothing_loses_the_round_for_its_bidder() -> None:
    line = "2人 house straight=nothing 先手1: f3x2 c; 1: 12345; 2: 22666"
    (played,) = parse_rounds(line).rounds
    assert played.losses == (1, 0)
    (plain,) = parse_rounds(line.replace("house straight=nothing ", "")).rounds
    assert plain.losses == (0, 1)


def test_a_jump_challenge_needs_the_rule_and_costs_its_distance() -> None:
    (played,) = parse_rounds("4人 跳开 先手1: f6x2 f6x3 f6x4 跳开3; 输4").rounds
    assert played.actions[-1] == challenge_action(preset("zhaifei", players=4), 3)
    assert played.losses == (0, 0, 0, 3)
    with pytest.raises(RecordError, match="these rules are without 跳开"):
        parse_rounds("4人 先手1: f6x2 f6x3 f6x4 跳开3")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no round"),
        ("# nothing", "there is no round"),
        ("先手3: f6x4", "how many play?"),
        ("5人: f6x4", "who starts?"),
        ("5人 先手1: f6x4 c\n f6x4", "line 2: who starts?"),
        ("5人 先手6: f6x4", "there is no seat 6: seats are 1 to 5"),
        ("5人 先手0: f6x4", "there is no seat 0"),
        ("9人 先手1: f6x4", "players is 9"),
        ("5人 9人 先手1: f6x4", "'9人' is given twice"),
        ("5人 先手1 乱写: f6x4", "cannot read '乱写' before the colon"),
        ("5人 先手我: f6x4", "'我' has no seat yet"),
        ("5人 先手1: hello", "cannot read the history"),
        ("5人 先手1: f1x4", "may not open a round"),
        ("5人 先手1: f6x4 f6x3", "is not stronger"),
        ("5人 先手1: 开", "no bid to challenge"),
        ("5人 先手1: f6x4; 2: 1134", "hand 1134 has 4 dice"),
        ("5人 先手1: f6x4; 2: 11347", "shows a 7"),
        ("5人 先手1: f6x4; 2: 11346; 2: 11346", "seat 2 has dice already"),
        ("5人 先手1: f6x4; 老王: 11346", "'老王' is not a seat"),
        ("5人 先手1: f6x4; A=1; A=2; A: 11346", "'A' is not a seat"),
        ("5人 先手1: f6x4; A=1; B=1", "seat 1 cannot be called 'B' now"),
        ("5人 先手1: f6x4; 我=1; 我=2", "you sit in seat 1 already"),
        ("5人 先手1: f6x4; A=1; 我=1", "seat 1 is taken"),
        ("5人 先手1: f6x4; 我=1; A=1", "seat 1 cannot be called 'A' now"),
        ("5人 先手1: f6x4; =1", "seat 1 cannot be called '' now"),
        ("5人 先手1: f6x4; 输1", "nobody has lost yet"),
        ("5人 先手1: f6x4 c; 输3", "seat 3 cannot have lost"),
        ("5人 先手1: f6x4 c; 输1; 输2", "cannot read '输2'"),
        ("5人 先手1: f6x4; what", "cannot read 'what'; after semicolons"),
        ("5人 先手1: f6x4\n4人 先手1: f5x4", "line 2: the lines before are for other rules"),
        ("5人 先手1: f6x4\nbasic 先手1: f6x4", "line 2: the lines before are for other rules"),
        ("5人 先手1: f6x4\n跳开 先手1: f6x4", "line 2: the lines before are for other rules"),
        ("5人 剩5,5,5,5,4 先手1: f6x4", "nobody loses dice by these rules"),
        ("3人 classic 剩5,4 先手1: f1x4", "2 numbers of dice for 3 players"),
        ("3人 classic 剩5,6,5 先手1: f1x4", "seat 2 cannot have 6 dice left, only 0 to 5"),
        ("3人 classic 剩0,5,5 先手1: f1x4", "the player in seat 1 is out"),
        ("3人 classic 剩5,0,5 先手1: f1x4; 2: 11346", "hand 11346 has 5 dice; it must have 0"),
        ("3人 classic 剩5,3,5 先手1: f1x4; 2: 11346", "hand 11346 has 5 dice; it must have 3"),
        ("3人 classic 先手1: f1x4 3号开", "it is the turn of seat 2"),
        ("3人 classic 先手1: f1x4 过 开", "nobody is asked whether to challenge"),
        ("3人 classic 先手1: f1x4 开 过", "cannot read the history"),
        ("2人 published 先手1: 斋3x5 开; 1: 555566", "the dice of the starter make the first bid"),
        ("5人 先手1: 犯规", "by these rules the player chooses again"),
        ("5人 house aces 先手1: f6x4", "'aces' is not a house rule"),
        (
            "5人 先手1: f6x4\nhouse ones-highest 先手1: f6x4",
            "line 2: the lines before are for other rules",
        ),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, why: str) -> None:
    with pytest.raises(RecordError) as refused:
        parse_rounds(text)
    assert why in str(refused.value)
    assert str(refused.value).startswith("text, line ")


KNOCKOUT = "3人 knockout 2骰 先手1: "
CLASSIC = "3人 classic 2骰 先手1: "


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("f1x2 f2x3 开", "f1x2 pass pass f2x3 c"),
        ("f1x2 过 过 f2x3 过 开", "f1x2 pass pass f2x3 pass c"),
        ("f1x2 过 f2x3 3号开", "f1x2 pass pass f2x3 c"),
        ("f1x2 f2x3 1号开", "f1x2 pass pass f2x3 pass c"),
        ("f1x2 f2x3，一号位 开", "f1x2 pass pass f2x3 pass c"),
        ("f1x2 f2x3 seat 1 challenges", "f1x2 pass pass f2x3 pass c"),
        ("f1x2 f2x3 Seat 1: c", None),
        ("f6x6 过 过 开", "f6x6 pass pass c"),
        ("f1x2 f2x3 过 过 开", None),
        ("f1x2 f2x3 犯规", "f1x2 pass pass f2x3 pass pass forfeit"),
        ("f1x2 f2x3 过", "f1x2 pass pass f2x3 pass"),
        ("犯规", "forfeit"),
        ("f1x2 f2x3 2号开", None),
        ("f1x2 过 过 过 f2x3", None),
        ("过", None),
    ],
)
def test_who_declined_follows_from_who_acts_next(text: str, taken: str | None) -> None:
    if taken is None:
        with pytest.raises(RecordError):
            parse_rounds(KNOCKOUT + text)
        return
    match = parse_rounds(KNOCKOUT + text)
    assert match.rounds[0].actions == parse_actions(match.rules, taken)


def test_a_challenge_out_of_turn_may_be_ones_own() -> None:
    (played,) = parse_rounds(f"{KNOCKOUT} f1x2 f2x3 我开; 我=1; 输2").rounds
    assert played.losses == (0, 1, 0)


def test_in_knockout_the_winner_starts_with_the_dice_that_are_left() -> None:
    bids = "f1x2 f2x3 开; 输"
    lines = [f"{KNOCKOUT}{bids}2", f"{bids}1", f"{bids}1", "f1x2 犯规", "剩0,1,1 先手2: f1x3"]
    found = parse_rounds("\n".join(lines)).rounds
    assert [one.starter for one in found] == [0, 2, 1, 2, 1]
    assert [one.dice for one in found] == [(2, 2, 2), (2, 1, 2), (1, 1, 2), (0, 1, 2), (0, 1, 1)]
    assert found[3].hands == ((), None, None), "seat 1 is out"
    with pytest.raises(RecordError, match="line 5: how many dice has everybody left"):
        parse_rounds("\n".join([*lines[:4], "先手2: f1x3"]))


def test_in_classic_the_loser_starts_or_the_player_after_a_loser_who_is_out() -> None:
    bids = "f1x2 f2x3 c; loser "
    lines = [f"{CLASSIC}{bids}2", f"{bids}1", f"{bids}2", "f1x2 c; 1: 2; 3: 33"]
    match = parse_rounds("\n".join(lines))
    assert [one.starter for one in match.rounds] == [0, 1, 0, 2]
    assert [one.dice for one in match.rounds[2:]] == [(1, 1, 2), (1, 0, 2)]
    assert match.rounds[3].losses == (1, 0, 0)
    assert [one.seat for one in match.standings()] == [2, 0, 1]
    assert format_rounds(match, CHINESE).splitlines() == [
        "3人 classic 2骰 先手1: 飞1×2 飞2×3 开; 输2",
        "先手2: 飞1×2 飞2×3 开; 输1",
        "先手1: 飞1×2 飞2×3 开; 输2",
        "先手3: 飞1×2 开; 1: 2; 3: 33",
    ]
    with pytest.raises(RecordError, match="line 5: a round needs at least two players with dice"):
        parse_rounds("\n".join([*lines[:3], "f1x2 c; 输1", "f1x2"]))


def test_two_players_may_have_different_numbers_of_dice() -> None:
    match = parse_rounds("2人 classic 5,3骰 先手1: f1x2 开; 1: 22334; 2: 223; 输2\nf1x2; 2: 23")
    assert match.rules == preset("classic", dice=(5, 3))
    assert [one.dice for one in match.rounds] == [(5, 3), (5, 2)]
    assert parse_rounds(format_rounds(match)) == match
    points = parse_rounds("2人 5,3 dice 先手2: f3x2 c; 1: 223; 2: 22334\nf3x2; 1: 22334")
    assert [one.starter for one in points.rounds] == [1, 0], "seat 1 has the dice of the opener"


def test_a_line_that_is_refused_changes_nothing() -> None:
    reader = RoundReader()
    with pytest.raises(ZhaifeiError):
        reader.read("3人 我=2: f4x4")
    with pytest.raises(ZhaifeiError):
        reader.read("3人 先手1: f4x4; 我=2; 2: 1")
    reader.read("5人 先手1: f6x4; 我=3")
    with pytest.raises(ZhaifeiError):
        reader.read("先手2: f6x4; 老王=4; 输1")
    found = reader.match()
    assert (found.rules, found.you, found.seats[3]) == (FIVE, 2, UNNAMED)
    assert len(found.rounds) == 1


def test_names_that_no_line_can_hold_are_left_out() -> None:
    (line,) = format_rounds(
        PlayedMatch(
            FIVE,
            ("a;b", " x", "我", "", "d"),
            None,
            1,
            "p",
            "0",
            parse_rounds("5人 先手1: f6x4").rounds,
        )
    ).splitlines()
    assert line == "5 players, starter 1: 飞6×4; d=5"


def test_rules_that_have_no_name_cannot_be_written() -> None:
    odd = Rules.of(zhai_weight=3)
    with pytest.raises(ZhaifeiError, match="only known rules"):
        format_rounds(
            PlayedMatch(
                odd, ("a", "b"), None, None, None, "0", parse_rounds("2人 先手1: f3x4").rounds
            )
        )


def test_a_line_has_a_bound() -> None:
    with pytest.raises(RecordError, match="is too long"):
        parse_rounds("5人 先手1: f6x4;" + " " * LONGEST)


@pytest.mark.parametrize("words", [ENGLISH, CHINESE])
def test_bids_after_ones_are_written_and_read_again_where_these_end_fei(words: Words) -> None:
    line = "2人 规矩 ones-end-fei 先手1: f5x4 z3x1 z3x4 z4x4 开; 1: 11446; 2: 14466"
    match = parse_rounds(line)
    assert len(match.rounds[0].bids(match.rules)) == 4
    assert match.rounds[0].losses == (1, 0)
    assert parse_rounds(format_rounds(match, words)) == match
    assert parse_match(format_match(match).encode().splitlines(keepends=True)) == match
    with pytest.raises(ZhaifeiError, match="ones have been named"):
        parse_rounds(line.replace("z4x4", "f10x4"))
