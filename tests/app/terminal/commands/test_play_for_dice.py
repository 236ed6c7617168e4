"""`zhaifei play` where dice are lost, through pipes and on a terminal, in both languages."""

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import refused, succeeds, zhaifei
from tests.terminal import Terminal
from zhaifei.app.locale import catalogue
from zhaifei.policies.play.records import read_match

TWO = ("--rules", "knockout", "--players", 2, "--dice", 2, "--seed", 1, "--opponent", "honest")
"""You open with 5 5 against 2 5; in the next round you have 4 4, and the first die of honest is a
2. honest bids what it holds with the ones and threes that it expects, and challenges more."""
MATCH = "f3x5\nf1x4\nc\n"
"""飞3×5 is true, and honest challenges it. It raises 飞1×4 to 飞1×5, which is false."""
THREE = ("--rules", "knockout", "--players", 3, "--dice", 2, "--seed", 5)
"""You open with 3 6 against 5 5 and 1 3."""
PROMPT = "your turn (? for help, q to leave) > "
OUT_OF_TURN = "challenge, or n to let it stand (? for help, q to leave) > "
NEVER = """
class Never:
    def challenge_bid(self, seen):
        return False

    def make_bid(self, seen):
        return None
"""
"""A strategy that never finds a bid."""


def play(*arguments: object, typed: str = "", **options: object) -> str:
    return succeeds("play", *arguments, typed=typed, **options)


def rounds_in(text: str) -> list[tuple[str, str]]:
    """[round] its number and who is first."""
    return re.findall(r"── Round (\d+) · first: (.*) ──", text)


def standings_in(text: str) -> list[list[str]]:
    _, _, table = text.partition("Standings after")
    return [line.split() for line in table.splitlines()[2:]]


# a match of two


def test_a_match_is_played_until_one_player_has_dice() -> None:
    text = play(*TWO, typed=MATCH)
    assert rounds_in(text) == [("1", "you"), ("2", "you")], "the winner starts the next"
    for line in (
        "you: 飞3×5",
        "seat 2 (honest): challenge of 飞3×5 by you",
        "飞3×5 is true: 3 claimed, 3 on the table",
        "you: challenge of 飞1×5 by seat 2 (honest)",
        "飞1×5 is false: 1 claimed, 0 on the table",
        "the match is won by you",
    ):
        assert text.count(f"{line}\n") == 1
    assert text.count("one die lost by seat 2 (honest)\n") == 2
    assert re.search(r"^→ +2  honest +1 \(-1\) +2  \[5\] +1 *$", text, re.MULTILINE)
    assert standings_in(text) == [["1", "1", "you", "2"], ["2", "2", "honest", "0"]]


def test_one_question_asks_to_challenge_or_to_raise() -> None:
    """飞1×5 is asked about once, and 飞2×5 follows it."""
    text = play(*TWO, "--rounds", 2, typed="f3x5\nf1x4\nf2x5\n")
    assert text.count(PROMPT) == 3
    assert "type c to challenge 飞1×5 by seat 2 (honest)" in text
    assert "you: 飞2×5\nseat 2 (honest): challenge of 飞2×5 by you\n" in text
    assert OUT_OF_TURN not in text


def test_everybodys_number_of_dice_is_shown() -> None:
    text = play(*TWO, typed="f3x5\n")
    assert re.search(r"^→ +1  you +2 *\n +2  honest +1 *$", text, re.MULTILINE)


def test_a_bid_that_would_forfeit_is_explained_and_asked_again() -> None:
    text = play(*TWO, typed="f3x5\nhello\nf5x4\nf4x4\nc\nf1x4\nf1x4\nq\n")
    assert f"{PROMPT}hello\n'hello' is neither a bid" in text
    assert "飞5×4 is not a bid in these rules: the count must be 1 to 4, the number of" in text
    assert f"{PROMPT}f4x4\n飞4×4 is too high: there are only 3 dice on the table\n" in text
    assert f"{PROMPT}c\nthere is no bid to challenge: the first player must bid\n" in text
    assert f"{PROMPT}f1x4\n飞1×4 may not follow 飞1×5" in text
    assert standings_in(text) == [["1", "1", "you", "2"], ["2", "2", "honest", "1"]]


def test_leaving_and_so_many_rounds_leave_the_dice_as_they_are() -> None:
    left = play(*TWO, typed="f3x5\nq\n")
    assert standings_in(left) == [["1", "1", "you", "2"], ["2", "2", "honest", "1"]]
    assert standings_in(play(*TWO, "--rounds", 1, typed="f3x5\n")) == standings_in(left)


def test_a_match_in_chinese() -> None:
    text = play(*TWO, "--lang", "zh", typed="三个五\n1个4\n开\n")
    for line in (
        "你叫 飞3×5",
        "2 号位（honest）开！你叫的是 飞3×5",
        "2 号位（honest）输 1 个骰子",
        "你赢下这一场",
        "剩下的骰子",
        "打了 2 局，排名如下",
    ):
        assert line in text
    shown = [line for line in text.splitlines() if not line.startswith("zhaifei query")]
    assert not re.search("penalty|challenge|seat|your|dice|罚", "\n".join(shown))


def test_the_help_is_about_the_rules_of_the_match() -> None:
    text = play(*TWO, typed="?\n")
    for part in ("you lose a die", "The winner of a round starts the next", "wins."):
        assert part in text
    assert "penalty" not in text
    assert "let the bid stand" not in text, "between two nobody is asked only that"
    assert "n, 过: let the bid stand" in play(*THREE, typed="?\n")


# more players


def test_out_of_turn_one_challenges_or_lets_the_bid_stand() -> None:
    """飞6×6 of the last player is false: there are a six and a one."""
    typed = "f2x3\nn\nf4x6\nc\n"
    text = play(
        *THREE, "--opponent", "aggressive", "--opponent", "random", "--rounds", 1, typed=typed
    )
    assert f"{OUT_OF_TURN}n\n" in text
    assert f"{OUT_OF_TURN}f4x6\n飞4×6 comes too early: others are asked first\n" in text
    assert f"{OUT_OF_TURN}c\n" in text
    assert "飞6×6 is false: 6 claimed, 2 on the table\none die lost by seat 3 (random)" in text
    assert [row[1:] for row in standings_in(text)][-1] == ["3", "random", "1"]


def test_who_is_out_is_told_and_the_others_play_on() -> None:
    """You open with 6 against 6 and 5, and 飞3×5 is false."""
    sizes = ("--rules", "classic", "--players", 3, "--dice", 1, "--seed", 2)
    text = play(*sizes, "--opponent", "honest", typed="f3x5\n")
    assert "one die lost by you\nout of the match: you\n" in text
    assert len(rounds_in(text)) == 2
    assert text.count(PROMPT) == 1
    assert re.search("the match is won by seat [23]", text)
    assert standings_in(text)[-1] == ["3", "1", "you", "0"]


def test_four_play_by_default_against_a_rule_of_thumb() -> None:
    text = play("--rules", "classic", "--seed", 1)
    assert "4 players" in text
    assert "no policy is known for these rules: the rule-based player 'probabilistic' plays" in text
    assert [row[2] for row in standings_in(text)].count("probabilistic") == 3


# other rules


def test_in_increment_the_next_count_is_told() -> None:
    options = ("--rules", "increment", "--players", 2, "--dice", 3, "--seed", 4)
    text = play(*options, "--opponent", "true-probability", typed="z2x1\nz1x1\n")
    assert "you open: bid a count of 1\n" in text
    assert "斋2×1 is not allowed here: the next bid must have a count of 1" in text
    assert "the next bid has a count of 3" in text


def test_in_published_the_dice_open() -> None:
    """With 3 6 they bid 斋2×3, which is false against 5 5."""
    options = ("--rules", "published", "--players", 2, "--dice", 2, "--seed", 5, "--rounds", 1)
    text = play(*options, "--opponent", "probabilistic")
    assert "you: 斋2×3, made by the dice\nseat 2 (probabilistic): challenge of 斋2×3" in text
    assert "one die lost by you" in text
    assert "你首叫 斋2×3，由骰子定" in play(*options, "--opponent", "probabilistic", "--lang", "zh")


def test_a_match_may_begin_with_different_numbers_of_dice() -> None:
    uneven = ("--rules", "knockout", "--opponent", "honest", "--seed", 1)
    assert re.search(r"1  you +5 *\n +2  honest +3 ", play(*uneven, "--dice", "5,3"))
    assert re.search(r"1  you +3 *\n +2  honest +5 ", play(*uneven, "--dice", "3,5"))
    assert "2 players, 5 against 3 dice" in play(*uneven, "--dice", "5,3")


# options


def test_a_seat_can_be_chosen() -> None:
    text = play(*TWO, "--seat", 2)
    assert "── Round 1 · first: seat 1 (honest) ──" in text
    assert re.search(r"^→ +2  you +2 ", text, re.MULTILINE)


def test_all_dice_can_be_shown() -> None:
    assert re.search(r"2  honest +2  2 5 *$", play(*TWO, "--show-all"), re.MULTILINE)
    assert "2 5" not in play(*TWO)


def test_equal_seeds_and_equal_typing_make_equal_matches() -> None:
    options = ("--rules", "classic", "--players", 2, "--opponent", "random")
    typed = "f2x2\nc\nf3x6\nc\nc\n"
    one = play(*options, "--seed", 7, typed=typed)
    assert play(*options, "--seed", 7, typed=typed) == one
    assert play(*options, "--seed", 8, typed=typed) != one


def test_a_strategy_file_plays_and_its_invalid_bids_are_told(tmp_path: Path) -> None:
    """飞1×5 is true, as you hold 5 5: who has no valid bid challenges it."""
    path = tmp_path / "never.py"
    path.write_text(NEVER)
    sizes = ("--rules", "knockout", "--players", 2, "--dice", 2, "--seed", 1, "--opponent", path)
    text = play(*sizes, "--rounds", 1, typed="f1x5\n")
    assert "seat 2 (never.py): no valid bid, so a challenge of 飞1×5 by you\n" in text
    assert "one die lost by seat 2 (never.py)" in text
    first = play(*sizes, "--seat", 2, "--rounds", 1)
    assert "seat 1 (never.py): no valid bid, which costs a die\none die lost by seat 1" in first
    assert "2 号位（never.py）没有叫出有效的叫点，算是开 你叫的 飞1×5" in play(
        *sizes, "--rounds", 1, "--lang", "zh", typed="f1x5\n"
    )


def test_a_match_is_recorded_and_shown_again(places: Path) -> None:
    seen = play(*TWO, typed=MATCH)
    (record,) = places.rglob("*.jsonl")
    match = read_match(record)
    assert (match.score, [played.dice for played in match.rounds]) == ([2, 0], [(2, 2), (2, 1)])
    again = succeeds("watch", record, typed="\n")
    for told in (seen, again):
        said = [
            line for line in told.splitlines() if ": " in line and ("飞" in line or "is" in line)
        ]
        assert "you: 飞3×5" in said
        assert "飞1×5 is false: 1 claimed, 0 on the table" in said
        assert "the match is won by you" in told.splitlines()
        assert standings_in(told) == [["1", "1", "you", "2"], ["2", "2", "honest", "0"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seat", 3), "there is no seat 3: seats are 1 to 2"),
        (("--opponent", "nobody"), "2 opponents are named, but there are seats for 1"),
        (("--policy", "reader"), "reader does not play by these rules"),
    ],
)
def test_wrong_arguments_are_one_line(arguments: tuple[object, ...], message: str) -> None:
    refused("play", *TWO, *arguments, says=(message,))


def test_hints_are_refused_where_no_policy_is_known() -> None:
    outcome = zhaifei("play", *THREE, "--hints")
    assert outcome.code == 2
    assert outcome.err == ("zhaifei: --hints: no policy that is known for these rules plays here\n")
    assert "Round" not in outcome.out


@pytest.mark.usefixtures("places")
def test_a_policy_that_was_solved_for_matches_of_two_plays_and_gives_hints() -> None:
    """Also where the players have different numbers of dice; and it is for two players only."""
    sizes = ("--rules", "knockout", "--dice", 2, "--faces", 2)
    succeeds("solve", *sizes, "--players", 2, "--iterations", 100, "--threads", 1)
    text = play(*sizes, "--players", 2, "--hints", "--seed", 1, typed="f4x2\nf3x2\nf2x2\nc\nc\n")
    assert "seat 2 (knockout-2p-2x2)" in text
    assert "no policy is known" not in text
    assert "no hints" not in text
    heads = re.findall(r"^action +probability +wins round +wins match *$", text, re.MULTILINE)
    assert len(heads) == text.count("your dice:") >= 2, "before each decision"
    assert re.search(r"^ +[12] +(?:you|knockout-2p-2x2) +1 *$", text, re.MULTILINE)
    assert "no policy is known" in play(*sizes, "--players", 3, "--seed", 1)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy for matches of two dice each."""
    out = tmp_path_factory.mktemp("match") / "mine.safetensors"
    sizes = ("--rules", "knockout", "--players", 2, "--dice", 2, "--faces", 3)
    succeeds("solve", *sizes, "--iterations", 4000, "--threads", 1, "--out", out)
    return out


def commands_in(text: str) -> list[list[str]]:
    """The commands for advice, without the name of the program."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("zhaifei query")]


def worth_in(text: str) -> list[list[str]]:
    """[action] its name, how often it is played, how often it wins the round and the match."""
    rows = re.findall(r"^(\S+) +([0-9.]+%) +█* *([0-9.]+%) +([0-9.]+%) *$", text, re.MULTILINE)
    return [[*row] for row in rows]


@pytest.mark.parametrize("rules", [(), ("--rules", "knockout", "--faces", 3, "--dice", "1,2")])
def test_a_hint_says_what_the_command_for_advice_says_after_the_round(
    solved: Path, rules: tuple[object, ...]
) -> None:
    """Whoever opens, with as many dice or fewer; a file that is named brings the rules."""
    openers = set()
    for seed in range(1, 5):
        options = ("--policy", solved, *rules, "--hints", "--rounds", 1, "--seed", seed)
        text = play(*options, typed="c\nf1x2\nc\n")  # who opens may not challenge
        openers |= {*rounds_in(text)}
        hint, told = text.split("\nhint\n")[-1].split("advice on your last decision:\n")
        (command,) = commands_in(told)
        answer = succeeds(*command)
        decides = re.compile(r"^after winning this round .*$", re.MULTILINE)
        assert decides.findall(answer) == decides.findall(hint)
        best = worth_in(answer)
        assert worth_in(hint)[: len(best)] == best != []
    assert len(openers) == 2


def test_every_command_for_advice_in_a_match_can_be_typed(solved: Path) -> None:
    text = succeeds("watch", "--policy", solved, "--seed", 3, typed="\n" * 3)
    commands = commands_in(text)
    assert len(commands) == len(rounds_in(text)) >= 2
    for command in commands:
        assert f"policy {solved}: a best response gains" in succeeds(*command)


def test_no_command_for_advice_is_told_where_no_policy_answers(solved: Path) -> None:
    for named in (("--policy", "honest"), ("--faces", 7)):
        text = succeeds("watch", *TWO[:-2], *named, "--opponent", "honest", typed="\n" * 3)
        assert rounds_in(text)
        assert commands_in(text) == []


# on a terminal


def test_a_match_on_a_terminal() -> None:
    with Terminal("play", *TWO) as terminal:
        assert terminal.wait_for(PROMPT).count("└──5──┘") == 2
        terminal.type("f3x5\n")
        assert "one die lost by seat 2 (honest)" in terminal.wait_for(PROMPT)
        terminal.type("f1x4\n")
        assert "type c to challenge 飞1×5" in terminal.wait_for(PROMPT)
        terminal.type("c\n")
        code, end = terminal.end()
    assert code == 0
    assert "the match is won by you" in end


def test_a_match_on_a_narrow_chinese_terminal() -> None:
    with Terminal("play", *TWO, columns=20, LANG="zh_CN.UTF-8") as terminal:
        terminal.wait_for(catalogue("zh").gettext(PROMPT)[-5:])
        terminal.type("飞3x5\n")
        shown = terminal.wait_for("第 2 局").partition("3x5")[2]
        terminal.type("q\n")
        code, _ = terminal.end()
    assert code == 0
    assert "输 1 个骰子" in re.sub(r"\s", " ", shown)
