"""Decider files in processes of their own: whatever they do, every decision gets an answer.

No test waits for a time limit but for files that never answer; all others have limits that no
machine is too slow for.
"""

import errno
import os
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import LONG
from zhaifei.game.bids import Bid, gives_up_action
from zhaifei.game.hands import hands
from zhaifei.game.match import Match
from zhaifei.game.notation import parse_history
from zhaifei.game.parts import Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import SeatBid, View, view_of
from zhaifei.policies.play.playing import play_match, play_round, take_turn
from zhaifei.policies.players.decider import TwoStepDecider
from zhaifei.policies.players.plug_in import plug_in
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn, PlugInError, Question
from zhaifei.policies.players.plug_in.worker import METHODS, strategies_in

EXAMPLES = Path(__file__).parent / "examples"
KNOCKOUT = preset("knockout", players=3, dice=2)
INCREMENT = preset("increment", players=3, dice=2)
FULL = preset("zhaifei")
FEI, ZHAI = Mode


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine is too slow to start a process in time."""
    monkeypatch.setattr(plug_in, "LOADING_SECONDS", LONG)


@contextmanager
def asked(
    tmp_path: Path,
    *,
    challenge: str = "return False",
    bid: str = "return seen.legal_bids[0]",
    top: str = "",
    rules: Rules = FULL,
    limit: float = LONG,
) -> Iterator[PlugIn]:
    """A strategy file with methods of one line each; the third and the fifth are those lines if
    there is no line at the top."""
    path = tmp_path / "own.py"
    path.write_text(
        f"{top}class Own:\n    def challenge_bid(self, seen):\n        {challenge}\n"
        f"    def make_bid(self, seen):\n        {bid}\n"
    )
    with closing(PlugIn(path, rules, limit=limit)) as found:
        yield found


def seen(*bids: Bid, dice: tuple[int, ...] = (1, 2, 2, 3, 6)) -> View:
    made = tuple(SeatBid(place % 2, bid) for place, bid in enumerate(bids))
    return View(FULL, len(bids) % 2, dice, (5, 5), made, (Bid(FEI, 9, 6),), 0, False)


def told(one: PlugIn) -> list[tuple[int, str]]:
    return [(loss.count, str(loss.fault)) for loss in one.losses]


# files that behave


def matches(strategies: list, rules: Rules) -> list:  # type: ignore[type-arg]
    """Each round of some matches: bids, and how it ended."""
    rounds = []
    for seed in range(3):
        match = Match(rules, np.random.default_rng(seed))
        play_match(match, strategies, lambda one: rounds.append((one.history, one.settlement)))
    return rounds


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=["knockout", "increment"])
def test_a_file_plays_matches_as_its_class_does(rules: Rules) -> None:
    path = EXAMPLES / "my_strategy.py"
    twin = type("Twin", (strategies_in(path)[0], TwoStepDecider), {})()
    with closing(PlugIn(path, rules, limit=LONG)) as one:
        played = matches([one] * 3, rules)
        assert played == matches([twin] * 3, rules)
        assert one.losses == []
        # A challenge or a bid for each bid and each ending, at the least.
        assert one.decisions >= sum(1 + len(bids) for bids, _ in played)


def test_a_decision_depends_on_its_question_and_its_seed_alone() -> None:
    bids = [Bid(FEI, 4, 2), Bid(FEI, 5, 3)]
    questions = [
        Question(seen(*bids[:place]), METHODS[not place :], seed)
        for place in range(3)
        for seed in range(50)
    ]
    for name in ("erratic.py", "my_strategy.py"):
        with closing(PlugIn(EXAMPLES / name, FULL, limit=LONG)) as one:
            answers = one.ask(questions)
            assert one.ask(questions[::-1]) == answers[::-1]
            assert one.losses == []
        assert len(set(answers)) >= {"erratic.py": 50, "my_strategy.py": 2}[name]


def test_equal_seeds_make_equal_matches() -> None:
    def played(seed: int) -> list:  # type: ignore[type-arg]
        with closing(PlugIn(EXAMPLES / "erratic.py", KNOCKOUT, seed, LONG)) as one:
            return matches([one] * 3, KNOCKOUT)

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_a_class_is_told_all_that_a_player_sees(tmp_path: Path) -> None:
    challenge = (
        "return (seen.seat, seen.dice, seen.dice_counts, seen.current_bid.count, seen.legal_bids, "
        "seen.turns_until_own, seen.out_of_turn, round(seen.probability, 4), "
        "[(one.seat, str(one.bid)) for one in seen.history]) == "
        "(0, (3,), (1, 2, 2), 2, (), 1, True, 0.8025, [(1, '飞1×2'), (2, '飞2×2')])"
    )
    state = Round(KNOCKOUT, [[3], [1, 2], [4, 6]], starter=1)
    state.bid(Bid(FEI, 1, 2))
    state.decline()
    state.decline()
    state.bid(Bid(FEI, 2, 2))
    with asked(tmp_path, challenge=challenge, rules=KNOCKOUT) as one:
        assert not one.challenge_bid(state.view())  # the first asked: in turn
        state.decline()
        # Two of four dice that are not seen show 1 or 2, each with 1/3: 1 - (2/3)^4 - 4 (2/3)^3/3.
        assert not one.challenge_bid(state.view())
    assert one.losses == []


# files that do not

FAULTS = [
    ("challenge_bid", "return 1", "returned 1, not True or False"),
    (
        "challenge_bid",
        "return seen.bid",
        "raised AttributeError in line {line}: 'View' object has no attribute 'bid'",
    ),
    ("make_bid", "return 1 / 0", "raised ZeroDivisionError in line {line}: division by zero"),
    (
        "make_bid",
        "return self.make_bid(seen)",
        "raised RecursionError in line {line}: maximum recursion depth exceeded",
    ),
    ("make_bid", "import sys; sys.exit(3)", "raised SystemExit in line {line}: 3"),
    ("make_bid", "raise KeyboardInterrupt", "raised KeyboardInterrupt in line {line}: "),
    ("make_bid", "input()", "raised EOFError in line {line}: EOF when reading a line"),
    (
        "make_bid",
        "seen.dice = (6, 6, 6, 6, 6)",
        "raised FrozenInstanceError in line {line}: cannot assign to field 'dice'",
    ),
    ("make_bid", "return None", "returned None, which is not a bid"),
    (
        "make_bid",
        "return '飞3x4'",
        "飞3×4 is not stronger than 飞4×2: 飞 takes 5 or more, or 4 of a higher face",
    ),
    (
        "make_bid",
        "raise type('E', (Exception,), {'__str__': lambda _: 1 / 0})",
        "raised E in line {line}: <E without a text>",
    ),
    (
        "make_bid",
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); "
        "[open('/dev/null') for _ in range(100)]",
        "raised OSError in line {line}: [Errno 24] Too many open files",
    ),
]
"""In which method, a line of it, and what becomes of it."""


def test_a_lost_decision_is_told_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the faults is made with a hand of its own; between them come good decisions."""
    monkeypatch.setattr(plug_in, "MOST_REASONS", len(FAULTS))
    lines = ["class Own:"]
    for method, otherwise in (("challenge_bid", "False"), ("make_bid", "'飞5x4'")):
        lines.append(f"    def {method}(self, seen):")
        lines += [
            f"        if seen.dice == {hand}: {line}"
            for hand, (where, line, _) in zip(hands(FULL), FAULTS, strict=False)
            if where == method
        ]
        lines.append(f"        return {otherwise}")
    path = tmp_path / "own.py"
    path.write_text("\n".join(lines))
    after = (Bid(FEI, 4, 2),)
    questions = [
        Question(seen(*after, dice=dice), METHODS, 0)
        for hand in hands(FULL)[: len(FAULTS)]
        for dice in (hand, (6, 6, 6, 6, 6))
    ]
    with closing(PlugIn(path, FULL, limit=LONG)) as one:
        assert one.ask(questions) == [None, Bid(FEI, 5, 4)] * len(FAULTS)
        assert one.decisions == len(questions)
        found = {
            loss.view.dice: (loss.fault.values.get("line"), str(loss.fault)) for loss in one.losses
        }
    for hand, (method, _, fault) in zip(hands(FULL), FAULTS, strict=False):
        line, text = found[hand]
        assert fault.format(line=line) in text
        if line is not None:
            assert text.startswith(method)
            # Recursion ends in any line on its way.
            assert lines[line - 1].startswith(f"        if seen.dice == {hand}") or "Recur" in text


def test_losses_are_counted_by_reason_the_most_frequent_first(tmp_path: Path) -> None:
    hands = [(1, 2, 2, 3, 6), (1, 1, 1, 1, 1), (2, 2, 2, 2, 2), (2, 2, 2, 2, 3)]
    bid = "return {1: '飞5x4', 2: seen.dice[4], 3: 1 / (seen.dice[4] - 2)}[sum(seen.dice) // 5]"
    questions = [Question(seen(Bid(FEI, 4, 2), dice=hand), METHODS, 0) for hand in hands]
    with asked(tmp_path, bid=bid) as one:
        assert one.ask(questions) == [None, Bid(FEI, 5, 4), None, None]
        found = [(loss.count, str(loss.fault), loss.view.dice) for loss in one.losses]
    assert found == [
        (2, "make_bid returned 6, which is not a bid", (1, 2, 2, 3, 6)),
        (1, "make_bid raised ZeroDivisionError in line 5: division by zero", (2, 2, 2, 2, 2)),
    ]


def test_a_file_with_ever_new_reasons_does_not_flood_the_report(tmp_path: Path) -> None:
    bid = "import random; raise type(f'E{random.random()}', (Exception,), {})"
    questions = [Question(seen(), METHODS[1:], seed) for seed in range(100)]
    with asked(tmp_path, bid=bid) as one:
        assert one.ask(questions) == [None] * 100
        assert told(one)[0] == (80, "other reasons")
        assert len(told(one)) == 21


# what is lost, by the rules


def test_who_is_asked_and_has_no_answer_declines(tmp_path: Path) -> None:
    with asked(tmp_path, challenge="return None", rules=KNOCKOUT) as one:
        state = Round(KNOCKOUT, [[1, 2], [3, 3], [4, 6]], starter=0)
        state.bid(Bid(FEI, 1, 3))
        take_turn(state, one)
        take_turn(state, one)
        assert (state.declined, state.settlement) == (2, None)
        assert told(one) == [(2, "challenge_bid returned None, not True or False")]


def test_who_is_to_bid_and_does_not_challenges_or_loses_a_die(tmp_path: Path) -> None:
    with asked(tmp_path, bid="return '飞9x9'", rules=KNOCKOUT) as one:
        state = Round(KNOCKOUT, [[1, 2], [3, 3], [4, 6]], starter=0, history=())
        take_turn(state, one)
        assert state.settlement is not None
        assert (state.settlement.loser, state.settlement.challenge) == (0, None)
        state = Round(KNOCKOUT, [[1, 2], [3, 3], [4, 6]], 0, (Bid(FEI, 3, 3),), 2)
        take_turn(state, one)
        assert state.settlement is not None
        assert state.settlement.challenge is not None
        # Player 2 challenges three 3s, which are there with the 1: and loses.
        assert (state.settlement.challenge.challenger, state.settlement.loser) == (1, 1)
        assert sum(count for count, _ in told(one)) == 2


@pytest.mark.parametrize("method", ["challenge", "bid"])
def test_who_is_in_turn_and_does_nothing_challenges(tmp_path: Path, method: str) -> None:
    with asked(tmp_path, rules=INCREMENT, **{method: "raise OSError"}) as one:  # type: ignore[arg-type]
        state = Round(INCREMENT, [[1, 2], [3, 3], [4, 6]], 0, (Bid(ZHAI, 1, 5),))
        take_turn(state, one)
        assert state.settlement is not None
        assert state.settlement.challenge is not None
        assert (state.settlement.challenge.challenger, state.settlement.loser) == (1, 0)


@pytest.mark.parametrize("rules", [KNOCKOUT, INCREMENT], ids=["knockout", "increment"])
@pytest.mark.parametrize(
    "written",
    [
        {"bid": "return None", "challenge": "raise Exception"},
        {"bid": "return seen.legal_bids[0] if sum(seen.dice) % 2 else 7"},
        {"challenge": "import random; return [True, False, None][random.randrange(3)]"},
    ],
    ids=str,
)
def test_a_match_ends_whatever_a_file_does(
    tmp_path: Path, written: dict[str, str], rules: Rules
) -> None:
    with asked(tmp_path, rules=rules, **written) as one:  # type: ignore[arg-type]
        matches([one] * 3, rules)
        assert one.losses


# processes

NO_ANSWER = "its process wrote something that is not an answer"
LOST = [
    ("import os; os._exit(3)", "its process ended with exit code 3"),
    ("import os; os.kill(os.getpid(), 11)", "its process was killed by signal SIGSEGV (11)"),
    ("import os; os.kill(os.getpid(), 9)", "its process was killed by signal SIGKILL (9)"),
    ("import os; os.kill(os.getpid(), 40)", "its process was killed by signal 40"),
    ("import os; os.killpg(0, 15)", "its process was killed by signal SIGTERM (15)"),
    (
        "import os, time; os.kill(os.getppid(), 9); time.sleep(1e6)",
        "its process was killed by signal SIGKILL (9)",
    ),
    ("import os; os.closerange(3, 9)", "its process ended with exit code 1"),
    (r"import os; os.write(4, b'{}\n')", NO_ANSWER),
    (r"import os; os.write(4, b'null\n')", NO_ANSWER),
    (r"import os; os.write(4, b'[' * 4000 + b'\n')", NO_ANSWER),
    (r"import os; os.write(4, b'\xff\n')", NO_ANSWER),
    (r"""import os; os.write(4, b'{"number": 1000000, "bid": [0, 5, 4, 0]}\n')""", NO_ANSWER),
    (r"import os; [os.write(4, b'\n' * 65536) for _ in iter(int, 1)]", NO_ANSWER),
    (
        "import os; [os.write(4, b'x' * 65536) for _ in iter(int, 1)]",
        "its process wrote a line of more than 16,384 bytes",
    ),
    (
        "import zhaifei.policies.players.plug_in.worker as worker; worker.decide = lambda *_: {}",
        None,
    ),
    (
        "import zhaifei.policies.players.plug_in.worker as worker; worker.as_bid = lambda *_: "
        "type('Bid', (), {'mode': 0, 'count': 5.5, 'face': True, 'doubled': 0})",
        NO_ANSWER,
    ),
    ("import json; json.dumps = lambda *_: 'null'", NO_ANSWER),
]
"""A line that ruins the process, and the reason if this decision is lost; if not, the next is."""
ANSWERS = [[Bid(FEI, 5, 4), None], [None, Bid(FEI, 5, 4)]]


def counted(one: PlugIn) -> Counter[str]:
    return Counter({text: count for count, text in told(one)})


def test_a_process_that_is_ruined_costs_one_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line is run with a hand of its own; before each comes a good decision."""
    monkeypatch.setattr(plug_in, "RESTARTS", len(LOST))
    good, hand_of = (6, 6, 6, 6, 6), dict(zip(hands(FULL), LOST, strict=False))
    lines = [f"if seen.dice == {hand}: {line}\n" for hand, (line, _) in hand_of.items()]
    with asked(tmp_path, bid="        ".join([*lines, "return '飞5x4'"])) as one:
        for dice, (line, reason) in hand_of.items():
            before = counted(one)
            questions = [Question(seen(dice=each), METHODS[1:], 0) for each in (good, dice, good)]
            answers = one.ask(questions)
            lost = list((counted(one) - before).elements())
            assert lost == [reason or NO_ANSWER], line
            assert answers == [Bid(FEI, 5, 4), *ANSWERS[reason is not None]], line


def test_a_process_that_is_forked_costs_one_decision(tmp_path: Path) -> None:
    """Both answer; the second answer, whenever it comes, is not taken for that to a later
    question."""
    bid = "return '飞6x3' if seen.dice[0] != 1 else '飞5x4' if __import__('os').fork() else '飞5x5'"
    with asked(tmp_path, bid=bid) as one:

        def answer(dice: tuple[int, ...]) -> Bid | bool | None:
            return one.ask([Question(seen(dice=dice), METHODS[1:], 0)])[0]

        assert answer((1,) * 5) in (Bid(FEI, 5, 4), Bid(FEI, 5, 5))
        patience = time.monotonic() + 60  # the system chooses when the other process runs
        while (later := answer((2,) * 5)) == Bid(FEI, 6, 3) and time.monotonic() < patience:
            time.sleep(0.001)
        assert later is None
        assert told(one) == [(1, NO_ANSWER)]
        assert [answer((2,) * 5) for _ in range(20)] == [Bid(FEI, 6, 3)] * 20


@pytest.mark.parametrize(
    "bid",
    [
        "while True: pass",
        "import os; os.kill(os.getpid(), 19)",
        "import os, time; os.kill(os.getppid(), 19); time.sleep(1e6)",
        "import os, time; os.closerange(0, 99); time.sleep(1e6)",
        "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(1e6)",
    ],
)
def test_who_never_answers_loses_every_decision_and_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bid: str
) -> None:
    monkeypatch.setattr(plug_in, "RESTARTS", 2)
    with asked(tmp_path, bid=bid, limit=0.05) as one:
        assert one.ask([Question(seen(), METHODS[1:], 0)] * 10_000) == [None] * 10_000
        assert told(one) == [
            (9997, "no longer asked, after 3 processes were lost"),
            (3, "no answer within 0.05 s"),
        ]
        assert one.decisions == 10_000


def test_a_process_may_be_lost_again_and_again(tmp_path: Path) -> None:
    bid = "import os; return os._exit(3) if seen.dice[0] == 3 else '飞5x4'"
    hands = [(1, 1, 1, 1, 1), (3, 3, 3, 3, 3), (2, 2, 2, 2, 2)]
    questions = [Question(seen(dice=hand), METHODS[1:], 0) for hand in hands] * 2
    with asked(tmp_path, bid=bid) as one:
        assert one.ask(questions) == [Bid(FEI, 5, 4), None, Bid(FEI, 5, 4)] * 2
        assert told(one) == [(2, "its process ended with exit code 3")]


def test_a_file_that_cannot_be_loaded_again_is_given_up(tmp_path: Path) -> None:
    with asked(tmp_path, bid="import os; os._exit(3)") as one:
        one.path.write_text("raise OSError('no more')")
        assert one.ask([Question(seen(), METHODS[1:], 0)] * 3) == [None] * 3
        assert told(one) == [
            (2, f"no longer asked: {one.path} cannot be loaded: OSError in line 1: no more"),
            (1, "its process ended with exit code 3"),
        ]


def test_a_file_that_puts_a_loop_in_its_place_is_given_up(tmp_path: Path) -> None:
    bid = "import os; os.unlink(__file__); os.symlink(__file__, __file__); os._exit(3)"
    with asked(tmp_path, bid=bid) as one:
        assert one.ask([Question(seen(), METHODS[1:], 0)] * 2) == [None, None]
        lost, given_up = sorted(told(one), key=lambda loss: len(loss[1]))
        assert lost == (1, "its process ended with exit code 3")
        assert given_up[1].startswith(f"no longer asked: {one.path} cannot be loaded: OSError: ")


def test_without_descriptors_a_file_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*arguments: object, **options: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with asked(tmp_path, bid="import os; os._exit(3)") as one:
        monkeypatch.setattr(subprocess, "Popen", none_left)
        assert one.ask([Question(seen(), METHODS[1:], 0)] * 2) == [None, None]
        assert (
            1,
            f"no longer asked: {one.path} cannot be loaded: its process cannot be started: "
            "[Errno 24] Too many open files",
        ) in told(one)
        monkeypatch.undo()


def test_what_is_printed_does_not_get_between_the_answers(tmp_path: Path) -> None:
    bid = "print('{\"number\": 0}\\n' * 10_000, flush=True); return '飞5x4'"
    with asked(tmp_path, bid=bid, top="print('hello')\n") as one:
        assert one.ask([Question(seen(), METHODS[1:], 0)] * 50) == [Bid(FEI, 5, 4)] * 50


def test_one_decision_cannot_change_what_the_next_sees(tmp_path: Path) -> None:
    bid = (
        "object.__setattr__(seen, 'dice', (6,) * 5); object.__setattr__(seen.rules, 'dice', 1); "
        "import random; random.seed = None; return max(seen.legal_bids, key=lambda b: b.face)"
    )
    with asked(tmp_path, bid=bid) as one:
        answers = one.ask([Question(seen(Bid(FEI, 4, 2)), METHODS, 0)] * 3)
    # What it breaks is its own: the next decision is lost, and then there is another process.
    assert answers == [Bid(FEI, 4, 6), None, Bid(FEI, 4, 6)]


DETACHED = (
    "import os, subprocess\nif os.fork() == 0:\n    os.setsid()\n"
    "    subprocess.Popen(['sleep', '1000'], pass_fds=[{}], start_new_session=True)\n"
    "    os._exit(0)\nos.wait()\n"
)
"""Starts a process that nothing ties to the one that started it, and passes a descriptor on."""


@pytest.mark.parametrize("bid", ["return '飞5x4'", "import os; os._exit(3)"])
@pytest.mark.parametrize(
    "start",
    [
        "import subprocess\nsubprocess.Popen(['sleep', '1000'], pass_fds=[{}])\n",
        pytest.param(
            DETACHED,
            marks=pytest.mark.skipif(sys.platform != "linux", reason="cannot be found elsewhere"),
        ),
    ],
    ids=["child", "detached"],
)
def test_a_process_is_ended_with_all_that_it_has_started(
    tmp_path: Path, bid: str, start: str
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    held = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    top = f"pipe = open({str(fifo)!r}, 'w')\npipe.write('here'); pipe.flush()\n"
    top += start.format("pipe.fileno()")
    with asked(tmp_path, top=top, bid=bid) as one:
        assert os.read(held, 100) == b"here"
        one.make_bid(seen())
    # A pipe ends when all who could write into it are gone.
    while select.select([held], [], [], LONG)[0] and os.read(held, 100):
        pass
    assert select.select([held], [], [], 0)[0]
    os.close(held)


# invalid files


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "defines no class with the methods challenge_bid, make_bid"),
        ("class Own:\n    def make_bid(self, seen): ...\n", "defines no class"),
        ("class Own: (\n", "cannot be loaded: SyntaxError in line 1: '(' was never closed"),
        ("\n1 / 0\n", "cannot be loaded: ZeroDivisionError in line 2: division by zero"),
        ("import nothing_of_this_name\n", "cannot be loaded: ModuleNotFoundError in line 1: No"),
        ("import os; os._exit(4)", "cannot be loaded: its process ended with exit code 4"),
        (
            "import os; os.kill(os.getpid(), 9)",
            "cannot be loaded: its process was killed by signal SIGKILL (9)",
        ),
        (r"import os; os.write(4, b'[' * 4000 + b'\n')", f"cannot be loaded: {NO_ANSWER}"),
        ("import json; json.dumps = lambda *_: 'null'", f"cannot be loaded: {NO_ANSWER}"),
        (
            "raise type('E', (Exception,), {'__str__': lambda _: 1 / 0})",
            "cannot be loaded: E in line 1: <E without a text>",
        ),
        (
            "raise SyntaxError(7, (__file__, 'x' * 10**6, 3, '', 4, 5))",
            "cannot be loaded: SyntaxError in line 0: 7",
        ),
        (b"\xff\xfe", "cannot be loaded: SyntaxError"),
    ],
)
def test_a_file_without_a_strategy_is_refused(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    path = tmp_path / "own.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(PlugInError) as found:
        PlugIn(path, FULL)
    assert f"{path} {message}" in str(found.value)


def test_a_file_must_say_which_class_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    methods = "    def challenge_bid(self, seen): ...\n    def make_bid(self, seen): ...\n"
    path.write_text(f"class One:\n{methods}class Two:\n{methods}")
    message = "defines several classes with the methods challenge_bid, make_bid: One, Two; leave"
    with pytest.raises(PlugInError, match=message):
        PlugIn(path, FULL)


def test_a_file_that_does_not_get_ready_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plug_in, "LOADING_SECONDS", 0.05)
    path = tmp_path / "own.py"
    path.write_text("while True: pass\n")
    with pytest.raises(PlugInError, match=r"cannot be loaded: no answer within 0\.05"):
        PlugIn(path, FULL)


@pytest.mark.parametrize(
    "bid", ["return (4, 4)", "return '斋4x4'", "return type(seen.current_bid)(1, 4, 4)"]
)
def test_a_bid_after_ones_need_not_say_so_where_these_end_fei(tmp_path: Path, bid: str) -> None:
    rules = preset("zhaifei", house=["ones-end-fei"])
    history = parse_history(rules, "f5x2 z3x1")
    view = view_of(rules, 0, (1, 2, 2, 3, 6), 0, history)
    with asked(tmp_path, bid=bid, rules=rules) as one:
        assert one.make_bid(view) == Bid(ZHAI, 4, 4)
    with asked(tmp_path, bid="return (0, 9, 4)", rules=rules) as one:
        assert one.make_bid(view) is None
        assert "ones have been named" in told(one)[0][1]


DOUBLING = """
class Doubling:
    def challenge_bid(self, seen):
        return False
    def make_bid(self, seen):
        if seen.double is not None and seen.current_bid.doubled == 0:
            return "劈"
        return None if seen.can_give_up else seen.legal_bids[0]
"""


def test_a_file_doubles_and_gives_up_in_both_ways_to_play(tmp_path):
    rules = Rules.of(dice=2, faces=3, doubled=(2, 4))
    path = tmp_path / "doubling.py"
    path.write_text(DOUBLING, encoding="utf-8")
    file = PlugIn(path, rules)
    try:
        round_ = Round(rules, [(1, 2), (3, 3)])
        settled = play_round(round_, [file, file])
        assert [bid.doubled for bid in round_.history] == [0, 1]
        assert settled.challenge.given_up_by == 0
        actions = []
        for place in range(3):
            history = np.array([[*actions]], dtype=np.int64)
            hand = np.array([place % 2])
            actions += PlugInPlayer(file).act(hand, history, np.array([0.5])).tolist()
        assert actions[2] == gives_up_action(rules)
        assert file.losses == []
    finally:
        file.close()
