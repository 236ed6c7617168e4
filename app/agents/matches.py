"""Matches that agents play move by move: a bounded number, in the memory of this process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from zhaifei.app.agents.text_game import position_json, read_action, round_text, score_line
from zhaifei.app.server.rooms.room import Goal, reached, verify_goal
from zhaifei.app.terminal.as_json import record_json, score_json
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.catalogue.names import player_names
from zhaifei.policies.catalogue.record import PolicyRecord
from zhaifei.policies.play.lineup import choose_lineup, verify_seat
from zhaifei.policies.play.played import PlayedRound
from zhaifei.policies.play.seeds import drawn_seed, verify_seed
from zhaifei.policies.play.stepping import SteppedMatch
from zhaifei.policies.play.table import sit_down
from zhaifei.policies.players.player import Player, short_name
from zhaifei.policies.review.scoring import ScoredMatch

MOST_MATCHES = 16
"""The most matches that are kept. A further one takes the place of the one that was not touched for
the longest time."""


@dataclass
class AgentMatch:
    """A match in which the agent has one seat."""

    rules: Rules
    playing: SteppedMatch | ScoredMatch
    seats: tuple[str, ...]
    """[seat] the names of the players; empty in a scored match, where the agent changes seats."""
    seed: int
    record: PolicyRecord | None = None
    """The record of the policy of a scored match."""
    told: int = field(default=0, init=False)
    """The number of rounds that have ended and were told."""

    @property
    def view(self) -> View | None:
        """The view of the agent, who decides now; None once the match is over."""
        return self.playing.view

    def act(self, text: str) -> None:
        """Take the action in the agent's answer. Raise ZhaifeiError for an illegal answer, which a
        scored match counts; nothing else changes then."""
        view = self.view
        if view is None:
            raise ZhaifeiError("the match is over")
        try:
            self.playing.act(read_action(view, text))
        except ZhaifeiError:
            if isinstance(self.playing, ScoredMatch):
                self.playing.refuse()
            raise

    def look(self) -> dict[str, Any]:
        """Return what the agent may know: the position, the rounds that have ended since the last
        look, with all dice, and at the end of the match its result."""
        view, ended = self.view, self.playing.ended
        rounds = ended[self.told :]
        self.told = len(ended)
        return {
            "over": view is None,
            "position": None if view is None else position_json(view),
            "ended": [round_text(self.rules, played) for played in rounds],
            "rounds_played": len(ended),
            **self._result(ended),
        }

    def _result(self, ended: Sequence[PlayedRound]) -> dict[str, Any]:
        """Return the score and, at the end, the seed and the standings or the scored result."""
        over = self.view is None
        if isinstance(self.playing, SteppedMatch):
            match = self.playing.match
            found: dict[str, Any] = {
                "players": list(self.seats),
                "score": list(match.score),
                "score_text": score_line(self.rules, match.score),
            }
            if over:
                ranks = {one.seat + 1: one.rank for one in match.standings()}
                found |= {"ranks_by_seat": ranks, "seed": self.seed}
            return found
        if not over:
            return {}
        assert self.record is not None, "a scored match is played against a policy"
        told = score_json(self.rules, self.playing.score(), self.seed)
        return {"result": {"policy": record_json(self.record), **told}}


class Matches:
    """The matches of one server, by their names."""

    def __init__(self) -> None:
        self._all: OrderedDict[str, AgentMatch] = OrderedDict()
        self._made = 0

    def add(self, match: AgentMatch) -> str:
        """Keep a match, and return its name."""
        self._made += 1
        name = f"match-{self._made}"
        self._all[name] = match
        while len(self._all) > MOST_MATCHES:
            self._all.popitem(last=False)
        return name

    def __getitem__(self, name: str) -> AgentMatch:
        """Return the match of this name. Raise ZhaifeiError if no match has it."""
        if name not in self._all:
            names = ", ".join(self._all) or "-"
            raise ZhaifeiError(
                "no match is called {name!r}: there are {names}", name=name, names=names
            )
        self._all.move_to_end(name)
        return self._all[name]


def new_match(
    rules: Rules, opponents: Sequence[str], seat: int, goal: Goal, seed: int | None
) -> AgentMatch:
    """Return a match of the agent in `seat`, from 1, against players of these names in turn.

    Without names the policy plays, or what stands in for it. Raise ZhaifeiError for a name, a seat,
    a goal or a seed that cannot be."""
    verify_seat(rules, seat)
    verify_goal(rules, goal)
    verify_names(rules, opponents)
    number = _verified_seed(seed)
    lineup = choose_lineup(None, rules, opponents)
    players: list[Player] = lineup.opponents(rules.players - 1)
    players.insert(seat - 1, lineup.player)  # keeps the place; the agent decides there
    match, deciders = sit_down(players, number)
    stepped = SteppedMatch(match, deciders, seat - 1, partial(reached, goal))
    names = [short_name(player) for player in players]
    names[seat - 1] = "you"
    return AgentMatch(rules, stepped, tuple(names), number)


def new_scored_match(rules: Rules, rounds: int, seed: int | None) -> AgentMatch:
    """Return a scored match of the agent against the policy known for these rules. Raise
    ZhaifeiError if there is no such policy, and for numbers that cannot be."""
    number = _verified_seed(seed)
    policy, record = load_known(None, rules)
    return AgentMatch(rules, ScoredMatch(policy, rounds, number), (), number, record)


def verify_names(rules: Rules, names: Sequence[str]) -> None:
    """Raise ZhaifeiError for a name that is not of a player for these rules: agents may not name
    files."""
    known = player_names(rules)
    for name in names:
        if name not in known:
            raise ZhaifeiError(
                "no player for these rules is called {name!r}: there are {names}",
                name=name,
                names=", ".join(known),
            )


def _verified_seed(seed: int | None) -> int:
    if seed is None:
        return drawn_seed()
    verify_seed(seed)
    return seed
