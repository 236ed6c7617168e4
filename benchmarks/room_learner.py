"""How long a player who learns takes in a room of the page whose server has just started again.

    python -m benchmarks.room_learner

A match of some rounds is played among the policy and rule-based players. Then a learner is made
that has not seen it. It is asked for its first decision in the next round, with all rounds so far,
as a room asks after a restart, and then for its decisions in further rounds. Times are processor
seconds: to load the policy and what the learner knows of programs, of the first decision, and of a
later one with what it learns from the round before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks._arguments import new_parser
from zhaifei.game.bids import legal_bids
from zhaifei.game.hands import hands
from zhaifei.game.match import Match
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View, view_of
from zhaifei.policies.catalogue.learners import learner_for
from zhaifei.policies.catalogue.names import LEARN, player_named
from zhaifei.policies.learning.player import LearningPlayer
from zhaifei.policies.play.playing import play_round
from zhaifei.policies.play.sat_through import Played, SatThrough
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.rule_based import RULES

LATER = 10
"""Rounds after the first decision."""
SEED = 1


class Times(NamedTuple):
    """Processor seconds."""

    loading: float
    first: float
    later: float
    """The mean of later decisions, with what was learned between them."""


def seats_of(rules: Rules) -> list[Decider]:
    """Return who plays the match: the policy in every other seat, and rule-based players."""
    policy = learner_for(rules).removesuffix(LEARN)
    rule = [*RULES]
    names = [rule[seat % len(rule)] if seat % 2 else policy for seat in range(rules.players)]
    random = np.random.default_rng(SEED)
    return [player_named(name, rules).sit(random) for name in names]


def _note(actions: list[int], _: View, action: int) -> None:
    actions.append(action)


def rounds_of(rules: Rules, number: int) -> list[Played]:
    """Return a match of this number of rounds."""
    seats, match = seats_of(rules), Match(rules, np.random.default_rng(SEED))
    found: list[Played] = []
    for _ in range(number):
        round_ = match.deal()
        actions: list[int] = []
        play_round(round_, seats, partial(_note, actions))
        match.settle()
        found.append(Played(round_.starter, round_.hands, tuple(actions)))
    return found


def measured(rules: Rules, number: int) -> Times:
    """Return the times after a match of this `number` of rounds."""
    rounds = rounds_of(rules, number + LATER)
    hand, bids = hands(rules)[len(hands(rules)) // 2], legal_bids(rules, None)[:1]
    view = view_of(rules, 0, hand, rules.players - 1, bids)
    began = time.process_time()
    player = player_named(learner_for(rules), rules)
    assert isinstance(player, LearningPlayer), "the name ends with +learn"
    _ = player.familiar
    loaded = time.process_time()
    learner = SatThrough(player, 0, SEED)
    learner.decide(rounds[:number], view)
    decided = time.process_time()
    for seen in range(number + 1, number + LATER + 1):
        learner.decide(rounds[:seen], view)
    later = (time.process_time() - decided) / LATER
    return Times(loaded - began, decided - loaded, later)


def table_of(players: Sequence[int], rounds: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| players | loading, s | first decision, s | later decision, s |"
    yield "| --- | ---: | ---: | ---: |"
    for number in players:
        times = measured(preset("zhaifei", players=number), rounds)
        yield f"| {number} | {times.loading:.1f} | {times.first:.1f} | {times.later:.3f} |"


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="of the match so far")
    arguments = parser.parse_args()
    players, rounds = ([5], 2) if arguments.smallest else ([2, 3, 5, 8], arguments.rounds)
    print(f"$ python -m {__spec__.name} --rounds {rounds}\n")
    for line in table_of(players, rounds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
