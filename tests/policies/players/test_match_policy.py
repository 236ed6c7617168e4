"""Policies for whole matches: their files, and what a decider does with one."""

from collections import Counter
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.altered_files import altered
from tests.policies.small_policies import histories, poor_match_policy
from zhaifei.game.bids import Bid, action_of, challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hand_index, hands, hands_of
from zhaifei.game.match import Match
from zhaifei.game.positions import position_of
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.game.views import View
from zhaifei.policies.play.playing import play_match
from zhaifei.policies.players import match_policy
from zhaifei.policies.players.match_policy import (
    MatchDecider,
    MatchPolicy,
    load_match,
    save_match,
)
from zhaifei.policies.players.table_policy import save_policy
from zhaifei.solver.files.storage import StorageError
from zhaifei.solver.value.matches import Position, positions_of

# Where challenges are asked for before a player bids, and where both are one decision.
ASKED, AT_ONCE = preset("knockout", dice=(2, 1), faces=3), preset("classic", dice=(2, 1), faces=3)
BOTH = pytest.mark.parametrize("rules", [ASKED, AT_ONCE], ids=["knockout", "classic"])
DRAWS = 4000


@lru_cache
def poor_policy(rules: Rules, passes: int = 20) -> MatchPolicy:
    return poor_match_policy(rules, passes)


def decider(policy: MatchPolicy, seed: int = 0) -> MatchDecider:
    return MatchDecider(policy, np.random.default_rng(seed), "mine")


def round_at(
    rules: Rules, position: Position, bids: tuple[Bid, ...], dice: tuple[int, ...] | None = None
) -> Round:
    """A round that seat 1 opened, after these bids; who moves has `dice`."""
    dealt = [(1,) * position[1], (1,) * position[0]]
    if dice is not None:
        dealt[(1 + len(bids)) % 2] = dice
    return Round(rules, dealt, starter=1, history=bids)


def drawn(one: MatchDecider, view: View) -> Counter[int]:
    return Counter(one.decide(view) for _ in range(DRAWS))


def assert_drawn(found: Counter[int], shares: dict[int, float]) -> None:
    """As often as with these probabilities, give or take four standard errors."""
    assert {*found} <= {action for action, share in shares.items() if share > 0.0}
    for action, share in shares.items():
        error = np.sqrt(share * (1.0 - share) / DRAWS)
        assert found[action] / DRAWS == pytest.approx(share, abs=4.0 * error + 1e-12)


def mixed_decision(
    policy: MatchPolicy,
) -> tuple[Position, tuple[Bid, ...], tuple[int, ...], np.ndarray]:
    """Where a hand challenges, and makes each of two raises, with a probability worth testing: the
    position, the bids, the dice, and [action] its strategy."""
    for position, one in policy.rounds.items():
        for bids in histories(one.rules)[1:]:
            played = one.strategy(bids)
            for hand in hands_of(one.rules, position[len(bids) % 2]):
                row = played[hand_index(one.rules, hand)]
                if row[challenge_action(one.rules)] > 0.05 and (row > 0.05).sum() >= 3:
                    return position, bids, hand, row
    raise AssertionError("no hand mixes: make other passes")


def raises_of(policy: MatchPolicy, position: Position, row: np.ndarray) -> dict[int, float]:
    """{action by the rules of the match: probability} of the raises in a strategy of the round."""
    bids = domain(policy.at(position).rules)
    return {action_of(policy.rules, bid): float(row[place]) for place, bid in enumerate(bids)}


def challenged_after_all(policy: MatchPolicy) -> tuple[Position, tuple[Bid, ...]]:
    """A history after which every hand challenges though there are several stronger bids."""
    for position, one in policy.rounds.items():
        for bids in histories(one.rules):
            state = round_at(policy.rules, position, bids)
            state.declined = 1
            calls = one.strategy(bids)[:, challenge_action(one.rules)]
            if bids and len(state.legal_bids()) > 1 and (calls == 1.0).all():
                return position, bids
    raise AssertionError("everything is raised")


# Files


@BOTH
def test_a_file_that_is_read_and_written_again_is_the_same(rules: Rules, tmp_path: Path) -> None:
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    policy = poor_policy(rules)
    save_match(first, policy)
    found = load_match(first)
    save_match(second, found)
    assert second.read_bytes() == first.read_bytes()
    assert found.rules == rules
    assert list(found.rounds) == positions_of(rules)
    for position, one in policy.rounds.items():
        for bids in histories(one.rules):
            np.testing.assert_array_equal(found.at(position).strategy(bids), one.strategy(bids))


def test_a_policy_of_one_round_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "round.safetensors"
    save_policy(path, poor_policy(ASKED).at((1, 1)))
    with pytest.raises(StorageError) as caught:
        load_match(path)
    assert str(caught.value) == f"{path} is a policy file, not a policy file of whole matches"


def test_what_is_no_file_of_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.safetensors"
    path.write_text("a text, and longer than eight bytes")
    with pytest.raises(StorageError, match=r"text\.safetensors is not a whole safetensors file"):
        load_match(path)


def test_a_file_with_one_wrong_byte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.safetensors"
    save_match(path, poor_policy(ASKED))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(StorageError) as caught:
        load_match(path)
    assert str(caught.value) == f"{path} is damaged: its checksum is wrong"


def _too_few(header: dict[str, Any]) -> None:
    header["rounds"].pop()


def _no_rounds(header: dict[str, Any]) -> None:
    header["rounds"] = 3


def _set_in_a_round(name: str, value: object, header: dict[str, Any]) -> None:
    header["rounds"][1][name] = value


def _other_rules(header: dict[str, Any]) -> None:
    header["rules"] = preset("zhaifei").to_dict()


def _more_players(header: dict[str, Any]) -> None:
    header["rules"] = preset("knockout", players=3).to_dict()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_too_few, "there must be 3 rounds"),
        (_no_rounds, "there must be 3 rounds"),
        (partial(_set_in_a_round, "value", 1.5), "value is 1.5, not a number from -1 to 1"),
        (partial(_set_in_a_round, "value", "1"), "value is '1', not a finite number"),
        (
            partial(_set_in_a_round, "exploitability", -0.1),
            "exploitability is -0.1, not a number from 0 to 1",
        ),
        (_other_rules, "is not played for dice"),
        (_more_players, "matches for 3 players are not solved"),
    ],
)
def test_a_file_whose_header_is_wrong_is_refused(change: Any, says: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.safetensors", tmp_path / "bad.safetensors"
    save_match(good, poor_policy(ASKED))
    altered(good, bad, change)
    with pytest.raises(StorageError) as caught:
        load_match(bad)
    text = str(caught.value)
    assert text.startswith(f"{bad} does not describe a policy: ")
    assert says in text
    assert "\n" not in text


# Positions


@pytest.mark.parametrize("position", [(2, 2), (0, 1), (3, 1)])
def test_a_position_to_which_no_match_comes_is_refused(position: Position) -> None:
    with pytest.raises(ZhaifeiError) as caught:
        poor_policy(ASKED).at(position)
    own, other = position
    assert f"no match comes to {own} against {other} dice" in str(caught.value)


@BOTH
def test_a_position_is_the_dice_of_who_opened_first_whoever_moves(rules: Rules) -> None:
    bids = domain(rules)[:3]
    opening = Round(rules, [(1, 2), (3,)], starter=1)
    assert position_of(opening.view()) == (1, 2)
    for made in range(1, 4):
        state = Round(rules, [(1, 2), (3,)], starter=1, history=bids[:made])
        assert position_of(state.view()) == (1, 2)
        state = Round(rules, [(1, 2), (3,)], starter=0, history=bids[:made])
        assert position_of(state.view()) == (2, 1)


# Decisions


def test_who_is_asked_declines_as_often_as_the_policy_raises() -> None:
    policy = poor_policy(ASKED)
    position, bids, dice, row = mixed_decision(policy)
    state = round_at(ASKED, position, bids, dice)
    calls = row[challenge_action(policy.at(position).rules)]
    assert_drawn(
        drawn(decider(policy), state.view()),
        {challenge_action(ASKED): calls, DECLINE: 1.0 - calls},
    )


def test_who_has_declined_raises_as_the_policy_does_when_it_raises() -> None:
    policy = poor_policy(ASKED)
    position, bids, dice, row = mixed_decision(policy)
    state = round_at(ASKED, position, bids, dice)
    state.decline()
    shares = raises_of(policy, position, row)
    total = sum(shares.values())
    assert_drawn(
        drawn(decider(policy), state.view()),
        {action: share / total for action, share in shares.items()},
    )


def test_where_nobody_is_asked_both_are_one_decision() -> None:
    policy = poor_policy(AT_ONCE)
    position, bids, dice, row = mixed_decision(policy)
    state = round_at(AT_ONCE, position, bids, dice)
    calls = row[challenge_action(policy.at(position).rules)]
    shares = raises_of(policy, position, row) | {challenge_action(AT_ONCE): calls}
    assert_drawn(drawn(decider(policy), state.view()), shares)


@BOTH
def test_a_round_is_opened_as_the_policy_opens_it(rules: Rules) -> None:
    policy = poor_policy(rules)
    for position, one in policy.rounds.items():
        dice = (2, 3)[: position[0]]
        row = one.strategy(())[hand_index(one.rules, dice)]
        state = round_at(rules, position, (), dice)
        found = drawn(decider(policy), state.view())
        assert_drawn(found, raises_of(policy, position, row))


@BOTH
def test_who_can_only_challenge_challenges(rules: Rules) -> None:
    policy = poor_policy(rules)
    for position, one in policy.rounds.items():
        for dice in hands_of(one.rules, position[1]):
            state = round_at(rules, position, domain(one.rules)[-1:], dice)
            assert decider(policy).decide(state.view()) == challenge_action(rules)


@BOTH
def test_after_bids_that_the_policy_never_meets_it_challenges(rules: Rules) -> None:
    policy = poor_policy(rules, passes=1)
    position, bids = challenged_after_all(policy)
    state = round_at(rules, position, bids)
    assert {*drawn(decider(policy), state.view())} == {challenge_action(rules)}


def test_there_who_has_declined_makes_the_weakest_bid() -> None:
    policy = poor_policy(ASKED, passes=1)
    position, bids = challenged_after_all(policy)
    state = round_at(ASKED, position, bids)
    state.decline()
    weakest = next(bid for bid in domain(ASKED) if bid in state.legal_bids())
    assert {*drawn(decider(policy), state.view())} == {action_of(ASKED, weakest)}


class Plain:
    """A twin that reads the whole strategy for each decision, and draws as numpy does."""

    def __init__(self, policy: MatchPolicy, seed: int) -> None:
        self.policy, self.random = policy, np.random.default_rng(seed)

    def decide(self, view: View) -> int:
        one = self.policy.at(position_of(view))
        row = one.strategy(view.bids)[hands(one.rules).index(view.dice)]
        calls = row[challenge_action(one.rules)] if view.history else 0.0
        if view.can_challenge and (not view.legal_bids or calls > 0.0):
            if self.random.random() < calls:
                return challenge_action(view.rules)
            if not view.legal_bids:
                return DECLINE
        raises = row[: len(domain(one.rules))]
        if not raises.any():
            return action_of(view.rules, view.legal_bids[0])
        drawn = self.random.choice(raises.size, p=raises / raises.sum())
        return action_of(view.rules, domain(one.rules)[drawn])


class Noted:
    """Notes what another decides."""

    def __init__(self, other: MatchDecider | Plain) -> None:
        self.other, self.actions = other, list[int]()

    def decide(self, view: View) -> int:
        self.actions.append(self.other.decide(view))
        return self.actions[-1]


@BOTH
@pytest.mark.parametrize("kept", [0, 32_000_000], ids=["the last history", "every history"])
def test_equal_seeds_decide_equally_whatever_is_kept(
    rules: Rules, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_policy, "_KEPT", kept)
    policy = poor_policy(rules)
    played = []
    for one in (decider(policy, seed=1), Plain(policy, seed=1)):
        noted = Noted(one)
        for match in range(50):
            play_match(Match(rules, np.random.default_rng(match)), [noted, noted])
        played.append(noted.actions)
    assert played[0] == played[1]
    assert len(played[0]) > 100
