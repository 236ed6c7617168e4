"""Work is not lost: what `solve` and `train` leave as it is, unless --overwrite is given."""

import os
import shutil
from pathlib import Path

import pytest

from tests.altered_files import contents
from tests.command_line import NO_CHECKPOINT, refused, solve, succeeds, zhaifei
from zhaifei.app.terminal.printed.points import points_text
from zhaifei.game.rules import preset
from zhaifei.policies.players.table_policy import load_policy
from zhaifei.policies.training.run_lock import locked
from zhaifei.policies.training.run_paths import checkpoint_path

GAME = ("--dice", 1, "--faces", 2)
OTHER_GAME = ("--dice", 1, "--faces", 3)
MATCH = ("--rules", "knockout", "--players", 2, "--dice", 1, "--faces", 2)
COMMANDS = {
    "solve": ("solve", *GAME, "--iterations", 40),
    "target": ("solve", *GAME, "--target", 0.9),
    "sampled": ("solve", *GAME, "--recall", "bid", "--iterations", 40, "--threads", 1),
    "single-bid": ("solve", *GAME, "--single-bid", "--iterations", 40),
    "several": ("solve", "--players", 3, *GAME, "--iterations", 40),
    "match": ("solve", *MATCH, "--iterations", 40),
    "cluster": ("solve", "--players", 3, *GAME, "--iterations", 40, "--cluster"),
    "q": ("train", "q", "--matches", 10),
    "ppo": ("train", "ppo", "--steps", 100, "--threads", 1),
}
KEEP = "--keep-checkpoint"
any_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "policy.safetensors"


def figure(path: Path) -> float:
    return float(load_policy(path).training["exploitability"])


@any_command
def test_files_of_a_run_that_goes_on_are_refused(command: tuple[object, ...], out: Path) -> None:
    says = (f"process {os.getpid()} on ", f" has been writing {out} since ")
    with locked(out, print):
        before = contents(out.parent)
        refused(*command, "--out", out, says=says)
        refused(*command, "--out", out, "--overwrite", says=says)
        assert contents(out.parent) == before


@pytest.mark.parametrize("name", ["solve", "match", "q"])
def test_a_run_is_not_resumed_while_it_goes_on(name: str, out: Path) -> None:
    command = COMMANDS[name]
    succeeds(*command, KEEP, "--out", out)
    resume = (*command[:2], "--resume") if name == "q" else ("solve", "--resume")
    with locked(out, print):
        before = contents(out.parent)
        refused(*resume, checkpoint_path(out), says=(f" has been writing {out} since ",))
        assert contents(out.parent) == before
    succeeds(*resume, checkpoint_path(out), KEEP)
    assert {*out.parent.iterdir()} == {out, checkpoint_path(out)}


@pytest.mark.parametrize("name", ["solve", "target", "match", "q"])
def test_a_finished_run_leaves_one_file_and_says_how_to_keep_more(name: str, out: Path) -> None:
    command = COMMANDS[name]
    said = succeeds(*command, "--out", out)
    assert [*out.parent.iterdir()] == [out]
    assert "--resume X" not in said.replace(str(checkpoint_path(out)), "X")
    # The rounds of a match are solved for a number of iterations of their own.
    assert said.endswith(f"\n{NO_CHECKPOINT}\n") == (name != "match")
    resume = (*command[:2], "--resume") if name == "q" else ("solve", "--resume")
    why = f"there is no checkpoint file {checkpoint_path(out)}: a finished run keeps its checkpoint"
    refused(*resume, checkpoint_path(out), says=(why, " only with --keep-checkpoint"))


@pytest.mark.parametrize("name", ["solve", "target", "match", "q"])
def test_a_finished_run_that_is_resumed_writes_its_result_again(name: str, out: Path) -> None:
    """And leaves its checkpoint only if it is asked to."""
    command = COMMANDS[name]
    succeeds(*command, KEEP, "--out", out)
    before = contents(out.parent)
    resume = (*command[:2], "--resume") if name == "q" else ("solve", "--resume")
    for keep in (True, False):
        out.unlink()
        succeeds(*resume, checkpoint_path(out), *([KEEP] if keep else []))
        assert contents(out.parent).keys() == (before.keys() if keep else {out.name})


def test_a_finished_run_on_a_cluster_leaves_one_file(out: Path) -> None:
    pytest.importorskip("ray")
    succeeds(*COMMANDS["cluster"], "--checkpoint-every", "0.001s", "--out", out)
    assert [*out.parent.iterdir()] == [out]


@any_command
@pytest.mark.parametrize("where", ["out", "checkpoint"])
def test_what_is_of_something_else_is_refused(
    command: tuple[object, ...], where: str, out: Path
) -> None:
    """Whichever of the two files it is, and before anything is computed."""
    path = out if where == "out" else checkpoint_path(out)
    path.write_text("a shopping list")
    says = (f"{path} is not a whole safetensors file", "; --overwrite replaces it, or name another")
    refused(*command, "--out", out, says=says)
    assert contents(out.parent) == {path.name: b"a shopping list"}


@pytest.mark.parametrize("name", ["solve", "sampled", "single-bid", "several", "match", "q"])
def test_a_command_may_be_repeated(name: str, out: Path) -> None:
    for _ in range(2):
        said = succeeds(*COMMANDS[name], KEEP, "--out", out)
        assert "stays as it was" not in said
        assert f"checkpoint  {checkpoint_path(out)}" in said


def test_a_policy_of_another_game_is_refused_with_its_checkpoint(out: Path) -> None:
    solve(out, *OTHER_GAME, "--iterations", 20)
    before = contents(out.parent)
    its, own = (preset("zhaifei", dice=1, faces=faces) for faces in (3, 2))
    says = f"{out} holds a policy for {its}, and this one is for {own}; --overwrite replaces it"
    refused(*COMMANDS["solve"], "--out", out, says=(says,))
    out.unlink()  # the checkpoint alone is in the way too
    del before[out.name]
    says = f"is the checkpoint of a run for {its}, and this one is for {own}; --overwrite"
    refused(*COMMANDS["solve"], "--out", out, says=(says,))
    assert contents(out.parent) == before
    succeeds(*COMMANDS["solve"], "--out", out, "--overwrite")
    assert load_policy(out).rules == own


def test_a_resumed_run_does_not_replace_a_policy_of_another_game(tmp_path: Path) -> None:
    """As where two games shared a file: the policy was of one, the checkpoint of the other."""
    one = solve(tmp_path / "one.safetensors", *GAME, "--iterations", 20)
    other = solve(tmp_path / "other.safetensors", *OTHER_GAME, "--iterations", 20)
    shutil.copy(one.checkpoint, other.checkpoint)
    before = contents(tmp_path)
    refused("solve", "--resume", other.checkpoint, says=("holds a policy for", "--overwrite"))
    refused("solve", "--resume", one.checkpoint, "--out", other.policy, says=("holds a policy",))
    assert contents(tmp_path) == before


def test_a_shorter_run_is_refused(out: Path) -> None:
    solve(out, *GAME, "--iterations", 4000)
    before = contents(out.parent)
    says = (
        f"{checkpoint_path(out)} is the checkpoint of a run that has done 4,000 units of work, "
        "more than the 40 of this run: --resume goes on from there; --overwrite replaces it",
    )
    refused(*COMMANDS["solve"], "--out", out, says=says)
    assert contents(out.parent) == before
    succeeds(*COMMANDS["solve"], "--out", out, "--overwrite")
    assert load_policy(out).training["iterations"] == 40


def test_a_run_that_stops_sooner_leaves_policy_and_checkpoint(out: Path) -> None:
    """By a higher target: nobody knows how long it takes until it is done."""
    solve(out, *GAME, "--iterations", 4000)
    before = contents(out.parent)
    lines = succeeds("solve", *GAME, "--target", 0.5, "--out", out).splitlines()
    known = points_text(figure(out))
    there, here = f"exploitability {known} there, exploitability 0.", " in this run"
    (line,) = [one for one in lines if one.startswith(f"{out} stays as it was: ")]
    assert there in line
    assert line.endswith(here)
    (line,) = [one for one in lines if one.startswith(f"{checkpoint_path(out)} was not replaced: ")]
    assert "its run has done more work than the " in line
    assert "to replace them, repeat the command with --overwrite" in lines
    assert not any(one.startswith(("policy ", "checkpoint  ", "exploitable ")) for one in lines)
    assert contents(out.parent) == before
    succeeds("solve", *GAME, "--target", 0.5, "--out", out, "--overwrite")
    assert 0.0 < figure(out) <= 0.5


def test_a_policy_without_a_checkpoint_stays_if_it_is_better(out: Path) -> None:
    """The checkpoint of the new run is written, and from there it may replace the policy."""
    solve(out, *GAME, "--iterations", 4000)
    checkpoint_path(out).unlink()
    before = out.read_bytes()
    said = succeeds("solve", *GAME, "--iterations", 20, "--out", out)
    assert f"{out} stays as it was: exploitability" in said
    again = f"zhaifei solve --resume {checkpoint_path(out)} --overwrite"
    assert f"to replace it: {again}\n" in said
    assert out.read_bytes() == before
    assert checkpoint_path(out).exists()
    succeeds(*again.split()[1:])
    assert load_policy(out).training["iterations"] == 20
    assert not checkpoint_path(out).exists()


def test_a_resumed_run_does_not_replace_a_better_policy(out: Path) -> None:
    """As after a full disk, which leaves a newer policy beside an older checkpoint."""
    older = solve(out, *GAME, "--iterations", 20).checkpoint.read_bytes()
    solve(out, *GAME, "--iterations", 4000)
    checkpoint_path(out).write_bytes(older)
    before = contents(out.parent)
    done = zhaifei("solve", "--resume", checkpoint_path(out), "--iterations", 40)
    assert done.code == 0
    assert f"{out} stays as it was: exploitability" in done.out
    assert out.read_bytes() == before[out.name]
    assert checkpoint_path(out).read_bytes() != older
    succeeds("solve", "--resume", checkpoint_path(out), "--iterations", 8000)
    assert not checkpoint_path(out).exists()
    assert load_policy(out).training["iterations"] == 8000


@pytest.mark.parametrize("name", ["sampled", "single-bid"])
def test_a_policy_with_a_figure_is_not_replaced_by_one_without(name: str, out: Path) -> None:
    """They have the same file by default."""
    solve(out, *GAME, "--iterations", 20)
    before = contents(out.parent)
    refused(*COMMANDS[name], "--out", out, says=("holds a policy with a measured figure",))
    assert contents(out.parent) == before


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        ("sampled", ("--recall", "bid,bid", "--threads", 1), "of another method without a figure"),
        ("sampled", ("--recall", "bid", "--threads", 1, "--seed", 3), "of another run (mccfr, "),
    ],
)
def test_other_runs_of_the_same_game_are_refused(
    first: str, second: tuple[object, ...], says: str, out: Path
) -> None:
    succeeds(*COMMANDS[first], KEEP, "--out", out)
    refused("solve", *GAME, "--iterations", 40, *second, "--out", out, says=(says,))


def test_a_learner_does_not_replace_one_that_has_learned_more(out: Path) -> None:
    succeeds("train", "q", "--matches", 30, KEEP, "--out", out)
    before = contents(out.parent)
    refused("train", "q", "--matches", 20, "--out", out, says=("done 30 units", "the 20 of this"))
    refused("train", "q", "--matches", 30, "--seed", 1, "--out", out, says=("of another run",))
    as_published = ("train", "q", "--as-published", "--matches", 30)
    refused(*as_published, "--out", out, says=("holds a policy for increment",))
    assert contents(out.parent) == before
    checkpoint_path(out).unlink()
    said = succeeds("train", "q", "--matches", 20, "--out", out)
    there, here = "nothing measured, after 30 units of work there", "after 20 units of work in this"
    assert f"{out} stays as it was: {there}, nothing measured, {here} run\n" in said
    assert out.read_bytes() == before[out.name]


def test_two_names_have_two_checkpoints(tmp_path: Path) -> None:
    one = solve(tmp_path / "a", *GAME, "--iterations", 20)
    other = solve(tmp_path / "a.safetensors", *OTHER_GAME, "--iterations", 20)
    assert one.checkpoint != other.checkpoint
    assert {*tmp_path.iterdir()} == {one.policy, one.checkpoint, other.policy, other.checkpoint}
    for done, faces in ((one, 2), (other, 3)):
        succeeds("solve", "--resume", done.checkpoint, "--iterations", 40)
        policy = load_policy(done.policy)
        assert (policy.rules.faces, policy.training["iterations"] >= 40) == (faces, True)


@pytest.mark.parametrize("name", ["a.checkpoint", "a.checkpoint.safetensors"])
def test_a_policy_does_not_have_the_name_of_a_checkpoint(tmp_path: Path, name: str) -> None:
    says = (f"cannot write {tmp_path / name}: that is the name of a checkpoint",)
    refused(*COMMANDS["solve"], "--out", tmp_path / name, says=says)


def test_a_checkpoint_with_another_name_does_not_lose_itself(out: Path) -> None:
    copy = out.with_name("copy.safetensors")
    shutil.copy(solve(out, *GAME, "--iterations", 20).checkpoint, copy)
    refused("solve", "--resume", copy, says=(f"{copy} does not have the name of a checkpoint",))
    succeeds("solve", "--resume", copy, "--out", out)
