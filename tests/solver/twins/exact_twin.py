"""`solver.cfr.exact` once more, slowly: from the rules instead of tables, with plain dictionaries
and recursion, every pair of hands by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from zhaifei.game.bids import Bid, legal_bids
from zhaifei.game.hands import Hand, hands, probabilities
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules

History = tuple[Bid, ...]
Move = Bid | None
"""None is a challenge."""


def histories(rules: Rules, history: History = ()) -> Iterator[History]:
    """Every history after which a player decides."""
    yield history
    for bid in legal_bids(rules, history[-1] if history else None):
        yield from histories(rules, (*history, bid))


def moves(rules: Rules, history: History) -> list[Move]:
    challenge: list[Move] = [None] if history else []
    return challenge + list(legal_bids(rules, history[-1] if history else None))


def challenge_pays(rules: Rules, history: History, player: int, mine: Hand, other: Hand) -> int:
    """What `player` gets, holding `mine`, if the last bid is challenged now."""
    bid_is_true = count_dice(rules, history[-1], (mine, other)) >= history[-1].count
    player_bid = (len(history) - 1) % 2 == player
    return 1 if bid_is_true == player_bid else -1


class Twin:
    """CFR+ with alternating updates, predictive or not. Sums are [history, move, hand]."""

    def __init__(self, rules: Rules, predictive: bool) -> None:
        self.rules = rules
        self.foresight = 1 if predictive else 0
        self.iterations = 0
        self.prior = dict(zip(hands(rules), probabilities(rules).tolist(), strict=True))
        self.regret: dict[tuple[History, Move, Hand], float] = defaultdict(float)
        self.lean: dict[tuple[History, Move, Hand], float] = defaultdict(float)
        """The regret after the next iteration, if that gains the same."""
        self.average: dict[tuple[History, Move, Hand], float] = defaultdict(float)

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.iterations += 1
            for player in range(2):
                gains: dict[tuple[History, Move, Hand], float] = {}
                self._improve((), player, self.prior, gains)
                for key, gain in gains.items():
                    self.regret[key] = max(self.regret[key] + gain, 0.0)
                    self.lean[key] = max(self.regret[key] + self.foresight * gain, 0.0)
                self._average((), player, self.prior)

    def strategy(self, history: History, hand: Hand) -> dict[Move, float]:
        """What regret matching plays now."""
        options = moves(self.rules, history)
        total = sum(self.lean[history, move, hand] for move in options)
        if total == 0:
            return dict.fromkeys(options, 1 / len(options))
        return {move: self.lean[history, move, hand] / total for move in options}

    def _improve(
        self,
        history: History,
        player: int,
        others: dict[Hand, float],
        gains: dict[tuple[History, Move, Hand], float],
    ) -> dict[Hand, float]:
        """[hand] what the player gets from here on; notes what each move would gain."""
        mine = len(history) % 2 == player
        result = dict.fromkeys(self.prior, 0.0)
        worth = {}
        for move in moves(self.rules, history):
            come = others
            if not mine:
                come = {g: w * self.strategy(history, g)[move] for g, w in others.items()}
            worth[move] = self._follow(history, move, player, come, gains)
        for hand in self.prior:
            weight = self.strategy(history, hand) if mine else dict.fromkeys(worth, 1.0)
            result[hand] = sum(weight[move] * worth[move][hand] for move in worth)
            if mine and any(others.values()):
                for move, values in worth.items():
                    gains[history, move, hand] = values[hand] - result[hand]
        return result

    def _follow(
        self,
        history: History,
        move: Move,
        player: int,
        others: dict[Hand, float],
        gains: dict[tuple[History, Move, Hand], float],
    ) -> dict[Hand, float]:
        if move is not None:
            return self._improve((*history, move), player, others, gains)
        return {
            h: sum(w * challenge_pays(self.rules, history, player, h, g) for g, w in others.items())
            for h in self.prior
        }

    def _average(self, history: History, player: int, reach: dict[Hand, float]) -> None:
        mine = len(history) % 2 == player
        for move in moves(self.rules, history):
            come = reach
            if mine:
                come = {h: r * self.strategy(history, h)[move] for h, r in reach.items()}
                for hand, r in come.items():
                    self.average[history, move, hand] += self.iterations**2 * r
            if move is not None:
                self._average((*history, move), player, come)
