"""Print the result of a scored match."""

from __future__ import annotations

from rich.console import Console

from zhaifei.app.locale import say
from zhaifei.app.terminal.printed.policy_record import describe_policy
from zhaifei.policies.catalogue.record import PolicyRecord
from zhaifei.policies.review.scoring import Rate, Score


def print_score(console: Console, record: PolicyRecord, score: Score, seed: int) -> None:
    """Print what a player lost a round against the policy of this `record`."""
    for text in _lines(record, score, seed):
        console.print(text, soft_wrap=True, markup=False, highlight=False)


def _lines(record: PolicyRecord, score: Score, seed: int) -> list[str]:
    return [
        describe_policy(record),
        say("{rounds:,} rounds · seed {seed}", rounds=score.rounds, seed=seed),
        say("points lost a round, luck taken out: {rate}", rate=_rate(score.lost)),
        say("as the rounds went: {rate}", rate=_rate(score.plain)),
        say(
            "illegal answers: {illegal:,}, in {decisions:,} decisions",
            illegal=score.illegal,
            decisions=score.decisions,
        ),
    ]


def _rate(rate: Rate) -> str:
    mean = f"{rate.mean:+.3f}"
    return mean if rate.margin is None else f"{mean} ±{rate.margin:.3f}"
