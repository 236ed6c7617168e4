"""What workers are asked, in this process."""

from pathlib import Path

import pytest

from tests.command_line import Solved
from zhaifei.app.server.advice import known
from zhaifei.app.web import thinking
from zhaifei.game.bids import Bid, action_of, challenge_action, legal_bids
from zhaifei.game.hands import Hand
from zhaifei.game.parts import Mode
from zhaifei.game.positions import round_rules
from zhaifei.game.public_state import DECLINE, PublicState
from zhaifei.game.rounds import Round
from zhaifei.game.rules import preset
from zhaifei.game.views import View, verify_action, view_of
from zhaifei.policies.play import lineup
from zhaifei.policies.play.played import PlayedMatch
from zhaifei.policies.play.record_text import parse_rounds

ONE_DIE = preset("zhaifei", dice=1, faces=3)
THREE = preset("zhaifei", players=3, dice=1, faces=3, jump_challenge=True)


def test_a_policy_decides_advises_and_reviews(one_die: Solved) -> None:
    rules, hand = ONE_DIE, (2,)
    opening = legal_bids(rules, None)[0]
    view = view_of(rules, 1, hand, 0, (opening,))
    verify_action(view, thinking.decide(one_die.policy, view, 1))
    advice, stakes = thinking.advise(one_die.policy, view)
    assert stakes is None
    assert abs(sum(one.probability for one in advice.actions) - 1.0) < 1e-6
    raised = action_of(rules, legal_bids(rules, opening)[-1])
    found = thinking.review(one_die.policy, rules, rules, 1, hand, (opening,), raised)
    assert found.cost >= 0.0


def test_equal_questions_get_equal_answers(one_die: Solved) -> None:
    view = view_of(ONE_DIE, 0, (1,), 0, ())
    assert len({thinking.decide(one_die.policy, view, 7) for _ in range(3)}) == 1


def test_luck_is_told(one_die: Solved) -> None:
    match: PlayedMatch = parse_rounds("2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n")
    told = thinking.tell_luck(one_die.policy, match, match.rounds[0], 0, 1.0)
    luck = told.luck
    assert luck.value + luck.luck + luck.skill == pytest.approx(luck.earned)


@pytest.mark.usefixtures("places")
def test_where_no_policy_is_known_a_reader_plays() -> None:
    assert thinking.describe(None, THREE) == ("reader", "probabilistic", False)
    view = view_of(THREE, 0, (2,), 0, ())
    verify_action(view, thinking.decide(None, view, 1))


def test_a_policy_is_called_by_its_file(one_die: Solved) -> None:
    called = thinking.describe(one_die.policy, ONE_DIE)
    assert called == ("one_die", str(one_die.policy), True)


def test_the_warm_up_asks_what_is_asked_later(one_die: Solved) -> None:
    thinking.warm_up(one_die.policy)


# Matches in which dice are lost

KNOCKOUT = preset("knockout", players=2)


def view_at(dice: tuple[int, int], hand: Hand, bids: tuple[Bid, ...]) -> View:
    """The view of seat 1 in a round that seat 0 began with these numbers of dice."""
    state = PublicState(KNOCKOUT, dice, 0, bids)
    return state.view_with(hand, 1)


def test_a_match_policy_decides_advises_and_reviews_and_is_loaded_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads = []
    load = lineup.load_for
    monkeypatch.setattr(lineup, "load_for", lambda *asked: loads.append(asked) or load(*asked))
    known.lineup.cache_clear()
    assert thinking.describe(None, KNOCKOUT) == ("knockout-2p", "knockout-2p", True)
    hand, bid = (2, 5), Bid(Mode.FEI, 1, 2)
    view = view_at((1, 2), hand, (bid,))
    for seed in range(3):
        action = thinking.decide(None, view, seed)
        assert action in (DECLINE, challenge_action(KNOCKOUT))
    advice, stakes = thinking.advise(None, view)
    assert stakes is not None
    assert stakes.won > stakes.lost
    assert abs(sum(one.probability for one in advice.actions) - 1.0) < 1e-6
    of = round_rules(KNOCKOUT, (1, 2))
    found = thinking.review(None, KNOCKOUT, of, 1, hand, (bid,), challenge_action(of))
    assert found.advice.actions == advice.actions
    assert len(loads) == 1


def test_more_players_play_for_dice_by_a_rule() -> None:
    rules = preset("classic", players=3)
    assert thinking.describe(None, rules) == ("probabilistic", "probabilistic", False)
    view = Round(rules, [(1, 2), (), (3, 4)]).view()
    verify_action(view, thinking.decide(None, view, 1))


def test_the_warm_up_knows_policies_of_whole_matches() -> None:
    thinking.warm_up(Path("knockout-2p"))
