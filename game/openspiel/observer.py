"""The observer of the OpenSpiel game: a player's view of a state, as tensors and as text."""

from __future__ import annotations

import numpy as np
import pyspiel
from numpy.typing import NDArray

from zhaifei.game.bids import (
    Bid,
    action_count,
    action_of,
    challenge_action,
    domain,
    gives_up,
    state_after,
)
from zhaifei.game.hands import Hand
from zhaifei.game.notation import format_hand
from zhaifei.game.openspiel.round import RoundSoFar
from zhaifei.game.openspiel.state import ZhaifeiState, most_rounds
from zhaifei.game.openspiel.text import actions_text, dice_text, match_text
from zhaifei.game.rules import Rules


class ZhaifeiObserver:
    """A player's view of a state, as the tensor pieces in `dict` and as text.

    | piece | shape, float32 | present if |
    |---|---|---|
    | `player` | [players] one-hot: the observer | any private information |
    | `hand` | [dice, faces] one-hot per die, dice ascending | private: single player |
    | `hands` | [players, dice, faces] likewise, all seats | private: all players |
    | `history` | [actions] 1 for each bid made, and for the ending | public, perfect recall |
    | `declined` | [players - 1] 1 for each who declined to challenge the last bid | public, asked |
    | `last_bid` | [bids] one-hot | public, no perfect recall |
    | `bids_before` | [distance - 2, bids] one-hot: those that 跳开 may challenge | 〃, and 跳开 |
    | `fei_ended` | [1] whether ones were named | 〃, ones end 飞 |
    | `turn` | [players] one-hot: whose turn, after the end the challenger's | 〃 |
    | `challenged` | [endings] one-hot: how the round ended | 〃 |
    | `starter` | [players] one-hot: who starts the round | public, match |
    | `points` | [players] penalty points so far | 〃, for points |
    | `dice` | [players] dice left | 〃, for dice |
    | `earlier_starter` | [rounds - 1, players] as `starter`, each round before | 〃 |
    | `earlier_hands` | [rounds - 1, players, dice, faces] as `hands`, each round before | 〃 |
    | `earlier_history` | [rounds - 1, actions] as `history`, each round before | 〃 |
    | `earlier_declined` | [rounds - 1, players - 1] as `declined`, each round before | 〃, asked |

    `distance` is at most `Rules.furthest_challenge`, which is 1 without 跳开. The `endings` are
    the challenges by distance or, with 劈, the challenge and giving up. Bids only get stronger, and
    doubles follow their bid, so `history` determines their order. With `starter`, `dice` and
    `declined` it determines whose turn it is; seat 0 starts a single round. `asked` means that the
    rules ask other players out of turn whether to challenge. If a bid was followed by another, all
    who were asked about it declined. Until only one player has dice there are at most as many
    `rounds` as dice on the table, less one. A match that can have only one round has no pieces for
    rounds before. Pieces are zero as long as they have nothing to show, and for dice that a player
    does not have.

    A challenge reveals all dice of the round, so they are visible from the next round on. The dice
    of the last or only round stay hidden, because no decision follows.
    """

    def __init__(
        self, rules: Rules, iig_obs_type: pyspiel.IIGObservationType, rounds: int = 1
    ) -> None:
        self._rules = rules
        shapes = _shapes(rules, iig_obs_type, rounds)
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor: NDArray[np.float32] = np.zeros(sum(sizes), dtype=np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1]) if sizes else []
        # The pieces are views into the tensor: writing to a piece changes the tensor.
        self.dict: dict[str, NDArray[np.float32]] = {
            name: part.reshape(shape)
            for (name, shape), part in zip(shapes.items(), parts, strict=True)
        }

    def set_from(self, state: ZhaifeiState, player: int) -> None:
        """Write the view that `player` has of `state` into `tensor`, in place."""
        self.tensor.fill(0)
        pieces, current = self.dict, state.round
        if "player" in pieces:
            pieces["player"][player] = 1
        if "hand" in pieces and player < len(current.hands):
            _write_hand(pieces["hand"], current.hands[player])
        if "hands" in pieces:
            _write_hands(pieces["hands"], current.hands)
        if "history" in pieces:
            _write_history(pieces["history"], current)
        if "declined" in pieces:
            pieces["declined"][: current.declined] = 1
        if "last_bid" in pieces:
            self._write_table(current)
        if "starter" in pieces:
            self._write_match(state)

    def _write_table(self, current: RoundSoFar) -> None:
        """Write the pieces of the current position in the round."""
        pieces, bids = self.dict, current.bids
        if bids:
            pieces["last_bid"][action_of(self._rules, bids[-1])] = 1
        if "bids_before" in pieces:
            for place, bid in enumerate(_bids_before(current)):
                pieces["bids_before"][place, action_of(self._rules, bid)] = 1
        if "fei_ended" in pieces:
            pieces["fei_ended"][0] = state_after(self._rules, bids).fei_ended
        if current.turn is not None:
            pieces["turn"][current.turn] = 1
        if current.settlement is not None:
            pieces["challenged"][_ending(current)] = 1

    def _write_match(self, state: ZhaifeiState) -> None:
        """Write the pieces of the match: starter, points or dice, and earlier rounds."""
        pieces = self.dict
        if state.round.starter is not None:
            pieces["starter"][state.round.starter] = 1
        counted, numbers = state.standing
        pieces[counted][:] = numbers
        for place, played in enumerate(state.earlier):
            pieces["earlier_starter"][place, played.starter] = 1
            _write_hands(pieces["earlier_hands"][place], played.hands)
            _write_history(pieces["earlier_history"][place], played)
            if "earlier_declined" in pieces:
                pieces["earlier_declined"][place, : played.declined] = 1

    def string_from(self, state: ZhaifeiState, player: int) -> str:
        """Return the view that `player` has of `state`, as text."""
        words, current = [], state.round
        if "starter" in self.dict:
            words += match_text(state.earlier, state.standing, state.round)
        if "player" in self.dict:
            words.append(f"p{player}")
        if "hand" in self.dict and any(current.hands[player : player + 1]):
            words.append(f"hand:{format_hand(current.hands[player])}")
        if "hands" in self.dict:
            words.append(f"hands:{dice_text(current)}")
        if "history" in self.dict:
            words += actions_text(current)
        if "last_bid" in self.dict:
            words += _table_text(current)
        return " ".join(words)


def _shapes(
    rules: Rules, iig_obs_type: pyspiel.IIGObservationType, rounds: int
) -> dict[str, tuple[int, ...]]:
    """Return the pieces and their shapes, as documented in `ZhaifeiObserver`."""
    players, bids, reach = rules.players, len(domain(rules)), rules.furthest_challenge
    hands = (players, rules.dice, rules.faces)
    private, public = iig_obs_type.private_info, iig_obs_type.public_info
    shapes: dict[str, tuple[int, ...]] = {}
    if private != pyspiel.PrivateInfoType.NONE:
        shapes["player"] = (players,)
    if private == pyspiel.PrivateInfoType.SINGLE_PLAYER:
        shapes["hand"] = hands[1:]
    if private == pyspiel.PrivateInfoType.ALL_PLAYERS:
        shapes["hands"] = hands
    if public and iig_obs_type.perfect_recall:
        shapes["history"] = (action_count(rules),)
    elif public:
        shapes["last_bid"] = (bids,)
        if rules.stakes.jump_challenge:
            shapes["bids_before"] = (reach - 1, bids)
        if rules.bidding.ones_end_fei:
            shapes["fei_ended"] = (1,)
        shapes["turn"] = (players,)
        shapes["challenged"] = (rules.endings,)
    if public and rules.stakes.out_of_turn:
        shapes["declined"] = (players - 1,)
    if public and rounds != 1:
        shapes["starter"] = shapes["dice" if rules.loses_dice else "points"] = (players,)
        shapes |= _earlier_shapes(rules, most_rounds(rules, rounds) - 1)
    return shapes


def _earlier_shapes(rules: Rules, earlier: int) -> dict[str, tuple[int, ...]]:
    """Return the pieces for the rounds before the current one, and their shapes. The dict is empty
    if `earlier` is 0."""
    if earlier == 0:
        return {}
    players = rules.players
    shapes: dict[str, tuple[int, ...]] = {
        "earlier_starter": (earlier, players),
        "earlier_hands": (earlier, players, rules.dice, rules.faces),
        "earlier_history": (earlier, action_count(rules)),
    }
    if rules.stakes.out_of_turn:
        shapes["earlier_declined"] = (earlier, players - 1)
    return shapes


def _write_hand(piece: NDArray[np.float32], hand: Hand) -> None:
    piece[np.arange(len(hand)), np.array(hand, dtype=np.int64) - 1] = 1


def _write_hands(piece: NDArray[np.float32], hands: tuple[Hand, ...]) -> None:
    for seat, hand in enumerate(hands):
        _write_hand(piece[seat], hand)


def _write_history(piece: NDArray[np.float32], played: RoundSoFar) -> None:
    """Write the bids and the challenge; `declined` shows who declined."""
    piece[[action for action in played.actions if action < len(piece)]] = 1


def _bids_before(current: RoundSoFar) -> tuple[Bid, ...]:
    """Return the bids before the last that 跳开 may challenge, latest first."""
    return current.bids[-2 : -current.rules.furthest_challenge - 1 : -1]


def _table_text(current: RoundSoFar) -> list[str]:
    """Return the words for the current position in the round."""
    words = []
    if current.bids:
        last = current.bids[-1]
        words.append(f"last:{last.claim}{last if last.doubled else ''}")
    if before := _bids_before(current):
        words.append("before:" + ",".join(map(str, before)))
    if state_after(current.rules, current.bids).fei_ended:
        words.append("fei-ended")
    if current.declined:
        words.append(f"declined:{current.declined}")
    if current.turn is not None:
        words.append(f"turn:p{current.turn}")
    if current.settlement is not None:
        words.append(_ended_text(current))
    return words


def _ended_text(current: RoundSoFar) -> str:
    """Return the word for how the round ended."""
    if gives_up(current.rules, current.actions[-1]):
        return "gave-up"
    distance = _ending(current) + 1
    return "challenged" if distance == 1 else f"challenged:{distance}"


def _ending(current: RoundSoFar) -> int:
    """Return the number, among the endings, of the action that ended the round."""
    return current.actions[-1] - challenge_action(current.rules)
