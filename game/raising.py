"""Which bids may follow which, by their modes, counts and faces.

A raise needs a *count*, which decides what its *face* must be: any, one no lower, or a higher one.
Every reading of the rules between 飞 and 斋 is a row of `_fei_to_zhai` or `_zhai_to_fei`.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

from zhaifei.game.parts import BiddingRules, FeiToZhai, Mode, Raising, ZhaiToFei


class Face(Enum):
    """The face that a raise of some count needs."""

    ANY = "any"
    NO_LOWER = "no lower"
    HIGHER = "higher"
    NONE = "none"
    """No bid of this count may follow."""

    def allows(self, rank: Any, last: Any) -> Any:
        """Return whether a face of this `rank` may follow a face of rank `last`: a bool for whole
        numbers, and an array of bools for arrays."""
        if self is Face.NO_LOWER:
            return rank >= last
        return self is Face.ANY or (self is Face.HIGHER and rank > last)


class Least(NamedTuple):
    """The counts that a raise needs."""

    higher: int
    """The count that needs a higher face; no count does if it is not below `any_face`."""
    any_face: int
    """The least count that may have any face."""


def face_needed(
    bidding: BiddingRules, players: int, last: tuple[Mode, int], raised: tuple[Mode, int]
) -> Face:
    """Return the face that a bid of the mode and count `raised` needs to follow a bid of the mode
    and count `last`, among `players` players."""
    (last_mode, last_count), (mode, count) = last, raised
    if bidding.raising is Raising.ONE_MORE:
        return Face.ANY if count == last_count + 1 else Face.NONE
    if bidding.raising is Raising.FACE_OR_COUNT:
        more, same = count > last_count, count == last_count
        return Face.NO_LOWER if more else Face.HIGHER if same else Face.NONE
    least = least_raise(bidding, players, last_mode, last_count, mode)
    if least is None or count < min(least):
        return Face.NONE
    return Face.ANY if count >= least.any_face else Face.HIGHER


def least_raise(
    bidding: BiddingRules, players: int, last_mode: Mode, last_count: int, mode: Mode
) -> Least | None:
    """Return the least counts of a bid in `mode` that follows a bid of `last_count` in `last_mode`,
    where raises are STRONGER; None if no such bid may follow."""
    if mode is last_mode:
        return Least(last_count, last_count + 1)
    if mode is Mode.ZHAI:
        return _fei_to_zhai(bidding.fei_to_zhai, last_count)
    return _zhai_to_fei(bidding.zhai_to_fei, last_count, players)


def _fei_to_zhai(reading: FeiToZhai, count: int) -> Least | None:
    half, above = (count + 1) // 2, count // 2 + 1
    return {
        FeiToZhai.STRENGTH: Least(half, above),
        FeiToZhai.FLAT: Least(count, count + 1),
        FeiToZhai.ONE_LESS: _of_any_face(max(1, count - 1)),
        FeiToZhai.HALF: _of_any_face(half),
        FeiToZhai.MORE_THAN_HALF: _of_any_face(above),
        FeiToZhai.FORBIDDEN: None,
    }[reading]


def _zhai_to_fei(reading: ZhaiToFei, count: int, players: int) -> Least | None:
    return {
        ZhaiToFei.STRENGTH: Least(2 * count, 2 * count + 1),
        ZhaiToFei.DOUBLE: _of_any_face(2 * count),
        ZhaiToFei.DOUBLE_PLUS_ONE: _of_any_face(2 * count + 1),
        ZhaiToFei.PLUS_TWO: _of_any_face(count + 2),
        ZhaiToFei.PLUS_PLAYERS: _of_any_face(count + players),
        ZhaiToFei.FORBIDDEN: None,
    }[reading]


def _of_any_face(count: int) -> Least:
    return Least(count, count)


def least_opening(bidding: BiddingRules, mode: Mode, *, ones: bool) -> int:
    """Return the least count of a bid in `mode` that opens a round, on the wild face if `ones`."""
    if ones and bidding.first_ones:
        return bidding.first_ones
    return (mode is Mode.ZHAI and bidding.first_zhai) or bidding.first_count


def least_counts(bidding: BiddingRules, players: int) -> dict[Mode, int]:
    """Return the least count in each mode that any round can reach, where raises are STRONGER."""
    least = {
        mode: min(least_opening(bidding, mode, ones=ones) for ones in (False, True))
        for mode in bidding.modes
    }
    while True:
        raised = dict(least)
        for last, count in least.items():
            for mode in least:
                raises = least_raise(bidding, players, last, count, mode)
                if raises is not None:
                    raised[mode] = min(raised[mode], *raises)
        if raised == least:
            return least
        least = raised


@lru_cache
def circle(bidding: BiddingRules, players: int, most: int) -> tuple[int, int, int] | None:
    """Return the counts of three bids that players could repeat for ever. Return None if there are
    no such bids up to the count `most`.

    The bids are a 飞 bid, a 斋 bid that follows it, and a 飞 bid that follows the 斋 bid and is no
    stronger than the first.

    Raises within a mode get stronger. So bids in a circle pass from 飞 to 斋 and back, and one of
    these passes gains nothing. Its second 飞 bid has a lower count than the first, or the same
    count and a face that need not be higher. The least 斋 counts that follow are enough, because
    higher ones take no lower counts back.
    """
    if len(bidding.modes) < len(Mode) or bidding.raising is not Raising.STRONGER:
        return None
    for fei in range(least_counts(bidding, players)[Mode.FEI], most + 1):
        zhai = _fei_to_zhai(bidding.fei_to_zhai, fei)
        for count in () if zhai is None else {min(zhai), zhai.any_face}:
            back = _zhai_to_fei(bidding.zhai_to_fei, count, players)
            assert zhai is not None
            if back is None or count > most:
                continue
            # A 斋 bid of any face may have the lowest, above which a 飞 bid need not be high.
            free = count >= zhai.any_face or back.any_face == min(back)
            if min(back) < fei or (free and min(back) == fei):
                return fei, count, min(back)
    return None
