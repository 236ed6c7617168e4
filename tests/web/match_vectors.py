"""Matches for dice as Python plays them, for `tests/web/dice.test.js`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.web.vectors import drawn_by, legal_after, played_after, shares_of
from zhaifei.app.pocket.match_tables import decisions_of_match, every_match, match_table
from zhaifei.app.pocket.pocket_policies import pocket_path
from zhaifei.app.pocket.rules_tables import key_of
from zhaifei.app.pocket.shapes import as_json
from zhaifei.game.bids import Bid, State, action_of, counted, domain
from zhaifei.game.chances import chance
from zhaifei.game.hands import Hand, hands, hands_of, rolls_of
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.match import Match
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset_name
from zhaifei.policies.players.match_policy import MatchPolicy, load_match
from zhaifei.policies.players.reading import FLOOR, POWER
from zhaifei.policies.players.rule_based import RULES
from zhaifei.policies.players.rule_based_decider import raise_by_rule

SIZES = (2, 3, 5, 8)
"""Numbers of players."""
DECIDED = 5
"""Up to this number of players, what rule-based players do is written too."""
MATCHES = 3
"""Matches of each variant and number of players."""
READ = {("knockout", 3), ("classic", 2)}
"""Variants and numbers of players of which a match is written with chances."""
LINES = 6
"""Lines of each round of a policy."""
FACES = 5
"""How many faces a bid may name."""
Vector = dict[str, Any]


def written_matches() -> list[Rules]:
    """The variants of which matches are written."""
    return [rules for rules in every_match() if rules.players in SIZES]


def write(directory: Path) -> None:
    """Write all files."""
    for name, content in _files():
        (directory / name).write_bytes(content)


def _files() -> Iterator[tuple[str, bytes]]:
    """Yield the names and the contents of all files."""
    random = np.random.default_rng(41)
    for rules in every_match():
        key, name = key_of(rules), str(preset_name(rules))
        if rules.players <= DECIDED:
            players = decisions_of_match(name, rules.players)
            yield f"{key}.match-players.json", as_json(players)
        if rules.players not in SIZES:
            continue
        yield f"{key}.match-rules.json", as_json(match_table(rules))
        reads = (name, rules.players) in READ
        matches = [match_vector(rules, random, reads and not n) for n in range(MATCHES)]
        yield f"{key}.matches.json", as_json(matches)
        path = pocket_path(rules)
        if path is not None:
            yield path.name, path.read_bytes()
            vectors = [*policy_vectors(load_match(path), random)]
            yield f"{key}.match-policy.json", as_json({"file": path.name, "vectors": vectors})


def match_vector(rules: Rules, random: np.random.Generator, reads: bool) -> Vector:
    """A match of random actions, round by round, and who wins it. `reads`: with all chances."""
    match, rounds = Match(rules, random), []
    while not match.is_over:
        round_ = match.deal()
        steps = [*steps_of(round_, random, reads)]
        settlement = match.settle()
        rounds.append(
            {
                "opener": round_.starter,
                "hands": round_.hands,
                "steps": steps,
                "loser": settlement.loser,
                "winner": settlement.winner,
                "counted": settlement.counted,
                "dice": match.dice,
                "next": match.starter,
            }
        )
    order = [one.seat for one in match.standings()]
    return {"rounds": rounds, "winner": match.winner, "order": order}


def policy_vectors(policy: MatchPolicy, random: np.random.Generator) -> Iterator[Vector]:
    """Yield what a policy plays in lines of every round, which leave the policy now and then."""
    for dice, its in policy.rounds.items():
        for _ in range(LINES):
            made: list[int] = []
            while (played := played_after(its, made)) is not None:
                own = [len(one) == dice[len(made) % 2] for one in hands(its.rules)]
                hand = int(random.choice(np.flatnonzero(own)))
                yield {
                    "dice": dice,
                    "history": made.copy(),
                    "hand": hands(its.rules)[hand],
                    "shares": shares_of(played[hand]),
                }
                action = drawn_by(played, legal_after(its.rules, made), random)
                if action >= len(domain(its.rules)):
                    break
                made.append(action)


def steps_of(round_: Round, random: np.random.Generator, reads: bool) -> Iterator[Vector]:
    """Play a round by random actions; yield each decision, with what rule-based players do."""
    while round_.settlement is None:
        legal, turn = legal_in(round_), round_.turn
        action = drawn(legal, challenge_with(round_), random)
        yield {
            "turn": turn,
            "legal": legal,
            "action": action,
            "rules": decided(round_),
            **(reading(round_) if reads else {}),
        }
        if is_one_decision(round_) and action != challenge_with(round_):
            round_.decline()
        if action == DECLINE:
            round_.decline()
        elif action == challenge_with(round_):
            round_.challenge()
        else:
            round_.bid(domain(round_.rules)[action])


def is_one_decision(round_: Round) -> bool:
    """Whether the player in turn, who is asked, bids next and nobody is asked in between."""
    return round_.is_asked and len(round_.seats) == 2


def challenge_with(round_: Round) -> int:
    """The action of a challenge, which comes after the bids that can be made."""
    return FACES * sum(round_.dice)


def legal_in(round_: Round) -> list[int]:
    raises = raises_in(round_) if is_one_decision(round_) else round_.legal_bids()
    asked = [DECLINE] if round_.is_asked and not is_one_decision(round_) else []
    ends = [challenge_with(round_)] if round_.can_challenge() else []
    return [*asked, *(action_of(round_.rules, bid) for bid in raises), *ends]


def raises_in(round_: Round) -> tuple[Bid, ...]:
    return legal_bids_with(round_.rules, round_.state, sum(round_.dice))


def drawn(legal: list[int], challenge: int, random: np.random.Generator) -> int:
    """A legal action: small raises more often, and seldom a challenge."""
    others = [action for action in legal if action != challenge]
    if not others or (challenge in legal and random.random() < 0.12):
        return challenge
    return others[int(len(others) * random.random() ** 4)]


def decided(round_: Round) -> dict[str, int]:
    """The action of each rule-based player, by its name; none at large tables."""
    names = RULES if len(round_.dice) <= DECIDED else ()
    return {name: by_rule(name, round_) for name in names}


def by_rule(name: str, round_: Round) -> int:
    hand, table = round_.hands[round_.turn], sum(round_.dice)
    bid = raise_by_rule(name, round_.rules, hand, round_.state, table)
    if bid is None:
        return challenge_with(round_)
    asked = round_.is_asked and not is_one_decision(round_)
    return DECLINE if asked else action_of(round_.rules, bid)


def reading(round_: Round) -> Vector:
    """The chances of all bids for the player in turn, and what a player does who reads bids."""
    chances = chances_of(round_)
    return {"chances": chances, "reader": readers_action(round_, chances)}


def readers_action(round_: Round, chances: list[float]) -> int:
    """The action of least risk; see `risksOfAsked` in `web/policy/advice.js`."""
    raises = [action_of(round_.rules, bid) for bid in raises_in(round_)]
    last = None if round_.last is None else action_of(round_.rules, round_.last)
    risks = {action: 1.0 - chances[action] for action in raises}
    if round_.is_asked and not is_one_decision(round_):
        standing = min([2.0, *risks.values()]) if round_.declined == 0 else 1 / len(round_.seats)
        risks = {DECLINE: standing}
    if last is not None and challenge_with(round_) in legal_in(round_):
        risks[challenge_with(round_)] = chances[last]
    least = min(risks.values())
    return next(action for action, risk in risks.items() if risk <= least + 1e-9)


def chances_of(round_: Round) -> list[float]:
    """The chance of each bid that can be made, if the others bid what their dice support."""
    rules, own = round_.rules, round_.hands[round_.turn]
    ranges = [range_of(round_, seat) for seat in round_.seats if seat != round_.turn]
    found = []
    for bid in domain(rules)[: challenge_with(round_)]:
        total = np.ones(1)
        for every, range_ in ranges:
            total = np.convolve(total, np.bincount([counted(rules, bid, h) for h in every], range_))
        missing = max(0, bid.count - counted(rules, bid, own))
        found.append(float(total[missing:].sum() / total.sum()))
    return found


def range_of(round_: Round, seat: int) -> tuple[tuple[Hand, ...], NDArray[np.float64]]:
    """The hands of a player, and the probability of each given the player's bids."""
    rules, dice, table = round_.rules, round_.dice[seat], sum(round_.dice)
    range_ = np.array(rolls_of(rules, dice), dtype=np.float64)
    for place, bid in enumerate(round_.history):
        if round_.bidder(place) == seat:
            last = round_.history[place - 1] if place else None
            range_ *= likelihood(rules, dice, table, last, bid)
    return hands_of(rules, dice), range_ / range_.sum()


@lru_cache(maxsize=4096)
def likelihood(
    rules: Rules, dice: int, table: int, last: Bid | None, bid: Bid
) -> NDArray[np.float64]:
    """[hand] how likely a player with this hand makes a bid after the `last`."""
    may = legal_bids_with(rules, State(last), table)
    weights = {one: weights_of(rules, dice, table, one) for one in may}
    shares: NDArray[np.float64] = weights[bid] / sum(weights.values())
    return shares


@lru_cache(maxsize=4096)
def weights_of(rules: Rules, dice: int, table: int, bid: Bid) -> NDArray[np.float64]:
    likely = [chance(rules, bid, hand, table - dice) for hand in hands_of(rules, dice)]
    weights: NDArray[np.float64] = (FLOOR + np.array(likely)) ** POWER
    return weights
