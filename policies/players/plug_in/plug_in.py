"""Users' strategy files, each with one class that runs in its own process.

A decision is lost if the class raises, returns an invalid or illegal answer, or takes too long. The
rules define the consequence, and the reason is recorded for the user
(`app.terminal.printed.plug_ins`); other players are not affected. This is not a sandbox: the file
may do everything that the user may do.

All questions are sent at once, and the answers are read one by one, each within its time limit. If
a process does not answer, or writes anything else, it is ended, and a new process gets the
remaining questions.

A file may remember everything that its process has seen. So a file that holds several seats has a
process for each seat (`policies.players.plug_in.memory`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from zhaifei.game.bids import Bid, IllegalBid, action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.legal import verify_bid_with
from zhaifei.game.notation import format_action
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.players.decider import TwoStepDecider
from zhaifei.policies.players.plug_in.answers import (
    MIXING,
    Decision,
    Fault,
    ProcessFault,
    Shares,
    read_classes,
    read_decision,
    read_shares,
)
from zhaifei.policies.players.plug_in.process import PlugInProcess
from zhaifei.policies.players.plug_in.worker import METHODS, write_view
from zhaifei.solver.tables.queries import SUM_TOLERANCE

DECISION_SECONDS = 5.0
"""The time limit for a decision, in wall-clock seconds: generous, since a busy machine is slow."""
LOADING_SECONDS = 30.0
"""The time limit for loading, in wall-clock seconds: the file may import and compile."""
RESTARTS = 5
"""The most restarts of a process. Afterwards every decision is lost at once, so that the table does
not wait for each decision."""
MOST_REASONS = 20
"""The most reasons for losses that are counted separately, since a file could raise a new error
each time."""


class PlugInError(ZhaifeiError):
    """Raised for a strategy file that cannot be used."""


class Question(NamedTuple):
    """A decision to take."""

    view: View
    calls: Sequence[str]
    """The METHODS to call, in order, until one decides."""
    seed: int
    """The 32-bit seed of the random numbers for this decision."""


AnyAnswer = TypeVar("AnyAnswer")
Answer = Decision | None
"""A bool (whether to challenge), a legal bid, or None if the decision is lost."""


@dataclass
class Loss:
    """Decisions that were lost for one reason."""

    fault: Fault
    """The reason of the first lost decision."""
    view: View
    """The view of the first lost decision."""
    count: int = 0


@dataclass
class _Account:
    """Counts the decisions of a file in all its processes, and the lost ones."""

    decisions: int = 0
    losses: dict[tuple[object, ...], Loss] = field(default_factory=dict)
    """{reason: the decisions that were lost for this reason}."""

    def lose(self, question: Question, fault: Fault) -> None:
        """Count a lost decision by its reason."""
        names = ("call", "type", "line", "code", "signal")
        reason = (fault.text, *(fault.values.get(name) for name in names))
        if reason not in self.losses and len(self.losses) >= MOST_REASONS:
            fault = Fault("other reasons")
            reason = (fault.text,)
        self.losses.setdefault(reason, Loss(fault, question.view)).count += 1


class PlugIn(TwoStepDecider):
    """The strategy in a file. Raise PlugInError if the file has no strategy or cannot be loaded."""

    def __init__(
        self,
        path: Path,
        rules: Rules,
        seeds: int | np.random.Generator = 0,
        limit: float = DECISION_SECONDS,
    ) -> None:
        """Start the process. `seeds` is the generator, or its seed, that seeds decisions which are
        taken one by one; `limit` is the time for each decision in seconds."""
        self.path, self.rules = path, rules
        self._place = path.resolve()  # once: the file may replace itself or its directory
        self._limit, self._seeds = limit, np.random.default_rng(seeds)
        self._account = _Account()
        self._copies: list[PlugIn] = []
        self._was_asked = False
        self._restarts = 0
        self._given_up: Fault | None = None
        self._process = self._start()

    def __str__(self) -> str:
        return str(self.path)

    @property
    def decisions(self) -> int:
        """The number of decisions so far, lost ones and those of copies included."""
        return self._account.decisions

    @property
    def losses(self) -> list[Loss]:
        """The lost decisions by reason, the most frequent first, those of copies included."""
        return sorted(self._account.losses.values(), key=lambda loss: -loss.count)

    def copy(self, number: int) -> PlugIn:
        """Return the copy with this number, 0 or more; 0 is the strategy itself. Each copy has its
        own process and seeds, and is started when it is first requested. Raise PlugInError."""
        while len(self._copies) < number:
            copy = PlugIn(self._place, self.rules, self._seeds.spawn(1)[0], self._limit)
            copy.path, copy._account = self.path, self._account
            self._copies.append(copy)
        return self._copies[number - 1] if number else self

    def forget(self) -> None:
        """Replace the process, and those of the copies, by new ones that have seen nothing. Raise
        PlugInError."""
        for copy in self._copies:
            copy.forget()
        if self._was_asked and self._given_up is None:
            self._process.end()
            self._process, self._was_asked = self._start(), False

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods. If the decision is lost, return False where the rules allow
        challenges out of turn, and True elsewhere."""
        answer = self.ask([Question(view, METHODS[:1], self._seed())])[0]
        return not view.rules.stakes.out_of_turn if answer is None else answer is True

    def make_bid(self, view: View) -> Bid | None:
        """See StrategyMethods. Return None if the decision is lost."""
        answer = self.ask([Question(view, METHODS[1:], self._seed())])[0]
        return answer if isinstance(answer, Bid) else None

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Return one answer for each question."""
        return self._ask_all(questions, self._receive)

    def ask_shares(self, questions: Sequence[Question]) -> list[Shares | None]:
        """Return for each question the probability of each action by MIXING, or None where the
        answer is lost. Shares are of legal actions and sum to 1, but an empty mapping stands for a
        class without this method."""
        return self._ask_all(questions, self._receive_shares)

    def _ask_all(
        self, questions: Sequence[Question], receive: Callable[[Question], AnyAnswer]
    ) -> list[AnyAnswer | None]:
        """Return one answer for each question, each as `receive` reads it."""
        answers: list[AnyAnswer | None] = []
        while len(answers) < len(questions):
            left = questions[len(answers) :]
            if self._given_up is None:
                answers.extend(self._ask(left, receive))
            else:
                answers.extend(map(self._refuse, left))
        return answers

    def close(self) -> None:
        """End the process and those of the copies. They also end with the program."""
        self._process.end()
        for copy in self._copies:
            copy.close()

    def _seed(self) -> int:
        return int(self._seeds.integers(2**32))

    def _start(self) -> PlugInProcess:
        """Start a process and load the file in it. Raise PlugInError."""
        try:
            process = PlugInProcess(self._place, self.rules)
        except Fault as fault:
            raise _not_loaded(self.path, fault) from fault
        try:
            number, line = process.receive(LOADING_SECONDS)
            _verify_classes(self.path, read_classes(line, number))
        except Fault as fault:
            process.end()
            raise _not_loaded(self.path, fault) from fault
        except PlugInError:
            process.end()
            raise
        return process

    def _restart(self) -> None:
        self._process.end()
        if self._restarts == RESTARTS:
            self._given_up = Fault(
                "no longer asked, after {times} processes were lost", times=RESTARTS + 1
            )
            return
        self._restarts += 1
        try:
            self._process = self._start()
        except PlugInError as error:
            self._given_up = Fault("no longer asked: {error}", error=error)

    def _ask(
        self, questions: Sequence[Question], receive: Callable[[Question], AnyAnswer]
    ) -> Iterator[AnyAnswer | None]:
        """Yield the answers, up to the first question for which the process is lost."""
        self._was_asked = True
        self._process.send(
            {
                "seen": write_view(question.view),
                "calls": question.calls,
                "seed": question.seed,
            }
            for question in questions
        )
        for question in questions:
            self._account.decisions += 1
            try:
                answer = receive(question)
            except ProcessFault as fault:
                self._account.lose(question, fault)
                self._restart()
                yield None
                return
            except Fault as fault:
                self._account.lose(question, fault)
                yield None
            else:
                yield answer

    def _receive(self, question: Question) -> Decision:
        """Return the next answer. Raise Fault if it is not a legal decision."""
        number, line = self._process.receive(self._limit)
        may_give_up = question.view.can_give_up
        decision = read_decision(line, number, question.calls, may_give_up=may_give_up)
        if isinstance(decision, Bid):
            view = question.view
            try:
                verify_bid_with(view.rules, decision, view.state, sum(view.dice_counts))
            except IllegalBid as error:
                raise Fault("illegal bid: {error}", error=error) from error
        return decision

    def _receive_shares(self, question: Question) -> Shares:
        """Return the next answer. Raise Fault if it is not a distribution over legal actions."""
        number, line = self._process.receive(self._limit)
        shares = read_shares(line, number)
        if shares is None:
            return {}
        view = question.view
        legal = {action_of(view.rules, bid) for bid in view.legal_bids}
        if view.can_challenge:
            legal.add(challenge_action(view.rules))
        if unknown := [action for action, share in shares.items() if share and action not in legal]:
            action = format_action(view.rules, unknown[0])
            raise Fault("{call} includes {action}, which is illegal", call=MIXING, action=action)
        total = sum(shares.values())
        if min(shares.values(), default=0.0) < 0.0 or abs(total - 1.0) > SUM_TOLERANCE:
            raise Fault("{call} is negative or adds up to {total:g}", call=MIXING, total=total)
        return shares

    def _refuse(self, question: Question) -> None:
        assert self._given_up is not None
        self._account.decisions += 1
        self._account.lose(question, self._given_up)


def _not_loaded(path: Path, reason: Fault) -> PlugInError:
    return PlugInError("{path} cannot be loaded: {reason}", path=path, reason=reason)


def _verify_classes(path: Path, classes: Sequence[str]) -> None:
    """Raise PlugInError unless the worker found exactly one class, which it has instantiated."""
    methods = ", ".join(METHODS)
    if not classes:
        raise PlugInError(
            "{path} defines no class with the methods {methods}", path=path, methods=methods
        )
    if len(classes) > 1:
        raise PlugInError(
            "{path} defines several classes with the methods {methods}: {classes}; leave one",
            path=path,
            methods=methods,
            classes=", ".join(classes),
        )
