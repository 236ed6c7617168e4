"""Golden playthroughs of the OpenSpiel game: what every state of a few rounds shows, in text that
people can read. The format, and the code that writes it, are those of OpenSpiel's own playthroughs
(`open_spiel/integration_tests/playthroughs`).

After a change that is meant to show, write the files anew and read the difference:

    python -m tests.game.openspiel.playthroughs
"""

from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from open_spiel.python.algorithms import generate_playthrough

import zhaifei.game.openspiel  # noqa: F401  # registers python_zhaifei

FILES = Path(__file__).with_name("playthroughs")


@dataclass(frozen=True)
class Playthrough:
    """A game and all that is said and dealt in it, in the words of `action_to_string`."""

    game: str
    actions: tuple[str, ...]

    def text(self) -> str:
        """Everything that OpenSpiel can ask of the game and of each state."""
        # OpenSpiel leaves out later states of long games; these are short.
        every = mock.patch.object(
            generate_playthrough, "ShouldDisplayStateTracker", return_value=lambda state: True
        )
        with every:
            return generate_playthrough.playthrough(self.game, [*self.actions], seed=0)


PLAYTHROUGHS = {
    "two_players": Playthrough(
        "python_zhaifei()",
        ("deal 11346", "deal 22256", "飞3×2", "飞4×5", "斋2×6", "斋3×2", "challenge"),
    ),
    "small_dice": Playthrough(
        "python_zhaifei(dice=2,faces=3)",
        ("deal 11", "deal 23", "飞3×3", "斋2×1", "斋3×1", "challenge"),
    ),
    "no_raise_left": Playthrough(
        "python_zhaifei(dice=2,faces=3)", ("deal 33", "deal 12", "斋4×3", "challenge")
    ),
    "three_players": Playthrough(
        "python_zhaifei(players=3,dice=2,faces=3)",
        ("deal 12", "deal 13", "deal 22", "飞4×2", "飞4×3", "斋3×1", "斋3×2", "challenge"),
    ),
    "jump_challenge": Playthrough(
        "python_zhaifei(players=3,dice=2,faces=3,jump_challenge=True)",
        ("deal 12", "deal 13", "deal 22", "飞4×3", "飞5×2", "斋3×1", "challenge 2"),
    ),
    "doubles": Playthrough(
        "python_zhaifei(rules=southern,dice=2,faces=3)",
        ("deal 11", "deal 23", "飞3×3", "劈", "反劈", "challenge"),
    ),
    "doubles_of_three": Playthrough(
        "python_zhaifei(rules=southern,players=3,dice=2,faces=3)",
        ("deal 11", "deal 23", "deal 13", "飞4×2", "飞4×3", "劈", "反劈", "give up"),
    ),
    "gives_up": Playthrough(
        "python_zhaifei(rules=northern,dice=2,faces=3,rounds=2)",
        (
            "p1 starts",
            "deal 12",
            "deal 33",
            "飞3×3",
            "劈",
            "give up",
            "deal 11",
            "deal 22",
            "飞3×3",
            "challenge",
        ),
    ),
    "ones_end_fei": Playthrough(
        "python_zhaifei(dice=2,faces=3,house=ones-end-fei)",
        ("deal 11", "deal 23", "飞3×3", "斋2×1", "斋2×3", "斋3×2", "challenge"),
    ),
    "match": Playthrough(
        "python_zhaifei(dice=1,faces=2,rounds=2)",
        (
            "p1 starts",
            "deal 1",
            "deal 2",
            "飞2×2",
            "challenge",
            "deal 2",
            "deal 2",
            "斋2×2",
            "challenge",
        ),
    ),
    "match_of_three_with_jump_challenge": Playthrough(
        "python_zhaifei(players=3,dice=1,faces=3,jump_challenge=True,rounds=2)",
        (
            "p2 starts",
            "deal 2",
            "deal 2",
            "deal 3",
            "飞3×2",
            "斋2×3",
            "challenge 2",
            "deal 1",
            "deal 3",
            "deal 3",
            "斋3×3",
            "challenge",
        ),
    ),
    "liars_dice": Playthrough(
        "python_zhaifei(rules=liars_dice)", ("deal 6", "deal 2", "飞1×2", "飞1×6", "challenge")
    ),
    "basic": Playthrough(
        "python_zhaifei(rules=basic,dice=2,faces=3)",
        ("deal 13", "deal 23", "飞3×2", "飞3×3", "challenge"),
    ),
    "ktv": Playthrough(
        "python_zhaifei(rules=ktv,dice=3,faces=3)",
        ("deal 113", "deal 222", "飞3×2", "斋3×3", "斋3×1", "飞6×2", "challenge"),
    ),
    "uneven_dice": Playthrough(
        "python_zhaifei(dice_by_player=2:1,faces=3)",
        ("deal 12", "deal 3", "飞3×2", "斋2×2", "challenge"),
    ),
    "knockout_match": Playthrough(
        "python_zhaifei(rules=knockout,dice_by_player=2:1,faces=3,rounds=0)",
        (
            "p0 starts",
            "deal 12",
            "deal 3",
            "飞1×2",
            "decline",
            "飞2×2",
            "challenge",
            "deal 2",
            "deal 1",
            "飞1×3",
            "decline",
            "飞2×3",
            "decline",
            "challenge",
        ),
    ),
    "knockout_round_of_three": Playthrough(
        "python_zhaifei(rules=knockout,players=3,dice=1,faces=3)",
        (
            "deal 1",
            "deal 2",
            "deal 3",
            "飞1×2",
            "decline",
            "decline",
            "飞3×3",
            "decline",
            "challenge",
        ),
    ),
    "increment_match_of_three": Playthrough(
        "python_zhaifei(rules=increment,players=3,dice=1,faces=2,rounds=0)",
        (
            "p2 starts",
            "deal 1",
            "deal 2",
            "deal 2",
            "斋1×2",
            "斋2×1",
            "challenge",
            "deal 1",
            "deal 2",
            "斋1×1",
            "challenge",
        ),
    ),
    "classic": Playthrough(
        "python_zhaifei(rules=classic,dice=2,faces=3)",
        ("deal 13", "deal 23", "飞1×2", "飞2×2", "飞3×3", "challenge"),
    ),
    "classic_plain": Playthrough(
        "python_zhaifei(rules=classic_plain,dice=2,faces=3)",
        ("deal 13", "deal 23", "斋1×1", "斋2×3", "challenge"),
    ),
    "published_match": Playthrough(
        "python_zhaifei(rules=published,dice_by_player=1:2,faces=2,rounds=0)",
        ("p1 starts", "deal 1", "deal 22", "challenge", "deal 1", "deal 1", "challenge"),
    ),
    "round_of_a_match_for_points": Playthrough(
        "python_zhaifei(rules=knockout,dice_by_player=2:1,faces=3,for_points=True)",
        ("deal 12", "deal 3", "飞1×2", "飞3×2", "challenge"),
    ),
}
"""By the stem of the file."""


def path_of(name: str) -> Path:
    return FILES / f"{name}.txt"


def main() -> None:
    """Write all files; print which ones changed."""
    FILES.mkdir(exist_ok=True)
    for path in FILES.glob("*.txt"):
        if path.stem not in PLAYTHROUGHS:
            path.unlink()
            print(f"removed {path.name}")
    for name, played in PLAYTHROUGHS.items():
        path, text = path_of(name), played.text()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}: `git diff` shows what changed")


if __name__ == "__main__":
    main()
