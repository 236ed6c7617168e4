"""The cards of rules of thumb that come with the page."""

import json
from pathlib import Path

import pytest

from zhaifei.app.pocket.cards import (
    CARDS,
    DEALS,
    PLAYERS,
    ROUNDS,
    card_path,
    write_card,
    written_card,
)
from zhaifei.app.pocket.shapes import as_json
from zhaifei.game.chances import at_least
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.shipped import shipped_path
from zhaifei.policies.players.table_policy import load_policy


@pytest.mark.parametrize("players", PLAYERS)
def test_cards_are_whole(players: int) -> None:
    path = card_path(preset("zhaifei", players=players))
    assert path is not None
    card = json.loads(path.read_text("utf-8"))
    thumbs = card["thumbs"]
    assert card["players"] == players
    assert len(thumbs) <= 12
    assert sum(one["arises"] for one in thumbs) == pytest.approx(1.0, abs=1e-3)
    right = sum(one["arises"] * one["right"] for one in thumbs)
    assert right == pytest.approx(card["right"], abs=1e-3)
    assert 0.0 < card["margin"] < card["cost"]
    for one in thumbs:
        assert (one["bid"] is None) == (one["own"] is None) == (one["challenge"] is not None)
        if one["bid"] is not None:
            assert (one["bid"]["count"] is None) == (one["after"] is not None)


@pytest.mark.parametrize("players", PLAYERS)
def test_chances_are_those_of_the_others_dice(players: int) -> None:
    """In 飞 one of three dice counts, in 斋 one of six, but for hands that count as more."""
    card = json.loads((CARDS / f"zhaifei-{players}.json").read_text("utf-8"))
    for one in card["thumbs"]:
        if one["challenge"] is not None:
            sides = 2 if one["after"] == "fei" else 1
            likely = at_least(5 * (players - 1), sides, 6)[one["challenge"]["missing"]]
            assert one["challenge"]["chance"] == pytest.approx(likely, abs=0.03)


def test_there_are_no_other_cards() -> None:
    assert {path.stem for path in CARDS.iterdir()} == {f"zhaifei-{number}" for number in PLAYERS}
    for name, players in (("ktv", 2), ("zhaifei", 7)):
        assert card_path(preset(name, players=players)) is None


def test_a_card_is_written_as_it_is_read(tmp_path: Path) -> None:
    path = shipped_path(preset("zhaifei", players=3))
    assert path is not None
    card = written_card(load_policy(path), 50, 50)
    write_card(tmp_path / "card.json", card)
    assert json.loads((tmp_path / "card.json").read_bytes()) == json.loads(as_json(card))


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_cards_come_from_the_shipped_policies(players: int) -> None:
    rules = preset("zhaifei", players=players)
    path, kept = shipped_path(rules), card_path(rules)
    assert path is not None
    assert kept is not None
    assert as_json(written_card(load_policy(path), ROUNDS, DEALS)) == kept.read_bytes()
