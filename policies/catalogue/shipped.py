"""Policies and players that come with the package. README.md says how each was made."""

from __future__ import annotations

from pathlib import Path

from game.errors import ZhaifeiError
from game.messages import Message
from game.rules import Rules, preset
from solver.storage import load_header

_DATA = Path(__file__).parents[1] / "data"
_FULL_GAME = preset("zhaifei")

LEARNED = ("dqn", "nfsp", "ppo")
"""The names of the neural networks, each trained by OpenSpiel's algorithm of that name."""
SHIPPED = {name: f"{name}.safetensors" for name in ("single-bid", *LEARNED)}
"""The files in policies/data of the named players, all for the full game of two players."""
_CERTIFIED = {"zhaifei-2p": 0.028265, "single-bid": 0.483028}
"""Upper bounds of the exploitability of policies in policies/data, from `zhaifei evaluate`, in
penalty points per round. They hold for exactly these files: certify a file that replaces one."""


def shipped_path(rules: Rules) -> Path | None:
    """Return the file of the policy shipped for `rules`, or None."""
    if rules == _FULL_GAME:
        return _DATA / "zhaifei-2p.safetensors"
    return None


def is_shipped(path: Path) -> bool:
    """Return whether the file at `path` comes with the package."""
    return path.resolve().parent == _DATA.resolve()


def certified(path: Path) -> float | None:
    """Return the certified exploitability of the policy in the file at `path`, in penalty points
    per round, or None unless it comes with the package and was certified."""
    return _CERTIFIED.get(path.stem) if is_shipped(path) else None


def shipped_names(rules: Rules) -> list[str]:
    """Return the names in SHIPPED of players for `rules`."""
    return [*SHIPPED] if rules == _FULL_GAME else []


def shipped_player_path(name: str, rules: Rules) -> Path:
    """Return the file of a player in SHIPPED. Raise ZhaifeiError if it does not play by `rules`."""
    if rules != _FULL_GAME:
        raise ZhaifeiError(
            "{name} plays only {its}, but you asked for {rules}",
            name=name, its=_FULL_GAME, rules=rules,
        )  # fmt: skip
    return _DATA / SHIPPED[name]


def shipped_descriptions() -> dict[str, Message]:
    """Return a one-line description of each player in SHIPPED, by name."""
    return {
        "single-bid": Message(
            "remembers only the last bid, and raises 飞 only to 飞 and 斋 only to 斋: near an "
            "equilibrium of players who all do"
        ),
        "dqn": Message(
            "a network that values actions, learnt by DQN against itself in {steps:.3g} million "
            "steps; plays the best",
            steps=_million_steps("dqn"),
        ),
        "nfsp": Message(
            "the average of best responses, learnt by NFSP against itself in {steps:.3g} million "
            "steps",
            steps=_million_steps("nfsp"),
        ),
        "ppo": Message(
            "a network that plays by chance, learnt by PPO against itself in {steps:.3g} million "
            "steps",
            steps=_million_steps("ppo"),
        ),
    }


def _million_steps(name: str) -> float:
    """Return for how many million steps one of LEARNED was trained."""
    header = load_header(_DATA / SHIPPED[name], "weights")
    return header.record("training").whole("steps") / 1e6


def data_files() -> list[Path]:
    """Return the files of all players that come with the package, sorted by name."""
    return sorted(_DATA.glob("*.safetensors"))
