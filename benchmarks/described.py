"""What it is worth to say how people bid, at a table of several with real dice.

    python -m benchmarks.described
    python -m benchmarks.described --players 3 --rounds 900 --among honest

One player follows the advice for real tables (`policies.advice.table`), alone among copies of each
other player. The rows are what they say of the others. All rows meet the same dice and random
numbers. Figures are shares of the penalty points, which are fair at 1 / N and better if less; the
last column is how much less they are than without saying anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._arguments import new_parser
from zhaifei.game.bids import domain, mover_of
from zhaifei.game.hands import hands
from zhaifei.game.notation import parse_action
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.advising import Adviser
from zhaifei.policies.advice.people import CHARACTERS, Character, person_of
from zhaifei.policies.advice.table import PeopleAdviser, TableQuestion, advise_in_turn
from zhaifei.policies.catalogue.known import load_known
from zhaifei.policies.catalogue.names import load_player
from zhaifei.policies.play.simulation import play_rounds, share_of
from zhaifei.policies.players.player import Batched, BatchPlayer, short_name
from zhaifei.policies.players.reading_policy import ReadingPolicy

AMONG = "conservative", "aggressive", str(Path(__file__).parent / "opponents" / "bluffs.py")

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Advised(Batched):
    """Does what the advice for a real table says, if all others have this character."""

    policy: ReadingPolicy
    others: Character | None

    def __str__(self) -> str:
        return "nothing" if self.others is None else str(self.others.value)

    @property
    def rules(self) -> Rules:
        """See BatchPlayer."""
        return self.policy.rules

    @cached_property
    def people(self) -> PeopleAdviser:
        """What answers of whom something is said."""
        return PeopleAdviser(self.rules, self.policy.plain)

    @cached_property
    def adviser(self) -> Adviser:
        """What answers."""
        return Adviser(self.policy)

    def act(self, hand: Ints, history: Ints, uniform: NDArray[np.float64]) -> Ints:
        """See BatchPlayer. The first of the actions that are advised is taken."""
        asked = zip(hand.tolist(), map(tuple, history.tolist()), strict=True)
        return np.array([self._decide(*one) for one in asked], dtype=np.int64)

    def _decide(self, hand: int, history: tuple[int, ...]) -> int:
        rules, bids = self.rules, tuple(domain(self.rules)[bid] for bid in history)
        starter = -mover_of(rules, history) % rules.players
        people = (person_of(rules, self.others),) * rules.players
        question = TableQuestion(rules, starter, hands(rules)[hand], bids, people)
        best, *_ = advise_in_turn(self.people, self.adviser, question).ranked
        return parse_action(rules, best.action, bids[-1] if bids else None)


def taken(player: BatchPlayer, other: BatchPlayer, deals: int) -> NDArray[np.float64]:
    """Return [deal, 2] the points of `player` and of everybody, from one round in each seat."""
    points, rules = np.zeros((deals, 2)), player.rules
    for seat in range(rules.players):
        table = [other] * rules.players
        table[seat] = player
        found = play_rounds(table, rules, deals, seed=0, place=(seat,))
        points += np.stack([found[:, seat], found.sum(axis=1)], axis=1)
    return points


def main() -> None:
    """Run the command."""
    parser = new_parser(__doc__)
    parser.add_argument("--players", type=int, default=5, choices=range(3, 9))
    parser.add_argument("--rounds", type=int, default=500, help="a row")
    parser.add_argument("--among", nargs="+", default=AMONG, help="the other players")
    arguments = parser.parse_args()
    said = CHARACTERS
    if arguments.smallest:
        arguments.players, arguments.among, said = 3, arguments.among[:1], CHARACTERS[:1]
    rules = preset("zhaifei", players=arguments.players)
    deals = 2 if arguments.smallest else max(2, arguments.rounds // rules.players)
    plain, _ = load_known(None, rules)
    policy = ReadingPolicy(plain)
    print("| among | said of them | share | ± | less than without | ± |")
    print("|---|---|---|---|---|---|")
    for name in arguments.among:
        other, before = load_player(name, rules), None
        for character in (None, *said):
            advised = Advised(policy, character)
            points = taken(advised, other, deals)
            found = share_of(*points.T, rounds=deals * rules.players)
            cells = [short_name(name), str(advised), f"{found.share:.3f}", f"{found.margin:.3f}"]
            if before is None:
                before, less = points, ["", ""]
            else:
                gain = share_of(before[:, 0] - points[:, 0], points[:, 1], rounds=deals)
                less = [f"{gain.share:+.3f}", f"{gain.margin:.3f}"]
            print(f"| {' | '.join([*cells, *less])} |", flush=True)


if __name__ == "__main__":
    main()
