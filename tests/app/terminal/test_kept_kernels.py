"""Where compiled kernels cannot be kept, commands that compute say so, once."""

import pytest

from tests.command_line import Solved, refused, zhaifei
from zhaifei.solver.machine import kernel_directory
from zhaifei.solver.machine.kernel_directory import NotKept

ENGLISH = "warning: compiled code cannot be kept\n"
CHINESE = "警告：compiled code cannot be kept\n"


@pytest.fixture(autouse=True)
def not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = NotKept("compiled code cannot be kept")
    monkeypatch.setattr(kernel_directory, "why_not_kept", lambda: reason)


def test_commands_that_compute_say_so_once(liars_dice: Solved) -> None:
    query = ("query", "--policy", liars_dice.policy, "--hand", "1")
    for command, warning in (
        (query, ENGLISH),
        ((*query, "--json", "--lang", "zh"), CHINESE),
        (("watch", "--opponent", "honest", "--fast", "--rounds", 1), ENGLISH),
        # with a line of progress, as all that take long
        (("arena", "honest", "random", "--rounds", 40, "--csv"), ENGLISH),
    ):
        outcome = zhaifei(*command)
        assert outcome.code == 0
        assert outcome.err.count(warning) == 1, command
        assert warning not in outcome.out


def test_others_do_not() -> None:
    assert "warning" not in zhaifei("players").err
    refused("query", "--hand", "none", says=("hand",))
