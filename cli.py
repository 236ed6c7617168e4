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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from game.errors import ZhaifeiError
from game.language import LANGUAGES, choose, chosen, explain, of_locale, say

if TYPE_CHECKING:
    from rich.console import Console

    from game.rules import Rules
    from policies.advice import Advice
    from policies.company import Company
    from policies.known_gain import KnownGain
    from policies.simulation import PenaltyShare
    from policies.table import TablePolicy
    from policies.training import Progress, Report, Run, Setup
    from solver.bounds import BestResponse, Bounds
    from solver.response import Decision

Command = TypeVar("Command", bound=Callable[..., Any])
_USER_ERROR, _INTERNAL_ERROR, _INTERRUPTED = 2, 1, 130
_SEARCHED, _VALUED = 0.3, 0.15
"""Parts of the time limit, with three players and more, for certified bounds of what a best
response earns and of what the policy does; the rest goes into responses that are learnt."""
_SHARE_ROUNDS = 100_000
"""Played against each rule-based player to tell penalty shares to a third of a percent: seconds."""
_FAST_ROUNDS = 1000
"""Watched with --fast if nothing else is said."""


class Count(click.ParamType):  # type: ignore[type-arg]
    """A positive whole number, also written 1e7 or 10_000_000."""

    name = "count"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Raises BadParameter."""
        try:
            number = float(str(value).replace("_", ""))
        except ValueError:
            number = math.nan
        if not (1 <= number < math.inf and number == int(number)):
            text = say("{value!r} is not a positive whole number, like 1e7", value=value)
            self.fail(text, param, ctx)
        return int(number)


class Duration(click.ParamType):  # type: ignore[type-arg]
    """Seconds, also written 90s, 10m, 1.5h or 1h30m."""

    name = "duration"
    _UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}  # noqa: RUF012

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Raises BadParameter."""
        if isinstance(value, float):
            return value
        text = str(value).strip().lower()
        if re.fullmatch(r"[0-9.]+", text):
            text += "s"
        parts = re.findall(r"([0-9]+\.?[0-9]*|\.[0-9]+)([hms])", text)
        if not parts or "".join(map("".join, parts)) != text:
            text = say("{value!r} is not a duration, like 90s, 10m or 1h30m", value=value)
            self.fail(text, param, ctx)
        seconds = sum(float(number) * self._UNITS[unit] for number, unit in parts)
        if seconds <= 0:
            self.fail(say("{value!r} is no time at all", value=value), param, ctx)
        return seconds


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
    help="A policy file.  [default: what you solved for the rules, or else the shipped one]",
)


def _rules_options(command: Command) -> Command:
    """Which rules; where a policy file is named, it knows them itself."""
    options = (
        click.option("--players", type=int, help="How many play, 2 to 8.  [default: 2]"),
        click.option("--dice", type=int, help="Dice of each player.  [default: the rules' own]"),
        click.option("--faces", type=int, help="Faces of a die.  [default: the rules' own]"),
        click.option(
            "--rules", "rules_name", help="zhaifei, basic (飞 only) or liars_dice (OpenSpiel's)."
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


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="zhaifei")
@_lang
@_debug
def cli() -> None:
    """斋飞: solves Liar's Dice as it is played in China, with five dice each.

    Bids are written 飞4x6 or f4x6 (ones wild) and 斋2x5 or z2x5 (ones not wild).
    """


def main() -> None:
    """The entry point: what a user can cause is one line and exit code 2."""
    choose(_language(sys.argv[1:]))
    if chosen() != "en":
        from policies.help_texts import translate

        translate(cli)
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
    from policies.training import checkpoint_path, train
    from solver.storage import verify_writable

    if resume is None:
        run = _new_run(options)
        out = out or _default_path(run.setup.rules, make=True)
    else:
        run = _resumed_run(resume, options)
        if out is None:
            stem = resume.name.removesuffix(".safetensors").removesuffix(".checkpoint")
            out = resume.with_name(f"{stem}.safetensors")
        if out.resolve() == resume.resolve():
            raise click.UsageError(
                say("--out {out} is the checkpoint itself; name another file", out=out)
            )
    verify_writable(out)
    console = _console()
    console.print(_describe_setup(run.setup), soft_wrap=True)
    console.print(say("checkpoints go to {path}", path=checkpoint_path(out)), soft_wrap=True)
    with _ProgressLine(console) as line:
        report = train(
            run, out,
            time_limit=options["time_limit"] or math.inf,
            checkpoint_every=options["checkpoint_every"],
            on_progress=line.show,
            on_warning=lambda error: console.print(
                say("warning: {error}", error=explain(error)), style="yellow"
            ),
        )  # fmt: skip
    _print_report(console, report)


def _describe_setup(setup: Setup) -> str:
    parts = [_describe(setup.rules), setup.engine, say("recall {recall}", recall=setup.recall)]
    if setup.engine == "mccfr":
        parts.append(say("seed {seed}", seed=setup.seed))
    several = say("{threads} threads", threads=setup.threads)
    parts.append(say("1 thread") if setup.threads == 1 else several)
    return " · ".join(parts)


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
    from policies.training import Run, Setup, choose_engine, default_recall
    from solver.recall import FULL

    rules = _named_rules(options) or preset("zhaifei")
    engine = choose_engine(rules, options["recall"])
    recall = options["recall"]
    if recall is None:
        recall = default_recall(rules) if engine == "mccfr" else FULL
    threads = 1 if engine == "exact" else options["threads"] or os.cpu_count() or 1
    setup = Setup(rules, engine, recall, options["seed"] or 0, threads)
    return Run(setup, setup.build(), options["iterations"] or 10_000_000)


def _resumed_run(path: Path, options: dict[str, Any]) -> Run:
    from policies.training import load_checkpoint

    _verify_not_given(options, (*_RULES, "recall", "seed", "threads"))
    run = load_checkpoint(path)
    run.goal = options["iterations"] or run.goal
    return run


class _ProgressLine:
    """Live on a terminal; elsewhere a line every ten seconds."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._console = console
        self._next_line = 0.0
        self._bar = Progress(
            BarColumn(bar_width=20), TextColumn("{task.description}"), TimeElapsedColumn(),
            console=console, transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task(say("starting (first run: compiling)"), total=None)

    def __enter__(self) -> _ProgressLine:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Called a few times a second."""
        text = _describe_progress(progress)
        self._bar.update(
            self._task, description=text, completed=progress.iterations, total=progress.goal
        )
        if not self._console.is_terminal and time.monotonic() >= self._next_line:
            self._console.print(f"{_clock(progress.elapsed)}  {text}", soft_wrap=True)
            self._next_line = time.monotonic() + 10.0


def _describe_progress(progress: Progress) -> str:
    parts = [
        say("{done:,} of {goal:,} iterations", done=progress.iterations, goal=progress.goal),
        f"{progress.rate:,.0f}/s",
        say("{time} left", time=_clock(progress.left)),
        say("{number:,} information sets", number=progress.information_sets),
        say("value {value:+.4f}", value=progress.value),
    ]
    if math.isfinite(progress.exploitability):
        parts.append(say("exploitability {value:.4f}", value=progress.exploitability))
    return " · ".join(parts)


def _clock(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "?"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _print_report(console: Console, report: Report) -> None:
    from policies.advice import openings

    progress = report.progress
    if not report.finished:
        console.print(
            say("stopped early, after {done:,} iterations", done=progress.iterations),
            style="yellow",
        )
    rows = [
        say(
            "policy      {path}  ({size:,.1f} MB)",
            path=report.out, size=report.out.stat().st_size / 1e6,
        ),
        say(
            "checkpoint  {path}  ({size:,.1f} MB)",
            path=report.checkpoint, size=report.checkpoint.stat().st_size / 1e6,
        ),
        say(
            "iterations  {done:,} in {time} ({rate:,.0f}/s), {number:,} information sets",
            done=progress.iterations, time=_clock(progress.elapsed), rate=progress.rate,
            number=progress.information_sets,
        ),
        say("value       {value:+.4f} points for the opener", value=progress.value),
    ]  # fmt: skip
    if math.isfinite(progress.exploitability):
        rows.append(
            say(
                "exploitable {value:.4f} points per round when last measured; "
                "'zhaifei evaluate' proves it of the file",
                value=progress.exploitability,
            )
        )
    shown = "  ".join(f"{bid} {share:.1%}" for bid, share in openings(report.policy)[:5])
    rows.append(say("openings    {bids}", bids=shown))
    again = f"zhaifei solve --resume {shlex.quote(str(report.checkpoint))}"
    if report.finished:
        rows.append(say("for more iterations: {command}", command=f"{again} --iterations N"))
    else:
        rows.append(say("for the rest: {command}", command=again))
    for row in rows:
        console.print(row, soft_wrap=True)


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
    from policies.advice import Adviser

    loaded = _load(policy, _named_rules(rules))
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
        click.echo(json.dumps(_advice_json(loaded.rules, advice), ensure_ascii=False))
    else:
        assumed = bid is not None and not history_text
        _print_advice(_console(), loaded.rules, advice, assumed=assumed)


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
            say("{error}; the policy is for {rules}", error=explain(error), rules=_describe(rules))
        ) from error


def _advice_json(rules: Rules, advice: Advice) -> dict[str, Any]:
    from game.notation import format_hand, format_history

    seat = None if advice.earlier_unknown else len(advice.history) % rules.players + 1
    return {
        "hand": format_hand(advice.hand),
        "history": format_history(advice.history),
        "earlier_bids_unknown": advice.earlier_unknown,
        "seat": seat,
        "p_true": advice.p_true,
        "p_true_of_earlier": list(advice.earlier_true),
        "actions": [
            {
                "action": action.action,
                "probability": action.probability,
                "value": action.value,
                "value_error": action.value_error,
            }
            for action in advice.actions
        ],
    }


def _situation(rules: Rules, advice: Advice, *, assumed: bool) -> str:
    """Where the question is asked; of more than two players, who has bid what."""
    from game.notation import format_history

    history = format_history(advice.history)
    if advice.earlier_unknown:
        return say("facing {bid}; the bids before it are unknown", bid=history)
    if assumed:
        return say("facing {bid}, which opened the round", bid=history)
    if not history:
        return say("opening the round")
    if rules.players > 2:
        history = " ".join(
            say("{bid} (seat {seat})", bid=bid, seat=place % rules.players + 1)
            for place, bid in enumerate(advice.history)
        )
    return say("after {history}", history=history)


def _print_advice(console: Console, rules: Rules, advice: Advice, *, assumed: bool) -> None:
    from rich.columns import Columns
    from rich.table import Table
    from rich.text import Text

    from game.notation import format_hand, say_action

    situation = _situation(rules, advice, assumed=assumed)
    console.print(
        say("hand {hand}, {situation}", hand=format_hand(advice.hand), situation=situation),
        soft_wrap=True,
    )
    chances = [] if advice.p_true is None else [advice.p_true, *advice.earlier_true]
    for bid, chance in zip(reversed(advice.history), chances, strict=False):
        console.print(
            say("{bid} is true with probability {probability:.1%}", bid=bid, probability=chance)
        )
    if not advice.on_path:
        console.print(
            say("the policy itself never bids like this: the opponent's hand is taken as unknown")
            if rules.players == 2
            else say(
                "the policy itself never bids like this: the hand of who did so is taken as unknown"
            ),
            style="yellow",
        )
    if not advice.own_on_path:
        console.print(
            say(
                "with this hand the policy itself would not have bid like you: it may not have "
                "learnt what to do now; look at the values"
            ),
            style="yellow",
        )
    ranked = sorted(advice.actions, key=lambda action: (-action.probability, -action.value))
    played = [action for action in ranked if action.probability > 0]
    table = Table(box=None, pad_edge=False)
    table.add_column(say("action"))
    table.add_column(say("probability"), justify="right")
    table.add_column()
    table.add_column(say("value"), justify="right")
    table.add_column(style="dim")
    for action in played:
        table.add_row(
            say_action(action.action), f"{action.probability:.1%}",
            Text("█" * round(24 * action.probability), style="green"),
            f"{action.value:+.3f}", f"±{action.value_error:.3f}",
        )  # fmt: skip
    console.print(table)
    rest = [f"{say_action(action.action)} {action.value:+.3f}" for action in ranked[len(played) :]]
    if rest:
        console.print(say("not played, best first:"), style="dim")
        console.print(Columns(rest, padding=(0, 3)), style="dim")


# evaluate


@cli.command()
@click.argument("file", type=FILE, required=False)
@_rules_options
@_policy
@click.option("--against", type=FILE, help="Another policy file: what the one earns against it.")
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
    rule-based player, from sampled rounds in all seats.

    With --against, what FILE earns against the other policy: an interval without sampling error.
    """
    if file is not None and policy is not None:
        raise click.UsageError(
            say("name one policy, not both {file} and --policy {policy}", file=file, policy=policy)
        )
    loaded = _load(file or policy, _named_rules(options))
    limits = {"gap": options["gap"], "time_limit": options["time_limit"]}
    if against is None:
        _evaluate(loaded, shown, threads, limits, as_json=as_json)
    elif shown:
        raise click.UsageError(say("--show-response is about best responses: leave out --against"))
    else:
        _duel(loaded, _load(against, loaded.rules), limits, as_json=as_json)


def _evaluate(
    policy: TablePolicy,
    shown: int | None,
    threads: int | None,
    limits: dict[str, float],
    *,
    as_json: bool,
) -> None:
    import os

    from policies.evaluation import Evaluation
    from policies.known_gain import known_gains

    began, several = time.monotonic(), policy.rules.players > 2
    known: tuple[KnownGain, ...] = ()
    evaluation = Evaluation(policy, threads or os.cpu_count() or 1)
    if shown:
        evaluation.verify_shows_decisions()
    seconds, gap = limits["time_limit"], limits["gap"]
    with _StatusLine(quiet=as_json) as line:
        result = _last(
            evaluation.refine(gap=gap, seconds=seconds * (_SEARCHED if several else 1.0)),
            lambda so_far: line.show(
                say("exploitability in {interval}", interval=_interval(so_far.exploitability))
            ),
        )
        gains: tuple[Bounds, ...] = ()
        if several:
            line.show(say("what the policy itself earns in each seat"))
            gains = evaluation.gains(result, _VALUED * seconds)
        if several and not result.exact:
            learning = (1.0 - _SEARCHED - _VALUED) * seconds
            known = _last(
                known_gains(policy, seconds=learning),
                lambda so_far: line.show(
                    say("responses learnt in {seats} seats", seats=len(so_far))
                ),
            )
        elapsed = time.monotonic() - began
        if not as_json:
            line.stop()
            _print_evaluation(_console(), policy, result, gains, elapsed)
            _print_known(_console(), known)
        decisions: list[Decision] = []
        if shown:
            line.show(say("what the best response does"))
            decisions = evaluation.decisions(shown)
        shares = _penalty_shares(policy, line)
    if as_json:
        found = _evaluation_json(policy, result, gains, elapsed)
        found["known_gain"] = [_known_json(gain) for gain in known]
        found["penalty_share"] = {name: _share_json(share) for name, share in shares.items()}
        if shown:
            found["response"] = [_decision_json(policy.rules, one) for one in decisions]
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    if shown:
        _print_decisions(_console(), policy.rules, decisions)
    _print_shares(_console(), policy.rules, shares)


def _penalty_shares(policy: TablePolicy, line: _StatusLine) -> dict[str, PenaltyShare]:
    """Against each rule-based player; of those that were met before Ctrl-C."""
    from policies.player import PolicyPlayer
    from policies.players import penalty_shares

    return _last(
        penalty_shares(PolicyPlayer(policy), rounds=_SHARE_ROUNDS, seed=0),
        lambda so_far: line.show(
            say("playing against rule-based players, {count} done", count=len(so_far))
        ),
    )


Refined = TypeVar("Refined")


def _last(results: Iterator[Refined], show: Callable[[Refined], None]) -> Refined:
    """The last of some results, or the last before Ctrl-C."""
    last: Refined | None = None
    try:
        for last in results:
            show(last)
    except KeyboardInterrupt:
        if last is None:
            raise
    assert last is not None
    return last


class _StatusLine:
    """What is known so far, on stderr: a line that changes on a terminal; elsewhere the first at
    once, and then one every ten seconds."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.status import Status

        self._console = _console(stderr=True)
        self._console.quiet = quiet
        self._status = Status(say("starting (first run: compiling)"), console=self._console)
        self._began, self._next_line = time.monotonic(), 0.0

    def __enter__(self) -> _StatusLine:
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Makes room for what is printed; `show` begins a new line."""
        self._status.stop()

    def show(self, text: str) -> None:
        """Called as often as there is news."""
        now = time.monotonic()
        line = f"{_clock(now - self._began)}  {text}"
        if self._console.is_terminal:
            self._status.update(line)
            self._status.start()
        elif now >= self._next_line:
            self._console.print(line, soft_wrap=True)
            self._next_line = now + 10.0


def _bounds_json(bounds: Bounds) -> dict[str, float]:
    return {"lower": bounds.lower, "upper": bounds.upper}


def _evaluation_json(
    policy: TablePolicy, result: BestResponse, gains: tuple[Bounds, ...], seconds: float
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "exploitability": _bounds_json(result.exploitability),
        "nash_conv": _bounds_json(result.nash_conv),
        "best_response": [_bounds_json(seat) for seat in result.seats],
        "exact": result.exact,
        "rules": policy.rules.to_dict(),
        "training": dict(policy.training),
        "seconds": round(seconds, 3),
    }
    if gains:
        found["gain"] = [_bounds_json(gain) for gain in gains]
    return found


def _known_json(gain: KnownGain) -> dict[str, float]:
    return {"mean": gain.mean, "deviation": gain.deviation, "lower": gain.lower}


def _share_json(share: PenaltyShare) -> dict[str, float]:
    return {
        "share": share.share, "lower": share.lower, "upper": share.upper, "rounds": share.rounds
    }  # fmt: skip


def _decision_json(rules: Rules, decision: Decision) -> dict[str, Any]:
    from game.bids import domain
    from game.notation import format_action, format_history

    def shares(actions: Mapping[int, float]) -> dict[str, float]:
        return {format_action(rules, action): share for action, share in actions.items()}

    return {
        "seat": decision.seat,
        "history": format_history(tuple(domain(rules)[bid] for bid in decision.history)),
        "gain": _bounds_json(decision.gain),
        "probability": decision.probability,
        "response": shares(decision.does),
        "policy": shares(decision.policy_does),
    }


def _print_evaluation(
    console: Console,
    policy: TablePolicy,
    result: BestResponse,
    gains: tuple[Bounds, ...],
    seconds: float,
) -> None:
    rows: dict[str, Bounds] = {}
    if len(result.seats) == 2:
        rows[say("best response as opener")], rows[say("best response as responder")] = result.seats
        rows[say("exploitability")] = result.exploitability
    else:
        for place, (best, gain) in enumerate(zip(result.seats, gains, strict=True), start=1):
            rows[say("best response in seat {seat}", seat=place)] = best
            rows[say("  gain in seat {seat}", seat=place)] = gain
        rows[say("NashConv, over all seats")] = result.nash_conv
    console.print(say("{rules}, {time}", rules=_describe(policy.rules), time=_clock(seconds)))
    _print_bounds(console, rows, exact=result.exact)


def _print_bounds(console: Console, rows: Mapping[str, Bounds], *, exact: bool) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(say("penalty points per round"))
    for name in (say("exact"),) if exact else (say("lower bound"), say("upper bound")):
        table.add_column(name, justify="right")
    for name, bounds in rows.items():
        ends = [bounds.lower] if exact else [bounds.lower, bounds.upper]
        table.add_row(name, *(f"{end:+.6f}" for end in ends))
    console.print(table)


def _print_known(console: Console, known: Sequence[KnownGain]) -> None:
    """What was sampled, apart from what is certified."""
    from rich.table import Table

    from policies.known_gain import known_nash_conv

    if not known:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column(say("a best response is known to gain, per round"))
    table.add_column(say("lower bound (95%)"), justify="right")
    table.add_column(say("sampled"), justify="right")
    for seat, gain in enumerate(known, start=1):
        sampled = f"{gain.mean:+.4f} ±{1.96 * gain.deviation:.4f}"
        table.add_row(say("  gain in seat {seat}", seat=seat), f"{gain.lower:+.4f}", sampled)
    table.add_row(say("NashConv, over all seats"), f"{known_nash_conv(known):+.4f}")
    console.print()
    console.print(table)


def _print_shares(console: Console, rules: Rules, shares: Mapping[str, PenaltyShare]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    fair = f"{1 / rules.players:.1%}"
    table.add_column(say("share of the penalty points ({fair} is fair) against", fair=fair))
    table.add_column(say("sampled"), justify="right")
    table.add_column(say("95% confidence"), justify="right")
    for name, share in shares.items():
        table.add_row(name, f"{share.share:.1%}", f"{share.lower:.1%} – {share.upper:.1%}")
    console.print()
    console.print(table)


def _print_decisions(console: Console, rules: Rules, decisions: list[Decision]) -> None:
    """Two lines each, since histories and strategies are long."""
    console.print()
    console.print(say("where a best response gains most, per round in its seat"))
    for one in decisions:
        found = _decision_json(rules, one)
        seat = (say("opener"), say("responder"))[one.seat]
        gain = f"{(one.gain.lower + one.gain.upper) / 2:+.4f} ±{one.gain.gap / 2:.4f}"
        console.print(
            say(
                "{gain}  {seat}, {share:.1%} of rounds  {history}",
                gain=gain, seat=seat, share=one.probability,
                history=found["history"] or say("opening"),
            ),
            soft_wrap=True,
        )  # fmt: skip
        console.print(
            say(
                "    it: {response}  ·  the policy: {policy}",
                response=_shares(found["response"]), policy=_shares(found["policy"]),
            ),
            soft_wrap=True, style="dim",
        )  # fmt: skip
    if not decisions:
        console.print(say("nowhere by as much as a ten-thousandth of a point"))


def _shares(actions: dict[str, float]) -> str:
    from game.notation import say_action

    shown = [f"{say_action(name)} {share:.0%}" for name, share in actions.items() if share >= 0.005]
    return "  ".join(shown[:4]) + ("  ..." if len(shown) > 4 else "")


def _duel(
    policy: TablePolicy, other: TablePolicy, limits: dict[str, float], *, as_json: bool
) -> None:
    from policies.evaluation import refine_duel
    from solver.bounds import Bounds
    from solver.expected_value import rounds_needed

    def mean(found: tuple[Bounds, Bounds]) -> Bounds:
        return sum(found, start=Bounds(0.0, 0.0)) / 2.0

    began = time.monotonic()
    results = refine_duel(policy, other, gap=limits["gap"], seconds=limits["time_limit"])
    with _StatusLine(quiet=as_json) as line:
        seats = _last(
            results,
            lambda found: line.show(say("value in {interval}", interval=_interval(mean(found)))),
        )
    both = mean(seats)
    needed = max(rounds_needed(seat) for seat in seats)
    if as_json:
        rows = {"as opener": seats[0], "as responder": seats[1], "mean": both}
        found: dict[str, Any] = {name: _bounds_json(bounds) for name, bounds in rows.items()}
        click.echo(json.dumps({**found, "sampled_rounds": 2 * needed}))
        return
    console = _console()
    elapsed = time.monotonic() - began
    console.print(say("{rules}, {time}", rules=_describe(policy.rules), time=_clock(elapsed)))
    rows = {say("as opener"): seats[0], say("as responder"): seats[1], say("mean"): both}
    _print_bounds(console, rows, exact=False)
    console.print(
        say(
            "sampling would need {rounds:,} rounds, half in each seat, to be as sure (95%)",
            rounds=2 * needed,
        ),
        soft_wrap=True,
    )


def _interval(bounds: Bounds) -> str:
    return f"[{bounds.lower:.4f}, {bounds.upper:.4f}]"


# play and watch


def _table_options(command: Command) -> Command:
    """Who plays by which rules."""
    options = (
        click.option(
            "--policy", type=FILE,
            help="A policy file, and the rules that it is for.  [default: what you solved for the "
            "rules, or else the shipped one, or else the rule-based player 'probabilistic']",
        ),
        click.option(
            "--opponent", "opponents", multiple=True, metavar="NAME",
            help="A rule-based player (random, honest, probabilistic, conservative, aggressive) or "
            "a policy file. May be repeated; the seats are taken in turn.  [default: the policy]",
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
    from policies.company import short_name
    from policies.person import Person, open_keyboard, typed
    from policies.screen import Screen
    from policies.table_play import Table, sit_down

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
    screen = Screen(_console(), [short_name(player) for player in players], you, query)
    seats[you] = Person(screen, typed, company.adviser() if hints else None)
    table = Table(match, seats, screen, shown=everyone if show_all else (you,))
    try:
        screen.line(f"{_describe(company.rules)} · {say('seed {seed}', seed=seed)}")
        open_keyboard()
        table.play(rounds)
    finally:
        screen.standings(match)


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
    from policies.company import short_name
    from policies.person import open_keyboard, typed
    from policies.screen import Meter, Screen
    from policies.table_play import Table, sit_down

    company, query = _company(hints=False, **options)
    everyone = range(company.rules.players)
    if options["opponents"] and options["policy"] is None:
        players = company.opponents(len(everyone))
    else:
        players = [company.player, *company.opponents(len(everyone) - 1)]
    seed, console = _seed(seed), _console()
    match, seats = sit_down(players, seed)
    screen = Screen(console, [short_name(player) for player in players], query=query)
    try:
        screen.line(f"{_describe(company.rules)} · {say('seed {seed}', seed=seed)}")
        open_keyboard()
        if fast:
            with Meter(console, rounds or _FAST_ROUNDS) as meter:
                Table(match, seats, meter).play(rounds or _FAST_ROUNDS)
        else:
            table = Table(match, seats, screen, shown=everyone)
            table.play(rounds, lambda: typed(say("Enter for the next round, q to leave > ")))
    finally:
        screen.standings(match)


def _company(
    *,
    hints: bool,
    policy: Path | None,
    opponents: tuple[str, ...],
    **options: Any,
) -> tuple[Company, str]:
    """Who plays, and the command that asks about their rounds."""
    from game.rules import preset
    from policies.company import FALLBACK, gather, stand_in

    named = _named_rules(options)
    rules = named or preset("zhaifei")
    path = policy or _known_policy(rules)
    if path is not None:
        company = gather(_load(path, named), str(path), opponents)
    else:
        company = gather(stand_in(rules), FALLBACK, opponents)
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


def _seed(seed: int | None) -> int:
    """The one given, or one drawn."""
    import secrets

    return secrets.randbelow(2**31) if seed is None else seed


# what the commands share


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False)


def _describe(rules: Rules) -> str:
    from game.rules import preset_name

    name = preset_name(rules) or say("custom rules")
    sizes = {"players": rules.players, "dice": rules.dice, "faces": rules.faces}
    several = say(
        "{name}: {players} players, {dice} dice of {faces} faces each", name=name, **sizes
    )
    one = say("{name}: {players} players, 1 die of {faces} faces each", name=name, **sizes)
    jumps = say(", with 跳开") if rules.jump_challenge else ""
    return (one if rules.dice == 1 else several) + jumps


def _default_path(rules: Rules, *, make: bool = False) -> Path:
    """Where `solve` writes and the others look when no file is named."""
    from dataclasses import replace

    from platformdirs import user_data_path

    from game.rules import preset, preset_name

    name = preset_name(rules) or "custom"
    sizes = f"{rules.players}p"
    if replace(rules, jump_challenge=False) != preset("zhaifei", players=rules.players):
        sizes += f"-{rules.dice}x{rules.faces}"
    if rules.jump_challenge:
        sizes += "-jump"
    directory = user_data_path("zhaifei", appauthor=False, ensure_exists=make)
    return Path(directory) / f"{name}-{sizes}.safetensors"


def _known_policy(rules: Rules) -> Path | None:
    """The policy for these rules that was solved here last, or else the one that comes with the
    package, if there is one."""
    from policies.shipped import shipped_path

    solved = _default_path(rules)
    return solved if solved.exists() else shipped_path(rules)


def _load(path: Path | None, rules: Rules | None) -> TablePolicy:
    """The policy at `path`, or else the known one for the rules, those of two players if none are
    named. Raises ZhaifeiError if there is none, or if it is for other rules than are named."""
    from game.rules import preset
    from policies.table import load_policy

    wanted = rules or preset("zhaifei")
    path = path or _known_policy(wanted)
    if path is None:
        raise ZhaifeiError(
            "no policy is known for these rules: 'zhaifei solve' makes one, which goes to {path}",
            path=_default_path(wanted),
        )
    policy = load_policy(path)
    if rules is not None and policy.rules != rules:
        raise ZhaifeiError(
            "{file} is for other rules: {its}; asked for are {rules}",
            file=path, its=_describe(policy.rules), rules=_describe(rules),
        )  # fmt: skip
    return policy


if __name__ == "__main__":
    main()
