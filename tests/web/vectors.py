"""What Python answers where the front end must answer alike, as files for `tests/web/*.test.js`.

`python -m tests.web.vectors DIRECTORY` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zhaifei.app.locale import LANGUAGES, explain, speaking
from zhaifei.app.pocket.decisions import decision_tables
from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.app.pocket.rules_tables import FOLLOWS, every_rules, key_of, rules_table
from zhaifei.app.pocket.shapes import as_json
from zhaifei.app.server.advice.decisions import MOST_SEEN
from zhaifei.app.server.advice.locks import MOST_LOCKS
from zhaifei.app.server.asked import LONGEST
from zhaifei.game.bids import (
    IllegalBid,
    State,
    action_of,
    challenge_action,
    counted,
    counts_for,
    domain,
    endings_after,
    legal_bids,
    mover_of,
    places_by,
    plain_bids,
    settled_by,
    state_after,
    turn_at,
    verify_bid,
)
from zhaifei.game.hands import hands, probabilities, roll_hands, with_dice
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.people import CHARACTERS, Character, people_of, person_of
from zhaifei.policies.learning.reading import LearnedReading
from zhaifei.policies.players.reading import PlausibleBidding, Reading, places_of_others
from zhaifei.policies.players.rule_based import RULES, rule_based
from zhaifei.policies.players.table_policy import TablePolicy, load_policy, opening_policy
from zhaifei.solver.tables.strategy_table import NO_NODE, node_of

ROUNDS = 360
"""Random rounds of each preset and number of players: more than 10,000 in all."""
READ = [("zhaifei", 2), ("zhaifei", 4), ("ktv", 3), ("southern", 2), ("northern", 3)]
"""The rules under which bids are read and rule-based players decide."""
OWN = [
    rules_named("zhaifei~fei-to-zhai=flat~zhai-to-fei=double~doubles=2", 2),
    rules_named("zhaifei~jump~jump-cost=one", 4),
    rules_named("zhaifei~jump", 5),
]
"""Rules of one's own, of which random rounds are played too."""
READINGS = 40
REFUSED = 60
"""Random bids after random bids, of which those that are illegal are written."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LINES = 60
EXPLORED = 12
Action = int
Runs = tuple[Action, ...]
Vector = dict[str, Any]


def round_vectors(
    rules: Rules, random: np.random.Generator, sets: dict[Runs, int]
) -> Iterator[Vector]:
    """Yield random rounds: what is legal at each turn, as a number in `sets`, and what is
    settled."""
    for deal in roll_hands(rules, ROUNDS, random).tolist():
        opener, made, legal = int(random.integers(rules.players)), list[Action](), []
        while True:
            actions = legal_after(rules, made)
            legal.append(sets.setdefault(runs_of(actions), len(sets)))
            action = drawn(actions, rules, random)
            if action >= len(domain(rules)):
                break
            made.append(action)
        dice = [list(hands(rules)[hand]) for hand in deal]
        yield {
            "opener": opener,
            "actions": [*made, action],
            "legal": legal,
            "hands": dice,
            "settled": settlement(rules, opener, made, action, dice),
        }


def legal_after(rules: Rules, made: Sequence[Action]) -> list[Action]:
    """The legal actions, by the functions that verify what people do."""
    bids = [domain(rules)[one] for one in made]
    return [*raises_in(rules, state_after(rules, bids)), *endings_after(rules, bids)]


@lru_cache(maxsize=4096)
def raises_in(rules: Rules, state: State) -> tuple[Action, ...]:
    """The bids that may follow in a state."""
    return tuple(action_of(rules, bid) for bid in legal_bids(rules, *state))


def runs_of(actions: Sequence[Action]) -> Runs:
    """Ascending actions as the first and the last of each run of consecutive ones."""
    runs = groupby(enumerate(actions), lambda one: one[1] - one[0])
    found = [[action for _, action in run] for _, run in runs]
    return tuple(end for run in found for end in (run[0], run[-1]))


def refused_vectors(rules: Rules, random: np.random.Generator) -> Iterator[Vector]:
    """Yield illegal bids after random bids, and what Python says of them in each language."""
    bids = plain_bids(rules)
    for _ in range(REFUSED):
        made = random_bids(rules, random)
        state = state_after(rules, [domain(rules)[one] for one in made])
        bid = bids[int(random.integers(len(bids)))]
        try:
            verify_bid(rules, bid, *state)
        except IllegalBid as error:
            yield {"history": made, "bid": action_of(rules, bid), **said(error)}


def said(error: IllegalBid) -> Vector:
    found = {}
    for language in LANGUAGES:
        with speaking(language):
            found[language] = explain(error)
    return found


def drawn(legal: list[Action], rules: Rules, random: np.random.Generator) -> Action:
    """A legal action: doubles and small raises more often, so that rounds get long."""
    ends = [one for one in legal if one >= len(domain(rules))]
    raises = legal[: len(legal) - len(ends)]
    if not raises or (ends and random.random() < 0.2):
        return int(random.choice(ends))
    if random.random() < 0.1:
        return raises[-1]
    return raises[int(len(raises) * random.random() ** 4)]


def settlement(
    rules: Rules, opener: int, made: Sequence[Action], action: Action, dice: list[list[int]]
) -> Vector:
    bids = [domain(rules)[one] for one in made]
    ended = settled_by(rules, bids, action - challenge_action(rules))
    assert ended is not None
    bid = bids[len(bids) - ended.back]
    ends = (opener + turn_at(bids, len(bids))) % rules.players
    other = (opener + turn_at(bids, len(bids) - ended.back)) % rules.players
    challenger, bidder = (other, ends) if ended.turned else (ends, other)
    number = sum(counted(rules, bid.claim, hand) for hand in dice)
    whole = [counted(rules, bid.claim, hand) > 0 for hand in dice]
    return {
        "bidder": bidder,
        "challenger": challenger,
        "counted": number,
        "isTrue": number >= ended.claimed,
        "loser": challenger if number >= ended.claimed else bidder,
        "points": ended.cost,
        "counting": [
            [any_ and counts_for(rules, bid, face) for face in hand]
            for any_, hand in zip(whole, dice, strict=True)
        ],
    }


def reading_vectors(rules: Rules, random: np.random.Generator) -> Iterator[Vector]:
    """Yield what the reader does, and the chance of each plain bid, after random bids."""
    reading, plain = Reading(rules, PlausibleBidding(rules)), rules_table(rules, None)["bids"]
    for _ in range(READINGS):
        made, hand = random_bids(rules, random), int(random.integers(len(hands(rules))))
        history = np.array([made], dtype=np.int64)
        own = np.array([hand])
        yield {
            "history": made,
            "hand": list(hands(rules)[hand]),
            "action": int(reading.decide(own, history)[0]),
            "chances": reading.likely(own, history)[0, : len(plain)].tolist(),
        }


class Described(Reading):
    """Ranges and decisions among people of whom somebody says how they bid; others bid what their
    own dice support."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, plausible_bidding(rules))
        self._learned = LearnedReading(rules, opening_policy(rules).table)
        self.said: Sequence[Character | None] = ()
        """[player] how the others bid, in the order of turns after the player to move."""

    def ranges(self, history: Ints) -> list[Floats]:
        """See Reading."""
        places = places_of_others(self.rules, history)
        return [self._range(history, *one) for one in zip(places, self.said, strict=True)]

    def _range(self, history: Ints, places: list[int], said: Character | None) -> Floats:
        if said is None:
            return self.range_of(history, places)
        people = people_of([person_of(self.rules, said)])
        alone = people._replace(odds=np.full((1, 1), -np.inf))  # nobody follows a policy
        return self._learned.range_among(history, places, alone)


def people_vectors(rules: Rules, random: np.random.Generator) -> Iterator[Vector]:
    """Yield ranges, chances and the action of least risk among people who are described."""
    reading, plain = Described(rules), rules_table(rules, None)["bids"]
    for _ in range(READINGS):
        made, hand = random_bids(rules, random), int(random.integers(len(hands(rules))))
        said = random.choice([None, *CHARACTERS], rules.players - 1).tolist()
        reading.said = said if any(said) else [CHARACTERS[0], *said[1:]]
        history, own = np.array([made], dtype=np.int64), np.array([hand])
        yield {
            "history": made,
            "hand": list(hands(rules)[hand]),
            "others": [None if one is None else one.value for one in reading.said],
            "ranges": [one[0].tolist() for one in reading.ranges(history)],
            "chances": reading.likely(own, history)[0, : len(plain)].tolist(),
            "action": int(reading.decide(own, history)[0]),
        }


def random_bids(rules: Rules, random: np.random.Generator) -> list[Action]:
    made: list[Action] = []
    for _ in range(int(random.integers(6))):
        legal = legal_after(rules, made)
        action = drawn(legal, rules, random)
        if action >= len(domain(rules)):
            break
        made.append(action)
    return made


def decision_vectors(rules: Rules, random: np.random.Generator) -> Iterator[Vector]:
    """Yield what every rule-based player does after random bids."""
    players = {name: rule_based(name, rules) for name in RULES}
    for _ in range(READINGS):
        made, hand = random_bids(rules, random), int(random.integers(len(hands(rules))))
        bids = [domain(rules)[one] for one in made]
        yield {
            "history": made,
            "hand": list(hands(rules)[hand]),
            "actions": {
                name: int(player.strategy(bids)[hand].argmax()) for name, player in players.items()
            },
        }


def policy_vectors(policy: TablePolicy, random: np.random.Generator) -> Iterator[Vector]:
    """Yield what a policy plays along lines that leave it now and then, and the chances of bids for
    those who believe in it."""
    rules = policy.rules
    for _ in range(LINES):
        for made, played in positions_of(policy, random):
            hand = int(random.integers(len(hands(rules))))
            bid = int(random.integers(len(rules_table_bids(rules))))
            yield {
                "history": made,
                "hand": list(hands(rules)[hand]),
                "shares": None if played is None else shares_of(played[hand]),
                "bid": bid,
                "chance": believed_chance(policy, made, hand, bid),
            }


def positions_of(
    policy: TablePolicy, random: np.random.Generator
) -> Iterator[tuple[list[Action], NDArray[np.float64] | None]]:
    """Yield the positions of a line of play, with what the policy plays there."""
    made: list[Action] = []
    while True:
        played, legal = played_after(policy, made), legal_after(policy.rules, made)
        yield made.copy(), played
        if played is None or not legal:
            return
        action = drawn_by(played, legal, random)
        if action >= len(domain(policy.rules)):
            return
        made.append(action)


def explorer_vectors(policy: TablePolicy, random: np.random.Generator) -> Iterator[Vector]:
    """Yield what a policy plays with the hands that have some dice, and what all who have bid may
    hold."""
    rules = policy.rules
    for _ in range(EXPLORED):
        for made, played in positions_of(policy, random):
            hand = hands(rules)[int(random.integers(len(hands(rules))))]
            held = hand[: int(random.integers(rules.dice + 1))]
            seats = {
                turn_at([domain(rules)[one] for one in made], place) % rules.players: None
                for place in range(len(made))
            }
            own = own_range(policy, made)
            yield {
                "history": made,
                "held": list(held),
                "selected": None if played is None else selected(rules, own, played, held),
                "ranges": {seat: range_of(policy, made, seat).tolist() for seat in seats},
            }


def own_range(policy: TablePolicy, made: Sequence[Action]) -> NDArray[np.float64]:
    """[hand] the probability of each hand and of the bids that the player to move made with it by
    the policy."""
    rules = policy.rules
    found = np.array(probabilities(rules))
    for place in places_by(rules, made, mover_of(rules, made)):
        played = played_after(policy, made[:place])
        found = found * (0.0 if played is None else played[:, made[place]])
    return found


def selected(
    rules: Rules,
    own: NDArray[np.float64],
    played: NDArray[np.float64],
    held: Sequence[int],
) -> Vector:
    """What is played with the hands that have at least some dice."""
    has = with_dice(rules, held)
    reached = bool((own * has).any())
    weights = (own if reached else np.array(probabilities(rules))) * has
    return {
        "hands": int(has.sum()),
        "share": float((own * has).sum() / (own.sum() or 1.0)),
        "reached": reached,
        "shares": shares_of(weights @ played / weights.sum()),
    }


def range_of(policy: TablePolicy, made: Sequence[Action], seat: int) -> NDArray[np.float64]:
    """[hand] what a seat may hold: the player to move by the policy where it bids so, the others as
    those at the table believe."""
    rules = policy.rules
    if seat == mover_of(rules, made) and played_after(policy, made) is not None:
        own = own_range(policy, made)
        if own.any():
            return own / own.sum()
    return believed_range(policy, made, places_by(rules, made, seat))


def rules_table_bids(rules: Rules) -> list[object]:
    return [bid for bid in domain(rules) if not bid.doubled]


def drawn_by(
    played: NDArray[np.float64], legal: list[Action], random: np.random.Generator
) -> Action:
    if random.random() < 0.2:
        return int(random.choice(legal))
    mass = played.sum(axis=0)
    return int(random.choice(mass.size, p=mass / mass.sum()))


def played_after(policy: TablePolicy, made: Sequence[Action]) -> NDArray[np.float64] | None:
    """[hand, action] the policy after these bids, or None if it does not store them."""
    history = np.array(made, dtype=np.int64)
    if node_of(policy.upto(made), history, len(made)) == NO_NODE:
        return None
    return policy.strategy([domain(policy.rules)[one] for one in made])


def shares_of(played: NDArray[np.float64]) -> dict[int, float]:
    return {int(action): float(played[action]) for action in np.flatnonzero(played)}


def believed_chance(policy: TablePolicy, made: Sequence[Action], hand: int, bid: Action) -> float:
    """The chance that a bid is true for the player to move: `web/policy/ranges.js` in numpy."""
    rules = policy.rules
    mover, total = mover_of(rules, made), np.ones(1)
    own = np.array([counted(rules, domain(rules)[bid], one) for one in hands(rules)])
    for ahead in range(1, rules.players):
        range_ = believed_range(policy, made, places_by(rules, made, mover + ahead))
        total = np.convolve(total, np.bincount(own, range_))
    missing = max(0, domain(rules)[bid].count - int(own[hand]))
    return float(total[missing:].sum() / total.sum())


@lru_cache
def plausible_bidding(rules: Rules) -> PlausibleBidding:
    return PlausibleBidding(rules)


def believed_range(
    policy: TablePolicy, made: Sequence[Action], places: list[int]
) -> NDArray[np.float64]:
    rules = policy.rules
    plausible = plausible_bidding(rules)
    read, likely = np.array(probabilities(rules)), 1.0
    follows, as_policy = np.array(probabilities(rules)), 1.0
    for place in places:
        history = np.array([made[:place]], dtype=np.int64)
        read = read * plausible(history, np.array([made[place]]))[0]
        played = played_after(policy, made[:place])
        follows = follows * (0.0 if played is None else played[:, made[place]])
    likely, as_policy = float(read.sum()), float(follows.sum())
    if as_policy > 0.0 and as_policy >= FOLLOWS * likely:
        return follows / as_policy
    return read / likely


def write(directory: Path, policies: Sequence[Path]) -> None:
    """Write all vectors, and the tables that they are about."""
    random = np.random.default_rng(40)
    limits = {"longest": LONGEST, "rounds": MOST_SEEN, "locks": MOST_LOCKS}
    _write(directory / "limits.json", limits)
    for rules in [*every_rules(), *OWN]:
        _write(directory / f"{key_of(rules)}.rules.json", rules_table(rules, None))
        sets: dict[Runs, int] = {}
        _write(directory / f"{key_of(rules)}.rounds.json", [*round_vectors(rules, random, sets)])
        _write(directory / f"{key_of(rules)}.legal.json", [*sets])
        _write(directory / f"{key_of(rules)}.refused.json", [*refused_vectors(rules, random)])
    for name, players in READ:
        rules = preset(name, players=players)
        key = key_of(rules)
        _write(directory / f"{key}.players.json", decision_tables(rules))
        _write(directory / f"{key}.decisions.json", [*decision_vectors(rules, random)])
        _write(directory / f"{key}.readings.json", [*reading_vectors(rules, random)])
        _write(directory / f"{key}.people.json", [*people_vectors(rules, random)])
    for path in policies:
        policy = load_policy(path)
        vectors = [*policy_vectors(policy, random)]
        (directory / path.name).write_bytes(path.read_bytes())
        name = f"{key_of(policy.rules)}.policy.json"
        explored = [*explorer_vectors(policy, random)]
        _write(directory / name, {"file": path.name, "vectors": vectors, "explored": explored})


def _write(path: Path, value: object) -> None:
    path.write_bytes(as_json(value))


if __name__ == "__main__":
    write(Path(sys.argv[1]), [*map(Path, sys.argv[2:])])
