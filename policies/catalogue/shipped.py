"""Policies and players that come with the package. README.md describes how each was made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, TypeVar

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules, house_of, preset, preset_name
from zhaifei.policies.players.player import PlaysBy
from zhaifei.solver.files.storage import kind_of, load_header
from zhaifei.solver.value.matches import comes_to

_DATA = Path(__file__).parents[1] / "data"
_FULL_GAME = preset("zhaifei")


class Solved(NamedTuple):
    """A policy file that comes with the package, and how it was made. The file itself does not
    store the seconds, so that equal runs write equal files."""

    rules: Rules
    figure: float
    """The exploitability, or with three players or more the NashConv, in penalty points per round;
    where dice are lost, the share of matches that a best response gains. It is the upper bound that
    `zhaifei evaluate` proves, rounded up, and holds for exactly this file."""
    seconds: float
    """Wall-clock time."""
    command: str


def _of(players: int, *, jump: bool = False) -> Rules:
    return preset("zhaifei", players=players, jump_challenge=jump)


_TRIMMED = "; then python -m benchmarks.trim"
"""Follows the command where the shipped file is a trimmed copy."""


def _with_jumps(players: int, figure: float, seconds: float, *options: str) -> Solved:
    """Return how a policy with 跳开 was made: solved, then trimmed (`benchmarks/trim.py`)."""
    parts = f"zhaifei solve --players {players} --jump-challenge", *options, "--threads 1"
    return Solved(_of(players, jump=True), figure, seconds, " ".join(parts) + _TRIMMED)


SOLVED = {
    "single-bid": Solved(
        _FULL_GAME, 0.483028, 882.0, "zhaifei solve --single-bid --iterations 1.27e8"
    ),
    "zhaifei-2p": Solved(
        _FULL_GAME,
        0.004972,
        1227.0,
        "zhaifei solve --players 2 --iterations 6e7 --checkpoint-every 40m",
    ),
    "ktv-2p": Solved(
        preset("ktv"), 0.002127, 139.0, "zhaifei solve --rules ktv --iterations 3.2e7"
    ),
    "southern-2p": Solved(
        preset("southern"), 0.005753, 124.0, "zhaifei solve --rules southern --iterations 2.2e7"
    ),
    "zhaifei-3p": Solved(
        _of(3), 0.010237, 1572.0, "zhaifei solve --players 3 --iterations 6.35e7" + _TRIMMED
    ),
    "zhaifei-4p": Solved(
        _of(4), 0.004958, 890.0, "zhaifei solve --players 4 --iterations 1.092e8" + _TRIMMED
    ),
    "zhaifei-5p": Solved(
        _of(5), 0.002926, 665.0, "zhaifei solve --players 5 --iterations 9e7 --threads 1"
    ),
    "zhaifei-6p": Solved(
        _of(6), 0.003545, 669.0, "zhaifei solve --players 6 --iterations 1.3e8 --threads 1"
    ),
    "zhaifei-7p": Solved(
        _of(7), 0.004704, 469.0, "zhaifei solve --players 7 --iterations 9e7 --threads 1"
    ),
    "zhaifei-8p": Solved(
        _of(8),
        0.006974,
        540.0,
        "zhaifei solve --players 8 --iterations 7.26e7 --threads 1" + _TRIMMED,
    ),
    "zhaifei-3p-jump": _with_jumps(3, 0.029827, 1971.0, "--iterations 3.105e7"),
    "zhaifei-4p-jump": _with_jumps(4, 0.028511, 642.0, "--iterations 2.46e7"),
    "zhaifei-5p-jump": _with_jumps(5, 0.018967, 726.0, "--iterations 3.81e7"),
    "zhaifei-6p-jump": _with_jumps(6, 0.023456, 661.0, "--iterations 2.61e7"),
    "knockout-2p": Solved(
        preset("knockout", players=2), 0.000279, 113.0, "zhaifei solve --rules knockout --players 2"
    ),
    "classic-2p": Solved(
        preset("classic", players=2), 0.007376, 868.0, "zhaifei solve --rules classic --players 2"
    ),
}
"""By name. A policy is shipped if policies/data has a file of this name."""
LEARNED = ("dqn", "nfsp", "ppo")
"""The names of the neural networks, each trained by OpenSpiel's algorithm of that name."""


def _file(name: str) -> Path:
    return _DATA / f"{name}.safetensors"


POLICIES = {name: one.rules for name, one in SOLVED.items() if _file(name).is_file()}
"""The rules of the policies in SOLVED whose files are present."""
LEARNED_BY_SEVERAL = {
    f"{algorithm}-{players}p": _of(players)
    for algorithm in ("nfsp", "ppo")
    for players in (3, 4, 5, 6)
}
"""The rules of the networks for three players and more."""
_NAMED = {**dict.fromkeys(LEARNED, _FULL_GAME), **LEARNED_BY_SEVERAL, **POLICIES}
SHIPPED = dict(sorted(_NAMED.items(), key=lambda one: (one[1].loses_dice, one[1].players > 2)))
"""The rules of the named players in policies/data, in the order of listings."""


def policy_name(rules: Rules) -> str:
    """Return the name of the file of a policy for `rules`, without directory and suffix."""
    name = preset_name(rules) or "custom"
    sizes = f"{rules.players}p"
    if rules.changed(jump_challenge=False) != _usual(rules):
        sizes += f"-{'-'.join(map(str, rules.table.uneven or [rules.dice]))}x{rules.faces}"
    if rules.stakes.jump_challenge:
        sizes += "-jump"
    house = [one.replace("=", "-") for one in house_of(rules)]
    return "-".join([name, sizes, *house])


def _usual(rules: Rules) -> Rules:
    """Return the rules for as many players whose file names omit sizes: those of the preset."""
    return preset(preset_name(rules) or "zhaifei", players=rules.players)


def shipped_policy(rules: Rules) -> str | None:
    """Return the name of the policy shipped for `rules`, or None."""
    name = policy_name(rules)
    return name if POLICIES.get(name) == rules else None


def shipped_path(rules: Rules) -> Path | None:
    """Return the file of the policy shipped for `rules`, or None."""
    name = shipped_policy(rules)
    return None if name is None else _file(name)


def is_shipped(path: Path) -> bool:
    """Return whether the file at `path` comes with the package."""
    return path.resolve().parent == _DATA.resolve()


def certified(path: Path) -> float | None:
    """Return the certified exploitability or NashConv of the policy in the file at `path`, in
    penalty points per round. Return None unless it comes with the package and was certified."""
    one = SOLVED.get(path.stem)
    return None if one is None or not is_shipped(path) else one.figure


def shipped_names(rules: Rules) -> list[str]:
    """Return the names in SHIPPED of players for `rules`."""
    return [name for name, its in SHIPPED.items() if plays(its, rules)]


def plays(its: Rules, rules: Rules) -> bool:
    """Return whether a player for `its` plays by `rules`. In matches that are solved round by
    round, `rules` may also start from fewer dice."""
    return its == rules or comes_to(its, rules)


def is_match(name: str) -> bool:
    """Return whether this is the name or path of a policy of whole matches."""
    path = shipped_player_path(name, None) if name in SHIPPED else Path(name)
    is_file = not name.endswith(".py") and os.path.exists(path)
    return is_file and kind_of(path) == "match"


Playing = TypeVar("Playing", bound=PlaysBy)


def for_rules(policy: Playing, path: Path, rules: Rules | None) -> Playing:
    """Return the `policy` in the file at `path`. Raise ZhaifeiError if `rules` is given and the
    policy does not play by it."""
    if rules is not None and not plays(policy.rules, rules):
        raise ZhaifeiError(
            "{file} is for {its}, but you asked for {rules}",
            file=path,
            its=policy.rules,
            rules=rules,
        )
    return policy


def shipped_player_path(name: str, rules: Rules | None) -> Path:
    """Return the file of a player in SHIPPED. Raise ZhaifeiError if `rules` is given and the player
    does not play by it."""
    its = SHIPPED[name]
    if rules is not None and not plays(its, rules):
        raise ZhaifeiError(
            "{name} plays only {its}, but you asked for {rules}", name=name, its=its, rules=rules
        )
    return _file(name)


def shipped_description(name: str) -> Message:
    """Return a one-line description of a player in SHIPPED."""
    if name == "single-bid":
        return Message(
            "remembers only the last bid, and raises 飞 only to 飞 and 斋 only to 斋: near an "
            "equilibrium of players who all do"
        )
    if name == "dqn":
        return Message(
            "a network that values actions, learnt by DQN against itself in {steps:.3g} million "
            "steps; plays the best",
            steps=_million_steps(name),
        )
    if name.startswith("nfsp"):
        return Message(
            "the average of best responses, learnt by NFSP against itself in {steps:.3g} million "
            "steps",
            steps=_million_steps(name),
        )
    if name.startswith("ppo"):
        return Message(
            "a network that plays by chance, learnt by PPO against itself in {steps:.3g} million "
            "steps",
            steps=_million_steps(name),
        )
    return _of_solved(SOLVED[name])


def _of_solved(one: Solved) -> Message:
    """Return the description of a policy that is used where the user names no policy."""
    players = one.rules.players
    if one.rules.loses_dice:
        return Message(
            "solved, for whole matches of two: a best response gains {share:.3%} of matches",
            share=one.figure,
        )
    if players == 2:
        return Message(
            "solved, and used where no policy is named: exploitability {figure:.4f}",
            figure=one.figure,
        )
    return Message(
        "solved for {players} players and 跳开: NashConv {figure:.4f}"
        if one.rules.stakes.jump_challenge
        else "solved for {players} players: NashConv {figure:.4f}",
        players=players,
        figure=one.figure,
    )


def _million_steps(name: str) -> float:
    """Return the number of training steps of a network that comes with the package, in millions."""
    return load_header(_file(name), "weights").record("training").whole("steps") / 1e6


def data_files() -> list[Path]:
    """Return the files of all players that come with the package, sorted by name."""
    return sorted(_DATA.glob("*.safetensors"))
