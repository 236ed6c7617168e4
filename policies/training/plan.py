"""The plan of a run, known before it begins, and compared with the existing files that the run
would replace."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from zhaifei.game.positions import is_match
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.replacing import InTheWay, Plan, Product, table_method
from zhaifei.policies.training.engines import MEASURING, Setup
from zhaifei.solver.files.storage import Kind, kind_of, load_header

LEARNED = preset("zhaifei")
"""The rules that dqn, nfsp and ppo learn: the full game of two players."""


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


def plan_of_learner(algorithm: str, seed: int, rules: Rules = LEARNED) -> Plan:
    """Return the plan of a run of `zhaifei train`."""
    kind: Kind = "values" if algorithm == "q" else "weights"
    method = "" if algorithm == "q" else algorithm
    return Plan(Product(kind, rules, method), seed, measured=False)


def saved_in(checkpoint: Path) -> Saved:
    """Return the facts that a checkpoint holds about its run. Raises ZhaifeiError if the file is
    not a checkpoint or cannot be read."""
    kind = kind_of(checkpoint)
    header = load_header(checkpoint, kind)
    if kind == "checkpoint":
        plan = plan_of_setup(Setup.from_header(header.record("setup")))
    elif kind == "training":
        algorithm, seed = header.text("algorithm"), header.whole("seed")
        rules = header.rules() if algorithm == "q" else LEARNED
        plan = plan_of_learner(algorithm, seed, rules)
    else:
        raise InTheWay("{path} is not a checkpoint", path=checkpoint)
    goal = None if header.get("goal") is None else header.whole("goal")
    return Saved(plan, header.whole("done"), goal)
