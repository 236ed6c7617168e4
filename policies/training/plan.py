"""The plan of a run, known before it begins, and compared with the existing files that the run
would replace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from zhaifei.game.positions import is_match
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.replacing import (
    InTheWay,
    Plan,
    Product,
    learning_method,
    names_against,
    table_method,
)
from zhaifei.policies.training.engines import MEASURING, Setup
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import Kind, kind_of, load_header

LEARNED = preset("zhaifei")
"""The rules that networks learn by default: the full game of two players."""
MOST_LEARNING = 6
"""The most players of the full game that networks learn."""


class Saved(NamedTuple):
    """The facts about a run that the header of its checkpoint holds."""

    plan: Plan
    done: int
    """The number of units done."""
    goal: int | None


def plan_of_setup(setup: Setup) -> Plan:
    """Return the plan of a solver's run, which solves one round or a whole match."""
    measured = setup.engine in MEASURING
    if is_match(setup.rules):
        return Plan(Product("match", setup.rules, setup.engine), 0, measured)
    method = table_method(setup.engine, setup.recall)
    seed = setup.seed if setup.engine == "mccfr" else 0
    return Plan(Product("policy", setup.rules, method), seed, measured)


def plan_of_learner(
    algorithm: str, seed: int, rules: Rules = LEARNED, against: Sequence[str] = ()
) -> Plan:
    """Return the plan of a run of `zhaifei train`, `against` the players of these names, or of
    self-play if no names are given."""
    kind: Kind = "values" if algorithm == "q" else "weights"
    method = "" if algorithm == "q" else learning_method(algorithm, against)
    return Plan(Product(kind, rules, method), seed, measured=False)


def rules_learnt(header: Header) -> Rules:
    """Return the rules in the header of a checkpoint of `zhaifei train`. Raise HeaderError."""
    written = header.get("rules") is not None  # once, networks learnt two players' game alone
    return header.rules() if written else LEARNED


def saved_in(checkpoint: Path) -> Saved:
    """Return the facts that a checkpoint holds about its run. Raises ZhaifeiError if the file is
    not a checkpoint or cannot be read."""
    kind = kind_of(checkpoint)
    header = load_header(checkpoint, kind)
    if kind == "checkpoint":
        plan = plan_of_setup(Setup.from_header(header.record("setup")))
    elif kind == "training":
        algorithm, seed = header.text("algorithm"), header.whole("seed")
        plan = plan_of_learner(algorithm, seed, rules_learnt(header), names_against(header))
    else:
        raise InTheWay("{path} is not a checkpoint", path=checkpoint)
    goal = None if header.get("goal") is None else header.whole("goal")
    return Saved(plan, header.whole("done"), goal)
