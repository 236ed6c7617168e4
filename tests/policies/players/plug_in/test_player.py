"""Strategy files at tables for penalty points: against the same players written as policies, and
against the rules themselves."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import LONG
from zhaifei.game.bids import domain, legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.measure.arena import play_arena
from zhaifei.policies.play.simulation import play_dealt
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn

EXAMPLES = Path(__file__).parent / "examples"
FULL = preset("zhaifei")
THREE = preset("zhaifei", players=3, dice=2, jump_challenge=True)


@pytest.mark.parametrize("rules", [FULL, THREE], ids=["two", "three with 跳开"])
def test_a_file_that_plays_by_the_rule_of_a_named_player_is_its_equal(rules: Rules) -> None:
    """Decision by decision: rounds with the same dice end alike."""
    named, *others = [load_player(name, rules) for name in ("probabilistic", "random", "honest")]
    dealt = np.random.default_rng(0).integers(len(hands(rules)), size=(200, rules.players))
    with closing(PlugIn(EXAMPLES / "probabilistic.py", rules, limit=LONG)) as one:
        for seat in range(rules.players):
            found, expected = (
                play_dealt(
                    [*others[:seat], player, *others[seat : rules.players - 1]],
                    rules,
                    dealt,
                    np.random.default_rng(1),
                ).points
                for player in (PlugInPlayer(one), named)
            )
            np.testing.assert_array_equal(found, expected)
        assert one.losses == []
        assert one.decisions > 200


def test_equal_seeds_equal_tables() -> None:
    def arena(seed: int) -> object:
        with closing(PlugIn(EXAMPLES / "erratic.py", THREE, limit=LONG)) as one:
            players = [PlugInPlayer(one), load_player("random", THREE)]
            *_, standings = play_arena(players, THREE, 100, seed)
            assert one.losses == []
            assert one.decisions > 100
        return standings

    assert arena(1) == arena(1)
    assert arena(1) != arena(2)


def test_equal_arguments_make_equal_actions_in_any_order() -> None:
    drawn = np.random.default_rng(0)
    hand, uniform = drawn.integers(len(hands(THREE)), size=200), drawn.random(200)
    history = np.repeat([[20, 30]], 200, axis=0)
    order = drawn.permutation(200)
    with closing(PlugIn(EXAMPLES / "erratic.py", THREE, limit=LONG)) as one:
        mine = PlugInPlayer(one)
        actions = mine.act(hand, history, uniform)
        again = mine.act(hand[order], history[order], uniform[order])
    assert actions.dtype == np.int64
    np.testing.assert_array_equal(again, actions[order])
    assert len(set(actions.tolist())) > 20


def test_who_has_no_answer_makes_the_weakest_bid_or_challenges(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "class Own:\n    def challenge_bid(self, seen): raise OSError\n"
        "    def make_bid(self, seen): return '飞9x9'\n"
    )
    hand, uniform = np.arange(10), np.full(10, 0.5)
    with closing(PlugIn(path, FULL, limit=LONG)) as one:
        mine = PlugInPlayer(one)
        opening = mine.act(hand, np.zeros((10, 0), dtype=np.int64), uniform)
        reply = mine.act(hand, np.full((10, 1), 50), uniform)
        assert sum(loss.count for loss in one.losses) == one.decisions == 20
    assert {domain(FULL)[bid] for bid in opening.tolist()} == {legal_bids(FULL, None)[0]}
    assert set(reply.tolist()) == {len(domain(FULL))}


def test_who_can_only_challenge_is_not_asked() -> None:
    with closing(PlugIn(EXAMPLES / "my_strategy.py", FULL, limit=LONG)) as one:
        last = np.full((3, 1), len(domain(FULL)) - 1)
        actions = PlugInPlayer(one).act(np.arange(3), last, np.zeros(3))
        assert actions.tolist() == [len(domain(FULL))] * 3
        assert one.decisions == 0
