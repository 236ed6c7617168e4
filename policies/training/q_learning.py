"""Tabular Q-learning for `increment`, after D. Oehm 2018, *Q-learning example with Liar's Dice in
R*.

The learner decides whether to raise or to challenge; `policies.players.q_player` says what its
values depend on. It draws the face of a raise, as its opponents do (see
`policies.players.increment`): before it has learned anything, it is one of four equal players.

Only situations with a choice are *decisions*: opening a round is not. The outcome of a decision is
known at the next one, often rounds later, or when the match is over for the player. Then

    Q[state, action] += alpha * (reward + gamma * max Q[next state] - Q[state, action])

where the maximum is 0 after the end, and the reward is the sum over the rounds that ended in
between: -1 if the player lost a die and 1 if another did, but -10 and 10 in the round that lost or
won the match. While learning, one decision in ten is drawn uniformly. Ties are always broken
uniformly: the values of states never met are all 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from game.elimination import Elimination, EliminationRound, Outcome
from game.rules import Rules, preset
from game.views import View
from policies.play.elimination import play_match
from policies.players.decider import Decider
from policies.players.increment import RandomCaller
from policies.players.q_player import (
    CHALLENGE,
    QPlayer,
    QValues,
    initial_values,
    save_values,
    state_of,
)
from policies.training.learning import KIND, load_checkpoint
from policies.training.run import describing_run, goal_of, seconds_of
from solver.header import Header
from solver.state import SAFE, array_of, verify_between, verify_names
from solver.storage import save

RULES = preset("increment")
"""What a run teaches by default."""
MATCHES = 5000
"""The goal of a run if none is named."""
_MATCHES_A_STEP = 10
"""Some hundredths of a second."""
_STORED = ("seed", "goal", "done", "won", "seconds")
"""What a checkpoint stores of a run besides its values and its generator."""


@dataclass(frozen=True)
class QLearningSettings:
    """The settings of Q-learning."""

    alpha: float = 0.1
    """The step size: how far a value moves towards the observed return."""
    gamma: float = 0.9
    """The discount of a reward per decision."""
    explores: float = 0.1
    """The probability that a decision is drawn at random while learning."""
    round_reward: float = 1.0
    match_reward: float = 10.0


class QLearner(QPlayer):
    """Learns while it plays. `on_round` must be called after each round."""

    def __init__(
        self, values: QValues, random: np.random.Generator, settings: QLearningSettings, seat: int
    ) -> None:
        """`values` are changed in place."""
        super().__init__(values, random)
        self._settings, self._seat = settings, seat
        self._decision: tuple[int, ...] | None = None
        """The last one of the match: an index into `values`."""
        self._reward = 0.0
        """Since the last decision."""

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        state = state_of(view)
        self._learn(float(self.values[state].max()))
        explores = self._random.random() < self._settings.explores
        action = self._either() if explores else self._best(state)
        self._decision = (*state, action)
        return action == CHALLENGE

    def on_round(self, ended: EliminationRound) -> None:
        """Take note that a round has ended. After the round in which the learner loses its last die
        or wins the match, more rounds may be reported, and the next match may begin."""
        if not ended.dice[self._seat]:
            return
        loser = cast(Outcome, ended.outcome).loser
        lost = loser == self._seat
        over = ended.dice[loser] == 1 and (lost or len(ended.seats) == 2)
        size = self._settings.match_reward if over else self._settings.round_reward
        self._reward += -size if lost else size
        if over:
            self._learn(0.0)
            self._decision = None

    def _learn(self, following: float) -> None:
        """Update the value of the last decision, whose return is now known: the rewards since, and
        `following`, the value expected from here on."""
        if self._decision is not None:
            found = self._reward + self._settings.gamma * following
            self.values[self._decision] += self._settings.alpha * (
                found - self.values[self._decision]
            )
        self._reward = 0.0


class LearningCounts(NamedTuple):
    """How many matches the learner has played and won."""

    matches: int
    won: int


@dataclass
class QLearningRun:
    """A Q-learner on its way to a goal. A Run whose units are matches against random callers, with
    the learner in seat 0; first starters are drawn, so that the seat makes no difference."""

    rules: Rules
    seed: int
    goal: int
    values: QValues
    """The action values learned so far; updated in place."""
    random: np.random.Generator
    """The dice, the opponents and the learner all draw from it."""
    done: int = 0
    won: int = 0
    """Matches that the learner has won."""
    seconds: float = 0.0
    """See Run."""
    warnings = ()
    """See Run."""
    on_target = False
    """See Run. Nothing is measured on the way."""
    staging = None
    checkpoint_bytes = 0
    """See Run. It takes no time to write."""
    settings: QLearningSettings = field(default_factory=QLearningSettings)

    def __post_init__(self) -> None:
        # Between matches a learner remembers nothing but its values: a resumed run needs no more.
        self._learner = QLearner(self.values, self.random, self.settings, seat=0)
        others = [RandomCaller(self.random)] * (self.rules.players - 1)
        self._table: Sequence[Decider] = [self._learner, *others]

    @property
    def counts(self) -> LearningCounts:
        """How many matches were played, and won."""
        return LearningCounts(self.done, self.won)

    @property
    def command(self) -> str:
        """The command that reproduces the run so far: matches do not depend on the goal."""
        return f"zhaifei train q --matches {self.done} --seed {self.seed}"

    def advance(self) -> None:
        """See Run."""
        for _ in range(min(_MATCHES_A_STEP, self.goal - self.done)):
            match = Elimination(self.rules, self.random)
            self.won += play_match(match, self._table, self._learner.on_round) == 0
            self.done += 1

    def result(self) -> QValues:
        """Return a copy of the values learned so far."""
        return self.values.copy()

    def save_result(self, out: Path, result: QValues) -> None:
        """See Run. Writes a file of action values."""
        training = {
            "command": self.command, "seed": self.seed, **self.counts._asdict(),
            "seconds": round(self.seconds),
        }  # fmt: skip
        save_values(out, self.rules, result, training)

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        header: dict[str, Any] = {
            "algorithm": "q", "rules": self.rules.to_dict(),
            "random": self.random.bit_generator.state,
            **{name: getattr(self, name) for name in _STORED},
        }  # fmt: skip
        save(path, KIND, header, {"values": self.values})


def new_q_run(
    *, matches: int | None = None, seed: int | None = None, rules: Rules = RULES
) -> QLearningRun:
    """Return a new run; None stands for a default: MATCHES, seed 0. Raises RulesError for rules
    other than `increment`, of any size."""
    seed = seed or 0
    random = np.random.default_rng(seed)
    return QLearningRun(rules, seed, matches or MATCHES, initial_values(rules), random)


def resume_q_run(path: Path, matches: int | None = None) -> QLearningRun:
    """Return the run that the checkpoint `path` holds, on its way to `matches` if they are not
    None, otherwise to the goal it had. Raises StorageError, also if it is a run of another
    algorithm."""
    header, arrays = load_checkpoint(path, "q")
    with describing_run(path):
        rules, done = header.rules(), header.whole("done")
        verify_names(arrays, ("values",))
        values = array_of(arrays, "values", np.float64, *initial_values(rules).shape)
        verify_between("values", values, -SAFE, SAFE)
        return QLearningRun(
            rules, header.whole("seed"), matches or goal_of(header), values.copy(),
            _generator(header.record("random")), done, header.whole("won", most=done),
            seconds_of(header),
        )  # fmt: skip


def _generator(header: Header) -> np.random.Generator:
    """Return the generator whose state this is. Raise HeaderError."""
    inner, bits = header.record("state"), np.random.PCG64()
    state: Any = {
        "bit_generator": header.choice("bit_generator", ("PCG64",)),
        "state": {name: inner.whole(name, most=2**128 - 1) for name in ("state", "inc")},
        "has_uint32": header.whole("has_uint32", most=1),
        "uinteger": header.whole("uinteger", most=2**32 - 1),
    }
    bits.state = state
    return np.random.Generator(bits)
