"""`zhaifei evaluate`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say, say_message
from zhaifei.app.terminal.argument_types import Duration, Width
from zhaifei.app.terminal.commands.options import (
    FILE,
    THREADS,
    RulesOptions,
    debug,
    json_option,
    lang,
    policy,
    rules_options,
)
from zhaifei.app.terminal.help_texts import Command

if TYPE_CHECKING:
    from zhaifei.app.terminal.console import LiveLine
    from zhaifei.game.messages import Message
    from zhaifei.game.rules import Rules
    from zhaifei.policies.catalogue.record import PolicyRecord
    from zhaifei.policies.measure.timed_evaluation import Duel, TimedEvaluation


@click.command(cls=Command)
@click.argument("file", type=FILE, required=False)
@rules_options
@policy
@click.option(
    "--against", type=FILE, help="Another policy: measure what the first earns against it."
)
@click.option(
    "--gap", type=Width(), default=0.0, help="Stop when the interval is at most this wide."
)
@click.option("--time-limit", type=Duration(), default="60s", help="Stop after 90s, 10m, ...")
@click.option("--threads", type=THREADS, help="Number of threads.  [default: all cores]")
@click.option(
    "--show-response",
    "shown",
    type=click.IntRange(1),
    metavar="N",
    help="Also list the N decisions by which a best response gains most: the bids before, its "
    "action and the policy's, how often the decision occurs, and the gain. Takes longer.",
)
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

    The bounds are certified: a best response that sees the whole history earns at least the lower
    and at most the upper bound. Small games are evaluated exactly. Ctrl-C prints the bounds so far.
    Sampled penalty shares follow: the share of all penalty points that the policy takes among
    copies of each rule-based player, and that each of these takes among copies of the policy, over
    all seats.

    FILE and --against may also be names from 'zhaifei players'. A network is queried history by
    history: look at its lower bound, which improves with time. So is a .py file with a strategy of
    your own, which has to decide alike each time or to say how likely it takes each action.

    With --against, print what FILE earns against the other policy, as an interval without sampling
    error.
    """
    from zhaifei.app.terminal.console import LiveLine, new_console
    from zhaifei.policies.catalogue.known import load_any
    from zhaifei.policies.measure.timed_evaluation import TimedEvaluation, duel

    if file is not None and policy is not None:
        raise click.UsageError(
            say("give one policy, not both {file} and --policy {policy}", file=file, policy=policy)
        )
    if against is not None and shown:
        raise click.UsageError(
            say("--show-response cannot be combined with --against: it shows best responses")
        )
    began = time.monotonic()
    loaded, record = load_any(file or policy, rules.named())
    other = None if against is None else load_any(against, loaded.rules).policy
    with LiveLine(new_console(stderr=True, quiet=as_json)) as line:

        def show(message: Message) -> None:
            line.show(say_message(message))

        if other is None:
            evaluation = TimedEvaluation(
                loaded, threads=threads, gap=gap, seconds=time_limit, began=began, on_progress=show
            )
            _evaluate(evaluation, record, shown, line, as_json=as_json)
            return
        found = duel(loaded, other, gap=gap, seconds=time_limit, on_progress=show)
    _print_duel(loaded.rules, record, found, as_json=as_json)


def _evaluate(
    evaluation: TimedEvaluation,
    record: PolicyRecord,
    shown: int | None,
    line: LiveLine,
    *,
    as_json: bool,
) -> None:
    from zhaifei.app.terminal.as_json import evaluation_json, print_json, record_json
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.evaluation import (
        print_decisions,
        print_evaluation,
        print_known,
        print_reading,
        print_shares,
    )
    from zhaifei.app.terminal.printed.plug_ins import (
        asked_json,
        faults_json,
        print_asked,
        print_faults,
    )
    from zhaifei.app.terminal.printed.policy_record import describe_policy
    from zhaifei.game.stakes import Unit, unit_of_play
    from zhaifei.policies.players.plug_in.policy import PlugInPolicy

    console, policy = new_console(quiet=as_json), evaluation.policy
    if shown:
        evaluation.verify_shows_decisions()
    responses = evaluation.best_responses()
    line.stop()
    console.print(describe_policy(record), soft_wrap=True)
    print_evaluation(console, responses)
    asked = policy if isinstance(policy, PlugInPolicy) else None
    if asked is not None:
        print_asked(console, asked, responses.earned)
    print_known(console, responses.known)
    decisions = evaluation.decisions(shown) if shown else None
    reading = evaluation.reading_gains()
    shares = evaluation.shares()
    line.stop()
    if decisions is not None:
        print_decisions(console, policy.rules, decisions)
    print_reading(console, reading)
    if unit_of_play(policy.rules) is Unit.ROUND:
        print_shares(console, policy.rules, shares)
    entrants = [] if asked is None else [asked.player]
    print_faults(console, entrants)
    if as_json:
        found = evaluation_json(responses, reading, shares, decisions)
        if asked is not None:
            found["asked"] = asked_json(asked, responses.earned)
            found["faults"] = faults_json(entrants)
        print_json({"policy": record_json(record), **found})


def _print_duel(rules: Rules, record: PolicyRecord, found: Duel, *, as_json: bool) -> None:
    from zhaifei.app.terminal.as_json import duel_json, print_json, record_json
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.evaluation import print_duel
    from zhaifei.app.terminal.printed.policy_record import describe_policy

    if as_json:
        shown = {"policy": record_json(record), **duel_json(found)}
        print_json(shown)
    else:
        print(describe_policy(record))
        print_duel(new_console(), rules, found)
