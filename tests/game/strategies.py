"""Hypothesis strategies for what the tests of `game` draw."""

from typing import Any

from hypothesis import strategies as st

from zhaifei.game.bids import Bid, domain, legal_bids, plain_bids, state_after
from zhaifei.game.hands import Hand
from zhaifei.game.house import NUMBER, STAKES, SWITCHES
from zhaifei.game.parts import GivingUp, Mode
from zhaifei.game.rounds import Round
from zhaifei.game.rules import PRESETS, Rules, preset

POINT_PRESETS = [name for name in PRESETS if not preset(name).loses_dice]
"""The variants whose rounds cost penalty points."""


_NEEDS = {
    "fei-to-zhai=half": ["zhai-to-fei=double-plus-one"],
    "zhai-to-fei=double": ["fei-to-zhai=more-than-half"],
    "zhai-to-fei=plus-two": ["fei-to-zhai=flat"],
    "zhai-to-fei=plus-players": ["fei-to-zhai=flat"],
    "giving-up=half": ["doubles=2-4"],
    "giving-up=forbidden": ["doubles=2-4"],
}
"""What a house rule needs: other readings of 飞 and 斋, without which bids would go in circles, or
stakes that are doubled."""
NOT_FOR_TWO = ["straight=by-wish", "jump-cost=one", "jump-cost=two"]
"""House rules that two players cannot have."""


def spelled(name: str, number: int = 2) -> str:
    """A house rule with numbers in place of what stands for them in its name."""
    return name.replace(STAKES, "2-4").replace(NUMBER, str(number))


HOUSES = [[spelled(name), *_NEEDS.get(name, [])] for name in SWITCHES if name not in NOT_FOR_TWO]
"""Each house rule that two players may have, with what it needs in zhaifei."""
CHANGES_OF_MODE: list[dict[str, str]] = [
    {},
    {"fei_to_zhai": "flat", "zhai_to_fei": "double"},
    {"fei_to_zhai": "half", "zhai_to_fei": "double_plus_one"},
    {"fei_to_zhai": "one_less", "zhai_to_fei": "plus_two"},
    {"zhai_to_fei": "forbidden"},
]


@st.composite
def any_rules(
    draw: st.DrawFn, max_dice: int = 5, max_faces: int = 6, *, plain: bool = False
) -> Rules:
    """Any variant: 2 to 8 players, either mode or both, any wild face, with 跳开, with doubles, or
    with neither. If `plain`, a 斋 count is doubled to compare it, and no stakes are doubled."""
    players, dice = draw(st.integers(2, 8)), draw(st.integers(1, max_dice))
    faces = draw(st.integers(2, max_faces))
    modes = draw(st.sampled_from([(Mode.FEI,), (Mode.ZHAI,), (Mode.FEI, Mode.ZHAI)]))
    return Rules.of(
        players=players,
        dice=dice,
        faces=faces,
        modes=modes,
        wild=draw(st.integers(1, faces)),
        wild_may_be_named=draw(st.booleans()),
        **(draw(st.sampled_from(CHANGES_OF_MODE)) if len(modes) > 1 and not plain else {}),
        first_count=draw(st.integers(0, players * dice)),
        **draw(st.sampled_from([{}, {"jump_challenge": True}]) if plain else stakes()),
    )


@st.composite
def stakes(draw: st.DrawFn) -> dict[str, Any]:
    """跳开, doubles and what it costs to give up, or neither."""
    if draw(st.booleans()):
        return {"jump_challenge": draw(st.booleans())}
    doubled = draw(st.sampled_from([(2,), (2, 4), (2, 4, 8), (3, 5)]))
    prices = [price for price in GivingUp if price is not GivingUp.HALF or doubled != (3, 5)]
    return {"doubled": doubled, "giving_up": draw(st.sampled_from(prices))}


def bids_of(rules: Rules) -> st.SearchStrategy[Bid]:
    """A bid of the domain that doubles no other."""
    return st.sampled_from(plain_bids(rules))


def calls_of(rules: Rules) -> st.SearchStrategy[Bid]:
    """A bid or a double of the domain."""
    return st.sampled_from(domain(rules))


def dice_of(rules: Rules) -> st.SearchStrategy[list[Hand]]:
    """One roll per seat, in any order."""
    roll = st.tuples(*[st.integers(1, rules.faces)] * rules.dice)
    return st.lists(roll, min_size=rules.players, max_size=rules.players)


@st.composite
def histories_of(draw: st.DrawFn, rules: Rules, min_size: int = 0) -> tuple[Bid, ...]:
    """A legal history of up to ten bids: longer than any challenge reaches back."""
    history: list[Bid] = []
    for _ in range(draw(st.integers(min_size, 10))):
        bids = legal_bids(rules, *state_after(rules, history))
        if not bids:
            break
        # Often one of the weakest, or there would hardly ever be many. Doubles come last.
        weakest = st.sampled_from(bids[:3]) | st.sampled_from(bids)
        last = st.sampled_from(bids[-1:]) if bids[-1].doubled else weakest
        history.append(draw(weakest | last))
    return tuple(history)


@st.composite
def rounds_of(draw: st.DrawFn, rules: Rules, min_size: int = 0) -> Round:
    """A round in progress, started by anybody."""
    starter = draw(st.integers(0, rules.players - 1))
    return Round(rules, draw(dice_of(rules)), starter, draw(histories_of(rules, min_size)))
