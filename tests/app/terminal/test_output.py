"""Output that fails, at any moment, and output that cannot show every character."""

import contextlib
import errno
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import LONG, Outcome, Solved, environment, zhaifei
from zhaifei.app.locale import choose
from zhaifei.app.report import page
from zhaifei.app.terminal.as_json import print_json
from zhaifei.app.terminal.console import quoted
from zhaifei.app.terminal.output import Output
from zhaifei.cli import run
from zhaifei.policies.measure import timed_evaluation
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.research import report_measurements
from zhaifei.policies.training.run_paths import checkpoint_path
from zhaifei.policies.training.solver_run import SolverRun, resume_solver_run
from zhaifei.solver.files.storage import StorageError

FULL, CLOSED = errno.ENOSPC, errno.EPIPE
TOLD = {FULL: f"zhaifei: cannot write the output: {os.strerror(FULL)}\n", CLOSED: ""}
NEVER = b"\0"
SOLVE = ("solve", "--rules", "liars_dice", "--iterations", 3000, "--keep-checkpoint")
AT_THE_TABLE = ("--rules", "liars_dice", "--opponent", "honest", "--seed", 1, "--rounds", 1)
HAND = ("--hand", "1", "--policy")
PRINTS = {
    "query": ("query", *HAND),
    "query --json": ("query", "--json", *HAND),
    "evaluate": ("evaluate",),
    "evaluate --json": ("evaluate", "--json"),
    "duel": ("evaluate", "--against", "honest"),
    "watch": ("watch", *AT_THE_TABLE, "--policy"),
    "play": ("play", *AT_THE_TABLE, "--hints", "--policy"),
    "arena": ("arena", "--rules", "liars_dice", "--rounds", 20, "honest"),
    "arena --json": ("arena", "--rules", "liars_dice", "--rounds", 20, "--json", "honest"),
    "arena --csv": ("arena", "--rules", "liars_dice", "--rounds", 20, "--csv", "honest"),
}
"""Commands whose only product is what they print, up to the policy that they end with."""
BARE = {"players": ("players",), "help": ("--help",), "version": ("--version",)}


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluations are short."""
    monkeypatch.setattr(timed_evaluation, "_SHARE_ROUNDS", 200)


class Raw(io.RawIOBase):
    """Takes what is written up to the write that contains `until`, and fails from then on."""

    def __init__(self, until: bytes = NEVER, error: int = FULL, *, terminal: bool = False) -> None:
        self.until, self.error, self.terminal = until, error, terminal
        self.written, self.broken = b"", False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self.terminal

    def write(self, data: object) -> int:
        new = bytes(data)  # type: ignore[call-overload]
        self.broken = self.broken or self.until in new
        if self.broken:
            raise OSError(self.error, os.strerror(self.error))
        self.written += new
        return len(new)


def run_on(
    out: Raw, *arguments: object, err: Raw | None = None, encoding: str = "utf-8", typed: str = ""
) -> Outcome:
    """Run a command that prints to `out` and `err`."""
    err, stdin = err or Raw(), sys.stdin
    streams = [io.TextIOWrapper(io.BufferedWriter(raw), encoding) for raw in (out, err)]
    sys.stdin = io.StringIO(typed)
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            code = run([*map(str, arguments)])
    finally:
        sys.stdin = stdin
        choose("en")
    # click takes ASCII for a mistake of the locale, and writes help in UTF-8.
    encoding = "utf-8" if encoding == "ascii" else encoding
    return Outcome(code, out.written.decode(encoding), err.written.decode(encoding))


def verify_saved(out: Path) -> None:
    """Check that policy and checkpoint are whole, and alone."""
    assert {*out.parent.iterdir()} == {out, checkpoint_path(out)}
    load_policy(out)
    assert resume_solver_run(checkpoint_path(out)).done >= 3000


# commands that write files


@pytest.mark.parametrize("terminal", [False, True], ids=["file", "terminal"])
@pytest.mark.parametrize("error", [FULL, CLOSED], ids=["full", "closed"])
@pytest.mark.parametrize(
    "until", [b"", b"checkpoints go", b"information sets", b"policy ", b"for more iterations"]
)
def test_solving_outlives_its_output(
    tmp_path: Path, until: bytes, error: int, terminal: bool, liars_dice: Solved
) -> None:
    out = tmp_path / "policy.safetensors"
    outcome = run_on(Raw(until, error, terminal=terminal), *SOLVE, "--out", out)
    assert (outcome.code, outcome.err) == (3, TOLD[error])
    verify_saved(out)


def test_solving_outlives_the_warnings_that_it_cannot_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, liars_dice: Solved
) -> None:
    whole = SolverRun.save_checkpoint

    def fails_on_the_way(run: SolverRun, path: Path) -> None:
        if run.done < run.goal:
            raise StorageError("the disk is full for a moment")
        whole(run, path)

    monkeypatch.setattr(SolverRun, "save_checkpoint", fails_on_the_way)
    out, broken = tmp_path / "policy.safetensors", Raw(b"warning: training goes on")
    outcome = run_on(broken, *SOLVE, "--checkpoint-every", "0.0001s", "--out", out)
    assert broken.broken
    assert (outcome.code, outcome.err) == (3, TOLD[FULL])
    verify_saved(out)


def test_solving_outlives_both_streams(tmp_path: Path, liars_dice: Solved) -> None:
    out = tmp_path / "policy.safetensors"
    assert run_on(Raw(b""), *SOLVE, "--out", out, err=Raw(b"")).code == 3
    verify_saved(out)


def test_learning_outlives_its_output(tmp_path: Path) -> None:
    out = tmp_path / "values.safetensors"
    outcome = run_on(Raw(b""), "train", "q", "--matches", 3, "--keep-checkpoint", "--out", out)
    assert (outcome.code, outcome.err) == (3, TOLD[FULL])
    assert {*tmp_path.iterdir()} == {out, checkpoint_path(out)}


def test_a_report_outlives_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_measurements, "measure", lambda settings, tell: settings)
    monkeypatch.setattr(page, "write_report", lambda path, found: path.write_text("all of it"))
    out = tmp_path / "page.md"
    outcome = run_on(Raw(b""), "report", "--out", out, err=Raw(b""))
    assert (outcome.code, out.read_text()) == (3, "all of it")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-", "| head -1; exit ${PIPESTATUS[0]}"])
def test_solving_outlives_real_streams(tmp_path: Path, closed: str, liars_dice: Solved) -> None:
    out = tmp_path / "policy.safetensors"
    command = [sys.executable, "-m", "zhaifei", *map(str, SOLVE), "--out", str(out)]
    done = subprocess.run(
        ["bash", "-c", f"{shlex.join(command)} {closed}"],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        timeout=LONG,
        check=False,
    )
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "ignored" not in done.stderr
    verify_saved(out)


# commands that only print


@pytest.mark.parametrize("error", [FULL, CLOSED], ids=["full", "closed"])
@pytest.mark.parametrize("name", [*PRINTS, *BARE])
def test_what_only_prints_ends_with_its_output(name: str, error: int, liars_dice: Solved) -> None:
    arguments = BARE[name] if name in BARE else (*PRINTS[name], liars_dice.policy)
    outcome = run_on(Raw(b"", error), *arguments, err=(err := Raw()))
    assert outcome.code == 3
    # Progress comes before; nothing comes after.
    assert outcome.err.endswith(TOLD[error])
    assert outcome.err.count("zhaifei:") == (error == FULL)
    assert not err.broken


def test_an_endless_game_ends_when_nobody_watches() -> None:
    endless = ("--rules", "liars_dice", "--opponent", "honest", "--rounds", 10**9)
    outcome = run_on(Raw(b"Round 3", CLOSED), "watch", *endless, typed="\n" * 10)
    assert (outcome.code, outcome.err) == (3, "")
    assert "Round 2" in outcome.out


def test_progress_that_cannot_be_shown_is_no_reason_to_end(liars_dice: Solved) -> None:
    outcome = run_on(Raw(), "evaluate", liars_dice.policy, err=Raw(b""))
    assert outcome.code == 0
    assert "best-supported" in outcome.out


def test_an_error_keeps_its_code_where_it_cannot_be_told() -> None:
    assert run_on(Raw(), "sovle", err=Raw(b"")).code == 2


def test_there_is_nobody_to_play_with_if_stdin_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = Raw()
    stream = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8")
    monkeypatch.setattr(sys, "stdin", None)
    with contextlib.redirect_stdout(stream):
        assert run(["play", "--rules", "liars_dice", "--opponent", "honest"]) == 0


# characters


@pytest.mark.parametrize(
    ("encoding", "language"), [("ascii", "en"), ("cp1252", "en"), ("ascii", "zh"), ("gbk", "zh")]
)
@pytest.mark.parametrize("name", [*PRINTS, *BARE])
def test_every_command_prints_in_every_encoding(
    name: str, encoding: str, language: str, liars_dice: Solved
) -> None:
    arguments = BARE[name] if name in BARE else (*PRINTS[name], liars_dice.policy)
    arguments = (*arguments, "--lang", language)
    outcome = run_on(Raw(), *arguments, encoding=encoding, typed="c\n1x2\nc\n")
    assert (outcome.code, "zhaifei:" in outcome.err) == (0, False), outcome
    if encoding == "ascii" and name != "help":
        assert outcome.out.isascii()
    if "json" in name:
        json.loads(outcome.out)
    elif encoding == "ascii" and language == "en":
        assert "\\u" not in outcome.out, "what people read has a substitute"


def test_training_prints_in_every_encoding(tmp_path: Path, liars_dice: Solved) -> None:
    out = tmp_path / "骰子.safetensors"
    outcome = run_on(Raw(), *SOLVE, "--out", out, "--lang", "zh", encoding="ascii")
    assert outcome.code == 0
    assert r"\u9ab0\u5b50.safetensors" in outcome.out


def test_errors_are_told_in_every_encoding(liars_dice: Solved) -> None:
    arguments = ("query", "--bid", "斋斋", *HAND, liars_dice.policy)
    refused = run_on(Raw(), *arguments, encoding="latin-1")
    assert refused.code == 2
    assert refused.err.startswith("zhaifei: ")


def test_a_path_that_is_no_text_is_shown_and_can_be_typed_again(
    tmp_path: Path, liars_dice: Solved
) -> None:
    out = tmp_path / os.fsdecode(b"it's \xff\\n.safetensors")
    outcome = run_on(Raw(), *SOLVE, "--out", out)
    assert outcome.code == 0
    assert rf"policy      {tmp_path}/it's \xff\n.safetensors" in outcome.out
    (again,) = (line for line in outcome.out.splitlines() if "--resume" in line)
    command = again.partition(": ")[2].removeprefix("zhaifei solve --resume ").partition(" --")[0]
    shown = subprocess.run(["bash", "-c", f"printf %s {command}"], capture_output=True, check=True)
    assert shown.stdout == os.fsencode(checkpoint_path(out))


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_a_path_that_is_no_text_is_json(encoding: str) -> None:
    raw = Raw()
    stream = io.TextIOWrapper(io.BufferedWriter(raw), encoding)
    name = os.fsdecode(b"\xff") + "×骰"
    with contextlib.redirect_stdout(stream), Output() as output:
        print_json({"name": name})
        assert output.finish() is None
    assert json.loads(raw.written.decode(encoding)) == {"name": name}


@pytest.mark.parametrize("name", ["plain", "two words", "it's", "骰子"])
def test_ordinary_paths_are_quoted_as_ever(name: str) -> None:
    assert quoted(Path(name)) == shlex.quote(name)


def test_streams_are_given_back() -> None:
    before = sys.stdout, sys.stderr
    zhaifei("players")
    assert (sys.stdout, sys.stderr) == before
