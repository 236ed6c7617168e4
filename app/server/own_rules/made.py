"""Files for a page, made in a worker process by the functions that make those of presets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from zhaifei.app.pocket.decisions import decision_tables
from zhaifei.app.pocket.rules_tables import key_of, rules_table
from zhaifei.app.pocket.shapes import as_json
from zhaifei.app.server.asked import TooLarge
from zhaifei.game.rules import Rules
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, table_arrays
from zhaifei.solver.files.storage import save
from zhaifei.solver.tables.packing import PackedTable
from zhaifei.solver.tables.recall import FULL
from zhaifei.solver.tables.strategy_table import STEPS
from zhaifei.solver.tables.trimming import Thresholds, trimmed

MOST = 4_500_000
"""Bytes of a policy that a page takes as it is; the least is left out of a larger one that makes it
as small."""
_WHOLE = Thresholds(weight=0.0, hand=0.0, share=0.0, fine=1e-9, steps=STEPS)
"""Leaves nothing out: it packs the tables of small games, which files hold unpacked."""
_COARSER = (
    Thresholds(weight=1e-6, hand=1e-9, share=0.01, fine=3e-3, steps=256),
    Thresholds(weight=1e-5, hand=1e-8, share=0.02, fine=1e-2, steps=64),
    Thresholds(weight=1e-4, hand=1e-7, share=0.03, fine=3e-2, steps=32),
    Thresholds(weight=1e-3, hand=1e-6, share=0.06, fine=6.4e-2, steps=32),
)
TRIMMED = "trimmed"
"""The field of the training record that says that the page has less than was measured."""


def rules_file(rules: Rules, policy: Path | None) -> bytes:
    """Return the tables of some rules, with the name under which the page finds their `policy`."""
    name = None if policy is None else f"{key_of(rules)}.safetensors"
    return as_json(rules_table(rules, name))


def players_file(rules: Rules, policy: Path | None) -> bytes:
    """Return what the rule-based players do by some rules, for which no `policy` is needed."""
    return as_json(decision_tables(rules))


def policy_file(rules: Rules, policy: Path | None) -> bytes:
    """Return the `policy` as a page takes it. Raise StorageError, and TooLarge."""
    assert policy is not None, "a file that is asked for is known"
    content = policy.read_bytes()
    found = load_policy(policy)
    if found.recall != FULL:
        raise TooLarge("this policy forgets bids: a page cannot read it")
    if not isinstance(found.source, PackedTable):
        content = _written(found, _WHOLE, found.training)
    if len(content) <= MOST:
        return content
    for limits in _COARSER:
        content = _written(found, limits, {**found.training, TRIMMED: True})
        if len(content) <= MOST:
            return content
    raise TooLarge("the policy for these rules is too large for a page")


def _written(policy: TablePolicy, limits: Thresholds, training: Mapping[str, Any]) -> bytes:
    """Return the file of a `policy` without what `limits` leave out, and its `training` record."""
    table = trimmed(policy.tables, policy.table, limits)
    less = TablePolicy(policy.rules, policy.recall, table, training)
    header = {"rules": less.rules.to_dict(), "recall": less.recall, "training": training}
    with TemporaryDirectory() as directory:
        path = Path(directory) / "policy.safetensors"
        save(path, "policy", header, table_arrays(less))
        return path.read_bytes()
