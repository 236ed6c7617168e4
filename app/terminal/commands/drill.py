"""`zhaifei drill`."""

from __future__ import annotations

from pathlib import Path

import click

from zhaifei.app.terminal.commands.options import (
    SEED,
    RulesOptions,
    debug,
    each_time_limit,
    lang,
    naming_the_rules,
    policy,
    rules_options,
    seed_or_drawn,
)
from zhaifei.app.terminal.help_texts import Command


@click.command(cls=Command)
@rules_options
@policy
@click.option(
    "--count",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    help="How many positions.",
)
@click.option("--seed", type=SEED, help="Random seed for new positions.  [default: random]")
@each_time_limit
@lang
@debug
def drill(
    rules: RulesOptions, policy: Path | None, count: int, seed: int | None, time_limit: float
) -> None:
    """Practise positions: answer first, then see what the policy says.

    Positions come from your own mistakes in matches that `play` has recorded, and from the policy's
    hardest decisions. What you answer wrongly comes again soon, what you know later and later.

    Answer like in `play`; q leaves. Input may also come from a pipe, a line for each position.
    """
    from zhaifei.app.locale import say
    from zhaifei.app.terminal.console import LiveLine, new_console
    from zhaifei.app.terminal.drilling import Driller
    from zhaifei.app.terminal.person import open_keyboard
    from zhaifei.app.terminal.printed.policy_record import describe_policy
    from zhaifei.policies.catalogue.known import load_known
    from zhaifei.policies.review.decisions import reviewer_of
    from zhaifei.policies.review.deck import deck_path
    from zhaifei.policies.review.drill import Drill

    loaded, record = load_known(policy, rules.named())
    path, console = deck_path(make=True), new_console()
    session = Drill(reviewer_of(loaded, time_limit), path)
    console.print(describe_policy(record), style="dim", soft_wrap=True)
    with LiveLine(new_console(stderr=True)) as line:
        session.tell = lambda match, due: line.show(
            say("looking for positions: {due} found", due=due)
        )
        cards = session.begin(count, seed_or_drawn(seed))
    open_keyboard()
    with naming_the_rules(loaded.rules):
        Driller(console, session).run(cards)
