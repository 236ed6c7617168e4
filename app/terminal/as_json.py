"""Return results for --json as plain untranslated values, and print them."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from zhaifei.game.bids import Bid, domain, mover_after
from zhaifei.game.notation import format_action, format_hand, format_history
from zhaifei.game.rules import Rules
from zhaifei.game.stakes import Unit, unit_of_play
from zhaifei.solver.value.matches import winning

if TYPE_CHECKING:
    from zhaifei.policies.advice.advice import Advice, RangeAdvice
    from zhaifei.policies.advice.seen import SeenPerson
    from zhaifei.policies.catalogue.record import PolicyRecord
    from zhaifei.policies.measure.known_gain import KnownGain
    from zhaifei.policies.measure.penalty_shares import Shares
    from zhaifei.policies.measure.timed_evaluation import BestResponses, Duel
    from zhaifei.policies.play.simulation import PenaltyShare
    from zhaifei.policies.players.match_policy import Stakes
    from zhaifei.policies.review.against import Better
    from zhaifei.policies.review.decisions import ReviewedDecision
    from zhaifei.policies.review.luck import RoundLuck
    from zhaifei.policies.review.reviewing import Part, ReviewedMatch, ReviewedRound, Summary
    from zhaifei.policies.review.scoring import Rate, Score
    from zhaifei.solver.bounds import Bounds
    from zhaifei.solver.response.gaining_decisions import Decision


def print_json(found: Mapping[str, Any]) -> None:
    """Print one JSON object on a line. Escape characters that the encoding of stdout lacks, and
    bytes of a path that are not text."""
    text = json.dumps(found, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(found)
    print(text)


def record_json(record: PolicyRecord) -> dict[str, Any]:
    """Return the record of the policy that answers; its figure is None if none is recorded."""
    return record._asdict()


def advice_json(rules: Rules, advice: Advice) -> dict[str, Any]:
    """Return `advice`; the seat counts from 1 and is None if bids before the last are unknown."""
    seat = None if advice.earlier_unknown else mover_after(rules, advice.history) + 1
    return {
        "hand": format_hand(advice.hand),
        "history": format_history(advice.history),
        "earlier_bids_unknown": advice.earlier_unknown,
        "seat": seat,
        **_answer_json(advice),
    }


def range_json(rules: Rules, advice: RangeAdvice) -> dict[str, Any]:
    """Return `advice`: the strategy of the range as a whole, and the answer for every hand with the
    hand's weight in the range. The value of an action that no hand takes is None."""
    return {
        "history": format_history(advice.history),
        "seat": mover_after(rules, advice.history) + 1,
        "believed": advice.believed.value,
        "p_true": [chance for _, chance in advice.true],
        "value": advice.value,
        "actions": [asdict(action) for action in advice.actions],
        "hands": [
            {"hand": format_hand(one.hand), "weight": weight, **_answer_json(one)}
            for one, weight in zip(advice.hands, advice.weights.tolist(), strict=True)
        ],
    }


def with_stakes(rules: Rules, found: Mapping[str, Any], stakes: Stakes) -> dict[str, Any]:
    """Return the advice `found` for a round of a match for two, which has these `rules`, with the
    probabilities that each action wins the round and the match."""
    match = {
        "dice": list(rules.dice_by_player),
        "wins_match_after_winning": stakes.won,
        "wins_match_after_losing": stakes.lost,
    }
    actions = [{**action, **_wins(action, stakes)} for action in found["actions"]]
    return {"match": match, **found, "actions": actions}


def _wins(action: Mapping[str, Any], stakes: Stakes) -> dict[str, float | None]:
    """Return the probabilities that an action wins the round and the match; None if its value is
    unknown."""
    from zhaifei.policies.advice.advice import MOST_ERROR  # noqa: PLC0415  # most output needs no solver

    points = action["value"]
    if points is None or action.get("value_error", 0.0) > MOST_ERROR:
        return {"wins_round": None, "wins_match": None}
    return {"wins_round": winning(points), "wins_match": stakes.match(points)}


def _answer_json(advice: Advice) -> dict[str, Any]:
    """Return the advice for one hand."""
    from zhaifei.policies.advice.advice import Locked, Opening, PlayedOut, Solved, Source  # noqa: PLC0415  # most output needs no solver

    ground = advice.ground
    return {
        "read_from_bids": ground is Source.READ,
        "opening_follows": ground.follows if isinstance(ground, Opening) else None,
        "played_out": ground._asdict() if isinstance(ground, PlayedOut) else None,
        "overruled": advice.overruled,
        "solved_again": ground._asdict() if isinstance(ground, Solved) else None,
        "locked": ground._asdict() if isinstance(ground, Locked) else None,
        "p_true": advice.p_true,
        "p_true_of_earlier": [chance for _, chance in advice.true[1:]],
        "actions": [
            {
                "action": action.action,
                "probability": action.probability,
                "value": action.value,
                "value_error": action.value_error,
            }
            for action in advice.actions
        ],
    }


def seen_json(
    rules: Rules, history: Sequence[Bid], people: Sequence[SeenPerson]
) -> list[dict[str, Any]]:
    """Return what is believed about the people at the table after `history`, whose seats count from
    the player who opened."""
    from zhaifei.policies.advice.seen import seat_after  # noqa: PLC0415  # most output needs no solver

    return [
        {"seat": seat_after(rules, history, ahead) + 1, **person_json(one)}
        for ahead, one in enumerate(people, 1)
    ]


def person_json(one: SeenPerson) -> dict[str, Any]:
    """Return what is believed about a person."""
    from zhaifei.policies.advice.people import portrait_of  # noqa: PLC0415  # most output needs no solver

    portrait = portrait_of(one.person)
    return {
        "name": one.name,
        "manner": portrait.manner.value,
        "program": portrait.program,
        "probability": portrait.probability,
        "challenges_below": portrait.limit,
        "rounds": portrait.rounds,
    }


def bounds_json(bounds: Bounds) -> dict[str, float]:
    """Return both ends of the interval."""
    return {"lower": bounds.lower, "upper": bounds.upper}


def evaluation_json(
    responses: BestResponses,
    reading: Sequence[KnownGain],
    shares: Mapping[str, Shares],
    decisions: Sequence[Decision] | None,
) -> dict[str, Any]:
    """Return the evaluation of a policy: what a best response earns and gains, in each seat or at
    each position of a match.

    For rounds include penalty shares by opponent, sampled lower bounds on gains, also those where
    the policy is `reading` hands, and `decisions` unless they are None.
    """
    rules = responses.policy.rules
    found: dict[str, Any] = {
        "exact": responses.exact,
        "rules": rules.to_dict(),
        "training": dict(getattr(responses.policy, "training", {})),
        "seconds": round(responses.seconds, 3),
    }
    if unit_of_play(rules) is Unit.MATCH:
        return {"match_gain": bounds_json(responses.match_gain), **found, **_rounds_json(responses)}
    earned = responses.earned
    found = {
        "exploitability": bounds_json(earned.exploitability),
        "nash_conv": bounds_json(earned.nash_conv),
        "best_response": [bounds_json(seat) for seat in earned.seats],
        **found,
    }
    if responses.gains:
        found["gain"] = [bounds_json(gain) for gain in responses.gains]
    for name, gains in (("known_gain", responses.known), ("reading_gain", reading)):
        found[name] = [
            {"mean": gain.mean, "deviation": gain.deviation, "lower": gain.lower} for gain in gains
        ]
    found["penalty_share"] = {
        name: {**_share_json(both.own), "theirs": _share_json(both.other)}
        for name, both in shares.items()
    }
    if decisions is not None:
        found["response"] = [decision_json(rules, one) for one in decisions]
    return found


def _rounds_json(responses: BestResponses) -> dict[str, Any]:
    """Return the bounds at each position of a match. Dice are given as those of the opener, then
    those of the other player."""
    return {
        "rounds": [
            {
                "dice": list(position),
                "best_response_points": [
                    bounds_json(seat) for seat in responses.positions[position].seats
                ],
                "best_response_wins_match": [bounds_json(seat) for seat in wins],
            }
            for position, wins in responses.wins.items()
        ]
    }


def duel_json(duel: Duel) -> dict[str, Any]:
    """Return bounds on what one policy earns against another, and the equivalent sample size."""
    return {
        "as opener": bounds_json(duel.as_opener),
        "as responder": bounds_json(duel.as_responder),
        "mean": bounds_json(duel.mean),
        "sampled_rounds": duel.sampled_rounds,
    }


def _share_json(share: PenaltyShare) -> dict[str, float]:
    return {
        "share": share.share,
        "lower": share.lower,
        "upper": share.upper,
        "rounds": share.rounds,
    }


def decision_json(rules: Rules, decision: Decision) -> dict[str, Any]:
    """Return a decision by which a best response gains; the seat counts from 0."""

    def shares(actions: Mapping[int, float]) -> dict[str, float]:
        return {format_action(rules, action): share for action, share in actions.items()}

    return {
        "seat": decision.seat,
        "history": format_history(tuple(domain(rules)[bid] for bid in decision.history)),
        "gain": bounds_json(decision.gain),
        "probability": decision.probability,
        "response": shares(decision.does),
        "policy": shares(decision.policy_does),
    }


def review_json(match: ReviewedMatch) -> dict[str, Any]:
    """Return a reviewed match; rounds and seats count from 1."""
    return {
        "source": match.source,
        "rules": match.rules.to_dict(),
        "seats": list(match.seats),
        "seat": match.seat + 1,
        "rounds": [_round_json(one) for one in match.rounds],
    }


def better_json(better: Sequence[Better]) -> list[dict[str, Any]]:
    """Return the decisions in which another action would have earned more against the people of a
    match; rounds count from 1."""
    return [
        {
            "round": one.number,
            "history": format_history(one.decision.history),
            "done": one.decision.done,
            "better": one.action,
            "gain": one.gain,
            "margin": one.margin,
            "because_of": person_json(one.because_of),
        }
        for one in better
    ]


def _round_json(reviewed: ReviewedRound) -> dict[str, Any]:
    luck, verdict = reviewed.luck, reviewed.verdict
    return {
        "round": reviewed.number,
        "starter": reviewed.starter + 1,
        "points": None if reviewed.points is None else list(reviewed.points),
        "verdict": None if verdict is None else verdict.value,
        "decisions_to_blame": reviewed.to_blame,
        "cost": reviewed.cost,
        "luck": None if luck is None else _luck_json(luck),
        "decisions": [_decision_json(one) for one in reviewed.decisions],
    }


def _luck_json(told: RoundLuck) -> dict[str, Any]:
    return {**asdict(told), "luck": told.luck, "skill": told.skill}


def _decision_json(one: ReviewedDecision) -> dict[str, Any]:
    return {
        "hand": format_hand(one.hand),
        "history": format_history(one.history),
        "done": one.done,
        "played": one.played,
        "value": one.value,
        "best": one.best,
        "best_played": one.best_played,
        "best_value": one.best_value,
        "cost": one.cost,
        "margin": one.margin,
        "grade": one.grade.value,
        "kind": one.kind.value,
        "mode": one.mode.name.lower(),
        "p_true": one.p_true,
    }


def summary_json(summary: Summary) -> dict[str, Any]:
    """Return the summary of all matches together."""
    return {
        "rounds": summary.rounds,
        "points": summary.lost,
        "earned": summary.earned,
        "seats": summary.seats,
        "luck": summary.luck._asdict(),
        "skill": summary.skill._asdict(),
        "without_corrections": summary.plain._asdict(),
        "cost": summary.cost,
        "cost_margin": summary.cost_margin,
        "grades": {grade.value: number for grade, number in summary.grades.items()},
        "kinds": {kind.value: _part_json(part) for kind, part in summary.kinds.items()},
        "modes": {mode.name.lower(): _part_json(part) for mode, part in summary.modes.items()},
        "verdicts": {one.value: number for one, number in summary.verdicts.items()},
        "costliest": [
            {"round": round_.number, **_decision_json(one)} for round_, one in summary.costliest
        ],
    }


def _part_json(part: Part) -> dict[str, Any]:
    return part._asdict()


def score_json(rules: Rules, score: Score, seed: int) -> dict[str, Any]:
    """Return the result of a scored match, in penalty points a round, and the seed of its dice."""
    return {
        "rules": rules.to_dict(),
        "rounds": score.rounds,
        "seed": seed,
        "points_lost": _rate_json(score.lost),
        "without_corrections": _rate_json(score.plain),
        "penalty_points": score.points,
        "decisions": score.decisions,
        "illegal_answers": score.illegal,
    }


def _rate_json(rate: Rate) -> dict[str, float | None]:
    """Return an estimate with its 95 % confidence interval, which is None after one round."""
    mean, margin = rate
    ends = (None, None) if margin is None else (mean - margin, mean + margin)
    return {"mean": mean, "lower": ends[0], "upper": ends[1]}
