"""Bids, their order and their legality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import is_straight
from zhaifei.game.messages import Message
from zhaifei.game.parts import FiveAlike, GivingUp, JumpCost, Mode, Raising, Straight
from zhaifei.game.raising import Face, Least, face_needed, least_counts, least_opening, least_raise
from zhaifei.game.rules import Rules

Level = TypeVar("Level", int, NDArray[np.int64])
"""How many doubles end a history, or [history] for several."""

_FACES = tuple(Face)
MODE_SIGNS = {Mode.FEI: "飞", Mode.ZHAI: "斋"}


class IllegalBid(ZhaifeiError):
    """Raised for a bid that the rules do not allow here; the message says why."""

    @property
    def why(self) -> Message:
        """The reason without the bid; the whole message for what is never a bid in these rules."""
        why: Message = self.values.get("why", self.message)
        return why


@dataclass(frozen=True, slots=True)
class Bid:
    """The claim that at least `count` dice on the table show `face`, counted as `mode` says.

    A *double* (劈, 反劈) is the same claim at higher stakes. It is written as what the player says.
    """

    mode: Mode
    count: int
    face: int
    doubled: int = 0
    """How many times the stakes have been doubled since the bid was made: 1 after 劈, 2 after 反劈.
    Odd doubles are made by the player who doubts the claim."""

    def __str__(self) -> str:
        if self.doubled:
            return "反" * (self.doubled - 1) + "劈"
        return f"{MODE_SIGNS[self.mode]}{self.count}×{self.face}"

    @property
    def claim(self) -> Bid:
        """The bid before its stakes were doubled."""
        return replace(self, doubled=0) if self.doubled else self


class State(NamedTuple):
    """What decides which bids may follow in a round."""

    last: Bid | None = None
    """The last bid, or None at the start of a round."""
    fei_ended: bool = False
    """Whether ones were named under rules by which ones end 飞 (`Rules.ones_end_fei`)."""


START = State()
"""The state at the start of a round."""


def rank_of(rules: Rules, face: int) -> int:
    """Return the rank of a face in comparisons of bids: the face itself, or `faces` + 1 for ones
    where ones are highest."""
    return rules.faces + 1 if face == 1 and rules.bidding.ones_highest else face


@lru_cache
def domain(rules: Rules) -> tuple[Bid, ...]:
    """Return every bid of the rules, then their doubles. The index of a bid is its action. Raises
    of bids that can be made come after them; otherwise bids are ordered by count, doubled under 斋,
    face and mode. Doubles are ordered by how many times they double, then as their bids."""
    listed = sorted(
        (
            Bid(mode, count, face)
            for mode in rules.bidding.modes
            for count in range(1, rules.highest_count + 1)
            for face in rules.nameable_faces(mode)
        ),
        key=lambda bid: (weighted_count(bid), rank_of(rules, bid.face), bid.mode),
    )
    bids = [listed[place] for place in _raises_last(rules, listed)]
    levels = range(len(rules.stakes.doubled) + 1)
    return tuple(replace(bid, doubled=level) for level in levels for bid in bids)


def plain_bids(rules: Rules) -> tuple[Bid, ...]:
    """Return every bid of the rules without the doubles, which come last in `domain`."""
    bids = domain(rules)
    return bids[: len(bids) // (len(rules.stakes.doubled) + 1)]


def weighted_count(bid: Bid) -> int:
    """Return the count of `bid`, doubled under 斋."""
    return bid.count * (1 + (bid.mode is Mode.ZHAI))


def follows(rules: Rules, bids: Sequence[Bid]) -> NDArray[np.bool_]:
    """Return [last, bid] whether each of `bids` may follow each, where ones have not ended 飞."""
    ranks = np.array([rank_of(rules, bid.face) for bid in bids])
    groups = np.array([(bid.mode, bid.count) for bid in bids])
    kinds, group = np.unique(groups, axis=0, return_inverse=True)
    group = group.reshape(-1)
    named = [(Mode(mode), count) for mode, count in kinds.tolist()]
    needed = np.array(
        [[_FACES.index(_face_needed(rules, last, one)) for one in named] for last in named]
    )[np.ix_(group, group)]
    found = np.zeros(needed.shape, dtype=np.bool_)
    for number, face in enumerate(_FACES):
        found |= (needed == number) & face.allows(ranks[np.newaxis], ranks[:, np.newaxis])
    doubled = np.array([bid.doubled for bid in bids])
    found &= (doubled == 0) & (doubled[:, np.newaxis] == 0)
    same_claim = (group[:, np.newaxis] == group) & (ranks[:, np.newaxis] == ranks)
    found |= same_claim & (doubled == doubled[:, np.newaxis] + 1)
    return found


def _raises_last(rules: Rules, bids: Sequence[Bid]) -> list[int]:
    """Return the places of `bids` in an order in which each comes after all those that it may
    follow, but for those that no round can reach, and otherwise in their own order."""
    follow = follows(rules, bids)
    if rules.bidding.raising is Raising.STRONGER:
        least = least_counts(rules.bidding, rules.players)
        follow[[bid.count < least[bid.mode] for bid in bids]] = False
    waits, order = follow.sum(axis=0), list[int]()
    ready = np.flatnonzero(waits == 0).tolist()
    while ready:
        order.append(heappop(ready))
        waits -= follow[order[-1]]
        for bid in np.flatnonzero(follow[order[-1]] & (waits == 0)).tolist():
            heappush(ready, bid)
    return order


def turn_of(made: int, level: Level) -> Level:
    """Return the turn of the player who moves after `made` bids and doubles, the last `level` of
    which are doubles: a number, or [history] for histories of one length. Turn t belongs to player
    t modulo the number of players, from the opener on.

    A plain bid passes the turn on. After a double only two players go on, in turn: the bidder and
    the next player, who doubled first.
    """
    return made - level - level % 2


def turn_at(bids: Sequence[Bid], place: int) -> int:
    """Return the turn at which the bid or double at this `place` of `bids` was made, or the next
    will be made, as in `turn_of`."""
    return turn_of(place, bids[place - 1].doubled if 0 < place <= len(bids) else 0)


def mover_after(rules: Rules, bids: Sequence[Bid]) -> int:
    """Return the player who moves after the bids of a round, in turn order from the opener."""
    return turn_at(bids, len(bids)) % rules.players


def mover_of(rules: Rules, actions: Sequence[int]) -> int:
    """Return the player who moves after the `actions`, which are bids, as `mover_after` does."""
    level = actions[-1] // len(plain_bids(rules)) if actions else 0
    return turn_of(len(actions), level) % rules.players


def places_by(rules: Rules, actions: Sequence[int], player: int) -> list[int]:
    """Return the places in `actions`, which are bids, of those that `player` made, in turn order
    from the opener; players count modulo their number."""
    doubles = actions[-1] // len(plain_bids(rules)) if actions else 0
    plain = len(actions) - doubles
    return [
        place
        for place in range(len(actions))
        if (turn_of(place, max(0, place - plain)) - player) % rules.players == 0
    ]


def ends_fei(rules: Rules, bid: Bid) -> bool:
    """Return whether no 飞 bid may follow `bid` to the end of the round, since it names ones."""
    return rules.bidding.ones_end_fei and bid.face == rules.counting.wild


def follows_ones(bid: Bid) -> bool:
    """Return whether `bid` may follow where ones have ended 飞."""
    return bid.mode is Mode.ZHAI or bid.doubled > 0


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


def gives_up_action(rules: Rules) -> int:
    """Return the action of giving up (认输) after a double. It comes after the challenge."""
    return len(domain(rules)) + 1


def gives_up(rules: Rules, action: int) -> bool:
    """Return whether `action` is giving up (认输)."""
    return bool(rules.stakes.doubled) and action == gives_up_action(rules)


def distance_of(rules: Rules, action: int) -> int:
    """Return how many bids ago the bid was made that `action` challenges, or a number below 1 if
    the action is a bid. Giving up (`gives_up`) is no challenge. Raise IllegalBid for a negative
    action."""
    if action < 0:
        raise IllegalBid("no bid has the action {action}", action=action)
    return action - challenge_action(rules) + 1


def action_count(rules: Rules) -> int:
    """Return the number of actions: all bids and doubles, then all endings."""
    return len(domain(rules)) + rules.endings


def challengeable(rules: Rules, bids_made: int) -> range:
    """Return the distances, in bids, of the challenges that are legal after `bids_made` bids."""
    return range(1, min(rules.furthest_challenge, bids_made) + 1)


class Ending(NamedTuple):
    """What an action settles that ends the bidding."""

    back: int
    """How many bids ago the settled bid was made, or doubled: 1 stands for the last."""
    claimed: int
    """The count from which on the challenger loses; 0 if the challenger gives up."""
    cost: int
    """What the loser loses: penalty points, or dice."""
    turned: bool
    """Whether the challenger is the player who doubled, so that the other one takes the action."""


def back_of(rules: Rules, ending: int) -> int:
    """Return how many bids ago the bid was made, or doubled, that the action numbered `ending`
    among the endings settles."""
    return 1 if rules.stakes.doubled else ending + 1


def ending_of(rules: Rules, ending: int, settled: Bid) -> Ending | None:
    """Return what the action numbered `ending` among the endings settles if it settles the bid or
    double `settled`; None if it cannot.

    A challenge of the last bid costs a penalty point or a die, and one of an earlier bid (跳开)
    what `Points.jump_cost` says. After a double the challenge shows the dice at the doubled stakes.
    """
    level, back = settled.doubled, back_of(rules, ending)
    if not rules.stakes.doubled:
        cost = 1 if ending == 0 else _jump_cost(rules.stakes.jump_cost, back)
        return Ending(back, settled.count, cost, turned=False)
    stakes = (1, *rules.stakes.doubled)[level]
    if ending == 0:
        return Ending(back, settled.count, stakes, turned=level % 2 == 1)
    if level == 0 or rules.stakes.giving_up is GivingUp.FORBIDDEN:
        return None
    half = rules.stakes.giving_up is GivingUp.HALF
    return Ending(back, 0, stakes // 2 if half else 1, turned=False)


def _jump_cost(reading: JumpCost, distance: int) -> int:
    """Return the penalty points for a challenge of the bid made `distance` bids ago."""
    return {JumpCost.DISTANCE: distance, JumpCost.ONE: 1, JumpCost.TWO: 2}[reading]


def endings_after(rules: Rules, history: Sequence[Bid]) -> list[int]:
    """Return the actions that may end the bidding after the bids of a round, oldest first."""
    return [
        len(domain(rules)) + ending
        for ending in range(rules.endings)
        if settled_by(rules, history, ending) is not None
    ]


def settled_by(rules: Rules, history: Sequence[Bid], ending: int) -> Ending | None:
    """Return what the action numbered `ending` among the endings settles after the bids of a round,
    oldest first; None if it is illegal."""
    back = back_of(rules, ending)
    return None if back > len(history) else ending_of(rules, ending, history[-back])


def verify_in_domain(rules: Rules, bid: Bid) -> None:
    """Raise IllegalBid if `bid` is not a bid of the variant."""
    if bid in _places(rules):
        return
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
    if bid.doubled and not rules.stakes.doubled:
        raise IllegalBid(
            "{bid} is no call in these rules: they do not let players double the stakes; a "
            "challenge is 开",
            bid=bid,
        )
    if not 0 <= bid.doubled <= len(rules.stakes.doubled):
        raise IllegalBid(
            "{bid} is not a call in these rules: stakes are doubled up to {most} times",
            bid=bid,
            most=len(rules.stakes.doubled),
        )
    faces = rules.nameable_faces(bid.mode)
    raise IllegalBid(
        "{bid} is not a bid in these rules: a {mode} bid names a face from {lowest} to {highest}",
        bid=bid,
        mode=MODE_SIGNS[bid.mode],
        lowest=faces[0],
        highest=faces[-1],
    )


def verify_bid(rules: Rules, bid: Bid, last: Bid | None, fei_ended: bool = False) -> None:
    """Raise IllegalBid if `bid` may not follow in the state of `last` and `fei_ended`."""
    verify_in_domain(rules, bid)
    if can_bid(rules, bid, last, fei_ended):
        return
    if bid.doubled or (last is not None and last.doubled):
        raise _doubles_not(bid, last)
    if last is None:
        raise _opens_not(rules, bid)
    if fei_ended and not follows_ones(bid):
        raise IllegalBid(
            "{bid} may not follow {last}: {why}",
            bid=bid,
            last=last,
            why=Message("ones have been named, so only 斋 bids may follow"),
        )
    raise _raises_not(rules, bid, last)


def can_bid(rules: Rules, bid: Bid, last: Bid | None, fei_ended: bool = False) -> bool:
    """Return whether `bid` may follow in the state of `last` and `fei_ended`."""
    return bid in legal_bids(rules, last, fei_ended)


def _doubles_not(bid: Bid, last: Bid | None) -> IllegalBid:
    """Return the error for a double that does not follow `last`, or a bid that follows a double."""
    if last is None:
        why = Message("there is no bid to double")
        return IllegalBid("{bid} may not open a round: {why}", bid=bid, why=why)
    why = Message("no bid follows a double")
    if not last.doubled:
        why = Message("it doubles another bid")
    return IllegalBid("{bid} may not follow {last}: {why}", bid=bid, last=last, why=why)


def _opens(rules: Rules, bid: Bid) -> bool:
    if rules.bidding.raising is not Raising.ONE_MORE:
        return bid.count >= _least_opening(rules, bid)
    return bid.count in (range(2, rules.dice + 2) if rules.bidding.forced_opening else (1,))


def _least_opening(rules: Rules, bid: Bid) -> int:
    return least_opening(rules.bidding, bid.mode, ones=bid.face == rules.counting.wild)


@lru_cache(maxsize=1 << 16)
def _face_needed(rules: Rules, last: tuple[Mode, int], raised: tuple[Mode, int]) -> Face:
    return face_needed(rules.bidding, rules.players, last, raised)


def _opens_not(rules: Rules, bid: Bid) -> IllegalBid:
    """Return the error for a bid that may not open a round."""
    one_more = rules.bidding.raising is Raising.ONE_MORE
    if one_more and not rules.bidding.forced_opening:
        return _other_count(bid, 1)
    if one_more:
        why = Message(
            "the first bid counts one die more than its bidder holds, 2 to {most}",
            most=rules.dice + 1,
        )
    else:
        why = Message(
            "as the first bid, it must have a count of at least {count}",
            count=_least_opening(rules, bid),
        )
    return IllegalBid("{bid} may not open a round: {why}", bid=bid, why=why)


def _other_count(bid: Bid, count: int) -> IllegalBid:
    why = Message("the next bid must have a count of {count}", count=count)
    return IllegalBid("{bid} is not allowed here: {why}", bid=bid, why=why)


def _raises_not(rules: Rules, bid: Bid, last: Bid) -> IllegalBid:
    """Return the error for a bid that may not follow `last`."""
    if rules.bidding.raising is Raising.ONE_MORE:
        return _other_count(bid, last.count + 1)
    if rules.bidding.raising is Raising.FACE_OR_COUNT:
        why = Message(
            "a raise needs a higher count and a face no lower, or the same count and a higher face"
        )
        return IllegalBid("{bid} may not follow {last}: {why}", bid=bid, last=last, why=why)
    least = least_raise(rules.bidding, rules.players, last.mode, last.count, bid.mode)
    if least is None:
        why = Message(
            "after a {before} bid only {before} bids may follow", before=MODE_SIGNS[last.mode]
        )
        return IllegalBid("{bid} may not follow {last}: {why}", bid=bid, last=last, why=why)
    why = _takes(bid.mode, least)
    return IllegalBid("{bid} is not stronger than {last}: {why}", bid=bid, last=last, why=why)


def _takes(mode: Mode, least: Least) -> Message:
    """Return what a raise in `mode` needs."""
    if least.higher >= least.any_face:
        return Message("{mode} takes {count} or more", mode=MODE_SIGNS[mode], count=least.any_face)
    return Message(
        "{mode} takes {count} or more, or {same} of a higher face",
        mode=MODE_SIGNS[mode],
        count=least.any_face,
        same=least.higher,
    )


def verify_history(rules: Rules, history: tuple[Bid, ...]) -> None:
    """Raise IllegalBid for the first bid that may not follow the bids before it."""
    for place, bid in enumerate(history):
        verify_bid(rules, bid, *state_after(rules, history[:place]))


def verify_can_arise(rules: Rules, bid: Bid) -> None:
    """Raise IllegalBid if no round can reach `bid`, as an opening or as a raise."""
    verify_in_domain(rules, bid)
    weakest = legal_bids(rules, None)[0]
    if not any(can_bid(rules, bid.claim, last) for last in (None, weakest)):
        raise IllegalBid(
            "{bid} can never be made: it may not open a round, and no opening is weaker than it",
            bid=bid,
        )


@lru_cache(maxsize=4096)
def legal_bids(rules: Rules, last: Bid | None, fei_ended: bool = False) -> tuple[Bid, ...]:
    """Return the bids that may follow `last` (None: that may open a round), weakest first.

    Where ones may have been named before `last` (`fei_ended`), pass the whole state of the round:
    `legal_bids(rules, *state_after(rules, history))`."""
    if last is None:
        return tuple(bid for bid in plain_bids(rules) if _opens(rules, bid))
    raises = np.flatnonzero(following(rules)[action_of(rules, last)]).tolist()
    bids = (domain(rules)[bid] for bid in raises)
    return tuple(bid for bid in bids if not fei_ended or follows_ones(bid))


@lru_cache
def following(rules: Rules) -> NDArray[np.bool_]:
    """Return [last, bid] whether each bid may follow each, where ones have not ended 飞. The array
    is read-only."""
    found = follows(rules, domain(rules))
    found.setflags(write=False)
    return found


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
    if number == len(hand) == rules.dice:
        return number + _more(rules.counting.five_alike, bid, hand)
    return number


def _more(reading: FiveAlike, bid: Bid, hand: Sequence[int]) -> int:
    """Return how many dice more than its own a whole `hand` counts whose dice all count towards
    `bid`."""
    if reading is FiveAlike.TWO_IF_PURE:
        return 2 if {*hand} == {bid.face} else 1
    return int(reading is FiveAlike.ONE_MORE and len({*hand}) == 1)
