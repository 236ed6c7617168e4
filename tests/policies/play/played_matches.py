"""Hypothesis strategies for rounds and matches as they were played."""

from importlib.metadata import version

from hypothesis import strategies as st

from tests.game.strategies import rounds_of
from zhaifei.game.bids import action_of, challenge_action, challengeable
from zhaifei.game.hands import Hand
from zhaifei.game.rules import Rules
from zhaifei.policies.play.played import UNNAMED, YOU, PlayedMatch, PlayedRound, played_round

printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)


@st.composite
def played_rounds(draw: st.DrawFn, rules: Rules) -> PlayedRound:
    """A round that ended or did not, with known and unknown dice, whose loser may be unknown."""
    round_ = draw(rounds_of(rules))
    known = draw(st.lists(st.booleans(), min_size=rules.players, max_size=rules.players))
    hands: list[Hand | None] = [
        tuple(hand) if shown else None for hand, shown in zip(round_.hands, known, strict=True)
    ]
    actions = [action_of(rules, bid) for bid in round_.history]
    if not actions or draw(st.booleans()):
        return played_round(rules, round_.starter, hands, actions)
    distance = draw(st.sampled_from(challengeable(rules, len(actions))))
    loser = round_.challenge(distance).loser if draw(st.booleans()) else None
    actions.append(challenge_action(rules, distance))
    return played_round(rules, round_.starter, hands, actions, loser)


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
    rounds = draw(st.lists(played_rounds(its), min_size=1, max_size=3))
    return PlayedMatch(its, tuple(seats), you, None, None, version("zhaifei"), tuple(rounds))
