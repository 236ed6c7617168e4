"""How many matches of `increment` a player wins against three random callers: the Q-learner, beside
what was published of it, other players in its seat, and the exact optimum.

    python -m benchmarks.increment_learner

Published (D. Oehm 2018, *Q-learning example with Liar's Dice in R*): from 25% to about 65%, with
5,000 matches. What the words leave open is read in several ways, and all are measured. Half an hour
on one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from math import sqrt
from typing import NamedTuple, cast

import numpy as np

from benchmarks._arguments import new_parser
from game.bids import Bid
from game.elimination import Elimination, EliminationRound
from game.rules import Mode, preset
from game.views import View
from policies.catalogue.increment import increment_decider
from policies.play.elimination import play_match, play_round
from policies.players.decider import Decider, TwoStepDecider
from policies.players.increment import RandomCaller, best_supported_bid, random_bid
from policies.players.q_player import QPlayer, QValues, initial_values
from policies.players.rule_based import NAMES as RULE_BASED
from policies.players.rule_based_decider import rule_based_decider
from policies.training.q_learning import QLearner, QLearningSettings
from solver.response.callers import respond_to_callers

RULES = preset("increment")
TAUGHT = 5000
"""Matches that teach a learner, as published."""
_DEVIATIONS = 1.96


# Players that are only measured


class Threshold(TwoStepDecider):
    """Challenges what is less likely than not; raises to the face of which it holds most."""

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        return cast(float, view.probability) < 0.5

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return best_supported_bid(view)


class Supported(QPlayer):
    """Raises to the face of which it holds most."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return best_supported_bid(view)


class SupportedLearner(QLearner):
    """Raises to the face of which it holds most."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return best_supported_bid(view)


class Caller(RandomCaller):
    """One that challenges as often as is said."""

    def __init__(self, random: np.random.Generator, challenges: float) -> None:
        super().__init__(random)
        self.CHALLENGES = challenges


class Liar(RandomCaller):
    """Names only faces that it does not hold, as long as there are any."""

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        lies = [bid for bid in view.legal_bids if bid.face not in view.dice]
        return lies[self._random.integers(len(lies))] if lies else random_bid(view, self._random)


# Readings of what was published


class Reading(NamedTuple):
    """Who the callers are, and how rounds open."""

    name: str
    caller: Callable[[np.random.Generator], Decider]
    challenges: float | None
    """The probability with which they do, if they tell nothing of their dice."""
    published_opening: bool = False
    """Whether rounds open as the published players open them: with the face of which they hold
    most, and one more than they hold. Here a round opens with one die."""


READINGS = (
    Reading("challenge one bid in two", RandomCaller, 0.5),
    Reading("one of all actions: one in seven", lambda random: Caller(random, 1 / 7), 1 / 7),
    Reading("never challenge if they can raise", lambda random: Caller(random, 0.0), 0.0),
    Reading("one in two; name only faces they lack", Liar, None),
    Reading("one in two; rounds open as published", RandomCaller, None, True),
)


def play(
    reading: Reading, table: list[Decider], random: np.random.Generator, learner: QLearner | None
) -> int:
    """The winner of a match."""
    match = Elimination(RULES, random)
    told = learner.on_round if learner is not None else lambda ended: None
    if not reading.published_opening:
        return play_match(match, table, told)
    while match.winner is None:
        state = match.deal()
        state.history = (published_opening(state),)
        play_round(state, table)
        match.settle()
        told(state)
    return match.winner


def published_opening(state: EliminationRound) -> Bid:
    """Of whoever starts."""
    hand = state.hands[state.starter]
    face = max(range(1, RULES.faces + 1), key=hand.count)
    return Bid(Mode.ZHAI, hand.count(face) + 1, face)


# Measuring


class Rate(NamedTuple):
    """A share of matches, with the Wilson interval of 95%."""

    won: int
    matches: int

    @property
    def share(self) -> float:
        return self.won / self.matches

    def __str__(self) -> str:
        matches, share, z2 = self.matches, self.share, _DEVIATIONS**2
        centre = (share + z2 / (2 * matches)) / (1 + z2 / matches)
        half = _DEVIATIONS * sqrt(share * (1 - share) / matches + z2 / (4 * matches**2))
        half /= 1 + z2 / matches
        return f"{share:.2%} [{centre - half:.2%}, {centre + half:.2%}]"


Make = Callable[[np.random.Generator], Decider]


def measure(make: Make, matches: int, reading: Reading = READINGS[0]) -> Rate:
    """The player in the first seat; as first starters are drawn, all seats are alike."""
    random = np.random.default_rng(12345)
    table = [make(random), *(reading.caller(random) for _ in range(RULES.players - 1))]
    return Rate(sum(play(reading, table, random, None) == 0 for _ in range(matches)), matches)


def teach(
    seed: int,
    taught: int,
    reading: Reading = READINGS[0],
    make: type[QLearner] = QLearner,
) -> tuple[QValues, list[int]]:
    """The values learnt in `taught` matches, and the places of those won. For the first
    reading the same as `zhaifei train q --seed SEED`."""
    random, values = np.random.default_rng(seed), initial_values(RULES)
    learner = make(values, random, QLearningSettings(), seat=0)
    table: list[Decider] = [learner, *[reading.caller(random)] * (RULES.players - 1)]
    won = [place for place in range(taught) if play(reading, table, random, learner) == 0]
    return values, won


def exploring(values: QValues) -> Make:
    """Plays as it does while learning, but learns no more."""
    return lambda random: QLearner(values, random, QLearningSettings(alpha=0.0), seat=0)


def spread(shares: Iterable[float]) -> str:
    """Mean, and from least to most."""
    found = sorted(shares)
    return f"{np.mean(found):.1%} ({found[0]:.1%} to {found[-1]:.1%})"


# The tables

ENDS = (100, 500, 1000, 2000, 3000, 4000)
"""Matches after which it is told how many were won."""


def print_players(matches: int, matches_taught: int) -> None:
    """Everybody in the same seat."""
    print(f"| player | published | ours, {matches:,} matches |\n|---|---|---|")

    def row(player: str, rate: Rate, published: str = "") -> None:
        print(f"| {player} | {published} | {rate} |", flush=True)

    untaught, (taught, won) = initial_values(RULES), teach(0, matches_taught)
    last = min(1000, matches_taught)
    late = Rate(sum(place >= matches_taught - last for place in won), last)
    supported, _ = teach(0, matches_taught, make=SupportedLearner)
    row("four equal players: `random-caller`", measure(RandomCaller, matches), "25%")
    row("Q-learner before it is taught", measure(partial(QPlayer, untaught), matches), "25%")
    row(f"〃 in the last {last:,} of {matches_taught:,} matches that teach it", late, "about 65%")
    drawing = measure(exploring(taught), matches)
    row("〃 taught, still drawing one decision in ten", drawing, "about 65%")
    row("〃 taught, drawing none: `q-learner`", measure(partial(QPlayer, taught), matches))
    row("〃 raising to the face it holds most of", measure(partial(Supported, taught), matches))
    row("〃 and taught so", measure(partial(Supported, supported), matches))
    row("challenges what is under 50%", measure(lambda random: Threshold(), matches))
    for name in ("true-probability", "caller-breaker"):
        row(f"`{name}`", measure(partial(increment_decider, name, RULES), matches))
    for name in RULE_BASED:
        row(f"`{name}`", measure(partial(rule_based_decider, name), matches))
    print(f"| the optimum, exactly | | {respond_to_callers(RULES, 0.5).wins:.3%} |")


def print_seeds(seeds: int, matches: int, matches_taught: int) -> None:
    """How much the learner depends on its seed, and how it comes to play as it does."""
    runs = [teach(seed, matches_taught) for seed in range(seeds)]
    print(f"\nwon while learning: mean of {seeds} seeds (least to most)")
    for first, end in pairwise((0, *(end for end in ENDS if end < matches_taught), matches_taught)):
        shares = [sum(first <= place < end for place in won) / (end - first) for _, won in runs]
        print(f"  matches {first + 1:,} to {end:,}: {spread(shares)}")
    drawing = (measure(exploring(values), matches).share for values, _ in runs)
    print(f"taught, still drawing one decision in ten: {spread(drawing)}")
    drawing_none = (measure(partial(QPlayer, values), matches).share for values, _ in runs)
    print(f"taught, drawing none: {spread(drawing_none)}", flush=True)


def print_readings(seeds: int, matches: int, matches_taught: int) -> None:
    """What the learner reaches by each reading."""
    print(f"\nother readings, {seeds} seeds\n")
    print("| callers | under 50% | taught, still drawing | taught, drawing none | the optimum |")
    print("|---|---|---|---|---|")
    for reading in READINGS:
        taught = [teach(seed, matches_taught, reading)[0] for seed in range(seeds)]
        drawing = (measure(exploring(values), matches, reading).share for values in taught)
        none = (measure(partial(QPlayer, values), matches, reading).share for values in taught)
        threshold = measure(lambda random: Threshold(), matches, reading).share
        optimum = "not computed"
        if reading.challenges is not None:
            optimum = f"{respond_to_callers(RULES, reading.challenges).wins:.3%}"
        shares = (f"{threshold:.1%}", spread(drawing), spread(none), optimum)
        print(f"| {reading.name} | {' | '.join(shares)} |", flush=True)


def main() -> None:
    """The command."""
    parser = new_parser(__doc__)
    parser.add_argument("--matches", type=int, default=20_000, help="of each player in its seat")
    parser.add_argument("--seeds", type=int, default=10, help="with which the learner is taught")
    arguments = parser.parse_args()
    matches, seeds, taught = arguments.matches, arguments.seeds, TAUGHT
    if arguments.smallest:
        matches, seeds, taught = 4, 1, 20
    print_players(matches, taught)
    print_seeds(seeds, matches // 4, taught)
    print_readings(max(1, seeds // 3), matches // 4, taught)


if __name__ == "__main__":
    main()
