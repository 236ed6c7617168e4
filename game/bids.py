"""Bids, their strength, their order and their legality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import is_straight
from zhaifei.game.house import Conversion, Straight
from zhaifei.game.parts import Mode, Raising
from zhaifei.game.rules import Rules

MODE_SIGNS = {Mode.FEI: "飞", Mode.ZHAI: "斋"}


class IllegalBid(ZhaifeiError):
    """Raised for a bid that the rules do not allow here; the message says why."""


@dataclass(frozen=True, slots=True)
class Bid:
    """The claim that at least `count` dice on the table show `face`, counted as `mode` says."""

    mode: Mode
    count: int
    face: int

    def __str__(self) -> str:
        return f"{MODE_SIGNS[self.mode]}{self.count}×{self.face}"


class State(NamedTuple):
    """What decides which bids may follow in a round."""

    last: Bid | None = None
    """The last bid, or None at the start of a round."""
    fei_ended: bool = False
    """Whether ones were named under rules by which ones end 飞 (`Rules.ones_end_fei`)."""


START = State()
"""The state at the start of a round."""


def strength(rules: Rules, bid: Bid) -> tuple[int, ...]:
    """Return the strength (大小) of `bid`; lexicographically higher tuples are stronger.

    The tuple holds the weighted count and the rank of the face. Where the conversion of 飞 and 斋
    does not go by face, it holds between them 1 for the mode that is stronger with the same
    weighted count, and 0 for the other mode.
    """
    weighted = bid.count if bid.mode is Mode.FEI else rules.bidding.zhai_weight * bid.count
    rank = rank_of(rules, bid.face)
    if rules.bidding.conversion is Conversion.BY_FACE:
        return weighted, rank
    return (
        weighted,
        int((bid.mode is Mode.FEI) == (rules.bidding.conversion is Conversion.DOUBLE)),
        rank,
    )


def rank_of(rules: Rules, face: int) -> int:
    """Return the rank of a face in comparisons of bids: the face itself, or `faces` + 1 for ones
    where ones are highest."""
    return rules.faces + 1 if face == 1 and rules.bidding.ones_highest else face


@lru_cache
def domain(rules: Rules) -> tuple[Bid, ...]:
    """Return every bid of the rules, ordered by strength, then mode. The index of a bid is its
    action."""
    bids = [
        Bid(mode, count, face)
        for mode in rules.bidding.modes
        for count in range(1, rules.highest_count + 1)
        for face in rules.nameable_faces(mode)
    ]
    return tuple(sorted(bids, key=lambda bid: (strength(rules, bid), bid.mode)))


def ends_fei(rules: Rules, bid: Bid) -> bool:
    """Return whether no 飞 bid may follow `bid` to the end of the round, since it names ones."""
    return rules.bidding.ones_end_fei and bid.face == rules.counting.wild


def state_after(rules: Rules, history: Sequence[Bid]) -> State:
    """Return the state after the bids of a round, oldest first. Does not check that the bids are
    legal."""
    if not history:
        return START
    fei_ended = rules.bidding.ones_end_fei and any(ends_fei(rules, bid) for bid in history)
    return State(history[-1], fei_ended)


@lru_cache
def _places(rules: Rules) -> dict[Bid, int]:
    return {bid: place for place, bid in enumerate(domain(rules))}


def action_of(rules: Rules, bid: Bid) -> int:
    """Return the action of `bid`: its index in `domain`. Raises IllegalBid outside the domain."""
    verify_in_domain(rules, bid)
    return _places(rules)[bid]


def challenge_action(rules: Rules, distance: int = 1) -> int:
    """Return the action that challenges (检验 / 开) the bid made `distance` bids ago. The challenge
    of the last bid comes after all bids, and the challenges of 跳开 follow by distance."""
    return len(domain(rules)) + distance - 1


def action_count(rules: Rules) -> int:
    """Return the number of actions: all bids, then all challenges."""
    return len(domain(rules)) + rules.furthest_challenge


def challengeable(rules: Rules, bids_made: int) -> range:
    """Return the distances, in bids, of the challenges that are legal after `bids_made` bids."""
    return range(1, min(rules.furthest_challenge, bids_made) + 1)


def challenge_cost(rules: Rules, distance: int) -> int:
    """Return what a challenge of the bid made `distance` bids ago costs its loser: that number of
    penalty points (跳开), or one die."""
    return distance


def verify_in_domain(rules: Rules, bid: Bid) -> None:
    """Raise IllegalBid if `bid` is not a bid of the variant."""
    if bid.mode not in rules.bidding.modes:
        raise IllegalBid(
            "{bid} is not a bid in these rules: they allow {mode} bids only",
            bid=bid,
            mode=MODE_SIGNS[rules.bidding.modes[0]],
        )
    if not 1 <= bid.count <= rules.highest_count:
        if rules.highest_count != rules.total_dice:
            raise IllegalBid(
                "{bid} is not a bid in these rules: the count must be 1 to {most}",
                bid=bid,
                most=rules.highest_count,
            )
        if rules.loses_dice:
            raise IllegalBid(
                "{bid} is not a bid in these rules: the count must be 1 to {dice}, the number of "
                "dice at the start of the match",
                bid=bid,
                dice=rules.total_dice,
            )
        raise IllegalBid(
            "{bid} is not a bid in these rules: the count must be 1 to {dice}, the number of "
            "dice on the table",
            bid=bid,
            dice=rules.total_dice,
        )
    faces = rules.nameable_faces(bid.mode)
    if bid.face not in faces:
        raise IllegalBid(
            "{bid} is not a bid in these rules: a {mode} bid names a face from {lowest} to "
            "{highest}",
            bid=bid,
            mode=MODE_SIGNS[bid.mode],
            lowest=faces[0],
            highest=faces[-1],
        )


def verify_bid(rules: Rules, bid: Bid, last: Bid | None, fei_ended: bool = False) -> None:
    """Raise IllegalBid if `bid` may not follow in the state of `last` and `fei_ended`."""
    verify_in_domain(rules, bid)
    if (
        rules.bidding.zhai_stays
        and last is not None
        and last.mode is Mode.ZHAI
        and bid.mode is Mode.FEI
    ):
        raise IllegalBid(
            "{bid} may not follow {last}: after a 斋 bid only 斋 bids may follow",
            bid=bid,
            last=last,
        )
    if fei_ended and bid.mode is Mode.FEI:
        raise IllegalBid(
            "{bid} may not follow {last}: ones have been named, so only 斋 bids may follow",
            bid=bid,
            last=last,
        )
    if rules.bidding.raising is Raising.ONE_MORE:
        _verify_one_more(rules, bid, last)
    elif last is None:
        if bid.count < rules.bidding.first_count:
            raise IllegalBid(
                "{bid} may not open a round: the first bid must have a count of at least {count}",
                bid=bid,
                count=rules.bidding.first_count,
            )
    elif rules.bidding.raising is Raising.FACE_OR_COUNT:
        _verify_face_or_count(rules, bid, last)
    else:
        _verify_stronger(rules, bid, last)


def _verify_one_more(rules: Rules, bid: Bid, last: Bid | None) -> None:
    if last is None and rules.bidding.forced_opening:
        if not 2 <= bid.count <= rules.dice + 1:
            raise IllegalBid(
                "{bid} may not open a round: the first bid counts one die more than its bidder "
                "holds, 2 to {most}",
                bid=bid,
                most=rules.dice + 1,
            )
        return
    count = 1 if last is None else last.count + 1
    if bid.count != count:
        raise IllegalBid(
            "{bid} is not allowed here: the next bid must have a count of {count}",
            bid=bid,
            count=count,
        )


def _verify_face_or_count(rules: Rules, bid: Bid, last: Bid) -> None:
    ours, theirs = rank_of(rules, bid.face), rank_of(rules, last.face)
    more = bid.count > last.count and ours >= theirs
    higher = bid.count == last.count and ours > theirs
    if not (more or higher):
        raise IllegalBid(
            "{bid} may not follow {last}: a raise needs a higher count and a face no lower, or "
            "the same count and a higher face",
            bid=bid,
            last=last,
        )


def _verify_stronger(rules: Rules, bid: Bid, last: Bid) -> None:
    ours, theirs = strength(rules, bid), strength(rules, last)
    if ours == theirs:
        raise IllegalBid(
            "{bid} is not stronger than {last}: both have strength {strength}",
            bid=bid,
            last=last,
            strength=ours,
        )
    if ours < theirs:
        raise IllegalBid(
            "{bid} is not stronger than {last}: strength {ours} against {theirs}",
            bid=bid,
            last=last,
            ours=ours,
            theirs=theirs,
        )


def can_bid(rules: Rules, bid: Bid, last: Bid | None, fei_ended: bool = False) -> bool:
    """Return whether `bid` may follow in the state of `last` and `fei_ended`, as `verify_bid`
    decides."""
    try:
        verify_bid(rules, bid, last, fei_ended)
    except IllegalBid:
        return False
    return True


def verify_history(rules: Rules, history: tuple[Bid, ...]) -> None:
    """Raise IllegalBid for the first bid that may not follow the bids before it."""
    for place, bid in enumerate(history):
        verify_bid(rules, bid, *state_after(rules, history[:place]))


def verify_can_arise(rules: Rules, bid: Bid) -> None:
    """Raise IllegalBid if no round can reach `bid`, as an opening or as a raise."""
    verify_in_domain(rules, bid)
    weakest = legal_bids(rules, None)[0]
    if not any(can_bid(rules, bid, last) for last in (None, weakest)):
        raise IllegalBid(
            "{bid} can never be made: it may not open a round, and no opening is weaker than it",
            bid=bid,
        )


@lru_cache(maxsize=4096)
def legal_bids(rules: Rules, last: Bid | None, fei_ended: bool = False) -> tuple[Bid, ...]:
    """Return the bids that may follow `last` (None: that may open a round), weakest first.

    Where ones may have been named before `last` (`fei_ended`), pass the whole state of the round:
    `legal_bids(rules, *state_after(rules, history))`."""
    return tuple(bid for bid in domain(rules) if can_bid(rules, bid, last, fei_ended))


def counting_faces(rules: Rules, bid: Bid) -> set[int]:
    """Return the faces that count towards `bid`."""
    return {bid.face, rules.counting.wild} if bid.mode is Mode.FEI else {bid.face}


def counts_for(rules: Rules, bid: Bid, face: int) -> bool:
    """Return whether a die that shows `face` counts towards `bid`."""
    return face in counting_faces(rules, bid)


def counted(rules: Rules, bid: Bid, hand: Sequence[int]) -> int:
    """Return how many dice of `hand`, in any order, count towards `bid`. If `hand` is incomplete,
    rules about whole hands do not apply."""
    if (
        rules.counting.straight is Straight.NOTHING
        and len(hand) == rules.dice
        and is_straight(hand)
    ):
        return 0
    faces = counting_faces(rules, bid)
    number = sum(face in faces for face in hand)
    alike = rules.counting.five_alike and len(hand) == rules.dice and len(set(hand)) == 1
    return number + 1 if alike and number else number
