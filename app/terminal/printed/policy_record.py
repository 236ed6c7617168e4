"""Name the policy that answers on screen."""

from __future__ import annotations

from pathlib import Path

from app.locale import say
from policies.catalogue.record import PolicyRecord
from policies.catalogue.shipped import is_shipped


def describe_policy(record: PolicyRecord) -> str:
    """Return one line with the policy's name, its exploitability or NashConv in penalty points per
    round, and the source of that figure."""
    measure = say("exploitability") if record.measure == "exploitability" else "NashConv"
    path, name = Path(record.name), record.name
    if is_shipped(path):
        name = say("{name} (shipped)", name=path.stem)
    if record.figure is None:
        return say("policy {name}: {measure} unknown", name=name, measure=measure)
    return say(
        "policy {name}: {measure} {figure:.4f} (certified)"
        if record.source == "certified"
        else "policy {name}: {measure} {figure:.4f} (measured in training)",
        name=name, measure=measure, figure=record.figure,
    )  # fmt: skip
