"""The shipped policies of several players alone among copies of each strategy file of
`benchmarks/opponents`: no kind of player may make them lose far more than their share."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from zhaifei.game.bids import Bid
from zhaifei.game.parts import Mode
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.catalogue.shipped import shipped_policy
from zhaifei.policies.play.simulation import penalty_share
from zhaifei.policies.players.intervals import DEVIATIONS
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import Answer, PlugIn, Question
from zhaifei.policies.players.plug_in.worker import decide, strategies_in

OPPONENTS = sorted((Path(__file__).parents[2] / "benchmarks" / "opponents").glob("*.py"))
ROUNDS, FEWER = 480, 120
SLOW = ("adds_dice", "bluffs", "deals_again")
"""These judge every legal bid for each decision, so they play FEWER rounds."""
MORE = 0.03
"""How much more than the fair share a policy may take for now."""
ERRORS = 4.0
"""Number of standard errors by which a share may exceed its limit."""


class InProcess(PlugIn):
    """The strategy of a file in this process, which is faster: files of this repository are
    trusted."""

    def __init__(self, path: Path, players: int) -> None:
        self.path, self.rules = path, preset("zhaifei", players=players)
        (strategy,) = strategies_in(path)
        self._strategy = strategy()

    def forget(self) -> None:
        """The strategies of these files remember nothing."""

    def copy(self, number: int) -> "InProcess":
        return self

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Answer:
        view, calls = question.view, list(question.calls)
        found = decide(self._strategy, self.path, view, calls, question.seed)
        if "bid" in found:
            mode, *rest = found["bid"]
            return Bid(Mode(mode), *rest)
        return bool(found["challenge"])  # a KeyError if the strategy failed


@pytest.mark.parametrize("path", OPPONENTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("players", range(3, 7))
def test_no_kind_of_player_makes_the_policy_lose_far_more_than_its_share(
    path: Path, players: int
) -> None:
    rules = preset("zhaifei", players=players)
    name = shipped_policy(rules)
    assert name is not None
    policy, opponent = load_player(name, rules), PlugInPlayer(InProcess(path, players))
    rounds = FEWER if path.stem in SLOW else ROUNDS
    found = penalty_share(policy, opponent, rules, rounds, seed=1)
    error = found.margin / DEVIATIONS
    assert found.share <= 1.0 / players + MORE + ERRORS * error


def test_there_are_strategy_files() -> None:
    assert len(OPPONENTS) >= 7
