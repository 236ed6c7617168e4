"""Define options that several commands share, and their combined meaning."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from zhaifei.app.locale import LANGUAGES, explain, say
from zhaifei.app.terminal.argument_types import Dice, Duration, File, MatchSeed, TimeLimit
from zhaifei.policies.play.seeds import drawn_seed
from zhaifei.policies.training.limits import MOST_SEED, MOST_THREADS

if TYPE_CHECKING:
    from zhaifei.game.rules import Rules

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = File()
SEED = click.IntRange(0, MOST_SEED)
THREADS = click.IntRange(1, MOST_THREADS)
LOCAL = "local"
"""In place of a cluster's address: a cluster of processes on this machine, as Ray calls it too."""

lang = click.option(
    "--lang",
    type=click.Choice(LANGUAGES),
    expose_value=False,  # `cli.main` has read it
    help="Language of the output.  [default: from the locale]",
)
debug = click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
policy = click.option(
    "--policy",
    type=FILE,
    help="A policy file or a player's name.  [default: of the shipped policy and those you "
    "solved for the rules, the one with the lowest recorded exploitability]",
)

caution = click.option(
    "--caution",
    type=click.Choice(["certified", "normal", "exploiting"]),
    default="normal",
    show_default=True,
    help="When re-solving: how much to trust what the opponent's bids suggest. With certified, a "
    "best response gains at most 0.001 from it.",
)
each_time_limit = click.option(
    "--time-limit",
    type=TimeLimit(),
    default=2.0,
    show_default="2s",
    help="Approximate time to re-solve each position, like 10s. It is counted in work, not by "
    "the clock, so answers are reproducible; 0 uses only the table.",
)
checkpoint_every_option = click.option(
    "--checkpoint-every", type=Duration(), default="2m", help="Time between checkpoints."
)
keep_checkpoint_option = click.option(
    "--keep-checkpoint",
    is_flag=True,
    help="Keep the checkpoint of a finished run, so that --resume can take it further.",
)
resume_option = click.option("--resume", type=FILE, help="Continue from a checkpoint file.")
overwrite_option = click.option(
    "--overwrite",
    is_flag=True,
    help="Replace the files at --out and its checkpoint, even if they are better, longer or for "
    "another game.",
)


def verify_not_given(**options: object) -> None:
    """Raise UsageError for the first of `options` that was given along with --resume."""
    for name, value in options.items():
        if value is not None:
            raise click.UsageError(
                say(
                    "{option} cannot be combined with --resume: the checkpoint sets it",
                    option=f"--{name.replace('_', '-')}",
                )
            )


@dataclass(frozen=True)
class RulesOptions:
    """The values of `rules_options`; None for options that were not given."""

    rules: str | None
    players: int | None
    dice: int | tuple[int, int] | None
    faces: int | None
    jump_challenge: bool | None
    house: tuple[str, ...] | None

    def named(self) -> Rules | None:
        """Return the rules that the options name, or None if none was given. Raise RulesError if
        they are invalid."""
        from zhaifei.game.rules import preset

        if self == _SILENT:
            return None
        return preset(
            "zhaifei" if self.rules is None else self.rules,
            players=self.players,
            dice=self.dice,
            faces=self.faces,
            jump_challenge=bool(self.jump_challenge),
            house=self.house or (),
        )

    def named_or_default(self) -> Rules:
        """Return the rules that the options name, by default the full game for two. Raise
        RulesError if they are invalid."""
        from zhaifei.game.rules import preset

        return self.named() or preset("zhaifei")

    def as_typed(self) -> str:
        """Return the options that were given, as command line text."""
        typed = ""
        for name, value in asdict(self).items():
            if name == "house":
                typed += "".join(f" --house {one}" for one in value or ())
            elif value is not None:
                typed += f" --{name.replace('_', '-')}" + ("" if value is True else _typed(value))
        return typed


def _typed(value: object) -> str:
    return f" {','.join(map(str, value))}" if isinstance(value, tuple) else f" {value}"


_SILENT = RulesOptions(None, None, None, None, None, None)
RULES_NAMES = tuple(asdict(_SILENT))
"""The names of the parameters that `rules_options` combines into one."""


def _none_if_empty(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...] | None:
    return given or None


def rules_options(command: Command) -> Command:
    """Add options that name the rules; `command` receives them as one `rules: RulesOptions`."""

    @functools.wraps(command)
    def with_rules(**given: Any) -> Any:
        chosen = RulesOptions(**{name: given.pop(name) for name in RULES_NAMES})
        return command(rules=chosen, **given)

    options = (
        click.option(
            "--players",
            type=int,
            help="Number of players, 2 to 8.  [default: 2; 4 if dice are lost]",
        ),
        click.option(
            "--dice",
            type=Dice(),
            metavar="N[,N]",
            help="Dice per player; 5,3 for two players who have different numbers of them.  "
            "[default: set by the rules]",
        ),
        click.option("--faces", type=int, help="Faces of a die.  [default: set by the rules]"),
        click.option(
            "--rules",
            help="zhaifei, ktv (as in bars), southern and northern (with 劈), basic (飞 only) or "
            "liars_dice (OpenSpiel's); dice are lost in knockout, classic, classic_plain, "
            "increment and published.",
        ),
        click.option(
            "--jump-challenge",
            is_flag=True,
            default=None,
            help="跳开: allow challenges of bids before the last, for more points. Needs three "
            "or more players.",
        ),
        click.option(
            "--house",
            multiple=True,
            metavar="NAME",
            callback=_none_if_empty,
            help="A house rule from 'zhaifei rules', like ones-highest or first-count=4. May be "
            "repeated.",
        ),
    )
    return with_options(options, with_rules)  # type: ignore[return-value]


def table_options(command: Command) -> Command:
    """Add options that choose the rules and the players at the table."""
    options = (
        click.option(
            "--policy",
            type=FILE,
            help="A policy file, which also sets the rules, or a player's name.  [default: of "
            "the shipped policy and those you solved for the rules, the one with the "
            "lowest recorded exploitability, or else the rule-based player "
            "'probabilistic']",
        ),
        click.option(
            "--opponent",
            "opponents",
            multiple=True,
            metavar="NAME",
            help="A name from 'zhaifei players', a policy file, or a .py file with a strategy "
            "of your own. May be repeated; opponents take the seats in turn.  [default: "
            "the policy]",
        ),
        click.option(
            "--seed",
            type=MatchSeed(),
            help="Random seed: the same seed and decisions give the same game.  [default: random]",
        ),
    )
    return with_options(options, rules_options(command))


def with_options(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    """Return the command with these options, which help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def seed_or_drawn(seed: int | None) -> int:
    """Return `seed`, or a random one if it is None."""
    return drawn_seed() if seed is None else seed


@contextmanager
def naming_the_rules(rules: Rules) -> Iterator[None]:
    """Add the name of `rules` to errors about hands, bids and locks, in case the user expects the
    policy to be for other rules. Raise ClickException instead of these errors."""
    from zhaifei.game.bids import IllegalBid
    from zhaifei.game.hands import IllegalHand
    from zhaifei.game.rules import preset
    from zhaifei.policies.players.locks import LockError

    try:
        yield
    except (IllegalHand, IllegalBid, LockError) as error:
        if rules == preset("zhaifei"):
            raise
        raise click.ClickException(
            say("{error}; the policy is for {rules}", error=explain(error), rules=rules)
        ) from error
