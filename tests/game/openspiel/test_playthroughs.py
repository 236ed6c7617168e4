"""What the OpenSpiel game shows changes only on purpose."""

import pyspiel
import pytest

from tests.game.openspiel.playthroughs import FILES, PLAYTHROUGHS, main, path_of
from zhaifei.game.rules import PRESETS, preset_name


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_a_playthrough_is_as_committed(name: str) -> None:
    committed = path_of(name).read_text(encoding="utf-8")
    assert PLAYTHROUGHS[name].text() == committed, f"if this is meant, run {main.__module__}"


def test_there_is_a_file_for_each_and_no_other() -> None:
    assert {path.stem for path in FILES.iterdir()} == {*PLAYTHROUGHS}


def test_every_variant_has_one_that_is_played_to_its_end() -> None:
    games = [pyspiel.load_game(played.game) for played in PLAYTHROUGHS.values()]
    assert {preset_name(game.rules) for game in games} == {*PRESETS, None}
    assert {game.num_players() for game in games} == {2, 3}
    assert {game.rules.stakes.jump_challenge for game in games} == {False, True}
    assert {game.rounds for game in games} == {0, 1, 2}
    for played, game in zip(PLAYTHROUGHS.values(), games, strict=True):
        state = game.new_initial_state()
        for action in played.actions:
            state.apply_action(state.string_to_action(state.current_player(), action))
        assert state.is_terminal()
