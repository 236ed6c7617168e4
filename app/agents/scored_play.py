"""Play a scored match with a player who answers positions in text.

An answer that cannot be read, or is illegal, is counted. The player is told why and asked once
more; after a second such answer, a challenge is taken for it or, at the start of a round, the
weakest bid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from zhaifei.app.agents.text_game import position_text, read_action, rules_text
from zhaifei.app.locale import say
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.views import View
from zhaifei.policies.review.scoring import ScoredMatch

Ask = Callable[[str], str]
"""Returns the answer of a player to a text."""
_TRIES = 2


def play_scored(match: ScoredMatch, ask: Ask) -> Iterator[int]:
    """Play the match, and yield the number of rounds that have ended whenever it has grown. Raise
    what `ask` raises."""
    told = 0
    while True:
        if len(match.ended) > told:
            told = len(match.ended)
            yield told
        if match.view is None:
            return
        _decide(match, match.view, ask)


def prompt(view: View, told: str = "") -> str:
    """Return the whole text that a player gets for a decision: the rules, the position, and `told`,
    which says what was wrong with the last answer."""
    parts = [rules_text(view.rules), position_text(view), told]
    return "\n".join(part for part in parts if part)


def _decide(match: ScoredMatch, view: View, ask: Ask) -> None:
    """Take the player's decision."""
    told = ""
    for _ in range(_TRIES):
        answer = ask(prompt(view, told))
        try:
            match.act(read_action(view, answer))
        except ZhaifeiError as why:
            match.refuse()
            told = say("Your last answer does not count: {why}", why=why)
        else:
            return
    match.act(stand_in(view))


def stand_in(view: View) -> int:
    """Return the action that is taken for a player without a legal answer: a challenge of the last
    bid or, without a bid, the weakest one."""
    if view.can_challenge:
        return challenge_action(view.rules)
    return action_of(view.rules, view.legal_bids[0])
