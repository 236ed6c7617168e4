"""The command line: reads arguments, calls, prints. Start-up is lazy: commands import what they
need when they run."""

from __future__ import annotations

import json
import math
import re
import shlex
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from app.locale import (
    LANGUAGES,
    choose,
    explain,
    of_locale,
    say,
    say_message,
    say_rules,
)
from app.terminal.argument_types import Count, Duration
from app.terminal.help_texts import Group
from game.errors import ZhaifeiError

if TYPE_CHECKING:
    from app.terminal.console import LiveLine
    from game.rules import Rules
    from policies.measure.evaluation import Evaluation
    from policies.measure.known_gain import KnownGain
    from policies.measure.penalty_shares import Shares
    from policies.play.lineup import TableLineup
    from policies.players.policy import Policy
    from policies.training.q_learning import Learnt
    from policies.training.run import Progress, Run
    from solver.bounds import BestResponse, Bounds
    from solver.response.gains import Decision

Command = TypeVar("Command", bound=Callable[..., Any])
_USER_ERROR, _INTERNAL_ERROR, _INTERRUPTED = 2, 1, 130
_SEARCHED, _VALUED = 0.3, 0.15
"""Parts of the time limit, with three players and more, for certified bounds of what a best
response earns and of what the policy does; the rest goes into responses that are learnt."""
_SHARE_ROUNDS = 100_000
"""Played against each rule-based player to tell penalty shares to a third of a percent: seconds."""
_FAST_ROUNDS = 1000
"""Watched with --fast if nothing else is said."""


FILE = click.Path(path_type=Path)
_RULES = ("rules_name", "players", "dice", "faces", "jump_challenge")
"""The parameters that `_rules_options` sets."""
_lang = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    expose_value=False,  # `main` has read it
    help="Chinese or English on screen.  [default: the locale's]",
)
_debug = click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
_policy = click.option(
    "--policy",
    type=FILE,
    help="A policy file, or a player's name.  [default: what you solved for the rules, or else the "
    "shipped one]",
)


def _rules_options(command: Command) -> Command:
    """Which rules; where a policy file is named, it knows them itself."""
    options = (
        click.option(
            "--players", type=int,
            help="How many play, 2 to 8.  [default: 2; where dice are lost 4]",
        ),
        click.option("--dice", type=int, help="Dice of each player.  [default: the rules' own]"),
        click.option("--faces", type=int, help="Faces of a die.  [default: the rules' own]"),
        click.option(
            "--rules", "rules_name",
            help="zhaifei, basic (飞 only), liars_dice (OpenSpiel's) or, in the arena, knockout "
            "and increment.",
        ),
        click.option(
            "--jump-challenge", is_flag=True, default=None,
            help="跳开: bids before the last may be challenged too, for more points. From three "
            "players on.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _named_rules(options: Mapping[str, Any]) -> Rules | None:
    """What those of `_rules_options` say; None if they are silent."""
    from game.rules import preset

    named = {name: options[name] for name in _RULES}
    if all(option is None for option in named.values()):
        return None
    name, jumps = named.pop("rules_name") or "zhaifei", bool(named.pop("jump_challenge"))
    return preset(name, jump_challenge=jumps, **named)


def _rules_as_typed(options: Mapping[str, Any]) -> str:
    """Those of `_rules_options` that are not silent, as they may be typed again."""
    typed = ""
    for name in _RULES:
        if options[name] is not None:
            typed += f" --{name.removesuffix('_name').replace('_', '-')}"
            if options[name] is not True:
                typed += f" {options[name]}"
    return typed


@click.group(
    cls=Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(package_name="zhaifei", help="Show the version and exit.")
@_lang
@_debug
def cli() -> None:
    """斋飞: solves Liar's Dice as it is played in China, with five dice each.

    Bids are written 飞4x6 or f4x6 (ones wild) and 斋2x5 or z2x5 (ones not wild).
    """


def main() -> None:
    """The entry point: what a user can cause is one line and exit code 2."""
    choose(_language(sys.argv[1:]))
    try:
        sys.exit(cli(standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(_USER_ERROR)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; there is nobody to tell
        sys.exit(_INTERNAL_ERROR)
    except (Exception, KeyboardInterrupt) as error:
        if "--debug" in sys.argv[1:]:
            traceback.print_exc()
        message, code = _explain(error)
        click.echo(f"zhaifei: {' '.join(message.split())}", err=True)
        sys.exit(code)


def _language(arguments: list[str]) -> str:
    """The language of the screen. It is read before click reads anything, wherever --lang stands,
    so that help and errors are in it too; click refuses what is no language."""
    named = re.findall(rf"(?<!\S)--lang[ =]({'|'.join(LANGUAGES)})(?!\S)", " ".join(arguments))
    return named[-1] if named else of_locale()


def _explain(error: BaseException) -> tuple[str, int]:
    """What to tell the user, and the exit code."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return say("interrupted"), _INTERRUPTED
    if isinstance(error, click.ClickException):
        return error.format_message(), _USER_ERROR
    if isinstance(error, ZhaifeiError):
        return explain(error), _USER_ERROR
    if isinstance(error, OSError):
        return str(error), _USER_ERROR
    return say("internal error: {error!r} (--debug shows where)", error=error), _INTERNAL_ERROR


# solve


@cli.command()
@_rules_options
@click.option(
    "--iterations",
    type=Count(),
    help="One iteration is one (own hand, opponent hand) pair traversed for each player; a pass "
    "that carries all 252 hands of both counts as 252 * 252.  [default: 1e7]",
)
@click.option("--out", type=FILE, help="The policy file to write.  [default: in the user's data]")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="[default: 0]")
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    help="Sampled runs repeat bit for bit with 1 and a seed, others always.  [default: all cores]",
)
@click.option(
    "--recall",
    help="Samples, with information sets that remember only this of the bids, the last one first: "
    "a list of bid, face, mode and -, each with an optional <STRENGTH of the last bid, or 'full'.  "
    "[default: of two players nothing is forgotten and nothing is sampled; of three and four the "
    "last three bids are remembered; of more, the last two and something of what the others bid "
    "before]",
)
@click.option(
    "--single-bid",
    is_flag=True,
    default=None,
    help="Solves what the player single-bid plays, for two players: a game in which everybody "
    "remembers only the last bid and raises 飞 only to 飞 and 斋 only to 斋.",
)
@click.option("--time-limit", type=Duration(), help="Stop after 90s, 10m, 1h30m, ...")
@click.option("--checkpoint-every", type=Duration(), default="2m", help="Time between checkpoints.")
@click.option("--resume", type=FILE, help="Go on from a checkpoint file.")
@_lang
@_debug
def solve(resume: Path | None, out: Path | None, **options: Any) -> None:
    """Compute an approximate Nash strategy and write it to a policy file.

    Ctrl-C or SIGTERM saves the policy so far and a checkpoint, from which --resume goes on, and
    the exit code is 0; a second Ctrl-C quits without saving. After a crash, --resume goes on from
    the last checkpoint.
    """
    from app.terminal.console import LiveLine, new_console
    from app.terminal.printed.training import describe_progress, describe_setup, print_report
    from policies.catalogue.known import default_path
    from policies.training.run import checkpoint_path, train
    from solver.storage import verify_writable

    if resume is None:
        run = _new_run(options)
        out = out or default_path(run.setup.rules, make=True)
    else:
        run = _resumed_run(resume, options)
        out = _resumed_out(resume, out)
    verify_writable(out)
    console = new_console()
    console.print(describe_setup(run.setup), soft_wrap=True)
    console.print(say("checkpoints go to {path}", path=checkpoint_path(out)), soft_wrap=True)
    with LiveLine(console) as line:

        def show(progress: Progress) -> None:
            line.show(describe_progress(progress), progress.iterations, progress.goal)

        report = train(
            run, out,
            time_limit=options["time_limit"] or math.inf,
            checkpoint_every=options["checkpoint_every"],
            on_progress=show,
            on_warning=lambda error: console.print(
                say("warning: {error}", error=explain(error)), style="yellow"
            ),
        )  # fmt: skip
    console.print()
    print_report(console, report)


def _verify_not_given(options: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if options[name] is not None:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                say("{option} cannot be changed by --resume: the checkpoint says", option=option)
            )


def _new_run(options: dict[str, Any]) -> Run:
    import os

    from game.rules import preset
    from policies.training.run import Run, Setup, choose_engine, default_recall
    from solver.cfr.single_bid import RECALL
    from solver.tables.recall import FULL

    rules, recall = _named_rules(options) or preset("zhaifei"), options["recall"]
    if options["single_bid"]:
        if recall is not None:
            raise click.UsageError(say("--single-bid remembers the last bid: leave out --recall"))
        engine, recall = "single-bid", RECALL
    else:
        engine = choose_engine(rules, recall)
    if recall is None:
        recall = default_recall(rules) if engine == "mccfr" else FULL
    threads = options["threads"] or os.cpu_count() or 1
    if engine in ("exact", "single-bid"):
        threads = 1
    setup = Setup(rules, engine, recall, options["seed"] or 0, threads)
    return Run(setup, setup.build(), options["iterations"] or 10_000_000)


def _resumed_run(path: Path, options: dict[str, Any]) -> Run:
    from policies.training.run import load_checkpoint

    _verify_not_given(options, (*_RULES, "recall", "single_bid", "seed", "threads"))
    run = load_checkpoint(path)
    run.goal = options["iterations"] or run.goal
    return run


def _resumed_out(resume: Path, out: Path | None) -> Path:
    """Where a run goes on to write that is resumed from a checkpoint."""
    if out is None:
        stem = resume.name.removesuffix(".safetensors").removesuffix(".checkpoint")
        return resume.with_name(f"{stem}.safetensors")
    if out.resolve() == resume.resolve():
        raise click.UsageError(
            say("--out {out} is the checkpoint itself; name another file", out=out)
        )
    return out


# train


@cli.command()
@click.argument("algorithm", type=click.Choice(("dqn", "nfsp", "ppo", "q")))
@click.option(
    "--steps", type=Count(), help="Decisions to learn from, in both seats.  [default: 1e7]"
)
@click.option("--matches", type=Count(), help="q: matches to learn from.  [default: 5000]")
@click.option("--out", type=FILE, help="The file to write.  [default: in the user's data]")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="[default: 0]")
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    help="Runs with 1 and the same seed end alike.  [default: all cores]",
)
@click.option("--checkpoint-every", type=Duration(), default="2m", help="Time between checkpoints.")
@click.option("--resume", type=FILE, help="Go on from a checkpoint file.")
@_lang
@_debug
def train(algorithm: str, resume: Path | None, out: Path | None, **options: Any) -> None:
    """Let a learner play, and write what it has learnt to a file, which plays in `zhaifei arena`.

    dqn, nfsp and ppo are OpenSpiel's: they play the full game of two players against themselves,
    and need PyTorch: pip install 'zhaifei[rl]'. Ctrl-C or SIGTERM saves the weights so far and a
    checkpoint, from which --resume goes on, and the exit code is 0; a second Ctrl-C quits without
    saving.

    q is a table of action values for `increment`, learnt against random callers, in seconds:
    Ctrl-C saves nothing. It takes --matches, --out and --seed.
    """
    from app.terminal.console import LiveLine, new_console
    from app.terminal.printed.learning import describe_learning, print_learnt
    from policies.training.learning import default_out, learn, load_run, new_run
    from policies.training.run import checkpoint_path
    from solver.storage import verify_writable

    if algorithm == "q":
        _train_q(resume, out, **options)
        return
    if options["matches"] is not None:
        raise click.UsageError(say("--matches is for q; others take --steps"))
    if resume is None:
        import os

        run = new_run(
            algorithm, options["seed"] or 0, options["threads"] or os.cpu_count() or 1,
            options["steps"] or 10_000_000,
        )  # fmt: skip
        out = out or default_out(algorithm)
    else:
        _verify_not_given(options, ("seed", "threads"))
        run = load_run(resume, algorithm)
        run.aim_at(options["steps"] or run.goal)
        out = _resumed_out(resume, out)
    verify_writable(out)
    console = new_console()
    console.print(say("checkpoints go to {path}", path=checkpoint_path(out)), soft_wrap=True)
    with LiveLine(console) as line:
        report = learn(
            run, out,
            checkpoint_every=options["checkpoint_every"],
            on_progress=lambda progress: line.show(
                describe_learning(progress), progress.steps, progress.goal
            ),
            on_warning=lambda error: console.print(
                say("warning: {error}", error=explain(error)), style="yellow"
            ),
        )  # fmt: skip
    console.print()
    print_learnt(console, run, report)


def _train_q(resume: Path | None, out: Path | None, **options: Any) -> None:
    from app.terminal.console import LiveLine, new_console
    from policies.training.learning import default_out
    from policies.training.q_learning import train

    if resume or options["steps"] or options["threads"]:
        raise click.UsageError(say("q takes --matches, --out and --seed only"))
    matches, out = options["matches"] or 5000, out or default_out("q")
    console = new_console()
    with LiveLine(console) as line:

        def show(learnt: Learnt) -> None:
            line.show(_describe_learnt(learnt), learnt.matches, matches)

        learnt = train(matches, options["seed"] or 0, out, show)
    console.print(_describe_learnt(learnt))
    console.print(say("values      {path}", path=out), soft_wrap=True)


def _describe_learnt(learnt: Learnt) -> str:
    return say("won {won:,} of {matches:,} matches while learning", **learnt._asdict())


# query


@cli.command()
@click.option("--hand", "hand_text", required=True, help="The faces of your dice, like 11346.")
@click.option("--bid", "bid_text", help="The bid you face, alone or after --history.")
@click.option("--history", "history_text", help="All bids so far, oldest first.")
@_rules_options
@_policy
@_json
@_lang
@_debug
def query(
    hand_text: str,
    bid_text: str | None,
    history_text: str | None,
    policy: Path | None,
    as_json: bool,
    **rules: Any,
) -> None:
    """What to do with a hand against a bid: the whole strategy, with values.

    Without --bid and --history: how to open. With --bid alone, that bid opened the round if it
    can; otherwise the bids before it are unknown.
    """
    from game.bids import can_bid, verify_history
    from game.notation import parse_bid, parse_hand, parse_history
    from policies.catalogue.known import load_known
    from policies.measure.advice import Adviser

    loaded = load_known(policy, _named_rules(rules))
    with _naming_the_rules(loaded.rules):
        hand = parse_hand(loaded.rules, hand_text)
        history = parse_history(loaded.rules, history_text or "")
        adviser = Adviser(loaded)
        bid = None if bid_text is None else parse_bid(bid_text)
        if bid is not None and not history_text and not can_bid(loaded.rules, bid, None):
            advice = adviser.advise_on_last(hand, bid)
        else:
            # The history may be given with the bid faced or without it.
            if bid is not None and history[-1:] != (bid,):
                history = (*history, bid)
            verify_history(loaded.rules, history)
            advice = adviser.advise(hand, history)
    if as_json:
        from app.terminal.as_json import advice_json

        click.echo(json.dumps(advice_json(loaded.rules, advice), ensure_ascii=False))
    else:
        from app.terminal.console import new_console
        from app.terminal.printed.advice import print_advice

        assumed = bid is not None and not history_text
        print_advice(new_console(), loaded.rules, advice, assumed=assumed)


@contextmanager
def _naming_the_rules(rules: Rules) -> Iterator[None]:
    """Who asks about a hand or a bid that the policy does not know may have forgotten which game
    it is for."""
    from game.bids import IllegalBid
    from game.hands import IllegalHand
    from game.rules import preset

    try:
        yield
    except (IllegalHand, IllegalBid) as error:
        if rules == preset("zhaifei"):
            raise
        raise click.ClickException(
            say("{error}; the policy is for {rules}", error=explain(error), rules=rules)
        ) from error


# evaluate


@cli.command()
@click.argument("file", type=FILE, required=False)
@_rules_options
@_policy
@click.option("--against", type=FILE, help="Another policy: what the one earns against it.")
@click.option("--gap", type=click.FloatRange(0), default=0.0, help="Stop at this narrow interval.")
@click.option("--time-limit", type=Duration(), default="60s", help="Stop after 90s, 10m, ...")
@click.option("--threads", type=click.IntRange(1, 256), help="[default: all cores]")
@click.option(
    "--show-response", "shown", type=click.IntRange(1), metavar="N",
    help="Also tell the N decisions by which a best response gains most: after which bids, what it "
    "does and what the policy would, how often that comes, and what it gains. Takes longer.",
)  # fmt: skip
@_json
@_lang
@_debug
def evaluate(
    file: Path | None,
    policy: Path | None,
    against: Path | None,
    shown: int | None,
    threads: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """How exploitable a policy is, in the full game with perfect recall.

    The bounds are certified: a best response that sees the whole history earns no less than the
    lower and no more than the upper one. Small games are evaluated exactly. Ctrl-C prints the
    bounds so far. Then the share of all penalty points that the policy takes among copies of each
    rule-based player, and each of these among copies of the policy, from sampled rounds in all
    seats.

    FILE and --against may be players of 'zhaifei players' too. Networks are asked for what they
    do: their lower bound is the one to look at, and gets better the longer it takes.

    With --against, what FILE earns against the other policy: an interval without sampling error.
    """
    from policies.catalogue.known import load_any

    if file is not None and policy is not None:
        raise click.UsageError(
            say("name one policy, not both {file} and --policy {policy}", file=file, policy=policy)
        )
    loaded = load_any(file or policy, _named_rules(options))
    limits = {"gap": options["gap"], "time_limit": options["time_limit"]}
    if against is None:
        _evaluate(loaded, shown, threads, limits, as_json=as_json)
    elif shown:
        raise click.UsageError(say("--show-response is about best responses: leave out --against"))
    else:
        _duel(loaded, load_any(against, loaded.rules), limits, as_json=as_json)


def _evaluate(
    policy: Policy,
    shown: int | None,
    threads: int | None,
    limits: dict[str, float],
    *,
    as_json: bool,
) -> None:
    import os

    from app.terminal.as_json import evaluation_json
    from app.terminal.console import LiveLine, new_console
    from app.terminal.printed.evaluation import (
        print_decisions,
        print_evaluation,
        print_known,
        print_shares,
    )
    from policies.measure.evaluation import Evaluation

    began = time.monotonic()
    evaluation = Evaluation(policy, threads or os.cpu_count() or 1)
    if shown:
        evaluation.verify_shows_decisions()
    with LiveLine(new_console(stderr=True, quiet=as_json)) as line:
        result, gains, known = _best_responses(policy, evaluation, limits, line)
        elapsed = time.monotonic() - began
        if not as_json:
            line.stop()
            print_evaluation(new_console(), policy, result, gains, elapsed)
            print_known(new_console(), known)
        decisions: list[Decision] | None = None
        if shown:
            line.show(say("what the best response does"))
            decisions = evaluation.decisions(shown)
        shares = _penalty_shares(policy, line)
    if as_json:
        found = evaluation_json(policy, result, gains, known, shares, decisions, elapsed)
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    if decisions is not None:
        print_decisions(new_console(), policy.rules, decisions)
    print_shares(new_console(), policy.rules, shares)


def _best_responses(
    policy: Policy, evaluation: Evaluation, limits: dict[str, float], line: LiveLine
) -> tuple[BestResponse, tuple[Bounds, ...], tuple[KnownGain, ...]]:
    """What they earn; with three players and more also what they gain on the policy, by seat, and
    where that is not exact what they are known to gain."""
    from app.terminal.console import last_of
    from app.terminal.printed.evaluation import interval
    from policies.measure.known_gain import known_gains
    from policies.players.table_policy import TablePolicy

    seconds, several = limits["time_limit"], policy.rules.players > 2
    result = last_of(
        evaluation.refine(gap=limits["gap"], seconds=seconds * (_SEARCHED if several else 1.0)),
        lambda so_far: line.show(
            say("exploitability in {interval}", interval=interval(so_far.exploitability))
        ),
    )
    if not several:
        return result, (), ()
    line.show(say("what the policy itself earns in each seat"))
    gains = evaluation.gains(result, _VALUED * seconds)
    if result.exact or not isinstance(policy, TablePolicy):
        return result, gains, ()
    known = last_of(
        known_gains(policy, seconds=(1.0 - _SEARCHED - _VALUED) * seconds),
        lambda so_far: line.show(say("responses learnt in {seats} seats", seats=len(so_far))),
    )
    return result, gains, known


def _penalty_shares(policy: Policy, line: LiveLine) -> dict[str, Shares]:
    """Against each rule-based player; of those that were met before Ctrl-C."""
    from app.terminal.console import last_of
    from policies.measure.penalty_shares import penalty_shares
    from policies.players.player import PolicyPlayer

    return last_of(
        penalty_shares(PolicyPlayer(policy), rounds=_SHARE_ROUNDS, seed=0),
        lambda so_far: line.show(
            say("playing against rule-based players, {count} done", count=len(so_far))
        ),
    )


def _duel(policy: Policy, other: Policy, limits: dict[str, float], *, as_json: bool) -> None:
    from app.terminal.as_json import bounds_json
    from app.terminal.console import LiveLine, last_of, new_console
    from app.terminal.printed.evaluation import interval, print_duel
    from policies.measure.evaluation import refine_duel
    from solver.bounds import Bounds
    from solver.value.expected_value import rounds_needed

    def mean(found: tuple[Bounds, Bounds]) -> Bounds:
        return sum(found, start=Bounds(0.0, 0.0)) / 2.0

    began = time.monotonic()
    results = refine_duel(policy, other, gap=limits["gap"], seconds=limits["time_limit"])
    with LiveLine(new_console(stderr=True, quiet=as_json)) as line:
        seats = last_of(
            results,
            lambda found: line.show(say("value in {interval}", interval=interval(mean(found)))),
        )
    both = mean(seats)
    needed = max(rounds_needed(seat) for seat in seats)
    if as_json:
        rows = {"as opener": seats[0], "as responder": seats[1], "mean": both}
        found: dict[str, Any] = {name: bounds_json(bounds) for name, bounds in rows.items()}
        click.echo(json.dumps({**found, "sampled_rounds": 2 * needed}))
        return
    elapsed = time.monotonic() - began
    print_duel(new_console(), policy.rules, seats, both, 2 * needed, elapsed)


# play and watch


def _table_options(command: Command) -> Command:
    """Who plays by which rules."""
    options = (
        click.option(
            "--policy", type=FILE,
            help="A policy file, and the rules that it is for, or a player's name.  [default: what "
            "you solved for the rules, or else the shipped one, or else the rule-based player "
            "'probabilistic']",
        ),
        click.option(
            "--opponent", "opponents", multiple=True, metavar="NAME",
            help="One of those that 'zhaifei players' lists, a policy file, or a .py file with a "
            "strategy of your own. May be repeated; the seats are taken in turn.  [default: the "
            "policy]",
        ),
        click.option(
            "--seed", type=click.IntRange(0, 2**31 - 1),
            help="The same seed and decisions make the same game.  [default: drawn]",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return _rules_options(command)


@cli.command()
@_table_options
@click.option("--seat", type=click.IntRange(1), default=1, metavar="K", help="Where you sit.")
@click.option("--rounds", type=Count(), help="Play so many.  [default: until you leave]")
@click.option("--hints", is_flag=True, help="Show what the policy would do in your place.")
@click.option("--show-all", is_flag=True, help="Show everyone's dice all the time.")
@_lang
@_debug
def play(
    seat: int, rounds: int | None, hints: bool, show_all: bool, seed: int | None, **options: Any
) -> None:
    """Play against policies and rule-based players.

    Type 飞5x4 or f5x4 to bid, c or 开 to challenge, ? for help, q to leave. Input may also come
    from a pipe, a line for each decision.
    """
    from app.terminal.console import new_console
    from app.terminal.person import Person, open_keyboard, typed
    from app.terminal.printed.plug_ins import print_faults
    from app.terminal.screen import Screen
    from policies.measure.advice import Adviser
    from policies.play.table import Table, sit_down
    from policies.players.player import short_name

    company, query = _company(hints=hints, **options)
    everyone, you = range(company.rules.players), seat - 1
    if you not in everyone:
        raise ZhaifeiError(
            "there is no seat {seat}: seats are 1 to {players}", seat=seat, players=len(everyone)
        )
    players = company.opponents(len(everyone) - 1)
    players.insert(you, company.player)
    seed = _seed(seed)
    match, seats = sit_down(players, seed)
    screen = Screen(new_console(), [short_name(player) for player in players], you, query)
    seats[you] = Person(screen, typed, Adviser(company.policy) if hints else None)
    table = Table(match, seats, screen, shown=everyone if show_all else (you,))
    try:
        screen.line(f"{say_rules(company.rules)} · {say('seed {seed}', seed=seed)}")
        open_keyboard()
        table.play(rounds)
    finally:
        screen.standings(match)
        print_faults(new_console(), players)


@cli.command()
@_table_options
@click.option("--rounds", type=Count(), help="[default: until you leave; with --fast 1000]")
@click.option("--fast", is_flag=True, help="Do not wait, and show the standings only.")
@_lang
@_debug
def watch(rounds: int | None, fast: bool, seed: int | None, **options: Any) -> None:
    """Watch policies and rule-based players, one round at a time.

    A --policy sits in seat 1, the opponents in the others; without it the opponents take all
    seats. Press Enter for the next round, q to leave.
    """
    from app.terminal.console import new_console
    from app.terminal.person import open_keyboard, typed
    from app.terminal.printed.plug_ins import print_faults
    from app.terminal.screen import Meter, Screen
    from policies.play.table import Table, sit_down
    from policies.players.player import short_name

    company, query = _company(hints=False, **options)
    everyone = range(company.rules.players)
    if options["opponents"] and options["policy"] is None:
        players = company.opponents(len(everyone))
    else:
        players = [company.player, *company.opponents(len(everyone) - 1)]
    seed, console = _seed(seed), new_console()
    match, seats = sit_down(players, seed)
    screen = Screen(console, [short_name(player) for player in players], query=query)
    try:
        screen.line(f"{say_rules(company.rules)} · {say('seed {seed}', seed=seed)}")
        open_keyboard()
        if fast:
            with Meter(console, rounds or _FAST_ROUNDS) as meter:
                Table(match, seats, meter).play(rounds or _FAST_ROUNDS)
        else:
            table = Table(match, seats, screen, shown=everyone)
            table.play(rounds, lambda: typed(say("Enter for the next round, q to leave > ")))
    finally:
        screen.standings(match)
        print_faults(new_console(), players)


def _company(
    *,
    hints: bool,
    policy: Path | None,
    opponents: tuple[str, ...],
    **options: Any,
) -> tuple[TableLineup, str]:
    """Who plays, and the command that asks about their rounds."""
    from game.rules import preset
    from policies.catalogue.known import known_path, load_known
    from policies.play.lineup import FALLBACK, line_up, stand_in

    named = _named_rules(options)
    rules = named or preset("zhaifei")
    path = policy or known_path(rules)
    if path is not None:
        company = line_up(load_known(path, named), str(path), opponents)
    else:
        company = line_up(stand_in(rules), FALLBACK, opponents)
        if hints or not opponents:
            click.echo(
                say(
                    "no policy is known for these rules ('zhaifei solve' makes one): the "
                    "rule-based player '{name}' stands in",
                    name=FALLBACK,
                )
            )
    if policy is not None:
        return company, f"zhaifei query --policy {shlex.quote(str(policy))}"
    return company, f"zhaifei query{_rules_as_typed(options)}"


# arena and players


@cli.command()
@click.argument("names", nargs=-1, metavar="[PLAYER]...")
@_rules_options
@click.option(
    "--rounds",
    type=Count(),
    help="About so many at each table; where dice are lost, so many matches.  [default: 1e5; about "
    "4,000 matches in all, but 80 or so at each table]",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, help="The same seed, the same tables."
)
@_json
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV instead: a line for each player.")
@_lang
@_debug
def arena(
    names: tuple[str, ...],
    rounds: int | None,
    seed: int,
    as_json: bool,
    as_csv: bool,
    **options: Any,
) -> None:
    """Let players meet, everybody in every seat with the same dice, and rate them.

    A PLAYER is one of those that 'zhaifei players' lists, a policy file, or a .py file with a
    strategy of your own; without any, all that play by the rules meet, and the policy that is known
    for them.

    Of two players every pair meets. Of more, every choice of so many sits at a table; if fewer are
    named than there are seats, each sits alone among copies of each other one. Policies for two
    players that are tables are compared by exact values too. With --rules knockout or increment
    matches are played until one player has dice left. Ctrl-C prints the results so far.
    """
    from app.terminal.console import LiveLine, clock, new_console
    from app.terminal.meetings import meet
    from app.terminal.printed.plug_ins import print_faults
    from game.rules import preset

    if as_json and as_csv:
        raise click.UsageError(say("--json or --csv, not both"))
    rules, began = _named_rules(options) or preset("zhaifei"), time.monotonic()
    with LiveLine(new_console(stderr=True, quiet=as_json or as_csv)) as line:
        met = meet(names, rules, rounds, seed, line)
    if as_json:
        click.echo(json.dumps(met.json(), ensure_ascii=False))
    elif as_csv:
        click.echo(met.csv(), nl=False)
    else:
        console = new_console()
        console.print(met.heading(clock(time.monotonic() - began)), soft_wrap=True)
        met.show(console)
    if not as_json:
        print_faults(new_console(stderr=as_csv), met.players)


@cli.command()
@_lang
@_debug
def players() -> None:
    """The players that have names, by the rules that they are for, and what each does."""
    from rich.table import Table

    from app.terminal.console import new_console
    from policies.catalogue.names import described_players

    console = new_console()
    for rules, described in described_players().items():
        if described:
            console.print(say_message(rules))
            table = Table(box=None, show_header=False)
            for name, does in described.items():
                table.add_row(name, say_message(does))
            console.print(table)
    console.print(
        say(
            "and your own: a .py file with a class that has the methods challenge_bid(seen) and "
            "make_bid(seen)"
        )
    )


@cli.command()
@click.option("--out", type=FILE, default=Path("RESULTS.md"), help="The page to write.")
@click.option("--rounds", type=Count(), default="1e5", help="At each table of two, about.")
@click.option(
    "--matches",
    type=Count(),
    default="4000",
    help="Of each player of increment alone among random callers, about.",
)
@click.option(
    "--time-limit",
    type=Duration(),
    default="1m",
    help="For the search for best responses to each player.",
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0)
@_lang
@_debug
def report(out: Path, rounds: int, matches: int, time_limit: float, seed: int) -> None:
    """Let everybody meet in every variant, measure how exploitable each is, and write a page.

    The page is Markdown in English, with a directory of SVG charts beside it. Needs matplotlib: pip
    install 'zhaifei[report]'.
    """
    from app.report.charts import verify_can_draw
    from app.report.page import write_report
    from app.terminal.console import LiveLine, clock, new_console
    from policies.measure.measurements import Settings, measure
    from solver.storage import verify_writable

    verify_can_draw()
    verify_writable(out)
    began = time.monotonic()
    with LiveLine(new_console(stderr=True)) as line:
        settings = Settings(rounds, matches, time_limit, seed)
        found = measure(
            settings,
            lambda message, done, goal: line.show(say_message(message), done, goal),
        )
        write_report(out, found)
    taken = clock(time.monotonic() - began)
    click.echo(say("{path} and its charts are written, in {time}", path=out, time=taken))


def _seed(seed: int | None) -> int:
    """The one given, or one drawn."""
    import secrets

    return secrets.randbelow(2**31) if seed is None else seed


if __name__ == "__main__":
    main()
