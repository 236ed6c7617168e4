"""How rounds open and end if all players play one strategy table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zhaifei.game.bids import Bid, action_of, challenge_action
from zhaifei.game.hands import probabilities
from zhaifei.game.parts import Mode
from zhaifei.game.tables import bid_tables
from zhaifei.policies.measure.advice import openings
from zhaifei.policies.play.simulation import deal, play_dealt
from zhaifei.policies.players.policy_player import PolicyPlayer
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.showdown import matching_dice, probability_true


@dataclass(frozen=True)
class OpeningPlay:
    """Statistics of openings, which are exact, and of the ends of rounds, which are sampled."""

    openings: list[tuple[Bid, float]]
    """Each opening with its probability over all hands, most probable first."""
    fei: float
    """The probability that an opening is 飞."""
    count: float
    """The mean count of 飞 openings; NaN if there are none of them."""
    true: float
    """The probability that an opening is true."""
    challenged: float
    """The probability that the next player challenges it."""
    bids: float
    """The mean number of bids of a round; sampled."""
    right: float
    """The share of challenges that meet a false bid; sampled."""


def opening_play(policy: TablePolicy, rounds: int, seed: int) -> OpeningPlay:
    """Return how rounds open and end if all play `policy`; the sampled statistics come from
    `rounds` rounds."""
    rules, tables, prior = policy.rules, bid_tables(policy.rules), probabilities(policy.rules)
    others = [prior] * (rules.players - 1)
    made, own, challenge = openings(policy), policy.strategy(()), challenge_action(rules)
    true = challenged = 0.0
    for bid, share in made:
        action = action_of(rules, bid)
        matches, claimed = tables.matches[action], int(tables.claimed[action])
        counts = matching_dice(matches, others, tables.dice)
        chances = [probability_true(claimed, held, counts) for held in matches.tolist()]
        true += float(prior * own[:, action] @ chances)
        challenged += share * float(prior @ policy.strategy([bid])[:, challenge])
    of_fei = [(bid.count, share) for bid, share in made if bid.mode is Mode.FEI]
    fei = sum(share for _, share in of_fei)
    count = sum(claim * share for claim, share in of_fei) / fei if fei else np.nan
    fei, true, challenged = (min(share, 1.0) for share in (fei, true, challenged))  # rounded
    return OpeningPlay(made, fei, count, true, challenged, *_ends(policy, rounds, seed))


def _ends(policy: TablePolicy, rounds: int, seed: int) -> tuple[float, float]:
    """Return the mean number of bids, and the share of challenges that meet a false bid."""
    everybody = [PolicyPlayer(policy)] * policy.rules.players
    ended = [
        play_dealt(everybody, policy.rules, dealt, random)
        for dealt, random in deal(policy.rules, rounds, seed)
    ]
    bids = sum(int(part.bids.sum()) for part in ended)
    true = sum(int(part.true.sum()) for part in ended)
    return bids / rounds, 1.0 - true / rounds
