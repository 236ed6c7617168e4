"""Runs that teach the Q-learner of `increment` or `published` against random callers.

The players are those of D. Oehm 2018, *Q-learning example with Liar's Dice in R*. The variant
selects the learning rule: `published` learns like the published program
(`policies.research.published_learner`), `increment` as in `policies.research.q_learner`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zhaifei.game.match import Match
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.replacing import Plan
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.increment import RandomCaller
from zhaifei.policies.players.q_player import QValues, as_published, initial_values, save_values
from zhaifei.policies.research.learning import KIND, load_checkpoint
from zhaifei.policies.research.published_learner import PublishedLearner
from zhaifei.policies.research.q_learner import QLearner, QLearningSettings
from zhaifei.policies.training.plan import plan_of_learner
from zhaifei.policies.training.run import describing_run, goal_of, seconds_of
from zhaifei.policies.training.staging import Staging
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.state import SAFE, array_of, verify_between, verify_names
from zhaifei.solver.files.storage import save

RULES = preset("increment")
"""The default rules of a run."""
MATCHES = 5000
"""The default goal of a run."""
_MATCHES_A_STEP = 10
"""Matches in one call of `advance`: some hundredths of a second."""
_STORED = ("seed", "goal", "done", "won", "seconds")
"""The fields of a run that a checkpoint stores, besides its values and its generator."""


class LearningCounts(NamedTuple):
    """How many matches the learner has played and won."""

    matches: int
    won: int


@dataclass
class QLearningRun:
    """A Q-learner with a goal. A Run whose units are matches against random callers, with the
    learner in seat 0. First starters are drawn, so the seat makes no difference."""

    rules: Rules
    seed: int
    goal: int
    values: QValues
    """The action values learned so far; updated in place."""
    random: np.random.Generator
    """The generator from which the dice, the opponents and the learner all draw."""
    done: int = 0
    won: int = 0
    """The number of matches that the learner has won."""
    seconds: float = 0.0
    """See Run."""
    warnings = ()
    """See Run."""
    on_target = is_stalled = False
    """See Run. The run measures nothing, so it has no target."""
    staging = Staging(dict)
    """See Run. A checkpoint takes no time to write."""
    settings: QLearningSettings = field(default_factory=QLearningSettings)

    def __post_init__(self) -> None:
        # Between matches a learner remembers only its values, so a resumed run needs nothing else.
        learner = PublishedLearner if as_published(self.rules) else QLearner
        self._learner = learner(self.values, self.random, self.settings, seat=0)
        others = [RandomCaller(self.random)] * (self.rules.players - 1)
        self._table: Sequence[Decider] = [self._learner, *others]

    @property
    def plan(self) -> Plan:
        """See Run."""
        return plan_of_learner("q", self.seed, self.rules)

    @property
    def counts(self) -> LearningCounts:
        """The numbers of matches played and won."""
        return LearningCounts(self.done, self.won)

    @property
    def command(self) -> str:
        """The command that reproduces the run so far. Matches do not depend on the goal."""
        setting = " --as-published" if as_published(self.rules) else ""
        return f"zhaifei train q{setting} --matches {self.done} --seed {self.seed}"

    def advance(self) -> None:
        """See Run."""
        for _ in range(min(_MATCHES_A_STEP, self.goal - self.done)):
            match = Match(self.rules, self.random)
            self.won += play_match(match, self._table, self._learner.on_round) == 0
            self.done += 1

    def result(self) -> QValues:
        """Return a copy of the values learned so far."""
        return self.values.copy()

    def training(self, result: QValues) -> dict[str, Any]:
        """See Run."""
        return {
            "command": self.command,
            "seed": self.seed,
            **self.counts._asdict(),
            "seconds": round(self.seconds),
        }

    def save_result(self, out: Path, result: QValues) -> None:
        """See Run. Writes a file of action values."""
        save_values(out, self.rules, result, self.training(result))

    def save_checkpoint(self, path: Path) -> None:
        """See Run."""
        header: dict[str, Any] = {
            "algorithm": "q",
            "rules": self.rules.to_dict(),
            "random": self.random.bit_generator.state,
            **{name: getattr(self, name) for name in _STORED},
        }
        save(path, KIND, header, {"values": self.values})


def new_q_run(
    *, matches: int | None = None, seed: int | None = None, rules: Rules = RULES
) -> QLearningRun:
    """Return a new run. None stands for a default: MATCHES, seed 0. Raises RulesError for rules
    other than `increment` and `published`, which may be of any size."""
    seed = seed or 0
    random = np.random.default_rng(seed)
    return QLearningRun(rules, seed, matches or MATCHES, initial_values(rules), random)


def resume_q_run(path: Path, matches: int | None = None) -> QLearningRun:
    """Return the run that the checkpoint `path` holds, with the goal `matches` or, if that is None,
    with its old goal. Raises StorageError, also if it is a run of another algorithm."""
    header, arrays = load_checkpoint(path, "q")
    with describing_run(path):
        rules, done = header.rules(), header.whole("done")
        verify_names(arrays, ("values",))
        values = array_of(arrays, "values", np.float64, *initial_values(rules).shape)
        verify_between("values", values, -SAFE, SAFE)
        return QLearningRun(
            rules,
            header.whole("seed"),
            matches or goal_of(header),
            values.copy(),
            _generator(header.record("random")),
            done,
            header.whole("won", most=done),
            seconds_of(header),
        )


def _generator(header: Header) -> np.random.Generator:
    """Return the generator with the state in this header. Raise HeaderError."""
    inner, bits = header.record("state"), np.random.PCG64()
    state: Any = {
        "bit_generator": header.choice("bit_generator", ("PCG64",)),
        "state": {name: inner.whole(name, most=2**128 - 1) for name in ("state", "inc")},
        "has_uint32": header.whole("has_uint32", most=1),
        "uinteger": header.whole("uinteger", most=2**32 - 1),
    }
    bits.state = state
    return np.random.Generator(bits)
