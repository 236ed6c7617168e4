"""What the report is made of: everybody of each variant in the arena, and best responses to
everybody of the two-player game."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from game.messages import Message
from game.rules import preset
from policies.catalogue.names import player_names, policy_of
from policies.catalogue.shipped import LEARNED, shipped_path
from policies.measure.arena import Exact, Standings, entrants, exact_values, play_arena
from policies.measure.comparison import Estimate
from policies.measure.evaluation import Evaluation
from policies.measure.match_arena import (
    MatchStandings,
    match_entrants,
    play_matches,
)
from policies.players.decider import Decider
from policies.players.player import Player, PolicyPlayer, short_name
from policies.players.table_policy import load_policy
from solver.bounds import Bounds

CALLER, LEARNER = "random-caller", "q-learner"
"""Of `increment`: who sits in three seats, and who was taught to beat them from the fourth."""
TABLE_MATCHES = 240
"""At each table of four: enough deals for margins to mean something."""
CLOSELY = 10
"""Times as many rounds does the shipped policy play against each learned player as others do."""
OnProgress = Callable[[Message, int, int], None]
"""Is told what is being done, how much of it, and of how much."""


@dataclass(frozen=True)
class Settings:
    """How much work goes into a report. The same seed and as much work give the same tables, but
    for how far the searches for best responses get."""

    rounds: int
    """At each table of the two-player game, about."""
    matches: int
    """Of each player alone among random callers, about."""
    seconds: float
    """For the search for best responses to each player."""
    seed: int


@dataclass(frozen=True)
class Duels:
    """The two-player game."""

    players: Sequence[Player]
    """The shipped policy is the last."""
    standings: Standings
    exact: Exact
    closely: Mapping[int, Estimate]
    """What the shipped policy earns against each learned player, from more rounds."""
    exploitability: Sequence[Bounds]
    """[player] in penalty points a round."""

    @property
    def names(self) -> list[str]:
        """What each is called."""
        return [short_name(one) for one in self.players]

    @property
    def ours(self) -> int:
        """The place of the shipped policy."""
        return len(self.players) - 1


@dataclass(frozen=True)
class Matches:
    """A variant in which dice are lost."""

    rules_name: str
    players: Sequence[Decider]
    standings: MatchStandings


@dataclass(frozen=True)
class Measurements:
    """Everything."""

    settings: Settings
    duels: Duels
    knockout: Matches
    increment: Matches
    alone: Mapping[str, Estimate]
    """The share of `increment`'s matches that each wins against three random callers."""


def measure(settings: Settings, on_progress: OnProgress) -> Measurements:
    """Plays and measures everybody: some minutes, and `settings.seconds` for each player of the
    two-player game."""
    return Measurements(
        settings,
        _duels(settings, on_progress),
        _matches("knockout", settings.seed, on_progress),
        _matches("increment", settings.seed, on_progress),
        _alone(settings, on_progress),
    )


def _duels(settings: Settings, on_progress: OnProgress) -> Duels:
    rules = preset("zhaifei")
    shipped = shipped_path(rules)
    assert shipped is not None
    ours = PolicyPlayer(load_policy(shipped), shipped.stem)
    players = [*entrants(player_names(rules), rules), ours]
    for standings in play_arena(players, settings.rounds, settings.seed):
        on_progress(
            Message("rounds of {rules}", rules="zhaifei"), standings.rounds, standings.planned
        )
    pairs = len(players) * (len(players) - 1) // 2
    for exact in exact_values(players):
        on_progress(Message("exact values"), len(exact) // 2, pairs)
    closely = {}
    for place, one in enumerate(players):
        if str(one) in LEARNED:
            for meeting in play_arena([ours, one], CLOSELY * settings.rounds, settings.seed):
                text = Message("rounds of the shipped policy and {player}", player=str(one))
                on_progress(text, meeting.rounds, meeting.planned)
            closely[place] = meeting.cells[0][1]
    found = []
    for place, one in enumerate(players):
        name = short_name(one)
        on_progress(Message("exploitability of {player}", player=name), place, len(players))
        *_, best = Evaluation(policy_of(one), os.cpu_count() or 1).refine(seconds=settings.seconds)
        found.append(best.exploitability)
    return Duels(players, standings, exact, closely, found)


def _matches(name: str, seed: int, on_progress: OnProgress) -> Matches:
    rules = preset(name)
    players = match_entrants(player_names(rules), rules, seed)
    played = play_matches(
        players, rules, TABLE_MATCHES, seed,
        lambda done, planned: on_progress(Message("matches of {rules}", rules=name), done, planned),
    )  # fmt: skip
    *_, standings = played
    return Matches(name, players, standings)


def _alone(settings: Settings, on_progress: OnProgress) -> dict[str, Estimate]:
    rules = preset("increment")
    names = [name for name in player_names(rules) if name != CALLER]
    found = {}
    for place, name in enumerate(names):
        on_progress(
            Message("{player} alone in {rules}", player=name, rules="increment"), place, len(names)
        )
        pair = match_entrants([name, CALLER], rules, settings.seed)
        *_, standings = play_matches(pair, rules, settings.matches, settings.seed)
        assert standings.alone is not None
        alone = standings.alone[0][1]
        assert alone is not None
        found[name] = alone
    return found
