"""`zhaifei query`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.locale import say_message
from app.terminal.argument_types import TimeLimit
from app.terminal.commands.lock_options import LockOptions, lock_options
from app.terminal.commands.options import (
    RulesOptions,
    caution,
    debug,
    json_option,
    lang,
    naming_the_rules,
    policy,
    rules_options,
)
from app.terminal.help_texts import Command

if TYPE_CHECKING:
    from policies.measure.advice import Advice


@click.command(cls=Command)
@click.option("--hand", "hand_text", required=True, help="The faces of your dice, like 11346.")
@click.option("--bid", "bid_text", help="The bid you face, alone or after --history.")
@click.option("--history", "history_text", help="All bids so far, oldest first.")
@rules_options
@policy
@caution
@click.option(
    "--no-resolve",
    is_flag=True,
    help="Ask the policy's table alone, also where the bids leave it.",
)
@click.option(
    "--time-limit",
    type=TimeLimit(),
    default=2.0,
    show_default="2s",
    help="How long to solve a position again, at most, like 10s; 0 is the table alone.",
)
@lock_options
@json_option
@lang
@debug
def query(
    hand_text: str,
    bid_text: str | None,
    history_text: str | None,
    rules: RulesOptions,
    policy: Path | None,
    caution: str,
    no_resolve: bool,
    time_limit: float,
    locking: LockOptions,
    as_json: bool,
) -> None:
    """Show the strategy for a hand facing a bid: the probability and value of every action.

    Without --bid and --history the question is how to open. With --bid alone, that bid opened the
    round if it may; otherwise the bids before it are unknown.

    Two players: where the bids leave what the policy itself would bid, the rest of the round is
    solved again from there. Ctrl-C shows the best answer so far.
    """
    from app.terminal.console import LiveLine, new_console
    from app.terminal.printed.advice import solving
    from game.notation import parse_bid, parse_hand, parse_history, read_back
    from policies.catalogue.known import load_known
    from policies.catalogue.lock_file import load_locks
    from policies.measure.anytime import last_of
    from policies.measure.locked_advice import LockAnswer, locked_advice
    from policies.measure.resolved_advice import refined_advice

    seconds = 0.0 if no_resolve else time_limit
    locking.verify(seconds)
    loaded, record = load_known(policy, rules.named())
    with naming_the_rules(loaded.rules):
        hand = parse_hand(loaded.rules, hand_text)
        history = parse_history(loaded.rules, history_text or "")
        bid = None if bid_text is None else parse_bid(bid_text, loaded.rules)
        if locking.file is None:
            answers = refined_advice(loaded, hand, bid, history, caution=caution, seconds=seconds)
        else:
            locks = load_locks(locking.file, loaded.rules)
            answer = LockAnswer(locking.answer or LockAnswer.BEST_RESPONSE)
            answers = locked_advice(loaded, hand, bid, history, locks, answer, seconds)
        progress = new_console(stderr=True, quiet=as_json)
        with LiveLine(progress) as line:

            def show(so_far: Advice) -> None:
                if progress.is_terminal:
                    line.show(solving(so_far))

            advice = last_of(answers, show)
    if as_json:
        from app.terminal.as_json import advice_json, print_json, record_json

        found = {"policy": record_json(record), **advice_json(loaded.rules, advice)}
        print_json(found)
        return
    from app.terminal.printed.advice import print_advice
    from app.terminal.printed.policy_record import describe_policy

    readings = [read_back(history_text or "", history)]
    readings += [] if bid is None else [read_back(bid_text or "", [bid])]
    for reading in filter(None, readings):
        print(say_message(reading))
    assumed, console = bid is not None and not history_text, new_console()
    console.print(describe_policy(record), style="dim", soft_wrap=True)
    print_advice(console, loaded.rules, advice, assumed=assumed)
