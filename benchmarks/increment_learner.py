"""Share of matches that the Q-learner and others win against three random callers.

    python -m benchmarks.increment_learner

D. Oehm (2018, *Q-learning example with Liar's Dice in R*) reports that his learner wins 65.76% of
5,000 matches of training, and 65 of 100 afterwards. First a learner is trained as in his program,
in `published`. Then the learner of `increment` is compared with other players in its seat and with
the exact optimum. Last come learners that always bluff, against other callers, as the description
alone may be read. Takes three quarters of an hour on one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from math import sqrt
from typing import NamedTuple, cast

import numpy as np

from benchmarks._arguments import new_parser
from zhaifei.game.bids import Bid
from zhaifei.game.match import Match
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import SeatBid, View
from zhaifei.policies.catalogue.increment import increment_decider
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.players.decider import Decider, TwoStepDecider
from zhaifei.policies.players.increment import RandomCaller, best_supported_bid, random_bid
from zhaifei.policies.players.q_player import (
    PublishedPlayer,
    QPlayer,
    QValues,
    initial_values,
)
from zhaifei.policies.players.rule_based import NAMES as RULE_BASED
from zhaifei.policies.players.rule_based_decider import rule_based_decider
from zhaifei.policies.research.published_learner import PublishedLearner
from zhaifei.policies.research.q_learner import QLearner, QLearningSettings
from zhaifei.solver.response.against_callers import respond_to_callers

RULES, PUBLISHED = preset("increment"), preset("published")
TAUGHT = 5000
"""Matches of training, as published."""
_DEVIATIONS = 1.96
"""Half the width of a 95% confidence interval, in standard deviations."""


# Players that are only measured


class Threshold(TwoStepDecider):
    """Challenges bids that are less than 50% likely; raises on the face that most of its dice
    show."""

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        return cast(float, view.probability) < 0.5

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return best_supported_bid(view)


class Supported(QPlayer):
    """A trained Q-learner that raises on the face that most of its dice show."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return best_supported_bid(view)


class SupportedLearner(QLearner):
    """A Q-learner in training that raises on the face that most of its dice show."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return best_supported_bid(view)


class Bluffer(QPlayer):
    """A trained Q-learner that always bluffs."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return random_bid(view, self._random)


class BluffingLearner(QLearner):
    """A Q-learner in training that always bluffs."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return random_bid(view, self._random)


class BluffingPublishedLearner(PublishedLearner):
    """The published learner, but it always bluffs."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return random_bid(view, self._random)


class FreshLearner(PublishedLearner):
    """The published learner, but its own count is always of the bid that it must answer."""

    def face_counted(self, bids: Sequence[SeatBid], seat: int) -> int:
        """See PublishedPlayer."""
        return bids[-1].bid.face


class Caller(RandomCaller):
    """A random caller that challenges with the probability `challenges`."""

    def __init__(self, random: np.random.Generator, challenges: float) -> None:
        super().__init__(random)
        self.CHALLENGES = challenges


class Liar(RandomCaller):
    """A random caller that bids only faces it does not hold, if any of them is legal."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        lies = [bid for bid in view.legal_bids if bid.face not in view.dice]
        return lies[self._random.integers(len(lies))] if lies else random_bid(view, self._random)


# Readings of what was published


class Reading(NamedTuple):
    """A reading of the published opponents."""

    name: str
    caller: Callable[[np.random.Generator], Decider]
    challenges: float | None
    """The probability that the callers challenge; None if their bids depend on their dice."""


READINGS = (
    Reading("challenge one bid in two", RandomCaller, 0.5),
    Reading("one of all actions: one in seven", lambda random: Caller(random, 1 / 7), 1 / 7),
    Reading("never challenge if they can raise", lambda random: Caller(random, 0.0), 0.0),
    Reading("one in two; name only faces they lack", Liar, None),
)


Learner = QLearner | PublishedLearner


def play(
    rules: Rules, table: list[Decider], random: np.random.Generator, learner: Learner | None
) -> int:
    """Play a match and return the winner's seat; `learner`, if any, learns from each round."""
    on_round = None if learner is None else learner.on_round
    return play_match(Match(rules, random), table, on_round)


# Measuring


class Rate(NamedTuple):
    """A share of matches won; prints itself with the 95% Wilson confidence interval."""

    won: int
    matches: int

    @property
    def share(self) -> float:
        """The share of matches won."""
        return self.won / self.matches

    def __str__(self) -> str:
        matches, share, z2 = self.matches, self.share, _DEVIATIONS**2
        centre = (share + z2 / (2 * matches)) / (1 + z2 / matches)
        half = _DEVIATIONS * sqrt(share * (1 - share) / matches + z2 / (4 * matches**2))
        half /= 1 + z2 / matches
        return f"{share:.2%} [{centre - half:.2%}, {centre + half:.2%}]"


Make = Callable[[np.random.Generator], Decider]


def measure(make: Make, matches: int, reading: Reading = READINGS[0], rules: Rules = RULES) -> Rate:
    """Measure a player in seat 0. The first starter is drawn at random, so all seats are
    equivalent."""
    random = np.random.default_rng(12345)
    table = [make(random), *(reading.caller(random) for _ in range(rules.players - 1))]
    return Rate(sum(play(rules, table, random, None) == 0 for _ in range(matches)), matches)


def teach(
    seed: int,
    taught: int,
    reading: Reading = READINGS[0],
    make: type[Learner] = QLearner,
    rules: Rules = RULES,
) -> tuple[QValues, list[int]]:
    """Train a learner in `taught` matches. Return its values and the indices of the matches that it
    won. The first reading gives the values of `zhaifei train q --seed SEED` and, with
    PublishedLearner and its rules, those of `--as-published`."""
    random, values = np.random.default_rng(seed), initial_values(rules)
    learner = make(values, random, QLearningSettings(), seat=0)
    table: list[Decider] = [learner, *[reading.caller(random)] * (rules.players - 1)]
    won = [place for place in range(taught) if play(rules, table, random, learner) == 0]
    return values, won


def exploring(values: QValues, make: type[Learner] = QLearner) -> Make:
    """Return a player that explores as in training, but does not learn."""
    return lambda random: make(values, random, QLearningSettings(alpha=0.0), seat=0)


def spread(shares: Iterable[float]) -> str:
    """Format the mean, minimum and maximum."""
    found = sorted(shares)
    return f"{np.mean(found):.1%} ({found[0]:.1%} to {found[-1]:.1%})"


# The tables

ENDS = (100, 500, 1000, 2000, 3000, 4000)
"""Ends of the intervals of training for which the share of wins is printed."""


def print_published(seeds: int, matches: int, matches_taught: int) -> None:
    """Print the table of learners that are trained in `published`."""
    print(f"| in `published`, {seeds} seeds | while learning | trained, exploring |")
    print("|---|---|---|\n| published | 65.76% | 65 of 100 |")
    callers = READINGS[0]
    values: list[QValues] = []
    for name, make in (
        ("as published", PublishedLearner),
        ("〃 with an own count that is always fresh", FreshLearner),
        ("〃 always bluffs", BluffingPublishedLearner),
    ):
        runs = [teach(seed, matches_taught, callers, make, PUBLISHED) for seed in range(seeds)]
        learning = spread(len(won) / matches_taught for _, won in runs)
        after = (measure(exploring(one, make), matches, callers, PUBLISHED) for one, _ in runs)
        print(f"| {name} | {learning} | {spread(rate.share for rate in after)} |", flush=True)
        values = values or [one for one, _ in runs]
    still = (measure(partial(PublishedPlayer, one), matches, callers, PUBLISHED) for one in values)
    print(f"as published, not exploring: {spread(rate.share for rate in still)}\n", flush=True)


def print_players(matches: int, matches_taught: int) -> None:
    """Print the table of all players in the same seat."""
    print(f"| in `increment` | {matches:,} matches |\n|---|---|")

    def row(player: str, rate: Rate) -> None:
        print(f"| {player} | {rate} |", flush=True)

    untaught, (taught, won) = initial_values(RULES), teach(0, matches_taught)
    last = min(1000, matches_taught)
    late = Rate(sum(place >= matches_taught - last for place in won), last)
    supported, _ = teach(0, matches_taught, make=SupportedLearner)
    row("four equal players: `random-caller`", measure(RandomCaller, matches))
    row("Q-learner before training", measure(partial(QPlayer, untaught), matches))
    row(f"〃 in the last {last:,} of {matches_taught:,} matches of training", late)
    drawing = measure(exploring(taught), matches)
    row("〃 trained, still exploring in one decision of ten", drawing)
    row("〃 trained, not exploring: `q-learner`", measure(partial(QPlayer, taught), matches))
    row(
        "〃 but raising on the face that it holds most of",
        measure(partial(Supported, taught), matches),
    )
    row("〃 and trained so", measure(partial(Supported, supported), matches))
    bluffing, _ = teach(0, matches_taught, make=BluffingLearner)
    drawing = measure(exploring(bluffing, BluffingLearner), matches)
    row("〃 but always bluffs, trained so, exploring", drawing)
    row("〃 but always bluffs, trained so", measure(partial(Bluffer, bluffing), matches))
    row(
        "challenges bids that are less than 50% likely",
        measure(lambda random: Threshold(), matches),
    )
    for name in ("true-probability", "caller-breaker"):
        row(f"`{name}`", measure(partial(increment_decider, name, RULES), matches))
    for name in RULE_BASED:
        row(f"`{name}`", measure(partial(rule_based_decider, name), matches))
    print(f"| the optimum, exactly | {respond_to_callers(RULES, 0.5).wins:.3%} |")


def print_seeds(seeds: int, matches: int, matches_taught: int) -> None:
    """Print how the learner depends on its seed, and how it improves during training."""
    runs = [teach(seed, matches_taught) for seed in range(seeds)]
    print(f"\nshare of wins in training: mean of {seeds} seeds (minimum to maximum)")
    for first, end in pairwise((0, *(end for end in ENDS if end < matches_taught), matches_taught)):
        shares = [sum(first <= place < end for place in won) / (end - first) for _, won in runs]
        print(f"  matches {first + 1:,} to {end:,}: {spread(shares)}")
    drawing = (measure(exploring(values), matches).share for values, _ in runs)
    print(f"trained, still exploring in one decision of ten: {spread(drawing)}")
    drawing_none = (measure(partial(QPlayer, values), matches).share for values, _ in runs)
    print(f"trained, not exploring: {spread(drawing_none)}", flush=True)


def print_readings(seeds: int, matches: int, matches_taught: int) -> None:
    """Print the results of a learner that always bluffs, in each reading."""
    print(f"\nother readings, {seeds} seeds, the learner always bluffs\n")
    print("| callers | under 50% | trained, exploring | trained, not exploring | the optimum |")
    print("|---|---|---|---|---|")
    for reading in READINGS:
        taught = [teach(seed, matches_taught, reading, BluffingLearner)[0] for seed in range(seeds)]
        explorers = (exploring(values, BluffingLearner) for values in taught)
        drawing = (measure(explorer, matches, reading).share for explorer in explorers)
        none = (measure(partial(Bluffer, values), matches, reading).share for values in taught)
        threshold = measure(lambda random: Threshold(), matches, reading).share
        optimum = "not computed"
        if reading.challenges is not None:
            optimum = f"{respond_to_callers(RULES, reading.challenges).wins:.3%}"
        shares = (f"{threshold:.1%}", spread(drawing), spread(none), optimum)
        print(f"| {reading.name} | {' | '.join(shares)} |", flush=True)


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument(
        "--matches", type=int, default=20_000, help="matches of each player in the seat"
    )
    parser.add_argument("--seeds", type=int, default=10, help="number of training runs")
    arguments = parser.parse_args()
    matches, seeds, taught = arguments.matches, arguments.seeds, TAUGHT
    if arguments.smallest:
        matches, seeds, taught = 10, 1, 20
    print_published(2 * seeds, matches // 10, taught)
    print_players(matches, taught)
    print_seeds(seeds, matches // 4, taught)
    print_readings(max(1, seeds // 3), matches // 4, taught)


if __name__ == "__main__":
    main()
