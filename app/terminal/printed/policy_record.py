"""Describe the policy that answers, for the screen."""

from __future__ import annotations

from pathlib import Path

from zhaifei.app.locale import say
from zhaifei.policies.catalogue.record import PolicyRecord
from zhaifei.policies.catalogue.shipped import is_shipped


def describe_policy(record: PolicyRecord) -> str:
    """Return one line with the policy's name, its exploitability or NashConv in penalty points per
    round, and the source of that figure."""
    path, name = Path(record.name), record.name
    if is_shipped(path):
        name = say("{name} (shipped)", name=path.stem)
    if record.measure == "match_gain":
        return _describe_match_policy(name, record)
    measure = say("exploitability") if record.measure == "exploitability" else "NashConv"
    if record.figure is None:
        return say("policy {name}: {measure} unknown", name=name, measure=measure)
    return say(
        "policy {name}: {measure} {figure:.4f} (certified)"
        if record.source == "certified"
        else "policy {name}: {measure} {figure:.4f} (measured in training)",
        name=name,
        measure=measure,
        figure=record.figure,
    )


def _describe_match_policy(name: str, record: PolicyRecord) -> str:
    """Return one line on a policy for whole matches."""
    if record.figure is None:
        return say("policy {name}: nobody knows what a best response gains", name=name)
    return say(
        "policy {name}: a best response gains {share:.3%} of matches (certified)"
        if record.source == "certified"
        else "policy {name}: a best response gains {share:.3%} of matches (measured in training)",
        name=name,
        share=record.figure,
    )
