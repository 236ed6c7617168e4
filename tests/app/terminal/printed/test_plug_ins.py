"""What strategy files have lost is told in full."""

import io
import json
from contextlib import closing
from pathlib import Path

import numpy as np
from rich.console import Console

from tests.command_line import LONG
from zhaifei.app.terminal.printed.plug_ins import faults_json, print_faults
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.players.plug_in.player import PlugInPlayer
from zhaifei.policies.players.plug_in.plug_in import PlugIn

FULL = preset("zhaifei")


def test_what_was_lost_is_told_once_for_each_file_with_an_example(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    text = (
        "class Own:\n    def challenge_bid(self, seen): return 1 / (len(seen.history) - 2)\n"
        "    def make_bid(self, seen): return {}\n"
    )
    bad.write_text(text.format("None"))
    good.write_text(text.format("seen.legal_bids[0]"))
    console = Console(file=io.StringIO(), width=200)
    opening, hand = np.zeros((4, 0), dtype=np.int64), np.arange(4)
    with (
        closing(PlugIn(good, FULL, limit=LONG)) as well,
        closing(PlugIn(bad, FULL, limit=LONG)) as badly,
    ):
        players = [PlugInPlayer(badly), load_player("honest", FULL), PlugInPlayer(well)]
        for one in (players[0], players[2]):
            one.act(hand, opening, np.zeros(4))
        players[0].act(hand[:1], np.array([[20, 30]]), np.zeros(1))
        print_faults(console, [*players, players[0]])
        found = faults_json(players)
        assert faults_json([badly]) == found[:1]  # as it is where dice are lost
    assert [line.strip() for line in console.file.getvalue().splitlines()] == [  # type: ignore[attr-defined]
        "",
        f"{bad} lost 5 of 5 decisions:",
        "4  make_bid returned None, which is not a bid; first with 11111 after []",
        "1  challenge_bid raised ZeroDivisionError in line 2: division by zero; first with 11111 "
        "after [飞3×6 飞4×6]",
    ]
    assert json.loads(json.dumps(found)) == [
        {
            "player": str(bad),
            "decisions": 5,
            "lost": 5,
            "reasons": [
                {
                    "count": 4,
                    "fault": "make_bid returned None, which is not a bid",
                    "hand": "11111",
                    "history": "",
                },
                {
                    "count": 1,
                    "fault": "challenge_bid raised ZeroDivisionError in line 2: division by zero",
                    "hand": "11111",
                    "history": "飞3×6 飞4×6",
                },
            ],
        },
        {"player": str(good), "decisions": 4, "lost": 0, "reasons": []},
    ]
