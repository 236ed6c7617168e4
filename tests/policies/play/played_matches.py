"""Hypothesis strategies for rounds and matches as they were played."""

from importlib.metadata import version

from hypothesis import strategies as st

from zhaifei.game.bids import action_of, challenge_action, challengeable
from zhaifei.game.hands import hands_of
from zhaifei.game.public_state import DECLINE, FORFEIT
from zhaifei.game.rounds import Round
from zhaifei.game.rules import PRESETS, Rules, preset
from zhaifei.game.stakes import change_of_score, dice_at, first_score
from zhaifei.policies.play.played import (
    UNNAMED,
    YOU,
    PlayedMatch,
    PlayedRound,
    dice_after,
    played_round,
    starter_after,
)

printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)


@st.composite
def preset_rules(draw: st.DrawFn) -> Rules:
    """Any preset for two to four players, for penalty points or for dice."""
    name, players = draw(st.sampled_from([*PRESETS])), draw(st.integers(2, 4))
    dice, faces = draw(st.integers(1, 9)), draw(st.integers(2, 9))
    stakes = preset(name).stakes
    jumps = not stakes.loses_dice and not stakes.doubled and draw(st.booleans())
    one_size = preset(name).counting.by_hand
    uneven = players == 2 and not one_size and draw(st.booleans())
    several = (dice, draw(st.integers(1, 9))) if uneven else dice
    return preset(name, players=players, dice=several, faces=faces, jump_challenge=jumps)


@st.composite
def played_rounds(draw: st.DrawFn, rules: Rules, last: PlayedRound | None = None) -> PlayedRound:
    """A round that ended or did not, with known and unknown dice, whose loser may be unknown. It
    may begin as the rules say after the `last` one."""
    starter = draw(st.integers(0, rules.players - 1))
    lost = [draw(st.integers(0, full - 1)) for full in rules.dice_by_player]
    if rules.players > 2 and draw(st.booleans()):  # somebody is out
        lost[starter - 1] = rules.dice_by_player[starter - 1]
    score = [
        one + change_of_score(rules, less)
        for one, less in zip(first_score(rules), lost, strict=True)
    ]
    dice = dice_at(rules, score, starter)
    if last is not None and (follows := starter_after(rules, last)) is not None:
        left = dice_after(rules, last, follows)
        if left is not None and sum(map(bool, left)) > 1 and draw(st.booleans()):
            starter, dice = follows, left
    roll = [
        st.lists(st.integers(1, rules.faces), min_size=one, max_size=one).filter(
            lambda hand: tuple(sorted(hand)) in hands_of(rules, len(hand))
        )
        for one in dice
    ]
    round_ = Round(rules, draw(st.tuples(*roll)), starter)
    actions = [action_of(rules, bid) for bid in round_.history]
    for _ in range(draw(st.integers(0, 12))):
        if round_.is_over:
            break
        actions.append(draw(st.sampled_from(_choices(round_))))
        round_.take(actions[-1])
    settled = round_.settlement if draw(st.booleans()) else None
    known = draw(st.lists(st.booleans(), min_size=rules.players, max_size=rules.players))
    hands = [hand if shown else None for hand, shown in zip(round_.hands, known, strict=True)]
    loser = None if settled is None else settled.loser
    return played_round(rules, starter, hands, actions, loser, dice)


def _choices(round_: Round) -> list[int]:
    """What the player in turn may do, with only few of the bids: the weakest and the strongest."""
    rules, bids = round_.rules, [action_of(round_.rules, bid) for bid in round_.legal_bids()]
    reachable = challengeable(rules, len(round_.history))
    challenges = [challenge_action(rules, one) for one in reachable if round_.can_challenge(one)]
    others = [DECLINE] * 3 if round_.is_asked else [FORFEIT] * rules.loses_dice
    return [*bids[:4], *bids[-1:], *challenges, *others]


@st.composite
def played_matches(
    draw: st.DrawFn, rules: st.SearchStrategy[Rules], names: st.SearchStrategy[str] = printable
) -> PlayedMatch:
    """A match of one round or more, without a seed or a policy."""
    its = draw(rules)
    seats = draw(st.lists(names | st.just(UNNAMED), min_size=its.players, max_size=its.players))
    you = draw(st.none() | st.integers(0, its.players - 1))
    if you is not None:
        seats[you] = YOU
    rounds: list[PlayedRound] = []
    for _ in range(draw(st.integers(1, 4))):
        rounds.append(draw(played_rounds(its, rounds[-1] if rounds else None)))
    return PlayedMatch(its, tuple(seats), you, None, None, version("zhaifei"), tuple(rounds))
