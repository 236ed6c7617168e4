"""The command that solves given rules, and roughly what it takes."""

from __future__ import annotations

from typing import NamedTuple

from zhaifei.game.messages import Message
from zhaifei.game.parts import RulesError
from zhaifei.game.positions import rules_of_round
from zhaifei.game.rules import Rules, house_of, preset, preset_name


class Effort(NamedTuple):
    """The time and memory that a run of `zhaifei solve` takes on two cores."""

    minutes: float
    gigabytes: float
    """Memory at its peak."""


_FIVE_DICE = {
    (3, False): Effort(5.0, 2.3),
    (4, False): Effort(9.5, 0.6),
    (5, False): Effort(3.5, 0.5),
    (6, False): Effort(4.5, 0.9),
}
"""By the number of players and whether 跳开 is allowed, with five dice each and the default number
of iterations: see `several_players` in docs/figures.toml."""


def solve_command(rules: Rules) -> str:
    """Return the command that solves `rules`, which may differ from a preset only in sizes, 跳开
    and house rules."""
    return command_for("zhaifei solve", rules)


def command_for(command: str, rules: Rules) -> str:
    """Return `command` with the options that name `rules`, which may differ from a preset only in
    sizes, 跳开 and house rules."""
    name = preset_name(rules) or "zhaifei"
    own = preset(name, players=rules.players)
    parts = [command]
    parts += [f"--rules {name}"] if name != "zhaifei" else []
    parts += [f"--players {rules.players}"] if rules.players != preset(name).players else []
    dice = ",".join(map(str, rules.table.uneven or [rules.dice]))
    parts += [f"--dice {dice}"] if rules.table.uneven or rules.dice != own.dice else []
    parts += [f"--faces {rules.faces}"] if rules.faces != own.faces else []
    parts += ["--jump-challenge"] if rules.stakes.jump_challenge else []
    parts += [f"--house {name}" for name in house_of(rules)]
    return " ".join(parts)


def effort(rules: Rules) -> Effort | None:
    """Return the effort of `solve_command`, or None if it has not been measured."""
    size = rules.players, rules.stakes.jump_challenge
    if rules != preset(
        "zhaifei", players=rules.players, jump_challenge=rules.stakes.jump_challenge
    ):
        return None
    return _FIVE_DICE.get(size)


def verify_solved(rules: Rules) -> None:
    """Raise RulesError unless `solve_command` solves the rules: rounds for penalty points, and
    matches for dice whose rounds are games for a point."""
    rules_of_round(rules, rules.dice_by_player)


def is_solved_by_command(rules: Rules) -> bool:
    """Return whether `verify_solved` accepts the rules."""
    try:
        verify_solved(rules)
    except RulesError:
        return False
    return True


def how_to_solve(rules: Rules) -> Message | str:
    """Return `solve_command` in quotation marks, with its effort if that is known."""
    command, takes = solve_command(rules), effort(rules)
    if takes is None:
        return f"'{command}'"
    return Message(
        "'{command}' (about {minutes:g} min and {memory:.1f} GB of memory on two cores)",
        command=command,
        minutes=takes.minutes,
        memory=takes.gigabytes,
    )
