"""Policies that are found without being named: those solved here, and those shipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from platformdirs import user_data_path

from game.errors import ZhaifeiError
from game.rules import Rules, preset, preset_name
from policies.catalogue.names import player, policy_of
from policies.catalogue.shipped import SHIPPED, shipped_path
from policies.players.network import load_weights
from policies.players.policy import Policy
from policies.players.rule_based import NAMES
from policies.players.table_policy import TablePolicy, load_policy
from solver.storage import kind_of


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


def load_any(name: Path | None, rules: Rules | None) -> Policy:
    """The policy of the player of this name, or that of a weights file, or else as `load_known`
    does. Raises ZhaifeiError as it does, and if the player does not play by the rules."""
    if name is None:
        return load_known(None, rules)
    known = str(name) in (*NAMES, *SHIPPED)
    if not known and not (name.exists() and kind_of(name) == "weights"):
        return load_known(name, rules)
    rules = rules or (preset("zhaifei") if known else load_weights(name).rules)
    return policy_of(player(str(name), rules))


def load_known(path: Path | None, rules: Rules | None) -> TablePolicy:
    """The policy at `path`, or that of the player of this name, or else the known one for the
    rules, those of two players if none are named. Raises ZhaifeiError if there is none, if it is
    for other rules than are named, or if it is no table."""
    wanted = rules or preset("zhaifei")
    if path is not None and str(path) in (*NAMES, *SHIPPED):
        named = load_any(path, rules)
        if not isinstance(named, TablePolicy):
            raise ZhaifeiError(
                "{name} is no table of strategies: it can be evaluated, and be an opponent",
                name=path,
            )
        return named
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
            file=path, its=policy.rules, rules=rules,
        )  # fmt: skip
    return policy
