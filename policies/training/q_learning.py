"""A tabular Q-learner for `increment`, after D. Oehm 2018, *Q-learning example with Liar's Dice in
R*.

It learns one thing: whether to raise or to challenge. What it goes by is how many dice are on the
table, how many are its own, and how likely the current bid is true, given its own dice and nothing
else, in 20 buckets. The face that it raises to it draws, as its teachers do, see
`policies.players.increment`: so before it has learnt anything it is one of four equal players.

A *decision* is one with a choice: opening a round is none. What becomes of it is known at the next
decision, often rounds later, or when the match is over for the player: then

    Q[state, action] += alpha * (reward + gamma * max Q[next state] - Q[state, action])

where the last term but one is 0 after the end, and the reward is the sum over rounds that ended in
between: -1 if the player lost a die and 1 if another did, but -10 and 10 in the round that lost or
won the match. While it learns, it explores: one decision in ten is drawn, and so is one between
actions of the same value, learning or not: those of states never met are all 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid
from game.elimination import Elimination, EliminationRound, Outcome
from game.errors import ZhaifeiError
from game.rules import Raising, Rules, RulesError, preset
from policies.play.elimination import play_match
from policies.players.increment import RandomCaller, any_bid
from policies.players.moves import Seen, Strategy
from solver.storage import StorageError, load_arrays, load_header, save, verify_writable

RULES = preset("increment")
"""What `train` teaches."""
BUCKETS = 20
RAISE, CHALLENGE = 0, 1

Values = NDArray[np.float64]
"""[dice on the table, own dice, bucket, action] what is expected of an action, in rewards."""
State = tuple[int, int, int]
"""The dice on the table, the own dice, the bucket."""


@dataclass(frozen=True)
class Settings:
    """How it learns."""

    alpha: float = 0.1
    """How far a value moves towards what was found."""
    gamma: float = 0.9
    """What a reward counts one decision later."""
    explores: float = 0.1
    """The share of decisions that are drawn while learning."""
    round_reward: float = 1.0
    match_reward: float = 10.0


def no_values(rules: Rules) -> Values:
    """Of who has not learnt anything. Raises RulesError for rules other than `increment`, of any
    size."""
    if rules.raising is not Raising.ONE_MORE or not rules.loses_dice:
        raise RulesError("a Q-learner plays only `increment`, of any size")
    return np.zeros((rules.total_dice + 1, rules.dice + 1, BUCKETS, 2))


def state_of(seen: Seen) -> State:
    """What the values go by. There is a current bid."""
    bucket = min(int(cast(float, seen.probability) * BUCKETS), BUCKETS - 1)
    return sum(seen.dice_counts), len(seen.dice), bucket


class QPlayer:
    """Plays by values that have been learnt."""

    def __init__(
        self, values: Values, random: np.random.Generator, name: str = "q-learner"
    ) -> None:
        self.values, self._random, self._name = values, random, name

    def __str__(self) -> str:
        return self._name

    def challenge_bid(self, seen: Seen) -> bool:
        """See Strategy."""
        return self._best(state_of(seen)) == CHALLENGE

    def make_bid(self, seen: Seen) -> Bid:
        """See Strategy."""
        return any_bid(seen, self._random)

    def _best(self, state: State) -> int:
        """The action of more value; either if they are the same."""
        raises, challenges = self.values[state]
        return self._either() if raises == challenges else int(challenges > raises)

    def _either(self) -> int:
        return int(self._random.integers(2))


class QLearner(QPlayer):
    """Learns while it plays. It must be told of the rounds: `on_round`."""

    def __init__(
        self, values: Values, random: np.random.Generator, settings: Settings, seat: int
    ) -> None:
        """`values` are changed in place."""
        super().__init__(values, random)
        self._settings, self._seat = settings, seat
        self._decision: tuple[int, ...] | None = None
        """The last one of the match, a place in `values`."""
        self._reward = 0.0
        """Since then."""

    def challenge_bid(self, seen: Seen) -> bool:
        """See Strategy."""
        state = state_of(seen)
        self._learn(float(self.values[state].max()))
        explores = self._random.random() < self._settings.explores
        action = self._either() if explores else self._best(state)
        self._decision = (*state, action)
        return action == CHALLENGE

    def on_round(self, ended: EliminationRound) -> None:
        """A round has ended. After the one in which the learner loses its last die or wins the
        match, it may be told of more rounds, and the next match may begin."""
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
        """What became of the last decision is known: the rewards since, and `following`, what is
        expected from here on."""
        if self._decision is not None:
            found = self._reward + self._settings.gamma * following
            self.values[self._decision] += self._settings.alpha * (
                found - self.values[self._decision]
            )
        self._reward = 0.0


class Learnt(NamedTuple):
    """How far training has come."""

    matches: int
    won: int
    """Of them, by the learner."""


def learn(
    rules: Rules,
    values: Values,
    matches: int,
    random: np.random.Generator,
    others: Sequence[Strategy] = (),
) -> Iterator[Learnt]:
    """Teaches `values`, in place, by matches against `others`: random callers if none are named.
    Yields after each match. First starters are drawn, so that the seat makes no difference."""
    learner = QLearner(values, random, Settings(), seat=0)
    table = [learner, *(others or [RandomCaller(random)] * (rules.players - 1))]
    won = 0
    for match in range(matches):
        won += play_match(Elimination(rules, random), table, learner.on_round) == 0
        yield Learnt(match + 1, won)


def train(
    matches: int,
    seed: int,
    out: Path,
    on_progress: Callable[[Learnt], None] = lambda learnt: None,
) -> Learnt:
    """Learns RULES from so many matches against random callers, and writes the values to `out`. The
    same seed gives the same values. Raises StorageError, before the start if `out` cannot be
    written."""
    verify_writable(out)
    values, began = no_values(RULES), time.monotonic()
    learnt = Learnt(0, 0)
    for learnt in learn(RULES, values, matches, np.random.default_rng(seed)):
        on_progress(learnt)
    training = {
        "command": f"zhaifei train q --matches {matches} --seed {seed}",
        "seed": seed, **learnt._asdict(), "seconds": round(time.monotonic() - began),
    }  # fmt: skip
    save_values(out, RULES, values, training)
    return learnt


def save_values(path: Path, rules: Rules, values: Values, training: Mapping[str, Any]) -> None:
    """Writes a file of action values, as float32; `training` says how they were made. Raises
    StorageError."""
    header = {"rules": rules.to_dict(), "training": dict(training)}
    save(path, "values", header, {"values": values.astype(np.float32)})


def load_values(path: Path, rules: Rules) -> Values:
    """What `save_values` wrote. Raises StorageError, and ZhaifeiError if the values are not for
    `rules`."""
    header = load_header(path, "values")
    try:
        learnt, stored = Rules.from_dict(header["rules"]), load_arrays(path)["values"]
    except (KeyError, RulesError) as error:
        raise StorageError(
            "{path} does not describe a Q-learner: {error}", path=path, error=error
        ) from error
    if learnt != rules:
        raise ZhaifeiError(
            "{name} plays only {its}; asked for are {rules}",
            name=path, its=learnt, rules=rules,
        )  # fmt: skip
    right = no_values(rules).shape
    if stored.shape != right or not np.isfinite(stored).all():
        raise StorageError(
            "{path} does not describe a Q-learner: its values are no numbers of shape {right}",
            path=path, right=right,
        )  # fmt: skip
    return stored.astype(np.float64)
