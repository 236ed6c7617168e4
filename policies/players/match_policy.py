"""Policies for whole matches of two players in which dice are lost, and their files. A policy has a
table for each round that a match can reach.

By `solver.value.matches` an equilibrium of the match plays an equilibrium of each round. So the
strategy in a round depends on the numbers of dice alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, action_of, challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hand_index
from zhaifei.game.parts import RulesError
from zhaifei.game.positions import Position as AnyPosition
from zhaifei.game.positions import position_of, round_rules
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.players.kept import Kept
from zhaifei.policies.players.table_policy import TablePolicy, damaged, table_arrays, table_in
from zhaifei.solver.abstraction import Abstraction, abstraction_of, considered_tables
from zhaifei.solver.bounds import Bounds
from zhaifei.solver.files.header import Header
from zhaifei.solver.files.storage import load, save
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTableError
from zhaifei.solver.value.matches import (
    Position,
    gain_of,
    match_response,
    match_values,
    positions_of,
    stakes,
    winning,
    worth_by,
)

_BETWEEN = "/"
"""Separates the name of a position from the name of an array of its table, in a file."""
_KEPT = 32_000_000
"""Bytes of strategies that a decider keeps, because matches return to the same histories."""


def position_name(position: Sequence[int]) -> str:
    """Return the name of a position in files and options, like 5,3. The opener's dice come
    first."""
    return ",".join(map(str, position))


@dataclass(frozen=True)
class MatchPolicy:
    """A strategy for matches of two players: a table for each position."""

    rules: Rules
    """The rules of the match."""
    rounds: Mapping[Position, TablePolicy]
    """The policy of each position, the fewest dice first."""
    training: Mapping[str, Any]
    """How the policy was computed."""

    def at(self, position: AnyPosition) -> TablePolicy:
        """Return the policy of the round at `position`, a round for a penalty point
        (`game.positions.round_rules`). Raise ZhaifeiError if no match reaches `position`."""
        own, other = position
        found = self.rounds.get((own, other))
        if found is None:
            raise ZhaifeiError(
                "the policy is for {rules}: no match comes to {own} against {other} dice",
                rules=self.rules,
                own=own,
                other=other,
            )
        return found

    def stakes(self, position: AnyPosition, bids_made: int) -> Stakes | None:
        """Return the stakes of the round at `position` for the player who moves after `bids_made`
        bids."""
        own, other = position
        worth = worth_by(self.values)
        return Stakes(*stakes(self.rules, (own, other), bids_made % 2, worth))

    @cached_property
    def values(self) -> dict[Position, float]:
        """The probability that the opener wins the match, by position, as training found it."""
        points = {at: float(one.training["value"]) for at, one in self.rounds.items()}
        return match_values(self.rules, points)

    @property
    def trained_gain(self) -> float:
        """A best response's share of matches won, minus one half, from the rounds' exploitabilities
        as training measured them."""
        rounds = {}
        for at, one in self.rounds.items():
            value, gains = float(one.training["value"]), float(one.training["exploitability"])
            rounds[at] = [Bounds(seat, seat) for seat in (gains + value, gains - value)]
        return gain_of(self.rules, match_response(self.rules, rounds)).upper


class Stakes(NamedTuple):
    """The probabilities of winning the match that a round decides between."""

    won: float
    """The probability of winning the match after winning the round."""
    lost: float
    """The probability of winning the match after losing the round."""

    def match(self, points: float) -> float:
        """Return the probability of winning the match if the round is worth `points` penalty
        points."""
        chance = winning(points)
        return chance * self.won + (1.0 - chance) * self.lost


SolvedPolicy = TablePolicy | MatchPolicy
"""A policy that `solve` makes. Callers take the policy `at` a position, and its `stakes` there."""


def save_match(path: Path, policy: MatchPolicy) -> None:
    """Write a policy file atomically. Raise StorageError, or StrategyTableError if the policy takes
    illegal actions."""
    header = {
        "rules": policy.rules.to_dict(),
        "training": dict(policy.training),
        "rounds": [dict(one.training) for one in policy.rounds.values()],
    }
    named = {position_name(position): one for position, one in policy.rounds.items()}
    save(path, "match", header, named_arrays(named))


def named_arrays(rounds: Mapping[str, TablePolicy]) -> dict[str, NDArray[Any]]:
    """Return the arrays of all tables. Each name begins with the key of its round in `rounds`."""
    return {
        round_ + _BETWEEN + name: array
        for round_, one in rounds.items()
        for name, array in table_arrays(one).items()
    }


class SolvedRound(NamedTuple):
    """A round of a match, as it is solved."""

    rules: Rules
    """The rules of the round, which is played for a penalty point."""
    abstraction: Abstraction


def solved_round(rules: Rules, position: Position) -> SolvedRound:
    """Return the round at `position` of matches by `rules`."""
    its = round_rules(rules, position)
    return SolvedRound(its, abstraction_of(its))


def rounds_in(
    path: Path,
    named: Mapping[str, SolvedRound],
    arrays: Mapping[str, NDArray[Any]],
    trainings: Sequence[object],
) -> dict[str, TablePolicy]:
    """Return the policy of each round in `named`, read from the `arrays` of the file at `path`.

    The arrays are named as by `named_arrays`; `trainings` has the training record of each round.
    Raise ZhaifeiError if the arrays are not such tables.
    """
    if not all(name.startswith(tuple(name + _BETWEEN for name in named)) for name in arrays):
        raise StrategyTableError("the arrays in the file are not a strategy")
    rounds = {}
    for (name, (rules, abstraction)), training in zip(named.items(), trainings, strict=True):
        before = name + _BETWEEN
        own = {
            name.removeprefix(before): array
            for name, array in arrays.items()
            if name.startswith(before)
        }
        tables = considered_tables(rules, abstraction)
        table = table_in(path, tables, recall_tables(rules, FULL), own)
        record = dict(_training(training))
        rounds[name] = TablePolicy(rules, FULL, table, record, abstraction=abstraction)
    return rounds


def load_match(path: Path) -> MatchPolicy:
    """Read a policy file of whole matches. Raise StorageError."""
    header, arrays = load(path, "match")
    try:
        rules = header.rules()
        positions = positions_of(rules)
        trainings = header.get("rounds")
        if not isinstance(trainings, list) or len(trainings) != len(positions):
            raise RulesError("there must be {number} rounds", number=len(positions))
        named = {position_name(at): solved_round(rules, at) for at in positions}
        tables = rounds_in(path, named, arrays, trainings)
        rounds = {at: tables[position_name(at)] for at in positions}
        return MatchPolicy(rules, rounds, dict(header.record("training")))
    except ZhaifeiError as error:
        raise damaged(path, error) from error


def _training(training: object) -> Mapping[str, Any]:
    """Return the training record of a round. Raise HeaderError if it has no value or no
    exploitability."""
    header = Header(training if isinstance(training, dict) else {})
    header.number("value", -1.0, 1.0)
    header.number("exploitability", 0.0, 1.0)
    return header


class _Choices(NamedTuple):
    """The strategy of every hand after one history of a round, prepared for sampling."""

    challenges: NDArray[np.float64]
    """[hand] float64, the probability of challenging."""
    raises: tuple[Bid, ...]
    """The bids that some hand makes."""
    up_to: NDArray[np.float64]
    """[hand, raise] float64, the cumulative probability of the raises up to this one, given that
    the hand does not challenge. 0 for hands that always challenge."""

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.challenges.nbytes + self.up_to.nbytes


def _choices(policy: TablePolicy, history: tuple[Bid, ...]) -> _Choices:
    """Return the strategies of all hands after `history`."""
    bids, played = domain(policy.rules), policy.strategy(history)
    raises = played[:, : len(bids)]
    up_to = _shares(raises, raises.sum(axis=1, keepdims=True)).cumsum(axis=1)
    used = np.flatnonzero(raises.any(axis=0))
    return _Choices(
        played[:, challenge_action(policy.rules)].copy(),
        tuple(bids[place] for place in used),
        _shares(up_to, up_to[:, -1:])[:, used],
    )


def _shares(of: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `of` [hand, raise] divided by `whole` [hand, 1]; 0 where that is 0."""
    return np.divide(of, whole, out=np.zeros_like(of), where=whole > 0.0)


class MatchDecider:
    """A Decider that plays a MatchPolicy and draws its actions from `random`."""

    def __init__(self, policy: MatchPolicy, random: np.random.Generator, name: str) -> None:
        self.policy, self._random, self._name = policy, random, name
        self._kept: Kept[tuple[AnyPosition, tuple[Bid, ...]], _Choices] = Kept(_KEPT)

    def __str__(self) -> str:
        return self._name

    def decide(self, view: View) -> int:
        """See Decider.

        A player who is asked whether to challenge declines with the probability with which the
        policy raises, and then raises as it does.
        """
        position = position_of(view)
        choices = self._at(position, view.bids)
        hand = hand_index(self.policy.at(position).rules, view.dice)
        calls = float(choices.challenges[hand])
        if view.can_challenge and (not view.legal_bids or calls > 0.0):
            if self._random.random() < calls:
                return challenge_action(view.rules)
            if not view.legal_bids:
                return DECLINE
        up_to = choices.up_to[hand]
        if not up_to.any():  # only after a decision that the policy would not have taken
            return action_of(view.rules, view.legal_bids[0])
        drawn = int(up_to.searchsorted(self._random.random(), side="right"))
        return action_of(view.rules, choices.raises[drawn])

    def _at(self, position: AnyPosition, history: tuple[Bid, ...]) -> _Choices:
        """Return the strategies of all hands after `history` in the round at `position`."""
        found = self._kept.get((position, history))
        if found is None:
            found = _choices(self.policy.at(position), history)
            self._kept.put((position, history), found, found.size)
        return found


@dataclass(frozen=True)
class MatchPlayer:
    """Plays a MatchPolicy in matches by `rules`, which the policy comes to."""

    rules: Rules
    policy: MatchPolicy
    name: str

    def __str__(self) -> str:
        return self.name

    def at(self, position: AnyPosition) -> TablePolicy:
        """Return the policy that is played in rounds at `position`."""
        return self.policy.at(position)

    def sit(self, random: np.random.Generator) -> MatchDecider:
        """See Player."""
        return MatchDecider(self.policy, random, self.name)
