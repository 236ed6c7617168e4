"""Policies that are found without being named: those solved here, and those shipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from platformdirs import user_data_path

from game.errors import ZhaifeiError
from game.notation import say_rules
from game.rules import Rules, preset, preset_name
from policies.shipped import shipped_path
from policies.table import TablePolicy, load_policy


def default_path(rules: Rules, *, make: bool = False) -> Path:
    """Where `solve` writes and the others look when no file is named."""
    name = preset_name(rules) or "custom"
    sizes = f"{rules.players}p"
    if replace(rules, jump_challenge=False) != preset("zhaifei", players=rules.players):
        sizes += f"-{rules.dice}x{rules.faces}"
    if rules.jump_challenge:
        sizes += "-jump"
    directory = user_data_path("zhaifei", appauthor=False, ensure_exists=make)
    return Path(directory) / f"{name}-{sizes}.safetensors"


def known_path(rules: Rules) -> Path | None:
    """The policy for these rules that was solved here last, or else the one that comes with the
    package, if there is one."""
    solved = default_path(rules)
    return solved if solved.exists() else shipped_path(rules)


def load_known(path: Path | None, rules: Rules | None) -> TablePolicy:
    """The policy at `path`, or else the known one for the rules, those of two players if none are
    named. Raises ZhaifeiError if there is none, or if it is for other rules than are named."""
    wanted = rules or preset("zhaifei")
    path = path or known_path(wanted)
    if path is None:
        raise ZhaifeiError(
            "no policy is known for these rules: 'zhaifei solve' makes one, which goes to {path}",
            path=default_path(wanted),
        )
    policy = load_policy(path)
    if rules is not None and policy.rules != rules:
        raise ZhaifeiError(
            "{file} is for other rules: {its}; asked for are {rules}",
            file=path, its=say_rules(policy.rules), rules=say_rules(rules),
        )  # fmt: skip
    return policy
