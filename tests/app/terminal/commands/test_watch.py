"""`zhaifei watch`, through pipes and on a terminal, in both languages."""

import re
import signal

from tests.command_line import Running, Solved, succeeds
from tests.terminal import Terminal
from zhaifei.app.locale import catalogue

SMALL = ("--players", 3, "--dice", 2, "--seed", 5, "--opponent", "honest")
"""The first seat opens the first round, with 4 4; bids that open have a count of 4 or more."""
NEXT = "Enter for the next round, q to leave > "


def watch(*arguments: object, typed: str = "", **options: object) -> str:
    return succeeds("watch", *arguments, typed=typed, **options)


def rounds_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"── Round (\d+) · first", text)]


def standings_in(text: str) -> list[list[str]]:
    """[player] rank, seat, name and points, best first."""
    _, _, table = text.partition("Standings after")
    return [line.split() for line in table.splitlines()[2:]]


def test_rounds_are_watched_one_at_a_time() -> None:
    text = watch(*SMALL, "--opponent", "random", typed="\n\nq\n")
    assert rounds_in(text) == [1, 2, 3]
    assert text.count(NEXT) == 3
    assert re.search(r"^ +1  honest +0  4 4 *$", text, re.MULTILINE), "all dice are shown"
    assert {row[2] for row in standings_in(text)} == {"honest", "random"}


def test_nobody_is_asked_to_go_on_after_the_last_round() -> None:
    text = watch(*SMALL, "--rounds", 2, typed="\n")
    assert rounds_in(text) == [1, 2]
    assert text.count(NEXT) == 1


def test_a_watched_policy_sits_in_the_first_seat(one_die: Solved) -> None:
    text = watch("--policy", one_die.policy, "--opponent", "random", "--seed", 1, "--fast")
    assert "Standings after 1000 rounds" in text
    assert sorted(row[1:3] for row in standings_in(text)) == [["1", "one_die"], ["2", "random"]]
    assert standings_in(text)[0][2] == "one_die", "which plays better than chance"


def test_fast_rounds_are_those_that_are_watched_slowly() -> None:
    slow = watch(*SMALL, "--opponent", "random", "--rounds", 12, typed="\n" * 11)
    fast = watch(*SMALL, "--opponent", "random", "--rounds", 12, "--fast")
    assert rounds_in(fast) == []
    assert standings_in(fast) == standings_in(slow)


def test_watching_in_chinese() -> None:
    text = watch(*SMALL, "--rounds", 2, "--lang", "zh", typed="\n")
    assert catalogue("zh").gettext(NEXT) in text
    assert "打了 2 局，排名如下" in text


# where dice are lost

KNOCKOUT = ("--rules", "knockout", "--players", 2, "--dice", 2, "--seed", 1)
"""The first seat opens with 5 5 against 2 5."""


def test_a_match_in_which_dice_are_lost_is_watched_to_its_end() -> None:
    text = watch(*KNOCKOUT, "--opponent", "honest", "--opponent", "random", typed="\n" * 3)
    assert re.search(r"^ +1  honest +2  5 5 *\n +2  random +2  2 5 *$", text, re.MULTILINE)
    lost = text.count("one die lost by seat")
    assert lost == len(rounds_in(text)) == text.count(NEXT) + 1
    assert text.count("the match is won by") == 1
    assert sorted(row[-1] == "0" for row in standings_in(text)) == [False, True]


def test_a_fast_match_ends_as_one_that_is_watched_slowly() -> None:
    players = ("--policy", "aggressive", "--opponent", "random")
    slow = watch(*KNOCKOUT, *players, typed="\n" * 3)
    fast = watch(*KNOCKOUT, *players, "--fast")
    assert rounds_in(fast) == []
    assert standings_in(fast) == standings_in(slow)
    assert {tuple(row[1:3]) for row in standings_in(fast)} == {("1", "aggressive"), ("2", "random")}


def test_a_match_in_which_dice_are_lost_may_be_left() -> None:
    text = watch(*KNOCKOUT, "--opponent", "honest", "--lang", "zh", typed="q\n")
    assert "打了 1 局，排名如下" in text
    assert "赢下这一场" not in text


# on a terminal


def test_an_interrupt_while_others_think_leaves_the_standings() -> None:
    """Whenever it comes once the game has begun: here in an endless game through a pipe."""
    with Running("watch", *SMALL, "--fast", "--rounds", "1e9") as running:
        assert running.process.stdout is not None
        assert "3 players" in running.process.stdout.readline()
        outcome = running.send(signal.SIGINT)
    assert outcome.code == 130
    assert outcome.err.strip() == "zhaifei: interrupted"
    assert len(standings_in(outcome.out)) == 3


def test_watching_on_a_terminal() -> None:
    with Terminal("watch", *SMALL) as terminal:
        assert "Round 1" in terminal.wait_for(NEXT)
        terminal.type("\n")
        assert "Round 2" in terminal.wait_for(NEXT)
        terminal.type("q\n")
        code, end = terminal.end()
    assert code == 0
    assert "Standings after 2 rounds" in end


def test_fast_rounds_are_counted_on_a_terminal() -> None:
    with Terminal("watch", *SMALL, "--fast", "--rounds", 300) as terminal:
        terminal.wait_for("/300")
        code, end = terminal.end()
    assert code == 0
    assert "Standings after 300 rounds" in end
