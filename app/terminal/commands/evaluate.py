"""`zhaifei evaluate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.locale import say, say_message
from app.terminal.argument_types import Duration
from app.terminal.commands.options import (
    FILE,
    THREADS,
    RulesOptions,
    debug,
    json_option,
    lang,
    policy,
    rules_options,
)

if TYPE_CHECKING:
    from app.terminal.console import LiveLine
    from game.messages import Message
    from policies.catalogue.record import PolicyRecord
    from policies.measure.assessment import Assessment, Duel
    from policies.players.policy import Policy


@click.command()
@click.argument("file", type=FILE, required=False)
@rules_options
@policy
@click.option("--against", type=FILE, help="Another policy: what the one earns against it.")
@click.option("--gap", type=click.FloatRange(0), default=0.0, help="Stop at this narrow interval.")
@click.option("--time-limit", type=Duration(), default="60s", help="Stop after 90s, 10m, ...")
@click.option("--threads", type=THREADS, help="[default: all cores]")
@click.option(
    "--show-response", "shown", type=click.IntRange(1), metavar="N",
    help="Also tell the N decisions by which a best response gains most: after which bids, what it "
    "does and what the policy would, how often that comes, and what it gains. Takes longer.",
)  # fmt: skip
@json_option
@lang
@debug
def evaluate(
    file: Path | None,
    policy: Path | None,
    against: Path | None,
    gap: float,
    time_limit: float,
    threads: int | None,
    shown: int | None,
    rules: RulesOptions,
    as_json: bool,
) -> None:
    """Measure how exploitable a policy is, in the full game with perfect recall.

    The bounds are certified: a best response that sees the whole history earns no less than the
    lower and no more than the upper one. Small games are evaluated exactly. Ctrl-C prints the
    bounds so far. Then the share of all penalty points that the policy takes among copies of each
    rule-based player, and each of these among copies of the policy, from sampled rounds in all
    seats.

    FILE and --against may be players of 'zhaifei players' too. Networks are asked for what they
    do: their lower bound is the one to look at, and gets better the longer it takes.

    With --against, what FILE earns against the other policy: an interval without sampling error.
    """
    from app.terminal.console import LiveLine, new_console
    from policies.catalogue.known import load_any
    from policies.measure.assessment import Assessment, duel

    if file is not None and policy is not None:
        raise click.UsageError(
            say("name one policy, not both {file} and --policy {policy}", file=file, policy=policy)
        )
    if against is not None and shown:
        raise click.UsageError(say("--show-response is about best responses: leave out --against"))
    loaded, record = load_any(file or policy, rules.named())
    other = None if against is None else load_any(against, loaded.rules).policy
    with LiveLine(new_console(stderr=True, quiet=as_json)) as line:

        def show(message: Message) -> None:
            line.show(say_message(message))

        if other is None:
            assessment = Assessment(
                loaded, threads=threads, gap=gap, seconds=time_limit, on_progress=show
            )
            _assess(assessment, record, shown, line, as_json=as_json)
            return
        found = duel(loaded, other, gap=gap, seconds=time_limit, on_progress=show)
    _print_duel(loaded, record, found, as_json=as_json)


def _assess(
    assessment: Assessment,
    record: PolicyRecord,
    shown: int | None,
    line: LiveLine,
    *,
    as_json: bool,
) -> None:
    from app.terminal.as_json import evaluation_json, record_json
    from app.terminal.console import new_console
    from app.terminal.printed.evaluation import (
        print_decisions,
        print_evaluation,
        print_known,
        print_shares,
    )
    from app.terminal.printed.policy_record import policy_line

    console, policy = new_console(quiet=as_json), assessment.policy
    if shown:
        assessment.verify_shows_decisions()
    responses = assessment.best_responses()
    line.stop()
    console.print(policy_line(record), soft_wrap=True)
    print_evaluation(console, policy.rules, responses)
    print_known(console, responses.known)
    decisions = assessment.decisions(shown) if shown else None
    shares = assessment.shares()
    line.stop()
    if decisions is not None:
        print_decisions(console, policy.rules, decisions)
    print_shares(console, policy.rules, shares)
    if as_json:
        found = evaluation_json(policy, responses, shares, decisions)
        found = {"policy": record_json(record), **found}
        click.echo(json.dumps(found, ensure_ascii=False))


def _print_duel(policy: Policy, record: PolicyRecord, found: Duel, *, as_json: bool) -> None:
    from app.terminal.as_json import duel_json, record_json
    from app.terminal.console import new_console
    from app.terminal.printed.evaluation import print_duel
    from app.terminal.printed.policy_record import policy_line

    if as_json:
        shown = {"policy": record_json(record), **duel_json(found)}
        click.echo(json.dumps(shown, ensure_ascii=False))
    else:
        click.echo(policy_line(record))
        print_duel(new_console(), policy.rules, found)
