"""`zhaifei record`, through pipes and on a terminal; records that `play` leaves, watched again."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.command_line import Running, refused, succeeds, zhaifei
from tests.terminal import CTRL_C, Terminal
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset
from zhaifei.policies.play.played import UNNAMED, YOU
from zhaifei.policies.play.records import kept_matches, read_match

AT_THE_BAR = """
# Friday
5人 先手3: 飞6x4 飞7x4 斋4x4 开; 我=2: 11346; 老王=4: 22335; 输5
f6x2 8个3 c
starter 1: f6x2 8个3 c; 1: 33333; me: 33333; 3: 22222; 4: 22222; 5: 22222
"""
NEXT = "Enter for the next round, q to leave > "
SMALL = ("play", "--players", 3, "--dice", 2, "--seed", 5, "--opponent", "honest")
"""The first seat opens the first round, with 4 4; bids that open have a count of 4 or more."""


@pytest.fixture
def bar(tmp_path: Path) -> Path:
    path = tmp_path / "bar.jsonl"
    succeeds("record", "--out", path, typed=AT_THE_BAR)
    return path


def test_lines_become_a_record(tmp_path: Path) -> None:
    path = tmp_path / "bar.jsonl"
    printed = succeeds("record", "--out", path, typed=AT_THE_BAR)
    assert printed.splitlines() == [
        "5 players, starter 3: 飞6×4 飞7×4 斋4×4 challenge; me=2: 11346; 老王=4: 22335; loser 5",
        "  seat 5 lost; penalty points: 0, 0, 0, 0, 1",
        "starter 5: 飞6×2 飞8×3 challenge",
        "  who lost is not known: add '; loser 3', or the dice that were shown",
        "starter 1: 飞6×2 飞8×3 challenge; 1: 33333; 2: 33333; 3: 22222; 4: 22222; 5: 22222",
        "  seat 3 lost; penalty points: 0, 0, 1, 0, 1",
        f"3 rounds recorded: zhaifei watch {path} shows them again",
    ]
    match = read_match(path)
    assert match.rules == preset("zhaifei", players=5)
    assert (match.you, match.seats[1:4]) == (1, (YOU, UNNAMED, "老王"))
    assert [played.loser for played in match.rounds] == [4, None, 2]


def test_rounds_for_dice_become_a_record(tmp_path: Path) -> None:
    path = tmp_path / "bar.jsonl"
    typed = "3人 knockout 1骰 先手3: f1x2 2号开; 我=2: 2; 输2\nf1x2 犯规; 输1"
    printed = succeeds("record", "--out", path, typed=typed)
    assert printed.splitlines()[:-1] == [
        "3 players, knockout, 1 dice, starter 3: 飞1×2 seat 2 challenges; me=2: 2",
        "  seat 2 lost; dice left: 1, 0, 1",
        "starter 3: 飞1×2 forfeit; loser 1",
        "  seat 1 lost; dice left: 0, 0, 1",
    ]
    text = succeeds("watch", path, typed="\n")
    assert "you: challenge of 飞1×2 by seat 3" in text
    assert "out of the match: you" in text
    assert "seat 1: no valid bid, so a challenge of 飞1×2 by seat 3" in text
    assert "the match is won by seat 3" in text
    assert [line.split()[:3] for line in text.splitlines()[-3:]] == [
        ["1", "3", "?"],
        ["2", "1", "?"],
        ["3", "2", "you"],
    ]


def test_it_reads_back_in_the_language_of_the_screen(places: Path) -> None:
    printed = succeeds("record", "--lang", "zh", typed="3人 先手1: f4x2; 我=2")
    assert printed.splitlines()[:2] == ["3人 先手1: 飞4×2; 我=2", "  这一局没有打完"]
    (kept,) = kept_matches()
    assert str(kept) in printed
    assert places in kept.parents


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "there is no round"),
        ("3人 先手1: f4x2\nhello\n", "stdin, line 2: who starts?"),
        (b"\xff\xfe\n", "stdin, line 1: how many play?"),
        ("x" * 20_000, "stdin, line 1: "),
    ],
)
def test_from_a_pipe_nothing_is_written_unless_all_can_be_read(
    typed: str | bytes, why: str, tmp_path: Path
) -> None:
    done = zhaifei("record", "--out", tmp_path / "bar.jsonl", typed=typed)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert why in done.err
    assert [*tmp_path.iterdir()] == []


def test_an_existing_record_is_kept(bar: Path) -> None:
    refused("record", "--out", bar, typed="3人 先手1: f4x2", says=("it exists already",))
    assert len(read_match(bar).rounds) == 3


def test_on_a_terminal_a_line_that_cannot_be_read_is_asked_for_again(tmp_path: Path) -> None:
    """And what was read is in the file at once."""
    path, prompt = tmp_path / "bar.jsonl", "a round (q ends) > "
    with Terminal("record", "--out", path) as terminal:
        terminal.wait_for(prompt)
        terminal.type("5人 先手9: f6x4\n")
        assert "there is no seat 9" in terminal.wait_for(prompt)
        terminal.type("5人 先手3: 飞6x4 开; 我=2\n")
        assert "5 players, starter 3: 飞6×4 challenge; me=2" in terminal.wait_for(prompt)
        assert len(read_match(path).rounds) == 1
        terminal.press(CTRL_C)
        code, _ = terminal.end()
    assert code == 130
    assert len(read_match(path).rounds) == 1


# watched again


def test_a_record_with_unknown_dice_is_watched(bar: Path) -> None:
    text = succeeds("watch", bar, typed="\n\n")
    assert re.findall(r"── Round (\d+) · first: (.*) ──", text) == [
        ("1", "seat 3"),
        ("2", "seat 5"),
        ("3", "seat 1"),
    ]
    assert text.count(NEXT) == 2
    assert "seat 4 (老王): 飞7×4" in text
    assert "one penalty point for seat 5" in text
    assert "who lost is not known" in text
    assert "飞8×3 is false: 8 claimed, 10 on the table" not in text
    assert "zhaifei query --players 5 --history" in text
    assert "Standings after 2 rounds" in text


def test_a_record_is_left_after_any_round_or_shown_at_once(bar: Path) -> None:
    left = succeeds("watch", bar, typed="q\n")
    assert ("── Round 1 ·" in left, "── Round 2 ·" in left) == (True, False)
    few = succeeds("watch", bar, "--rounds", 1)
    assert ("── Round 1 ·" in few, NEXT in few) == (True, False)
    fast = succeeds("watch", bar, "--fast", "--lang", "zh")
    assert "──" not in fast
    assert "打了 2 局，排名如下" in fast


@pytest.mark.parametrize(
    "option", [("--seed", 1), ("--opponent", "honest"), ("--policy", "reader"), ("--players", 3)]
)
def test_a_record_tells_what_options_would(bar: Path, option: tuple[object, ...]) -> None:
    name = "--rules" if option[0] == "--players" else str(option[0])
    refused("watch", bar, *option, says=(name, "cannot be combined with a record"))


def test_what_is_whole_of_a_record_is_watched_and_the_rest_is_told(bar: Path) -> None:
    lines = bar.read_text(encoding="utf-8").splitlines(keepends=True)
    bar.write_text("".join([*lines[:3], lines[2], *lines[3:]]), encoding="utf-8")
    done = zhaifei("watch", bar, typed="\n" * 9)
    assert done.code == 0
    warning = " ".join(done.err.split())
    assert "bar.jsonl, line 4: 飞6×4 is not stronger than 飞6×4" in warning
    assert "lines 4 to 8 are left out" in warning
    assert "── Round 1 · first" in done.out
    assert "the round was not played to its end" in done.out


def test_what_is_no_record_is_refused_with_its_line(bar: Path) -> None:
    lines = bar.read_text(encoding="utf-8").splitlines(keepends=True)
    bar.write_text("".join(lines[1:]), encoding="utf-8")
    refused("watch", bar, says=("bar.jsonl, line 1: this is not a record",))
    refused("watch", "missing.jsonl", says=("cannot read missing.jsonl",))


# of matches that are played


@pytest.mark.parametrize(
    ("game", "score"),
    [
        (SMALL, "penalty points"),
        ((*SMALL, "--rules", "classic"), "dice left"),
        (("play", "--rules", "knockout", "--players", 2, *SMALL[3:]), "dice left"),
    ],
)
def test_a_match_is_kept_and_looks_the_same_when_it_is_watched(
    game: tuple[object, ...], score: str, places: Path
) -> None:
    played = zhaifei(*game, "--rounds", 3, "--show-all", typed="f4x2\nz4x2\nc\nz2x2\nc\n" * 9)
    (kept,) = kept_matches()
    assert played.err == f"recorded: zhaifei watch {kept} shows it again\n"
    assert places in kept.parents

    def events(text: str) -> list[str]:
        """What happened, and the commands for advice: they depend on the dice that are left."""
        return re.findall(
            r"^(?:── Round.*|.*: (?:challenge|飞|斋).*|.*(?:point|die).* (?:for|by) .*"
            r"|zhaifei query.*|.* is (?:true|false): .*)$",
            text,
            re.M,
        )

    watched = succeeds("watch", kept, typed="\n\n")
    assert len(events(watched)) > 6
    assert events(watched) == [line for line in events(played.out) if "type c" not in line]
    standings = played.out.partition("Standings")[2]
    assert watched.partition("Standings")[2] == standings
    assert score in standings
    match = read_match(kept)
    names = ["honest"] * (match.rules.players - 1)
    assert (match.seats, match.you, match.seed) == ((YOU, *names), 0, 5)


def test_a_jump_challenge_is_recorded(tmp_path: Path) -> None:
    jump = ("--players", 3, "--jump-challenge", "--opponent", "probabilistic", "--seed", 3)
    path = tmp_path / "jump.jsonl"
    succeeds("play", *jump, "--rounds", 2, "--record", path, typed="c2\n跳开2\n")
    match = read_match(path)
    assert match.rules.stakes.jump_challenge
    challenged = [played.challenged(match.rules) for played in match.rounds]
    assert [one and one.cost for one in challenged] == [2, 2]
    text = succeeds("watch", path, typed="\n")
    assert text.count("you: 跳开, a challenge of") == 2
    assert "2 penalty points for you" in text


def test_a_match_need_not_be_recorded(places: Path) -> None:
    assert zhaifei(*SMALL, "--no-record", typed="f4x2\n").err == ""
    assert zhaifei(*SMALL, typed="q\n").err == "", "a match without a decision is none"
    assert kept_matches() == []
    refused(*SMALL, "--no-record", "--record", "x", says=("cannot be combined",))


def test_a_match_that_ends_before_its_first_line_leaves_no_file(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(screen: object, text: str = "") -> None:
        raise ZhaifeiError("nobody sees this")

    monkeypatch.setattr("zhaifei.app.terminal.screen.Screen.line", fails)
    assert zhaifei(*SMALL, typed="f4x2\n").code == 2
    assert kept_matches() == []


def test_a_file_that_cannot_be_written_ends_the_command_but_a_directory_does_not(
    places: Path, tmp_path: Path
) -> None:
    refused(*SMALL, "--record", tmp_path / "missing" / "x", says=("cannot write", "missing"))
    places.write_text("not a directory")
    done = zhaifei(*SMALL, "--rounds", 2, typed="f4x2\nc\n" * 9)
    assert done.code == 0
    assert "Standings after 2 rounds" in done.out
    assert done.err.startswith("warning: the match is not recorded from here on: cannot write")
    assert done.err.count("\n") == 1


def test_a_match_that_is_killed_is_recorded_up_to_its_last_decision(tmp_path: Path) -> None:
    path = tmp_path / "killed.jsonl"

    def actions() -> list[str]:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [line["action"] for line in map(json.loads, lines) if "action" in line]

    with Running(*SMALL, "--record", path, stdin=subprocess.PIPE) as running:
        assert running.process.stdin is not None
        running.process.stdin.write("f4x2\n")
        running.process.stdin.flush()
        running.wait_until(lambda: len(actions()) >= 4)
        running.process.kill()
        running.process.wait()
    assert actions()[:2] == ["飞4×2", "challenge"]
    match = read_match(path)
    assert sum(len(played.actions) for played in match.rounds) == len(actions())
    assert match.rounds[0].losses == (0, 1, 0)
    assert "Standings after" in succeeds("watch", path, "--fast")
