"""Learned players: a small neural network, evaluated with numpy only.

A weights file holds the layers of a multilayer perceptron with ReLU between them, in float16:
`0.weight` [input, unit], `0.bias` [unit], `1.weight`, ... The inputs are the features of
`policies.players.features` for two players, and of `policies.players.seat_features` for more. The
header says how the network plays (`plays`, see PLAYS) and how it was trained.

The first layer is the sum of a term of the hand and a term of the bids. Evaluating it for all
hands, or for many histories, therefore costs little more than for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import movers_after
from zhaifei.game.bids import Bid, action_count, action_of, verify_history
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.encoding import (
    Bits,
    Floats,
    Ints,
    hand_bits,
    history_bits,
    legal_after_bids,
)
from zhaifei.policies.players.features import feature_sizes, feature_tables
from zhaifei.policies.players.seat_features import (
    joint_features,
    public_features,
    seat_feature_sizes,
    seat_tables,
)
from zhaifei.solver.bounds import History
from zhaifei.solver.files.storage import StorageError, load, save

_MOST = float(np.finfo(np.float32).max) / 2
"""The largest magnitude of an output that the layers may reach, a margin below infinities and
NaN."""
PLAYS = ("sampled", "greedy")
"""`sampled`: the outputs are the logits of the strategy. `greedy`: the action with the highest
output is played."""

Layer = tuple[Floats, Floats]
"""Weight [input, unit] and bias [unit]."""


class FirstLayer(Protocol):
    """The first layer: from hands and bids to units."""

    def of(self, hand: Ints, history: Ints) -> Floats:
        """Return [round, unit] for one `hand` [round] after `history` [round, bid]."""

    def of_all_hands(self, history: Ints) -> Floats:
        """Return [history, hand, unit] for all hands after `history` [history, bid]."""


class OfTwo:
    """A FirstLayer for two players."""

    def __init__(self, rules: Rules, weight: Floats, bias: Floats) -> None:
        self._rules = rules
        hand, public, _ = feature_sizes(rules)
        of_hand, self._public, of_need = np.split(weight, (hand, hand + public))
        counts = hand_bits(rules) @ feature_tables(rules).counts
        at_least = counts[:, :, np.newaxis] >= feature_tables(rules).steps
        seen = at_least.reshape(len(counts), -1).astype(np.float32)
        self._need = np.cumsum([np.zeros_like(bias), *of_need], axis=0, dtype=np.float32)
        self._hand = seen @ of_hand + bias

    def of(self, hand: Ints, history: Ints) -> Floats:
        """See FirstLayer."""
        first: Floats = self._hand[hand] + self._of_public(history)
        first += self._need[self._needed(history)[np.arange(hand.size), hand]]
        return first

    def of_all_hands(self, history: Ints) -> Floats:
        """See FirstLayer."""
        first: Floats = self._hand + self._of_public(history)[:, np.newaxis]
        first += self._need[self._needed(history)]
        return first

    def _of_public(self, history: Ints) -> Floats:
        """Return [round, unit], the term of the player and the bids in the first layer."""
        rounds, length = history.shape
        rules, bids = self._rules, bid_tables(self._rules).claimed.size
        player = movers_after(rules, history)[:, np.newaxis] == np.arange(rules.players)
        seen: list[Bits] = [player, history_bits(rules, history)]
        for ago in (1, 2):
            one_hot = np.zeros((rounds, bids), dtype=np.bool_)
            if length >= ago:
                one_hot[np.arange(rounds), history[:, -ago]] = True
            seen.append(one_hot)
        result: Floats = np.concatenate(seen, axis=1).astype(np.float32) @ self._public
        return result

    def _needed(self, history: Ints) -> Ints:
        """Return [round, hand] how many of the others' dice must count to make the last bid true,
        clipped to the range of the features."""
        tables = bid_tables(self._rules)
        if history.shape[1] == 0:
            return np.zeros((len(history), tables.hands), dtype=np.int64)
        last = history[:, -1]
        needed = tables.claimed[last][:, np.newaxis] - tables.matches[last]
        clipped: Ints = np.clip(needed, 0, len(self._need) - 1)
        return clipped


class OfSeveral:
    """A FirstLayer for three players or more."""

    def __init__(self, rules: Rules, weight: Floats, bias: Floats) -> None:
        self._rules = rules
        hand, public, _ = seat_feature_sizes(rules)
        of_hand, self._public, self._joint = np.split(weight, (hand, hand + public))
        self._hand = seat_tables(rules).hand @ of_hand + bias

    def of(self, hand: Ints, history: Ints) -> Floats:
        """See FirstLayer."""
        public = public_features(self._rules, history) @ self._public
        joint = joint_features(self._rules, hand, history) @ self._joint
        first: Floats = self._hand[hand] + public + joint
        return first

    def of_all_hands(self, history: Ints) -> Floats:
        """See FirstLayer."""
        hands, histories = len(self._hand), len(history)
        every = np.tile(np.arange(hands), histories)
        joint = joint_features(self._rules, every, np.repeat(history, hands, axis=0))
        first: Floats = (joint @ self._joint).reshape(histories, hands, -1)
        first += (public_features(self._rules, history) @ self._public)[:, np.newaxis]
        first += self._hand
        return first


def inputs_of(rules: Rules) -> int:
    """Return the number of inputs of a network for `rules`."""
    return sum((feature_sizes if rules.players == 2 else seat_feature_sizes)(rules))


class Network:
    """Evaluates the layers for hands and bids."""

    def __init__(self, rules: Rules, layers: Sequence[Layer]) -> None:
        """Raise ZhaifeiError if the layers do not fit the rules or each other."""
        self._rules = rules
        self._verify(layers)
        (weight, bias), *self._deeper = layers
        kind = OfTwo if rules.players == 2 else OfSeveral
        self._first: FirstLayer = kind(rules, weight, bias)

    def _verify(self, layers: Sequence[Layer]) -> None:
        rules = self._rules
        width = inputs_of(rules)
        most = np.ones(width)  # the largest inputs of a layer; the first has bits
        for weight, bias in layers:
            if weight.ndim != 2 or weight.shape[0] != width or bias.shape != weight.shape[1:]:
                raise ZhaifeiError(
                    "a layer of shape {found} and {bias} does not fit {width} inputs",
                    found=weight.shape,
                    bias=bias.shape,
                    width=width,
                )
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ZhaifeiError("weights contain NaN or infinity")
            most = most @ np.abs(weight.astype(np.float64)) + np.abs(bias)
            if (most > _MOST).any():
                raise ZhaifeiError("weights are so large that outputs could be infinite")
            width = weight.shape[1]
        actions = action_count(rules)
        if width != actions:
            raise ZhaifeiError(
                "the last layer has {width} outputs; there are {actions} actions",
                width=width,
                actions=actions,
            )

    def outputs(self, hand: Ints, history: Ints) -> Floats:
        """Return [round, action] float32, the outputs for one `hand` [round] after `history`
        [round, bid]."""
        return self._deep(self._first.of(hand, history))

    def outputs_of_all_hands(self, history: Ints) -> Floats:
        """Return [history, hand, action] float32, the outputs for all hands after `history`
        [history, bid]."""
        first = self._first.of_all_hands(history)
        deep = self._deep(first.reshape(-1, first.shape[2]))
        return deep.reshape(*first.shape[:2], -1)

    def _deep(self, first: Floats) -> Floats:
        values = first
        for weight, bias in self._deeper:
            values = np.maximum(values, 0.0, out=values) @ weight
            values += bias
        return values


@dataclass(frozen=True)
class LearnedPolicy:
    """A Policy computed by a network."""

    rules: Rules
    plays: str
    """A member of PLAYS."""
    layers: tuple[Layer, ...]
    training: Mapping[str, Any] = field(default_factory=dict)
    """How the network was trained: algorithm, steps, seed, seconds, command, settings."""
    _network: Network = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_network", Network(self.rules, self.layers))

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy."""
        verify_history(self.rules, tuple(history))
        return self.strategies([tuple(action_of(self.rules, bid) for bid in history)])[0]

    def strategies(self, histories: Sequence[History]) -> list[NDArray[np.float64]]:
        """See Policy. All histories of one length are evaluated at once."""
        found: list[NDArray[np.float64]] = [np.empty(0)] * len(histories)
        for length in {len(history) for history in histories}:
            places = [place for place, one in enumerate(histories) if len(one) == length]
            batch = np.array([histories[place] for place in places], dtype=np.int64)
            batch = batch.reshape(len(places), length)
            outputs = self._network.outputs_of_all_hands(batch)
            played = self._probabilities(outputs, self._legal(batch)[:, np.newaxis])
            for place, strategy in zip(places, played, strict=True):
                found[place] = strategy
        return found

    def draw(self, hand: Ints, history: Ints, uniform: NDArray[np.float64]) -> Ints:
        """Return [round] int64, actions drawn from the strategies; arguments as for
        `BatchPlayer.act`. Evaluates the network once."""
        played = self._probabilities(self._network.outputs(hand, history), self._legal(history))
        upto = played.cumsum(axis=1)
        action: Ints = (upto <= uniform[:, np.newaxis] * upto[:, -1:]).sum(axis=1)
        return action

    def _legal(self, history: Ints) -> Bits:
        """Return [history, action] whether an action is legal."""
        return legal_after_bids(self.rules, history)

    def _probabilities(self, outputs: Floats, legal: Bits) -> NDArray[np.float64]:
        """Return [..., action] float64, the probabilities of the actions for `outputs` of the same
        shape."""
        logits = np.where(legal, outputs, np.float32(-np.inf))
        if self.plays == "greedy":
            chosen: Bits = logits.argmax(axis=-1)[..., np.newaxis] == np.arange(logits.shape[-1])
            return chosen.astype(np.float64)
        logits -= logits.max(axis=-1, keepdims=True)
        weights = np.exp(logits, out=logits).astype(np.float64)  # float32 takes half the time
        weights /= weights.sum(axis=-1, keepdims=True)
        return weights


def save_weights(path: Path, policy: LearnedPolicy) -> None:
    """Write a weights file atomically, with weights rounded to float16. Raise StorageError."""
    header = {
        "rules": policy.rules.to_dict(),
        "plays": policy.plays,
        "training": policy.training,
    }
    arrays = {
        f"{place}.{name}": array.astype(np.float16)
        for place, layer in enumerate(policy.layers)
        for name, array in zip(("weight", "bias"), layer, strict=True)
    }
    save(path, "weights", header, arrays)


def load_weights(path: Path) -> LearnedPolicy:
    """Read a weights file. Raise StorageError."""
    header, stored = load(path, "weights")
    try:
        plays, layers = header.choice("plays", PLAYS), _layers(stored)
        return LearnedPolicy(header.rules(), plays, layers, dict(header.record("training")))
    except ZhaifeiError as error:
        raise StorageError(
            "{path} does not contain a network: {error}", path=path, error=error
        ) from error


def _layers(stored: Mapping[str, NDArray[Any]]) -> tuple[Layer, ...]:
    """Return the layers in the arrays of a file. Raise ZhaifeiError if the arrays are not
    layers."""
    names = [(f"{place}.weight", f"{place}.bias") for place in range(len(stored) // 2)]
    if not names or stored.keys() != {*chain.from_iterable(names)}:
        raise ZhaifeiError("the arrays in the file are not layers")
    if any(array.dtype != np.float16 for array in stored.values()):
        raise ZhaifeiError("weights must be float16")
    return tuple((_wide(stored[weight]), _wide(stored[bias])) for weight, bias in names)


def _wide(stored: NDArray[Any]) -> Floats:
    wide: Floats = stored.astype(np.float32)
    return wide
