"""For which rules there is a player who learns how the others play, and what it is called."""

from __future__ import annotations

from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.catalogue.kept import policy_header
from zhaifei.policies.catalogue.known import known_record
from zhaifei.policies.catalogue.names import LEARN
from zhaifei.policies.learning.learnable import verify_learnable
from zhaifei.solver.tables.recall import recall_tables


def learner_for(rules: Rules) -> str:
    """Return the name by which `player_named` loads the strongest player who learns how the others
    play by `rules`: the known policy, and LEARN. Only the header of its file is read. Raise
    ZhaifeiError if there is no such player, and StorageError as `known_record` does."""
    verify_learnable(rules)
    record = known_record(rules)
    if record is None:
        raise ZhaifeiError("no policy is known for these rules, so nobody can learn on top of one")
    recall = policy_header(Path(record.name)).text("recall")
    verify_learnable(rules, remembers_all=recall_tables(rules, recall).is_full)
    return f"{record.name}{LEARN}"
