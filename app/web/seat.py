"""Model a visitor at the table: the choices, the match in progress and its reviews, without a
page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from random import uniform
from typing import Any, ClassVar

from zhaifei.app.web import thinking
from zhaifei.app.web.chosen_rules import ChosenRules
from zhaifei.app.web.games import OWN_RULES
from zhaifei.app.web.playing import Playing
from zhaifei.app.web.reviewed import Decision, decisions_of, judged
from zhaifei.app.web.settings import GAMES, Settings, game_of
from zhaifei.app.web.workers import Busy, Failed, Workers
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.play.seeds import drawn_seed
from zhaifei.policies.review.decisions import ReviewedDecision

PACES = {"human": 1.0, "fast": 0.25, "at once": 0.0}
"""Seconds that an opponent takes to decide, on average."""


@dataclass
class Choices(ChosenRules):
    """The choices for the next match."""

    games: ClassVar[tuple[str, ...]] = (*GAMES, OWN_RULES)
    practice: bool = False
    pace: str = "human"

    def follow(self, rules: Rules) -> None:
        """Choose these rules."""
        self.game, self.players = game_of(rules), rules.players
        self.jump_challenge = rules.stakes.jump_challenge


@dataclass
class Seat:
    """A person's place at the table. It lives as long as the visitor's session, whatever pages are
    open. Everything runs in the event loop."""

    settings: Settings
    workers: Workers
    choices: Choices = field(default_factory=Choices)
    playing: Playing | None = None
    warning: ZhaifeiError | None = None
    """The error that keeps the match from being recorded."""
    stand_in: str | None = None
    """The policy that stands in if no policy is known for these rules. Where rounds are for points,
    it gives the hints."""
    decisions: list[Decision] = field(default_factory=list)
    """The decisions of the last round that ended, as they are reviewed."""
    listeners: list[Callable[[], object]] = field(default_factory=list)
    """Called after each change."""
    dealt_anew: bool = False
    """Whether the server was restarted during the round, so that its dice were rolled again."""
    records: list[str] = field(default_factory=list)
    """The names of the records of this visitor's matches."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _starting: bool = False

    def __post_init__(self) -> None:
        if self.settings.rules is not None:
            self.choices.follow(self.settings.rules)

    def chosen_rules(self) -> Rules:
        """Return the rules of the chosen match. Raise ZhaifeiError if they are invalid."""
        choices = self.choices
        return self.settings.rules_for(
            choices.game,
            choices.players,
            choices.answers,
            jump_challenge=bool(choices.jump_challenge),
        )

    async def start(self, seed: int | None = None) -> None:
        """Begin the chosen match in place of the one in progress. Raise ZhaifeiError if it cannot
        begin."""
        choices, rules = self.choices, self.chosen_rules()
        if self._starting:
            raise ZhaifeiError("a match is about to begin")
        self._starting = True
        try:
            policy = self.settings.policy_for(rules)
            called = await self.workers.run(thinking.describe, policy, rules)
        finally:
            self._starting = False
        seed = drawn_seed() if seed is None else seed
        self.close()
        playing = Playing(rules, seed, called.player, practice=bool(choices.practice))
        playing.listeners = self.listeners
        self.playing, self.decisions, self.warning = playing, [], None
        self.stand_in = None if called.is_known else called.policy
        if not playing.practice:
            self._record(playing, called.policy)
        self.next_round()

    def close(self) -> None:
        """End the match in progress."""
        if self.playing is not None:
            self.playing.close()

    def leave(self) -> None:
        """End the match in progress, and show the choices for the next."""
        self.close()
        self.playing, self.decisions = None, []
        self.changed()

    def next_round(self) -> None:
        """Roll the dice. Raise ZhaifeiError during a round."""
        if self.playing is not None:
            self.decisions, self.dealt_anew = [], False
            self.playing.next_round()
            self.go_on()

    def go_on(self) -> None:
        """Let the others decide if it is their turn, and review the round if it has ended."""
        if self.playing is not None:
            self._spawn(self._others(self.playing))

    @property
    def has_hints(self) -> bool:
        """Whether a policy gives hints in the match in progress and reviews its decisions."""
        playing = self.playing
        return playing is not None and not (playing.rules.loses_dice and self.stand_in is not None)

    async def judge(self, decision: Decision, action: int) -> ReviewedDecision:
        """Return the review of an action in the match in progress."""
        assert self.playing is not None
        policy = self.settings.policy_for(self.playing.rules)
        return await judged(self.workers, policy, self.playing.rules, decision, action)

    def changed(self) -> None:
        """Notify all pages."""
        for listen in [*self.listeners]:
            listen()

    def _record(self, playing: Playing, policy: str) -> None:
        try:
            playing.record(policy)
        except ZhaifeiError as error:
            self.warning = error
        else:
            assert playing.recorder is not None
            self.records.append(playing.recorder.path.name)

    async def _others(self, playing: Playing) -> None:
        policy = self.settings.policy_for(playing.rules)

        async def ask(view: View, seed: int) -> int:
            try:
                return await self.workers.run(thinking.decide, policy, view, seed)
            except Busy:
                raise
            except ZhaifeiError as error:  # its text may give away the opponent's dice
                raise Failed("an opponent could not decide; try again") from error

        await playing.let_others_decide(ask, self._pause)
        is_new = playing is self.playing and playing.opened is not None and not self.decisions
        if is_new and self.has_hints:
            await self._review(playing)

    async def _pause(self) -> None:
        seconds = PACES[self.choices.pace]
        if seconds > 0.0:
            await asyncio.sleep(seconds * uniform(0.6, 1.4))

    async def _review(self, playing: Playing) -> None:
        """Review the round that has just ended, decision by decision."""
        number = len(playing.rounds)
        found = decisions_of(playing.rules, playing.rounds[-1], playing.you, number)
        self.decisions = found
        self.changed()
        for one in found:
            if self.decisions is not found:
                return
            try:
                await one.review(self.judge)
            except ZhaifeiError:
                return  # a failed review is left out
            self.changed()

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
