"""Strategy files on the command line: dropped anywhere, named, and told of."""

import json
import os
import re
import select
import signal
import sys
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT, Running, succeeds, zhaifei

EXAMPLE = ROOT / "tests" / "policies" / "players" / "plug_in" / "examples" / "my_strategy.py"
NOTHING = (
    "class Nothing:\n    def challenge_bid(self, seen): return 1 / 0\n"
    "    def make_bid(self, seen): return None\n"
)


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


DETACHED = (
    "import os, subprocess\nif os.fork() == 0:\n    os.setsid()\n"
    "    subprocess.Popen(['sleep', '1000'], pass_fds=[pipe.fileno()], start_new_session=True)\n"
    "    os._exit(0)\nos.wait()\n"
)
"""Starts a process that nothing ties to the one that started it, and that holds `pipe` open."""


def holding(fifo: Path, bid: str) -> str:
    """A strategy file that writes into a pipe when it is asked for a bid, and holds it open. On
    Linux a process that it has detached does so too; elsewhere that cannot be found."""
    return (
        f"pipe = open({str(fifo)!r}, 'w')\n{DETACHED if sys.platform == 'linux' else ''}"
        "class Holding:\n"
        "    def challenge_bid(self, seen): return False\n"
        f"    def make_bid(self, seen):\n        pipe.write('here')\n        pipe.flush()\n{bid}"
    )


def is_let_go(reader: int) -> bool:
    """Reads the pipe to its end: when all who could write into it are gone."""
    while select.select([reader], [], [], LONG)[0]:
        if not os.read(reader, 100_000):
            return True
    return False


# arenas


@pytest.mark.parametrize("rules", ["zhaifei", "knockout"])
def test_a_file_plays_in_both_kinds_of_games_and_the_same_seed_gives_the_same_table(
    rules: str,
) -> None:
    options = ("--rules", rules, "--players", 3, "--dice", 2, "--rounds", 60, "--json")
    first = json.loads(succeeds("arena", EXAMPLE, "honest", *options))
    assert json.loads(succeeds("arena", EXAMPLE, "honest", *options)) == first
    assert first["players"][0]["player"] == str(EXAMPLE)
    (faults,) = first["faults"]
    assert faults["decisions"] > 100
    assert (faults["player"], faults["lost"], faults["reasons"]) == (str(EXAMPLE), 0, [])


def test_what_a_file_lost_is_told_below_the_table(tmp_path: Path) -> None:
    path = tmp_path / "nothing.py"
    path.write_text(NOTHING)
    arguments = ("arena", "nothing.py", "random", "--rounds", 40)
    text = succeeds(*arguments, cwd=tmp_path)
    lost = re.search(r"nothing\.py lost (\d+) of (\d+) decisions:\n(.*)\n(.*)\n$", text)
    assert lost
    assert lost[1] == lost[2]
    assert {line.split("; first with ")[0].split("  ")[-1] for line in lost.groups()[2:]} == {
        "challenge_bid raised ZeroDivisionError in line 2: division by zero",
        "make_bid returned None, which is not a bid",
    }
    as_csv = zhaifei(*arguments, "--csv", cwd=tmp_path)
    assert (as_csv.code, as_csv.out.count("\n")) == (0, 3)
    assert lost[0].strip() in as_csv.err
    assert f"nothing.py 的 {lost[2]} 次决定中有 {lost[1]} 次作废：" in succeeds(
        *arguments, "--lang", "zh", cwd=tmp_path
    )


def test_a_process_that_is_lost_is_told_below_the_table(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import os\nclass Own:\n    def challenge_bid(self, seen): return False\n"
        "    def make_bid(self, seen): os.kill(os.getpid(), 9)\n"
    )
    text = succeeds("arena", path, "random", "--rounds", 40, "--lang", "zh")
    assert "        6  它的进程被信号 SIGKILL (9) 杀死；第一次是手牌" in text
    assert "不再问它：它的进程已经垮了 6 次" in text


def test_who_knocks_nobody_out_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "nothing.py"
    path.write_text(NOTHING)
    text = succeeds("arena", path, "random", "--rules", "knockout", "--dice", 1, "--rounds", 20)
    assert re.search(r"nothing\.py lost \d+ of \d+ decisions:", text)


def test_what_an_opponent_lost_is_told_below_the_standings(tmp_path: Path) -> None:
    path = tmp_path / "nothing.py"
    path.write_text(NOTHING)
    text = succeeds("watch", "--fast", "--rounds", 5, "--opponent", path, "--opponent", "random")
    assert re.search(r"nothing\.py lost \d+ of \d+ decisions:", text)


# files that cannot play


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class Own(:\n", "own.py cannot be loaded: SyntaxError in line 1: invalid syntax"),
        ("number = 5\n", "own.py defines no class with the methods challenge_bid, make_bid"),
        (
            r"import os; os.write(4, b'[' * 4000 + b'\n')",
            "own.py cannot be loaded: its process wrote something that is not an answer",
        ),
        (None, "no player is called 'own.py': there are random, honest, probabilistic"),
    ],
)
def test_a_file_that_cannot_play_is_refused_in_one_line(
    tmp_path: Path, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / "own.py").write_text(text)
    outcome = zhaifei("arena", "honest", "own.py", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"zhaifei: {message}")
    assert outcome.err.count("\n") == 1


# processes


def test_ctrl_c_prints_the_results_so_far_and_ends_the_processes(
    tmp_path: Path, fifo: Path
) -> None:
    path = tmp_path / "own.py"
    path.write_text(holding(fifo, "        return seen.legal_bids[0]\n"))
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with Running("arena", path, "honest", "--rounds", "1e12") as running:
        assert running.process.stderr is not None
        assert "of 1,000,000,000,000 rounds" in running.process.stderr.readline()
        outcome = running.send(signal.SIGINT)
    assert outcome.code == 0, outcome
    assert "stopped early" in outcome.out
    assert is_let_go(reader)
    os.close(reader)


def test_a_file_that_hangs_does_not_outlive_a_program_that_is_killed(
    tmp_path: Path, fifo: Path
) -> None:
    path = tmp_path / "own.py"
    path.write_text(holding(fifo, "        while True: pass\n"))
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with Running("arena", path, "honest") as running:
        running.wait_until(lambda: bool(select.select([reader], [], [], 0.02)[0]))
        running.process.kill()
    assert is_let_go(reader)
    os.close(reader)


# evaluating

ONE_DIE = ("--dice", 1, "--faces", 3, "--time-limit", "2s")


def test_a_file_is_evaluated_and_what_is_left_open_is_told() -> None:
    told = succeeds("evaluate", EXAMPLE, *ONE_DIE)
    assert re.search(r"asked \d+ times after \d+ histories; 0\.0000 points are left open", told)
    found = json.loads(succeeds("evaluate", EXAMPLE, *ONE_DIE, "--json"))
    assert found["exact"]
    assert found["faults"][0]["lost"] == 0
    assert found["asked"]["left_open"] < 1e-9
    assert found["asked"]["questions"] > found["asked"]["histories"] > 10


def test_a_file_that_loses_decisions_is_measured_as_it_plays(tmp_path: Path) -> None:
    file = tmp_path / "nothing.py"
    file.write_text(NOTHING)
    told = succeeds("evaluate", file, *ONE_DIE)
    assert "challenge_bid raised ZeroDivisionError in line 2" in told


def test_a_file_is_not_evaluated_where_dice_are_lost() -> None:
    outcome = zhaifei("evaluate", EXAMPLE, "--rules", "knockout", "--players", 2)
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
