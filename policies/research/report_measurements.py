"""All measurements behind the page that `zhaifei report` writes (RESULTS.md).

`measure` runs the arena of each variant with all its named players, bounds the exploitability of
each player of the two-player game, and takes further measurements of each shipped policy.
`app.report` formats the result.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from zhaifei.game.messages import Message
from zhaifei.game.rules import Rules, preset, preset_name
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.catalogue.names import load_player, player_names, policy_of
from zhaifei.policies.catalogue.shipped import LEARNED, shipped_policy
from zhaifei.policies.measure.arena import (
    Entrants,
    ExactValues,
    Standings,
    entrants,
    exact_values,
    final_standings,
    play_arena,
)
from zhaifei.policies.measure.comparison import Estimate
from zhaifei.policies.measure.evaluation import Evaluation
from zhaifei.policies.measure.several_players import (
    OnProgress,
    SeveralResults,
    measure_several,
    shipped_for_several,
)
from zhaifei.policies.players.player import BatchPlayer, short_name
from zhaifei.policies.research.coalition import SolvedGame, solved_game
from zhaifei.solver.bounds import Bounds

CALLER, LEARNER = "random-caller", "q-learner"
"""Players of `increment`: the player in three seats, and the learner in the fourth seat that was
trained against it."""
TABLE_MATCHES, PAIR_MATCHES = 240, 2000
"""Matches at each table of four, and of each pair: enough deals for useful margins."""
CONSPIRED = (1, 2)
"""Dice of each player in the games of three in which two conspire."""
CLOSELY = 10
"""The shipped policy plays this many times `ReportSettings.rounds` against each learned player."""


@dataclass(frozen=True)
class ReportSettings:
    """The amount of work for a report. Equal settings give equal tables, except for bounds of
    exploitability, which depend on how far the searches get in their time."""

    rounds: int
    """Approximate number of rounds at each table of the two-player game."""
    matches: int
    """Approximate number of matches of each player alone among random callers."""
    seconds: float
    """The time limit of the search for best responses to each player."""
    seed: int
    """The seed of all dice and draws."""

    @property
    def rounds_of_several(self) -> int:
        """Rounds for each penalty share of three players and more. There are fewer of them, because
        policies for several players read hands, which takes longer."""
        return self.rounds // 5


@dataclass(frozen=True)
class TwoPlayerResults:
    """Results of the two-player game."""

    players: Sequence[BatchPlayer]
    """[player] the players; the last one is the shipped policy."""
    standings: Standings
    exact: ExactValues
    closely: Mapping[int, Estimate]
    """{learned player: penalty points per round that the shipped policy earns against it}, sampled
    in CLOSELY times as many rounds."""
    exploitability: Sequence[Bounds]
    """[player] certified bounds, in penalty points per round."""

    @property
    def names(self) -> list[str]:
        """[player] the short name."""
        return [short_name(one) for one in self.players]

    @property
    def ours(self) -> int:
        """The index of the shipped policy."""
        return len(self.players) - 1


@dataclass(frozen=True)
class MatchResults:
    """Results of a variant in which dice are lost."""

    players: Entrants
    standings: Standings

    @property
    def rules(self) -> Rules:
        """The variant."""
        return self.standings.rules

    @property
    def name(self) -> str:
        """The name of the preset."""
        name = preset_name(self.rules)
        assert name is not None
        return name

    @property
    def ours(self) -> int:
        """The index of the shipped policy, the last player, if there is one."""
        return len(self.players) - 1


@dataclass(frozen=True)
class Measurements:
    """All results of a report."""

    settings: ReportSettings
    duels: TwoPlayerResults
    several: Sequence[SeveralResults]
    """By the number of players, with 跳开 last."""
    conspired: Sequence[SolvedGame]
    """Small games of three players, by the number of dice."""
    knockout_of_two: MatchResults
    """Whole matches of two players, which are solved."""
    knockout: MatchResults
    increment: MatchResults
    alone: Mapping[str, Estimate]
    """{player: the share of matches of `increment` that it wins against three random callers}."""


def measure(settings: ReportSettings, on_progress: OnProgress) -> Measurements:
    """Run all arenas and best-response searches of a report.

    It takes some minutes for each number of players, and `settings.seconds` for each player of the
    two-player game.
    """
    return Measurements(
        settings,
        _duels(settings, on_progress),
        measure_policies(settings, on_progress),
        _conspired(on_progress),
        measure_matches(preset("knockout", players=2), PAIR_MATCHES, settings.seed, on_progress),
        measure_matches(preset("knockout"), TABLE_MATCHES, settings.seed, on_progress),
        measure_matches(preset("increment"), TABLE_MATCHES, settings.seed, on_progress),
        _alone(settings, on_progress),
    )


def _duels(settings: ReportSettings, on_progress: OnProgress) -> TwoPlayerResults:
    """Measure the players of the two-player game."""
    rules = preset("zhaifei")
    shipped = shipped_policy(rules)
    assert shipped is not None
    ours = load_player(shipped, rules)
    others = [name for name in player_names(rules) if name != shipped]
    players = [*(load_player(name, rules) for name in others), ours]
    for standings in play_arena(players, rules, settings.rounds, settings.seed):
        on_progress(
            Message("rounds of {rules}", rules="zhaifei"), standings.played, standings.planned
        )
    pairs = len(players) * (len(players) - 1) // 2
    for exact in exact_values(players):
        on_progress(Message("exact values"), len(exact) // 2, pairs)
    closely = {}
    for place, one in enumerate(players):
        if str(one) in LEARNED:
            rounds = CLOSELY * settings.rounds
            for meeting in play_arena([ours, one], rules, rounds, settings.seed):
                text = Message("rounds of the shipped policy and {player}", player=str(one))
                on_progress(text, meeting.played, meeting.planned)
            closely[place] = meeting.cells[0][1]
    found = []
    for place, one in enumerate(players):
        name = short_name(one)
        on_progress(Message("exploitability of {player}", player=name), place, len(players))
        *_, best = Evaluation(policy_of(one), os.cpu_count() or 1).refine(seconds=settings.seconds)
        found.append(best.exploitability)
    return TwoPlayerResults(players, standings, exact, closely, found)


def measure_policies(settings: ReportSettings, on_progress: OnProgress) -> list[SeveralResults]:
    """Measure the shipped policies for three players or more, as many at a time as there are
    cores. Kernels run without the GIL, so that takes little more than half the time on two cores.
    """
    ended = False

    def measured(name: str) -> SeveralResults:
        policy = load_known(Path(name), None).policy
        return measure_several(name, policy, settings.rounds_of_several, settings.seed, progress)

    def progress(stage: Message, done: int, planned: int) -> None:
        if ended:
            raise CancelledError
        on_progress(stage, done, planned)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(measured, name) for name in shipped_for_several()]
        try:
            return [job.result() for job in jobs]
        finally:
            # After an exception, such as that of Ctrl-C, the other threads soon end.
            ended = True
            pool.shutdown(wait=False, cancel_futures=True)


def _conspired(on_progress: OnProgress) -> list[SolvedGame]:
    """Measure the value that two conspiring players leave to the third in small games."""
    found: list[SolvedGame] = []
    for dice in CONSPIRED:
        on_progress(Message("two against one"), len(found), len(CONSPIRED))
        found.append(solved_game(preset("zhaifei", players=3, dice=dice)))
    return found


def measure_matches(rules: Rules, matches: int, seed: int, on_progress: OnProgress) -> MatchResults:
    """Run the arena of `rules`, in which dice are lost, with about `matches` matches at each
    table."""
    name, players = preset_name(rules), entrants(player_names(rules), rules, seed)
    standings = final_standings(
        players,
        rules,
        matches,
        seed,
        lambda done, planned: on_progress(Message("matches of {rules}", rules=name), done, planned),
    )
    return MatchResults(players, standings)


def _alone(settings: ReportSettings, on_progress: OnProgress) -> dict[str, Estimate]:
    """Measure how many matches each player of `increment` wins alone among random callers."""
    rules = preset("increment")
    names = [name for name in player_names(rules) if name != CALLER]
    found = {}
    for place, name in enumerate(names):
        on_progress(
            Message("{player} alone in {rules}", player=name, rules="increment"), place, len(names)
        )
        pair = entrants([name, CALLER], rules, settings.seed)
        standings = final_standings(pair, rules, settings.matches, settings.seed)
        assert standings.alone is not None
        alone = standings.alone[0][1]
        assert alone is not None
        found[name] = alone
    return found
