"""A match that was recorded is shown again as it was shown while it was played."""

from pathlib import Path

import numpy as np
import pytest

from zhaifei.app.terminal.console import new_console
from zhaifei.app.terminal.replay import replay
from zhaifei.app.terminal.screen import Screen, always
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.match import Match
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rules import PRESETS, preset
from zhaifei.game.views import View
from zhaifei.policies.catalogue.solving import command_for
from zhaifei.policies.play.records import MatchRecorder, read_match
from zhaifei.policies.play.table import LiveTable, Onlookers

INVALID = -9


class Anything:
    """Decides at random: often weak bids, sometimes a challenge and, where dice are lost, sometimes
    what is not allowed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def decide(self, view: View) -> int:
        bids = [action_of(view.rules, bid) for bid in view.legal_bids[:3]]
        choices = bids or [DECLINE] * 3
        if view.can_challenge:
            choices += [challenge_action(view.rules)]
        if view.rules.loses_dice:
            choices += [INVALID]
        return int(self._random.choice(choices))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", PRESETS)
def test_a_match_looks_the_same_when_it_is_shown_again(
    name: str, players: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = preset(name, players=players, dice=2)
    match = Match(rules, np.random.default_rng(players))
    names = [f"player-{seat}" for seat in range(players)]
    query = always("" if rules.loses_dice else command_for("zhaifei query", rules))
    screen = Screen(new_console(), names, None, query, rules)
    with MatchRecorder(match, names, path=tmp_path / "one.jsonl") as recorder:
        seats = [Anything(seat) for seat in range(players)]
        onlooker = Onlookers([recorder, screen])
        LiveTable(match, seats, onlooker, shown=range(players)).play(9)
    screen.standings(match.standings(), match.played)
    live = capsys.readouterr().out
    assert match.is_over == rules.loses_dice
    found = read_match(tmp_path / "one.jsonl")
    assert [one.rank for one in found.standings()] == [one.rank for one in match.standings()]
    replay(found, None, lambda: None, fast=False)
    heading, _, again = capsys.readouterr().out.partition("\n")
    assert heading.startswith(f"{name}: {players} players")
    if not (rules.loses_dice and players == 2):
        assert again == live
        return
    # Policies for matches of two are known: their commands depend on the dice left.
    commands = ("advice on", "zhaifei query")
    assert [line for line in again.splitlines() if not line.startswith(commands)] == (
        live.splitlines()
    )
