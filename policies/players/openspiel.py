"""Conversion of policies to and from OpenSpiel policies of the game `python_zhaifei`.

Importing this module imports OpenSpiel, which takes about a second: import it where it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python import policy as openspiel_policy

from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    challenge_action,
    domain,
    legal_bids,
    mover_of,
    verify_history,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import Hand, hand_index, hands, hands_of
from zhaifei.game.openspiel import ZhaifeiGame, ZhaifeiState, load_game
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.policy import Policy, SingleQueries
from zhaifei.solver.cfr.exact import public_states
from zhaifei.solver.tables.queries import verified

TABLE_LIMIT = 50_000
"""The most information states for which `to_openspiel` writes a table by default: about ten seconds
of work."""
_CACHE_BYTES = 1 << 26
"""Bytes of strategies that an `OpenSpielPolicy` keeps."""


def information_states(rules: Rules) -> int:
    """Return the number of information states of a round: bid histories after which a player
    decides, times hands. If players have different numbers of dice, it is an upper bound, because
    the hands of both sizes count at each history."""
    return public_states(bid_tables(rules)) * len(hands(rules))


def to_openspiel(policy: Policy, limit: int = TABLE_LIMIT) -> openspiel_policy.Policy:
    """Return `policy` as a policy of the OpenSpiel game `python_zhaifei` with the same rules.

    Parameters
    ----------
    policy
        The policy; it plays all seats.
    limit
        The most information states for which to write a table.

    Returns
    -------
    open_spiel.python.policy.TabularPolicy or OpenSpielPolicy
        A table of every information state, its rows in the order of `TabularPolicy(game)`, if there
        are at most `limit` of them (see `information_states`); else a policy that queries `policy`
        at each state. The attribute `game` is the OpenSpiel game.

    Raises
    ------
    RulesError
        The rules are not a preset in some size, with or without 跳开.
    """
    asking = OpenSpielPolicy(load_game(policy.rules), policy)
    if information_states(policy.rules) > limit:
        return asking
    return asking.to_tabular(_deciding_states(asking.game))


def from_openspiel(policy: openspiel_policy.Policy | pyspiel.Policy, rules: Rules) -> Policy:
    """Return a `Policy` that queries an OpenSpiel policy at states of the game `python_zhaifei`.

    Parameters
    ----------
    policy
        An OpenSpiel policy, in Python or in C++: anything with `action_probabilities(state)`. It
        must know every seat of one round, at every information state at which the result is
        queried.
    rules
        The variant that the policy plays.

    Raises
    ------
    RulesError
        The rules are not a preset in some size, with or without 跳开.
    """
    return _FromOpenSpiel(policy, load_game(rules))


class OpenSpielPolicy(openspiel_policy.Policy):  # type: ignore[misc]
    """An OpenSpiel policy that queries a `Policy`.

    It plays states of `python_zhaifei`. In states of matches it considers only the current round.
    States that OpenSpiel wraps, as `pyspiel.convert_to_cached_tree` does, do not show the hands:
    write a table for those states.
    """

    def __init__(self, game: ZhaifeiGame, policy: Policy) -> None:
        """Raise ZhaifeiError if the game has other rules than the policy."""
        super().__init__(game, list(range(game.num_players())))
        self._rules = policy.rules
        self._verify_rules(game.rules)
        row_bytes = 8 * len(hands(self._rules)) * action_count(self._rules)
        self._strategy = lru_cache(maxsize=max(1, _CACHE_BYTES // row_bytes))(policy.strategy)

    def action_probabilities(
        self, state: ZhaifeiState, player_id: int | None = None
    ) -> dict[int, float]:
        """Return the probability of each legal action of the player in turn.

        As in OpenSpiel's `TabularPolicy`, the answer is {0: 1.0} if no player is to act, or another
        player than `player_id`. Raise ZhaifeiError for states of other rules and for chance nodes.
        """
        self._verify_rules(state.rules)
        if state.is_chance_node():
            raise ZhaifeiError("no player decides at a chance node")
        seat = state.current_player()
        if state.is_terminal() or player_id not in (None, seat):
            return {0: 1.0}
        played = self._strategy(state.bids)[hand_index(self._rules, state.hands[seat])]
        return {action: float(played[action]) for action in state.legal_actions()}

    def _verify_rules(self, rules: Rules) -> None:
        if rules != self._rules:
            raise ZhaifeiError(
                "the policy is for other rules: {its}, not {rules}", its=self._rules, rules=rules
            )


@dataclass(frozen=True)
class _FromOpenSpiel(SingleQueries):
    """See `from_openspiel`."""

    policy: openspiel_policy.Policy | pyspiel.Policy
    game: ZhaifeiGame

    @property
    def rules(self) -> Rules:
        """See Policy."""
        return self.game.rules

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """See Policy. Raise IllegalStrategy if the probabilities do not add up to 1 within 1e-6,
        and ZhaifeiError if OpenSpiel's policy does not know the information state."""
        verify_history(self.rules, tuple(history))
        bids = tuple(action_of(self.rules, bid) for bid in history)
        result = np.zeros((len(hands(self.rules)), action_count(self.rules)))
        seat = mover_of(self.rules, bids)
        for hand, played in zip(hands(self.rules), result, strict=True):
            if len(hand) != self.rules.dice_by_player[seat]:
                played[_some_action(self.rules, history)] = 1.0  # Another player's hand.
                continue
            state = _dealt(self.game, seat, hand)
            for bid in bids:
                state.apply_action(bid)
            try:
                answer = self.policy.action_probabilities(state)
            except KeyError as error:
                raise ZhaifeiError(
                    "the OpenSpiel policy does not know the information state {state!r}",
                    state=state.information_state_string(),
                ) from error
            for action in state.legal_actions():
                played[action] = answer.get(action, 0.0)
        return verified(bid_tables(self.rules), bids, result)


def _some_action(rules: Rules, history: Sequence[Bid]) -> int:
    """Return a legal action after `history`: the challenge, or the weakest opening."""
    return challenge_action(rules) if history else action_of(rules, legal_bids(rules, None)[0])


def _dealt(game: ZhaifeiGame, seat: int, hand: Hand) -> ZhaifeiState:
    """Return a round in which `seat` holds `hand` and every other player the first possible
    hand."""
    state = game.new_initial_state()
    place = hands_of(game.rules, len(hand)).index(hand)
    for one in range(game.num_players()):
        state.apply_action(place if one == seat else 0)
    return state


def _deciding_states(game: ZhaifeiGame) -> dict[str, ZhaifeiState]:
    """Return one state of each information state by its history string: the state that
    `TabularPolicy(game)` takes, found without a walk over all deals."""
    bids = len(domain(game.rules))
    found: dict[str, ZhaifeiState] = {}
    for seat in range(game.num_players()):
        for hand in hands_of(game.rules, game.rules.dice_by_player[seat]):
            todo = [_dealt(game, seat, hand)]
            while todo:
                state = todo.pop()
                if state.current_player() == seat:
                    found[state.history_str()] = state
                todo += [state.child(action) for action in state.legal_actions() if action < bids]
    return found
