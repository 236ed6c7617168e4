"""What worker processes are asked: they know the policy that was named, or none."""

from pathlib import Path

import pytest

from tests.policies.small_policies import random_policy
from zhaifei.app.web.asking import advise_at_table, answer_locks, explore_position, learn_from
from zhaifei.app.web.explorer import LockQuestion, Position
from zhaifei.game.bids import action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.notation import parse_history
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advice import Locked, PlayedOut
from zhaifei.policies.advice.people import person_of
from zhaifei.policies.advice.table import TableQuestion
from zhaifei.policies.play.played import played_round
from zhaifei.policies.players.rollouts import STEPS
from zhaifei.policies.players.table_policy import save_policy

SMALL = Rules.of(players=2, dice=1, faces=2)
JUMP = preset("zhaifei", players=4, jump_challenge=True)


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policies") / "small.safetensors"
    save_policy(path, random_policy(SMALL))
    return path


def test_the_named_policy_answers(named: Path) -> None:
    history = parse_history(SMALL, "f1x2")
    asked = TableQuestion(SMALL, 1, (2,), history, (person_of(SMALL),) * 2)
    assert advise_at_table(named, asked).actions
    found = explore_position(named, Position(SMALL, history), 0.0)
    assert found.rules == SMALL
    played = played_round(SMALL, 1, [None, (2,)], [action_of(SMALL, history[0])])
    nobody, shown = learn_from(named, SMALL, played)
    assert nobody is None
    assert shown is not None
    assert shown.table[0] < 0.0
    locks = LockQuestion(Position(SMALL, history, (2,)), "- after: start\n  play: {f1x2: 1}\n")
    assert isinstance(answer_locks(named, locks).ground, Locked)


def test_without_a_policy_bids_are_read() -> None:
    asked = TableQuestion(JUMP, 0, (1, 1, 3, 4, 6), (), (person_of(JUMP),) * 4)
    assert advise_at_table(None, asked).ground == PlayedOut(STEPS[-1][0])


def test_without_a_policy_nothing_is_explored() -> None:
    with pytest.raises(ZhaifeiError, match="no policy is known"):
        explore_position(None, Position(JUMP), 0.0)
