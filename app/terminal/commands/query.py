"""`zhaifei query`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zhaifei.app.locale import say, say_message
from zhaifei.app.terminal.argument_types import TimeLimit
from zhaifei.app.terminal.commands.lock_options import LockOptions, lock_options
from zhaifei.app.terminal.commands.options import (
    RulesOptions,
    caution,
    debug,
    json_option,
    lang,
    naming_the_rules,
    policy,
    rules_options,
)
from zhaifei.app.terminal.commands.seen_options import SeenOptions, seen_options
from zhaifei.app.terminal.help_texts import Command

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from zhaifei.game.bids import Bid
    from zhaifei.game.rules import Rules
    from zhaifei.policies.advice.advice import Advice, RangeAdvice
    from zhaifei.policies.advice.seen import SeenPerson
    from zhaifei.policies.catalogue.record import PolicyRecord
    from zhaifei.policies.players.match_policy import Stakes


@click.command(cls=Command)
@click.option(
    "--hand",
    "hand_text",
    help="The faces of your dice, like 11346.  [default: all hands that you may hold]",
)
@click.option("--bid", "bid_text", help="The bid you face, alone or after --history.")
@click.option("--history", "history_text", help="All bids so far, oldest first.")
@rules_options
@policy
@caution
@click.option(
    "--no-resolve",
    is_flag=True,
    help="Use only the policy's table, even after bids it would not make.",
)
@click.option(
    "--time-limit",
    type=TimeLimit(),
    default=2.0,
    show_default="2s",
    help="How long to solve a position again, at most, like 10s; 0 is the table alone.",
)
@lock_options
@seen_options
@json_option
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="Print CSV instead: a line for each hand and action. Without --hand only.",
)
@lang
@debug
def query(
    hand_text: str | None,
    bid_text: str | None,
    history_text: str | None,
    rules: RulesOptions,
    policy: Path | None,
    caution: str,
    no_resolve: bool,
    time_limit: float,
    locking: LockOptions,
    seen: SeenOptions,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show the strategy for a hand facing a bid: the probability and value of every action.

    Without --hand the answer is for the whole range: what all the hands do that you may hold, as
    you have bid.

    Without --bid and --history the question is how to open. With --bid alone, that bid opened the
    round if it may; otherwise the bids before it are unknown.

    Two players: where the bids leave what the policy itself would bid, the rest of the round is
    solved again from there. Ctrl-C shows the best answer so far.
    """
    _verify_output(hand_text, as_json=as_json, as_csv=as_csv)
    from zhaifei.app.terminal.compiling import Compiling
    from zhaifei.app.terminal.console import EarlyResult, LiveLine, new_console
    from zhaifei.app.terminal.printed.advice import say_strategy, solving
    from zhaifei.game.notation import parse_bid, parse_hand, parse_history
    from zhaifei.policies.advice.advising import Question, advise, advise_range
    from zhaifei.policies.catalogue.known import load_for
    from zhaifei.policies.measure.anytime import last_of

    seconds = 0.0 if no_resolve else time_limit
    locking.verify(hand_text, seconds)
    seen.verify(hand_text, locking.file)
    progress = new_console(stderr=True)
    found, record = load_for(policy, rules.named())
    game = rules.named() or found.rules
    position = game.dice_by_player
    loaded = found.at(position)
    people: Sequence[SeenPerson] = ()
    advice: Advice | RangeAdvice
    with naming_the_rules(game):
        hand = None if hand_text is None else parse_hand(loaded.rules, hand_text)
        history = parse_history(loaded.rules, history_text or "")
        bid = None if bid_text is None else parse_bid(bid_text, loaded.rules)
        line = LiveLine(progress)
        early = EarlyResult(progress, line)
        with line, Compiling(early.show):

            def tell(played: NDArray[np.float64]) -> None:
                if hand is not None:
                    early.know(say_strategy(loaded.rules, played[0]))

            def show(so_far: Advice | RangeAdvice) -> None:
                if progress.is_terminal:
                    line.show(solving(so_far))

            question = Question(bid, history, seconds, caution, *locking.load(loaded.rules))
            if hand is not None and seen:
                table = seen.people(found)
                people = table.people
                asked = loaded.rules, hand, question.bids(loaded.rules)
                advice = last_of(table.refine(*asked), show)
            elif hand is not None:
                advice = last_of(advise(loaded, hand, question, tell), show)
            else:
                advice = last_of(advise_range(loaded, question), show)
    stakes = found.stakes(position, len(advice.history))
    if as_csv or as_json:
        _print_data(loaded.rules, record, advice, stakes, people, as_csv=as_csv)
        return
    _print_reading(history_text, history)
    _print_reading(bid_text, [bid] if bid else [])
    assumed = bid is not None and not history_text
    _print_screen(loaded.rules, record, advice, stakes, people, assumed=assumed)


def _verify_output(hand: str | None, *, as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise click.UsageError(say("--json and --csv cannot be combined"))
    if as_csv and hand is not None:
        raise click.UsageError(say("--csv is for the whole range: leave out --hand"))


def _print_reading(text: str | None, bids: Sequence[Bid]) -> None:
    """Print as which `bids` a text was read that does not state all modes."""
    from zhaifei.game.notation import read_back

    reading = read_back(text or "", bids)
    if reading is not None:
        print(say_message(reading))


def _print_data(
    rules: Rules,
    record: PolicyRecord,
    advice: Advice | RangeAdvice,
    stakes: Stakes | None,
    people: Sequence[SeenPerson],
    *,
    as_csv: bool,
) -> None:
    """Print the answer as CSV or JSON."""
    from zhaifei.app.terminal.as_csv import range_csv
    from zhaifei.app.terminal.as_json import (
        advice_json,
        print_json,
        range_json,
        record_json,
        seen_json,
        with_stakes,
    )
    from zhaifei.policies.advice.advice import RangeAdvice

    if not isinstance(advice, RangeAdvice):
        found = advice_json(rules, advice)
    elif as_csv:
        print(range_csv(advice), end="")
        return
    else:
        found = range_json(rules, advice)
    if stakes is not None:
        found = with_stakes(rules, found, stakes)
    if people:
        found = {"seen": seen_json(rules, advice.history, people), **found}
    print_json({"policy": record_json(record), **found})


def _print_screen(
    rules: Rules,
    record: PolicyRecord,
    advice: Advice | RangeAdvice,
    stakes: Stakes | None,
    people: Sequence[SeenPerson],
    *,
    assumed: bool,
) -> None:
    """Print the answer for people; `assumed` says that the bid faced is assumed to have opened the
    round."""
    from zhaifei.app.said import seen_lines
    from zhaifei.app.terminal.console import new_console
    from zhaifei.app.terminal.printed.advice import print_advice, print_position
    from zhaifei.app.terminal.printed.policy_record import describe_policy
    from zhaifei.app.terminal.printed.range_advice import print_range
    from zhaifei.policies.advice.advice import RangeAdvice

    console = new_console()
    console.print(describe_policy(record), style="dim", soft_wrap=True)
    for text in seen_lines(rules, advice.history, people):
        console.print(text, soft_wrap=True, markup=False)
    if stakes is not None:
        print_position(console, rules, len(advice.history), stakes)
    if isinstance(advice, RangeAdvice):
        print_range(console, rules, advice, assumed=assumed)
    else:
        print_advice(console, rules, advice, assumed=assumed, stakes=stakes)
