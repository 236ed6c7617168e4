"""`zhaifei play`, through pipes and on a terminal, in both languages."""

import re
import shlex
from pathlib import Path
from shutil import copy

import pytest

from tests.command_line import Solved, succeeds, zhaifei
from tests.policies.play.attacks import computed
from tests.terminal import CTRL_C, CTRL_D, Terminal
from zhaifei.app.locale import catalogue
from zhaifei.policies.play.records import read_match

SMALL = ("--players", 3, "--dice", 2, "--seed", 5, "--opponent", "honest")
"""The first seat opens the first round, with 4 4; bids that open have a count of 4 or more."""
PROMPT = "your turn (? for help, q to leave) > "
ZH_PROMPT = catalogue("zh").gettext(PROMPT)
NEXT = "Enter for the next round, q to leave > "


def play(*arguments: object, typed: str = "", **options: object) -> str:
    """What `play` prints for these lines from a pipe."""
    return succeeds("play", *arguments, typed=typed, **options)


def rounds_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"── Round (\d+) · first", text)]


def standings_in(text: str) -> list[list[str]]:
    """[player] rank, seat, name and points, best first."""
    _, _, table = text.partition("Standings after")
    return [line.split() for line in table.splitlines()[2:]]


def test_nothing_on_the_screen_or_in_the_record_tells_dice_of_others_during_a_round(
    tmp_path: Path,
) -> None:
    """That the attack works once the match is over, tests/policies/play/test_records.py tells."""
    path, screen, within_reach = tmp_path / "match.jsonl", "", []
    options = ("--opponent", "honest", "--record", path, "--rounds", 3)
    with Terminal("play", *options) as terminal:
        for _ in range(3):
            screen += terminal.wait_for(PROMPT)
            record = path.read_text(encoding="utf-8")
            within_reach.append((screen, record))
            opens = '"round"' in record.splitlines()[-1]
            terminal.type("z10x6\n" if opens else "c\n")
        terminal.end()
    match = read_match(path)
    own = [played.hands[0] or () for played in match.rounds]
    for number in (2, 3):
        found = computed(match.rules, own[:number], *within_reach[number - 1])
        assert (own[number - 1], None) in found
        theirs = match.rounds[number - 1].hands[1]
        assert [hands for hands in found if hands[1] == theirs] == []
    assert (match.seed or 0) > 2**64, "no seed that is drawn is found by trying all"


# through a pipe


def test_a_game_is_played_to_its_last_round() -> None:
    text = play(*SMALL, "--rounds", 4, typed="c\nf4x2\nc\n" * 20)
    assert rounds_in(text) == [1, 2, 3, 4]
    assert "Standings after 4 rounds" in text
    ranking = standings_in(text)
    assert sum(int(row[-1]) for row in ranking) == 4
    assert [int(row[-1]) for row in ranking] == sorted(int(row[-1]) for row in ranking)
    assert {row[2] for row in ranking} == {"you", "honest"}


def test_prompts_and_what_was_typed_are_on_record() -> None:
    text = play(*SMALL, typed="f1x2\nhello\n飞4×2\nq\n")
    assert (
        f"{PROMPT}f1x2\n飞1×2 may not open a round: as the first bid, it must have a count" in text
    )
    assert f"{PROMPT}hello\n'hello' is neither a bid" in text
    assert f"{PROMPT}飞4×2\nyou: 飞4×2\n" in text
    assert text.count(PROMPT) == 4


def test_a_bid_typed_without_a_mode_is_read_back() -> None:
    text = play(*SMALL, typed="四个二\nq\n")
    assert f"{PROMPT}四个二\nno mode given: read as 飞4×2\nyou: 飞4×2\n" in text


@pytest.mark.parametrize("typed", ["", "f4x2\n", "f4x2", "q\n", "f4x2\nQ\n"])
def test_the_end_of_input_leaves_with_the_standings(typed: str) -> None:
    text = play(*SMALL, typed=typed)
    assert "Standings after" in text
    assert len(standings_in(text)) == 3


def test_equal_seeds_and_equal_typing_make_equal_games() -> None:
    typed = "f4x2\nc\n?\nf4x3\nc\nf5x6\nc\n"
    options = ("--players", 3, "--dice", 2, "--opponent", "random")
    one = play(*options, "--seed", 7, typed=typed)
    assert play(*options, "--seed", 7, typed=typed) == one
    assert play(*options, "--seed", 8, typed=typed) != one


def test_a_drawn_seed_is_told_and_repeats_the_game() -> None:
    options = ("--players", 3, "--dice", 2, "--opponent", "honest")
    text = play(*options, typed="f4x2\n")
    seed = re.search(r"^seed (\d+)$", text, re.MULTILINE)
    assert seed
    assert text.endswith(seed[0] + "\n"), "all dice follow from it: it comes when they are shown"
    again = play(*options, "--seed", seed[1], typed="f4x2\n")
    first, rest = again.split("\n", 1)
    assert first.endswith(f" · seed {seed[1]}"), "who typed it knows it"
    assert rest + seed[0] + "\n" == text.split("\n", 1)[1]


def test_a_seat_can_be_chosen() -> None:
    text = play(*SMALL, "--seat", 3, "--show-all")
    assert re.search(r"^→ +3  you ", text, re.MULTILINE)


def test_all_dice_can_be_shown() -> None:
    """The first round of this seed begins with 4 4, 1 2 and 1 1."""
    hidden, shown = play(*SMALL), play(*SMALL, "--show-all")
    assert re.search(r"^ +2  honest +0  1 2 *$", shown, re.MULTILINE)
    assert "1 2" not in hidden


def test_a_bid_made_earlier_can_be_challenged() -> None:
    """With this seed the first such bid is false, and the second true."""
    jump = ("--players", 3, "--jump-challenge", "--opponent", "probabilistic", "--seed", 3)
    text = play(*jump, "--rounds", 2, typed="c2\n跳开2\n")
    assert text.count("you: 跳开, a challenge of") == 2
    assert "2 penalty points for seat 2 (probabilistic)" in text
    assert "2 penalty points for you" in text
    assert [row[-1] for row in standings_in(text)] == ["0", "2", "2"]
    assert "你跳开 2！2 号位（probabilistic）叫的是" in play(*jump, "--lang", "zh", typed="跳开2\n")


def test_bytes_that_are_no_text_are_answered() -> None:
    done = zhaifei("play", *SMALL, typed=b"\xff\xfe\x1b[2J\n")
    assert done.code == 0
    assert "Traceback" not in done.err
    assert "is neither a bid" in done.out


def test_chinese_on_screen() -> None:
    text = play(*SMALL, "--lang", "zh", "--rounds", 2, typed="f1x2\n飞4x2\n开\n开\n" * 3)
    assert "不能用 飞1×2 首叫：这样首叫至少要叫 4 个" in text
    assert "第 1 局 · 先手：你" in text
    assert re.search("罚 1 点", text)
    assert ZH_PROMPT in text
    assert "打了 2 局，排名如下" in text
    assert not re.search("penalty|challenge|seat|your", text)


def test_the_locale_chooses_the_language() -> None:
    assert ZH_PROMPT in play(*SMALL, LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8")


# policies


def test_a_policy_brings_its_rules_plays_and_gives_hints(one_die: Solved) -> None:
    text = play("--policy", one_die.policy, "--seed", 3, "--hints", typed="f2x2\nc\nf2x3\nc\n")
    assert "2 players, 1 die of 3 faces each" in text
    assert "seat 2 (one_die)" in text
    assert re.search(r"^action +probability +value *$", text, re.MULTILINE)
    assert re.search(r"^飞1×2 .*%", text, re.MULTILINE)


def test_the_commands_name_the_rules_as_they_were_named() -> None:
    text = play(*SMALL, "--jump-challenge", "--rounds", 1, typed="f4x2\nc\n")
    assert "zhaifei query --players 3 --dice 2 --jump-challenge --h" in text
    text = play("--rules", "liars_dice", "--opponent", "honest", "--rounds", 1, typed="f1x2\nc\n")
    assert "zhaifei query --rules liars_dice --h" in text


def test_the_commands_it_prints_answer(one_die: Solved) -> None:
    typed = "z1x1\nf2x2\nz2x1\nc\n" * 4
    text = play("--policy", one_die.policy, "--seed", 3, "--rounds", 3, typed=typed)
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("zhaifei query")]
    assert len(commands) >= 3
    for command in commands:
        answer = succeeds(*command[1:])
        assert f"hand {command[-1]}, " in answer


def test_what_was_solved_for_the_rules_plays_by_default(places: Path, liars_dice: Solved) -> None:
    (places / "zhaifei").mkdir(parents=True)
    copy(liars_dice.policy, places / "zhaifei" / "liars_dice-2p.safetensors")
    text = play("--rules", "liars_dice", "--seed", 0, "--hints")
    assert "liars_dice-2p" in text
    assert "no policy is known" not in text


def test_where_no_policy_is_known_a_rule_based_player_stands_in() -> None:
    text = play("--players", 3, "--dice", 2, "--seed", 5)
    assert "no policy is known for these rules" in text
    assert len(re.findall(r"^ +[23]  probabilistic +0 *$", text, re.MULTILINE)) == 2
    assert "no policy is known" not in play(*SMALL)


def test_opponents_take_their_seats_in_turn() -> None:
    options = ("--players", 4, "--dice", 1, "--faces", 2, "--opponent", "honest")
    text = play(*options, "--opponent", "random", "--seed", 1, "--seat", 2)
    rows = [row[1:3] for row in sorted(standings_in(text), key=lambda row: row[1])]
    assert rows == [["1", "honest"], ["2", "you"], ["3", "random"], ["4", "honest"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seat", 4), "there is no seat 4: seats are 1 to 3"),
        (("--opponent", "nobody"), "no player is called 'nobody'"),
        (("--opponent", "random", "--opponent", "random"), "3 opponents are named, but there"),
        (("--players", 9), "players is 9; it must be 2 to 8"),
        (("--rounds", 0), "'0' is not a positive whole number"),
        (("--policy", "missing.safetensors"), "missing.safetensors"),
    ],
)
def test_wrong_arguments_are_one_line(arguments: tuple[object, ...], message: str) -> None:
    done = zhaifei("play", *SMALL, *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_a_policy_for_other_rules_is_refused(one_die: Solved) -> None:
    done = zhaifei("play", "--policy", one_die.policy, "--players", 3)
    assert done.code == 2
    assert "but you asked for" in done.err


# on a terminal


def test_a_round_on_a_terminal() -> None:
    with Terminal("play", *SMALL) as terminal:
        start = terminal.wait_for(PROMPT)
        assert start.count("└──4──┘") == 2
        assert re.search(r"→ +1  you", start)
        terminal.type("f1x9\n")
        assert "飞1×9 is not a bid in these rules" in terminal.wait_for(PROMPT)
        terminal.type("?\n")
        assert "The fewest points win." in terminal.wait_for(PROMPT)
        terminal.type("飞4x2\n")
        shown = terminal.wait_for(PROMPT)
        assert "you: 飞4×2" in shown
        assert "one penalty point for" in shown
        terminal.type("q\n")
        code, end = terminal.end()
    assert code == 0
    assert len(standings_in(end)) == 3


def test_a_round_on_a_chinese_terminal() -> None:
    with Terminal("play", *SMALL, "--rounds", 1, LANG="zh_CN.UTF-8") as terminal:
        terminal.wait_for(ZH_PROMPT)
        terminal.type("开\n")
        assert "还没有人叫，不能开" in terminal.wait_for(ZH_PROMPT)
        terminal.type("飞４ｘ２\n")
        code, end = terminal.end()
    assert code == 0
    assert "你叫 飞4×2" in end
    assert "打了 1 局，排名如下" in end


@pytest.mark.parametrize(
    ("key", "expected"), [(CTRL_C, 130), (CTRL_D, 0)], ids=["interrupt", "end of input"]
)
def test_keys_that_end_the_game_leave_the_standings(key: str, expected: int) -> None:
    with Terminal("play", *SMALL) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type("f4")
        terminal.type("\x15")  # takes the line back
        terminal.press(key)
        code, end = terminal.end()
    assert code == expected
    assert "Traceback" not in end
    assert len([row for row in standings_in(end) if "0" in row]) == 3
    assert ("zhaifei: interrupted" in end) == (expected == 130)


def test_the_terminal_may_change_its_size_while_waiting() -> None:
    with Terminal("play", *SMALL, "--show-all", columns=100) as terminal:
        wide = terminal.wait_for(PROMPT)
        assert "penalty points  bids so far  dice" in wide
        terminal.resize(20)
        terminal.type("f4x2\n")
        narrow = terminal.wait_for("zhaifei query").partition("f4x2")[2]
        assert max(map(len, narrow.splitlines())) <= 20
        terminal.resize(100)
        terminal.type("q\n")
        code, _ = terminal.end()
    assert code == 0


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_lines_are_typed_on_terminals_of_all_kinds_and_sizes(kind: str) -> None:
    """Where the cursor cannot move up, readline crashes once the prompt is wider than the row."""
    with Terminal("play", *SMALL, "--rounds", 1, TERM=kind) as terminal:
        terminal.wait_for(PROMPT)
        for columns in (5, 200, 1, 20):
            terminal.resize(columns)
            terminal.type("f4x")
        terminal.type("\x15f4x2\n")
        code, end = terminal.end()
    assert code == 0
    assert "Standings" in end


def test_a_line_can_be_edited() -> None:
    with Terminal("play", *SMALL, "--rounds", 1) as terminal:
        terminal.wait_for(PROMPT)
        terminal.type("4x3\x082\x01飞\n")
        _, end = terminal.end()
    assert "you: 飞4×2" in end
