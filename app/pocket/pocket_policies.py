"""Pocket policies: small policies for a page that loads them.

The page loads a shipped policy as it is if the file is small enough (`WHOLE`). For the others there
is an ordinary policy file in `data`. It is either the shipped policy without what `THRESHOLDS`
leaves out, or it was solved less far (`TARGETS`). So it has a certified figure of its own: the
exploitability or, with three players or more, the NashConv, in points a round. The header names
under `training` the shipped policy (`of`) and the figure (`figure`).

Making and certifying them takes minutes, so the files come with the package. After a shipped policy
has changed, `python -m zhaifei.app.pocket.pocket_policies [NAME ...]` writes them anew.
"""

from __future__ import annotations

import sys
from math import ceil
from pathlib import Path

from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.shipped import SOLVED, certified, shipped_path, shipped_policy
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, table_arrays
from zhaifei.policies.training.solver_run import solved_round, solver_setup
from zhaifei.solver.files.storage import save
from zhaifei.solver.tables.trimming import Thresholds, trimmed

DATA = Path(__file__).with_name("data")
WHOLE = ("ktv-2p", "zhaifei-8p", "knockout-2p")
"""The shipped policies that the page has as they are. `classic-2p`, for matches, is too large:
trimmed to 1 MB it would lose 8% of the matches to a best response."""
_DIGITS = 6

THRESHOLDS = {
    "zhaifei-3p": Thresholds(weight=7e-3, hand=1e-6, share=0.05, fine=3e-2, steps=64),
    "zhaifei-4p": Thresholds(weight=5e-3, hand=1e-8, share=0.03, fine=2e-2, steps=32),
    "zhaifei-5p": Thresholds(weight=1e-5, hand=1e-8, share=0.02, fine=3e-2, steps=64),
    "zhaifei-6p": Thresholds(weight=1e-5, hand=1e-8, share=0.03, fine=4e-2, steps=32),
    "zhaifei-7p": Thresholds(weight=5e-3, hand=1e-8, share=0.05, fine=4e-2, steps=32),
}
"""What is left out of a shipped policy, by its name: the least that keeps the file small."""
TARGETS = {"zhaifei-2p": 0.029, "southern-2p": 0.029}
"""The exploitability, in points a round, to which rules are solved for the pocket, by the name of
the shipped policy. Trimmed to the same size, these policies would lose .3."""


def pocket_path(rules: Rules) -> Path | None:
    """Return the file of the policy that the page plays by `rules`, or None if it has none."""
    name = shipped_policy(rules)
    if name in WHOLE:
        return shipped_path(rules)
    path = DATA / f"{name}.safetensors"
    return path if path.is_file() else None


def told_of(path: Path | None) -> tuple[str | None, float | None]:
    """Return the name of the file of a policy that the page plays, and what is certified of it if
    the file does not state that; None without a policy."""
    return (None, None) if path is None else (path.name, certified(path))


def pocket_policy(name: str) -> TablePolicy:
    """Return the pocket policy of the shipped policy of this name, without its figure."""
    if name in TARGETS:
        setup = solver_setup(SOLVED[name].rules)
        policy = solved_round(setup, target=TARGETS[name])
        table = policy.source
    else:
        path = shipped_path(SOLVED[name].rules)
        assert path is not None, "the policy comes with the package"
        policy = load_policy(path)
        table = trimmed(policy.tables, policy.table, THRESHOLDS[name])
    return TablePolicy(policy.rules, policy.recall, table, {"of": name})


def write_pocket_policy(path: Path, policy: TablePolicy) -> float:
    """Write a pocket policy with its certified figure, and return that. Raise StorageError."""
    figure = certified_figure(policy)
    training = {**policy.training, "figure": figure}
    header = {"rules": policy.rules.to_dict(), "recall": policy.recall, "training": training}
    save(path, "policy", header, table_arrays(policy))
    return figure


def certified_figure(policy: TablePolicy) -> float:
    """Return the upper bound that an exact evaluation of the `policy` proves, rounded up."""
    evaluation, steps = Evaluation(policy), 10**_DIGITS
    *_, result = evaluation.refine()
    if policy.rules.players == 2:
        figure = result.exploitability.upper
    else:
        figure = sum(gain.upper for gain in evaluation.gains(result, float("inf")))
    return float(ceil(figure * steps) / steps)


def main(names: list[str]) -> None:
    """Write the pocket policies of these names; print the size and the figure of each."""
    DATA.mkdir(exist_ok=True)
    for name in names or [*TARGETS, *THRESHOLDS]:
        path = DATA / f"{name}.safetensors"
        figure = write_pocket_policy(path, pocket_policy(name))
        print(name, path.stat().st_size, figure, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
