"""Gifts: against best responses written out, and the theorem that they add up."""

from collections.abc import Iterator

import numpy as np
import pytest

from tests.policies.learning.tiny_rounds import (
    BIDS,
    HANDS,
    PRIOR,
    RULES,
    History,
    legal,
    payoff,
    solved,
    table,
)
from zhaifei.game.bids import challenge_action
from zhaifei.policies.learning import gifts as gifts_module
from zhaifei.policies.learning.gifts import Gifts


def mine(line: History, place: int) -> np.ndarray:
    """The prior of the player at this place, times the probability of their own actions."""
    reach = PRIOR.copy()
    for made in range(place, len(line), 2):
        reach = reach * table(line[:made])[:, line[made]]
    return reach


def best(line: History, other: int, place: int) -> float:
    """What the player at `place` wins at most after these actions with the hand `other`, times the
    probability of the table's actions."""
    if line and line[-1] >= BIDS:
        reach = mine(line, 1 - place)
        won = [payoff(line[:-1], line[-1], one, other, 1 - place) for one in range(HANDS)]
        return -float(reach @ won)
    every = [best((*line, action), other, place) for action in legal(line)]
    return max(every) if len(line) % 2 == place else sum(every)


def lines(line: History = ()) -> Iterator[History]:
    """All rounds."""
    if line and line[-1] >= BIDS:
        yield line
        return
    for action in legal(line):
        yield from lines((*line, action))


def gift(line: History, other: int, place: int, *, every: bool) -> float:
    """What is given away: compared with `every` action, or with those that are looked at."""
    found = 0.0
    for made in range(place, len(line), 2):
        before, mass = line[:made], mine(line[:made], 1 - place).sum()
        if mass == 0.0 or not (made or every):
            continue
        usual = int(table(before)[other].argmax())
        looked_at = legal(before) if every else {line[made], usual, challenge_action(RULES)}
        values = {one: best((*before, one), other, place) / mass for one in looked_at}
        found += max(values.values()) - values[line[made]]
    return found


def test_gifts_are_those_of_best_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gifts_module, "KEPT", 5)  # so that values are forgotten
    gifts, largest = Gifts(solved()), 0.0
    for line in lines():
        for place in (0, 1):
            for other in range(HANDS):
                found = gifts.given(place, other, line[:-1], line[-1])
                assert found == pytest.approx(gift(line, other, place, every=False), abs=1e-7)
                assert 0.0 <= found <= gift(line, other, place, every=True) + 1e-7
                largest = max(largest, found)
    assert largest > 0.5


@pytest.mark.parametrize("place", [0, 1])
def test_the_table_earns_what_it_secures_and_what_is_given_away(place: int) -> None:
    """Against a player who takes every legal action as often."""
    secured = -sum(PRIOR[other] * best((), other, place) for other in range(HANDS))
    earned = given = credited = 0.0
    gifts = Gifts(solved())
    for line in lines():
        drawn = 1.0
        for made in range(place, len(line), 2):
            drawn /= len(legal(line[:made]))
        reach = mine(line, 1 - place)
        for other in range(HANDS):
            chance = drawn * PRIOR[other]
            won = [payoff(line[:-1], line[-1], one, other, 1 - place) for one in range(HANDS)]
            earned += chance * float(reach @ won)
            given += chance * reach.sum() * gift(line, other, place, every=True)
            credited += chance * reach.sum() * gifts.given(place, other, line[:-1], line[-1])
    assert earned == pytest.approx(secured + given)
    assert earned >= secured + credited - 1e-7
    assert credited > 0.1
